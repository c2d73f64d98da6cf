// SPDX-License-Identifier: MIT
/* Branch and bound over the passes open to each item. */
#include <string.h>

#include "count/lib/plan/hall.h"
#include "count/lib/plan/search.h"

/* What place() changes beside the places, which stay right when domains grow back. */
struct mark {
	uint64_t placed, fresh;
	unsigned int saved_count;
};

void nti_plan_search_init(struct nti_plan_search *s, const struct nti_plan_problem *pb,
			  uint64_t items, unsigned int passes)
{
	unsigned int pass;
	uint64_t left;

	s->pb = pb;
	s->items = items;
	s->events = nti_plan_events_of(pb, items);
	s->placed = 0;
	s->passes = passes;
	s->fresh = nti_plan_below(passes);
	s->saved_count = 0;
	for (pass = 0; pass < passes; pass++)
		s->open_to[pass] = items;
	memset(s->in_pass, 0, sizeof(s->in_pass));
	for (left = items; left; left &= left - 1)
		s->domain[nti_plan_low(left)] = s->fresh;
	nti_plan_match_init(&s->match, pb, passes, s->domain);
	nti_plan_memo_init(&s->memo);
}

static void save(struct nti_plan_search *s, struct mark *mark)
{
	uint64_t left;

	mark->placed = s->placed;
	mark->fresh = s->fresh;
	mark->saved_count = s->saved_count;
	for (left = s->items & ~s->placed; left; left &= left - 1)
		s->saved[s->saved_count++] = s->domain[nti_plan_low(left)];
}

static void restore(struct nti_plan_search *s, const struct mark *mark)
{
	unsigned int from = mark->saved_count;
	uint64_t left;

	for (left = s->placed & ~mark->placed; left; left &= left - 1) {
		unsigned int item = nti_plan_low(left);

		s->in_pass[nti_plan_low(s->domain[item])] &= ~nti_plan_bit(item);
	}
	for (left = s->items & ~mark->placed; left; left &= left - 1) {
		unsigned int item = nti_plan_low(left);
		uint64_t back = s->saved[from] & ~s->domain[item];

		s->domain[item] = s->saved[from++];
		for (; back; back &= back - 1)
			s->open_to[nti_plan_low(back)] |= nti_plan_bit(item);
	}
	s->placed = mark->placed;
	s->fresh = mark->fresh;
}

/* Close @passes to @item. False when none stays open. */
static bool narrow(struct nti_plan_search *s, unsigned int item, uint64_t passes)
{
	uint64_t left = s->pb->items[item].events & s->match.placed,
		 gone = s->domain[item] & passes;

	s->steps++;
	s->domain[item] &= ~passes;
	for (; gone; gone &= gone - 1)
		s->open_to[nti_plan_low(gone)] &= ~nti_plan_bit(item);
	for (; left; left &= left - 1)
		if (passes & nti_plan_bit(s->match.pass[nti_plan_low(left)]))
			nti_plan_match_drop(&s->match, left & -left);
	return s->domain[item] != 0;
}

/* Whether @item finds counters beside the events @placed in a pass. */
static bool is_room(struct nti_plan_search *s, unsigned int item, uint64_t placed)
{
	const struct nti_plan_item *it = &s->pb->items[item];
	uint64_t pmus;

	for (pmus = it->pmus; pmus; pmus &= pmus - 1) {
		uint64_t pmu = s->pb->pmu_events[nti_plan_low(pmus)];
		uint64_t both = (placed | it->events) & pmu;

		if (nti_plan_count(it->events & pmu) == 1 &&
		    nti_plan_count(s->pb->mask[nti_plan_low(it->events & pmu)]) >=
			    nti_plan_count(both))
			continue;
		s->steps += 4;
		if (!nti_plan_hall(s->pb, both, 1, NULL, NULL))
			return false;
	}
	return true;
}

/* Close @pass to the items that no longer fit beside what was placed there. */
static bool close_full(struct nti_plan_search *s, unsigned int pass, uint64_t open)
{
	uint64_t placed = nti_plan_events_of(s->pb, s->in_pass[pass]), bit = nti_plan_bit(pass),
		 left;

	while (open) {
		unsigned int item = nti_plan_low(open);
		uint64_t twins = s->pb->items[item].twins & open;

		open &= ~twins;
		s->steps++;
		if (is_room(s, item, placed))
			continue;
		for (left = twins; left; left &= left - 1)
			if (!narrow(s, nti_plan_low(left), bit))
				return false;
	}
	return true;
}

static bool place_one(struct nti_plan_search *s, unsigned int item, unsigned int pass)
{
	uint64_t bit = nti_plan_bit(pass), left;

	s->steps += 2;
	narrow(s, item, ~bit);
	s->placed |= nti_plan_bit(item);
	s->in_pass[pass] |= nti_plan_bit(item);
	s->fresh &= ~bit;
	for (left = s->pb->items[item].conflicts & s->open_to[pass] & ~s->placed; left;
	     left &= left - 1)
		if (!narrow(s, nti_plan_low(left), bit))
			return false;
	return close_full(s, pass, s->open_to[pass] & ~s->placed & ~s->pb->simple);
}

/* An item that search decides about and that has one pass left; -1 when there is none. */
static int find_forced(const struct nti_plan_search *s)
{
	uint64_t left;

	for (left = s->items & ~s->placed & ~s->pb->simple; left; left &= left - 1) {
		uint64_t domain = s->domain[nti_plan_low(left)];

		if (!(domain & (domain - 1)))
			return (int)nti_plan_low(left);
	}
	return -1;
}

/* Put @item into @pass, then whatever that forces. False when no plan can follow. */
static bool place(struct nti_plan_search *s, unsigned int item, unsigned int pass)
{
	int forced;

	if (!place_one(s, item, pass))
		return false;
	while ((forced = find_forced(s)) >= 0) {
		if (!s->domain[forced] ||
		    !place_one(s, (unsigned int)forced, nti_plan_low(s->domain[forced])))
			return false;
	}
	return nti_plan_match_place(&s->match, s->events, &s->steps);
}

/* Passes to try for an item; passes without anything placed are alike, so they count as one. */
static unsigned int choices(const struct nti_plan_search *s, unsigned int item)
{
	return nti_plan_count(s->domain[item] & ~s->fresh) + ((s->domain[item] & s->fresh) ? 1 : 0);
}

/* The item with the fewest choices; among those the one that narrows most others. */
static unsigned int choose(const struct nti_plan_search *s, uint64_t open)
{
	unsigned int best = nti_plan_low(open), best_choices = UINT32_MAX, best_weight = 0;
	uint64_t left;

	for (left = open; left; left &= left - 1) {
		unsigned int item = nti_plan_low(left), count = choices(s, item), weight;

		if (count > best_choices)
			continue;
		weight = nti_plan_count(s->pb->items[item].conflicts & open) +
			 4 * nti_plan_count(s->pb->items[item].events);
		if (count == best_choices && weight <= best_weight)
			continue;
		best = item;
		best_choices = count;
		best_weight = weight;
	}
	return best;
}

/*
 * @item in @passes was refuted: so is each twin there that had the same choice. False when one has
 *	none left.
 */
static bool exclude(struct nti_plan_search *s, unsigned int item, uint64_t passes)
{
	uint64_t domain = s->domain[item], left;

	for (left = s->pb->items[item].twins & s->items & ~s->placed; left; left &= left - 1)
		if (s->domain[nti_plan_low(left)] == domain &&
		    !narrow(s, nti_plan_low(left), passes))
			return false;
	return true;
}

static enum nti_plan_answer decide(struct nti_plan_search *s);

static enum nti_plan_answer try_pass(struct nti_plan_search *s, unsigned int item,
				     unsigned int pass)
{
	enum nti_plan_answer answer;
	struct mark mark;

	save(s, &mark);
	answer = place(s, item, pass) ? decide(s) : NTI_PLAN_NO;
	if (answer == NTI_PLAN_NO)
		restore(s, &mark);
	s->saved_count = mark.saved_count;
	return answer;
}

/* Try the passes open to one item; leaves the plan in the domains and places on YES. */
static enum nti_plan_answer branch(struct nti_plan_search *s, unsigned int item)
{
	for (;;) {
		uint64_t used = s->domain[item] & ~s->fresh;
		unsigned int pass = nti_plan_low(used ? used : s->domain[item]);
		enum nti_plan_answer answer = try_pass(s, item, pass);

		if (answer != NTI_PLAN_NO)
			return answer;
		if (!exclude(s, item, used ? nti_plan_bit(pass) : s->domain[item]))
			return NTI_PLAN_NO;
	}
}

/*
 * A refutation holds for the placed items alone, although it used what exclude() closed: a plan
 * that needs such a pass is the twin of one that was refuted before, for fewer placed items.
 */
static enum nti_plan_answer decide(struct nti_plan_search *s)
{
	uint64_t open = s->items & ~s->placed & ~s->pb->simple;
	bool is_kept = s->passes <= NTI_PLAN_MEMO_MAX_PASSES && nti_plan_count(open) > 3;
	unsigned int before = s->nodes;
	struct nti_plan_memo_key key;
	enum nti_plan_answer answer;

	if (!open)
		return NTI_PLAN_YES;
	if (s->steps >= s->step_limit)
		return NTI_PLAN_UNKNOWN;
	if (is_kept) {
		nti_plan_memo_key(s->pb, s->in_pass, s->passes, &key);
		if (s->placed && nti_plan_memo_find(&s->memo, &key))
			return NTI_PLAN_NO;
	}
	s->nodes++;
	s->steps += 10;
	answer = branch(s, choose(s, open));
	if (is_kept && answer == NTI_PLAN_NO)
		nti_plan_memo_add(&s->memo, &key, s->nodes - before);
	return answer;
}

static void take_plan(const struct nti_plan_search *s, uint8_t *pass)
{
	uint64_t left;

	for (left = s->items; left; left &= left - 1) {
		unsigned int item = nti_plan_low(left);

		pass[item] = s->match.pass[nti_plan_low(s->pb->items[item].events)];
	}
}

enum nti_plan_answer nti_plan_search_run(struct nti_plan_search *s, uint64_t budget,
					 uint8_t pass[NTI_PLAN_MAX_EVENTS])
{
	enum nti_plan_answer answer = NTI_PLAN_NO;
	struct mark mark;

	s->step_limit = s->steps + budget;
	save(s, &mark);
	if (nti_plan_match_place(&s->match, s->events, &s->steps))
		answer = decide(s);
	if (answer == NTI_PLAN_YES)
		take_plan(s, pass);
	restore(s, &mark);
	s->saved_count = mark.saved_count;
	return answer;
}

/* Try to have @item in @pass, keeping what is placed; on success pass[] is such a plan. */
static bool move_up(struct nti_plan_search *s, unsigned int item, unsigned int to, uint64_t budget,
		    uint8_t *pass)
{
	enum nti_plan_answer answer = NTI_PLAN_NO;
	struct mark mark;

	save(s, &mark);
	if (place(s, item, to))
		answer = nti_plan_search_run(s, budget, pass);
	restore(s, &mark);
	s->saved_count = mark.saved_count;
	return answer == NTI_PLAN_YES;
}

void nti_plan_search_order(struct nti_plan_search *s, const struct nti_plan_problem *pb,
			   uint64_t items, unsigned int passes, uint64_t budget,
			   uint8_t pass[NTI_PLAN_MAX_EVENTS])
{
	uint64_t end = s->steps + budget, left;

	nti_plan_search_init(s, pb, items, passes);
	for (left = items; left; left &= left - 1) {
		unsigned int item = nti_plan_low(left), to;

		for (to = 0; to < pass[item] && s->steps < end; to++)
			if ((s->domain[item] & nti_plan_bit(to)) &&
			    !(s->placed & nti_plan_bit(item)) &&
			    move_up(s, item, to, (end - s->steps) / 4, pass))
				break;
		if (!(s->placed & nti_plan_bit(item)))
			(void)place(s, item, pass[item]);
	}
}
