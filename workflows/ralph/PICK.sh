#!/bin/bash
# Picks the first open item, or ends the run: when no item is open, or after
# $max_rounds rounds (20).
set -euo pipefail

todo=${todo:-TODO.md}
item=
open=0
while IFS= read -r line || [ -n "$line" ]; do
  case $line in
    '- [ ] '*)
      open=$((open + 1))
      if [ -z "$item" ]; then item=${line#'- [ ] '}; fi
      ;;
  esac
done <"$todo"

round=1
if [ -f ralph/round ]; then round=$(($(cat ralph/round) + 1)); fi
if [ "$open" -eq 0 ]; then
  echo "<result>No item of $todo is open, rounds: $((round - 1))</result>"
  exit 0
fi
if [ "$round" -gt "${max_rounds:-20}" ]; then
  echo "<result>Stopped, rounds: $((round - 1)), items still open in $todo: $open</result>"
  exit 0
fi
echo "$round" >ralph/round

# The log of a failed check is for the item that failed, and for no other.
if [ ! -f ralph/item.md ] || [ "$(cat ralph/item.md)" != "$item" ]; then
  rm -f ralph/check.log
fi
printf '%s\n' "$item" >ralph/item.md
# A reset: each round begins with an empty conversation.
echo "<reset>WORK</reset>"
