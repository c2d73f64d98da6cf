// SPDX-License-Identifier: MIT
/*
 * Rotation by the session itself: turns in random order, looked at one by one, so that the interval
 * of an estimate can be told.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/os/page.h"
#include "count/lib/count/plan.h"
#include "count/lib/count/rotate.h"
#include "count/lib/count/session.h"

/* A turn lasts at least so many times what its change takes: little at first, more later. */
static uint64_t least_turns(uint64_t elapsed_ns)
{
	return elapsed_ns < 20000000	? 4
	       : elapsed_ns < 100000000 ? 8
	       : elapsed_ns < 500000000 ? 16
					: 32;
}

/* A program that sleeps is asked so often whether it runs again. */
#define IDLE_LEAST_NS 100000u
#define IDLE_MOST_NS 10000000u

int nti_session_turns_init(struct ntime_session *s)
{
	uint64_t seed = 1;

	s->rotation->turn_order = calloc(s->plan->passes, sizeof(*s->rotation->turn_order));
	if (!s->rotation->turn_order)
		return -ENOMEM;
	/* A recording must read the same each time. Without random bytes the time will do. */
	if (!s->ctx->os->is_timeless && nti_page_random(&seed, sizeof(seed)) < 0)
		seed = nti_session_now_ns(s);
	nti_turns_init(&s->rotation->order, s->rotation->turn_order, s->plan->passes, seed);
	s->rotation->pass = nti_turns_next(&s->rotation->order, 0, &s->rotation->turn_ns);
	return 0;
}

void nti_session_turns_fini(struct ntime_session *s)
{
	free(s->rotation->turn_order);
	s->rotation->turn_order = NULL;
	if (s->target.flags & NTIME_TURNS)
		s->rotation->pass = 0;
}

/* How long the target ran so far, and so the turn: what tasks sleep is nobody's time. */
static uint64_t elapsed_ns(const struct ntime_session *s)
{
	uint64_t most = 0, one;
	size_t i;

	if (!s->rotation->spans)
		return nti_session_real_ns(s);
	for (i = 0; i < s->rotation->spans; i++) {
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
	uint64_t most = elapsed ? IDLE_MOST_NS : IDLE_LEAST_NS;

	s->rotation->idle_ns = s->rotation->idle_ns ? 2 * s->rotation->idle_ns : IDLE_LEAST_NS;
	if (s->rotation->idle_ns > most)
		s->rotation->idle_ns = most;
	s->rotation->turn_end_ns = now + s->rotation->idle_ns;
	return s->rotation->idle_ns;
}

/* The next turn begins: it lasts for *@next_ns at least. */
static int change_turn(struct ntime_session *s, uint64_t began_ns, uint64_t elapsed,
		       uint64_t *next_ns)
{
	unsigned int last = s->rotation->pass,
		     pass = nti_turns_next(&s->rotation->order, elapsed, next_ns);
	uint64_t cost, took, now;
	int ret = 0;

	if (pass != last)
		ret = nti_session_go_to_pass(s, pass);
	if (ret >= 0)
		ret = nti_session_end_turn(s, last);
	now = nti_session_now_ns(s);
	/* What a change costs it costs each time; a stall of the machine is of one alone. */
	took = now - began_ns;
	cost = (took < s->rotation->took_ns ? took : s->rotation->took_ns) * least_turns(elapsed);
	s->rotation->took_ns = took;
	/* A recording's clock moves when it is looked at. */
	if (*next_ns < cost && !s->ctx->os->is_timeless)
		*next_ns = cost;
	s->rotation->turn_end_ns = now + *next_ns;
	s->rotation->turn_began_ns = elapsed;
	s->rotation->turn_ns = *next_ns;
	s->rotation->idle_ns = 0;
	return ret < 0 ? ret : (int)pass;
}

int ntime_session_turn(struct ntime_session *s, uint64_t *next_ns)
{
	uint64_t now, elapsed;
	int ret = is_misused(s);

	*next_ns = UINT64_MAX;
	if (ret < 0)
		return ret;
	if (!s->clock.is_running || !s->rotation->is_turning)
		return (int)s->rotation->pass;
	now = nti_session_now_ns(s);
	*next_ns = s->rotation->turn_end_ns > now ? s->rotation->turn_end_ns - now : 0;
	if (*next_ns)
		return (int)s->rotation->pass;
	elapsed = elapsed_ns(s);
	if (elapsed - s->rotation->turn_began_ns <= s->rotation->turn_ns / 8) {
		*next_ns = wait_for_work(s, now, elapsed);
		return (int)s->rotation->pass;
	}
	return change_turn(s, now, elapsed, next_ns);
}

/*
 * How long a task ran while its passes took turns.
 *
 * Between the end of one turn and the begin of the next nothing counts, and no counter's times have
 * it. So an event that needs no counter is enabled all the time beside the passes: PERF_COUNT_SW_
 * DUMMY, which counts nothing and has the times. Of CPUs the time is the clock's, and
 * nti_session_go_to_pass() takes it.
 */

static struct perf_event_attr attr_of(const struct ntime_session *s)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = (s->target.flags & NTIME_CHILDREN) != 0,
		.enable_on_exec = (s->target.flags & NTIME_ON_EXEC) != 0,
	};
}

int nti_session_spans_open(struct ntime_session *s)
{
	struct perf_event_attr attr = attr_of(s);
	size_t i;
	int ret = 0;

	if (!(s->target.flags & NTIME_TURNS) || s->target.kind >= NTIME_TARGET_CPUS ||
	    s->plan->passes <= 1 || s->ctx->os->is_timeless)
		return 0;
	s->rotation->span = calloc(s->where_count + 1, sizeof(*s->rotation->span));
	if (!s->rotation->span)
		return -ENOMEM;
	/* A device, which comes last, has time as CPUs have. */
	for (i = 0; ret == 0 && i < s->where_count && !nti_session_is_device_place(s->where[i]);
	     i++) {
		nti_perf_group_init(&s->rotation->span[i], s->where[i]);
		ret = nti_perf_group_add(s->ctx->os, &s->rotation->span[i], &attr);
		s->rotation->spans++;
	}
	/* Linux before 3.12 has no such event: the turns' own times have to do. */
	if (ret < 0)
		nti_session_spans_close(s);
	return ret == -ENOMEM || ret == -EMFILE ? ret : 0;
}

void nti_session_spans_close(struct ntime_session *s)
{
	size_t i;

	for (i = 0; i < s->rotation->spans; i++)
		nti_perf_group_fini(s->ctx->os, &s->rotation->span[i]);
	free(s->rotation->span);
	s->rotation->span = NULL;
	s->rotation->spans = 0;
}

void nti_session_spans_switch(struct ntime_session *s, bool on)
{
	size_t i;

	/* A thread that ended cannot be switched, and needs it no more. */
	for (i = 0; i < s->rotation->spans; i++)
		(void)(on ? nti_perf_group_enable(s->ctx->os, &s->rotation->span[i])
			  : nti_perf_group_disable(s->ctx->os, &s->rotation->span[i]));
}

uint64_t nti_session_span_ns(const struct ntime_session *s, size_t at)
{
	struct nti_perf_reading r;

	return nti_perf_group_read(s->ctx->os, &s->rotation->span[at], &r) < 0 ? 0 : r.enabled_ns;
}
