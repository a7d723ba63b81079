#!/bin/bash
# Says whether the work went through more than one conversation.
set -euo pipefail

if [ -f handoff/notes.md ]; then
  echo "<result>All is done, handed over on the way</result>"
else
  echo "<result>All is done</result>"
fi
