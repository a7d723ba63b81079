#!/bin/bash
# A worker of SCRIPT_FORK_MANY.
echo "<result>$item: $RAYMOND_INPUT</result>"
