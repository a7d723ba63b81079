#!/bin/bash
# The next state of SCRIPT_JOIN: the results of its workers are a JSON array in a file.
echo "<result>$(cat "$RAYMOND_RESULT_FILE")</result>"
