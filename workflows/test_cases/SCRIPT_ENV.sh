#!/bin/bash
# What a script finds in its environment. Try: --input hello --var item=x
echo "this line is not read: <goto>NOWHERE</goto>" >&2
cat <<END
<result>
workflow: $RAYMOND_WORKFLOW_ID
agent: $RAYMOND_AGENT_ID
folder: $RAYMOND_STATE_DIR
file: $RAYMOND_STATE_FILE
attempt: $RAYMOND_ATTEMPT
result: ${RAYMOND_RESULT-(none)}
item: ${item-(none)}
</result>
END
