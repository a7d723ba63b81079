@echo off
REM raymond: timeout=1s
REM A script that is given one second and takes longer: the agent fails.
ping -n 60 127.0.0.1 >nul
echo ^<result^>too late^</result^>
exit /b 0
