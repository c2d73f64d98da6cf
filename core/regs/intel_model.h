/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What CPUID does not tell of Intel's processors of family 6, and their model does: which registers of idle states, energy and uncore they have. */
#ifndef NTHW_INTEL_MODEL_H
#define NTHW_INTEL_MODEL_H

#include "core/base/reg.h"

struct nthw_intel_model {
	uint8_t model;			 /* CPUID's, extended */
	uint8_t core_cstates;		 /* bit n: counter of core state C1, C3, C6, C7 */
	uint8_t package_cstates;	 /* bit n: of package state C2, C3, C6, C7, C8, C9, C10 */
	uint8_t energy;			 /* bit n: of cores, package, memory, graphics, platform */
	const struct nthw_table *uncore; /* in MSRs; NULL: none that rows describe */
};

/* NULL: none that we know, which may be one that is newer. */
const struct nthw_intel_model *nthw_intel_model(uint32_t family, uint32_t model);

/*
 * Has it the register? Asked for rows of nthw_intel_cstate, energy rows of nthw_x86, and tables of uncores; true for any other row of nthw_x86,
 * of which CPUID tells.
 */
bool nthw_intel_model_has(const struct nthw_intel_model *model, const struct nthw_table *table,
			  const struct nthw_reg *row);
/* Rows of nthw_x86 of which the model tells: counters of energy. */
bool nthw_intel_is_energy(const struct nthw_reg *row);

#endif
