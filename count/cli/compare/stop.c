// SPDX-License-Identifier: MIT
/*
 * When enough rounds were made.
 *
 * An interval that is looked at after each round and taken when it is narrow enough is narrow by
 * chance, and holds in 93 of 100 cases where it says 95. So it is looked at seldom, some rounds are
 * made after it was narrow enough, and it is made a little wider
 * (CLI_COMPARE_LEVEL).
 */
#include "count/cli/compare/stop.h"

#include <math.h>

#include "count/cli/compare/verdict.h"

/* After so many rounds, and then after half as many again, it is asked whether they are enough. */
#define FIRST_LOOK 10
#define LOOK_GROWS 1.5
/* Rounds in all when they are, as a share. */
#define CONFIRM 1.25
/* A difference need not be known better than to a tenth. */
#define PRECISION_OF_DIFFERENCE 0.1
/* A person waits no longer, and who named a precision a little. */
#define MOST_NS 120000000000ull
#define MOST_ROUNDS 1000
#define MOST_ROUNDS_NAMED 100000

static size_t grown(size_t rounds, double by)
{
	return (size_t)ceil((double)rounds * by);
}

void cli_stop_init(struct cli_stop *s, const struct cli_results *r, size_t rounds, double precision,
		   bool is_named)
{
	size_t least = cli_least_rounds(r);

	*s = (struct cli_stop){ .precision = precision, .is_named = is_named };
	s->is_fixed = rounds > 0;
	/* Counts of the emulator are exact: runs that are all alike need no more of them. */
	s->next_look = least > FIRST_LOOK || r->is_in_emulator ? least : FIRST_LOOK;
	s->plan = rounds ? rounds : grown(s->next_look, CONFIRM);
}

/*
 * How much wider the widest interval is than it should be: up to 1 it is narrow enough. NAN: it
 * will never be, as there is no ratio.
 */
static double excess_of(const struct cli_stop *s, const struct cli_results *r)
{
	size_t by = cli_results_decider(r);
	double excess = 0;

	for (size_t i = 0; i < r->sides && by != SIZE_MAX; i++) {
		bool is_alone = r->sides == 1;
		double enough = s->precision, half;
		struct cli_interval of;

		if (r->side[i].reference == SIZE_MAX && !is_alone)
			continue;
		of = is_alone ? cli_median_of(r, i, by, 0) : cli_change_of(r, i, by).factor;
		if (isnan(of.estimate))
			return NAN;
		if (!is_alone)
			enough = fmax(enough, PRECISION_OF_DIFFERENCE * fabs(log(of.estimate)));
		half = of.high > of.low ? log(of.high / of.low) / 2 : 0;
		excess = fmax(excess, of.is_known ? half / enough : INFINITY);
	}
	return by == SIZE_MAX ? NAN : excess;
}

/* Look at what came out so far, and plan. Whether it is over. */
static bool look(struct cli_stop *s, const struct cli_results *r, size_t rounds)
{
	size_t most = s->is_named ? MOST_ROUNDS_NAMED : MOST_ROUNDS;
	double excess;

	/* No further run will tell anything of a command that fails each time. */
	if (rounds >= most || cli_results_has_silent_side(r))
		return true;
	excess = excess_of(s, r);
	if (isnan(excess) || (r->is_in_emulator && excess <= 0))
		return true;
	s->is_fixed = excess <= 1;
	s->plan = most;
	if (isfinite(excess))
		s->plan = grown(rounds,
				CONFIRM * fmax(excess * excess, s->is_fixed ? 1 : LOOK_GROWS));
	if (s->plan > most)
		s->plan = most;
	s->next_look = grown(rounds, LOOK_GROWS);
	if (s->next_look > most)
		s->next_look = most;
	return false;
}

bool cli_stop_is_over(struct cli_stop *s, const struct cli_results *r, size_t rounds,
		      uint64_t spent_ns)
{
	if (s->is_fixed)
		return rounds >= s->plan;
	if (!s->is_named && spent_ns >= MOST_NS && rounds >= cli_least_rounds(r))
		return true;
	return rounds >= s->next_look && look(s, r, rounds);
}
