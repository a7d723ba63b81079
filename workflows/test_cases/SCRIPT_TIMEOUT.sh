#!/bin/bash
# raymond: timeout=1s
# A script that is given one second and takes longer: the agent fails.
sleep 60
echo "<result>too late</result>"
