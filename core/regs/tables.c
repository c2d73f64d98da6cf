// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The list of all tables of rows: core/tests/core checks those that stand here. */
#include "core/regs/pci_test.h"
#include "core/regs/regs.h"

const struct nthw_table *const nthw_tables[] = {
	&nthw_x86,
	&nthw_pci,
	&nthw_snbep_imc,
	&nthw_snbep_ubox,
	&nthw_skx_imc,
	&nthw_skx_m2m,
	&nthw_skx_upi,
	&nthw_skx_ubox,
#ifdef NTHW_LAB
	&nthw_pci_test,
#endif
	&nthw_amd_legacy,
	&nthw_amd_core,
	&nthw_amd_v2,
	&nthw_amd_l3,
	&nthw_amd_df,
	&nthw_amd_rapl,
	&nthw_nhm_uncore,
	&nthw_skx_cha,
	&nthw_intel_cstate,
	&nthw_arm1176,
	&nthw_armv7_pmu,
	&nthw_armv8_pmu,
};
const size_t nthw_table_count = NTHW_ARRAY_SIZE(nthw_tables);
