#!/bin/bash
# The answer is one of the options.
set -euo pipefail

if [ "$RAYMOND_INPUT" = yes ]; then
  echo "<goto>DO</goto>"
else
  echo "<goto>REST</goto>"
fi
