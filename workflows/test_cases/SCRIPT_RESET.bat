@echo off
setlocal
REM reset: a loop. What has to survive a round lies in a file; the file is named
REM after the run, so that two runs in one folder do not count together.
set "file=script_reset_%RAYMOND_WORKFLOW_ID%.count"
set count=0
if exist "%file%" set /p count=<"%file%"
set /a count+=1
>"%file%" echo %count%

if %count% lss 3 (
  echo ^<reset^>SCRIPT_RESET^</reset^>
) else (
  del /q "%file%"
  echo ^<result^>came by %count% times^</result^>
)
exit /b 0
