@echo off
REM What the person has answered: one of the options. What is to be fixed only
REM they know, so that is a question without options.
if "%RAYMOND_INPUT%"=="keep" (
  echo ^<result^>
  type gate\summary.md
  echo.
  echo ^</result^>
) else (
  echo ^<ask next="FIX"^>What is to be fixed?^</ask^>
)
exit /b 0
