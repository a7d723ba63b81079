@echo off
REM ask: a person decides, and it costs nothing to wait for that: no process does.
REM FORK_NORTH gets the answer. A simulation has it in its file.
echo ^<ask next="FORK_NORTH" options="yes|no"^>Should two postcards be written?^</ask^>
exit /b 0
