@echo off
REM Every night it looks for one thing that should be done, asks a person whether
REM to do it, and does it when the answer is yes. You can be asleep: a question
REM waits without a process, and is over when the time for it is.
REM
REM   raymond workflows/nightly-question --var every=24h --var nights=30
REM
REM The question is answered by: raymond answer yes --resume
if not exist nightly-question mkdir nightly-question
del /q nightly-question\proposal.md 2>nul
>nightly-question\night echo 1
echo ^<goto^>LOOK^</goto^>
exit /b 0
