#!/bin/bash
# A loop: this state leads to itself until it has been here three times. The
# reset that led here threw the conversation away, and each round resets again.
# Data that must survive a round is stored in a file.
set -euo pipefail

file=raymond-tour/rounds.txt
round=0
if [ -f "$file" ]; then round=$(cat "$file"); fi
round=$((round + 1))
echo "$round" >"$file"

if [ "$round" -lt 3 ]; then
  echo "<reset>COUNT</reset>"
else
  echo "<goto>ASK</goto>"
fi
