@echo off
REM call: a subroutine. Its conversation branches off the caller's (a script has none
REM to branch, so the child begins a fresh one); its result comes back to the state
REM that return names.
echo ^<call return="SCRIPT_CALL_BACK"^>SCRIPT_CALL_CHILD^</call^>
exit /b 0
