#!/bin/bash
# Begins a long piece of work, one item of a list after the other.
#
#   raymond workflows/handoff --budget 5
set -euo pipefail

mkdir -p handoff
rm -f handoff/notes.md
echo "<goto>WORK</goto>"
