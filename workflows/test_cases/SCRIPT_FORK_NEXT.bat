@echo off
REM Where the parent of SCRIPT_FORK goes on: the attributes are not its own.
if defined item (
  echo ^<result^>parent went on with %item%^</result^>
) else (
  echo ^<result^>parent went on^</result^>
)
exit /b 0
