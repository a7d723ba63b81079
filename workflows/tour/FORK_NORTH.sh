#!/bin/bash
# fork: a second agent starts at POSTMAN, with an empty conversation and with
# item="north" as its own, and this one continues at FORK_SOUTH at once.
set -euo pipefail

# What the person has answered.
if [ "$RAYMOND_INPUT" = no ]; then
  echo "<goto>FINISH</goto>"
  exit
fi
echo '<fork next="FORK_SOUTH" item="north">POSTMAN</fork>'
