#!/bin/bash
# The same again. From here on three agents are at work: this one goes on at
# WAIT, because nobody waits for a worker unless it is told to.
set -euo pipefail

echo '<fork next="WAIT" item="south">POSTMAN</fork>'
