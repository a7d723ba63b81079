@echo off
setlocal
REM A fork is not waited for. Who needs what its workers made waits for their
REM files. Waiting in a script costs nothing; a bound keeps it from lasting for
REM ever when a worker has failed.
if exist raymond-tour\postcards\north.txt if exist raymond-tour\postcards\south.txt (
  echo ^<goto^>FINISH^</goto^>
  exit /b 0
)

set "file=raymond-tour\waits.txt"
set waits=0
if exist "%file%" set /p waits=<"%file%"
set /a waits+=1
>"%file%" echo %waits%
if %waits% gtr 300 (
  echo No postcard came for so long: look at the workers with 'raymond status latest'. 1>&2
  exit /b 1
)
REM A pause of a second: timeout needs a console, ping does not.
ping -n 2 127.0.0.1 >nul
echo ^<reset^>WAIT^</reset^>
exit /b 0
