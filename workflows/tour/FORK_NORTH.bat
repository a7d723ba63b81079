@echo off
REM fork: a second agent starts at POSTMAN, with an empty conversation and with
REM item="north" as its own, and this one continues at FORK_SOUTH at once.
REM What the person has answered.
if "%RAYMOND_INPUT%"=="no" (
  echo ^<goto^>FINISH^</goto^>
  exit /b 0
)
echo ^<fork next="FORK_SOUTH" item="north"^>POSTMAN^</fork^>
exit /b 0
