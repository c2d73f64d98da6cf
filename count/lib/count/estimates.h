/* SPDX-License-Identifier: MIT */
/*
 * Values of events whose counter ran a part of the time: by the time, or by the work that an event
 * measured which counts all the time. The pure functions are in estimate.h.
 */
#ifndef NTI_ESTIMATES_H
#define NTI_ESTIMATES_H

#include <stdbool.h>

#include <ntime/value.h>

#include "count/lib/count/session.h"

/* Groups are not read at the same moment; as much as rows of count/data/limits have. */
#define NTI_CAP_SLACK 10000

/* What one event showed is possible for the others. */
struct nti_estimates {
	double most_rate;      /* events a nanosecond of any core event in any turn */
	double most_work_rate; /* the same for one of the work */
	bool has_work;	       /* an item has .work.by */
};

/* A turn of @item, which has a counter, ended with these sums. */
void nti_session_step(struct ntime_session *s, const struct nti_session_item *item,
		      const struct nti_item_sum *sum, struct nti_estimate *e);
/*
 * The value and the interval of @item, whose counter ran a part of the time, into @out. @e: of its
 * turns; one that goes on is taken as it is now. NULL where the kernel decided which part that
 * was. @work: the same by what counted all the time; NULL: not known.
 */
void nti_session_estimate(struct ntime_session *s, const struct nti_session_item *item,
			  const struct nti_item_sum *sum, struct nti_estimate *e,
			  struct nti_work *work, struct ntime_value *out);

/*
 * Which item each item that takes turns is measured by. When groups are open and items know
 * theirs.
 */
void nti_session_find_work(struct ntime_session *s);
/* A turn began or ended, or a reading was taken: @sum is what @work's event has now. */
void nti_session_look_at_work(const struct ntime_session *s, const struct nti_item_sum *sum,
			      struct nti_work *work);
/* After a look: its turn ended. */
void nti_session_step_work(struct ntime_session *s, const struct nti_item_sum *sum,
			   struct nti_work *work);
/* Do both count in user mode, in the kernel, in guests, ... or both not? */
bool nti_session_is_same_modes(const struct perf_event_attr *a, const struct perf_event_attr *b);
/* Are two items of one unit counted in the same modes, each with one part? */
bool nti_session_is_alike(const struct ntime_session *s, size_t a, size_t b);

#endif
