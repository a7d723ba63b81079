@echo off
setlocal
REM One look: what is new goes to the model, and where nothing is, the agent waits
REM for the next one. After %looks% (7) looks it is over; %every% (24h) is the time
REM between two.
if not defined looks set looks=7
if not defined every set every=24h

set look=0
if exist nightly\looks set /p look=<nightly\looks
REM A step that raymond could not finish is run again: it is the same look.
if %RAYMOND_ATTEMPT% leq 1 set /a look+=1
if %look% lss 1 set look=1
>nightly\looks echo %look%

if %look% gtr %looks% (
  set /a made=look-1
  goto over
)
REM What was taken already comes first: an earlier look was cut off.
if not exist nightly\incidents.txt if exist incidents.log (
  move /y incidents.log nightly\incidents.txt >nul
  if errorlevel 1 exit /b 1
)
if exist nightly\incidents.txt (
  echo ^<function return="REPORT"^>EXPLAIN^</function^>
) else (
  echo ^<reset delay="%every%"^>LOOK^</reset^>
)
exit /b 0

:over
set found=0
for %%f in (nightly\reports\*.md) do set /a found+=1
echo ^<result^>Looks: %made%, reports: %found%.^</result^>
exit /b 0
