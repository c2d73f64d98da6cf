#!/bin/sh
# SPDX-License-Identifier: MIT
# What a read costs in guest instructions, in each method and beside PAPI: one guest run for each processor, bench/lab/cost in it.
set -u

failed=0
for guest in ${GUESTS:-x86-nehalem arm64}; do
	printf -- '-- %s\n' "$guest"
	status=0
	lab/ntime-lab run "$guest" --driver --with papi --timeout 120 -- /lab/cost "$@" || status=$?
	case $status in
	0) ;;
	77) echo "not measurable here: the guest $guest cannot be prepared on this machine" ;;
	*) failed=1 ;;
	esac
done
exit $failed
