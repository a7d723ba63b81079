#!/bin/bash
# Looks for the next message, and pays for a model only when there is one. Looks
# every $interval seconds (2), and ends after $max_empty (3) looks in a row that
# found nothing; both can be given by --var or in the environment.
set -euo pipefail

first_file() {
  local file
  for file in "$1"/*; do
    if [ -f "$file" ]; then
      printf '%s\n' "$file"
      return
    fi
  done
}

# A message that was already taken comes first: an earlier round was cut off.
file=$(first_file inbox/working)
if [ -z "$file" ]; then
  file=$(first_file inbox)
  if [ -n "$file" ]; then mv "$file" inbox/working/; fi
fi

if [ -n "$file" ]; then
  rm -f inbox/.empty
  echo '<function return="FILE_AWAY">PROCESS</function>'
  exit 0
fi

empty=1
if [ -f inbox/.empty ]; then empty=$(($(cat inbox/.empty) + 1)); fi
echo "$empty" >inbox/.empty
if [ "$empty" -ge "${max_empty:-3}" ]; then
  echo "<result>The inbox is empty; messages processed: $(cat inbox/.processed 2>/dev/null || echo 0)</result>"
else
  sleep "${interval:-2}"
  # A reset, so that the conversations of earlier messages do not pile up.
  echo "<reset>POLL</reset>"
fi
