#!/bin/bash
# Keeps what the model made of it, and waits for the next look.
set -euo pipefail

cp "$RAYMOND_RESULT_FILE" "nightly/reports/$(cat nightly/looks).md"
rm -f nightly/incidents.txt
raymond tag reset LOOK --delay "${every:-24h}"
