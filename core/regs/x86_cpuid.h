/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What CPUID says of an x86 processor: who made it, which one it is, its counters and what else it
 * has. The only decoder: driver, library and tests use it. Which registers follow from it says
 * core/regs/devices.h.
 */
#ifndef NTHW_X86_CPUID_H
#define NTHW_X86_CPUID_H

#include "core/base/base.h"

enum nthw_vendor {
	NTHW_VENDOR_UNKNOWN, /* no CPUID, or a vendor that is not listed */
	NTHW_VENDOR_INTEL,
	NTHW_VENDOR_AMD, /* Hygon included: it took AMD's counters over */
};

/* Lent by the caller. */
struct nthw_cpuid {
	/*
	 * EAX, EBX, ECX and EDX of @leaf, subleaf 0, on the CPU that runs this. 0, or below 0 where
	 * there is no CPUID. Leaves above the highest one are not asked for: Intel answers them
	 * with another leaf's data (SDM vol. 2A, CPUID, "INPUT EAX").
	 */
	int (*read)(struct nthw_cpuid *cpuid, uint32_t leaf, uint32_t r[4]);
};

/* Bits of nthw_x86_cpu.features; where each stands in CPUID: x86_cpuid.c. */
#define NTHW_X86_TSC 0x1u	      /* time stamp counter */
#define NTHW_X86_GUEST 0x2u	      /* a hypervisor shows this CPUID */
#define NTHW_X86_APERF 0x4u	      /* IA32_APERF and IA32_MPERF */
#define NTHW_X86_THERMAL 0x8u	      /* Intel: temperature of a core */
#define NTHW_X86_THERMAL_PACKAGE 0x10u /* Intel: of a package */
#define NTHW_X86_POWER_LIMIT 0x20u    /* Intel: notification of power limits */
#define NTHW_X86_HWP 0x40u	      /* Intel: hardware-managed performance states */
#define NTHW_X86_AMD_CORE 0x80u	      /* AMD: six core counters instead of four */
#define NTHW_X86_AMD_DF 0x100u	      /* AMD: counters of northbridge or data fabric */
#define NTHW_X86_AMD_L3 0x200u	      /* AMD: counters of the last-level cache */
#define NTHW_X86_AMD_V2 0x400u	      /* AMD: performance monitoring version 2 */
#define NTHW_X86_AMD_ENERGY 0x800u    /* AMD: energy counters */

struct nthw_x86_cpu {
	enum nthw_vendor vendor;
	uint32_t family, model, stepping; /* display family and model, extensions added in */
	uint32_t features;		  /* NTHW_X86_* */
	char core_kind;			  /* of a hybrid: 'c' performance, 'a' efficient core; 0: no hybrid */
	/*
	 * Which registers the core PMU has. AMD: 0 the four counters of K7, 1 the core extension, 2
	 * with global control. Others: version of the architectural PMU, 0 without.
	 */
	uint32_t perfmon;
	uint32_t general, general_width; /* core counters and their bits; 0 where nothing tells */
	uint32_t fixed, fixed_width;	 /* @fixed: a bit for each fixed counter that exists; there may be gaps */
	uint32_t df;			 /* AMD: counters of the data fabric, or the northbridge before it */
	uint32_t missing;		 /* architectural events that it says it has not, a bit each */
};

/* All zero where there is no CPUID. */
void nthw_x86_identify(struct nthw_cpuid *cpuid, struct nthw_x86_cpu *out);

/*
 * How many fixed counters there are from 0 on without a gap. Who plans counts with these only: one
 * too few costs a pass, one that a hypervisor keeps for itself would be planned in vain.
 */
uint32_t nthw_x86_fixed_count(const struct nthw_x86_cpu *cpu);

#endif
