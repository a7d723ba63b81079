@echo off
REM The person reads the proposal in the question. Silence is no yes: after twelve
REM hours the night is over.
echo ^<ask next="DECIDE" options="yes|no" timeout="12h" timeout_next="REST"^>
type nightly-question\proposal.md 2>nul
echo.
echo Do you want it done?
echo ^</ask^>
exit /b 0
