@echo off
REM One worker: %number% and %item% are the attributes of its fork, and stay its own
REM through all its states. A line that is done already is not paid for twice.
if exist "fork-workers\results\%number%.md" (
  echo ^<result^>Item %number% was done already.^</result^>
) else (
  echo ^<function return="COLLECT"^>WORK^</function^>
)
exit /b 0
