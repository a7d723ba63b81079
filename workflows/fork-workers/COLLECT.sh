#!/bin/bash
# The parent does not wait for a fork and never sees its result. So the findings
# go into a file, whole or not at all (write beside it, then rename), and that
# file is the mark by which WAIT sees that this worker is done.
set -euo pipefail

part="fork-workers/results/.$number.$RAYMOND_AGENT_ID"
{
  printf '# %s\n\n' "$item"
  cat "$RAYMOND_RESULT_FILE"
  echo
} >"$part"
mv "$part" "fork-workers/results/$number.md"
echo "<result>Item $number is done.</result>"
