@echo off
REM The answer is one of the options.
if "%RAYMOND_INPUT%"=="yes" (
  echo ^<reset^>DO^</reset^>
) else (
  echo ^<goto^>REST^</goto^>
)
exit /b 0
