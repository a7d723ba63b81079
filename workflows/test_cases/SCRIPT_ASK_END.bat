@echo off
echo ^<result^>the person said %RAYMOND_INPUT%^</result^>
exit /b 0
