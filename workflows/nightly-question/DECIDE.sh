#!/bin/bash
# The answer is one of the options.
set -euo pipefail

if [ "$RAYMOND_INPUT" = yes ]; then
  echo "<reset>DO</reset>"
else
  echo "<goto>REST</goto>"
fi
