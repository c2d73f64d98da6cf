/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the ARM architectures share: everything that the monitor of one CPU holds, and how it is
 * taken from perf.
 */
#ifndef NTD_ARM_H
#define NTD_ARM_H

#include "driver/ntd.h"

#define NTD_ARM_COUNTERS 31 /* of the architecture; the cycle counter is apart */
/* Number of the cycle counter in struct ntime_page, and its bit in the enable registers. */
#define NTD_ARM_CYCLES 31

/*
 * All that the monitor of one CPU holds and that somebody may have changed. Which members mean
 * something is the architecture's affair.
 */
struct ntd_arm_state {
	u64 control, enable, interrupts, overflow, user, cycles, filter;
	u64 count[NTD_ARM_COUNTERS], event[NTD_ARM_COUNTERS];
};

/* ---- of the architecture; all on the CPU itself with interrupts off ---- */

/* Read it without changing anything. */
void ntd_arm_save(struct ntd_arm_state *state);
/*
 * Put it back, user access included: nothing counts in between, and flags of overflow end as they
 * were as far as hardware lets one.
 */
void ntd_arm_restore(const struct ntd_arm_state *state);
/* Does this CPU have a monitor that we know? */
bool ntd_arm_is_here(void);
/*
 * Is the monitor's content worth keeping over a power-down of the CPU even when nobody reserved it?
 */
bool ntd_arm_is_shared(void);

/* ---- reserve_arm.c ---- */

struct pmu;

/* Knows perf's PMUs of the CPUs that are on line afterwards. */
int ntd_arm_reserve_init(void);
void ntd_arm_reserve_exit(void);
/*
 * perf's PMU of @cpu, or NULL: nobody else uses this monitor, or the CPU came since and nobody has
 * claimed a register of it.
 */
struct pmu *ntd_arm_perf(unsigned int cpu);
/* On this CPU, interrupts off: is the monitor reserved by us; does perf count. */
bool ntd_arm_is_held(void);
bool ntd_arm_is_perf_counting(void);
/* Of any CPU, from anywhere: as it was a moment ago. */
bool ntd_arm_is_held_on(unsigned int cpu);

#endif
