#!/bin/bash
# A question that the simulation answers; the script that it leads to gets the
# option as it is written here.
set -euo pipefail

echo '<ask next="SCRIPT_ASK_END" options="Yes|no">Continue?</ask>'
