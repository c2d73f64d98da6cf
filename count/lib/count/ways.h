/* SPDX-License-Identifier: MIT */
/*
 * By which access method each unit of a session is counted, and the PMU instances that are taken
 * where it is not the kernel that counts.
 */
#ifndef NTI_WAYS_H
#define NTI_WAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "count/lib/count/plan.h"
#include "count/lib/pmu/pmu.h"

/* The access method that counts @unit; final when the session is open. */
enum nti_method nti_session_method(const struct ntime_session *s, const struct nti_unit *unit);
/* Do we program its counters ourselves? False for NULL, and before the session is opened. */
bool nti_session_is_direct(const struct ntime_session *s, const struct nti_unit *unit);
/*
 * The way of @unit was refused for want of permission: is there another one? Then it is that from
 * now on, and all is opened anew.
 */
bool nti_session_can_change_method(struct ntime_session *s, const struct nti_unit *unit);

/*
 * Take the PMU instances of units that we count ourselves; where they cannot be had,
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
/* Does its counter count while any other of its PMU instance does, and nothing else? */
bool nti_session_is_beside(const struct ntime_session *s, const struct nti_session_part *p);
/* Counters of its PMU instance that can count @part; 0 also for what registers cannot count. */
uint64_t nti_session_counters(const struct nti_part *part);
/* Which counter that could count @p is somebody else's. 0 or -ENOMEM. */
int nti_session_explain_taken(struct ntime_session *s, const struct nti_session_part *p,
			      struct nti_absence *absent);
/* @p becomes the next member of @g. 0; 1: it is absent from now on; -ENOMEM. */
int nti_session_add_to_pmu(struct ntime_session *s, struct nti_session_part *p,
			   struct nti_session_group *g);

#endif
