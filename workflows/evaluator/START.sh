#!/bin/bash
# Puts the task into a file: the evaluator sees nothing of the writer's
# conversation, so what both must know has to lie where both can read it.
#
#   raymond workflows/evaluator --input "A release note for version 2" --var max_rounds=3
set -euo pipefail

mkdir -p evaluator
rm -f evaluator/rounds evaluator/verdict.md
if [ -n "${RAYMOND_RESULT_FILE:-}" ]; then
  cp "$RAYMOND_RESULT_FILE" evaluator/task.md
else
  echo "Explain to a child of ten, in at most eight sentences, why the sky is blue." >evaluator/task.md
fi
echo "<goto>WRITE</goto>"
