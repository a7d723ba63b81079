@echo off
REM result: ends the agent, because it was not called. The payload may have many lines
REM and hold anything but its own closing tag; the other output is not part of it.
echo this line is only for the debug files
echo ^<result^>
echo the first line
echo   the second, with its blanks kept ^& ^<b^>signs^</b^> of all kinds
echo ^</result^>
exit /b 0
