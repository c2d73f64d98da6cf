// SPDX-License-Identifier: MIT
/*
 * Rotation by the session itself: turns in random order, looked at one by one, so that the interval
 * of an estimate can be told.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/os/page.h"
#include "lib/count/session.h"

/* A turn lasts at least so many times what its change takes: little at first, more later. */
static uint64_t least_turns(uint64_t elapsed_ns)
{
	return elapsed_ns < 20000000 ? 4 : elapsed_ns < 100000000 ? 8 : 32;
}

/* A program that sleeps is asked so often whether it runs again. */
#define IDLE_MOST_NS 10000000u

static uint64_t now_ns(const struct ntime_session *s)
{
	return s->ctx->os->ops->now_ns(s->ctx->os);
}

static bool is_core(const struct nti_session_item *item)
{
	return item->event.parts && item->event.part[0].unit &&
	       item->event.part[0].unit->kind == NTI_UNIT_CORE;
}

void nti_session_step(struct ntime_session *s, const struct nti_session_item *item,
		      const struct nti_item_sum *sum, struct nti_estimate *e)
{
	nti_estimate_step(e, (double)sum->wanted_ns, (double)sum->counted_ns, (double)sum->count);
	if (is_core(item)) {
		s->most_rate = fmax(s->most_rate, e->most_rate);
		s->contrast = fmax(s->contrast, nti_estimate_contrast(e));
	}
}

void nti_session_estimate(struct ntime_session *s, const struct nti_session_item *item,
			  const struct nti_item_sum *sum, struct nti_estimate *e,
			  struct nti_work *work, struct ntime_value *out)
{
	struct nti_rates rates = { .hard = nti_session_hard_rate(item) };
	double wanted = (double)sum->wanted_ns, counted = (double)sum->counted_ns;
	double scale = item->event.scale;
	struct nti_estimated got;

	if (e) {
		nti_session_step(s, item, sum, e);
		rates.seen = is_core(item) ? s->most_rate : e->most_rate;
		rates.contrast = is_core(item) ? s->contrast : nti_estimate_contrast(e);
		got = nti_estimate_get(e, wanted, counted, (double)sum->count, rates);
		if (work && work->by) {
			nti_session_look_at_work(s, sum, work);
			nti_session_step_work(s, sum, work);
			got = nti_session_estimate_by_work(s, sum, work, got, rates.hard);
		}
	} else {
		got = nti_estimate_bounds(sum->value, wanted - counted, (double)sum->count,
					  rates.hard);
	}
	out->value = got.value * scale;
	out->below = got.below * scale;
	out->above = got.above * scale;
	out->error = fmax(out->below, out->above);
}

int nti_session_turns_init(struct ntime_session *s)
{
	uint64_t seed = 1;

	nti_session_turns_fini(s);
	if (!nti_session_is_turning(s))
		return 0;
	s->turn_order = calloc(s->passes, sizeof(*s->turn_order));
	if (!s->turn_order)
		return -ENOMEM;
	/* A recording must read the same each time. Without random bytes the time will do. */
	if (!s->ctx->os->is_replay && nti_page_random(&seed, sizeof(seed)) < 0)
		seed = now_ns(s);
	nti_turns_init(&s->order, s->turn_order, s->passes, seed);
	s->pass = nti_turns_next(&s->order, 0, &s->turn_ns);
	s->is_rotating = true;
	return 0;
}

void nti_session_turns_fini(struct ntime_session *s)
{
	free(s->turn_order);
	s->turn_order = NULL;
	if (s->target.flags & NTIME_TURNS) {
		s->pass = 0;
		s->is_rotating = false;
	}
}

/* How long the target ran so far, and so the turn: what tasks sleep is nobody's time. */
static uint64_t elapsed_ns(const struct ntime_session *s)
{
	uint64_t most = 0, one;
	size_t i;

	if (!s->spans)
		return nti_session_real_ns(s);
	for (i = 0; i < s->spans; i++) {
		one = nti_session_span_ns(s, i);
		most = one > most ? one : most;
	}
	return most;
}

static int is_misused(struct ntime_session *s)
{
	if (s->target.flags & NTIME_TURNS && s->is_open)
		return 0;
	return nti_error(&s->ctx->error, -EINVAL,
			 "only an opened session with NTIME_TURNS has turns to make");
}

/* Nothing ran since the turn began: it goes on, and is looked at less and less often. */
static uint64_t wait_for_work(struct ntime_session *s, uint64_t now, uint64_t elapsed)
{
	/* What has not begun will soon. */
	uint64_t most = elapsed ? IDLE_MOST_NS : NTI_TURNS_LEAST_NS;

	s->idle_ns = s->idle_ns ? 2 * s->idle_ns : NTI_TURNS_LEAST_NS;
	if (s->idle_ns > most)
		s->idle_ns = most;
	s->turn_end_ns = now + s->idle_ns;
	return s->idle_ns;
}

/* The next turn begins: it lasts for *@next_ns at least. */
static int change_turn(struct ntime_session *s, uint64_t began_ns, uint64_t elapsed,
		       uint64_t *next_ns)
{
	unsigned int last = s->pass, pass = nti_turns_next(&s->order, elapsed, next_ns);
	uint64_t cost, now;
	int ret = 0;

	if (pass != last)
		ret = nti_session_go_to_pass(s, pass);
	if (ret >= 0)
		ret = nti_session_end_turn(s, last);
	now = now_ns(s);
	cost = (now - began_ns) * least_turns(elapsed);
	/* A recording's clock moves when it is looked at. */
	if (*next_ns < cost && !s->ctx->os->is_replay)
		*next_ns = cost;
	s->turn_end_ns = now + *next_ns;
	s->turn_began_ns = elapsed;
	s->turn_ns = *next_ns;
	s->idle_ns = 0;
	return ret < 0 ? ret : (int)pass;
}

int ntime_session_turn(struct ntime_session *s, uint64_t *next_ns)
{
	uint64_t now, elapsed;
	int ret = is_misused(s);

	*next_ns = UINT64_MAX;
	if (ret < 0)
		return ret;
	if (!s->is_running || !nti_session_is_turning(s))
		return (int)s->pass;
	now = now_ns(s);
	*next_ns = s->turn_end_ns > now ? s->turn_end_ns - now : 0;
	if (*next_ns)
		return (int)s->pass;
	elapsed = elapsed_ns(s);
	if (elapsed - s->turn_began_ns <= s->turn_ns / 8) {
		*next_ns = wait_for_work(s, now, elapsed);
		return (int)s->pass;
	}
	return change_turn(s, now, elapsed, next_ns);
}
