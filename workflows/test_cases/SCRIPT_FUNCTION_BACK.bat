@echo off
REM Where SCRIPT_FUNCTION goes on: the payload is in the environment, and in a file.
echo ^<result^>the child said: %RAYMOND_RESULT%^</result^>
exit /b 0
