@echo off
REM A script that fails: the agent fails, and the message shows the last lines of
REM standard error.
echo the disk is on fire 1>&2
exit /b 3
