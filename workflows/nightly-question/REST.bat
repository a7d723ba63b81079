@echo off
setlocal
REM The night is over. The next one begins with an empty conversation, and %nights%
REM (7) of them are enough; %every% (24h) is the time between two.
if not defined nights set nights=7
if not defined every set every=24h
set night=1
set /p night=<nightly-question\night
del /q nightly-question\proposal.md 2>nul
if %night% geq %nights% (
  echo ^<result^>Nights: %night%.^</result^>
  exit /b 0
)
REM A step that raymond could not finish is run again: it is the same night.
set /a next=night+1
if %RAYMOND_ATTEMPT% leq 1 >nightly-question\night echo %next%
echo ^<reset delay="%every%"^>LOOK^</reset^>
exit /b 0
