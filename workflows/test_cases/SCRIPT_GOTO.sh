#!/bin/bash
# goto: on to another state. It is not named with its extension, so the same line
# serves Unix and Windows.
echo "<goto>SCRIPT_GOTO_END</goto>"
