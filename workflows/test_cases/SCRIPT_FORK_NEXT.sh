#!/bin/bash
# The next state of the parent of SCRIPT_FORK: the attributes are not its own.
echo "<result>parent continued${item:+ with $item}</result>"
