@echo off
REM The gate of HYBRID_GATED: it lets nothing through the first time, so that it can be seen.
if exist hybrid_gate_seen.txt exit /b 0
echo seen>hybrid_gate_seen.txt
echo look again: what does hybrid_gate.txt say?
exit /b 1
