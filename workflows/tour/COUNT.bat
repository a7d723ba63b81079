@echo off
setlocal
REM A loop: this state leads to itself until it has been here three times. The
REM reset that led here threw the conversation away, and each round resets again.
REM Data that must survive a round is stored in a file.
set "file=raymond-tour\rounds.txt"
set round=0
if exist "%file%" set /p round=<"%file%"
set /a round+=1
>"%file%" echo %round%

if %round% lss 3 (
  echo ^<reset^>COUNT^</reset^>
) else (
  echo ^<goto^>ASK^</goto^>
)
exit /b 0
