#!/bin/sh
# SPDX-License-Identifier: MIT
# embed, the build's lint of count/data/metrics: a bad file ends it with FILE:LINE on stderr, exit status 1 and no output file; the tables compile.
# Usage: test_embed.sh PATH-OF-embed SOURCE-FOLDER COMPILER...
set -u
embed=$1 source=$2
shift 2
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

# expect_line WHAT LINE, a pattern of grep's, in out.c
expect_line() {
	grep -q -- "$2" "$dir/out.c" || fail "$1: no line like \"$2\" in $(cat "$dir/out.c")"
}

expect_refused "no file" "usage: embed OUT.c FILE..."
expect_refused "a missing file" "$dir/none: cannot be opened: No such file or directory" "$dir/none"
expect_refused "a folder" "$dir: cannot be read" "$dir"

metric() {
	printf 'metric %s\nunit u\nformula %s\nabout A.\nsource b\n' "$1" "$2"
}

metric A 'a / b' >"$dir/good.metrics"
metric B 'a b' >"$dir/bad.metrics"
metric A 'c' >"$dir/again.metrics"
printf 'metric c\nunit \303\244"\\\ngroup G\nformula -1.5 * e/x\nabout A??=.\nsource b' >"$dir/odd.metrics"
expect_refused "a bad formula" \
	"$dir/bad.metrics:3: column 3 of the formula 'a b': expected an operator or the end, found the name b" \
	"$dir/good.metrics" "$dir/bad.metrics"
expect_refused "a name twice" "$dir/again.metrics:1: there is a metric A already" "$dir/good.metrics" "$dir/again.metrics"
"$embed" "$dir/out.c" "$dir/odd.metrics" "$dir/good.metrics" || fail "good metrics: exit status $?"
expect_line "good metrics" '{ "c", "\\303\\244\\"\\\\", "G", NULL, "A\\?\\?=.", "b", &formula_at\[0\], 1 },'
expect_line "good metrics" '{ "a / b", &op\[6\], 3, &event\[2\], 2 },'
expect_line "good metrics" '{ (enum nti_op_kind)0, 0, 1.5 },'
expect_line "good metrics" '^static const uint16_t by_name\[\] = { 1, 0, };$'
"$@" -Wall -Wextra -Werror -D_GNU_SOURCE -I"$source" -I"$source/include" -c -o "$dir/out.o" "$dir/out.c" ||
	fail "good metrics: the tables do not compile"

exit $failed
