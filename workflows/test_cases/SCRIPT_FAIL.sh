#!/bin/bash
# A script that fails: the agent fails, and the message shows the last lines of
# standard error.
echo "the disk is on fire" >&2
exit 3
