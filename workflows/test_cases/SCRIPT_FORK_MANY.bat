@echo off
REM Several forks in one output: all workers begin at once, and one more tag says where
REM this agent continues. Each is handed a payload by input, and so is the next state.
for %%i in (north south west) do (
  echo ^<fork item="%%i" input="wind from the %%i"^>SCRIPT_FORK_MANY_WORKER^</fork^>
)
echo ^<goto input="three were sent"^>SCRIPT_FORK_MANY_END^</goto^>
exit /b 0
