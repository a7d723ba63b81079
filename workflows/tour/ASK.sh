#!/bin/bash
# ask: a person decides, and it costs nothing to wait for that: no process does.
# FORK_NORTH gets the answer. A simulation has it in its file.
set -euo pipefail

echo '<ask next="FORK_NORTH" options="yes|no">Should two postcards be written?</ask>'
