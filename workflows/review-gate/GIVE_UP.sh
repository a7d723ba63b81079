#!/bin/bash
# Four times the tests did not pass: what they printed last is the result of
# the gate, and a person should look at it.
set -euo pipefail

cp "$RAYMOND_RESULT_FILE" gate/failed.log
echo "<result>The tests still fail, see gate/failed.log</result>"
