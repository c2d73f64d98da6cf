#!/bin/sh
# SPDX-License-Identifier: MIT
# What ntime watch costs beside perf stat -I: on this machine, and with a core PMU too where there is one. In a guest:
# lab/ntime-lab run x86-2s --with perf -- /lab/watch hardware
set -eu

"$BUILD/bench/watch" software "$@"
if perf stat -a -e instructions true 2>&1 | grep -q '[0-9] *instructions'; then
	"$BUILD/bench/watch" hardware "$@"
else
	echo "there is no core PMU here: lab/ntime-lab run x86-2s --with perf -- /lab/watch hardware"
fi
