#!/bin/bash
# The tests cannot know whether it is what was meant: a person says that. No
# process waits for the answer; `raymond answer keep --resume` continues.
set -euo pipefail

# A model wrote the summary: without < and > no word of it can be a tag.
tr -d '<>' <"$RAYMOND_RESULT_FILE" >gate/summary.md
cat <<END
<ask next="DECIDE" options="keep|fix">
$(cat gate/summary.md)

The tests have passed. Keep it?
</ask>
END
