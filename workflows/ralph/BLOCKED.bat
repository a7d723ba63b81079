@echo off
REM Marks the item as one that needs a person: "- [!]". The loop continues with the
REM others.
powershell -NoProfile -ExecutionPolicy Bypass -File "%RAYMOND_STATE_DIR%\powershell\mark.ps1" ! || exit /b 1
echo ^<reset^>PICK^</reset^>
exit /b 0
