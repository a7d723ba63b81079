#!/bin/bash
set -euo pipefail

echo "<result>the person said $RAYMOND_INPUT</result>"
