#!/bin/bash
# raymond: timeout=30m
# Ticks the item off, if the check agrees: the command of --var check="…". If it
# fails, the item stays open and the next round finds its output.
set -euo pipefail

if [ -n "${check:-}" ] && ! bash -c "$check" >ralph/check.log 2>&1; then
  echo "<reset>PICK</reset>"
  exit 0
fi
rm -f ralph/check.log
# Files beside the states are found through RAYMOND_STATE_DIR.
source "$RAYMOND_STATE_DIR/mark.bash"
mark x
echo "<reset>PICK</reset>"
