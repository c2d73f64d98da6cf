/* SPDX-License-Identifier: MIT */
/*
 * Test helpers on top of cmocka: tables of rows whose failures name the row's own line.
 *
 *     static const struct row { int line; const char *in; int out; } rows[] = { { __LINE__, "a", 1
 *     }, ... }; TEST(parses)
 *     {
 *             TT_FOR_EACH_ROW(r, rows)
 *                     TT_EQ(r, parse(r->in), r->out);
 *     }
 *     int main(void) { const struct CMUnitTest tests[] = { cmocka_unit_test(parses) }; return
 *     TT_RUN(tests); }
 *
 * A program exits 0 when all pass, 1 when one fails, 77 when it cannot run here (say why with
 * tt_skip_all()).
 */
#ifndef TT_H
#define TT_H

#include <errno.h>
#include <linux/perf_event.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#define TEST(name) static void name(void **state __attribute__((unused)))

#define TT_FOR_EACH_ROW(r, rows)                                                                   \
	for (__typeof__(&(rows)[0]) r = (rows); r < (rows) + sizeof(rows) / sizeof((rows)[0]); r++)

/* @r is a row with a .line; integers of any kind are compared as 64 bits. */
#define TT_EQ(r, got, want) tt_eq_((long long)(got), (long long)(want), #got, __FILE__, (r)->line)
#define TT_STR(r, got, want) tt_str_((got), (want), #got, __FILE__, (r)->line)
/* The same without a row. */
#define TT_IS(got, want) tt_eq_((long long)(got), (long long)(want), #got, __FILE__, __LINE__)
#define TT_TEXT(got, want) tt_str_((got), (want), #got, __FILE__, __LINE__)
/* @text must contain @part. */
#define TT_HAS(text, part) tt_has_((text), (part), #text, __FILE__, __LINE__)

/*
 * Leave this test as skipped; @why is for people, and base/tests/run-tap fails a skip without it.
 */
#define TT_SKIP(why) (print_message("# %s\n", (why)), skip())

/* Skips where the kernel counts nothing for this user, not even page faults. */
static inline void tt_need_events(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0ul);

	if (fd < 0)
		TT_SKIP("the kernel counts no page faults for this user");
	(void)close((int)fd);
}

/* A record of a claim says of which boot it is, and is repaired only where that is known. */
static inline bool tt_knows_boot(void)
{
	return access("/proc/sys/kernel/random/boot_id", R_OK) == 0;
}

#define TT_NO_BOOT "this kernel does not tell which boot it is (/proc/sys/kernel/random/boot_id)"

#define TT_RUN(tests) (cmocka_run_group_tests((tests), NULL, NULL) ? 1 : 0)

/*
 * With TT_ONLY=NAME in the environment a program runs that test alone. Programs that use the
 * library have any locale (scripts/disguise has some), the parts of the command are in "C".
 * Sentences of strerror(3) are compared with English ones.
 */
__attribute__((constructor)) static void tt_begin_(void)
{
	cmocka_set_test_filter(getenv("TT_ONLY"));
	if (strncmp(program_invocation_short_name, "test_cli_", 9) != 0)
		setlocale(LC_ALL, "");
	setlocale(LC_MESSAGES, "C");
}

static inline void tt_eq_(long long got, long long want, const char *what, const char *file,
			  int line)
{
	if (got == want)
		return;
	print_error("%s:%d: %s is %lld (0x%llx), expected %lld (0x%llx)\n", file, line, what, got,
		    (unsigned long long)got, want, (unsigned long long)want);
	_fail(file, line);
}

static inline void tt_str_(const char *got, const char *want, const char *what, const char *file,
			   int line)
{
	if (got && want && strcmp(got, want) == 0)
		return;
	print_error("%s:%d: %s is \"%s\", expected \"%s\"\n", file, line, what,
		    got ? got : "(null)", want ? want : "(null)");
	_fail(file, line);
}

static inline void tt_has_(const char *text, const char *part, const char *what, const char *file,
			   int line)
{
	if (text && strstr(text, part))
		return;
	print_error("%s:%d: %s is \"%s\", which does not contain \"%s\"\n", file, line, what,
		    text ? text : "(null)", part);
	_fail(file, line);
}

/* Rounds of what is tried at random: @whole with TT_WHOLE ("make test-all"), else @part of them. */
static inline unsigned int tt_rounds(unsigned int whole, unsigned int part)
{
	return getenv("TT_WHOLE") ? whole : part;
}

static inline int tt_skip_all(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	return 77;
}

/* Seeds of random tests are printed, and taken from TT_SEED to repeat a failure. */
static inline uint64_t tt_seed(void)
{
	const char *text = getenv("TT_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : 0x9e3779b97f4a7c15ull;

	printf("# seed %#llx (TT_SEED=N repeats another)\n", (unsigned long long)seed);
	return seed;
}

/* xorshift64*: state must not be 0. */
static inline uint64_t tt_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

#endif
