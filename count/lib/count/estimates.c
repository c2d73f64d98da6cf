// SPDX-License-Identifier: MIT
/* The value of an item whose counter ran a part of the time. */
#include <math.h>

#include "count/lib/count/estimates.h"
#include "count/lib/count/rotation.h"
#include "count/lib/count/session.h"

static bool is_core(const struct nti_session_item *item)
{
	return item->event.parts && item->event.part[0].unit &&
	       item->event.part[0].unit->kind == NTI_UNIT_CORE;
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
	bool is_turn = sum->is_direct && !nti_session_is_by_pass(s);
	struct nti_estimated got;

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
			got = nti_session_estimate_by_work(s, sum, work, &got);
		}
		got = nti_estimate_finish(&got, unseen, count, hard_rate);
	} else {
		got = nti_estimate_bounds(sum->value, unseen, count, hard_rate);
	}
	out->value = got.value * scale;
	out->below = got.below * scale;
	out->above = got.above * scale;
	out->error = fmax(out->below, out->above);
}
