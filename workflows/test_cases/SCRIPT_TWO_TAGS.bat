@echo off
REM Two tags: an error, for exactly one is allowed.
echo ^<goto^>SCRIPT_GOTO_END^</goto^>
echo ^<result^>or is this the end?^</result^>
exit /b 0
