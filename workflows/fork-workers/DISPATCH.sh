#!/bin/bash
# Hands out one line each time it runs: the fork leads back here, until no line
# is left. Then it joins its workers. The model has no part in it.
set -euo pipefail

next=$(cat fork-workers/next)
total=$(wc -l <fork-workers/queue)

# A step that raymond could not finish is run again. It may have counted on
# without its worker coming to be, so it hands the same line out once more; a
# worker that finds its line done already ends at once.
if [ "${RAYMOND_ATTEMPT:-1}" -gt 1 ] && [ "$next" -gt 1 ]; then next=$((next - 1)); fi

if [ "$next" -gt "$total" ]; then
  echo "<join>SUMMARIZE</join>"
  exit 0
fi
item=$(head -n "$next" fork-workers/queue | tail -n 1)
echo $((next + 1)) >fork-workers/next
# An item may hold anything: raymond tag escapes it.
raymond tag fork WORKER --next DISPATCH --number "$next" --item "$item"
