@echo off
setlocal
REM The parent does not wait for a fork and never sees its result. So the findings
REM go into a file, whole or not at all (write beside it, then rename), and that
REM file is the mark by which WAIT sees that this worker is done.
set "part=fork-workers\results\%number%.%RAYMOND_AGENT_ID%.part"
>"%part%" echo # %item%
>>"%part%" echo.
>>"%part%" type "%RAYMOND_RESULT_FILE%"
move /y "%part%" "fork-workers\results\%number%.md" >nul
if errorlevel 1 exit /b 1
echo ^<result^>Item %number% is done.^</result^>
exit /b 0
