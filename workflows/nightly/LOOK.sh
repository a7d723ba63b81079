#!/bin/bash
# One look: what is new goes to the model, and where nothing is, the agent waits
# for the next one. After $looks (7) looks it is over; $every (24h) is the time
# between two.
set -euo pipefail

look=1
if [ -f nightly/looks ]; then look=$(($(cat nightly/looks) + 1)); fi
# A step that raymond could not finish is run again: it is the same look.
if [ "${RAYMOND_ATTEMPT:-1}" -gt 1 ] && [ "$look" -gt 1 ]; then look=$((look - 1)); fi
echo "$look" >nightly/looks

if [ "$look" -gt "${looks:-7}" ]; then
  found=$(find nightly/reports -name '*.md' | wc -l)
  echo "<result>Looks: $((look - 1)), reports: $((found)).</result>"
elif [ -s nightly/incidents.txt ] || [ -s incidents.log ]; then
  # What was taken already comes first: an earlier look was cut off.
  if [ ! -s nightly/incidents.txt ]; then mv incidents.log nightly/incidents.txt; fi
  echo '<function return="REPORT">EXPLAIN</function>'
else
  raymond tag reset LOOK --delay "${every:-24h}"
fi
