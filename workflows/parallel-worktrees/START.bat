@echo off
setlocal
REM One agent for each task, each in a git worktree and on a branch of its own. The
REM branches are merged one after the other, and a prompt resolves conflicts.
REM
REM   raymond workflows/parallel-worktrees --worktree --input "Fix the date parser."
if not exist parallel-worktrees mkdir parallel-worktrees
if defined RAYMOND_INPUT_FILE (
  copy /y "%RAYMOND_INPUT_FILE%" parallel-worktrees\tasks.txt >nul
  if errorlevel 1 exit /b 1
) else (
  REM Ten examples. Each is one line.
  >parallel-worktrees\tasks.txt (
    for %%p in (users install start tests errors docs speed security upkeep names) do (
      echo Improve one thing about %%p.
    )
  )
)
call raymond tag fork WORK --worktree true --task-lines parallel-worktrees\tasks.txt
if errorlevel 1 exit /b 1
echo ^<join^>MERGE^</join^>
exit /b 0
