#!/bin/bash
# The next state of SCRIPT_RESET_FRAMES.
echo "<result>back after $RAYMOND_RESULT</result>"
