@echo off
REM The next state of the parent of SCRIPT_FORK: the attributes are not its own.
if defined item (
  echo ^<result^>parent continued with %item%^</result^>
) else (
  echo ^<result^>parent continued^</result^>
)
exit /b 0
