#!/bin/sh
# SPDX-License-Identifier: MIT
# Error bars of events that take turns against a known truth, beside perf's scaling: one guest run for each processor, with
# REGIONS regions a family (1000); some 10 minutes of CPU time each.
set -u

failed=0
for guest in ${GUESTS:-x86-nehalem x86-amd arm64}; do
	printf -- '-- %s\n' "$guest"
	printf '%-12s %8s %8s %8s %10s %10s %10s %10s %8s\n' family regions 'held %' 'bounds %' 'error %' 'perf: %' '+- %' 'W %' 'ms'
	status=0
	lab/ntime-lab run "$guest" --timeout 5400 -- /lab/test_bars --table "${REGIONS:-1000}" || status=$?
	case $status in
	0) ;;
	77) echo "not measurable here: the guest $guest cannot be prepared on this machine" ;;
	*) failed=1 ;;
	esac
done
exit $failed
