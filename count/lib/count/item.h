/* SPDX-License-Identifier: MIT */
/*
 * What was added to a session: events and metrics, in order, each with what is known of it. Events
 * and metrics are resolved and described when they are added (add.c); places in the plan and in
 * groups are theirs once the session is open.
 */
#ifndef NTI_ITEM_H
#define NTI_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include "count/lib/count/estimate.h"
#include "count/lib/event/event.h"
#include "count/lib/metric/metric.h"
#include "count/lib/perf/perf.h"

struct ntime_session;
struct nti_session_group;

#define NTI_SESSION_MAX_ITEMS 1024

/* An event that takes turns beside one that counts all the time; work.c. */
struct nti_work {
	size_t by;   /* number of the item that counts all the time, and 1; 0: there is none */
	double seen; /* of its count, while this event was on its counter */
	/* that count, and this event's times, when they were looked at last */
	double count, wanted_ns, counted_ns;
	struct nti_estimate estimate; /* of which .by's count is the measure */
};

/* At most .most times what item .of counts all the time, and .slack more; bounds.c. */
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
	bool is_emulated;	   /* a plugin of the emulator counts it; emulated.h */
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
	size_t *input;			   /* metrics only: item numbers in the formula's order */
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

/* Neither a counter of the plan nor computed. */
static inline bool nti_session_item_is_free(const struct nti_session_item *item)
{
	return item->is_clock || item->is_proc || item->is_emulated;
}

/* add.c */
void nti_session_item_fini(struct nti_session_item *item);
/* Metrics whose events turned out absent when they were opened say so. 0 or -ENOMEM. */
int nti_session_explain_metrics(struct ntime_session *s);

/* erratum.c: @item is absent where an erratum says so. 0 or -ENOMEM. */
int nti_session_refuse_erratum(struct ntime_session *s, struct nti_session_item *item);
/* What an erratum says against @item, in its .doubt, if there is nothing yet. 0 or -ENOMEM. */
int nti_session_doubt_erratum(struct ntime_session *s, struct nti_session_item *item);

/*
 * bounds.c: events a nanosecond of the unit's time that no hardware exceeds; INFINITY where nothing
 * is known.
 */
double nti_session_hard_rate(const struct nti_session_item *item);
/* When groups are open: add those of the items that count all the time that bound item @i. */
void nti_session_find_caps(struct ntime_session *s, size_t i);
/* The most that @item can be beside what these counted up to now; INFINITY: nothing is known. */
double nti_session_cap(const struct ntime_session *s, const struct nti_session_item *item);

#endif
