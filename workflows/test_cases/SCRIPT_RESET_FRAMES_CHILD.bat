@echo off
REM Counts by its input, round by round.
set /a next=%RAYMOND_INPUT%+1
if "%RAYMOND_INPUT%"=="3" (
  echo ^<result^>%RAYMOND_INPUT% rounds^</result^>
) else (
  echo ^<reset frames="keep" input="%next%"^>SCRIPT_RESET_FRAMES_CHILD^</reset^>
)
exit /b 0
