@echo off
setlocal
REM Ten agents look at ten parts of one thing at the same time, and one puts
REM together what they found. Nothing waits in between: the join is raymond's.
REM
REM   raymond workflows/map-and-merge --input "How do we become faster?" --max-parallel 4
if not exist map-and-merge mkdir map-and-merge
if defined RAYMOND_INPUT_FILE (
  copy /y "%RAYMOND_INPUT_FILE%" map-and-merge\question.txt >nul
  if errorlevel 1 exit /b 1
) else (
  >map-and-merge\question.txt echo What is the weakest spot of this project?
)
REM Who fails only reports it: nine answers are better than none.
for %%p in (users install start tests errors docs speed security upkeep names) do (
  echo ^<fork on_error="report" part="%%p"^>LOOK^</fork^>
)
echo ^<join^>MERGE^</join^>
exit /b 0
