#!/bin/bash
# Ten agents look at ten parts of one thing at the same time, and one puts
# together what they found. Nothing waits in between: the join is raymond's.
#
#   raymond workflows/map-and-merge --input "How do we become faster?" --max-parallel 4
set -euo pipefail

mkdir -p map-and-merge
cat "${RAYMOND_INPUT_FILE:-/dev/null}" >map-and-merge/question.txt
if [ ! -s map-and-merge/question.txt ]; then
  echo "What is the weakest spot of this project?" >map-and-merge/question.txt
fi

for part in users install start tests errors docs speed security upkeep names; do
  # Who fails only reports it: nine answers are better than none.
  echo "<fork on_error=\"report\" part=\"$part\">LOOK</fork>"
done
echo "<join>MERGE</join>"
