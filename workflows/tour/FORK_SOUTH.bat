@echo off
REM The same again, and now three agents are at work. join: this one waits until
REM the two workers have ended. No process is kept for that, and FINISH gets what
REM they gave.
echo ^<fork item="south"^>POSTMAN^</fork^>^<join^>FINISH^</join^>
exit /b 0
