#!/bin/bash
# reset: a loop. Data that must survive a round is stored in a file; the file is named
# after the run, so that two runs in one folder do not count together.
file="script_reset_$RAYMOND_WORKFLOW_ID.count"
count=0
if [ -f "$file" ]; then count=$(cat "$file"); fi
count=$((count + 1))
echo "$count" >"$file"

if [ "$count" -lt 3 ]; then
  echo "<reset>SCRIPT_RESET</reset>"
else
  rm -f "$file"
  echo "<result>came by $count times</result>"
fi
