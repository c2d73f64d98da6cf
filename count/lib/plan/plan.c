// SPDX-License-Identifier: MIT
/*
 * From events to a plan: bounds first, search where they leave a gap, then order, counters and
 * reasons.
 */
#include <string.h>

#include "count/lib/plan/bound.h"
#include "count/lib/plan/match.h"
#include "count/lib/plan/plan.h"
#include "count/lib/plan/problem.h"
#include "count/lib/plan/search.h"

/*
 * Steps of work, one about 25 ns on a machine of 2022 (bench/plan.c): all search takes at most some
 * 12 ms, putting in order 1 ms. Steps and not time, so that the same input gives the same plan
 * everywhere.
 */
#define SEARCH_STEPS 400000
#define ORDER_STEPS 40000

/* Items that can be planned without looking at the others, and the plan they have so far. */
struct component {
	uint64_t items;
	unsigned int lower, passes;
	bool is_first_fit; /* the plan is the one people expect: no need to put it in order */
};

struct work {
	struct nti_plan_problem problem;
	struct nti_plan_search search;
	struct component components[NTI_PLAN_MAX_EVENTS];
	unsigned int component_count;
	unsigned int lower, passes;	   /* of all components */
	uint8_t pass[NTI_PLAN_MAX_EVENTS]; /* of items */
};

_Static_assert(sizeof(struct work) < 48 * 1024, "nti_plan_make() promises to need little stack");

static void find_components(struct work *w)
{
	uint64_t left = w->problem.hardware;

	while (left) {
		struct component *c = &w->components[w->component_count++];

		c->items = nti_plan_component(&w->problem, nti_plan_low(left));
		c->lower = nti_plan_lower(&w->problem, c->items);
		c->passes = nti_plan_first_fit(&w->problem, c->items, w->pass);
		c->is_first_fit = true;
		left &= ~c->items;
	}
}

/* The passes of the whole: what its largest component has. */
static void sum_up(struct work *w)
{
	unsigned int i;

	w->lower = w->problem.event_count ? 1 : 0;
	w->passes = w->lower;
	for (i = 0; i < w->component_count; i++) {
		const struct component *c = &w->components[i];

		w->lower = c->lower > w->lower ? c->lower : w->lower;
		w->passes = c->passes > w->passes ? c->passes : w->passes;
	}
}

/*
 * One pass fewer, again and again, until that is refuted: what does not fit into so many passes
 * does not fit into fewer, either. What stays open may still fit into fewer, as narrower choices
 * can guide search better. Each try takes most of what is left.
 */
static void improve(struct work *w, struct component *c)
{
	enum nti_plan_answer answer = NTI_PLAN_YES;
	unsigned int passes = c->passes;

	while (--passes >= w->lower && answer != NTI_PLAN_NO) {
		uint64_t used = w->search.steps;
		uint64_t left = used < SEARCH_STEPS ? SEARCH_STEPS - used : 0;

		answer = nti_plan_search_run(&w->search, &w->problem, c->items, passes,
					     left / 4 * 3, w->pass);
		if (answer == NTI_PLAN_YES) {
			c->passes = passes;
			c->is_first_fit = false;
		} else if (answer == NTI_PLAN_NO) {
			c->lower = passes + 1;
		}
	}
}

static void improve_all(struct work *w)
{
	unsigned int i;

	for (i = 0; i < w->component_count; i++) {
		sum_up(w);
		improve(w, &w->components[i]);
	}
	sum_up(w);
}

static void put_in_order(struct work *w)
{
	unsigned int i;

	for (i = 0; i < w->component_count; i++)
		if (!w->components[i].is_first_fit)
			nti_plan_search_order(&w->search, &w->problem, w->components[i].items,
					      w->passes, ORDER_STEPS, w->pass);
}

/*
 * Number the passes in use through: putting in order can empty one when the plan was not minimal.
 */
static void close_gaps(struct work *w)
{
	uint8_t renumbered[NTI_PLAN_MAX_EVENTS] = { 0 };
	unsigned int pass, i;
	uint64_t used = 0;

	for (i = 0; i < w->problem.item_count; i++)
		used |= nti_plan_bit(w->pass[i]);
	w->passes = 0;
	for (pass = 0; pass < NTI_PLAN_MAX_EVENTS; pass++)
		if (used & nti_plan_bit(pass))
			renumbered[pass] = (uint8_t)w->passes++;
	for (i = 0; i < w->problem.item_count; i++)
		w->pass[i] = renumbered[w->pass[i]];
}

/* @events are those of one pass. */
static void give_counters(const struct nti_plan_problem *pb, uint64_t events, struct nti_plan *out)
{
	struct nti_plan_match m;
	uint64_t steps = 0;

	nti_plan_match_init(&m, pb, events, 1, NULL);
	(void)nti_plan_match_events(&m, events, NULL, &steps);
	for (; events; events &= events - 1)
		out->counter[nti_plan_low(events)] =
			(int8_t)pb->number[m.counter[nti_plan_low(events)]];
}

static void fill_out(const struct work *w, struct nti_plan *out)
{
	uint64_t in_pass[NTI_PLAN_MAX_EVENTS] = { 0 };
	unsigned int i, pass;

	out->passes = w->passes;
	out->lower = w->lower;
	out->is_minimal = w->passes == w->lower;
	out->nodes = w->search.nodes;
	for (i = 0; i < w->problem.event_count; i++) {
		out->pass[i] = w->pass[w->problem.item_of[i]];
		out->counter[i] = -1;
		in_pass[out->pass[i]] |= w->problem.input[i].counters ? nti_plan_bit(i) : 0;
	}
	for (pass = 0; pass < w->passes; pass++)
		give_counters(&w->problem, in_pass[pass], out);
}

int nti_plan_make(const struct nti_plan_event *events, size_t n, const struct nti_plan_names *names,
		  struct nti_plan *out, struct nti_error *e)
{
	struct work w;
	int ret;

	memset(out, 0, sizeof(*out));
	memset(&w, 0, sizeof(w));
	ret = nti_plan_problem_init(&w.problem, events, n, names, e);
	if (ret < 0)
		return ret;
	find_components(&w);
	improve_all(&w);
	put_in_order(&w);
	if (n)
		close_gaps(&w);
	fill_out(&w, out);
	nti_plan_find_reasons(&w.problem, out);
	return 0;
}
