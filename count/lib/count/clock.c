// SPDX-License-Identifier: MIT
/* How long a session ran, by the system's clock and in TSC ticks. */
#include "count/lib/count/reader.h"
#include "count/lib/count/session.h"

/* From @begin to @now, or to @end if that is known and was before. */
static uint64_t time_until(uint64_t begin, uint64_t now, uint64_t end)
{
	if (end && end < now)
		now = end;
	return now > begin ? now - begin : 0;
}

uint64_t nti_session_real_ns_at(const struct ntime_session *s, uint64_t now_ns)
{
	return s->clock.elapsed_ns +
	       (s->clock.is_running ? time_until(s->clock.started_ns, now_ns, s->clock.end.ns) : 0);
}

uint64_t nti_session_real_ns(const struct ntime_session *s)
{
	struct nti_os *os = s->ctx->os;

	return nti_session_real_ns_at(s, s->clock.is_running ? os->ops->now_ns(os) : 0);
}

uint64_t nti_session_tsc(const struct ntime_session *s)
{
	struct nti_os *os = s->ctx->os;
	uint64_t now;

	if (!s->clock.is_running || os->ops->tsc(os, &now) < 0)
		return s->clock.elapsed_tsc;
	return s->clock.elapsed_tsc + time_until(s->clock.started_tsc, now, s->clock.end.ticks);
}

void nti_session_clock_start(struct ntime_session *s)
{
	struct nti_os *os = s->ctx->os;

	s->clock.started_ns = os->ops->now_ns(os);
	(void)os->ops->tsc(os, &s->clock.started_tsc);
	s->clock.is_running = true;
	s->clock.was_started = true;
}

void nti_session_take_times(struct ntime_session *s, const struct nti_moment *begin,
			    const struct nti_moment *end)
{
	if (s->ctx->os->is_timeless)
		return;
	if (s->target.flags & NTIME_ON_EXEC && !s->clock.elapsed_ns) {
		s->clock.started_ns = begin->ns;
		s->clock.started_tsc = begin->ticks;
		nti_session_readers_update(s);
	}
	if (end)
		s->clock.end = *end;
}

void nti_session_clock_stop(struct ntime_session *s)
{
	/*
	 * In this order, as nti_session_clock_start(): a recording's clock moves when the time is
	 * asked for.
	 */
	s->clock.elapsed_ns = nti_session_real_ns(s);
	s->clock.elapsed_tsc = nti_session_tsc(s);
	s->clock.end = (struct nti_moment){ 0 };
	s->clock.is_running = false;
}
