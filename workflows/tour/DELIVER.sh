#!/bin/bash
# What the function returned is in $RAYMOND_RESULT, and whole, however long, in
# the file $RAYMOND_RESULT_FILE. Nobody called this worker, so its own result
# ends it, and whoever joins it gets that. The postcard itself stays on the disk.
set -euo pipefail

cp "$RAYMOND_RESULT_FILE" "raymond-tour/postcards/.$item.part"
mv "raymond-tour/postcards/.$item.part" "raymond-tour/postcards/$item.txt"
echo "<result>The postcard from the $item is delivered.</result>"
