#!/bin/bash
# A poll: looks for ready.txt ten times a second, and ends when it is there. Make
# it with "touch ready.txt"; this script itself makes it in the third round.
file="script_poll_$RAYMOND_WORKFLOW_ID.count"
if [ -f ready.txt ]; then
  count=0
  if [ -f "$file" ]; then count=$(cat "$file"); fi
  rm -f "$file" ready.txt
  echo "<result>ready after $count looks</result>"
  exit 0
fi
count=1
if [ -f "$file" ]; then count=$(($(cat "$file") + 1)); fi
echo "$count" >"$file"
if [ "$count" -ge 3 ]; then touch ready.txt; fi
sleep 0.1
echo "<reset>SCRIPT_POLL</reset>"
