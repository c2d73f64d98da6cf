// SPDX-License-Identifier: MIT
/*
 * A trial of one event of caches or of mispredicted branches, with two amounts of loads that miss
 * all caches, and of unpredictable branches. The difference of the two counts is the work's.
 */
#include <math.h>

#include "count/lib/perf/trial.h"
#include "count/lib/perf/work.h"

/* Somebody may interrupt: the least of them has no interrupt in it. */
#define TRIES 3

enum { LOADS, GUESSES, WORKS };
/* Few and many of each. */
static const struct nti_trial_step steps[2 * WORKS] = {
	{ .work = NTI_TRIAL_LOADS, .amount = 8 },
	{ .work = NTI_TRIAL_LOADS, .amount = 72 },
	{ .work = NTI_TRIAL_GUESSES, .amount = 64 },
	{ .work = NTI_TRIAL_GUESSES, .amount = 576 },
};

/*
 * One load may fetch the line's neighbours as well (prefetchers), and what throws the line out may
 * be counted as an access. Of branches there are two for each guess, of which one in four is
 * mispredicted.
 */
static const double most[WORKS] = { [LOADS] = 4, [GUESSES] = 2 };
/* What an event has of the work that is not its own, times what it has of its own. */
#define FOREIGN_TIMES 4
/* For each load or guess: less is somebody else's. */
#define FOREIGN_LEAST 0.125
/*
 * Each load misses, and half of the guesses are wrong: less is next to nothing of them. What has
 * next to nothing of the other work either is its own event.
 */
#define OWN_LEAST (1. / 64)

static double slope_of(double (*least)[NTI_TRIAL_MODES], size_t work)
{
	const struct nti_trial_step *few = &steps[2 * work], *many = few + 1;

	return (least[2 * work + 1][0] - least[2 * work][0]) / (double)(many->amount - few->amount);
}

void nti_trial_misses(struct nti_os *os, const struct nti_unit *unit, uint32_t type,
		      uint64_t config, bool is_of_branches, struct nti_trial_misses *out)
{
	const struct perf_event_attr attr = nti_trial_attr(unit, type, config, NTI_TRIAL_IN_USER);
	static const struct nti_trial_step start = { .work = NTI_TRIAL_START };
	double least[2 * WORKS][NTI_TRIAL_MODES], own, foreign;
	struct nti_perf_reading at[2], last;
	struct nti_perf_group g;
	bool is_known;

	*out = (struct nti_trial_misses){ 0 };
	if (!nti_work_of(os)->misses)
		return;
	nti_trial_group_init(&g);
	is_known = nti_perf_group_add(os, &g, &attr) == 0 &&
		   nti_trial_steps(os, &g, &start, 1, at) &&
		   nti_trial_least(os, &g, steps, 2 * WORKS, TRIES, least) &&
		   nti_perf_group_read(os, &g, &last) == 0 && nti_trial_is_whole(&at[0], &last);
	nti_perf_group_fini(os, &g);
	if (!is_known)
		return;
	out->seen = NTI_TRIAL_TRIED;
	out->per_load = slope_of(least, LOADS);
	out->per_guess = slope_of(least, GUESSES);
	own = is_of_branches ? out->per_guess : out->per_load;
	foreign = is_of_branches ? out->per_load : out->per_guess;
	if (last.count[0] == 0)
		out->seen |= NTI_TRIAL_DEAD;
	else if (own > most[is_of_branches ? GUESSES : LOADS] ||
		 (own < OWN_LEAST && foreign <= FOREIGN_LEAST))
		out->seen |= NTI_TRIAL_RATE;
	else if (foreign > FOREIGN_LEAST && foreign > FOREIGN_TIMES * own)
		out->seen |= NTI_TRIAL_FOREIGN;
}
