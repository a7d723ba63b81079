#!/bin/bash
# All have ended. What they said is one JSON array, an entry for each of them in
# the order in which they were started; it may be long, so it comes as a file.
set -euo pipefail

cp "$RAYMOND_RESULT_FILE" map-and-merge/answers.json
echo "<goto>SUMMARIZE</goto>"
