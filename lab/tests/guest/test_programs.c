// SPDX-License-Identifier: MIT
/*
 * Real programs of Debian's, counted by the PMU and one instruction at a time, in the same guest
 * under the same kernel. Each runs freely from one system call to the next, and the counter is read
 * at each; then the longest stretch between two of its calls that is not longer than the limit is
 * walked through by single steps. The two must be equal, to the instruction.
 *
 *     test_programs [LIMIT]    so many single steps of each program at most; all of it if it is as
 *                              short
 *
 * One difference is known, and computed: a string instruction with a REP prefix is one instruction
 * of a processor; QEMU's instruction clock, from which the emulated counters are made, counts each
 * of its rounds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tests/tt.h"

#include "guest.h"
#include "walk.h"

#define LIMIT 3000
/*
 * The vDSO reads the clock anew where the kernel updated it meanwhile: 31 instructions each time,
 * and single steps leave much time for it. A walk that had such a round is made again.
 */
#define WALKS 4
#define PROGRAMS "/programs/"
#define WORDS 8
/* Of the text that the programs work on. */
#define LINES 300

static uint64_t limit = LIMIT;

static const struct program_row {
	int line;
	const char *argv[WORDS + 1];
} program_rows[] = {
	{ __LINE__, { "gzip", "-c", "/tmp/text" } },
	{ __LINE__, { "bzip2", "-c", "/tmp/text" } },
	{ __LINE__, { "xz", "-c", "-T1", "-0", "/tmp/text" } },
	{ __LINE__, { "zstd", "-c", "--single-thread", "/tmp/text" } },
	{ __LINE__,
	  { "sqlite3", ":memory:",
	    "create table t(a,b); insert into t values(3,4),(1,2); select sum(a*b) from t "
	    "order by a;" } },
	{ __LINE__,
	  { "python3.11", "-S", "-E", "-B", "-c", "print(sum(i * i for i in range(1000)))" } },
	{ __LINE__, { "perl", "-e", "$s += $_ * $_ for 1 .. 1000; print \"$s\\n\"" } },
	{ __LINE__,
	  { "cc1", "-quiet", "-fpreprocessed", "-O2", "-o", "/tmp/out.s", "/tmp/source.c" } },
	{ __LINE__, { "sed", "-e", "s/a\\(.\\)/\\1a/g", "/tmp/text" } },
	{ __LINE__, { "mawk", "{ n[$1] += NF } END { for (k in n) print k, n[k] }", "/tmp/text" } },
	{ __LINE__, { "grep", "-E", "(ab|cd)+e", "/tmp/text" } },
	{ __LINE__, { "sort", "--parallel=1", "/tmp/text" } },
	{ __LINE__, { "md5sum", "/tmp/text" } },
	{ __LINE__, { "sha256sum", "/tmp/text" } },
	{ __LINE__, { "dd", "if=/tmp/text", "of=/dev/null", "bs=64", "status=none" } },
	{ __LINE__, { "tar", "-c", "-f", "/tmp/out.tar", "/tmp/text", "/tmp/source.c" } },
	{ __LINE__, { "bc", "/tmp/sums" } },
	{ __LINE__, { "find", "/programs", "-name", "*z*" } },
	{ __LINE__, { "openssl", "dgst", "-sha512", "/tmp/text" } },
	{ __LINE__, { "jq", "-n", "[range(50)] | map(. * .) | add" } },
};

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	TT_IS(f && fputs(text, f) != EOF && fclose(f) == 0, 1);
}

/* Words that are the same each time. */
static void write_text(const char *path)
{
	uint32_t state = 1;
	FILE *f = fopen(path, "we");

	TT_IS(f != NULL, 1);
	for (int i = 0; i < LINES * 5; i++) {
		for (int k = 0; k < 3 + i % 4; k++) {
			state = state * 1664525 + 1013904223;
			(void)fputc('a' + (int)(state >> 24) % 6, f);
		}
		(void)fputc(i % 5 == 4 ? '\n' : ' ', f);
	}
	TT_IS(fclose(f), 0);
}

static void write_inputs(void)
{
	write_text("/tmp/text");
	write_file("/tmp/sums", "define f(n) { if (n < 2) return n; return f(n-1) + f(n-2) }\n"
				"f(10)\n2^200\nquit\n");
	write_file("/tmp/source.c",
		   "int f(const int *a, int n)\n"
		   "{\n\tint s = 0;\n\n\tfor (int i = 0; i < n; i++)\n\t\ts += a[i] * a[i];\n"
		   "\treturn s;\n}\n");
}

/* The longest stretch from call to call that the limit allows; false: none. */
static bool find_stretch(const struct lab_calls *c, size_t *from, size_t *to)
{
	uint64_t best = 0;

	for (size_t i = 0, k = 0; i < c->n; i++) {
		k = k < i ? i : k;
		while (k < c->n && c->count[k + 1] - c->count[i] <= limit)
			k++;
		if (c->count[k] - c->count[i] > best) {
			best = c->count[k] - c->count[i];
			*from = i;
			*to = k;
		}
	}
	return best > 0;
}

/* Walk until it is as long as what was counted. The difference that is left. */
static int64_t walk_until_equal(const struct program_row *r, char *const argv[], size_t from,
				size_t to, uint64_t counted, struct lab_walk *walk)
{
	int64_t off = -1;

	for (int i = 0; i < WALKS && off; i++) {
		int ret = lab_walk(argv, from, to, walk);

		if (ret == -ENOTSUP)
			TT_SKIP("this kernel cannot step through programs of this processor");
		TT_EQ(r, ret, 0);
		off = (int64_t)(counted - walk->steps - walk->repeats);
		if (off)
			print_message("# %s: a walk differs by %" PRId64 "\n", r->argv[0], off);
	}
	return off;
}

static void compare(const struct program_row *r)
{
	struct lab_calls calls;
	struct lab_walk walk;
	char path[64], *argv[WORDS + 1] = { path };
	size_t from = 0, to = 0;
	uint64_t counted;
	int64_t off;

	snprintf(path, sizeof(path), PROGRAMS "%s", r->argv[0]);
	for (int i = 1; r->argv[i]; i++)
		argv[i] = (char *)(uintptr_t)r->argv[i];
	TT_EQ(r, lab_count_calls(argv, &calls), 0);
	if (!find_stretch(&calls, &from, &to))
		fail_msg("%s: no stretch between two calls has less than %" PRIu64 " instructions",
			 r->argv[0], limit);
	counted = calls.count[to] - calls.count[from];
	off = walk_until_equal(r, argv, from, to, counted, &walk);
	print_message("# | %s | %" PRIu64 " | %zu to %zu of %zu | %" PRIu64 " | %" PRIu64
		      " | %" PRIu64 " | %" PRIu64 " | %" PRId64 " |\n",
		      r->argv[0], calls.count[calls.n], from, to, calls.n, counted, walk.steps,
		      walk.repeats, walk.sequences, off);
	free(calls.count);
	TT_EQ(r, off, 0);
}

TEST(programs_count_what_single_steps_do)
{
	if (access(PROGRAMS "gzip", X_OK) < 0)
		TT_SKIP("the programs are not in this guest (--with programs)");
	write_inputs();
	print_message("# | program | instructions | calls | PMU | single steps | rounds of REP | "
		      "exclusive sequences | difference |\n");
	TT_FOR_EACH_ROW(r, program_rows)
		compare(r);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_count_what_single_steps_do),
	};

	if (argc > 1)
		limit = strtoull(argv[1], NULL, 10);
	if (!limit) {
		fprintf(stderr, "test_programs [LIMIT]\n");
		return 2;
	}
	return LAB_RUN(tests);
}
