@echo off
setlocal
REM A poll: looks for ready.txt every second, and ends when it is there. Make it
REM with "type nul >ready.txt"; this script itself makes it in the third round.
set "file=script_poll_%RAYMOND_WORKFLOW_ID%.count"
set count=0
if exist "%file%" set /p count=<"%file%"
if exist ready.txt (
  del /q "%file%" ready.txt 2>nul
  echo ^<result^>ready after %count% looks^</result^>
  exit /b 0
)
set /a count+=1
>"%file%" echo %count%
if %count% geq 3 type nul >ready.txt
ping -n 2 127.0.0.1 >nul
echo ^<reset^>SCRIPT_POLL^</reset^>
exit /b 0
