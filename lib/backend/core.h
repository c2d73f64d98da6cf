/* SPDX-License-Identifier: MIT */
/*
 * Counting with core PMUs that we program ourselves, through ntimefs and the sequences of core/seq.
 *
 *     nti_core          the CPUs of one session; from take to free their PMUs are ours, and perf cannot have them
 *       CPU             one PMU: its counters, which group is on them
 *         group         events that share the counters at one time; several groups of a CPU take turns
 *
 * Counts are 64 bits wide: a wrap is known by the counter's overflow flag, or, where there is none or it could stand for two, by how fast
 * the fastest processor could count. A count that is not sure says so.
 */
#ifndef NTI_CORE_H
#define NTI_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/backend/perf.h"
#include "lib/event/code.h"

struct nti_core;
struct nti_core_group;

int nti_core_new(struct nti_os *os, struct nti_core **out);
/* Stop, give back, free. Groups are freed before. */
void nti_core_free(struct nti_core *core);

/*
 * Make the PMU of @cpu, which @unit describes, ours. *@seats are the counters that we got: bit i general counter i, bit 32 + i fixed counter
 * i. 0 (also when it is ours already), or -errno: nti_core_explain() knows why. -ENOTSUP: a core PMU for which there is no sequence.
 */
int nti_core_take(struct nti_core *core, const struct nti_unit *unit, unsigned int cpu,
		  uint64_t *seats);
int nti_core_explain(struct nti_core *core, unsigned int cpu, int error, struct nti_absence *out);

/* A group on @cpu, which was taken; stands still. NULL without memory. */
struct nti_core_group *nti_core_group_new(struct nti_core *core, unsigned int cpu);
void nti_core_group_free(struct nti_core_group *g);
/*
 * One more member, before the group is enabled. @seats are the counters that can count it. 0; -ENOSPC: not beside the others (the group is as before).
 */
int nti_core_group_add(struct nti_core_group *g, const struct nti_code *code, uint64_t seats);
/* Take the member back that was added last. */
void nti_core_group_drop(struct nti_core_group *g);

/* Wanted from now on, or no longer. Of several that are wanted on one CPU the first one counts until nti_core_turn(). 0 or -errno. */
int nti_core_group_enable(struct nti_core_group *g);
int nti_core_group_disable(struct nti_core_group *g);
/* End the turn of each group beside which another one waits, and begin that one's. Does nothing where all count. 0 or -errno. */
int nti_core_turn(struct nti_core *core);

/*
 * Counts since the group was made, in the layout of perf's readings; ->overflowed has a bit for each member whose count is a lower bound
 * only. From any thread. 0 or -errno (-ENODEV: the CPU went away).
 */
int nti_core_group_read(struct nti_core_group *g, struct nti_perf_reading *out);

/* How the thread that is pinned to the group's CPU reads a member without a call; see struct ntime_reader_state. */
struct nti_core_inline {
	uint32_t index;
	uint64_t base, origin, limit;
};
/*
 * Ask the driver for that. The calling thread is pinned, the group was started. The permission lasts until nti_core_free(). 0; -ENOTSUP: not
 * granted, not on this architecture, or the CPU's counters take turns; or as reading.
 */
int nti_core_group_inline(struct nti_core_group *g, size_t member, struct nti_core_inline *out);
/* The same later but for .index, without asking: looks at the counters. False: no longer. From any thread. */
bool nti_core_group_window(struct nti_core_group *g, size_t member, struct nti_core_inline *out);

#endif
