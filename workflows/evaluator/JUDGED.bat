@echo off
setlocal
REM The verdict decides, not the model that wrote the draft. The loop is bounded
REM by --var max_rounds=N (5).
if not defined max_rounds set max_rounds=5
set round=0
if exist evaluator\rounds set /p round=<evaluator\rounds
set /a round+=1
>evaluator\rounds echo %round%
copy /y "%RAYMOND_RESULT_FILE%" evaluator\verdict.md >nul
if errorlevel 1 exit /b 1

findstr /b /c:"YES" evaluator\verdict.md >nul
if not errorlevel 1 (
  echo ^<result^>Approved, rounds: %round%, see evaluator/draft.md^</result^>
  exit /b 0
)
if %round% geq %max_rounds% (
  echo ^<result^>Not approved, rounds: %round%, see evaluator/draft.md and evaluator/verdict.md^</result^>
  exit /b 0
)
echo ^<goto^>IMPROVE^</goto^>
exit /b 0
