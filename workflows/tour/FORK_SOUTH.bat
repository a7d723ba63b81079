@echo off
REM The same again. From here on three agents are at work: this one goes on at
REM WAIT, because nobody waits for a worker unless it is told to.
echo ^<fork next="WAIT" item="south"^>POSTMAN^</fork^>
exit /b 0
