#!/bin/bash
# Puts the task where every later state finds it, whatever it remembers.
#
#   raymond workflows/plan-then-implement --input "Add a --json flag" \
#           --var check="npm test" --budget 5
set -euo pipefail

mkdir -p plan
cp "$RAYMOND_RESULT_FILE" plan/task.md
rm -f plan/rounds plan/verdict plan/check.log
echo "<goto>PLAN</goto>"
