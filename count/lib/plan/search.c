// SPDX-License-Identifier: MIT
/* Depth-first search over the passes open to each item. */
#include <string.h>

#include "count/lib/plan/bound.h"
#include "count/lib/plan/search.h"

/* The open items to which @item closes @pass: in conflict with it, or left without a counter. */
static uint64_t find_closed(struct nti_plan_search *s, unsigned int item, unsigned int pass)
{
	const struct nti_plan_item *it = &s->pb->items[item];
	uint64_t closed = 0, left;

	for (left = s->open; left; left &= left - 1) {
		unsigned int other = nti_plan_low(left);
		bool is_closed = it->conflicts & nti_plan_bit(other);

		if (!(s->domain[other] & nti_plan_bit(pass)))
			continue;
		if (!is_closed && (it->pmus & s->pb->items[other].pmus)) {
			s->steps++;
			is_closed = !nti_plan_is_room(s->pb, other, s->in_pass[pass]);
		}
		closed |= is_closed ? nti_plan_bit(other) : 0;
	}
	return closed;
}

/* Passes to try for @item; of the empty ones, which are alike, the first. */
static uint64_t choices(const struct nti_plan_search *s, unsigned int item)
{
	return s->domain[item] & nti_plan_below(s->used + 1);
}

/*
 * Whether the slot that matching found is all that @item needs: it is one event and in conflict
 * with no item that is still open.
 */
static bool is_matched(const struct nti_plan_search *s, unsigned int item)
{
	const struct nti_plan_item *it = &s->pb->items[item];

	return !(it->conflicts & s->open) && !(it->events & (it->events - 1));
}

/*
 * The item with the fewest choices, because it is the first to have none; among those the one with
 * most conflicts, most events and fewest counters. -1: the matching is a plan.
 */
static int choose(const struct nti_plan_search *s)
{
	unsigned int best_count = UINT32_MAX, best_weight = 0;
	int best = -1;
	uint64_t left;

	for (left = s->open; left; left &= left - 1) {
		unsigned int item = nti_plan_low(left), weight;
		const struct nti_plan_item *it = &s->pb->items[item];
		unsigned int count = nti_plan_count(choices(s, item));

		if (count > best_count || is_matched(s, item))
			continue;
		weight = nti_plan_count(it->conflicts & s->open) + 4 * nti_plan_count(it->events) +
			 32 - nti_plan_count(s->pb->mask[nti_plan_low(it->events)]);
		if (count == best_count && weight <= best_weight)
			continue;
		best = (int)item;
		best_count = count;
		best_weight = weight;
	}
	return best;
}

/* Put @item into @pass; returns the items to which that closes the pass. */
static uint64_t place(struct nti_plan_search *s, unsigned int item, unsigned int pass)
{
	uint64_t closed, left;

	s->open &= ~nti_plan_bit(item);
	s->in_pass[pass] |= s->pb->items[item].events;
	s->used = pass < s->used ? s->used : pass + 1;
	s->domain[item] = nti_plan_bit(pass);
	closed = find_closed(s, item, pass);
	nti_plan_match_drop(&s->match, item);
	for (left = closed; left; left &= left - 1) {
		s->domain[nti_plan_low(left)] &= ~nti_plan_bit(pass);
		nti_plan_match_drop(&s->match, nti_plan_low(left));
	}
	return closed;
}

static enum nti_plan_answer decide(struct nti_plan_search *s);

/* Decide about the rest with @item in @pass; afterwards it is open again. */
static enum nti_plan_answer try_pass(struct nti_plan_search *s, unsigned int item,
				     unsigned int pass)
{
	unsigned int used = s->used;
	uint64_t domain = s->domain[item], closed = place(s, item, pass);
	enum nti_plan_answer answer = decide(s);

	for (; closed; closed &= closed - 1)
		s->domain[nti_plan_low(closed)] |= nti_plan_bit(pass);
	s->domain[item] = domain;
	s->used = used;
	s->in_pass[pass] &= ~s->pb->items[item].events;
	s->open |= nti_plan_bit(item);
	return answer;
}

/* Undoes domains, not the matching: slots in a domain stay in it when the domain grows back. */
static enum nti_plan_answer decide(struct nti_plan_search *s)
{
	enum nti_plan_answer answer = NTI_PLAN_NO;
	uint64_t left;
	int item;

	if (!nti_plan_match_events(&s->match, s->events, NULL, &s->steps))
		return NTI_PLAN_NO;
	item = choose(s);
	if (item < 0)
		return NTI_PLAN_YES;
	if (s->steps >= s->step_limit)
		return NTI_PLAN_UNKNOWN;
	s->nodes++;
	s->steps += 10 + nti_plan_count(s->open) / 2;
	for (left = choices(s, (unsigned int)item); left && answer == NTI_PLAN_NO; left &= left - 1)
		answer = try_pass(s, (unsigned int)item, nti_plan_low(left));
	return answer;
}

static void init(struct nti_plan_search *s, const struct nti_plan_problem *pb, uint64_t items,
		 unsigned int passes)
{
	s->pb = pb;
	s->open = items;
	s->events = nti_plan_events_of(pb, items);
	nti_plan_match_init(&s->match, pb, s->events, passes, s->domain);
	s->used = 0;
	memset(s->in_pass, 0, sizeof(s->in_pass));
	for (; items; items &= items - 1)
		s->domain[nti_plan_low(items)] = nti_plan_below(passes);
}

static void take_plan(const struct nti_plan_search *s, uint64_t items, uint8_t *pass)
{
	for (; items; items &= items - 1)
		pass[nti_plan_low(items)] =
			s->match.pass[nti_plan_low(s->pb->items[nti_plan_low(items)].events)];
}

enum nti_plan_answer nti_plan_search_run(struct nti_plan_search *s,
					 const struct nti_plan_problem *pb, uint64_t items,
					 unsigned int passes, uint64_t budget,
					 uint8_t pass[NTI_PLAN_MAX_EVENTS])
{
	enum nti_plan_answer answer;

	init(s, pb, items, passes);
	s->step_limit = s->steps + budget;
	answer = decide(s);
	if (answer == NTI_PLAN_YES)
		take_plan(s, items, pass);
	return answer;
}

/*
 * Exchange passes @a and @b for the items that are still open: both are empty without them, and
 * search tries only the first empty pass.
 */
static void swap_passes(const struct nti_plan_search *s, unsigned int a, unsigned int b,
			uint8_t *pass)
{
	uint64_t left;

	for (left = s->open; left; left &= left - 1) {
		uint8_t *p = &pass[nti_plan_low(left)];

		*p = (uint8_t)(*p == a ? b : *p == b ? a : *p);
	}
}

void nti_plan_search_order(struct nti_plan_search *s, const struct nti_plan_problem *pb,
			   uint64_t items, unsigned int passes, uint64_t budget,
			   uint8_t pass[NTI_PLAN_MAX_EVENTS])
{
	uint64_t end = s->steps + budget, left;

	init(s, pb, items, passes);
	for (; items; items &= items - 1) {
		unsigned int item = nti_plan_low(items);

		if (pass[item] > s->used)
			swap_passes(s, pass[item], s->used, pass);
		for (left = s->domain[item] & nti_plan_below(pass[item]); left && s->steps < end;
		     left &= left - 1) {
			s->step_limit = s->steps + (end - s->steps) / 4;
			if (try_pass(s, item, nti_plan_low(left)) == NTI_PLAN_YES) {
				take_plan(s, items, pass);
				break;
			}
		}
		(void)place(s, item, pass[item]);
	}
}
