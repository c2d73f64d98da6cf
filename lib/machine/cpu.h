/* SPDX-License-Identifier: MIT */
/* What CPUID (or its equivalent) says about the processor: vendor, model, counters, hypervisor. */
#ifndef NTI_CPU_H
#define NTI_CPU_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/os/os.h"

enum nti_cpu_vendor {
	NTI_CPU_UNKNOWN, /* no CPUID, or a vendor that is not listed */
	NTI_CPU_INTEL,
	NTI_CPU_AMD, /* Hygon included: it took AMD's counters over */
};

struct nti_cpu {
	enum nti_cpu_vendor vendor;
	unsigned int family, model, stepping; /* display family and model, extensions added in */
};

/* Zeros where the processor has no CPUID. */
void nti_cpu_identify(struct nti_os *os, struct nti_cpu *out);

/* Counters of the core PMU of the CPU that runs this; both 0 when not known. */
void nti_cpu_counters(struct nti_os *os, const struct nti_cpu *cpu, unsigned int *counters,
		      unsigned int *fixed);
/* Bits in which the counters of the core PMU count; 0 where nothing tells. */
void nti_cpu_counter_widths(struct nti_os *os, const struct nti_cpu *cpu, unsigned int *general,
			    unsigned int *fixed);
/*
 * Which registers the core PMU has. Intel: version of the architectural PMU. AMD: 0 the four counters of K7, 1 the core extension, 2 with
 * global control (PerfMonV2). 0 where nothing is known.
 */
unsigned int nti_cpu_perfmon(struct nti_os *os, const struct nti_cpu *cpu);
/*
 * nti_cpu_counters() of "cpu_core" (@kind 'c') or "cpu_atom" ('a') of a hybrid, whichever CPU runs this; both 0 when not known.
 */
void nti_cpu_hybrid_counters(struct nti_os *os, const struct nti_cpu *cpu, char kind,
			     unsigned int *counters, unsigned int *fixed);
/* Northbridge counters of an AMD processor (perf's amd_df), 0 when not known. */
unsigned int nti_cpu_amd_df_counters(struct nti_os *os, const struct nti_cpu *cpu);

/* Kind of core of a hybrid processor that runs this: 'c' performance, 'a' efficient, 0 not a hybrid. */
char nti_cpu_hybrid_kind(struct nti_os *os, const struct nti_cpu *cpu);

/* A hypervisor, and how to make it lend its guests a PMU; static memory. NULL when there is none. */
struct nti_hypervisor {
	const char *
		signature; /* the 12 bytes of CPUID 0x40000000, or the device tree's or DMI's word */
	const char *name;
	const char *remedy;
};
const struct nti_hypervisor *nti_cpu_hypervisor(struct nti_os *os);

#endif
