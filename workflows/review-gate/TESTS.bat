@echo off
REM raymond: timeout=30m
REM The gate of IMPLEMENT: it prints no tag, its exit code decides. The command
REM comes from --var check="..."; without one everything passes.
if not defined check exit /b 0
cmd.exe /d /c %check%
exit /b %errorlevel%
