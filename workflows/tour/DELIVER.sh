#!/bin/bash
# What the function returned is in $RAYMOND_RESULT, and whole, however long, in
# the file $RAYMOND_RESULT_FILE. This worker was not called, so its result
# ends it, and the join receives it. The postcard itself stays on the disk.
set -euo pipefail

cp "$RAYMOND_RESULT_FILE" "raymond-tour/postcards/.$item.part"
mv "raymond-tour/postcards/.$item.part" "raymond-tour/postcards/$item.txt"
echo "<result>The postcard from the $item is delivered.</result>"
