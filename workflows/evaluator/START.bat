@echo off
REM Puts the task into a file: the evaluator sees nothing of the writer's
REM conversation, so what both must know has to lie where both can read it.
REM
REM   raymond workflows/evaluator --input "A release note for version 2" --var max_rounds=3
if not exist evaluator mkdir evaluator
del /q evaluator\rounds evaluator\verdict.md 2>nul
if defined RAYMOND_RESULT_FILE (
  copy /y "%RAYMOND_RESULT_FILE%" evaluator\task.md >nul
  if errorlevel 1 exit /b 1
) else (
  >evaluator\task.md echo Explain to a child of ten, in at most eight sentences, why the sky is blue.
)
echo ^<goto^>WRITE^</goto^>
exit /b 0
