@echo off
REM The tour begins in a script: it costs nothing and needs no model.
REM It writes to raymond-tour\ in the launch folder.
if not exist raymond-tour\postcards mkdir raymond-tour\postcards
del /q raymond-tour\*.txt raymond-tour\postcards\*.txt 2>nul

REM goto: on to the next state, in the same conversation (there is none yet, so
REM WELCOME begins one). WELCOME is a bare name: raymond finds WELCOME.md.
echo ^<goto^>WELCOME^</goto^>
exit /b 0
