/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Count with the performance monitor of one CPU, through registers that somebody lends: find
 * counters that nobody uses, program them, start and stop a set of them at once, read, and put
 * everything back.
 *
 *     struct nthw_core_state state = { 0 };
 *     nthw_core_find_free(io, &pmu, cpu, &free);
 *     nthw_core_program(io, &pmu, cpu, 0, &event, &state);    each counter
 *     nthw_core_start(io, &pmu, cpu, state.counters, &state);
 *     nthw_core_read(io, &pmu, cpu, 0, &count);
 *     nthw_core_stop(io, &pmu, cpu, state.counters, &state);
 *     nthw_core_restore(io, &pmu, cpu, &state);
 *
 * Others' bits are never changed: registers that counters share are read, changed and written.
 * Nobody else may do the same meanwhile, so who calls this holds the monitor (ntime.ko reserves it
 * from perf). Nothing here enables an interrupt; that of a counter which is programmed is disabled.
 * All functions return 0 or a negative errno: those of struct nthw_io as they came, and NTHW_EBUSY,
 * NTHW_EINVAL, NTHW_ENOTSUP. After an error nothing is left changed that can be restored.
 */
#ifndef NTHW_CORE_PMU_H
#define NTHW_CORE_PMU_H

#include "core/base/io.h"

enum nthw_core_kind {
	NTHW_CORE_INTEL = 1,  /* architectural PMU, version 2 or later (nthw_x86) */
	NTHW_CORE_AMD_LEGACY, /* nthw_amd_legacy */
	NTHW_CORE_AMD,	      /* core extension (nthw_amd_core) */
	NTHW_CORE_AMD_V2,     /* with global control (nthw_amd_core and nthw_amd_v2) */
	NTHW_CORE_ARMV8,      /* nthw_armv8_pmu */
	NTHW_CORE_ARMV7,      /* nthw_armv7_pmu */
	NTHW_CORE_ARM1176,    /* nthw_arm1176: all counters run or none */
};

#define NTHW_CORE_GENERAL_MAX 31
#define NTHW_CORE_FIXED_MAX 4

/*
 * Counters are bits of a set: general counter n is bit n, fixed counter n bit 32 + n. On ARM fixed
 * counter 0 counts cycles.
 */
#define NTHW_CORE_FIXED 32

struct nthw_core_pmu {
	enum nthw_core_kind kind;
	uint32_t general; /* how many there are */
	uint32_t fixed;
	uint32_t width; /* bits in which they count */
	uint32_t fixed_width;
	/*
	 * ARMv7: counters can leave out user or kernel mode (not Cortex-A5, A8, A9, A12 without
	 * PMUv2)
	 */
	bool has_filter;
	/*
	 * Who lends the registers lets bits of NTHW_OS_CLEAR be cleared, not set, and puts them
	 * back itself: ntime.ko. Then restoring leaves them to the handle.
	 */
	bool is_guarded;
};

/*
 * What to count. @config as perf's raw events have it: x86 event, unit mask, edge, inv, cmask at
 * their places in the select register (AMD: event bits 11:8 at 35:32); ARM the event's number. A
 * fixed counter counts what it counts, its config must be 0.
 */
struct nthw_core_event {
	uint64_t config;
	bool is_user;
	bool is_kernel; /* ARMv8: EL2 as well, where kernels may run */
};

/* What registers held before; begins as zeros. Caller's storage, one a CPU. */
struct nthw_core_state {
	uint64_t counters; /* those that were programmed and not restored */
	uint64_t enables;  /* of these: enabled in the global register */
	uint64_t overflow; /* of these: flag was set */
	uint64_t control;  /* ARM: PMCR */
	uint64_t select[NTHW_CORE_GENERAL_MAX];
	uint64_t count[NTHW_CORE_GENERAL_MAX];
	uint64_t fixed_select[NTHW_CORE_FIXED_MAX];
	uint64_t fixed_count[NTHW_CORE_FIXED_MAX];
	/*
	 * What we made of the select registers: where nobody keeps others away, these tell whose
	 * they are.
	 */
	uint64_t foreign; /* of .counters: seen with somebody else's event; they are left alone */
	uint64_t ours[NTHW_CORE_GENERAL_MAX];
	uint64_t fixed_ours[NTHW_CORE_FIXED_MAX];
};

/* All counters of @pmu as a set; 0 when the description is none of hardware that exists. */
uint64_t nthw_core_counters(const struct nthw_core_pmu *pmu);

/* Where the count of bit @counter is read; false without such a counter. */
bool nthw_core_address(const struct nthw_core_pmu *pmu, uint32_t counter, enum nthw_space *space,
		       uint32_t *address);

/* Counters that nobody has enabled now. On an ARM1176 that counts there are none. */
int nthw_core_find_free(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
			uint64_t *free);

/*
 * Select what bit @counter counts, stopped and at 0, and keep in @state what was there. NTHW_EBUSY
 * when somebody has it enabled; one that @state has already (stop it first) is programmed anew
 * without that. NTHW_EINVAL: no such counter, bits that are none of an event, neither mode.
 * NTHW_ENOTSUP: hardware cannot tell user from kernel mode. NTHW_EBUSY as well for one that
 * somebody else has taken from us, and by starting.
 */
int nthw_core_program(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
		      uint32_t counter, const struct nthw_core_event *event,
		      struct nthw_core_state *state);

/*
 * Start @set, or go on. With one write, so that all start at once, but on AMD without global
 * control; there one after the other. Flags of overflow are cleared first. NTHW_EINVAL: a counter
 * that @state does not have. NTHW_EBUSY (ARMv7, ARMv8): the whole monitor stands, and somebody has
 * counters enabled that would run then. ARM1176: starts and stops all counters, and all are
 * restored.
 */
int nthw_core_start(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
		    uint64_t set, const struct nthw_core_state *state);
/* Counts stay. After an error the rest has been stopped all the same. */
int nthw_core_stop(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
		   uint64_t set, const struct nthw_core_state *state);

/* The count of bit @counter, in the counter's width. */
int nthw_core_read(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
		   uint32_t counter, uint64_t *value);

/*
 * Which of @set passed their end since they were started or asked last; clears their flags.
 * NTHW_ENOTSUP on AMD without global control, where nothing tells.
 */
int nthw_core_overflows(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
			uint64_t set, uint64_t *overflowed);

/*
 * Which of @set, which was started, somebody else has stopped or programmed since. Reads only.
 * Those that were programmed are noted in @state: from then on they are their new owner's, and
 * neither stopped nor put back. x86 only (NTHW_ENOTSUP): elsewhere the handle keeps others away.
 */
int nthw_core_check(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
		    uint64_t set, struct nthw_core_state *state, uint64_t *lost);

/*
 * Stop what @state has and write back what was there; @state then has none. After an error all else
 * has been written, @state is as it was and it can be tried again, and so it is after programming
 * that failed and could not be undone. Three things hardware does not let us put back: bits 63:32
 * of Intel's general counters, where they are not copies of bit 31; a flag of overflow that was set
 * before; and what .is_guarded leaves to the handle.
 */
int nthw_core_restore(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
		      struct nthw_core_state *state);

#endif
