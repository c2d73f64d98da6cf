// SPDX-License-Identifier: MIT
/*
 * How long a task ran while its passes took turns.
 *
 * Between the end of one turn and the begin of the next nothing counts, and no counter's times have
 * it. So an event that needs no counter is enabled all the time beside the passes: PERF_COUNT_SW_
 * DUMMY, which counts nothing and has the times. Of CPUs the time is the clock's, and
 * nti_session_go_to_pass() takes it.
 */
#include <errno.h>
#include <stdlib.h>

#include "count/lib/count/plan.h"
#include "count/lib/count/rotation.h"
#include "count/lib/count/session.h"

static bool is_wanted(const struct ntime_session *s)
{
	return s->target.flags & NTIME_TURNS && s->target.kind < NTIME_TARGET_CPUS &&
	       s->plan->passes > 1 && !s->ctx->os->is_timeless;
}

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

	if (!is_wanted(s))
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
