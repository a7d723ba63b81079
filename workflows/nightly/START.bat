@echo off
REM Watches over something every night, or in any other rhythm, for months if need
REM be: between two looks raymond waits, or exits with --park, and may be killed.
REM Here it is a file: incidents.log in the folder raymond was launched from. Put
REM into LOOK what your own night should look at.
REM
REM   raymond workflows/nightly --var every=24h --var looks=30 --park
REM   raymond resume --due        (from a timer, such as cron)
if not exist nightly\reports mkdir nightly\reports
del /q nightly\looks nightly\incidents.txt nightly\reports\* 2>nul
echo ^<goto^>LOOK^</goto^>
exit /b 0
