/* SPDX-License-Identifier: MIT */
/* Which libpfm4 PMU models are those of the machine looked at, and which unit counts for one. */
#ifndef NTI_MODEL_H
#define NTI_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "count/lib/machine/cpu.h"
#include "count/lib/machine/unit.h"

/* PMU models of one processor by libpfm4's names; static memory. */
struct nti_model {
	const char *core[3]; /* of the cores, best first; libpfm4 may be too old for the first */
	const char *uncore;  /* what stands before "_unc_"; NULL = none */
};

/* NULL when the processor is not in the table; then only libpfm4 can tell. */
const struct nti_model *nti_model_find(struct nti_os *os);

/* Is libpfm4's core PMU @pmu one of @model? */
bool nti_model_has_core(const struct nti_model *model, const char *pmu);
/* Is libpfm4's uncore PMU @pmu one of @model? */
bool nti_model_has_uncore(const struct nti_model *model, const char *pmu);

/*
 * Kernel's name for the boxes that libpfm4's uncore PMU @pmu counts: "skx_unc_cha3" is
 * "uncore_cha_3", "snbep_unc_ubo" is "uncore_ubox". False when there is no rule for it.
 */
bool nti_model_unit_name(const char *pmu, char *buf, size_t size);

#endif
