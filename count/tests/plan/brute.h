/* SPDX-License-Identifier: MIT */
/*
 * The smallest number of passes by trying everything: for up to 10 events, written from the words
 * of count/lib/plan/plan.h and without a look at the planner. The table says of every subset of the
 * events whether it fits into one pass; the smallest number of such subsets that make up the whole
 * follows.
 */
#ifndef TT_BRUTE_H
#define TT_BRUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "count/lib/plan/plan.h"

#define TT_BRUTE_MAX_EVENTS 10

struct tt_brute {
	const struct nti_plan_event *events;
	size_t n;
	bool fits[1 << TT_BRUTE_MAX_EVENTS];
	uint8_t passes[1 << TT_BRUTE_MAX_EVENTS]; /* 0xff = impossible */
};

/* Try every counter for the i-th event of @set, with the counters in @taken gone (of its PMU). */
static inline bool tt_brute_place(const struct tt_brute *b, unsigned int set, size_t i,
				  unsigned int pmu, uint32_t taken)
{
	unsigned int counter;

	while (i < b->n && (!(set >> i & 1) || !b->events[i].counters || b->events[i].pmu != pmu))
		i++;
	if (i == b->n)
		return true;
	for (counter = 0; counter < 32; counter++)
		if ((b->events[i].counters & ~taken) >> counter & 1)
			if (tt_brute_place(b, set, i + 1, pmu, taken | UINT32_C(1) << counter))
				return true;
	return false;
}

static inline bool tt_brute_pair(const struct nti_plan_event *a, const struct nti_plan_event *b)
{
	if (a->counters && b->counters && a->pmu == b->pmu && (a->is_exclusive || b->is_exclusive))
		return false;
	for (int i = 0; i < a->want_count && a->pmu == b->pmu; i++)
		for (int j = 0; j < b->want_count; j++)
			if (a->wants[i].resource == b->wants[j].resource &&
			    a->wants[i].value != b->wants[j].value)
				return false;
	return true;
}

static inline bool tt_brute_fits(const struct tt_brute *b, unsigned int set)
{
	for (size_t i = 0; i < b->n; i++)
		for (size_t j = i + 1; j < b->n; j++)
			if ((set >> i & 1) && (set >> j & 1) &&
			    !tt_brute_pair(&b->events[i], &b->events[j]))
				return false;
	for (size_t i = 0; i < b->n; i++)
		if ((set >> i & 1) && !tt_brute_place(b, set, 0, b->events[i].pmu, 0))
			return false;
	return true;
}

/* All or nothing of each group. */
static inline bool tt_brute_whole(const struct tt_brute *b, unsigned int set)
{
	for (size_t i = 0; i < b->n; i++)
		for (size_t j = 0; j < b->n; j++)
			if (b->events[i].group && b->events[i].group == b->events[j].group &&
			    (set >> i & 1) != (set >> j & 1))
				return false;
	return true;
}

/*
 * Fill the tables; returns the passes of all events, 0 when a group cannot be counted at once. @n
 * at most 10.
 */
static inline unsigned int tt_brute_make(struct tt_brute *b, const struct nti_plan_event *events,
					 size_t n)
{
	unsigned int all = (1u << n) - 1, set, part;

	b->events = events;
	b->n = n;
	memset(b->passes, 0xff, sizeof(b->passes));
	for (set = 0; set <= all; set++)
		b->fits[set] = tt_brute_fits(b, set);
	b->passes[0] = 0;
	for (set = 1; set <= all; set++)
		for (part = set; part; part = (part - 1) & set)
			if (b->fits[part] && (part & set & -set) &&
			    b->passes[set & ~part] != 0xff && tt_brute_whole(b, part) &&
			    b->passes[set & ~part] + 1 < b->passes[set])
				b->passes[set] = (uint8_t)(b->passes[set & ~part] + 1);
	return b->passes[all] == 0xff ? 0 : b->passes[all];
}

/*
 * Find pass[] of events i.. in @passes passes, the earliest in the order given; in_pass[] is what
 * sits there.
 */
static inline bool tt_brute_order(const struct tt_brute *b, unsigned int passes, size_t i,
				  unsigned int *in_pass, uint8_t *pass)
{
	unsigned int p;

	if (i == b->n) {
		for (p = 0; p < passes; p++)
			if (!tt_brute_whole(b, in_pass[p]))
				return false;
		return true;
	}
	for (p = 0; p < passes; p++) {
		if (!b->fits[in_pass[p] | 1u << i])
			continue;
		in_pass[p] |= 1u << i;
		pass[i] = (uint8_t)p;
		if (tt_brute_order(b, passes, i + 1, in_pass, pass))
			return true;
		in_pass[p] &= ~(1u << i);
	}
	return false;
}

#endif
