#!/bin/bash
# One worker for each line of a file: items.txt in the folder raymond was
# launched from, or another with --var items=FILE. Blank lines and lines that
# begin with # are left out.
#
#   raymond workflows/fork-workers --var items=issues.txt --max-parallel 4 --budget 5
set -euo pipefail

items=${items:-items.txt}
if [ ! -f "$items" ]; then
  echo "There is no $items here: write it, one item a line, or name another with --var items=FILE." >&2
  exit 1
fi

mkdir -p fork-workers/results
rm -f fork-workers/results/* fork-workers/summary.md
while IFS= read -r line || [ -n "$line" ]; do
  line=${line%$'\r'}
  case $line in
    *[![:blank:]]*) ;;
    *) continue ;;
  esac
  case $line in
    '#'*) continue ;;
  esac
  printf '%s\n' "$line"
done <"$items" >fork-workers/queue
echo 1 >fork-workers/next

if [ -s fork-workers/queue ]; then
  echo "<goto>DISPATCH</goto>"
else
  echo "<result>There was nothing to do: $items holds no items.</result>"
fi
