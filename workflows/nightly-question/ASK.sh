#!/bin/bash
# The person reads the proposal in the question. Silence is no yes: after twelve
# hours the night is over.
set -euo pipefail

cat <<END
<ask next="DECIDE" options="yes|no" timeout="12h" timeout_next="REST">
$(cat nightly-question/proposal.md 2>/dev/null || true)
Do you want it done?
</ask>
END
