@echo off
setlocal
REM The findings go into a file, whole or not at all (write beside it, then rename):
REM there the summary reads them, and a person afterwards.
set "part=fork-workers\results\%number%.%RAYMOND_AGENT_ID%.part"
>"%part%" echo # %item%
>>"%part%" echo.
>>"%part%" type "%RAYMOND_RESULT_FILE%"
move /y "%part%" "fork-workers\results\%number%.md" >nul
if errorlevel 1 exit /b 1
echo ^<result^>Item %number% is done.^</result^>
exit /b 0
