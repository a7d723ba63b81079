#!/bin/bash
# The night is over. The next one begins with an empty conversation, and $nights
# (7) of them are enough; $every (24h) is the time between two.
set -euo pipefail

night=$(cat nightly-question/night)
rm -f nightly-question/proposal.md
if [ "$night" -ge "${nights:-7}" ]; then
  echo "<result>Nights: $night.</result>"
else
  # A step that raymond could not finish is run again: it is the same night.
  if [ "${RAYMOND_ATTEMPT:-1}" -le 1 ]; then echo $((night + 1)) >nightly-question/night; fi
  raymond tag reset LOOK --delay "${every:-24h}"
fi
