#!/bin/bash
# What all agents have changed.
set -euo pipefail

cat parallel-worktrees/notes/*.md | raymond tag result -
