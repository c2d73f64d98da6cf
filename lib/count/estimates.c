// SPDX-License-Identifier: MIT
/* The value of an item whose counter ran a part of the time. */
#include <math.h>

#include "lib/count/estimates.h"
#include "lib/count/session.h"

static bool is_core(const struct nti_session_item *item)
{
	return item->event.parts && item->event.part[0].unit &&
	       item->event.part[0].unit->kind == NTI_UNIT_CORE;
}

void nti_session_step(struct ntime_session *s, const struct nti_session_item *item,
		      const struct nti_item_sum *sum, struct nti_estimate *e)
{
	nti_estimate_step(e, (double)sum->wanted_ns, (double)sum->counted_ns, (double)sum->count);
	if (is_core(item))
		s->estimates->most_rate = fmax(s->estimates->most_rate, e->most_rate);
}

void nti_session_estimate(struct ntime_session *s, const struct nti_session_item *item,
			  const struct nti_item_sum *sum, struct nti_estimate *e,
			  struct nti_work *work, struct ntime_value *out)
{
	double hard_rate = nti_session_hard_rate(item);
	double wanted = (double)sum->wanted_ns, counted = (double)sum->counted_ns;
	double count = (double)sum->count, scale = item->event.scale;
	struct nti_estimated got;

	if (e) {
		nti_session_step(s, item, sum, e);
		got = nti_estimate_get(e, wanted, counted, count,
				       is_core(item) ? s->estimates->most_rate : e->most_rate);
		if (work && work->by) {
			nti_session_look_at_work(s, sum, work);
			nti_session_step_work(s, sum, work);
			got = nti_session_estimate_by_work(s, sum, work, &got);
		}
		got = nti_estimate_finish(&got, wanted - counted, count, hard_rate);
	} else {
		got = nti_estimate_bounds(sum->value, wanted - counted, count, hard_rate);
	}
	out->value = got.value * scale;
	out->below = got.below * scale;
	out->above = got.above * scale;
	out->error = fmax(out->below, out->above);
}
