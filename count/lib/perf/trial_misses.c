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
enum { FEW, MANY, AMOUNTS };
static const unsigned long amounts[WORKS][AMOUNTS] = { { 8, 72 }, { 64, 576 } };

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

/* What was counted at @amounts, the least of all tries; and @last, the reading after them. */
static bool count_all(struct nti_os *os, const struct nti_perf_group *g,
		      double least[WORKS][AMOUNTS], struct nti_perf_reading *last)
{
	const struct nti_work *work = nti_work_of(os);
	void (*const run[WORKS])(struct nti_os *, unsigned long) = { work->misses, work->guesses };
	struct nti_perf_reading from;
	size_t i, w, a;

	if (nti_perf_group_read(os, g, last) < 0)
		return false;
	for (i = 0; i < TRIES; i++) {
		for (w = 0; w < WORKS; w++) {
			for (a = 0; a < AMOUNTS; a++) {
				double n;

				from = *last;
				run[w](os, amounts[w][a]);
				if (nti_perf_group_read(os, g, last) < 0)
					return false;
				n = (double)(int64_t)(last->count[0] - from.count[0]);
				least[w][a] = i ? fmin(least[w][a], n) : n;
			}
		}
	}
	return last->running_ns && last->running_ns >= last->enabled_ns;
}

static double slope_of(double least[WORKS][AMOUNTS], size_t work)
{
	return (least[work][MANY] - least[work][FEW]) /
	       (double)(amounts[work][MANY] - amounts[work][FEW]);
}

void nti_trial_misses(struct nti_os *os, const struct perf_event_attr *attr, bool is_of_branches,
		      struct nti_trial_misses *out)
{
	static const struct nti_perf_where self = { .pid = 0, .cpu = -1 };
	double least[WORKS][AMOUNTS], own, foreign;
	struct nti_perf_reading last;
	struct nti_perf_group g;
	bool is_known;

	*out = (struct nti_trial_misses){ 0 };
	if (!nti_work_of(os)->misses)
		return;
	nti_perf_group_init(&g, self);
	is_known = nti_perf_group_add(os, &g, attr) == 0 && nti_perf_group_enable(os, &g) == 0 &&
		   count_all(os, &g, least, &last);
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
