@echo off
REM Waits for two workers, without a process, and hands over what they gave.
for %%i in (north south) do (
  echo ^<fork item="%%i" input="wind from the %%i"^>SCRIPT_FORK_MANY_WORKER^</fork^>
)
echo ^<join^>SCRIPT_JOIN_END^</join^>
exit /b 0
