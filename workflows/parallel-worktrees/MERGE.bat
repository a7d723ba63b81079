@echo off
setlocal
REM Merges the branches of all agents, in the order of the tasks. A conflict stays in
REM the files.
set said=parallel-worktrees\conflict.txt
call raymond merge --joined --commit-changes 2>%said%
set code=%errorlevel%
type %said% >&2
if %code%==0 (
  del %said%
  echo ^<goto^>REPORT^</goto^>
  exit /b 0
)
if not %code%==1 exit /b 1
call raymond tag goto RESOLVE --input-file %said%
del %said%
exit /b 0
