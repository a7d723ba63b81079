#!/bin/bash
# The same again, and now three agents are at work. join: this one waits until
# the two workers have ended. No process is kept for that, and FINISH gets what
# they gave.
set -euo pipefail

echo '<fork item="south">POSTMAN</fork><join>FINISH</join>'
