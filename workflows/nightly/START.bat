@echo off
REM Watches over something every night, or in any other rhythm, for months if need
REM be: between two looks nothing runs, and raymond may be killed and resumed.
REM Here it is a file: incidents.log in the folder raymond was launched from. Put
REM into LOOK what your own night should look at.
REM
REM   raymond workflows/nightly --var every=24h --var looks=30
if not exist nightly\reports mkdir nightly\reports
del /q nightly\looks nightly\incidents.txt nightly\reports\* 2>nul
echo ^<goto^>LOOK^</goto^>
exit /b 0
