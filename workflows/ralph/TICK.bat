@echo off
REM raymond: timeout=30m
REM Ticks the item off, if the check agrees: the command of --var check="...". If it
REM fails, the item stays open and the next round finds its output.
setlocal
set failed=0
if defined check cmd.exe /d /c %check% >ralph\check.log 2>&1 || set failed=1
if %failed%==1 (
  echo ^<reset^>PICK^</reset^>
  exit /b 0
)
del /q ralph\check.log 2>nul
REM Files beside the states are found through RAYMOND_STATE_DIR.
powershell -NoProfile -ExecutionPolicy Bypass -File "%RAYMOND_STATE_DIR%\powershell\mark.ps1" x || exit /b 1
echo ^<reset^>PICK^</reset^>
exit /b 0
