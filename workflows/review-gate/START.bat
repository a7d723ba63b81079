@echo off
REM Puts the task where every later state finds it.
REM
REM   raymond workflows/review-gate --input "Fix the date parser" --var check="npm test"
if not exist gate mkdir gate
copy /y "%RAYMOND_RESULT_FILE%" gate\task.md >nul
if errorlevel 1 exit /b 1
del /q gate\failed.log 2>nul
echo ^<goto^>IMPLEMENT^</goto^>
exit /b 0
