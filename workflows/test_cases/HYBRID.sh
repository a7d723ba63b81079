#!/bin/bash
# A script, a prompt, a script. This one counts and costs nothing; the prompt
# learns the number from a file, because scripts are invisible to it.
ls -A | wc -l | tr -d ' ' >hybrid_count.txt
echo "<goto>HYBRID_PROMPT</goto>"
