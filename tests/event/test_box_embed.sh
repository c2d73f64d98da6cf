#!/bin/sh
# SPDX-License-Identifier: MIT
# box-events-embed, the build's lint: a bad file ends it with FILE:LINE on stderr, exit status 1 and no output file; the tables compile.
# Usage: test_box_embed.sh PATH-OF-box-events-embed SOURCE-FOLDER COMPILER...
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

box() {
	printf 'kind %s\npmu p\nterm event config:0-7\nsource s\n' "$1"
}

{
	box 'one two'
	printf '\nevent e-1\nterms event=0x12\nscale 0.5\nunit a "b\\"\nstate min\nabout A??=.\nsource s\n'
} >"$dir/good.events"
box none >"$dir/empty.events"
{
	box bad
	printf '\nevent e\nterms evnt=1\n'
} >"$dir/bad.events"

expect_refused "a bad file" "$dir/bad.events:7: there is no term \"evnt\" of config" "$dir/good.events" "$dir/bad.events"
expect_refused "a kind twice" "$dir/good.events:1: there is a kind one already" "$dir/good.events" "$dir/good.events"
expect_refused "a missing file" "$dir/none: cannot be opened: No such file or directory" "$dir/none"
expect_refused "a folder" "$dir: cannot be read" "$dir"
expect_refused "no file" "usage: box-events-embed OUT.c FILE..."

"$embed" "$dir/out.c" "$dir/good.events" "$dir/empty.events" || fail "good files: exit status $?"
grep -q '"e-1", "event=0x12", "a \\"b\\\\\\"", "A\\?\\?=.", "s", 0.5, 0x12u, 1, NTI_MIN' "$dir/out.c" ||
	fail "good files: the event is not as it should be: $(cat "$dir/out.c")"
grep -q '{ "two", "p", one_terms, 1, one_events, 1 }' "$dir/out.c" || fail "good files: the second kind lacks the first one's text"
"$@" -Wall -Wextra -Werror -D_GNU_SOURCE -I"$source" -I"$source/include" -c -o "$dir/out.o" "$dir/out.c" ||
	fail "good files: the tables do not compile"
exit $failed
