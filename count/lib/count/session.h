/* SPDX-License-Identifier: MIT */
/*
 * A session's inside.
 *
 *     items            what was added: events and metrics, in order
 *     where            one per thread or CPU of the target
 *     plan             a part for each unit of each event, put into a pass (plan.h)
 *     pmus             those that are counted without the kernel (ways.h)
 *     groups           one group of counters per pass, unit and where; its members are parts
 *     rotation         whose turn it is (rotate.h)
 *     estimates        values of what was counted a part of the time (estimates.h)
 *     hotplug          CPUs that come and go (follow.h)
 *
 * States: being filled (items only) -> open (planned, groups exist) -> running <-> stopped.
 *
 * What is behind a pointer is known to those who include its header: it is made and freed with the
 * session.
 */
#ifndef NTI_SESSION_H
#define NTI_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/session.h>

#include "base/os/clock.h"
#include "count/lib/context/context.h"
#include "count/lib/count/estimate.h"
#include "count/lib/count/plan.h"
#include "count/lib/event/event.h"
#include "count/lib/metric/metric.h"
#include "count/lib/perf/perf.h"
#include "count/lib/pmu/pmu.h"

/*
 * What was added to a session: events and metrics, in order, each with what is known of it. Events
 * and metrics are resolved and described when they are added (add.c); places in the plan and in
 * groups are theirs once the session is open.
 */

struct ntime_session;
struct nti_session_group;

#define NTI_SESSION_MAX_ITEMS 1024

/* An event that takes turns beside one that counts all the time. */
struct nti_work {
	size_t by;   /* number of the item that counts all the time, and 1; 0: there is none */
	double seen; /* of its count, while this event was on its counter */
	/* that count, and this event's times, when they were looked at last */
	double count, wanted_ns, counted_ns;
	struct nti_estimate estimate; /* of which .by's count is the measure */
};

/* At most .most times what item .of counts all the time, and .slack more. */
struct nti_cap {
	size_t of;
	double most, slack;
};

#define NTI_CAPS 4

struct nti_session_item {
	/*
	 * What each reading needs comes first. An event that is one member of one group: most are,
	 * and are read without adding up. .only is NULL for the others, which are summed, and for
	 * what no group counts. Set when the session is open; borrowed from the session.
	 */
	const struct nti_session_group *only;
	const struct nti_perf_reading *reading; /* of .only */
	const uint64_t *count;			/* in .reading */
	uint32_t flags;				/* that every value of the item has */
	size_t member;				/* of .only */
	char *name;
	unsigned int group; /* user's {group}, 0 = none */
	bool is_hidden;
	bool was_hidden;    /* until the list that unhid it is through */
	bool is_of_pattern; /* "gpu0/NAME/" with a pattern for a name stands for it */
	bool is_metric;
	bool is_clock;
	bool is_proc;		   /* of the kernel's text files; procs.h */
	size_t proc;		   /* which of its numbers */
	bool is_emulated;	   /* a plugin of the emulator counts it; emulator.h */
	int emulated;		   /* which of its events */
	bool is_share;		   /* a metric in %, of a file: never more than all of it */
	const char *doubt_of_0;	   /* why a count of 0 says nothing; NULL: it is as good as any */
	bool is_limited;	   /* .absent does not make it absent: it says what is left out */
	bool is_constant;	   /* a counter of its own in every pass, while others take turns */
	bool is_in_every_pass;	   /* it is constant, or needs no counter */
	struct nti_event event;	   /* events only */
	struct nti_absence absent; /* why it is absent; or, with is_limited, what is left out */
	struct nti_absence doubt;  /* what is known against its counter, whatever that counts */
	const struct nti_formula *formula; /* metrics only: the context's, or of .inline_metric */
	struct nti_metric inline_metric;   /* that the user gave; else zeroed */
	char *unit_text;		   /* metrics only */
	char *beside;			   /* metrics only, may be NULL */
	size_t *input; /* metrics only: item numbers in the formula's order, .inputs of them */
	size_t inputs;
	struct nti_estimate estimate;
	struct nti_work work;
	struct nti_cap cap[NTI_CAPS];
	size_t caps;
	unsigned int pass;
	unsigned int turns; /* passes that have a part of it */
	bool is_summed;
};

/* Has no number at all, as opposed to one that leaves something out. */
static inline bool nti_session_item_is_absent(const struct nti_session_item *item)
{
	return item->absent.reason && !item->is_limited;
}

/* The first one that counts it; NULL: it is no event of a unit. */
static inline const struct nti_unit *nti_session_unit_of(const struct nti_session_item *item)
{
	return item->event.parts ? item->event.part[0].unit : NULL;
}

/* Neither a counter of the plan nor computed. */
static inline bool nti_session_item_is_free(const struct nti_session_item *item)
{
	return item->is_clock || item->is_proc || item->is_emulated;
}

/* add.c */
void nti_session_item_fini(struct nti_session_item *item);
/* Metrics whose events turned out absent when they were opened say so. 0 or -ENOMEM. */
int nti_session_explain_metrics(struct ntime_session *s);

/* known.c: @item is absent where an erratum says so. 0 or -ENOMEM. */
int nti_session_refuse_erratum(struct ntime_session *s, struct nti_session_item *item);
/* What an erratum says against @item, in its .doubt, if there is nothing yet. 0 or -ENOMEM. */
int nti_session_doubt_erratum(struct ntime_session *s, struct nti_session_item *item);

/*
 * Events a nanosecond of the unit's time that no hardware exceeds; INFINITY where nothing
 * is known.
 */
double nti_session_hard_rate(const struct nti_session_item *item);
/* When groups are open: add those of the items that count all the time that bound item @i. */
void nti_session_find_caps(struct ntime_session *s, size_t i);
/* The most that @item can be beside what these counted up to now; INFINITY: nothing is known. */
double nti_session_cap(const struct ntime_session *s, const struct nti_session_item *item);

/*
 * Groups of counters: one for each pass, unit and thread or CPU, perf's or our own, whose members
 * are parts of the plan. What they show is read group by group and added up per item.
 */

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
	/* A pass that was never reached has counted nothing, which is not 0. */
	bool had_turn;
	bool is_late; /* as last read: its CPU's counters lack some of the session's time */
	/* as last read: how long its members were wanted; those of passes, as long as any was */
	uint64_t wanted_ns;
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
	size_t count;
	bool was_denied; /* the kernel refused an event, as perf_event_open(2) is closed */
	/* Scratch of reading: one reading per group, one sum per item that is summed. */
	struct nti_perf_reading *reading;
	struct nti_item_sum *sum;
	bool has_sums; /* some items are */
	/* Nothing counts: of a recorded machine, or perf events of one of which there are files. */
	bool is_still;
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

/* One group, whichever way it is counted; as the functions of count/lib/perf/perf.h. */
int nti_session_group_enable(struct ntime_session *s, const struct nti_session_group *g);
int nti_session_group_disable(struct ntime_session *s, const struct nti_session_group *g);
static inline int nti_session_group_read(struct nti_os *os, const struct nti_session_group *g,
					 struct nti_perf_reading *out)
{
	return g->direct ? nti_pmu_group_read(g->direct, out)
			 : nti_perf_group_read(os, &g->perf, out);
}
/* Why the device of @g is gone, NULL: it is not. Valid as long as the session is open. */
static inline const char *nti_session_why_gone(const struct nti_session_group *g)
{
	return g->direct ? nti_pmu_group_why_gone(g->direct) : NULL;
}
/*
 * @error of @g in words: registers that we access ourselves are named. Valid until the next call of
 * its PMU instances.
 */
const char *nti_session_words_for(const struct ntime_session *s, const struct nti_session_group *g,
				  int error);

/* A session's own time: how long it ran, by the system's clock and in TSC ticks: clock.c. */

/* Of which moment the counts of a reading are. */
struct nti_session_moment {
	uint64_t at_ns;	    /* of the system's clock; 0: nobody looked */
	uint64_t unsure_ns; /* how far from there it may have been */
};

struct nti_session_clock {
	bool is_running, was_started;
	uint64_t started_ns, elapsed_ns; /* of the current run; of the runs before it */
	uint64_t started_tsc, elapsed_tsc;
	struct nti_moment end; /* of what is measured, where it is known; else 0 */
	bool needs_time;       /* reading needs it */
	uint64_t read_tsc; /* of the last reading: taken with its time, whose rate it is part of */
	struct nti_session_moment moment; /* of the last reading */
	uint64_t least_ns;		  /* that one has taken */
};

void nti_session_clock_start(struct ntime_session *s);
void nti_session_clock_stop(struct ntime_session *s);
/* TSC ticks while the session ran. */
uint64_t nti_session_tsc(const struct ntime_session *s);
uint64_t nti_session_real_ns(const struct ntime_session *s);
/* The same when the system's clock said @now_ns. */
uint64_t nti_session_real_ns_at(const struct ntime_session *s, uint64_t now_ns);
/* The run of @s that goes on began at @begin, if it waits for exec, and ended at @end; or NULL. */
void nti_session_take_times(struct ntime_session *s, const struct nti_moment *begin,
			    const struct nti_moment *end);

struct ntime_session {
	struct ntime_ctx *ctx;
	struct ntime_target target;
	char *cpus;    /* copy of target.cpus, or the machine's */
	char *context; /* copy of target.context */
	struct nti_session_item *item;
	size_t items;
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

static inline bool nti_session_is_of_tasks(const struct ntime_session *s)
{
	return s->target.kind == NTIME_TARGET_THREAD || s->target.kind == NTIME_TARGET_PROCESS;
}

static inline uint64_t nti_session_now_ns(const struct ntime_session *s)
{
	return s->ctx->os->ops->now_ns(s->ctx->os);
}

/* The sentence on a CPU that was asked for and is off line. -ENODEV. */
int nti_session_cpu_is_off_line(struct ntime_session *s, unsigned int cpu);
/* One more place, behind them, where devices count: that of no thread and no CPU. 0 or -ENOMEM. */
int nti_session_add_device_place(struct ntime_session *s);
static inline bool nti_session_is_device_place(struct nti_perf_where where)
{
	return where.pid == -1 && where.cpu == -1;
}

#endif
