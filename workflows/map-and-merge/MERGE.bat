@echo off
REM All have ended. What they said is one JSON array, an entry for each of them in
REM the order in which they were started; it may be long, so it comes as a file.
copy /y "%RAYMOND_RESULT_FILE%" map-and-merge\answers.json >nul
if errorlevel 1 exit /b 1
echo ^<goto^>SUMMARIZE^</goto^>
exit /b 0
