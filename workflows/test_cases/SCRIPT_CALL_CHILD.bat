@echo off
REM What SCRIPT_CALL calls.
echo ^<result^>hello from the child^</result^>
exit /b 0
