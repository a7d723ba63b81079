#!/bin/bash
# The result of the first agent, main, is the result of the run: it is all that
# raymond prints to standard output.
set -euo pipefail

# A model wrote the postcards: without < and > no word of theirs can be a tag.
postcard() {
  if [ -f "raymond-tour/postcards/$1.txt" ]; then
    tr -d '<>' <"raymond-tour/postcards/$1.txt"
  else
    echo "(none)"
  fi
}

cat <<END
<result>
That was the tour:
  1_START     a script began it, and a goto led to a prompt
  WELCOME     a prompt chose a secret word; its rules left one way on, so it needed no tag
  REMEMBER    goto kept the conversation: the word was still known
  ASIDE       call branched it: only the result came back
  STRANGER    function began an empty one: the word was not known
  CROSSROADS  two ways on: the model named one; reset threw the conversation away
  COUNT       a script that loops by reset: $(cat raymond-tour/rounds.txt 2>/dev/null || echo 0) rounds
  ASK         ask waited for a person, whose answer the simulation has in its file
  FORK_*      fork started two more agents, and join waited until both had ended:
              north: $(postcard north)
              south: $(postcard south)
  FINISH      result without a caller ends the agent
Next: read the files of this tour beside this list, then docs/authoring.md.
</result>
END
