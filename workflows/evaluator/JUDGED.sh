#!/bin/bash
# The verdict decides, not the model that wrote the draft. The loop is bounded
# by --var max_rounds=N (5).
set -euo pipefail

round=1
if [ -f evaluator/rounds ]; then round=$(($(cat evaluator/rounds) + 1)); fi
echo "$round" >evaluator/rounds
cp "$RAYMOND_RESULT_FILE" evaluator/verdict.md

case $(head -c 3 evaluator/verdict.md) in
  YES)
    echo "<result>Approved, rounds: $round, see evaluator/draft.md</result>"
    ;;
  *)
    if [ "$round" -ge "${max_rounds:-5}" ]; then
      echo "<result>Not approved, rounds: $round, see evaluator/draft.md and evaluator/verdict.md</result>"
    else
      echo "<goto>IMPROVE</goto>"
    fi
    ;;
esac
