#!/bin/bash
# Where SCRIPT_RESET_CD ends.
echo "<result>in $(basename "$PWD")</result>"
