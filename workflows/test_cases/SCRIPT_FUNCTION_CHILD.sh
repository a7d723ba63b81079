#!/bin/bash
# What SCRIPT_FUNCTION calls.
echo "<result>hello from the child</result>"
