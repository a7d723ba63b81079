@echo off
REM function: a subroutine that knows nothing of its caller's conversation. Its
REM result comes back to the state that return names.
echo ^<function return="SCRIPT_FUNCTION_BACK"^>SCRIPT_FUNCTION_CHILD^</function^>
exit /b 0
