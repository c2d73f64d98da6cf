/* SPDX-License-Identifier: MIT */
/* What CPUID (or its equivalent) says about the processor: vendor, model, counters, hypervisor. */
#ifndef NTI_CPU_H
#define NTI_CPU_H

#include <stdbool.h>
#include <stddef.h>

#include "core/regs/x86_cpuid.h"
#include "base/os/os.h"

/*
 * The CPU that runs this; all zero, family too, where the processor has no CPUID. Each leaf is an
 * exit to the hypervisor, where there is one.
 */
void nti_cpu_identify(struct nti_os *os, struct nthw_x86_cpu *out);

/*
 * Counters of "cpu_core" (@kind 'c') or "cpu_atom" ('a') of a hybrid, whichever CPU @cpu was read
 * on; both 0 when not known.
 */
void nti_cpu_hybrid_counters(const struct nthw_x86_cpu *cpu, char kind, unsigned int *counters,
			     unsigned int *fixed);

/*
 * A hypervisor, and who must do what so that it exposes a PMU to its guests; static memory. NULL
 * when there is none.
 */
struct nti_hypervisor {
	const char *
		/* the 12 bytes of CPUID 0x40000000, or the device tree's or DMI's word */
		signature;
	const char *name;
	const char *remedy;
};
/* @cpu: as nti_cpu_identify() has found it. */
const struct nti_hypervisor *nti_cpu_hypervisor(struct nti_os *os, const struct nthw_x86_cpu *cpu);

#endif
