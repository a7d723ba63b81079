#!/bin/bash
# Watches over something every night, or in any other rhythm, for months if need
# be: between two looks nothing runs, and raymond may be killed and resumed.
# Here it is a file: incidents.log in the folder raymond was launched from. Put
# into LOOK what your own night should look at.
#
#   raymond workflows/nightly --var every=24h --var looks=30
set -euo pipefail

mkdir -p nightly/reports
rm -f nightly/looks nightly/incidents.txt nightly/reports/*
echo "<goto>LOOK</goto>"
