@echo off
setlocal
REM Keeps the answer beside the message and looks for the next one. Run a second
REM time, after a crash, it finds the message gone and changes nothing.
set processed=0
if exist inbox\.processed set /p processed=<inbox\.processed
for %%f in (inbox\working\*) do (
  copy /y "%RAYMOND_RESULT_FILE%" "inbox\done\%%~nxf.answer.md" >nul
  if errorlevel 1 exit /b 1
  move /y "%%f" inbox\done\ >nul
  if errorlevel 1 exit /b 1
  set /a processed+=1
)
>inbox\.processed echo %processed%
echo ^<reset^>POLL^</reset^>
exit /b 0
