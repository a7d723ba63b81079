@echo off
REM Puts the question where every later state finds it.
REM
REM   raymond workflows/findings --input "Where are errors ignored?"
if not exist findings mkdir findings
copy /y "%RAYMOND_RESULT_FILE%" findings\question.md >nul
if errorlevel 1 exit /b 1
echo ^<function return="REPORT"^>FIND^</function^>
exit /b 0
