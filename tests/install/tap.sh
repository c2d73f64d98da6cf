# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# TAP for the scripts of this folder. $log: where the command that runs now writes.
number=0
failures=0
log=${log:?"say where commands write"}

ok() {
	number=$((number + 1))
	echo "ok $number - $*"
}

not_ok() {
	number=$((number + 1))
	failures=$((failures + 1))
	# What the command that failed had to say.
	sed 's/^/# /' "$log"
	echo "not ok $number - $*"
}

# skip WHAT REASON
skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# attempt WHAT COMMAND...: one test that passes when the command does.
attempt() {
	what=$1
	shift
	if "$@" >"$log" 2>&1 </dev/null; then
		ok "$what"
	else
		not_ok "$what"
		return 1
	fi
}

finish() {
	echo "1..$number"
	exit $((failures > 0))
}
