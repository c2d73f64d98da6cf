/* SPDX-License-Identifier: MIT */
/*
 * Whether events of one PMU find counters (Hall's theorem, by augmenting paths). Internal to
 * count/lib/plan.
 */
#ifndef NTI_PLAN_HALL_H
#define NTI_PLAN_HALL_H

#include "count/lib/plan/problem.h"

/*
 * True when each of @events, all of one PMU, finds a counter and no counter takes more than @room
 * of them. Then @cell, if not NULL, has the PMU's bit number of each event's counter. If not,
 * *@blocked, if @blocked is not NULL, is a set of counters that is too small: more than @room times
 * its size events can use no counter beside it.
 */
bool nti_plan_hall(const struct nti_plan_problem *pb, uint64_t events, unsigned int room,
		   uint8_t *cell, uint32_t *blocked);

/* True when @events, of any PMUs, find counters in one pass. Looks at counters only. */
bool nti_plan_fits(const struct nti_plan_problem *pb, uint64_t events);

/* The smallest number of passes in which the counters of each PMU take @events. */
unsigned int nti_plan_counter_passes(const struct nti_plan_problem *pb, uint64_t events);

#endif
