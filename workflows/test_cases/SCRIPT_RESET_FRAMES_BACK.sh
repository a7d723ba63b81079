#!/bin/bash
# Where SCRIPT_RESET_FRAMES goes on.
echo "<result>back after $RAYMOND_RESULT</result>"
