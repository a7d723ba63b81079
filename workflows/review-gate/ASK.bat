@echo off
REM The tests cannot know whether it is what was meant: a person says that. No
REM process waits for the answer; `raymond answer keep --resume` continues.
copy /y "%RAYMOND_RESULT_FILE%" gate\summary.md >nul
if errorlevel 1 exit /b 1
echo ^<ask next="DECIDE" options="keep|fix"^>
type gate\summary.md
echo.
echo The tests have passed. Keep it?
echo ^</ask^>
exit /b 0
