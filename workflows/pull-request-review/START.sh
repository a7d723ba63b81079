#!/bin/bash
# Reviews what a branch changes, as a pull request shows it: three agents look at
# it from three sides, and one doubts what they found and writes the review.
#
#   raymond workflows/pull-request-review --var base=main --budget 2
set -euo pipefail

mkdir -p pull-request-review
git diff "${base:-main}...HEAD" >pull-request-review/changes.diff
if [ ! -s pull-request-review/changes.diff ]; then
  echo "<result>There is nothing to review: HEAD changes nothing of ${base:-main}.</result>"
  exit 0
fi

for side in correctness security tests; do
  echo "<fork on_error=\"report\" side=\"$side\">LOOK</fork>"
done
echo "<join>MERGE</join>"
