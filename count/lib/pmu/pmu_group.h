/* SPDX-License-Identifier: MIT */
/*
 * PMUs and their groups from inside: between count/lib/pmu/pmu.c and pmu_*.c. Who calls holds the
 * lock, but in a forked child.
 */
#ifndef NTI_PMU_GROUP_H
#define NTI_PMU_GROUP_H

#include <pthread.h>
#include <unistd.h>

#include "count/lib/pmu/pmu.h"
#include "count/lib/pmu/pmu_hw.h"
#include "base/os/process.h"

struct nti_pmu_member {
	struct nti_pmu_event event; /* its counter with it */
	uint64_t counters;	    /* those that could count it */
	uint64_t count;		    /* all of it, as of the last look */
	uint64_t raw;		    /* what the register showed then */
	uint64_t mark_ns;	    /* before that look: no overflow was unaccounted for */
	bool is_unsure, is_lost;
	bool is_missing; /* as of the last look: hardware had no valid value */
};

struct nti_pmu_group {
	struct nti_pmus *pmus;
	struct nti_pmu *pmu;
	struct nti_pmu_group *next;
	struct nti_pmu_member member[NTI_PMU_COUNTERS];
	size_t count;
	bool is_enabled;
	bool is_on; /* its events are on the counters */
	bool is_counting;
	uint64_t enabled_at, enabled_ns, begun_at, running_ns;
};

struct nti_pmu {
	const struct nti_unit *unit;
	unsigned int cpu;
	const struct nti_unit_box *box; /* NULL: a core PMU */
	enum nti_method method;
	struct nti_handle *handle;
	struct nti_pmu_hw *hw;
	struct nti_pmu_group *first; /* its groups, as they were made */
	struct nti_pmu_group *
		/*
		 * whose events the counters have; of counters that always run all groups have them
		 */
		on;
	uint64_t checked_ns;
	struct nti_error gone;	     /* .code is 0 as long as it is there */
	bool is_away;		     /* its CPU is off line */
	struct nti_pmu *next_of_cpu; /* of those whose CPU falls into the same slot */
};

/* Each CPU of a large machine has some. */
#define NTI_PMU_SLOTS 1024

struct nti_pmus {
	struct nti_os *os;
	struct nti_handles *handles;
	const char *context; /* of a card's multiprocessors; NULL: none */
	/* Over everything below: readers call from any thread, also while the session is read. */
	pthread_mutex_t lock;
	/*
	 * A forked child has a copy of this and the same registers: it may look at them, and
	 * neither write nor believe a copy that was made in the middle of a change.
	 */
	pid_t owner;
	bool is_changing;
	struct nti_pmu **pmu;
	size_t count;
	struct nti_pmu *slot[NTI_PMU_SLOTS]; /* the same by their CPU */
	/* The PMU instance that could not be had last, and why. */
	const struct nti_unit *refused;
	unsigned int refused_cpu;
	struct nti_absence refusal;
};

static inline uint64_t nti_pmu_now_ns(const struct nti_pmus *pmus)
{
	return pmus->os->ops->now_ns(pmus->os);
}

static inline bool nti_pmu_is_child(const struct nti_pmus *pmus)
{
	return pmus->owner != nti_process_self();
}

static inline unsigned int nti_pmu_lowest(uint64_t set)
{
	return (unsigned int)__builtin_ctzll(set);
}

/* ---- pmu.c ---- */

void nti_pmu_lock(struct nti_pmus *pmus);
void nti_pmu_unlock(struct nti_pmus *pmus);
/* NULL: it was not taken. */
struct nti_pmu *nti_pmu_find(const struct nti_pmus *pmus, const struct nti_unit *unit,
			     unsigned int cpu);

/* ---- pmu_count.c ---- */

/* Bits in which @m counts; 0: it does not. */
static inline unsigned int nti_pmu_width(const struct nti_pmu_group *g,
					 const struct nti_pmu_member *m)
{
	return g->pmu->hw->ops->width(g->pmu->hw, m->event.counter);
}

/* Its value is how things are: nothing is counted. */
static inline bool nti_pmu_is_state(const struct nti_pmu_group *g, const struct nti_pmu_member *m)
{
	return !nti_pmu_width(g, m);
}

/* 2^bits of @width, or the largest number. */
static inline uint64_t nti_pmu_range(unsigned int width)
{
	return width < 64 ? (uint64_t)1 << width : UINT64_MAX;
}

/*
 * What the registers of all members show now; a member without a valid value is .is_missing and
 * keeps what it had. 0 or -errno.
 */
int nti_pmu_read_all(struct nti_pmu_group *g, uint64_t raw[NTI_PMU_COUNTERS]);
/* Bring all members of a group whose events are on the counters up to date. 0 or -errno. */
int nti_pmu_look(struct nti_pmu_group *g);
/*
 * In a forked child, where @g cannot be brought up to date: what it would be, but for the times. 0
 * or -errno.
 */
int nti_pmu_look_in_child(const struct nti_pmu_group *g, struct nti_perf_reading *out);
/* Longest time between two looks in which no member can wrap unseen. */
uint64_t nti_pmu_max_read_interval_ns(const struct nti_pmu_group *g);

/* ---- pmu_group.c ---- */

/*
 * Only a group that is alone on its PMU instance has its counters to itself; one that was never
 * started has none yet.
 */
bool nti_pmu_is_alone(const struct nti_pmu_group *g);

#endif
