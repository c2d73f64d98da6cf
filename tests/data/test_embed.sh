#!/bin/sh
# SPDX-License-Identifier: MIT
# embed, the build's lint of data/: a bad file ends it with FILE:LINE on stderr, exit status 1 and no output file; the tables compile.
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

# expect_refused WHAT EXPECTED-STDERR KIND FILE...
expect_refused() {
	what=$1 expected=$2 kind=$3
	shift 3
	"$embed" "$kind" "$dir/out.c" "$@" >"$dir/stdout" 2>"$dir/stderr"
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

usage="usage: embed metrics|counters|gpu|gpu-functions OUT.c FILE..."
expect_refused "no file" "$usage" metrics
expect_refused "no such kind" "$usage" numbers "$dir/none"
for kind in metrics counters; do
	expect_refused "a missing file" "$dir/none: cannot be opened: No such file or directory" "$kind" "$dir/none"
	expect_refused "a folder" "$dir: cannot be read" "$kind" "$dir"
done

metric() {
	printf 'metric %s\nunit u\nformula %s\nabout A.\nsource b\n' "$1" "$2"
}

metric A 'a / b' >"$dir/good.metrics"
metric B 'a b' >"$dir/bad.metrics"
metric A 'c' >"$dir/again.metrics"
printf 'metric c\nunit \303\244"\\\ngroup G\nformula -1.5 * e/x\nabout A??=.\nsource b' >"$dir/odd.metrics"
expect_refused "a bad formula" \
	"$dir/bad.metrics:3: column 3 of the formula 'a b': expected an operator or the end, found the name b" \
	metrics "$dir/good.metrics" "$dir/bad.metrics"
expect_refused "a name twice" "$dir/again.metrics:1: there is a metric A already" metrics "$dir/good.metrics" "$dir/again.metrics"
"$embed" metrics "$dir/out.c" "$dir/odd.metrics" "$dir/good.metrics" || fail "good metrics: exit status $?"
expect_line "good metrics" '{ "c", "\\303\\244\\"\\\\", "G", NULL, "A\\?\\?=.", "b", &formula_at\[0\], 1 },'
expect_line "good metrics" '{ "a / b", &op\[6\], 3, &event\[2\], 2 },'
expect_line "good metrics" '{ (enum nti_op_kind)0, 0, 1.5 },'
expect_line "good metrics" '^static const uint16_t by_name\[\] = { 1, 0, };$'
"$@" -Wall -Wextra -Werror -D_GNU_SOURCE -I"$source" -I"$source/include" -c -o "$dir/out.o" "$dir/out.c" ||
	fail "good metrics: the tables do not compile"

# counters LINE...: an entry of these rows
counters() {
	printf 'source a "book"\ntrust measured\n'
	printf 'counter %s\n' "$@"
}

bad_row=0
# expect_bad_row WHAT EXPECTED ROW
expect_bad_row() {
	bad_row=$((bad_row + 1))
	counters 'good 0 G80 1 SIMPLE - eeeeeec8/aaaa - -' "$3" >"$dir/bad$bad_row.counters"
	expect_refused "$1" "$dir/bad$bad_row.counters:4: $2" counters "$dir/bad$bad_row.counters"
}
expect_bad_row "no mode" "no mode: SIMPEL" 'e 0 G80 1 SIMPEL - eeeeeec8/aaaa - -'
expect_bad_row "a domain" "no domain: 8" 'e 0 G80 8 SIMPLE - eeeeeec8/aaaa - -'
expect_bad_row "a part" "no part: x" 'e x G80 1 SIMPLE - eeeeeec8/aaaa - -'
expect_bad_row "START" "no SRC/OP: 1/2" 'e 0 G80 1 SIMPLE 1/2 eeeeeec8/aaaa - -'
expect_bad_row "EVENT" "no SRC/OP: eeeeeec8" 'e 0 G80 1 SIMPLE - eeeeeec8 - -'
expect_bad_row "OP that is too long" "no SRC/OP: eeeeeec8/123456789" 'e 0 G80 1 SIMPLE - eeeeeec8/123456789 - -'
expect_bad_row "a group" "no group select: g" 'e 0 G80 1 SIMPLE - eeeeeec8/aaaa g -'
expect_bad_row "multiplexers" "no multiplexers: 0x1" 'e 0 G80 1 SIMPLE - eeeeeec8/aaaa - 0x1'
expect_bad_row "a column more" "more than nine columns: more" 'e 0 G80 1 SIMPLE - eeeeeec8/aaaa - - more'
expect_bad_row "a column less" "fewer than nine columns: e" 'e 0 G80 1 SIMPLE - eeeeeec8/aaaa -'
printf 'source s\ntrust maybe\n' >"$dir/trust.counters"
expect_refused "trust" "$dir/trust.counters:2: trust is documented, measured or guessed: maybe" counters "$dir/trust.counters"
printf 'source s\ntrust guessed\n' >"$dir/short.counters"
expect_refused "an entry without rows" \
	"$dir/short.counters:2: the entry of s ends too early: 'trust' is followed by 'counter'" counters "$dir/short.counters"
counters 'one 0 G80,G84 1 SIMPLE - eeeeeec8/aaaa - -' \
	'two 1 G80 3 EVENT_B6 03020100/ffff 0504ee07/fff1 3 0x40be50=0x80000016&0xff' >"$dir/good.counters"
"$embed" counters "$dir/out.c" "$dir/good.counters" "$dir/good.counters" || fail "good counters: exit status $?"
expect_line "good counters" '{ "one", 0, 1, 0, 0, 0, 0x00000000, 0x0000, 0xeeeeeec8, 0xaaaa, 0x0, "G80,G84", "", "a \\"book\\"", "measured" },'
expect_line "good counters" '{ "two", 1, 3, 2, 1, 1, 0x03020100, 0xffff, 0x0504ee07, 0xfff1, 0x3, "G80", "0x40be50=0x80000016&0xff",'
expect_line "good counters" '^const unsigned int nti_known_counter_count = 4;$'
"$@" -Wall -Wextra -Werror -D_GNU_SOURCE -I"$source" -I"$source/include" -c -o "$dir/out.o" "$dir/out.c" ||
	fail "good counters: the tables do not compile"
exit $failed
