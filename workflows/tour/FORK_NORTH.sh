#!/bin/bash
# fork: a second agent starts at POSTMAN, with an empty conversation and with
# item="north" as its own, and this one goes on at FORK_SOUTH at once.
set -euo pipefail

echo '<fork next="FORK_SOUTH" item="north">POSTMAN</fork>'
