// SPDX-License-Identifier: MIT
/* The value of an item whose counter ran a part of the time. */
#include <math.h>

#include "count/lib/count/doubt.h"
#include "count/lib/count/estimates.h"
#include "count/lib/count/rotate.h"
#include "count/lib/count/session.h"

/*
 * Estimates by work instead of by time: where cycles or instructions have a counter of their own in
 * every pass, what was not seen of the others is told by their count. A program that slept, was in
 * the kernel or had the machine change turns has done no work then, and nothing is made up for it.
 * Of no other event is that so: where there are no cache misses, say, the rest goes on.
 *
 * At the end of each turn the count that went on all the time is read, too. Where the program ran
 * meanwhile on another CPU, a moment between two turns was nobody's: of the work since the last
 * look an event has seen what its own times say of it.
 */

bool nti_session_is_same_modes(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_host == b->exclude_host &&
	       a->exclude_guest == b->exclude_guest;
}

bool nti_session_is_alike(const struct ntime_session *s, size_t a, size_t b)
{
	const struct nti_event *one = &s->item[a].event, *other = &s->item[b].event;

	return one->parts == 1 && other->parts == 1 && one->part[0].unit == other->part[0].unit &&
	       nti_session_is_same_modes(&one->part[0].attr, &other->part[0].attr) &&
	       one->part[0].counts_guests == other->part[0].counts_guests &&
	       s->item[a].is_limited == s->item[b].is_limited;
}

/* The first @work that counts all the time, and 1; 0: there is none. */
static size_t find_work(const struct ntime_session *s, size_t item, const char *work)
{
	size_t i;

	for (i = 0; i < s->items; i++) {
		if (s->item[i].is_constant && nti_doubt_is_about(&s->item[i], work) &&
		    !nti_session_item_is_absent(&s->item[i]) && nti_session_is_alike(s, item, i))
			return i + 1;
	}
	return 0;
}

void nti_session_find_work(struct ntime_session *s)
{
	size_t i;

	s->estimates->has_work = false;
	for (i = 0; i < s->items; i++) {
		struct nti_session_item *item = &s->item[i];
		const struct nti_unit *unit = nti_session_unit_of(item);
		bool can = !item->is_constant && !item->is_metric && !item->is_clock && unit &&
			   unit->kind == NTI_UNIT_CORE && !nti_session_item_is_absent(item);

		item->caps = 0;
		if (can)
			nti_session_find_caps(s, i);
		/* Cycles go on where a program waits, and instructions do not. */
		item->work.by = can ? find_work(s, i, "cycles") : 0;
		if (can && !item->work.by)
			item->work.by = find_work(s, i, "instructions");
		s->estimates->has_work = s->estimates->has_work || item->work.by;
	}
}

void nti_session_look_at_work(const struct ntime_session *s, const struct nti_item_sum *sum,
			      struct nti_work *work)
{
	const struct nti_session_item *item = &s->item[work->by - 1];
	double count = (double)(item->only ? *item->count : s->groups.sum[work->by - 1].count);
	double wanted_ns = (double)sum->wanted_ns - work->wanted_ns;
	double counted_ns = (double)sum->counted_ns - work->counted_ns;

	if (counted_ns > 0 && wanted_ns > 0)
		work->seen += (count - work->count) * fmin(counted_ns / wanted_ns, 1);
	work->count = count;
	work->wanted_ns = (double)sum->wanted_ns;
	work->counted_ns = (double)sum->counted_ns;
}

static void step_by_work(const struct nti_item_sum *sum, struct nti_work *work)
{
	work->estimate.by_work = true;
	nti_estimate_step(&work->estimate, work->count, work->seen, (double)sum->count,
			  (double)sum->counted_ns);
}

void nti_session_step_work(struct ntime_session *s, const struct nti_item_sum *sum,
			   struct nti_work *work)
{
	step_by_work(sum, work);
	s->estimates->most_work_rate = fmax(s->estimates->most_work_rate, work->estimate.most_rate);
}

/* @got, by time, or what is known by the work done if that interval is less than half as wide. */
static struct nti_estimated estimate_by_work(const struct ntime_session *s,
					     const struct nti_item_sum *sum,
					     const struct nti_work *work,
					     const struct nti_estimated *got)
{
	struct nti_work now = *work;
	struct nti_estimated by_work;

	step_by_work(sum, &now);
	/*
	 * Work of which nothing was missed is known too roughly to say that nothing happened. What
	 * is left to a later step had hardly any work, and may have had any number of events.
	 */
	if (now.estimate.steps < 2 || now.seen >= now.count ||
	    nti_estimate_is_pending(&now.estimate, now.seen, (double)sum->count))
		return *got;
	by_work = nti_estimate_get(&now.estimate, now.count, now.seen, (double)sum->count,
				   fmax(s->estimates->most_work_rate, now.estimate.most_rate));
	return nti_estimate_narrower(got, &by_work);
}

static bool is_core(const struct nti_session_item *item)
{
	const struct nti_unit *unit = nti_session_unit_of(item);

	return unit && unit->kind == NTI_UNIT_CORE;
}

static void step(const struct nti_item_sum *sum, struct nti_estimate *e)
{
	nti_estimate_step(e, (double)sum->wanted_ns, (double)sum->counted_ns, (double)sum->count,
			  (double)sum->counted_ns);
}

void nti_session_step(struct ntime_session *s, const struct nti_session_item *item,
		      const struct nti_item_sum *sum, struct nti_estimate *e)
{
	step(sum, e);
	if (is_core(item))
		s->estimates->most_rate = fmax(s->estimates->most_rate, e->most_rate);
}

/* By time, with a part of a turn as a step of its own: a look does not end the turn. */
static struct nti_estimated by_time(const struct ntime_session *s,
				    const struct nti_session_item *item,
				    const struct nti_item_sum *sum, const struct nti_estimate *e)
{
	struct nti_estimate now = *e;

	step(sum, &now);
	return nti_estimate_get(
		&now, (double)sum->wanted_ns, (double)sum->counted_ns, (double)sum->count,
		is_core(item) ? fmax(s->estimates->most_rate, now.most_rate) : now.most_rate);
}

void nti_session_estimate(struct ntime_session *s, const struct nti_session_item *item,
			  const struct nti_item_sum *sum, struct nti_estimate *e,
			  struct nti_work *work, struct ntime_value *out)
{
	double hard_rate = nti_session_hard_rate(item);
	double unseen = (double)sum->wanted_ns - (double)sum->counted_ns;
	double count = (double)sum->count, scale = item->event.scale;
	/* Where nobody tells the turns that are ours, they are those between two looks. */
	bool is_turn = sum->is_direct && !s->rotation->is_by_pass;
	struct nti_estimated got = { .below = INFINITY };

	if (unseen > 0)
		hard_rate = fmin(hard_rate, fmax(nti_session_cap(s, item) - count, 0) / unseen);
	if (e) {
		if (is_turn)
			nti_session_step(s, item, sum, e);
		got = by_time(s, item, sum, e);
		if (work && work->by) {
			nti_session_look_at_work(s, sum, work);
			if (is_turn)
				nti_session_step_work(s, sum, work);
			got = estimate_by_work(s, sum, work, &got);
		}
	}
	/*
	 * Where the kernel takes turns, and where one turn says nothing yet, all that is possible.
	 */
	if (isinf(got.below))
		out->flags |= NTIME_BOUNDED;
	got = e ? nti_estimate_finish(&got, unseen, count, hard_rate)
		: nti_estimate_bounds(sum->value, unseen, count, hard_rate);
	out->value = got.value * scale;
	out->below = got.below * scale;
	out->above = got.above * scale;
	out->error = fmax(out->below, out->above);
}
