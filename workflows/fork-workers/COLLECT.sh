#!/bin/bash
# The findings go into a file, whole or not at all (write beside it, then rename):
# there the summary reads them, and a person afterwards.
set -euo pipefail

part="fork-workers/results/.$number.$RAYMOND_AGENT_ID"
{
  printf '# %s\n\n' "$item"
  cat "$RAYMOND_RESULT_FILE"
  echo
} >"$part"
mv "$part" "fork-workers/results/$number.md"
echo "<result>Item $number is done.</result>"
