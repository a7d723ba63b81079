#!/bin/bash
# reset with cd: the next state, and all after it, run in another folder.
mkdir -p elsewhere
echo '<reset cd="elsewhere">SCRIPT_RESET_CD_END</reset>'
