// SPDX-License-Identifier: MIT
/* count/cli/watch/sampler.h: when samples are due, on a clock that the test turns. */
#include "count/cli/watch/sampler.h"
#include "base/tests/tt.h"

#define MS 1000000ull

/* Each sample takes some of the time; none of that may add up. */
TEST(beat_does_not_drift)
{
	uint64_t seed = tt_seed(), now = 123456789, missed;
	struct cli_watch_sampler s;

	cli_watch_sampler_init(&s, now, 10 * MS, UINT64_MAX);
	for (uint64_t k = 1; k <= 100000; k++) {
		TT_IS(cli_watch_sampler_next(&s), 123456789 + k * 10 * MS);
		/* Woken late, and then at work, for less than the interval together. */
		now = cli_watch_sampler_next(&s) + tt_random(&seed) % (9 * MS);
		TT_IS(cli_watch_sampler_due(&s, now, &missed), CLI_DUE_SAMPLE);
		TT_IS(missed, 0);
		TT_IS(s.number, k);
	}
	TT_IS(s.missed, 0);
}

static const struct late_row {
	int line;
	uint64_t late_ms, number, missed, next_ms;
} late_rows[] = {
	{ __LINE__, 0, 1, 0, 20 },	  { __LINE__, 9, 1, 0, 20 },  { __LINE__, 10, 2, 1, 30 },
	{ __LINE__, 15, 2, 1, 30 },	  { __LINE__, 29, 3, 2, 40 }, { __LINE__, 30, 4, 3, 50 },
	{ __LINE__, 995, 100, 99, 1010 },
};

TEST(samples_that_are_missed_are_counted)
{
	TT_FOR_EACH_ROW(r, late_rows) {
		struct cli_watch_sampler s;
		uint64_t missed;

		cli_watch_sampler_init(&s, 0, 10 * MS, UINT64_MAX);
		TT_EQ(r, cli_watch_sampler_due(&s, (10 + r->late_ms) * MS, &missed),
		      CLI_DUE_SAMPLE);
		TT_EQ(r, s.number, r->number);
		TT_EQ(r, missed, r->missed);
		TT_EQ(r, s.missed, r->missed);
		TT_EQ(r, cli_watch_sampler_next(&s), r->next_ms * MS);
	}
}

TEST(nothing_is_due_before_its_time)
{
	struct cli_watch_sampler s;
	uint64_t missed = 7;

	cli_watch_sampler_init(&s, 1000, 10 * MS, UINT64_MAX);
	TT_IS(cli_watch_sampler_due(&s, 1000 + 10 * MS - 1, &missed), CLI_DUE_NOTHING);
	TT_IS(missed, 0);
	TT_IS(s.number, 0);
	TT_IS(s.read_ns, 1000);
}

/* No counter may go unread for longer than it takes to wrap. */
TEST(looks_come_between_samples)
{
	struct cli_watch_sampler s;
	uint64_t missed, now = 0, looks = 0, samples = 0;

	cli_watch_sampler_init(&s, 0, 100 * MS, 30 * MS);
	while (samples < 10) {
		uint64_t next = cli_watch_sampler_next(&s);

		if (next - now > 30 * MS)
			fail_msg("nothing is due from %llu to %llu", (unsigned long long)now,
				 (unsigned long long)next);
		now = next;
		switch (cli_watch_sampler_due(&s, now, &missed)) {
		case CLI_DUE_LOOK:
			looks++;
			break;
		case CLI_DUE_SAMPLE:
			samples++;
			TT_IS(now, samples * 100 * MS);
			break;
		default:
			fail_msg("nothing was due at the deadline");
		}
	}
	TT_IS(looks, 30);
	TT_IS(s.longest_ns, 30 * MS);
}

TEST(longest_time_without_a_read_is_known)
{
	struct cli_watch_sampler s;
	uint64_t missed;

	cli_watch_sampler_init(&s, 0, 100 * MS, 30 * MS);
	TT_IS(cli_watch_sampler_due(&s, 75 * MS, &missed), CLI_DUE_LOOK);
	TT_IS(s.longest_ns, 75 * MS);
	TT_IS(cli_watch_sampler_due(&s, 100 * MS, &missed), CLI_DUE_SAMPLE);
	TT_IS(s.longest_ns, 75 * MS);
}

/* It is the sample of the time of which it is. */
TEST(samples_that_are_taken_late_are_later_ones)
{
	struct cli_watch_sampler s;
	uint64_t missed;

	cli_watch_sampler_init(&s, 0, 100 * MS, UINT64_MAX);
	TT_IS(cli_watch_sampler_due(&s, 100 * MS, &missed), CLI_DUE_SAMPLE);
	cli_watch_sampler_took(&s, 150 * MS, &missed);
	TT_IS(s.number, 1);
	TT_IS(missed, 0);
	TT_IS(cli_watch_sampler_due(&s, 350 * MS, &missed), CLI_DUE_SAMPLE);
	cli_watch_sampler_took(&s, 510 * MS, &missed);
	TT_IS(s.number, 5);
	TT_IS(missed, 3);
	TT_IS(s.missed, 3);
	TT_IS(s.longest_ns, 200 * MS);
	TT_IS(cli_watch_sampler_next(&s), 600 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beat_does_not_drift),
		cmocka_unit_test(samples_that_are_missed_are_counted),
		cmocka_unit_test(nothing_is_due_before_its_time),
		cmocka_unit_test(looks_come_between_samples),
		cmocka_unit_test(longest_time_without_a_read_is_known),
		cmocka_unit_test(samples_that_are_taken_late_are_later_ones),
	};

	return TT_RUN(tests);
}
