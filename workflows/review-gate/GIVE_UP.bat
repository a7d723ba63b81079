@echo off
REM Four times the tests did not pass: what they printed last is the result of
REM the gate, and a person should look at it.
copy /y "%RAYMOND_RESULT_FILE%" gate\failed.log >nul
if errorlevel 1 exit /b 1
echo ^<result^>The tests still fail, see gate/failed.log^</result^>
exit /b 0
