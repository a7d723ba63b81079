#!/bin/bash
# Waits for two workers, without a process, and hands over what they gave.
for item in north south; do
  echo "<fork item=\"$item\" input=\"wind from the $item\">SCRIPT_FORK_MANY_WORKER</fork>"
done
echo '<join>SCRIPT_JOIN_END</join>'
