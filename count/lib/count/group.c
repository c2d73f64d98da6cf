// SPDX-License-Identifier: MIT
/*
 * A group of a session, whichever way it is counted: perf's, or one of core counters that we
 * program ourselves.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/count/session.h"
#include "count/lib/count/ways.h"

int nti_session_group_enable(struct ntime_session *s, const struct nti_session_group *g)
{
	return g->direct ? nti_pmu_group_enable(g->direct)
			 : nti_perf_group_enable(s->ctx->os, &g->perf);
}

int nti_session_group_disable(struct ntime_session *s, const struct nti_session_group *g)
{
	return g->direct ? nti_pmu_group_disable(g->direct)
			 : nti_perf_group_disable(s->ctx->os, &g->perf);
}

void nti_session_group_fini(struct ntime_session *s, struct nti_session_group *g)
{
	if (g->direct)
		nti_pmu_group_free(g->direct);
	else if (!g->is_off)
		nti_perf_group_fini(s->ctx->os, &g->perf);
	free(g->before);
	free(g->part);
}

const char *nti_session_why_gone(const struct nti_session_group *g)
{
	return g->direct ? nti_pmu_group_why_gone(g->direct) : NULL;
}

const char *nti_session_words_for(const struct ntime_session *s, const struct nti_session_group *g,
				  int error)
{
	return g->direct ? nti_pmus_error(s->pmus, error) : strerror(-error);
}
