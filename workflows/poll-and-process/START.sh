#!/bin/bash
# Prepares the folders. A message is a file in inbox/, in the folder raymond was
# launched from; it goes through inbox/working/ to inbox/done/.
#
#   raymond workflows/poll-and-process --var interval=60 --var max_empty=100
set -euo pipefail

mkdir -p inbox/working inbox/done
rm -f inbox/.empty inbox/.processed
echo "<goto>POLL</goto>"
