@echo off
REM What the person has answered: one of the options. What is to be mended only
REM they know, so that is a question without options.
if "%RAYMOND_INPUT%"=="keep" (
  echo ^<result^>
  type gate\summary.md
  echo.
  echo ^</result^>
) else (
  echo ^<ask next="MEND"^>What is to be mended?^</ask^>
)
exit /b 0
