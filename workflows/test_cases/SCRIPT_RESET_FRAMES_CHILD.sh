#!/bin/bash
# Counts by its input, round by round.
round=$RAYMOND_INPUT
case $round in
  3) echo "<result>$round rounds</result>" ;;
  *) echo "<reset frames=\"keep\" input=\"$((round + 1))\">SCRIPT_RESET_FRAMES_CHILD</reset>" ;;
esac
