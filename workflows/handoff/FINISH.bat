@echo off
REM Says whether the work went through more than one conversation.
if exist handoff\notes.md (
  echo ^<result^>All is done, handed over on the way^</result^>
) else (
  echo ^<result^>All is done^</result^>
)
exit /b 0
