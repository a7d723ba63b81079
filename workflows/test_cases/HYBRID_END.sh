#!/bin/bash
# The word has come back from the call: what a prompt found out, a script uses.
echo "<result>the model says: $RAYMOND_RESULT</result>"
