#!/bin/bash
# What the person has answered: one of the options. What is to be fixed only
# they know, so that is a question without options.
set -euo pipefail

if [ "$RAYMOND_INPUT" = keep ]; then
  echo "<result>$(cat gate/summary.md)</result>"
else
  echo '<ask next="FIX">What is to be fixed?</ask>'
fi
