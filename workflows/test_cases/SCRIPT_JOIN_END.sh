#!/bin/bash
# Where SCRIPT_JOIN goes on: the results of its workers are a JSON array in a file.
echo "<result>$(cat "$RAYMOND_RESULT_FILE")</result>"
