#!/bin/bash
# call: a subroutine. Its conversation branches off the caller's (a script has none
# to branch, so the child begins a fresh one); its result comes back to the state
# that return names.
echo '<call return="SCRIPT_CALL_BACK">SCRIPT_CALL_CHILD</call>'
