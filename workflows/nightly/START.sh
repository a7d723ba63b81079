#!/bin/bash
# Watches over something every night, or in any other rhythm, for months if need
# be: between two looks raymond waits, or exits with --park, and may be killed.
# Here it is a file: incidents.log in the folder raymond was launched from. Put
# into LOOK what your own night should look at.
#
#   raymond workflows/nightly --var every=24h --var looks=30 --park
#   raymond resume --due        (from a timer, such as cron)
set -euo pipefail

mkdir -p nightly/reports
rm -f nightly/looks nightly/incidents.txt nightly/reports/*
echo "<goto>LOOK</goto>"
