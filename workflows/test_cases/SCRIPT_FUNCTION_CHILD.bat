@echo off
REM What SCRIPT_FUNCTION calls.
echo ^<result^>hello from the child^</result^>
exit /b 0
