/* SPDX-License-Identifier: MIT */
/* CPUs that come and go while a session counts them; follow.c. */
#ifndef NTI_FOLLOW_H
#define NTI_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/value.h>

#include "base/common/set.h"
#include "count/lib/perf/perf.h"

struct ntime_session;
struct nti_session_group;

struct nti_hotplug {
	bool is_following;     /* ntime_session_follow() was called */
	bool has_changed;      /* CPUs came or went since it was called last */
	bool has_off;	       /* some groups are off */
	bool is_calm;	       /* no CPU can have come or gone between the last two looks */
	struct nti_set online; /* CPUs that were on line when it was called last */
	uint64_t events;       /* the kernel's messages to user space, as many as there were then */
	unsigned int tries;    /* how often a CPU was back while counters were opened */
	uint64_t looked_ns;    /* of the session's time: it was called last */
	uint64_t settled;      /* the kernel's number for a CPU that is on line; 0: not known */
	uint64_t *identity;    /* per place: what is another one once its CPU was away */
	char why_changed[128]; /* which CPU came or went last */
};

/* Before counters are opened: what tells later that a CPU was away meanwhile. 0 or -ENOMEM. */
int nti_session_hotplug_begin(struct ntime_session *s);
/* Is @cpu on line, as far as is known? */
bool nti_session_is_on_line(struct ntime_session *s, int cpu);
/* Is @cpu about to come or to go, as the kernel tells? */
bool nti_session_is_changing(struct ntime_session *s, int cpu);
/* The CPU of group @i, whose counters cannot be read any more, went: keep what they counted. */
void nti_session_lose_group(struct ntime_session *s, size_t i);
/* @r, what the counters of @g show, and what was counted before its CPU went, into @out. */
void nti_session_add_before(const struct ntime_session *s, const struct nti_session_group *g,
			    const struct nti_perf_reading *r, struct nti_perf_reading *out);
/* Why the counts of item @i have NTIME_HOTPLUG; NULL: they have not. */
const char *nti_session_why_hotplug(const struct ntime_session *s, size_t i);
/* The groups are closed. */
void nti_session_hotplug_fini(struct ntime_session *s);

/* Counters that the kernel took off a command at exec, without a word. */

struct nti_stripped {
	/* the command's CPU time, 0: not known; it changed its user when it was executed */
	uint64_t expected_ns;
	bool is_protected;
	char why[128]; /* why counts lack a part of the command; "": they do not */
};

/*
 * @cpu_ns: what wait4(2) says of the command that @s counts; @is_protected: the kernel takes its
 * counters off at exec
 */
void nti_session_expect_cpu_time(struct ntime_session *s, uint64_t cpu_ns, bool is_protected);
/* Counts that lack a part of the command are NTIME_PARTIAL. Allocates nothing. */
void nti_session_check_stripped(struct ntime_session *s, struct ntime_value *values);
/* Why values of item @i lack a part of the command; NULL: they do not, as far as it is known. */
const char *nti_session_why_stripped(const struct ntime_session *s, size_t i);

#endif
