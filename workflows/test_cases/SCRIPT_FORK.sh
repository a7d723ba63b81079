#!/bin/bash
# fork: a second agent begins at SCRIPT_FORK_WORKER with its own attributes, and
# this one continues at SCRIPT_FORK_NEXT without waiting for it.
echo '<fork next="SCRIPT_FORK_NEXT" item="issue-7" priority="high">SCRIPT_FORK_WORKER</fork>'
