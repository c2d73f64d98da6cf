// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Models of Intel's family 6, as three drivers of Linux 6.1 list them: arch/x86/events/intel/cstate.c (intel_cstates_match), arch/x86/events/rapl.c
 * (rapl_model_match) and arch/x86/events/intel/uncore.c (intel_uncore_match); numbers of models: arch/x86/include/asm/intel-family.h.
 *
 * Left out, because the register means something else there: package C6 of Silvermont and Airmont (it is where package C7 is) and core C6 of Knights
 * Landing (it has an address of its own).
 */
#include "core/regs/intel_model.h"

#include "core/regs/box_rows.h"
#include "core/regs/regs.h"

#define C1 1
#define C3 2
#define C6 4
#define C7 8
#define PC2 1
#define PC3 2
#define PC6 4
#define PC7 8
#define PC8 16
#define PC9 32
#define PC10 64
#define CORES 1
#define PACKAGE 2
#define MEMORY 4
#define GRAPHICS 8
#define PLATFORM 16

/* Names of the lists in those drivers. */
#define NHM_CSTATES (C3 | C6), (PC3 | PC6 | PC7)
#define SNB_CSTATES (C3 | C6 | C7), (PC2 | PC3 | PC6 | PC7)
#define HSWULT_CSTATES (C3 | C6 | C7), (PC2 | PC3 | PC6 | PC7 | PC8 | PC9 | PC10)
#define CNL_CSTATES (C1 | C3 | C6 | C7), (PC2 | PC3 | PC6 | PC7 | PC8 | PC9 | PC10)
#define ICL_CSTATES (C6 | C7), (PC2 | PC3 | PC6 | PC7 | PC8 | PC9 | PC10)
#define ICX_CSTATES (C1 | C6), (PC2 | PC6)
#define ADL_CSTATES (C1 | C6 | C7), (PC2 | PC3 | PC6 | PC8 | PC10)
#define SLM_CSTATES (C1 | C6), 0
#define KNL_CSTATES 0, (PC2 | PC3 | PC6)
#define GLM_CSTATES (C1 | C3 | C6), (PC2 | PC3 | PC6 | PC10)
#define NO_ENERGY 0
#define SNB_ENERGY (CORES | PACKAGE | GRAPHICS)
#define SNBEP_ENERGY (CORES | PACKAGE | MEMORY)
#define HSW_ENERGY (CORES | PACKAGE | MEMORY | GRAPHICS)
#define KNL_ENERGY (PACKAGE | MEMORY)
#define SKL_ENERGY (CORES | PACKAGE | MEMORY | GRAPHICS | PLATFORM)
#define SPR_ENERGY (CORES | PACKAGE | MEMORY | PLATFORM)
#define NHM &nthw_nhm_uncore
#define SKX &nthw_skx_cha

static const struct nthw_intel_model models[] = {
	{ 0x1a, NHM_CSTATES, NO_ENERGY, NHM },	  { 0x1e, NHM_CSTATES, NO_ENERGY, NHM },
	{ 0x25, NHM_CSTATES, NO_ENERGY, NHM },	  { 0x2a, SNB_CSTATES, SNB_ENERGY, NULL },
	{ 0x2c, NHM_CSTATES, NO_ENERGY, NHM },	  { 0x2d, SNB_CSTATES, SNBEP_ENERGY, NULL },
	{ 0x2e, NHM_CSTATES, NO_ENERGY, NULL },	  { 0x2f, NHM_CSTATES, NO_ENERGY, NULL },
	{ 0x37, SLM_CSTATES, NO_ENERGY, NULL },	  { 0x3a, SNB_CSTATES, SNB_ENERGY, NULL },
	{ 0x3c, SNB_CSTATES, HSW_ENERGY, NULL },  { 0x3d, SNB_CSTATES, HSW_ENERGY, NULL },
	{ 0x3e, SNB_CSTATES, SNBEP_ENERGY, NULL }, { 0x3f, SNB_CSTATES, SNBEP_ENERGY, NULL },
	{ 0x45, HSWULT_CSTATES, HSW_ENERGY, NULL }, { 0x46, SNB_CSTATES, HSW_ENERGY, NULL },
	{ 0x47, SNB_CSTATES, HSW_ENERGY, NULL },  { 0x4c, SLM_CSTATES, NO_ENERGY, NULL },
	{ 0x4d, SLM_CSTATES, NO_ENERGY, NULL },	  { 0x4e, SNB_CSTATES, SKL_ENERGY, NULL },
	{ 0x4f, SNB_CSTATES, SNBEP_ENERGY, NULL }, { 0x55, SNB_CSTATES, SNBEP_ENERGY, SKX },
	{ 0x56, SNB_CSTATES, SNBEP_ENERGY, NULL }, { 0x57, KNL_CSTATES, KNL_ENERGY, NULL },
	{ 0x5c, GLM_CSTATES, HSW_ENERGY, NULL },  { 0x5e, SNB_CSTATES, SKL_ENERGY, NULL },
	{ 0x5f, GLM_CSTATES, HSW_ENERGY, NULL },  { 0x66, CNL_CSTATES, SKL_ENERGY, NULL },
	{ 0x6a, ICX_CSTATES, SNBEP_ENERGY, NULL }, { 0x6c, ICX_CSTATES, SNBEP_ENERGY, NULL },
	{ 0x7a, GLM_CSTATES, HSW_ENERGY, NULL },  { 0x7d, ICL_CSTATES, SKL_ENERGY, NULL },
	{ 0x7e, ICL_CSTATES, SKL_ENERGY, NULL },  { 0x85, KNL_CSTATES, KNL_ENERGY, NULL },
	{ 0x86, GLM_CSTATES, NO_ENERGY, NULL },	  { 0x8c, ICL_CSTATES, SKL_ENERGY, NULL },
	{ 0x8d, ICL_CSTATES, SKL_ENERGY, NULL },  { 0x8e, HSWULT_CSTATES, SKL_ENERGY, NULL },
	{ 0x8f, ICX_CSTATES, SPR_ENERGY, NULL },  { 0x96, GLM_CSTATES, NO_ENERGY, NULL },
	{ 0x97, ADL_CSTATES, SKL_ENERGY, NULL },  { 0x9a, ADL_CSTATES, SKL_ENERGY, NULL },
	{ 0x9c, GLM_CSTATES, NO_ENERGY, NULL },	  { 0x9e, HSWULT_CSTATES, SKL_ENERGY, NULL },
	{ 0xa5, HSWULT_CSTATES, SKL_ENERGY, NULL }, { 0xa6, HSWULT_CSTATES, SKL_ENERGY, NULL },
	{ 0xa7, ICL_CSTATES, NO_ENERGY, NULL },	  { 0xaa, ADL_CSTATES, SKL_ENERGY, NULL },
	{ 0xac, ADL_CSTATES, SKL_ENERGY, NULL },  { 0xb7, ADL_CSTATES, SKL_ENERGY, NULL },
	{ 0xba, ADL_CSTATES, SKL_ENERGY, NULL },  { 0xbe, ADL_CSTATES, SKL_ENERGY, NULL },
	{ 0xbf, ADL_CSTATES, SKL_ENERGY, NULL },  { 0xcf, ICX_CSTATES, SPR_ENERGY, NULL },
};

const struct nthw_intel_model *nthw_intel_model(uint32_t family, uint32_t model)
{
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(models) && family == 6; i++)
		if (models[i].model == model)
			return &models[i];
	return NULL;
}

/* Bit n of a member belongs to row n. */
static const struct nthw_reg *const core_rows[] = {
	&nthw_intel_core_c1,
	&nthw_intel_core_c3,
	&nthw_intel_core_c6,
	&nthw_intel_core_c7,
};
static const struct nthw_reg *const package_rows[] = {
	&nthw_intel_pkg_c2, &nthw_intel_pkg_c3, &nthw_intel_pkg_c6,  &nthw_intel_pkg_c7,
	&nthw_intel_pkg_c8, &nthw_intel_pkg_c9, &nthw_intel_pkg_c10,
};
static const struct nthw_reg *const energy_rows[] = {
	&nthw_x86_pp0_energy, &nthw_x86_pkg_energy,	 &nthw_x86_dram_energy,
	&nthw_x86_pp1_energy, &nthw_x86_platform_energy,
};

static bool has_bit(uint8_t bits, const struct nthw_reg *const *rows, size_t count,
		    const struct nthw_reg *row)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (rows[i] == row)
			return bits >> i & 1;
	return false;
}

bool nthw_intel_is_energy(const struct nthw_reg *row)
{
	return row == &nthw_x86_energy_unit ||
	       has_bit(0xff, energy_rows, NTHW_ARRAY_SIZE(energy_rows), row);
}

bool nthw_intel_model_has(const struct nthw_intel_model *model, const struct nthw_table *table,
			  const struct nthw_reg *row)
{
	if (table == &nthw_intel_cstate)
		return has_bit(model->core_cstates, core_rows, NTHW_ARRAY_SIZE(core_rows), row) ||
		       has_bit(model->package_cstates, package_rows,
			       NTHW_ARRAY_SIZE(package_rows), row);
	if (table != &nthw_x86)
		return table == model->uncore;
	if (row == &nthw_x86_energy_unit)
		return model->energy != 0;
	return !nthw_intel_is_energy(row) ||
	       has_bit(model->energy, energy_rows, NTHW_ARRAY_SIZE(energy_rows), row);
}
