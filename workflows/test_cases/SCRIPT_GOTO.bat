@echo off
REM goto: on to another state. It is not named with its extension, so the same line
REM serves Unix and Windows.
echo ^<goto^>SCRIPT_GOTO_END^</goto^>
exit /b 0
