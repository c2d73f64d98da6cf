// SPDX-License-Identifier: MIT
/* cli/watch/out.h: numbers without stdio are those of stdio, and lines arrive whole. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "cli/watch/out.h"
#include "tests/tt.h"

static struct cli_watch_out open_out(void)
{
	struct cli_watch_out o;

	TT_IS(cli_watch_out_open(&o, "/dev/null"), 0);
	return o;
}

/* What was put since the last time. */
static const char *taken(struct cli_watch_out *o)
{
	o->buffer[o->used] = '\0';
	o->used = 0;
	return o->buffer;
}

static const struct count_row {
	int line;
	uint64_t count;
	const char *text;
} count_rows[] = {
	{ __LINE__, 0, "0" },
	{ __LINE__, 9, "9" },
	{ __LINE__, 10, "10" },
	{ __LINE__, UINT64_MAX, "18446744073709551615" },
};

TEST(counts)
{
	struct cli_watch_out o = open_out();

	TT_FOR_EACH_ROW(r, count_rows) {
		cli_watch_put_count(&o, r->count);
		TT_STR(r, taken(&o), r->text);
	}
	TT_IS(cli_watch_out_close(&o), 0);
}

static const struct rate_row {
	int line;
	double number;
	const char *text;
} rate_rows[] = {
	{ __LINE__, 0, "0" },
	{ __LINE__, -0.0, "0" },
	{ __LINE__, 1, "1" },
	{ __LINE__, 0.5, "0.5" },
	{ __LINE__, 0.1, "0.1" },
	{ __LINE__, 0.0123456789, "0.0123457" },
	{ __LINE__, 1.23456789, "1.23457" },
	{ __LINE__, 12.3456789, "12.3457" },
	{ __LINE__, 99999.94, "99999.9" },
	{ __LINE__, 999999.4, "999999" },
	{ __LINE__, 1234567.8, "1234568" },
	{ __LINE__, 123456789012.0, "123456789012" },
	{ __LINE__, 2e15, "2e+15" },
	{ __LINE__, -12.5, "-12.5" },
	{ __LINE__, 1e-9, "1e-09" },
};

TEST(rates)
{
	struct cli_watch_out o = open_out();

	TT_FOR_EACH_ROW(r, rate_rows) {
		cli_watch_put_rate(&o, r->number);
		TT_STR(r, taken(&o), r->text);
	}
	TT_IS(cli_watch_out_close(&o), 0);
}

/* Six digits are six digits, whatever the number. */
TEST(rates_are_near)
{
	struct cli_watch_out o = open_out();
	uint64_t seed = tt_seed();

	for (int i = 0; i < 100000; i++) {
		double number = ldexp((double)(tt_random(&seed) >> 11) + 1,
				      (int)(tt_random(&seed) % 60) - 60);
		double back;

		cli_watch_put_rate(&o, number);
		back = strtod(taken(&o), NULL);
		if (!(fabs(back - number) <= number * 5.1e-6))
			fail_msg("%.17g was written as %.17g", number, back);
	}
	TT_IS(cli_watch_out_close(&o), 0);
}

TEST(exact_numbers_read_back)
{
	struct cli_watch_out o = open_out();
	uint64_t seed = tt_seed();

	for (int i = 0; i < 20000; i++) {
		double number = ldexp((double)tt_random(&seed), (int)(tt_random(&seed) % 100) - 80);

		if (i % 3 == 0)
			number = floor(number);
		cli_watch_put_exact(&o, i % 2 ? number : -number);
		if (strtod(taken(&o), NULL) != (i % 2 ? number : -number))
			fail_msg("%.17g does not read back", number);
	}
	cli_watch_put_exact(&o, 12345);
	TT_TEXT(taken(&o), "12345");
	TT_IS(cli_watch_out_close(&o), 0);
}

/* More than the buffer holds goes out in the middle, and nothing is lost or doubled. */
TEST(long_samples_are_whole)
{
	char path[] = "/tmp/ntime-out-XXXXXX", line[16];
	struct cli_watch_out o;
	int fd = mkstemp(path);
	FILE *f;

	TT_IS(cli_watch_out_open(&o, path), 0);
	for (uint64_t i = 0; i < 100000; i++) {
		cli_watch_put_count(&o, i);
		cli_watch_put(&o, "\n");
	}
	if (o.writes > 20)
		fail_msg("%llu writes for 600 KB", (unsigned long long)o.writes);
	TT_IS(cli_watch_out_close(&o), 0);
	f = fdopen(fd, "r");
	for (uint64_t i = 0; i < 100000; i++)
		TT_IS(fgets(line, sizeof(line), f) ? strtoull(line, NULL, 10) : UINT64_MAX, i);
	TT_IS(fgets(line, sizeof(line), f) != NULL, 0);
	fclose(f);
	unlink(path);
}

/* A pipe that does not wait is waited for; one without a reader ends it all without a word. */
TEST(pipes)
{
	char buffer[4096];
	struct cli_watch_out o;
	int end[2], saved = dup(STDOUT_FILENO);

	(void)signal(SIGPIPE, SIG_IGN);
	TT_IS(pipe(end), 0);
	TT_IS(cli_watch_out_open(&o, NULL), 0);
	o.fd = end[1];
	cli_watch_put(&o, "a line\n");
	TT_IS(cli_watch_out_flush(&o), 0);
	TT_IS(read(end[0], buffer, sizeof(buffer)), 7);
	close(end[0]);
	cli_watch_put(&o, "another\n");
	TT_IS(cli_watch_out_flush(&o), -EPIPE);
	cli_watch_put(&o, "one more\n");
	TT_IS(cli_watch_out_flush(&o), -EPIPE);
	TT_IS(cli_watch_out_close(&o), 0);
	close(end[1]);
	close(saved);
}

TEST(full_devices_are_told)
{
	struct cli_watch_out o;

	TT_IS(cli_watch_out_open(&o, "/dev/full"), 0);
	cli_watch_put(&o, "a line\n");
	TT_IS(cli_watch_out_flush(&o), -ENOSPC);
	TT_IS(cli_watch_out_close(&o), -ENOSPC);
	TT_IS(cli_watch_out_open(&o, "/no/such/folder/file"), -ENOENT);
	TT_IS(cli_watch_out_close(&o), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(rates),
		cmocka_unit_test(rates_are_near),
		cmocka_unit_test(exact_numbers_read_back),
		cmocka_unit_test(long_samples_are_whole),
		cmocka_unit_test(pipes),
		cmocka_unit_test(full_devices_are_told),
	};

	return TT_RUN(tests);
}
