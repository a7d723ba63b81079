#!/bin/bash
# Every night it looks for one thing that should be done, asks a person whether
# to do it, and does it when the answer is yes. You can be asleep: a question
# waits without a process, and is over when the time for it is.
#
#   raymond workflows/nightly-question --var every=24h --var nights=30
#
# The question is answered by: raymond answer yes --resume
set -euo pipefail

mkdir -p nightly-question
rm -f nightly-question/proposal.md
echo 1 >nightly-question/night
echo "<goto>LOOK</goto>"
