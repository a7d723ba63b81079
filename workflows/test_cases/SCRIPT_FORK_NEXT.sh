#!/bin/bash
# Where the parent of SCRIPT_FORK goes on: the attributes are not its own.
echo "<result>parent went on${item:+ with $item}</result>"
