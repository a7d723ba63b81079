@echo off
setlocal
REM What a script finds in its environment. Try: --input hello --var item=x
echo this line is not read: ^<goto^>NOWHERE^</goto^> 1>&2
if not defined RAYMOND_RESULT set "RAYMOND_RESULT=(none)"
if not defined item set "item=(none)"
echo ^<result^>
echo workflow: %RAYMOND_WORKFLOW_ID%
echo agent: %RAYMOND_AGENT_ID%
echo folder: %RAYMOND_STATE_DIR%
echo file: %RAYMOND_STATE_FILE%
echo attempt: %RAYMOND_ATTEMPT%
echo result: %RAYMOND_RESULT%
echo item: %item%
echo ^</result^>
exit /b 0
