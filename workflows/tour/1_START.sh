#!/bin/bash
# The tour begins in a script: it costs nothing and needs no model.
# It writes to raymond-tour/ in the launch folder.
set -euo pipefail

mkdir -p raymond-tour/postcards
rm -f raymond-tour/*.txt raymond-tour/postcards/*.txt

# goto: on to the next state, in the same conversation (there is none yet, so
# WELCOME begins one). WELCOME is a bare name: raymond finds WELCOME.md.
echo "<goto>WELCOME</goto>"
