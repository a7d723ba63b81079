#!/bin/bash
# One worker: $number and $item are the attributes of its fork, and stay its own
# through all its states. A line that is done already is not paid for twice.
set -euo pipefail

if [ -f "fork-workers/results/$number.md" ]; then
  echo "<result>Item $number was done already.</result>"
else
  echo '<function return="COLLECT">WORK</function>'
fi
