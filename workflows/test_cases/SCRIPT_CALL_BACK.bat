@echo off
REM The next state of SCRIPT_CALL: the payload is in the environment, and in a file.
echo ^<result^>the child said: %RAYMOND_RESULT%^</result^>
exit /b 0
