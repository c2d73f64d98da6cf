/* SPDX-License-Identifier: MIT */
/*
 * Counting with counters that we program ourselves: core PMUs and boxes outside of the cores,
 * through the sequences of core/seq and registers of a handle (count/lib/access/handle.h: ntimefs,
 * msr, pci, model).
 *
 *     nti_pmus         those of one session; from take to free they are ours
 *       PMU instance            the core PMU of a CPU, or one box of a unit: its counters, which
 *                               group is on them
 *         group         events that share the counters at one time; several groups of a PMU
 *                       instance take turns
 *
 * Counts are 64 bits wide: a wrap is known by the counter's overflow flag, or, where there is none
 * or it could stand for two, by how fast the PMU instance could count at most. A count that is not
 * sure says so.
 */
#ifndef NTI_PMU_H
#define NTI_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "count/lib/perf/perf.h"
#include "count/lib/event/event.h"

struct nti_pmus;
struct nti_pmu_group;

/* @context: of a card's multiprocessors, borrowed; NULL: none. */
int nti_pmus_new(struct nti_os *os, const char *context, struct nti_pmus **out);
/* Stop, give back, free. Groups are freed before. */
void nti_pmus_free(struct nti_pmus *pmus);

/*
 * Make the PMU instance of @unit at @cpu ours, through @method (NTI_METHOD_NTIMEFS, _MSR, _PCI).
 * *@counters are the counters that we got: bit i general counter i, bit 32 + i fixed counter i. 0
 * (also when it is ours already), or -errno: nti_pmus_explain() knows why. -ENOTSUP: no sequence
 * for it, or @method does not reach it; -EBUSY: somebody has its counters.
 */
int nti_pmus_take(struct nti_pmus *pmus, const struct nti_unit *unit, unsigned int cpu,
		  enum nti_method method, uint64_t *counters);
/*
 * Why nti_pmus_take() failed with @error: counter and owner by name where they are known. 0 or
 * -ENOMEM.
 */
int nti_pmus_explain(struct nti_pmus *pmus, const struct nti_unit *unit, unsigned int cpu,
		     int error, struct nti_absence *out);

/*
 * Of the PMU instance of @unit at @cpu, which is ours: which counter of @counters is not, and whose
 * it may be. 1; 0: all are ours; -ENOMEM.
 */
int nti_pmus_explain_taken(struct nti_pmus *pmus, const struct nti_unit *unit, unsigned int cpu,
			   uint64_t counters, struct nti_absence *out);

/*
 * The CPU of @g went off line: its PMU instance is left alone, and its groups' turns with it, until
 * nti_pmus_forget() gives it back.
 */
void nti_pmu_group_set_away(struct nti_pmu_group *g);
/*
 * Give back what was taken of @unit at @cpu, whose groups were freed before; it can be taken anew.
 */
void nti_pmus_forget(struct nti_pmus *pmus, const struct nti_unit *unit, unsigned int cpu);

/* Give back what was taken of @unit; its groups were freed before. */
void nti_pmus_give_back(struct nti_pmus *pmus, const struct nti_unit *unit);

/* What an event needs of boxes, for who plans: there need not be a PMU instance yet. */
#define NTI_PMU_WANTS 13 /* registers that the counters of a box or a card share */
struct nti_pmu_need {
	bool always_runs; /* needs no counter: any number of events is read beside each other */
	/* its counter is beside all others and counts while any of them do: it joins each group */
	bool is_beside;
	uint64_t counters; /* counters that can count it, as those of nti_pmus_take() */
	uint64_t also;	   /* the counter that it takes besides; 0: none */
	/*
	 * Events that want different values of the same shared register are not counted at one
	 * time.
	 */
	bool wants[NTI_PMU_WANTS];
	uint64_t want[NTI_PMU_WANTS];
};
/*
 * What of a card an event leaves out. Units of a kind share the wires that counters see, so it
 * counts in one of them, .number of .units that there are; of the MPs in a TPC it may see some.
 */
struct nti_pmu_share {
	const char *kind; /* "TPC"; NULL: it leaves no unit out, or is of no card */
	const char *term; /* that takes another one, "tpc" */
	unsigned int number, units;
	/* masks of those that there are, and of those of them that it sees */
	uint32_t mps, seen_mps;
};
struct nti_pmu_share nti_pmu_share(const struct nti_part *part);
/* 0; -ENOTSUP: not this event, nti_pmu_group_add() tells why; -ENOMEM. */
int nti_pmu_need(const struct nti_part *part, struct nti_pmu_need *out);
/* The shared registers of @need for the planner. */
void nti_pmu_add_wants(const struct nti_pmu_need *need, struct nti_plan_event *out);
/*
 * Of @part, of one card, the words that want groups of wires of the shader are written anew: which
 * group stands behind which four signals is free, and here as many of them as can be stand beside
 * each other. They count the same. @group: of each the user's group, which is counted at one time;
 * 0: none.
 */
void nti_card_place_groups(struct nti_part *const *part, const unsigned int *group, size_t n);
/* Does it count in a context, by a slot of the multiprocessors? */
bool nti_card_is_slot(const struct nti_part *part);
/* Is it made of what slots of multiprocessors see, in whatever context runs? */
bool nti_card_shows_slots(const struct nti_part *part);
/* Why no slot of @unit can be had. 0 or -ENOMEM. */
int nti_card_explain_channel(const struct nti_unit *unit, struct nti_absence *out);
/* The word with which slot 0 counts it; 0: it is of no slot. */
uint32_t nti_card_control(const struct nti_part *part);
/* What people call shared register @i of a box or card; NULL: there is none. */
const char *nti_pmu_want_name(const struct nti_unit *unit, unsigned int i);

/*
 * A group on the PMU instance of @unit at @cpu, which was taken; stands still. NULL without memory.
 */
struct nti_pmu_group *nti_pmu_group_new(struct nti_pmus *pmus, const struct nti_unit *unit,
					unsigned int cpu);
void nti_pmu_group_free(struct nti_pmu_group *g);
/*
 * One more member, before the group is enabled. @counters are the counters that can count it. 0;
 * -ENOSPC: not beside the others (the group is as before); -ENOTSUP: this way cannot count it, the
 * reason is in @absent.
 */
int nti_pmu_group_add(struct nti_pmu_group *g, const struct nti_names *names,
		      const struct nti_part *part, uint64_t counters, struct nti_absence *absent);

/*
 * Wanted from now on, or no longer. Of several that are wanted on one PMU instance the first one
 * counts until nti_pmus_turn(). 0 or -errno.
 */
int nti_pmu_group_enable(struct nti_pmu_group *g);
int nti_pmu_group_disable(struct nti_pmu_group *g);
/*
 * End the turn of each group beside which another one waits, and begin that one's. Does nothing
 * where all count. 0 or -errno.
 */
int nti_pmus_turn(struct nti_pmus *pmus);

/*
 * Counts since the group was made, in the layout of perf's readings; ->overflowed has a bit for
 * each member whose count is a lower bound only, ->lost one for each that somebody else stopped or
 * programmed anew. From any thread. 0 or -errno (-ENODEV: the CPU went away).
 *
 * Where the device went away, or a box can no longer be accessed, reading succeeds: all members are
 * ->lost, their counts and times are those of the last look for ever.
 */
int nti_pmu_group_read(struct nti_pmu_group *g, struct nti_perf_reading *out);
/* Why that is so, in words; NULL: it is not. */
const char *nti_pmu_group_why_gone(const struct nti_pmu_group *g);

/*
 * What failed with @error just now, for the session's error: register and CPU or device, if it was
 * an access; else @error in words.
 */
const char *nti_pmus_error(const struct nti_pmus *pmus, int error);

/*
 * Longest time between two reads in which no counter of a group can wrap unseen; UINT64_MAX: any
 * time.
 */
uint64_t nti_pmus_max_read_interval_ns(const struct nti_pmus *pmus);

/*
 * How the thread that is pinned to the group's CPU reads a member without a call; see struct
 * ntime_reader_state.
 */
struct nti_pmu_inline {
	uint32_t index;
	uint64_t base, origin, limit;
};
/*
 * Ask for that. The calling thread is pinned, the group was started. The permission lasts until
 * nti_pmus_free(). 0; -ENOTSUP: not granted, not on this architecture, not of this kind of PMU
 * instance, or the PMU instance's counters take turns; or as reading.
 */
int nti_pmu_group_inline(struct nti_pmu_group *g, size_t member, struct nti_pmu_inline *out);
/*
 * The same later but for .index, without asking: looks at the counters. False: no longer. From any
 * thread.
 */
bool nti_pmu_group_window(struct nti_pmu_group *g, size_t member, struct nti_pmu_inline *out);

#endif
