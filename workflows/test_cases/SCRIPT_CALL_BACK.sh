#!/bin/bash
# The next state of SCRIPT_CALL: the payload is in the environment, and in a file.
[ "$(cat "$RAYMOND_RESULT_FILE")" = "$RAYMOND_RESULT" ] || exit 1
echo "<result>the child said: $RAYMOND_RESULT</result>"
