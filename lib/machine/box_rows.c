// SPDX-License-Identifier: MIT
/* Which processors and PCI functions have which kinds of boxes: what CPUID and PCI ids say. */
#include <string.h>

#include "lib/machine/box_rows.h"
#include "lib/base/compiler.h"

#define INTEL_VENDOR_ID 0x8086

/* A bit of CPUID that says so; .leaf 0: none is asked. */
struct feature {
	uint32_t leaf;
	unsigned int word, bit; /* 0 to 3: eax, ebx, ecx, edx */
	bool is_absence;	/* it is the bit that must be 0 */
};

/* Numbers of models are those of Linux 6.1 arch/x86/include/asm/intel-family.h; 0 ends a list. No list: any model. */
struct processor_row {
	const char *kind;
	enum nti_cpu_vendor vendor;
	unsigned int family_first, family_last;
	const uint8_t *models;
	struct feature has[2];
};

/* Linux 6.1 arch/x86/events/intel/uncore.c, those of nhm_uncore_init. */
static const uint8_t nehalem[] = { 0x1a, 0x1e, 0x25, 0x2c, 0 };

/* The same, skx_uncore_init. */
static const uint8_t skylake_server[] = { 0x55, 0 };

/* Linux 6.1 arch/x86/events/rapl.c, rapl_model_match: all but its model_hsx, model_knl and model_spr. */
static const uint8_t energy[] = { 0x2a, 0x2d, 0x3a, 0x3e, 0x3c, 0x45, 0x46, 0x3d, 0x47, 0x4e, 0x5e,
				  0x8e, 0x9e, 0x66, 0x5c, 0x5f, 0x7a, 0x7e, 0x7d, 0xa6, 0xa5, 0x8c,
				  0x8d, 0x97, 0x9a, 0xbe, 0xb7, 0xba, 0xbf, 0xac, 0xaa, 0 };

/* Of that list model_hsx and model_knl: memory counts in a step of its own, 2^-16 J. */
static const uint8_t energy_server[] = { 0x3f, 0x4f, 0x56, 0x55, 0x6c, 0x6a, 0x57, 0x85, 0 };

/* Of that list model_spr: the platform counts in Joules. */
static const uint8_t energy_spr[] = { 0x8f, 0xcf, 0 };

/*
 * Linux 6.1 arch/x86/events/intel/cstate.c, intel_cstates_match, all but slm_cstates and knl_cstates: those keep C6 in other registers
 * (MSR_KNL_CORE_C6_RESIDENCY, and of Silvermont's package that of C7).
 */
static const uint8_t cstates[] = { 0x1e, 0x1a, 0x2e, 0x25, 0x2c, 0x2f, 0x2a, 0x2d, 0x3a, 0x3e,
				   0x3c, 0x3f, 0x46, 0x45, 0x3d, 0x56, 0x47, 0x4f, 0x4e, 0x5e,
				   0x55, 0x8e, 0x9e, 0xa6, 0xa5, 0x66, 0x5c, 0x5f, 0x7a, 0x86,
				   0x96, 0x9c, 0x7e, 0x7d, 0x6a, 0x6c, 0x8f, 0xcf, 0x8c, 0x8d,
				   0xa7, 0x97, 0x9a, 0xbe, 0xb7, 0xba, 0xbf, 0xac, 0xaa, 0 };

/*
 * Bits of CPUID: Linux 6.1 arch/x86/include/asm/cpufeatures.h, DTHERM (6:EAX[0]), PTS (6:EAX[6]), APERFMPERF (6:ECX[0]), PERFCTR_NB
 * (80000001:ECX[24]), PERFCTR_LLC (80000001:ECX[28]), PERFMON_V2 (80000022:EAX[0], arch/x86/kernel/cpu/scattered.c), RAPL of AMD
 * (80000007:EDX[14], arch/x86/kernel/cpu/amd.c).
 */
static const struct processor_row processor_rows[] = {
	{ "nhm_uncore", NTI_CPU_INTEL, 6, 6, nehalem },
	{ "skx_cha", NTI_CPU_INTEL, 6, 6, skylake_server },
	/* Linux 6.1 arch/x86/events/amd/uncore.c, amd_uncore_l3_init(): from family 19h on the select register has other fields. */
	{ "amd_l3_f17h", NTI_CPU_AMD, 0x17, 0x18, NULL, { { 0x80000001, 2, 28 } } },
	{ "amd_l3_f19h", NTI_CPU_AMD, 0x19, 0x1a, NULL, { { 0x80000001, 2, 28 } } },
	/* The same file, amd_uncore_df_init(): version 2 has more counters and wider codes. */
	{ "amd_df",
	  NTI_CPU_AMD,
	  0x17,
	  0x19,
	  NULL,
	  { { 0x80000001, 2, 24 }, { 0x80000022, 0, 0, .is_absence = true } } },
	{ "amd_df_v2",
	  NTI_CPU_AMD,
	  0x19,
	  0x1a,
	  NULL,
	  { { 0x80000001, 2, 24 }, { 0x80000022, 0, 0 } } },
	{ "power", NTI_CPU_INTEL, 6, 6, energy },
	{ "power_hsx", NTI_CPU_INTEL, 6, 6, energy_server },
	{ "power_spr", NTI_CPU_INTEL, 6, 6, energy_spr },
	{ "amd_power", NTI_CPU_AMD, 0x17, 0x1a, NULL, { { 0x80000007, 3, 14 } } },
	{ "amd_power_core", NTI_CPU_AMD, 0x17, 0x1a, NULL, { { 0x80000007, 3, 14 } } },
	{ "msr", NTI_CPU_INTEL, 6, 6, NULL, { { 6, 2, 0 } } },
	{ "msr", NTI_CPU_AMD, 0x17, 0x1a, NULL, { { 6, 2, 0 } } },
	{ "cstate_core", NTI_CPU_INTEL, 6, 6, cstates },
	{ "cstate_pkg", NTI_CPU_INTEL, 6, 6, cstates },
	{ "thermal", NTI_CPU_INTEL, 6, 6, NULL, { { 6, 0, 0 } } },
	{ "thermal_pkg", NTI_CPU_INTEL, 6, 6, NULL, { { 6, 0, 6 } } },
};

static bool has_model(const uint8_t *models, unsigned int model)
{
	if (!models)
		return true;
	while (*models && *models != model)
		models++;
	return *models != 0;
}

static bool has_feature(struct nti_os *os, const struct feature *f)
{
	uint32_t highest[4], r[4];

	if (!f->leaf)
		return true;
	if (os->ops->cpuid(os, f->leaf & 0x80000000u, 0, highest) < 0 || highest[0] < f->leaf ||
	    os->ops->cpuid(os, f->leaf, 0, r) < 0)
		return f->is_absence;
	return (r[f->word] >> f->bit & 1) != f->is_absence;
}

static bool is_row_of(struct nti_os *os, const struct nti_cpu *cpu, const struct processor_row *row)
{
	return cpu->vendor == row->vendor && cpu->family >= row->family_first &&
	       cpu->family <= row->family_last && has_model(row->models, cpu->model) &&
	       has_feature(os, &row->has[0]) && has_feature(os, &row->has[1]);
}

bool nti_box_rows_has(struct nti_os *os, const struct nti_cpu *cpu, const char *kind)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(processor_rows); i++) {
		if (strcmp(processor_rows[i].kind, kind) == 0 &&
		    is_row_of(os, cpu, &processor_rows[i]))
			return true;
	}
	return false;
}

/*
 * Linux 6.1 arch/x86/events/intel/uncore_snbep.c, snbep_uncore_pci_ids to bdx_uncore_pci_ids, and skx_uncore_pci_ids. Of Skylake's controllers
 * and links several have one id: their place on the bus tells which it is. Memory channels from Ivy Bridge-EP to Broadwell have Sandy Bridge-EP's
 * registers there (SNBEP_UNCORE_PCI_COMMON_INIT), but Ivy Bridge-EP's are set up without frz_en (IVBEP_PMON_BOX_CTL_INT), as Skylake's:
 * they are taken for Skylake's kind, which freezes by frz alone and leaves the other bits as they are.
 */
static const struct nti_box_pci_row pci_rows[] = {
	{ "snbep_imc", 0x3cb0, -1, -1, 0 }, { "snbep_imc", 0x3cb1, -1, -1, 1 },
	{ "snbep_imc", 0x3cb4, -1, -1, 2 }, { "snbep_imc", 0x3cb5, -1, -1, 3 },
	{ "skx_imc", 0x0eb4, -1, -1, 0 },   { "skx_imc", 0x0eb5, -1, -1, 1 },
	{ "skx_imc", 0x0eb0, -1, -1, 2 },   { "skx_imc", 0x0eb1, -1, -1, 3 },
	{ "skx_imc", 0x0ef4, -1, -1, 4 },   { "skx_imc", 0x0ef5, -1, -1, 5 },
	{ "skx_imc", 0x0ef0, -1, -1, 6 },   { "skx_imc", 0x0ef1, -1, -1, 7 },
	{ "skx_imc", 0x2fb0, -1, -1, 0 },   { "skx_imc", 0x2fb1, -1, -1, 1 },
	{ "skx_imc", 0x2fb4, -1, -1, 2 },   { "skx_imc", 0x2fb5, -1, -1, 3 },
	{ "skx_imc", 0x2fd0, -1, -1, 4 },   { "skx_imc", 0x2fd1, -1, -1, 5 },
	{ "skx_imc", 0x2fd4, -1, -1, 6 },   { "skx_imc", 0x2fd5, -1, -1, 7 },
	{ "skx_imc", 0x6fb0, -1, -1, 0 },   { "skx_imc", 0x6fb1, -1, -1, 1 },
	{ "skx_imc", 0x6fb4, -1, -1, 2 },   { "skx_imc", 0x6fb5, -1, -1, 3 },
	{ "skx_imc", 0x6fd0, -1, -1, 4 },   { "skx_imc", 0x6fd1, -1, -1, 5 },
	{ "skx_imc", 0x6fd4, -1, -1, 6 },   { "skx_imc", 0x6fd5, -1, -1, 7 },
	{ "skx_imc", 0x2042, 10, 2, 0 },    { "skx_imc", 0x2046, 10, 6, 1 },
	{ "skx_imc", 0x204a, 11, 2, 2 },    { "skx_imc", 0x2042, 12, 2, 3 },
	{ "skx_imc", 0x2046, 12, 6, 4 },    { "skx_imc", 0x204a, 13, 2, 5 },
	{ "skx_m2m", 0x2066, 8, 0, 0 },	    { "skx_m2m", 0x2066, 9, 0, 1 },
	{ "skx_upi", 0x2058, 14, 0, 0 },    { "skx_upi", 0x2058, 15, 0, 1 },
	{ "skx_upi", 0x2058, 16, 0, 2 },
};

/*
 * Fields of registers that only some processors have. Intel SDM vol. 4, table 2-2, IA32_THERM_STATUS: bits 10 and 11 with CPUID 6:EAX[4], 12 to
 * 15 with 6:EAX[7]; vol. 3B, "Package level thermal sensor", IA32_PACKAGE_THERM_STATUS: bits 10 and 11 as power limit notification, too.
 */
static const struct field_row {
	const char *kind, *counter; /* the name's begin, so that a log is where its state is */
	struct feature has;
} field_rows[] = {
	{ "thermal", "power-limit", { 6, 0, 4 } },
	{ "thermal", "current-limit", { 6, 0, 7 } },
	{ "thermal", "cross-domain", { 6, 0, 7 } },
	{ "thermal_pkg", "power-limit", { 6, 0, 4 } },
};

static bool has_field(struct nti_os *os, const struct nthw_box_kind *kind, const char *counter)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(field_rows); i++) {
		const struct field_row *row = &field_rows[i];

		if (strcmp(row->kind, kind->name) == 0 &&
		    strncmp(counter, row->counter, strlen(row->counter)) == 0)
			return has_feature(os, &row->has);
	}
	return true;
}

uint64_t nti_box_rows_frees(struct nti_os *os, const struct nthw_box_kind *kind)
{
	uint64_t frees = 0;
	uint32_t i;

	for (i = 0; i < kind->frees; i++)
		frees |= (uint64_t)has_field(os, kind, kind->free[i].name) << i;
	return frees;
}

bool nti_box_rows_knows(const char *kind)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(processor_rows); i++) {
		if (strcmp(processor_rows[i].kind, kind) == 0)
			return true;
	}
	for (i = 0; i < NTI_ARRAY_SIZE(pci_rows); i++) {
		if (strcmp(pci_rows[i].kind, kind) == 0)
			return true;
	}
	return false;
}

const struct nti_box_pci_row *nti_box_rows_pci(uint32_t vendor_id, uint32_t device_id,
					       uint32_t device, uint32_t function)
{
	size_t i;

	for (i = 0; vendor_id == INTEL_VENDOR_ID && i < NTI_ARRAY_SIZE(pci_rows); i++) {
		const struct nti_box_pci_row *row = &pci_rows[i];

		if (row->device_id == device_id &&
		    (row->device < 0 || (uint32_t)row->device == device) &&
		    (row->function < 0 || (uint32_t)row->function == function))
			return row;
	}
	return NULL;
}

/* The same file, snbep_pci2phy_map_init() as snbep_uncore_pci_init() to bdx_uncore_pci_init(), and skx_uncore_pci_init() call it. */
static const struct nti_box_ubox_row ubox_rows[] = {
	{ 0x3ce0, 0x40, 0x54, true }, { 0x0e1e, 0x40, 0x54, true },  { 0x2f1e, 0x40, 0x54, true },
	{ 0x6f1e, 0x40, 0x54, true }, { 0x2014, 0xc0, 0xd4, false },
};

const struct nti_box_ubox_row *nti_box_rows_ubox(uint32_t vendor_id, uint32_t device_id)
{
	size_t i;

	for (i = 0; vendor_id == INTEL_VENDOR_ID && i < NTI_ARRAY_SIZE(ubox_rows); i++) {
		if (ubox_rows[i].device_id == device_id)
			return &ubox_rows[i];
	}
	return NULL;
}
