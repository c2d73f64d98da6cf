// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Core performance counters of AMD processors: the four of K7 and later, and the six of the core extension (family 15h and later,
 * CPUID 8000_0001H ECX bit 23), whose first four are the same counters at other addresses. There is no global enable and no status: an
 * overflow is seen in the counter.
 *
 * Defined in AMD's Architecture Programmer's Manual ("APM") vol. 2, "Performance monitoring counters", which was not opened; compared
 * with what Linux 6.1 has of them.
 */
#include "core/regs/regs.h"

#define MSR_INDEX "Linux 6.1 arch/x86/include/asm/msr-index.h"
#define PERF_EVENT "arch/x86/include/asm/perf_event.h (ARCH_PERFMON_EVENTSEL_*, AMD64_EVENTSEL_*)"
#define APM "; defined in AMD APM vol. 2, 13.2 (not opened)"
#define LEGACY_CTL MSR_INDEX " (MSR_K7_EVNTSEL0) and " PERF_EVENT APM
#define LEGACY_CTR MSR_INDEX " (MSR_K7_PERFCTR0) and arch/x86/events/amd/core.c, amd_pmu (cntval_bits 48)" APM
#define CORE_CTL MSR_INDEX " (MSR_F15H_PERF_CTL) and " PERF_EVENT APM
#define CORE_CTR MSR_INDEX " (MSR_F15H_PERF_CTR) and arch/x86/events/amd/core.c, amd_pmu (cntval_bits 48)" APM

static const struct nthw_field ctl_fields[] = {
	{ "event_low", 0, 8, NTHW_RW, "event select code, bits 7 to 0" },
	{ "umask", 8, 8, NTHW_RW, "which sub-events of the code count" },
	{ "usr", 16, 1, NTHW_RW, "count while CPL > 0" },
	{ "os", 17, 1, NTHW_RW, "count while CPL == 0" },
	{ "edge", 18, 1, NTHW_RW, "count rising edges instead of cycles" },
	{ "int", 20, 1, NTHW_OS, "interrupt on overflow; belongs to the kernel" },
	{ "en", 22, 1, NTHW_RW, "counter runs" },
	{ "inv", 23, 1, NTHW_RW, "invert the comparison with cmask" },
	{ "cmask", 24, 8, NTHW_RW, "count cycles with at least so many events; 0: count events" },
	{ "event_high", 32, 4, NTHW_RW, "event select code, bits 11 to 8" },
	{ "guest", 40, 1, NTHW_OS, "count in guests only; belongs to the kernel" },
	{ "host", 41, 1, NTHW_OS, "count outside of guests only; belongs to the kernel" },
};
static const struct nthw_field ctr_fields[] = {
	{ "count", 0, 48, NTHW_RW, "count" },
};

static const struct nthw_reg evntsel = {
	.name = "EVNTSEL", .space = NTHW_SPACE_MSR, .addr = 0xc0010000, .step = 1, .count = 4, .bits = 64,
	.writable = 0xfffc7ffff,
	NTHW_FIELDS(ctl_fields), .source = LEGACY_CTL, .trust = NTHW_DOCUMENTED,
};
static const struct nthw_reg perfctr = {
	.name = "PERFCTR", .space = NTHW_SPACE_MSR, .addr = 0xc0010004, .step = 1, .count = 4, .bits = 64,
	.writable = 0xffffffffffff,
	NTHW_FIELDS(ctr_fields), .source = LEGACY_CTR, .trust = NTHW_DOCUMENTED,
};

static const struct nthw_reg *const legacy_regs[] = {
	&evntsel,
	&perfctr,
};
const struct nthw_table nthw_amd_legacy = {
	.name = "amd_legacy", .regs = legacy_regs, .count = NTHW_ARRAY_SIZE(legacy_regs),
};

/* Control and counter alternate. */
static const struct nthw_reg perf_ctl = {
	.name = "PERF_CTL", .space = NTHW_SPACE_MSR, .addr = 0xc0010200, .step = 2, .count = 6, .bits = 64,
	.writable = 0xfffc7ffff,
	NTHW_FIELDS(ctl_fields), .source = CORE_CTL, .trust = NTHW_DOCUMENTED,
};
static const struct nthw_reg perf_ctr = {
	.name = "PERF_CTR", .space = NTHW_SPACE_MSR, .addr = 0xc0010201, .step = 2, .count = 6, .bits = 64,
	.writable = 0xffffffffffff,
	NTHW_FIELDS(ctr_fields), .source = CORE_CTR, .trust = NTHW_DOCUMENTED,
};

static const struct nthw_reg *const core_regs[] = {
	&perf_ctl,
	&perf_ctr,
};
const struct nthw_table nthw_amd_core = {
	.name = "amd_core", .regs = core_regs, .count = NTHW_ARRAY_SIZE(core_regs),
};
