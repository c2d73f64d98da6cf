#!/bin/sh
# SPDX-License-Identifier: MIT
# Run by scripts/bench.
exec python3 "$(dirname "$0")/emulator.py"
