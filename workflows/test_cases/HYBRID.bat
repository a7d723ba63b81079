@echo off
REM A script, a prompt, a script. This one counts and costs nothing; the prompt
REM learns the number from a file, because scripts are invisible to it.
dir /b /a | find /c /v "" >hybrid_count.txt
echo ^<goto^>HYBRID_PROMPT^</goto^>
exit /b 0
