#!/bin/bash
# Keeps the answer beside the message and looks for the next one. Run a second
# time, after a crash, it finds the message gone and changes nothing.
set -euo pipefail

for file in inbox/working/*; do
  if [ ! -f "$file" ]; then continue; fi
  cp "$RAYMOND_RESULT_FILE" "inbox/done/$(basename "$file").answer.md"
  mv "$file" inbox/done/
  processed=1
  if [ -f inbox/.processed ]; then processed=$(($(cat inbox/.processed) + 1)); fi
  echo "$processed" >inbox/.processed
done
echo "<reset>POLL</reset>"
