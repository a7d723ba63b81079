@echo off
REM A question that the simulation answers; the script that it leads to gets the
REM option as it is written here.
echo ^<ask next="SCRIPT_ASK_END" options="Yes|no"^>Go on?^</ask^>
exit /b 0
