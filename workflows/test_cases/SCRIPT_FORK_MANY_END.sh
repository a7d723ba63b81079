#!/bin/bash
# The next state of SCRIPT_FORK_MANY: what the goto gave is in the environment.
echo "<result>$RAYMOND_INPUT</result>"
