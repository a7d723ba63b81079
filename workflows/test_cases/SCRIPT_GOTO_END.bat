@echo off
REM Where SCRIPT_GOTO ends.
echo ^<result^>went to the end^</result^>
exit /b 0
