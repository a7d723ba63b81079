@echo off
REM reset with frames="keep": what is called here begins again with a fresh
REM conversation, and still returns to its caller.
echo ^<call return="SCRIPT_RESET_FRAMES_BACK" input="1"^>SCRIPT_RESET_FRAMES_CHILD^</call^>
exit /b 0
