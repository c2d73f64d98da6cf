/* SPDX-License-Identifier: MIT */
/*
 * Groups of counters: one for each pass, unit and thread or CPU, perf's or our own, whose members
 * are parts of the plan. What they show is read group by group and added up per item.
 */
#ifndef NTI_GROUPS_H
#define NTI_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/lib/count/plan.h"
#include "count/lib/perf/perf.h"
#include "count/lib/pmu/pmu.h"

struct nti_session_group {
	struct nti_perf_group perf;
	/* Counters that we program ourselves: of .perf only where and count have a meaning then. */
	struct nti_pmu_group *direct;
	const struct nti_unit *unit;
	unsigned int pass;
	bool is_in_every_pass;
	size_t at;				/* index of .where of the session */
	size_t *part;				/* index of the part of each member */
	uint64_t last_enabled_ns, last_real_ns; /* to notice a CPU that went away */
	bool has_last;
	bool was_off_line; /* its CPU was, when it was read */
	/*
	 * Its CPU is off line, or its counters cannot be had there yet: none are open (ours are
	 * left alone), and its reading stays what it is. Only in a session that follows.
	 */
	bool is_off;
	uint32_t hotplugs; /* how often its CPU came or went */
	uint64_t begin_ns; /* of the session's time: its counters began then */
	/*
	 * of the session's time: until then its CPU was counted, or off line, or it is in .missed
	 */
	uint64_t seen_ns;
	/* for at most so long its CPU was on line and not counted */
	uint64_t missed_ns;
	struct nti_perf_reading *before; /* what was counted before its CPU went; NULL: nothing */
	bool is_late; /* as last read: its CPU's counters lack some of the session's time */
	/* as last read: its members counted all the time for which they were wanted */
	bool is_exact;
};

/* The sum over all parts, threads and CPUs of one item. */
struct nti_item_sum {
	uint64_t count, wanted_ns, counted_ns;
	uint64_t missed_ns; /* of CPUs that came or went; not in .wanted_ns */
	double value;	    /* scaled per thread or CPU, in counts */
	bool is_scaled, is_partial, is_seen, is_shared, is_overflowed, is_lost;
	bool is_direct; /* counted by us, in turns that are ours */
	uint32_t hotplugs;
	size_t parts, gone; /* counters, and those of them whose device is gone */
};

struct nti_groups {
	struct nti_session_group *group;
	size_t count, room;
	bool was_denied; /* the kernel refused an event, as perf_event_open(2) is closed */
	/* Scratch of reading: one reading per group, one sum per item that is summed. */
	struct nti_perf_reading *reading;
	struct nti_item_sum *sum;
	bool has_sums; /* some items are */
	/* per thread or CPU: time of all passes, for sessions that rotate */
	uint64_t *pass_enabled_ns;
};

/* open.c: groups for the plan, which is made. 0 or -errno. */
int nti_session_open_groups(struct ntime_session *s);
/* Groups have moved: items find theirs anew. */
void nti_session_settle_items(struct ntime_session *s);
/* What perf_event_open(2) is asked for @p. */
struct perf_event_attr nti_session_attr(const struct ntime_session *s,
					const struct nti_session_part *p);
void nti_session_close_groups(struct ntime_session *s);

/* group.c: one group, whichever way it is counted; as the functions of count/lib/perf/perf.h. */
int nti_session_group_enable(struct ntime_session *s, const struct nti_session_group *g);
int nti_session_group_disable(struct ntime_session *s, const struct nti_session_group *g);
static inline int nti_session_group_read(struct nti_os *os, const struct nti_session_group *g,
					 struct nti_perf_reading *out)
{
	return g->direct ? nti_pmu_group_read(g->direct, out)
			 : nti_perf_group_read(os, &g->perf, out);
}
/* Close it; the session forgets it. */
void nti_session_group_fini(struct ntime_session *s, struct nti_session_group *g);
/* Why the device of @g is gone, NULL: it is not. Valid as long as the session is open. */
const char *nti_session_why_gone(const struct nti_session_group *g);
/*
 * @error of @g in words: registers that we access ourselves are named. Valid until the next call of
 * its PMU instances.
 */
const char *nti_session_words_for(const struct ntime_session *s, const struct nti_session_group *g,
				  int error);

#endif
