// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How long cores and packages of Intel processors were in their idle states, in ticks of the time stamp counter. Which of them a processor has is
 * told by its model (core/regs/devices.h), not by CPUID.
 *
 * Addresses and meaning are those of Linux 6.1 arch/x86/include/asm/msr-index.h and arch/x86/events/intel/cstate.c (table at its head); defined in
 * Intel SDM vol. 4, chapter 2, per family (not opened).
 */
#include "core/regs/box_rows.h"
#include "core/regs/regs.h"

#define CSTATE "Linux 6.1 arch/x86/include/asm/msr-index.h and arch/x86/events/intel/cstate.c; unit: tools/power/x86/turbostat/turbostat.c; " \
	"defined in Intel SDM vol. 4, chapter 2 (not opened)"

const struct nthw_field nthw_intel_cstate_fields[] = {
	{ "ticks", 0, 64, NTHW_RO, "ticks of the time stamp counter in that state" },
};

#define ROW(reg, title, address, of)                                                                                  \
	const struct nthw_reg reg = {                                                                                 \
		.name = (title), .role = NTHW_ROLE_GAUGE, .space = NTHW_SPACE_MSR, .addr = (address), .count = 1, .bits = 64,                  \
		NTHW_FIELDS(nthw_intel_cstate_fields), .source = CSTATE, .trust = NTHW_DOCUMENTED, .scope = (of),     \
	}

ROW(nthw_intel_pkg_c3, "MSR_PKG_C3_RESIDENCY", 0x3f8, NTHW_SCOPE_PACKAGE);
ROW(nthw_intel_pkg_c6, "MSR_PKG_C6_RESIDENCY", 0x3f9, NTHW_SCOPE_PACKAGE);
/* Package C6 on Silvermont and Airmont. */
ROW(nthw_intel_pkg_c7, "MSR_PKG_C7_RESIDENCY", 0x3fa, NTHW_SCOPE_PACKAGE);
ROW(nthw_intel_core_c3, "MSR_CORE_C3_RESIDENCY", 0x3fc, NTHW_SCOPE_CPU);
ROW(nthw_intel_core_c6, "MSR_CORE_C6_RESIDENCY", 0x3fd, NTHW_SCOPE_CPU);
ROW(nthw_intel_core_c7, "MSR_CORE_C7_RESIDENCY", 0x3fe, NTHW_SCOPE_CPU);
ROW(nthw_intel_pkg_c2, "MSR_PKG_C2_RESIDENCY", 0x60d, NTHW_SCOPE_PACKAGE);
ROW(nthw_intel_pkg_c8, "MSR_PKG_C8_RESIDENCY", 0x630, NTHW_SCOPE_PACKAGE);
ROW(nthw_intel_pkg_c9, "MSR_PKG_C9_RESIDENCY", 0x631, NTHW_SCOPE_PACKAGE);
ROW(nthw_intel_pkg_c10, "MSR_PKG_C10_RESIDENCY", 0x632, NTHW_SCOPE_PACKAGE);
ROW(nthw_intel_core_c1, "MSR_CORE_C1_RES", 0x660, NTHW_SCOPE_CPU);

static const struct nthw_reg *const regs[] = {
	&nthw_intel_pkg_c3,
	&nthw_intel_pkg_c6,
	&nthw_intel_pkg_c7,
	&nthw_intel_core_c3,
	&nthw_intel_core_c6,
	&nthw_intel_core_c7,
	&nthw_intel_pkg_c2,
	&nthw_intel_pkg_c8,
	&nthw_intel_pkg_c9,
	&nthw_intel_pkg_c10,
	&nthw_intel_core_c1,
};
const struct nthw_table nthw_intel_cstate = {
	.name = "intel_cstate", .regs = regs, .count = NTHW_ARRAY_SIZE(regs),
};
