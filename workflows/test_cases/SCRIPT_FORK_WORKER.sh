#!/bin/bash
# The worker of SCRIPT_FORK: the attributes of its tag are in its environment.
echo "$RAYMOND_AGENT_ID: $item, $priority" >fork_worker.txt
echo "<result>did $item</result>"
