@echo off
REM Where SCRIPT_JOIN goes on: the results of its workers are a JSON array in a file.
echo ^<result^>
type "%RAYMOND_RESULT_FILE%"
echo.
echo ^</result^>
exit /b 0
