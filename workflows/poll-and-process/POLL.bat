@echo off
setlocal
REM Looks for the next message, and pays for a model only when there is one. Looks
REM every %interval% seconds (2), and ends after %max_empty% (3) looks in a row that
REM found nothing; both can be given by --var or in the environment.
if not defined max_empty set max_empty=3
if not defined interval set interval=2

REM A message that was already taken comes first: an earlier round was cut off.
set "file="
for %%f in (inbox\working\*) do if not defined file set "file=%%f"
if not defined file (
  for %%f in (inbox\*) do if not defined file if not "%%~nxf"==".empty" if not "%%~nxf"==".processed" (
    set "file=%%f"
    move /y "%%f" inbox\working\ >nul
    if errorlevel 1 exit /b 1
  )
)
if defined file (
  del /q inbox\.empty 2>nul
  echo ^<function return="FILE_AWAY"^>PROCESS^</function^>
  exit /b 0
)

set empty=0
if exist inbox\.empty set /p empty=<inbox\.empty
set /a empty+=1
>inbox\.empty echo %empty%
set processed=0
if exist inbox\.processed set /p processed=<inbox\.processed
if %empty% geq %max_empty% (
  echo ^<result^>The inbox is empty; messages processed: %processed%^</result^>
  exit /b 0
)
REM A pause: timeout needs a console, ping does not.
set /a pings=interval+1
ping -n %pings% 127.0.0.1 >nul
REM A reset, so that the conversations of earlier messages do not pile up.
echo ^<reset^>POLL^</reset^>
exit /b 0
