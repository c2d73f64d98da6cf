/* SPDX-License-Identifier: MIT */
/*
 * A session's inside.
 *
 *     items            what was added: events and metrics, in order (item.h)
 *     where            one per thread or CPU of the target
 *     plan             a part for each unit of each event, put into a pass (plan.h)
 *     pmus             those that are counted without the kernel (ways.h)
 *     groups           one group of counters per pass, unit and where; its members are parts
 *                      (groups.h)
 *     rotation         whose turn it is (rotation.h)
 *     estimates        values of what was counted a part of the time (estimates.h)
 *     hotplug          CPUs that come and go (hotplug.h)
 *
 * States: being filled (items only) -> open (planned, groups exist) -> running <-> stopped.
 *
 * What is behind a pointer is known to those who include its header: it is made and freed with the
 * session.
 */
#ifndef NTI_SESSION_H
#define NTI_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <ntime/session.h>

#include "count/lib/context/context.h"
#include "count/lib/count/clock.h"
#include "count/lib/count/groups.h"
#include "count/lib/count/item.h"

struct ntime_session {
	struct ntime_ctx *ctx;
	struct ntime_target target;
	char *cpus; /* copy of target.cpus, or the machine's */
	struct nti_session_item *item;
	size_t items, item_room;
	size_t metrics; /* how many of the items */
	unsigned int user_groups;
	struct nti_perf_where *where;
	size_t where_count;
	bool is_open;
	struct nti_groups groups;
	struct nti_session_clock clock;
	struct nti_session_plan *plan;
	struct nti_pmus *pmus; /* that we program ourselves; NULL: none so far */
	struct nti_rotation *rotation;
	struct nti_estimates *estimates;
	struct nti_hotplug *hotplug;
	struct nti_stripped *stripped;
	struct nti_doubts *doubts; /* numbers that cannot be right; doubt.h */
	struct nti_readers *readers;
	struct nti_procs *procs;       /* NULL: no item is of the kernel's text files; procs.h */
	struct nti_session_rows *rows; /* NULL until it is read per thread or CPU; rows.h */
};

/* Nothing of it counts: of a recorded machine, or perf events of one of which there are files. */
bool nti_session_is_still(const struct ntime_session *s);

static inline bool nti_session_is_of_tasks(const struct ntime_session *s)
{
	return s->target.kind == NTIME_TARGET_THREAD || s->target.kind == NTIME_TARGET_PROCESS;
}

static inline uint64_t nti_session_now_ns(const struct ntime_session *s)
{
	return s->ctx->os->ops->now_ns(s->ctx->os);
}

/* target.c: threads and CPUs that the target means. */
int nti_session_find_where(struct ntime_session *s);
/* The sentence on a CPU that was asked for and is off line. -ENODEV. */
int nti_session_cpu_is_off_line(struct ntime_session *s, unsigned int cpu);
/* One more place, behind them, where devices count: that of no thread and no CPU. 0 or -ENOMEM. */
int nti_session_add_device_place(struct ntime_session *s);
static inline bool nti_session_is_device_place(struct nti_perf_where where)
{
	return where.pid == -1 && where.cpu == -1;
}

#endif
