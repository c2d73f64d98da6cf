/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Core PMU of one x86 logical CPU: Intel's architectural PMU version 2 (general and fixed
 * counters), AMD's four counters of K7 and later, or the six of AMD's core extension.
 *
 * Events that count, because their truth is known to the caller; on Intel also as the fixed
 * counters 0, 1, 2:
 *
 *     instructions retired   Intel c0h umask 00h or 01h    AMD 0c0h umask 00h
 *     core cycles            Intel 3ch umask 00h           AMD 076h umask 00h
 *     reference cycles       Intel 3ch umask 01h           (none)
 *
 * What it does not model:
 * - any other event: the counter stands still. CPUID marks the four other architectural events
 *   (cache, branches) as unavailable;
 * - edge, inv and cmask: a counter with one of them set stands still, whatever its event;
 * - versions 1 and 3 and later of the architectural PMU: no AnyThread, no full-width writes, no
 *   freezing;
 * - PEBS, last branch records, DEBUGCTL, PERF_CAPABILITIES, offcore registers, topdown metrics,
 *   AMD's instruction-based sampling;
 * - a reference clock of its own rate: the caller says what a reference cycle is;
 * - skid: an overflow is known at the event that caused it;
 * - virtualisation: AMD's guest-only counters stand still, host-only ones count;
 * - the few instructions by which silicon's counts differ from the program's (errata, interrupts).
 */
#ifndef NTM_X86_PMU_H
#define NTM_X86_PMU_H

#include "core/models/ntm.h"

enum ntm_x86_kind {
	NTM_X86_INTEL_V2 = 1,
	NTM_X86_AMD_LEGACY,
	NTM_X86_AMD_CORE, /* the legacy addresses are there too and reach the first four */
};

#define NTM_X86_GENERAL_MAX 8
#define NTM_X86_FIXED_MAX 3

struct ntm_x86_config {
	enum ntm_x86_kind kind;
	uint32_t general; /* Intel: 1 to 8, AMD: 4 or 6 as the kind says */
	uint32_t fixed;	  /* Intel: 0 to 3, AMD: 0 */
	uint32_t width;	  /* bits of a counter: 33 to 63 */
};

/*
 * The usual chips. Nehalem has version 3; all that Linux uses of it but AnyThread is in version 2.
 */
extern const struct ntm_x86_config ntm_x86_intel;      /* 4 general, 3 fixed, 48 bits */
extern const struct ntm_x86_config ntm_x86_amd_legacy; /* 4, 48 bits */
extern const struct ntm_x86_config ntm_x86_amd_core;   /* 6, 48 bits */

/* What happened, or what happens in one step. */
struct ntm_x86_work {
	uint64_t instructions;
	uint64_t cycles;
	uint64_t ref_cycles;
};

struct ntm_x86_pmu {
	struct ntm_x86_config config;
	uint64_t select[NTM_X86_GENERAL_MAX];
	uint64_t count[NTM_X86_GENERAL_MAX];
	uint64_t fixed_count[NTM_X86_FIXED_MAX];
	uint64_t fixed_ctrl;
	uint64_t global_ctrl;
	uint64_t global_status;
	bool pmi; /* an overflow interrupt waits to be taken by ntm_x86_pmu_take_pmi() */
};

struct ntm_cpuid {
	uint32_t eax, ebx, ecx, edx;
};

/*
 * 0, or NTM_REFUSED when the configuration is none of the hardware described above. The PMU is
 * reset.
 */
int ntm_x86_pmu_init(struct ntm_x86_pmu *pmu, const struct ntm_x86_config *config);
void ntm_x86_pmu_reset(struct ntm_x86_pmu *pmu);

/*
 * RDMSR and WRMSR: 0, NTM_NOT_MINE, or NTM_REFUSED for #GP (then nothing changed). The caller
 * advances to the present before either. A write may leave pmi set only if it was before.
 */
int ntm_x86_pmu_rdmsr(const struct ntm_x86_pmu *pmu, uint32_t addr, uint64_t *value);
int ntm_x86_pmu_wrmsr(struct ntm_x86_pmu *pmu, uint32_t addr, uint64_t value);

/*
 * RDPMC with ECX = @index: 0 or NTM_REFUSED for #GP. Whether user mode may is the CPU's affair
 * (CR4.PCE).
 */
int ntm_x86_pmu_rdpmc(const struct ntm_x86_pmu *pmu, uint32_t index, uint64_t *value);

/* CPUID leaf 0AH; all zero on AMD. */
struct ntm_cpuid ntm_x86_pmu_cpuid(const struct ntm_x86_pmu *pmu);

/*
 * @work happened at CPL 0, or above it when @is_user. Counters wrap at their width, overflows set
 * status bits (Intel) and, where enabled, pmi. At most one wrap a call is told apart: call it at
 * least every 2^32 cycles.
 */
void ntm_x86_pmu_advance(struct ntm_x86_pmu *pmu, bool is_user, const struct ntm_x86_work *work);

/*
 * How many steps of @step until a counter whose overflow interrupts will overflow; UINT64_MAX when
 * none will. At least 1.
 */
uint64_t ntm_x86_pmu_until_overflow(const struct ntm_x86_pmu *pmu, bool is_user,
				    const struct ntm_x86_work *step);

/* Is an overflow interrupt due? Asked once: the answer true is given once for each. */
bool ntm_x86_pmu_take_pmi(struct ntm_x86_pmu *pmu);

#endif
