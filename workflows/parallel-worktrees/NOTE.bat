@echo off
REM A file for each agent: such notes never conflict.
if not exist parallel-worktrees\notes mkdir parallel-worktrees\notes
copy /y "%RAYMOND_INPUT_FILE%" "parallel-worktrees\notes\%RAYMOND_AGENT_ID%.md" >nul
if errorlevel 1 exit /b 1
echo ^<result^>done^</result^>
exit /b 0
