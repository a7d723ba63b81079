#!/bin/bash
# "while :; do cat PROMPT.md | claude; done", with a new conversation
# for each item, a list that only a script updates, a check by a script, a stop
# condition and a budget:
#
#   raymond workflows/ralph --budget 5 --var check="npm test" --var max_rounds=30
#
# The list is TODO.md (or --var todo=FILE), one "- [ ] item" a line.
set -euo pipefail

if [ ! -f "${todo:-TODO.md}" ]; then
  echo "There is no ${todo:-TODO.md} here: write it, one '- [ ] item' a line." >&2
  exit 1
fi
mkdir -p ralph
rm -f ralph/round ralph/item.md ralph/check.log
echo "<goto>PICK</goto>"
