#!/bin/bash
# Waits until there is a result for each line, looking every second. After
# --var max_waits=N looks (3600) it goes on with what there is: a worker may have
# failed in a run with --keep-going.
set -euo pipefail

total=$(wc -l <fork-workers/queue)
finished=0
for file in fork-workers/results/*.md; do
  if [ -f "$file" ]; then finished=$((finished + 1)); fi
done

waits=1
if [ -f fork-workers/waits ]; then waits=$(($(cat fork-workers/waits) + 1)); fi
echo "$waits" >fork-workers/waits

if [ "$finished" -ge "$total" ] || [ "$waits" -gt "${max_waits:-3600}" ]; then
  echo "<reset>SUMMARIZE</reset>"
else
  sleep 1
  echo "<reset>WAIT</reset>"
fi
