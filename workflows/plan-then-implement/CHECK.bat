@echo off
REM raymond: timeout=30m
setlocal
REM Runs the project's own check, without a model. The command comes from
REM --var check="..."; without one every check passes. The number of rounds is
REM bounded by --var max_rounds=N (5), so a task that cannot be done ends too.
if not defined max_rounds set max_rounds=5
set round=0
if exist plan\rounds set /p round=<plan\rounds
set /a round+=1
>plan\rounds echo %round%

if %round% gtr %max_rounds% (
  >plan\verdict echo given up, rounds: %max_rounds%
  echo ^<goto^>SUMMARIZE^</goto^>
  exit /b 0
)
set failed=0
if defined check cmd.exe /d /c %check% >plan\check.log 2>&1 || set failed=1
if %failed%==1 (
  >plan\verdict echo failed in round %round%
  echo ^<goto^>FIX^</goto^>
  exit /b 0
)
>plan\verdict echo passed in round %round%
echo ^<function return="ADDRESS"^>REVIEW^</function^>
exit /b 0
