@echo off
REM Puts the task where every later state finds it, whatever it remembers.
REM
REM   raymond workflows/plan-then-implement --input "Add a --json flag"
REM           --var check="npm test" --budget 5
if not exist plan mkdir plan
copy /y "%RAYMOND_RESULT_FILE%" plan\task.md >nul
if errorlevel 1 exit /b 1
del /q plan\rounds plan\verdict plan\check.log 2>nul
echo ^<goto^>PLAN^</goto^>
exit /b 0
