@echo off
setlocal
REM Commits the merge, and continues with the other branches. While a file has
REM conflict markers, the conflict is not resolved.
REM raymond: max_visits=20
set said=parallel-worktrees\conflict.txt
call raymond merge --continue 2>%said%
set code=%errorlevel%
type %said% >&2
if %code%==0 (
  del %said%
  echo ^<goto^>REPORT^</goto^>
  exit /b 0
)
if not %code%==1 exit /b 1
call raymond tag reset RESOLVE --input-file %said%
del %said%
exit /b 0
