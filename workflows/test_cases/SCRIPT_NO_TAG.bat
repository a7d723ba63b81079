@echo off
REM A script that forgot its tag: an error, because a script cannot be reminded.
echo done, I think
exit /b 0
