#!/bin/bash
# fork with cd: the worker runs in another folder, the parent stays.
mkdir -p elsewhere
echo '<fork next="SCRIPT_FORK_NEXT" cd="elsewhere" item="issue-8" priority="low">SCRIPT_FORK_WORKER</fork>'
