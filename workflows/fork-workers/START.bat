@echo off
setlocal
REM One worker for each line of a file: items.txt in the folder raymond was
REM launched from, or another with --var items=FILE. Blank lines and lines that
REM begin with # are left out. Items may not hold any of %% & | < > ^ " and !.
REM
REM   raymond workflows/fork-workers --var items=issues.txt --max-parallel 4 --budget 5
if not defined items set "items=items.txt"
if not exist "%items%" (
  echo There is no %items% here: write it, one item a line, or name another with --var items=FILE. 1>&2
  exit /b 1
)
if not exist fork-workers\results mkdir fork-workers\results
del /q fork-workers\results\* fork-workers\summary.md 2>nul
findstr /r /v /c:"^#" /c:"^[ ]*$" "%items%" >fork-workers\queue
>fork-workers\next echo 1

for %%q in (fork-workers\queue) do if %%~zq gtr 0 (
  echo ^<goto^>DISPATCH^</goto^>
) else (
  echo ^<result^>There was nothing to do: %items% holds no items.^</result^>
)
exit /b 0
