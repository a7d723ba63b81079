@echo off
REM The answer is one of the options.
if "%RAYMOND_INPUT%"=="yes" (
  echo ^<goto^>DO^</goto^>
) else (
  echo ^<goto^>REST^</goto^>
)
exit /b 0
