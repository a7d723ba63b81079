@echo off
REM Prepares the folders. A message is a file in inbox\, in the folder raymond was
REM launched from; it goes through inbox\working\ to inbox\done\.
REM
REM   raymond workflows/poll-and-process --var interval=60 --var max_empty=100
if not exist inbox\working mkdir inbox\working
if not exist inbox\done mkdir inbox\done
del /q inbox\.empty inbox\.processed 2>nul
echo ^<goto^>POLL^</goto^>
exit /b 0
