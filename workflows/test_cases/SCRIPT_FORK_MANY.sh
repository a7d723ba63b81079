#!/bin/bash
# Several forks in one output: all workers begin at once, and one more tag says where
# this agent continues. Each is handed a payload by input, and so is the next state.
for item in north south west; do
  echo "<fork item=\"$item\" input=\"wind from the $item\">SCRIPT_FORK_MANY_WORKER</fork>"
done
echo '<goto input="three were sent">SCRIPT_FORK_MANY_END</goto>'
