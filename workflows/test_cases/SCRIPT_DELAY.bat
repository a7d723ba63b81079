@echo off
REM The next state begins later, and nothing runs until then.
echo ^<goto delay="500ms"^>SCRIPT_GOTO_END^</goto^>
exit /b 0
