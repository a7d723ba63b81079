@echo off
REM What all agents have changed.
type parallel-worktrees\notes\*.md 2>nul | raymond tag result -
