#!/bin/bash
# A file for each agent: such notes never conflict.
set -euo pipefail

mkdir -p parallel-worktrees/notes
printf -- '- %s %s\n' "$task" "$(cat "$RAYMOND_INPUT_FILE")" \
  >"parallel-worktrees/notes/$RAYMOND_AGENT_ID.md"
echo "<result>done</result>"
