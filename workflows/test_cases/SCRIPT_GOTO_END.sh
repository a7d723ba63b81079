#!/bin/bash
# Where SCRIPT_GOTO ends.
echo "<result>went to the end</result>"
