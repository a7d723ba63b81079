@echo off
setlocal
REM Waits until there is a result for each line, looking every second. After
REM --var max_waits=N looks (3600) it goes on with what there is: a worker may have
REM failed in a run with --keep-going.
if not defined max_waits set max_waits=3600
set total=0
for /f %%n in ('find /c /v "" ^<fork-workers\queue') do set total=%%n
set finished=0
for %%f in (fork-workers\results\*.md) do set /a finished+=1

set waits=0
if exist fork-workers\waits set /p waits=<fork-workers\waits
set /a waits+=1
>fork-workers\waits echo %waits%

set over=0
if %finished% geq %total% set over=1
if %waits% gtr %max_waits% set over=1
if %over%==1 (
  echo ^<reset^>SUMMARIZE^</reset^>
  exit /b 0
)
REM A pause of a second: timeout needs a console, ping does not.
ping -n 2 127.0.0.1 >nul
echo ^<reset^>WAIT^</reset^>
exit /b 0
