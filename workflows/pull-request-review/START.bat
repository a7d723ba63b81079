@echo off
setlocal
REM Reviews what a branch changes, as a pull request shows it: three agents look at
REM it from three sides, and one doubts what they found and writes the review.
REM
REM   raymond workflows/pull-request-review --var base=main --budget 2
if not defined base set base=main
if not exist pull-request-review mkdir pull-request-review
git diff "%base%...HEAD" >pull-request-review\changes.diff
if errorlevel 1 exit /b 1
for %%f in (pull-request-review\changes.diff) do if %%~zf equ 0 (
  echo ^<result^>There is nothing to review: HEAD changes nothing of %base%.^</result^>
  exit /b 0
)
for %%s in (correctness security tests) do (
  echo ^<fork on_error="report" side="%%s"^>LOOK^</fork^>
)
echo ^<join^>MERGE^</join^>
exit /b 0
