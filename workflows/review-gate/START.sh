#!/bin/bash
# Puts the task where every later state finds it.
#
#   raymond workflows/review-gate --input "Mend the date parser" --var check="npm test"
set -euo pipefail

if [ -z "${RAYMOND_RESULT_FILE:-}" ]; then
  echo 'Say what is to be done: raymond workflows/review-gate --input "…"' >&2
  exit 1
fi
mkdir -p gate
cp "$RAYMOND_RESULT_FILE" gate/task.md
rm -f gate/failed.log
echo "<goto>IMPLEMENT</goto>"
