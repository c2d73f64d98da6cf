/* SPDX-License-Identifier: MIT */
/*
 * A session's plan: its events cut into parts, one for each unit that counts them, and each part
 * put into a pass. What the kernel refuses is learned, and the plan is made again.
 */
#ifndef NTI_SESSION_PLAN_H
#define NTI_SESSION_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/common/set.h"
#include "count/lib/event/event.h"
#include "count/lib/perf/perf.h"

struct ntime_session;
struct nti_session_group;

/* One part of an event item, with what the session decided for it. */
struct nti_session_part {
	const struct nti_part *part; /* of the item's event */
	size_t item;
	unsigned int pass;
	bool needs_counter; /* false: counts in every pass */
	bool is_beside;	    /* its counter counts while any other of its PMU does; see open.c */
	bool is_refused;    /* the kernel said no */
	bool is_shared;	    /* one of several core PMUs that take turns with a task; see read.c */
	bool is_follower;   /* not the first of them that is open */
	bool is_user_only;  /* the kernel's mode is closed to this user */
};

/* What the session knows of a unit, in the place that the unit's number says. */
struct nti_session_unit {
	const struct nti_unit *unit;
	struct nti_set cpus;	/* on which it counts, where it has a list and parts */
	uint32_t limit;		/* counters that the kernel lets us have, a mask */
	enum nti_method method; /* as nti_session_method() says */
	bool is_taken;		/* its PMU instances are ours, or it was refused */
};

struct nti_session_plan {
	struct nti_session_part *part;
	size_t parts;
	unsigned int passes;
	char **pass_text;	       /* passes entries: why each exists */
	struct nti_session_unit *unit; /* units entries; NULL until it is opened */
	size_t units;
};

/* Put every part into a pass. 0, -ENOSPC, -ENOMEM, -EINVAL with a sentence. */
int nti_session_make_plan(struct ntime_session *s);
/*
 * The kernel took the members of @g and no further event of its unit: remember it, so that the next
 * plan obeys. False: nothing is left to give up.
 */
bool nti_session_learn_limit(struct ntime_session *s, const struct nti_session_group *g);
void nti_session_forget_plan(struct ntime_session *s);

/* The parts of all items, those that have no place refused, and units. 0 or -ENOMEM. */
int nti_session_make_parts(struct ntime_session *s);
/* Part @p cannot be counted; its item is absent for @absent (taken over) from now on. */
void nti_session_refuse(struct ntime_session *s, struct nti_session_part *p,
			const struct nti_absence *absent);
/* Does @unit, which has parts, count there? */
bool nti_session_is_unit_at(const struct ntime_session *s, const struct nti_unit *unit,
			    struct nti_perf_where where);
void nti_session_parts_fini(struct ntime_session *s);

#endif
