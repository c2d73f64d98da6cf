/* SPDX-License-Identifier: MIT */
/*
 * A session's inside.
 *
 *     items            what was added: events and metrics, in order
 *       part           one kernel event of an event item, on one unit; has a pass
 *     where            one per thread or CPU of the target
 *     groups           one group of counters per pass, unit and where, perf's or our own; its
 *                      members are parts
 *     sums             per item, made anew at each read from all groups: allocated once
 *
 * States: being filled (items only) -> open (planned, groups exist) -> running <-> stopped.
 */
#ifndef NTI_SESSION_H
#define NTI_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <ntime/reader.h>
#include <ntime/session.h>

#include "lib/count/doubt.h"
#include "lib/count/estimate.h"
#include "lib/count/turns.h"
#include "lib/pmu/pmu.h"
#include "lib/perf/perf.h"
#include "lib/base/set.h"
#include "lib/context/context.h"
#include "lib/event/event.h"
#include "lib/metric/metric.h"
#include "lib/os/clock.h"
#include "lib/plan/plan.h"

#define NTI_SESSION_MAX_ITEMS 1024

/* An event that takes turns beside one that counts all the time; work.c. */
struct nti_work {
	size_t by;   /* number of the item that counts all the time, and 1; 0: there is none */
	double seen; /* of its count, while this event was on its counter */
	/* that count, and this event's times, when they were looked at last */
	double count, wanted_ns, counted_ns;
	struct nti_estimate estimate; /* of which .by's count is the measure */
};

/*
 * arm64's PMU driver: "rdpmc" term, config1 bit 1, asks for access from user mode (Linux,
 * drivers/perf/arm_pmuv3.c).
 */
#define NTI_ARM_USER_ACCESS 2

/* One part of an event item, with what the session decided for it. */
struct nti_session_part {
	const struct nti_part *part; /* of the item's event */
	size_t item;
	unsigned int pass;
	bool needs_counter; /* false: counts in every pass */
	bool is_refused;    /* the kernel said no */
	bool is_shared;	    /* one of several core PMUs that take turns with a task; see read.c */
	bool is_follower;   /* not the first of them that is open */
	bool is_user_only;  /* the kernel's mode is closed to this user */
};

struct nti_session_item {
	char *name;
	unsigned int group; /* user's {group}, 0 = none */
	bool is_hidden;
	bool was_hidden; /* until the list that unhid it is through */
	bool is_metric;
	bool is_clock;
	bool is_share;		   /* a metric in %, of a file: never more than all of it */
	bool is_unlisted;	   /* its code is in no list of events: a count of 0 says nothing */
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
	size_t *input;			   /* metrics only: item numbers in the formula's order */
	struct nti_estimate estimate;
	struct nti_work work;
	unsigned int pass;
	/*
	 * An event that is one member of one group: most are, and are read without adding up. .only
	 * is NULL for the others, which are summed, and for what no group counts. Set when the
	 * session is open; borrowed from the session.
	 */
	const struct nti_session_group *only;
	size_t member;
	const struct nti_perf_reading *reading; /* of .only */
	bool is_summed;
	uint32_t flags; /* that every value of the item has */
};

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
	uint32_t hotplugs;		 /* how often its CPU came or went */
	uint64_t begin_ns;		 /* of the session's time: its counters began then */
	struct nti_perf_reading *before; /* what was counted before its CPU went; NULL: nothing */
	bool is_late; /* as last read: its CPU's counters lack some of the session's time */
	/* as last read: its members counted all the time for which they were wanted */
	bool is_exact;
};

/* Of which moment the counts of a reading are. */
struct nti_session_moment {
	uint64_t at_ns;	    /* of the system's clock; 0: nobody looked */
	uint64_t unsure_ns; /* how far from there it may have been */
};

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

	bool is_open, is_running, was_started;
	struct nti_session_part *part;
	size_t parts;
	struct nti_session_group *group;
	size_t groups, group_room;
	unsigned int passes, pass; /* pass: the current one, with NTIME_BY_PASS */
	unsigned int turns;	   /* passes entered after the first one */
	unsigned int pass_reached; /* the last pass that had a turn */
	uint32_t *limit;	   /* per unit: counters that the kernel lets us have, a mask */
	/* per unit: the CPUs on which it counts, where it has a list; NULL until it is opened */
	struct nti_set *unit_cpus;
	const char **unit_name; /* per unit, borrowed, for the planner's sentences */
	enum nti_method
		*method;       /* per unit, as nti_session_method() says; NULL until it is opened */
	bool *is_taken;	       /* per unit: its PMU instances are ours, or it was refused */
	struct nti_pmus *pmus; /* NULL until then, and until a plan is made */
	bool was_denied;       /* the kernel refused an event, as perf_event_open(2) is closed */
	bool is_rotating;      /* NTIME_TURNS, or ntime_session_rotate() was used */
	/* With NTIME_TURNS and several passes: whose turn it is, and until when; rotate.c. */
	struct nti_turns order;
	unsigned int *turn_order;
	uint64_t turn_end_ns, turn_ns, turn_began_ns, idle_ns;
	uint64_t dead_ns;	     /* of CPUs: between turns, when no pass counted */
	struct nti_perf_group *span; /* of tasks: spans of them; span.c */
	size_t spans;
	char **pass_text; /* passes entries: why each exists */

	uint64_t started_ns, elapsed_ns; /* of the current run; of the runs before it */
	uint64_t started_tsc, elapsed_tsc;
	struct nti_moment end; /* of what is measured, where it is known; else 0 */
	/* the command's CPU time, 0: not known; it changed its user when it was executed */
	uint64_t expected_ns;
	bool is_protected;
	char why_stripped[128]; /* why counts lack a part of the command; "": they do not */
	double most_rate;	/* events a nanosecond of any core event in any turn */
	double contrast;	/* most by which a core event differed between turns; estimate.h */
	double most_work_rate, work_contrast; /* the same for one of the work; work.c */
	bool has_work;			      /* an item has .work.by */

	/* Scratch of ntime_session_read(): one reading per group, one sum per item. */
	struct nti_perf_reading *reading;
	/* per thread or CPU: time of all passes, for sessions that rotate */
	uint64_t *pass_enabled_ns;
	struct nti_item_sum *sum; /* of the items that are summed */
	struct nti_doubts doubts; /* numbers that cannot be right; doubt.c */
	bool has_sums;		  /* some are */
	bool is_following;	  /* ntime_session_follow() was called */
	bool has_changed;	  /* CPUs came or went since it was called last */
	bool has_off;		  /* some groups are off */
	struct nti_set followed;  /* CPUs that were on line when it was called last */
	char why_changed[96];	  /* which CPU came or went last */
	bool needs_time;	  /* reading needs the session's own clock */
	uint64_t read_tsc; /* of the last reading: taken with its time, whose rate it is part of */
	struct nti_session_moment moment; /* of the last reading */
	uint64_t least_ns;		  /* that one has taken */

	struct nti_session_rows *rows; /* NULL until it is read per thread or CPU; where.c */

	uintptr_t
		/* thread pointer of who opened: the one measured if the target is "this thread" */
		thread;
	struct ntime_reader_state *
		/* per item; page of its own, wiped on fork. NULL until a reader is asked for */
		state;
	void **page; /* perf page per item, or NULL */
	size_t state_bytes, page_bytes;
	pid_t page_owner; /* process that mapped the pages */
};

/* The sum over all parts, threads and CPUs of one item. */
struct nti_item_sum {
	uint64_t count, wanted_ns, counted_ns;
	double value; /* scaled per thread or CPU, in counts */
	bool is_scaled, is_partial, is_seen, is_shared, is_overflowed, is_lost;
	bool is_direct; /* counted by us, in turns that are ours */
	uint32_t hotplugs;
	size_t parts, gone; /* counters, and those of them whose device is gone */
};

/* What an event is at one thread or CPU of the target. */
enum nti_session_where {
	NTI_NOWHERE,   /* its units are not there: another kind of core */
	NTI_ELSEWHERE, /* they are, but are counted on another CPU */
	NTI_HERE,
};

/* How sessions are read per thread or CPU: a row for each. */
struct nti_session_rows {
	struct ntime_where_info *info;
	/* per row, and one more: its groups are those from here to before the next row's */
	size_t *first;
	size_t count;		       /* rows */
	uint8_t *where;		       /* enum nti_session_where of row * items + item */
	struct nti_estimate *estimate; /* likewise */
	struct nti_seen *seen;	       /* likewise; doubt.c */
	struct nti_moved *moved;       /* of row * checks + check */
};

/* target.c: threads and CPUs that the target means. */
int nti_session_find_where(struct ntime_session *s);
/* One more place, behind them, where devices count: that of no thread and no CPU. 0 or -ENOMEM. */
int nti_session_add_device_place(struct ntime_session *s);
static inline bool nti_session_is_device_place(struct nti_perf_where where)
{
	return where.pid == -1 && where.cpu == -1;
}

/*
 * where.c: rows of an opened session, made the first time: then the topology is looked at and
 * memory is allocated. 0, -EIO, -ENOMEM with a sentence.
 */
int nti_session_rows_get(struct ntime_session *s, const struct nti_session_rows **out);
void nti_session_rows_fini(struct ntime_session *s);
/* The session has more CPUs than the rows: make them anew. 0 or as nti_session_rows_get(). */
int nti_session_rows_grow(struct ntime_session *s);

/* plan.c: put every part into a pass. 0, -ENOSPC, -ENOMEM, -EINVAL with a sentence. */
int nti_session_plan(struct ntime_session *s);
/* Which counters each unit has for us, if that is not known yet. 0 or -ENOMEM. */
int nti_session_make_limits(struct ntime_session *s);
/*
 * The kernel took the members of @g and no further event of its unit: remember it, so that the next
 * plan obeys. False: nothing is left to give up.
 */
bool nti_session_learn_limit(struct ntime_session *s, const struct nti_session_group *g);

/* open.c: part @p cannot be counted; its item is absent for @absent (taken over) from now on. */
void nti_session_refuse(struct ntime_session *s, struct nti_session_part *p,
			const struct nti_absence *absent);
/* Does @unit, which has parts, count there? */
bool nti_session_is_unit_at(const struct ntime_session *s, const struct nti_unit *unit,
			    struct nti_perf_where where);

/* group.c: one group, whichever way it is counted; as the functions of lib/perf/perf.h. */
int nti_session_group_enable(struct ntime_session *s, const struct nti_session_group *g);
int nti_session_group_disable(struct ntime_session *s, const struct nti_session_group *g);
int nti_session_group_read(const struct ntime_session *s, const struct nti_session_group *g,
			   struct nti_perf_reading *out);
/* Close it; the session forgets it. */
void nti_session_group_fini(struct ntime_session *s, struct nti_session_group *g);

/* method.c: the access method that counts @unit; final when the session is open. */
enum nti_method nti_session_method(const struct ntime_session *s, const struct nti_unit *unit);
const char *nti_session_method_name(enum nti_method method);
/* Do we program its counters ourselves? False for NULL, and before the session is opened. */
bool nti_session_is_direct(const struct ntime_session *s, const struct nti_unit *unit);
/* Settle the ways of all units that have parts, once. 0 or -ENOMEM. */
int nti_session_decide_methods(struct ntime_session *s);
/*
 * The way of @unit was refused for want of permission: is there another one? Then it is that from
 * now on, and all is opened anew.
 */
bool nti_session_can_change_method(struct ntime_session *s, const struct nti_unit *unit);

/*
 * direct.c: take the PMU instances of units that we count ourselves; where they cannot be had,
 * their events are absent. 0 or -errno.
 */
int nti_session_take_pmus(struct ntime_session *s);
/* PMUs of which nothing is counted after all are given back. */
void nti_session_give_back_pmus(struct ntime_session *s);
/*
 * What @p, whose unit we count ourselves, asks of the planner: counters (0: it needs none) and
 * shared registers. Returns the counter that it takes besides, in the planner's bits; 0: none.
 */
uint32_t nti_session_fill_need(const struct ntime_session *s, const struct nti_session_part *p,
			       struct nti_plan_event *need);
/* It is read where it always runs, or cannot be counted this way whatever is free. */
bool nti_session_needs_no_counter(const struct nti_session_part *p);
/* Counters of its PMU instance that can count @part; 0 also for what registers cannot count. */
uint64_t nti_session_counters(const struct nti_part *part);
/* Which counter that could count @p is somebody else's. 0 or -ENOMEM. */
int nti_session_explain_taken(struct ntime_session *s, const struct nti_session_part *p,
			      struct nti_absence *absent);
/* @p becomes the next member of @g. 0; 1: it is absent from now on; -ENOMEM. */
int nti_session_add_to_pmu(struct ntime_session *s, struct nti_session_part *p,
			   struct nti_session_group *g);

/* read.c: is @cpu on line, as far as is known? */
bool nti_session_is_on_line(struct ntime_session *s, int cpu);
/* Why the device of @g is gone, NULL: it is not. Valid as long as the session is open. */
const char *nti_session_why_gone(const struct nti_session_group *g);
/*
 * @error of @g in words: registers that we access ourselves are named. Valid until the next call of
 *	its PMU instances.
 */
const char *nti_session_words_for(const struct ntime_session *s, const struct nti_session_group *g,
				  int error);

/*
 * follow.c: the CPU of group @i, whose counters cannot be read any more, went: keep what they
 * counted.
 */
void nti_session_lose_group(struct ntime_session *s, size_t i);
/* @r, what the counters of @g show, and what was counted before its CPU went, into @out. */
void nti_session_add_before(const struct ntime_session *s, const struct nti_session_group *g,
			    const struct nti_perf_reading *r, struct nti_perf_reading *out);
/* Why the counts of item @i have NTIME_HOTPLUG; NULL: they have not. */
const char *nti_session_why_hotplug(const struct ntime_session *s, size_t i);

/* open.c: groups for the plan. */
int nti_session_open_groups(struct ntime_session *s);
/* Groups have moved: items find theirs anew. */
void nti_session_settle_items(struct ntime_session *s);
/* What perf_event_open(2) is asked for @p. */
struct perf_event_attr nti_session_attr(const struct ntime_session *s,
					const struct nti_session_part *p);
void nti_session_close_groups(struct ntime_session *s);

/* Do its passes take turns that ntime_session_turn() makes? */
static inline bool nti_session_is_turning(const struct ntime_session *s)
{
	return s->target.flags & NTIME_TURNS && s->passes > 1;
}

static inline bool nti_session_is_by_pass(const struct ntime_session *s)
{
	return s->target.flags & (NTIME_BY_PASS | NTIME_PASS_ALONE) || nti_session_is_turning(s);
}

/* Does @g count now, if the session runs? */
static inline bool nti_session_is_current(const struct ntime_session *s,
					  const struct nti_session_group *g)
{
	return g->is_in_every_pass || !nti_session_is_by_pass(s) || g->pass == s->pass;
}

/* Has @g had its turn? A pass that was never reached has counted nothing, which is not 0. */
static inline bool nti_session_had_turn(const struct ntime_session *s,
					const struct nti_session_group *g)
{
	return g->is_in_every_pass || !(s->target.flags & NTIME_BY_PASS) ||
	       g->pass <= s->pass_reached;
}

/* add.c */
void nti_session_item_fini(struct nti_session_item *item);
/* Metrics whose events turned out absent when they were opened say so. 0 or -ENOMEM. */
int nti_session_explain_metrics(struct ntime_session *s);

/* Has no number at all, as opposed to one that leaves something out. */
static inline bool nti_session_item_is_absent(const struct nti_session_item *item)
{
	return item->absent.reason && !item->is_limited;
}

/*
 * bounds.c: events a nanosecond of the unit's time that no hardware exceeds; INFINITY where nothing
 * is known.
 */
double nti_session_hard_rate(const struct nti_session_item *item);

/* session.c: end the turn of the current pass and begin that of @pass. @pass or -errno. */
int nti_session_go_to_pass(struct ntime_session *s, unsigned int pass);
/*
 * read.c: what the counters of @pass, whose turn ended, have now goes into its events' estimates.
 */
int nti_session_end_turn(struct ntime_session *s, unsigned int pass);

/* span.c: how long tasks ran while passes took turns; .span of the session. 0 or -errno. */
int nti_session_spans_open(struct ntime_session *s);
void nti_session_spans_close(struct ntime_session *s);
void nti_session_spans_switch(struct ntime_session *s, bool on);
/* 0: it cannot be read. */
uint64_t nti_session_span_ns(const struct ntime_session *s, size_t at);

/*
 * rotate.c: a plan was made; its passes take turns from .pass on. May be called again. 0 or
 * -ENOMEM.
 */
int nti_session_turns_init(struct ntime_session *s);
void nti_session_turns_fini(struct ntime_session *s);
/* A turn of @item, which has a counter, ended with these sums. */
void nti_session_step(struct ntime_session *s, const struct nti_session_item *item,
		      const struct nti_item_sum *sum, struct nti_estimate *e);
/*
 * rotate.c: put the value and the interval of item @item, whose counter ran a part of the time,
 * into @out. @e: of its turns, brought up to date; NULL where the kernel decided which part that
 * was. @work: the same by what counted all the time; NULL: not known.
 */
void nti_session_estimate(struct ntime_session *s, const struct nti_session_item *item,
			  const struct nti_item_sum *sum, struct nti_estimate *e,
			  struct nti_work *work, struct ntime_value *out);

/*
 * work.c: which item each item that takes turns is measured by. When groups are open and items know
 * theirs.
 */
void nti_session_find_work(struct ntime_session *s);
/* A turn began or ended, or a reading was taken: @sum is what @work's event has now. */
void nti_session_look_at_work(const struct ntime_session *s, const struct nti_item_sum *sum,
			      struct nti_work *work);
/* After a look: its turn ended. */
void nti_session_step_work(struct ntime_session *s, const struct nti_item_sum *sum,
			   struct nti_work *work);
/* @got, by time, or what is known by the work done if that interval is the narrower one. */
struct nti_estimated nti_session_estimate_by_work(const struct ntime_session *s,
						  const struct nti_item_sum *sum,
						  const struct nti_work *work,
						  struct nti_estimated got, double hard_rate);
/* Do both count in user mode, in the kernel, in guests, ... or both not? */
bool nti_session_is_same_modes(const struct perf_event_attr *a, const struct perf_event_attr *b);
/* Are two items of one unit counted in the same modes, each with one part? */
bool nti_session_is_alike(const struct ntime_session *s, size_t a, size_t b);

/*
 * reader.c: map perf's pages before anything counts or is read. A page that is mapped after a
 * read(2) of its running event is wrong by the counter's whole range until the event is next
 * programmed: the kernel then takes the counter's raw value for what was counted (perf_mmap() ->
 * perf_event_update_userpage() subtracts hw.prev_count, which armpmu_event_update() and
 * x86_perf_event_update() leave without the sign that they program it with). 0 or -ENOMEM.
 */
int nti_session_readers_map(struct ntime_session *s);
void nti_session_readers_fini(struct ntime_session *s);
/*
 * The session was read: readers of ntimefs whose counters went so far that the inline code cannot
 * tell a wrap are told.
 */
void nti_session_readers_refresh(struct ntime_session *s);
/* Tell the readers that counting started (true) or stopped. */
void nti_session_readers_update(struct ntime_session *s);

/* erratum.c: @item is absent where an erratum says so. 0 or -ENOMEM. */
int nti_session_refuse_erratum(struct ntime_session *s, struct nti_session_item *item);
/*
 * @cpu_ns: what wait4(2) says of the command that @s counts; @is_protected: the kernel takes its
 *	counters off at exec
 */
void nti_session_expect_cpu_time(struct ntime_session *s, uint64_t cpu_ns, bool is_protected);
/* Counts that lack a part of the command are NTIME_PARTIAL. Allocates nothing. */
void nti_session_check_stripped(struct ntime_session *s, struct ntime_value *values);
/* Why values of item @i lack a part of the command; NULL: they do not, as far as it is known. */
const char *nti_session_why_stripped(const struct ntime_session *s, size_t i);
/* What an erratum says against @item, in its .doubt, if there is nothing yet. 0 or -ENOMEM. */
int nti_session_doubt_erratum(struct ntime_session *s, struct nti_session_item *item);

/* session.c: TSC ticks while the session ran. */
uint64_t nti_session_tsc(const struct ntime_session *s);
uint64_t nti_session_real_ns(const struct ntime_session *s);
/* The run of @s that goes on began at @begin, if it waits for exec, and ended at @end; or NULL. */
void nti_session_take_times(struct ntime_session *s, const struct nti_moment *begin,
			    const struct nti_moment *end);
/* The same when the system's clock said @now_ns. */
uint64_t nti_session_real_ns_at(const struct ntime_session *s, uint64_t now_ns);

#endif
