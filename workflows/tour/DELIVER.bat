@echo off
REM What the function returned is whole, however long, in the file
REM %RAYMOND_RESULT_FILE%. Nobody called this worker, so its own result ends it.
REM Whoever joins it gets that. The postcard itself stays on the disk.
copy /y "%RAYMOND_RESULT_FILE%" "raymond-tour\postcards\%item%.part" >nul
if errorlevel 1 exit /b 1
move /y "raymond-tour\postcards\%item%.part" "raymond-tour\postcards\%item%.txt" >nul
if errorlevel 1 exit /b 1
echo ^<result^>The postcard from the %item% is delivered.^</result^>
exit /b 0
