@echo off
REM A worker. Its attribute is in the environment: %item% is "north" or "south".
REM A script may use any tag: this function asks a prompt, and its answer goes to
REM DELIVER.
echo asking for a postcard from the %item% 1>&2
echo ^<function return="DELIVER"^>POSTCARD^</function^>
exit /b 0
