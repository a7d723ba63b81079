#!/bin/bash
# Marks the item as one that needs a person: "- [!]". The loop continues with the
# others.
set -euo pipefail

source "$RAYMOND_STATE_DIR/mark.bash"
mark '!'
echo "<reset>PICK</reset>"
