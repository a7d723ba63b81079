#!/bin/bash
# What SCRIPT_CALL calls.
echo "<result>hello from the child</result>"
