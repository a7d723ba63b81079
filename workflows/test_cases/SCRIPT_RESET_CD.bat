@echo off
REM reset with cd: the next state, and all after it, run in another folder.
if not exist elsewhere mkdir elsewhere
echo ^<reset cd="elsewhere"^>SCRIPT_RESET_CD_END^</reset^>
exit /b 0
