/* SPDX-License-Identifier: MIT */
/*
 * Which event sits on which counter in which pass: a pure function of the events' needs. Knows no
 * names, no operating system and no hardware; all memory is the caller's or in the result.
 *
 * A counter belongs to a PMU; counters of a PMU are the bits of a mask. Events in one
 * pass on one PMU need different counters. A resource of a PMU (an extra register such as an
 * off-core response MSR, a shared filter) has one value a pass: events of a PMU that want
 * different values of the same resource cannot share a pass. Events with the same group wish, other
 * than 0, must all sit in one pass (a ratio of two events counted at different times is worth
 * less).
 */
#ifndef NTI_PLAN_H
#define NTI_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/common/error.h"

#define NTI_PLAN_MAX_EVENTS 64
#define NTI_PLAN_MAX_COUNTERS 32 /* of one PMU */
#define NTI_PLAN_MAX_RESOURCES 16
#define NTI_PLAN_MAX_WANTS 8 /* resources of one event */

struct nti_plan_want {
	uint8_t resource; /* of the event's PMU: 0 .. NTI_PLAN_MAX_RESOURCES - 1 */
	uint64_t value;
};

struct nti_plan_event {
	uint32_t counters;  /* mask of counters of its PMU; 0 = needs nothing (software) */
	uint16_t pmu;	    /* which PMU the mask speaks of */
	uint16_t group;	    /* 0 = none; equal numbers go into one pass */
	bool is_exclusive;  /* must be alone on its PMU in its pass */
	uint8_t want_count; /* entries of wants */
	struct nti_plan_want wants[NTI_PLAN_MAX_WANTS];
};

/* Why pass number .pass exists: the constraint that no smaller number of passes can meet. */
enum nti_plan_limit {
	NTI_PLAN_LIMIT_NONE,	  /* first pass */
	NTI_PLAN_LIMIT_COUNTERS,  /* more events than counters in .counters of .pmu */
	NTI_PLAN_LIMIT_RESOURCE,  /* several values wanted of .resource of .pmu */
	NTI_PLAN_LIMIT_EXCLUSIVE, /* an event of .pmu must be alone */
	NTI_PLAN_LIMIT_MIXED,	  /* only the combination of constraints; unproven from .lower on */
};

struct nti_plan_reason {
	enum nti_plan_limit limit;
	uint16_t pmu;
	uint32_t counters;
	uint8_t resource;
	/* one event that the constraint pushed out; sits in this pass or a later one */
	uint8_t event;
};

struct nti_plan {
	unsigned int passes;
	/* proven; false when the search budget ended first, then .lower is the best bound known */
	bool is_minimal;
	unsigned int lower;
	unsigned int nodes;		     /* decisions of the search: effort, free of clocks */
	uint8_t pass[NTI_PLAN_MAX_EVENTS];   /* of each event */
	int8_t counter[NTI_PLAN_MAX_EVENTS]; /* of each event; -1 = needs none */
	struct nti_plan_reason reason[NTI_PLAN_MAX_EVENTS]; /* of each pass */
};

/*
 * What people call things; where .events is NULL or has a NULL, or .pmu or .resource is NULL or
 * gives none, "event 3", "PMU 0", "resource 2" is said.
 */
struct nti_plan_names {
	const char *const *events; /* in the order planned */
	/* 0: each is one; else those from this one on are further counters of the others */
	size_t event_count;
	const char *(*pmu)(const void *arg, unsigned int pmu);
	const char *(*resource)(const void *arg, unsigned int pmu, unsigned int resource);
	const void *arg;
};

/*
 * Plan @n events into the smallest number of passes. Deterministic: the same input gives the same
 * plan, and events are kept in the order given where the number of passes allows it. Allocates
 * nothing; needs less than 64 KiB of stack. Events that need nothing sit in pass 0, or in the pass
 * of their group. No events make no passes. 0; -EINVAL (an event that wants a resource or to be
 * alone names no counter, a resource number out of range, an event that wants two values of one
 * resource); -E2BIG (@n over the maximum); -ENOSPC (a group that cannot be counted at once; @e
 * names an event of it and the constraint, in the words of @names, which may be NULL).
 */
int nti_plan_make(const struct nti_plan_event *events, size_t n, const struct nti_plan_names *names,
		  struct nti_plan *out, struct nti_error *e);

/*
 * Can the two never be in one pass, whatever counters there are? They want different values of a
 * resource, or one must be alone where the other is.
 */
bool nti_plan_are_apart(const struct nti_plan_event *a, const struct nti_plan_event *b);

/*
 * Of the events with @is_constant set, which can count in every pass of @plan, on a counter that
 * nobody else needs? Those keep it set. @plan becomes that of the others, with as many passes; in
 * @events the constant ones need no counter any more, and their counters are nobody's. In the order
 * given, so the first ones have the best chance; events of groups, and those that want a resource
 * or to be alone, are none; with one
 * pass nobody is. Costs up to 32 plans.
 */
void nti_plan_find_constants(struct nti_plan_event *events, size_t n, bool *is_constant,
			     struct nti_plan *plan);

/*
 * Check a plan against its events, independently of how it was made. 0 or -EINVAL. For tests and
 * fuzzers.
 */
int nti_plan_check(const struct nti_plan_event *events, size_t n, const struct nti_plan *plan);

/*
 * One sentence why pass number @pass (from 0) of @plan exists, "" for the first; cut at @bytes,
 * always ended by NUL.
 * @names may be NULL. 0 or -EINVAL (no such pass, no room).
 */
int nti_plan_reason_text(const struct nti_plan_event *events, size_t n, const struct nti_plan *plan,
			 unsigned int pass, const struct nti_plan_names *names, char *text,
			 size_t bytes);

#endif
