@echo off
setlocal
REM Hands out one line each time it runs: the fork leads back here, until no line
REM is left. Then it joins its workers. The model has no part in it.
set /p next=<fork-workers\next
REM A step that raymond could not finish is run again. It may have counted on
REM without its worker coming to be, so it hands the same line out once more; a
REM worker that finds its line done already ends at once.
if %RAYMOND_ATTEMPT% gtr 1 if %next% gtr 1 set /a next-=1

set "item="
for /f "tokens=1* delims=:" %%a in ('findstr /n "^" fork-workers\queue') do if %%a==%next% set "item=%%b"
if not defined item (
  echo ^<join^>SUMMARIZE^</join^>
  exit /b 0
)
set /a following=next+1
>fork-workers\next echo %following%
echo ^<fork next="DISPATCH" number="%next%" item="%item%"^>WORKER^</fork^>
exit /b 0
