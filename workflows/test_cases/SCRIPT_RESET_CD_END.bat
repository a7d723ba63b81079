@echo off
REM Where SCRIPT_RESET_CD ends.
for %%d in ("%CD%") do echo ^<result^>in %%~nxd^</result^>
exit /b 0
