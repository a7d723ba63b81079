@echo off
REM The worker of SCRIPT_FORK: the attributes of its tag are in its environment.
>fork_worker.txt echo %RAYMOND_AGENT_ID%: %item%, %priority%
echo ^<result^>did %item%^</result^>
exit /b 0
