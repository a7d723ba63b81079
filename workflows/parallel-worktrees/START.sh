#!/bin/bash
# One agent for each task, each in a git worktree and on a branch of its own. The
# branches are merged one after the other, and a prompt resolves conflicts.
#
#   raymond workflows/parallel-worktrees --worktree --input "$(cat tasks.txt)"
set -euo pipefail

mkdir -p parallel-worktrees
if [ -n "${RAYMOND_INPUT_FILE:-}" ]; then
  cp "$RAYMOND_INPUT_FILE" parallel-worktrees/tasks.txt
else
  # Ten examples. Each is one line.
  for part in users install start tests errors docs speed security upkeep names; do
    echo "Improve one thing about $part."
  done >parallel-worktrees/tasks.txt
fi
raymond tag fork WORK --worktree true --task-lines parallel-worktrees/tasks.txt
echo "<join>MERGE</join>"
