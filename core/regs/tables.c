// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The list of all tables of rows: tests/core checks those that stand here. */
#include "core/regs/regs.h"

const struct nthw_table *const nthw_tables[] = {
	&nthw_x86,
	&nthw_pci,
	&nthw_snbep_imc,
	&nthw_snbep_ubox,
	&nthw_pci_test,
	&nthw_amd_legacy,
	&nthw_amd_core,
	&nthw_nhm_uncore,
	&nthw_arm1176,
};
const size_t nthw_table_count = NTHW_ARRAY_SIZE(nthw_tables);
