#!/bin/bash
# A fork is not waited for. Who needs what its workers made waits for their
# files. Waiting in a script costs nothing; a bound keeps it from lasting for
# ever when a worker has failed.
set -euo pipefail

if [ -f raymond-tour/postcards/north.txt ] && [ -f raymond-tour/postcards/south.txt ]; then
  echo "<goto>FINISH</goto>"
  exit 0
fi

file=raymond-tour/waits.txt
waits=0
if [ -f "$file" ]; then waits=$(cat "$file"); fi
waits=$((waits + 1))
echo "$waits" >"$file"
if [ "$waits" -gt 1200 ]; then
  echo "No postcard came for so long: look at the workers with 'raymond status latest'." >&2
  exit 1
fi
sleep 0.25
echo "<reset>WAIT</reset>"
