#!/bin/sh
# SPDX-License-Identifier: MIT
# metric-embed, the build's lint: a bad file ends it with FILE:LINE on stderr, exit status 1 and no output file.
# Usage: test_embed.sh PATH-OF-metric-embed
set -u
embed=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

fail() {
	echo "FAILED: $*" >&2
	failed=1
}

# expect_refused WHAT EXPECTED-STDERR FILE...
expect_refused() {
	what=$1 expected=$2
	shift 2
	"$embed" "$dir/out.c" "$@" >"$dir/stdout" 2>"$dir/stderr"
	status=$?
	[ $status -eq 1 ] || fail "$what: exit status $status, expected 1"
	[ "$(cat "$dir/stderr")" = "$expected" ] ||
		fail "$what: stderr is \"$(cat "$dir/stderr")\", expected \"$expected\""
	[ ! -s "$dir/stdout" ] || fail "$what: something on stdout"
	[ ! -e "$dir/out.c" ] || fail "$what: out.c is left behind"
	rm -f "$dir/out.c"
}

entry() {
	printf 'metric %s\nunit u\nformula %s\nabout A.\nsource b\n' "$1" "$2"
}

entry A 'a / b' >"$dir/good.metrics"
entry B 'a b' >"$dir/bad.metrics"
entry A 'c' >"$dir/again.metrics"
printf 'metric C\nunit \303\244"\\\nformula a\nabout A??=.\nsource b' >"$dir/odd.metrics"

expect_refused "a bad formula" \
	"$dir/bad.metrics:3: column 3 of the formula \`a b\`: expected an operator or the end, found the name b" \
	"$dir/good.metrics" "$dir/bad.metrics"
expect_refused "a name twice" "$dir/again.metrics:1: there is a metric A already" \
	"$dir/good.metrics" "$dir/again.metrics"
expect_refused "a missing file" "$dir/none: cannot be opened: No such file or directory" "$dir/none"
expect_refused "a folder" "$dir: cannot be read" "$dir"
expect_refused "no file" "usage: metric-embed OUT.c FILE..."

"$embed" "$dir/out.c" "$dir/good.metrics" "$dir/odd.metrics" || fail "good files: exit status $?"
grep -q '^		"good.metrics",$' "$dir/out.c" || fail "good files: no entry of good.metrics"
grep -q '^		"unit \\303\\244\\"\\\\\\n"$' "$dir/out.c" || fail "good files: characters are not escaped"
grep -q '^		"about A\\?\\?=\.\\n"$' "$dir/out.c" || fail "good files: question marks are not escaped"
exit $failed
