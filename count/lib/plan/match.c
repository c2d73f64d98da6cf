// SPDX-License-Identifier: MIT
/* Places of events in all passes at once. */
#include <string.h>

#include "count/lib/plan/match.h"

void nti_plan_match_init(struct nti_plan_match *m, const struct nti_plan_problem *pb,
			 unsigned int passes, const uint64_t *domain)
{
	memset(m, 0, sizeof(*m));
	m->pb = pb;
	m->all = nti_plan_below(passes);
	m->domain = domain;
}

static void stand(struct nti_plan_match *m, unsigned int event)
{
	uint64_t bit = nti_plan_bit(event);

	m->in[m->pass[event]] &= ~bit;
	m->on[m->cell[event]] &= ~bit;
	m->taken[m->cell[event]] &= ~nti_plan_bit(m->pass[event]);
	m->placed &= ~bit;
}

static void sit(struct nti_plan_match *m, unsigned int event, unsigned int cell, unsigned int pass)
{
	uint64_t bit = nti_plan_bit(event);

	m->cell[event] = (uint16_t)cell;
	m->pass[event] = (uint8_t)pass;
	m->in[pass] |= bit;
	m->on[cell] |= bit;
	m->taken[cell] |= nti_plan_bit(pass);
	m->placed |= bit;
}

void nti_plan_match_drop(struct nti_plan_match *m, uint64_t events)
{
	for (events &= m->placed; events; events &= events - 1)
		stand(m, nti_plan_low(events));
}

/* The first free place on counters @mask in passes @domain. */
static bool find_free(const struct nti_plan_match *m, unsigned int base, uint32_t mask,
		      uint64_t domain, unsigned int *cell, unsigned int *pass)
{
	for (; mask; mask &= mask - 1) {
		uint64_t open = domain & ~m->taken[base + nti_plan_low(mask)];

		if (!open)
			continue;
		*cell = base + nti_plan_low(mask);
		*pass = nti_plan_low(open);
		return true;
	}
	return false;
}

/* Events that sit on counters @mask in passes @domain. */
static uint64_t find_rivals(const struct nti_plan_match *m, unsigned int base, uint32_t mask,
			    uint64_t domain)
{
	uint64_t on = 0, in = 0;

	for (; mask; mask &= mask - 1)
		on |= m->on[base + nti_plan_low(mask)];
	if (domain == m->all)
		return on;
	for (; domain; domain &= domain - 1)
		in |= m->in[nti_plan_low(domain)];
	return on & in;
}

/*
 * The events of @event's group that sit on counters *@mask, in whatever pass; takes those counters
 * out of *@mask. In the end the group is in one pass and uses a counter once, so that is demanded
 * before its pass is known, too.
 */
static uint64_t find_mates(const struct nti_plan_match *m, unsigned int event, unsigned int base,
			   uint32_t *mask)
{
	uint64_t group = m->pb->items[m->pb->item_of[event]].events & ~nti_plan_bit(event);
	uint64_t mates = 0;
	uint32_t left;

	for (left = group ? *mask : 0; left; left &= left - 1) {
		uint64_t mate = m->on[base + nti_plan_low(left)] & group;

		if (!mate)
			continue;
		mates |= mate;
		*mask &= ~(left & -left);
	}
	return mates;
}

/*
 * One step of a search for a place: @event has to leave its place to the event of step .parent.
 * When a mate wants the counter for the group, @event must leave the counter; else it may stay on
 * it, in another pass. These are two steps, as the second can be open when the first is not, so an
 * event can have both.
 */
struct step {
	uint8_t event, parent;
	uint32_t mask; /* counters to look at */
};

struct walk {
	struct step steps[2 * NTI_PLAN_MAX_EVENTS];
	unsigned int count;
	unsigned int base; /* number of the PMU's first counter; all events are of one PMU */
	uint64_t seen, seen_by_mate; /* events with a step of either kind */
	uint32_t covered; /* counters looked at in all passes: nothing new is to be found there */
};

static void add_step(const struct nti_plan_match *m, struct walk *w, unsigned int event,
		     unsigned int parent, uint32_t without)
{
	struct step *step = &w->steps[w->count++];

	step->event = (uint8_t)event;
	step->parent = (uint8_t)parent;
	step->mask = m->pb->mask[event] & ~without;
}

static uint32_t own_counter(const struct nti_plan_match *m, const struct walk *w,
			    unsigned int event)
{
	return UINT32_C(1) << (m->cell[event] - w->base);
}

static void add_mates(const struct nti_plan_match *m, struct walk *w, uint64_t mates,
		      unsigned int parent)
{
	mates &= ~(w->seen | w->seen_by_mate);
	w->seen_by_mate |= mates;
	for (; mates; mates &= mates - 1) {
		unsigned int event = nti_plan_low(mates);

		add_step(m, w, event, parent, own_counter(m, w, event));
	}
}

static void add_rivals(const struct nti_plan_match *m, struct walk *w, uint64_t rivals,
		       unsigned int parent)
{
	rivals &= ~w->seen;
	w->seen |= rivals;
	for (; rivals; rivals &= rivals - 1) {
		unsigned int event = nti_plan_low(rivals);
		bool is_known = w->seen_by_mate & nti_plan_bit(event);

		add_step(m, w, event, parent, is_known ? ~own_counter(m, w, event) : 0);
	}
}

/*
 * Walk back: the event of @step takes the place, its parent takes the one that becomes free. That
 * is the place it has now, which may be another than when the search began, for an event with two
 * steps.
 */
static void shift(struct nti_plan_match *m, const struct walk *w, unsigned int step,
		  unsigned int cell, unsigned int pass)
{
	while (step) {
		unsigned int event = w->steps[step].event;
		unsigned int freed_cell = m->cell[event], freed_pass = m->pass[event];

		stand(m, event);
		sit(m, event, cell, pass);
		step = w->steps[step].parent;
		cell = freed_cell;
		pass = freed_pass;
	}
	sit(m, w->steps[0].event, cell, pass);
}

/* Breadth first over events that could move away. */
static bool augment(struct nti_plan_match *m, unsigned int first, uint64_t *effort)
{
	unsigned int i, cell, pass;
	struct walk w;

	w.base = m->pb->pmu_first[m->pb->pmu_of[first]];
	w.count = 0;
	w.seen = nti_plan_bit(first);
	w.seen_by_mate = 0;
	w.covered = 0;
	add_step(m, &w, first, 0, 0);
	for (i = 0; i < w.count; i++) {
		unsigned int event = w.steps[i].event;
		uint64_t domain = m->domain[m->pb->item_of[event]];
		uint32_t mask = w.steps[i].mask & ~w.covered;

		if (!mask)
			continue;
		++*effort;
		add_mates(m, &w, find_mates(m, event, w.base, &mask), i);
		if (find_free(m, w.base, mask, domain, &cell, &pass)) {
			shift(m, &w, i, cell, pass);
			return true;
		}
		w.covered |= domain == m->all ? mask : 0;
		add_rivals(m, &w, find_rivals(m, w.base, mask, domain), i);
	}
	return false;
}

bool nti_plan_match_place(struct nti_plan_match *m, uint64_t events, uint64_t *effort)
{
	for (events &= ~m->placed; events; events &= events - 1)
		if (!augment(m, nti_plan_low(events), effort))
			return false;
	return true;
}
