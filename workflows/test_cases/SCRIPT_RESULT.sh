#!/bin/bash
# result: ends the agent, because it was not called. The payload may have many lines
# and hold anything but its own closing tag; the other output is not part of it.
echo "this line is only for the debug files"
cat <<'END'
<result>
the first line
  the second, with its blanks kept & <b>signs</b> of all kinds
</result>
END
