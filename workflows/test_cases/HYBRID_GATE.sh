#!/bin/bash
# The gate of HYBRID_GATED: it lets nothing through the first time, so that it can be seen.
[ -e hybrid_gate_seen.txt ] && exit 0
echo seen >hybrid_gate_seen.txt
echo "look again: what does hybrid_gate.txt say?"
exit 1
