#!/bin/bash
# A worker. Its attribute is in the environment: $item is "north" or "south".
# A script may use any tag: this function asks a prompt, and its answer goes to
# DELIVER.
set -euo pipefail

echo "asking for a postcard from the $item" >&2
echo '<function return="DELIVER">POSTCARD</function>'
