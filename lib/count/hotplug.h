/* SPDX-License-Identifier: MIT */
/* CPUs that come and go while a session counts them; follow.c. */
#ifndef NTI_HOTPLUG_H
#define NTI_HOTPLUG_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/set.h"
#include "lib/perf/perf.h"

struct ntime_session;
struct nti_session_group;

struct nti_hotplug {
	bool is_following;     /* ntime_session_follow() was called */
	bool has_changed;      /* CPUs came or went since it was called last */
	bool has_off;	       /* some groups are off */
	struct nti_set online; /* CPUs that were on line when it was called last */
	char why_changed[96];  /* which CPU came or went last */
};

/* Is @cpu on line, as far as is known? */
bool nti_session_is_on_line(struct ntime_session *s, int cpu);
/* The CPU of group @i, whose counters cannot be read any more, went: keep what they counted. */
void nti_session_lose_group(struct ntime_session *s, size_t i);
/* @r, what the counters of @g show, and what was counted before its CPU went, into @out. */
void nti_session_add_before(const struct ntime_session *s, const struct nti_session_group *g,
			    const struct nti_perf_reading *r, struct nti_perf_reading *out);
/* Why the counts of item @i have NTIME_HOTPLUG; NULL: they have not. */
const char *nti_session_why_hotplug(const struct ntime_session *s, size_t i);
/* The groups are closed. */
void nti_session_hotplug_fini(struct ntime_session *s);

#endif
