@echo off
setlocal
REM "while :; do cat PROMPT.md | claude; done", done right: a fresh conversation
REM for each item, a list that only a script ticks off, a check that no model can
REM talk its way around, an end, and a budget:
REM
REM   raymond workflows/ralph --budget 5 --var check="npm test" --var max_rounds=30
REM
REM The list is TODO.md (or --var todo=FILE), one "- [ ] item" a line.
if not defined todo set "todo=TODO.md"
if not exist "%todo%" (
  echo There is no %todo% here: write it, one '- [ ] item' a line. 1>&2
  exit /b 1
)
if not exist ralph mkdir ralph
del /q ralph\round ralph\item.md ralph\check.log 2>nul
echo ^<goto^>PICK^</goto^>
exit /b 0
