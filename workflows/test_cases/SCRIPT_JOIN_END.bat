@echo off
REM The next state of SCRIPT_JOIN: the results of its workers are a JSON array in a file.
echo ^<result^>
type "%RAYMOND_RESULT_FILE%"
echo.
echo ^</result^>
exit /b 0
