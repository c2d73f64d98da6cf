/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QEMU's x86 code calls in ntime_x86.c, and the other way round. QEMU's files declare what
 * they call beside the call (hooks_x86.py); here the same declarations are held against the
 * definitions.
 */
#ifndef NTIME_X86_H
#define NTIME_X86_H

#include <qemu/osdep.h>
#include <cpu.h>

/* Packages that may have more than PMUs. */
#define NTIME_X86_SOCKETS 8

/* Make the models of @cpu, whose features are final, or reset those it has. Not while it runs. */
void ntime_x86_reset(X86CPU *cpu);

/* @cpu was unplugged and does not run any more. */
void ntime_x86_free(X86CPU *cpu);

/* CPUID leaf 0AH; false: no PMU, somebody else answers. */
bool ntime_x86_cpuid_a(X86CPU *cpu, uint32_t *eax, uint32_t *ebx, uint32_t *ecx, uint32_t *edx);

/* Adds to CPUID leaf 06H what the models have of heat and frequency. */
void ntime_x86_cpuid_6(X86CPU *cpu, uint32_t *eax, uint32_t *ebx, uint32_t *ecx);

/*
 * The TSC where instructions are not counted: nanoseconds of virtual time, as it is where they are.
 */
uint64_t ntime_x86_tsc(void);

/* CPL is about to change; instructions so far belong to the old one. */
void ntime_x86_level(CPUX86State *env);

/* MSRs that QEMU has no case for: false is #GP. */
bool ntime_x86_rdmsr(CPUX86State *env, uint32_t addr, uint64_t *value);
bool ntime_x86_wrmsr(CPUX86State *env, uint32_t addr, uint64_t value);

/* RDPMC of ECX into EDX:EAX. 0 done, 1 #GP, 2 no PMU. */
int ntime_x86_rdpmc(CPUX86State *env);

/* In hw/intc/apic.c: what the LVT entry for performance counters says; @masks it afterwards. */
void ntime_x86_deliver_pmi(DeviceState *dev, bool masks);

/*
 * Under strict-msr: is @addr among the MSRs that every such processor has and no model answers for?
 * They read 0.
 */
bool ntime_x86_is_tolerated(const CPUX86State *env, uint32_t addr);

#endif
