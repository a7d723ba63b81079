@echo off
REM Picks the first open item, or ends the run: when no item is open, or after
REM max_rounds rounds (20). Items may hold any character, which batch cannot
REM handle: pick.ps1 does the work, and prints the tag.
REM A reset to WORK: each round begins with an empty conversation.
powershell -NoProfile -ExecutionPolicy Bypass -File "%RAYMOND_STATE_DIR%\powershell\pick.ps1"
exit /b %errorlevel%
