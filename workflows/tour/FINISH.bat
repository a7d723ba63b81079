@echo off
setlocal
REM The result of the first agent, main, is the result of the run: it is all that
REM raymond prints to standard output.
set rounds=0
if exist raymond-tour\rounds.txt set /p rounds=<raymond-tour\rounds.txt
echo ^<result^>
echo That was the tour:
echo   1_START     a script began it, and a goto led to a prompt
echo   WELCOME     a prompt chose a secret word; its rules left one way on, so it needed no tag
echo   REMEMBER    goto kept the conversation: the word was still known
echo   ASIDE       call branched it: only the result came back
echo   STRANGER    function began an empty one: the word was not known
echo   CROSSROADS  two ways on: the model named one; reset threw the conversation away
echo   COUNT       a script that loops by reset: %rounds% rounds
echo   ASK         ask waited for a person, whose answer the simulation has in its file
echo   FORK_*      fork started two more agents, and join waited until both had
echo               ended. Their postcards are in raymond-tour\postcards
echo   FINISH      result without a caller ends the agent
echo Next: read the files of this tour beside this list, then docs/authoring.md.
echo ^</result^>
exit /b 0
