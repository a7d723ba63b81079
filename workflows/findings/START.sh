#!/bin/bash
# Puts the question where every later state finds it.
#
#   raymond workflows/findings --input "Where are errors ignored?"
set -euo pipefail

mkdir -p findings
cp "$RAYMOND_RESULT_FILE" findings/question.md
echo '<function return="REPORT">FIND</function>'
