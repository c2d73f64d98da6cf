// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Which processor and which PCI function has which registers and boxes: one row each. Numbers of
 * Intel's models are those of Linux 6.1 arch/x86/include/asm/intel-family.h.
 */
#include "core/regs/devices.h"

#include "core/base/names.h"
#include "core/regs/box_rows.h"
#include "core/regs/pci_test.h"
#include "core/regs/regs.h"

/* ---- Intel's models ---- */

/*
 * Models of Intel's family 6, for what CPUID does not tell, as three drivers of Linux 6.1 list
 * them: arch/x86/events/intel/cstate.c (intel_cstates_match), arch/x86/events/rapl.c
 * (rapl_model_match) and arch/x86/events/intel/uncore.c (intel_uncore_match).
 *
 * Left out, because the register means something else there: package C6 of Silvermont and Airmont
 * (it is where package C7 is) and core C6 of Knights Landing (it has an address of its own); their
 * idle states are no boxes either.
 */
struct intel_model {
	uint8_t model;			 /* CPUID's, extended */
	uint8_t core_cstates;		 /* bit n: counter of core state C1, C3, C6, C7 */
	uint8_t package_cstates;	 /* bit n: of package state C2, C3, C6, C7, C8, C9, C10 */
	bool has_cstate_boxes;		 /* all of them mean what the kinds of box say */
	uint8_t energy;			 /* bit n: of cores, package, memory, graphics, platform */
	const char *energy_box;		 /* kind of box; NULL: none */
	const struct nthw_table *uncore; /* in MSRs; NULL: none that rows describe */
	const char *uncore_box;
};

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
#define NHM_CSTATES (C3 | C6), (PC3 | PC6 | PC7), true
#define SNB_CSTATES (C3 | C6 | C7), (PC2 | PC3 | PC6 | PC7), true
#define HSWULT_CSTATES (C3 | C6 | C7), (PC2 | PC3 | PC6 | PC7 | PC8 | PC9 | PC10), true
#define CNL_CSTATES (C1 | C3 | C6 | C7), (PC2 | PC3 | PC6 | PC7 | PC8 | PC9 | PC10), true
#define ICL_CSTATES (C6 | C7), (PC2 | PC3 | PC6 | PC7 | PC8 | PC9 | PC10), true
#define ICX_CSTATES (C1 | C6), (PC2 | PC6), true
#define ADL_CSTATES (C1 | C6 | C7), (PC2 | PC3 | PC6 | PC8 | PC10), true
#define SLM_CSTATES (C1 | C6), 0, false
#define KNL_CSTATES 0, (PC2 | PC3 | PC6), false
#define GLM_CSTATES (C1 | C3 | C6), (PC2 | PC3 | PC6 | PC10), true
#define NO_ENERGY 0, NULL
#define SNB_ENERGY (CORES | PACKAGE | GRAPHICS), "power"
#define SNBEP_ENERGY (CORES | PACKAGE | MEMORY), "power"
/* memory counts in a step of its own, 2^-16 J: model_hsx and model_knl of rapl_model_match */
#define HSX_ENERGY (CORES | PACKAGE | MEMORY), "power_hsx"
#define HSW_ENERGY (CORES | PACKAGE | MEMORY | GRAPHICS), "power"
#define KNL_ENERGY (PACKAGE | MEMORY), "power_hsx"
#define SKL_ENERGY (CORES | PACKAGE | MEMORY | GRAPHICS | PLATFORM), "power"
/* the platform counts in joules: model_spr */
#define SPR_ENERGY (CORES | PACKAGE | MEMORY | PLATFORM), "power_spr"
#define NO_UNCORE NULL, NULL
#define NHM &nthw_nhm_uncore, "nhm_uncore"
#define SKX &nthw_skx_cha, "skx_cha"

static const struct intel_model models[] = {
	{ 0x1a, NHM_CSTATES, NO_ENERGY, NHM },
	{ 0x1e, NHM_CSTATES, NO_ENERGY, NHM },
	{ 0x25, NHM_CSTATES, NO_ENERGY, NHM },
	{ 0x2a, SNB_CSTATES, SNB_ENERGY, NO_UNCORE },
	{ 0x2c, NHM_CSTATES, NO_ENERGY, NHM },
	{ 0x2d, SNB_CSTATES, SNBEP_ENERGY, NO_UNCORE },
	{ 0x2e, NHM_CSTATES, NO_ENERGY, NO_UNCORE },
	{ 0x2f, NHM_CSTATES, NO_ENERGY, NO_UNCORE },
	{ 0x37, SLM_CSTATES, NO_ENERGY, NO_UNCORE },
	{ 0x3a, SNB_CSTATES, SNB_ENERGY, NO_UNCORE },
	{ 0x3c, SNB_CSTATES, HSW_ENERGY, NO_UNCORE },
	{ 0x3d, SNB_CSTATES, HSW_ENERGY, NO_UNCORE },
	{ 0x3e, SNB_CSTATES, SNBEP_ENERGY, NO_UNCORE },
	{ 0x3f, SNB_CSTATES, HSX_ENERGY, NO_UNCORE },
	{ 0x45, HSWULT_CSTATES, HSW_ENERGY, NO_UNCORE },
	{ 0x46, SNB_CSTATES, HSW_ENERGY, NO_UNCORE },
	{ 0x47, SNB_CSTATES, HSW_ENERGY, NO_UNCORE },
	{ 0x4c, SLM_CSTATES, NO_ENERGY, NO_UNCORE },
	{ 0x4d, SLM_CSTATES, NO_ENERGY, NO_UNCORE },
	{ 0x4e, SNB_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0x4f, SNB_CSTATES, HSX_ENERGY, NO_UNCORE },
	{ 0x55, SNB_CSTATES, HSX_ENERGY, SKX },
	{ 0x56, SNB_CSTATES, HSX_ENERGY, NO_UNCORE },
	{ 0x57, KNL_CSTATES, KNL_ENERGY, NO_UNCORE },
	{ 0x5c, GLM_CSTATES, HSW_ENERGY, NO_UNCORE },
	{ 0x5e, SNB_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0x5f, GLM_CSTATES, HSW_ENERGY, NO_UNCORE },
	{ 0x66, CNL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0x6a, ICX_CSTATES, HSX_ENERGY, NO_UNCORE },
	{ 0x6c, ICX_CSTATES, HSX_ENERGY, NO_UNCORE },
	{ 0x7a, GLM_CSTATES, HSW_ENERGY, NO_UNCORE },
	{ 0x7d, ICL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0x7e, ICL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0x85, KNL_CSTATES, KNL_ENERGY, NO_UNCORE },
	{ 0x86, GLM_CSTATES, NO_ENERGY, NO_UNCORE },
	{ 0x8c, ICL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0x8d, ICL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0x8e, HSWULT_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0x8f, ICX_CSTATES, SPR_ENERGY, NO_UNCORE },
	{ 0x96, GLM_CSTATES, NO_ENERGY, NO_UNCORE },
	{ 0x97, ADL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0x9a, ADL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0x9c, GLM_CSTATES, NO_ENERGY, NO_UNCORE },
	{ 0x9e, HSWULT_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0xa5, HSWULT_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0xa6, HSWULT_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0xa7, ICL_CSTATES, NO_ENERGY, NO_UNCORE },
	{ 0xaa, ADL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0xac, ADL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0xb7, ADL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0xba, ADL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0xbe, ADL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0xbf, ADL_CSTATES, SKL_ENERGY, NO_UNCORE },
	{ 0xcf, ICX_CSTATES, SPR_ENERGY, NO_UNCORE },
};

static const struct intel_model *find_model(const struct nthw_x86_cpu *cpu)
{
	size_t i;

	if (cpu->vendor != NTHW_VENDOR_INTEL || cpu->family != 6)
		return NULL;
	for (i = 0; i < NTHW_ARRAY_SIZE(models); i++)
		if (models[i].model == cpu->model)
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

bool nthw_cpu_is_energy(const struct nthw_reg *row)
{
	return row == &nthw_x86_energy_unit ||
	       has_bit(0xff, energy_rows, NTHW_ARRAY_SIZE(energy_rows), row);
}

/* The first model with energy counters, Sandy Bridge: those that the list lacks are newer. */
#define FIRST_WITH_ENERGY 0x2a

static bool has_energy(const struct nthw_x86_cpu *cpu, const struct nthw_reg *row)
{
	const struct intel_model *model = find_model(cpu);

	if (!model)
		return cpu->vendor == NTHW_VENDOR_INTEL && cpu->family == 6 &&
		       cpu->model >= FIRST_WITH_ENERGY;
	return row == &nthw_x86_energy_unit
		       ? model->energy != 0
		       : has_bit(model->energy, energy_rows, NTHW_ARRAY_SIZE(energy_rows), row);
}

/* ---- rows of processors ---- */

/* What CPUID must say of a row of nthw_x86. */
static const struct x86_row {
	const struct nthw_reg *row;
	uint32_t features;
	uint8_t perfmon;
} x86_rows[] = {
	{ &nthw_x86_tsc, NTHW_X86_TSC, 0 },
	{ &nthw_x86_mperf, NTHW_X86_APERF, 0 },
	{ &nthw_x86_aperf, NTHW_X86_APERF, 0 },
	{ &nthw_x86_therm_status, NTHW_X86_THERMAL, 0 },
	{ &nthw_x86_temperature_target, NTHW_X86_THERMAL, 0 },
	{ &nthw_x86_package_therm_status, NTHW_X86_THERMAL_PACKAGE, 0 },
	{ &nthw_x86_global_status, 0, 2 },
	{ &nthw_x86_global_ctrl, 0, 2 },
	{ &nthw_x86_global_ovf_ctrl, 0, 2 },
};

static bool has_x86(const struct nthw_x86_cpu *cpu, const struct nthw_reg *row, uint32_t index)
{
	bool is_pmu = nthw_cpu_core_table(cpu) == &nthw_x86;
	size_t i;

	if (nthw_cpu_is_energy(row))
		return has_energy(cpu, row);
	for (i = 0; i < NTHW_ARRAY_SIZE(x86_rows); i++)
		if (x86_rows[i].row == row)
			return (cpu->features & x86_rows[i].features) == x86_rows[i].features &&
			       (!x86_rows[i].perfmon ||
				(is_pmu && cpu->perfmon >= x86_rows[i].perfmon));
	if (row == &nthw_x86_fixed_ctr)
		return is_pmu && (cpu->fixed >> index & 1);
	if (row == &nthw_x86_fixed_ctr_ctrl)
		return is_pmu && cpu->fixed;
	return is_pmu && index < cpu->general && (row == &nthw_x86_pmc || row == &nthw_x86_evtsel);
}

/*
 * L3 and data fabric are those of family 17h and later: before, the same addresses and bits of
 * CPUID are other counters (core/regs/amd.c).
 */
static bool has_amd(const struct nthw_x86_cpu *cpu, const struct nthw_table *table, uint32_t index)
{
	bool is_zen = cpu->vendor == NTHW_VENDOR_AMD && cpu->family >= 0x17;

	if (table == &nthw_amd_v2)
		return cpu->features & NTHW_X86_AMD_V2;
	if (table == &nthw_amd_l3)
		return is_zen && (cpu->features & NTHW_X86_AMD_L3);
	if (table == &nthw_amd_df)
		return is_zen && index < cpu->df;
	return table == &nthw_amd_rapl && is_zen && (cpu->features & NTHW_X86_AMD_ENERGY);
}

/*
 * The core extension's first four counters are K7's at other addresses: one name for each counter,
 * so that who holds it holds it.
 */
const struct nthw_table *nthw_cpu_core_table(const struct nthw_x86_cpu *cpu)
{
	if (!cpu->general)
		return NULL;
	if (cpu->vendor != NTHW_VENDOR_AMD)
		return &nthw_x86;
	return cpu->perfmon ? &nthw_amd_core : &nthw_amd_legacy;
}

bool nthw_cpu_has(const struct nthw_x86_cpu *cpu, const struct nthw_table *table,
		  const struct nthw_reg *row, uint32_t index)
{
	const struct intel_model *model = find_model(cpu);

	if (table == &nthw_x86)
		return has_x86(cpu, row, index);
	if (table == &nthw_amd_legacy || table == &nthw_amd_core)
		return table == nthw_cpu_core_table(cpu) && index < cpu->general;
	if (table == &nthw_intel_cstate)
		return model &&
		       (has_bit(model->core_cstates, core_rows, NTHW_ARRAY_SIZE(core_rows), row) ||
			has_bit(model->package_cstates, package_rows,
				NTHW_ARRAY_SIZE(package_rows), row));
	return (model && table == model->uncore) || has_amd(cpu, table, index);
}

/* ---- boxes of processors ---- */

/* Kinds that CPUID tells of; those that a model tells of are in the list of models. */
static const struct cpu_box {
	const char *kind;
	enum nthw_vendor vendor;
	uint8_t family_first, family_last;
	uint32_t has, lacks; /* NTHW_X86_* */
} cpu_boxes[] = {
	/*
	 * Linux 6.1 arch/x86/events/amd/uncore.c, amd_uncore_l3_init(): from family 19h on the
	 * select register has other fields.
	 */
	{ "amd_l3_f17h", NTHW_VENDOR_AMD, 0x17, 0x18, NTHW_X86_AMD_L3, 0 },
	{ "amd_l3_f19h", NTHW_VENDOR_AMD, 0x19, 0x1a, NTHW_X86_AMD_L3, 0 },
	/* The same file, amd_uncore_df_init(): version 2 has more counters and wider codes. */
	{ "amd_df", NTHW_VENDOR_AMD, 0x17, 0x19, NTHW_X86_AMD_DF, NTHW_X86_AMD_V2 },
	{ "amd_df_v2", NTHW_VENDOR_AMD, 0x19, 0x1a, NTHW_X86_AMD_DF | NTHW_X86_AMD_V2, 0 },
	{ "amd_power", NTHW_VENDOR_AMD, 0x17, 0x1a, NTHW_X86_AMD_ENERGY, 0 },
	{ "amd_power_core", NTHW_VENDOR_AMD, 0x17, 0x1a, NTHW_X86_AMD_ENERGY, 0 },
	{ "msr", NTHW_VENDOR_INTEL, 6, 6, NTHW_X86_APERF, 0 },
	{ "msr", NTHW_VENDOR_AMD, 0x17, 0x1a, NTHW_X86_APERF, 0 },
	{ "thermal", NTHW_VENDOR_INTEL, 6, 6, NTHW_X86_THERMAL, 0 },
	{ "thermal_pkg", NTHW_VENDOR_INTEL, 6, 6, NTHW_X86_THERMAL_PACKAGE, 0 },
};

static const char *const cstate_boxes[] = { "cstate_core", "cstate_pkg" };

static bool is_kind(const char *row, const char *kind)
{
	return row && nthw_name_is(row, kind);
}

static bool is_cstate_box(const char *kind)
{
	return is_kind(cstate_boxes[0], kind) || is_kind(cstate_boxes[1], kind);
}

bool nthw_cpu_has_box(const struct nthw_x86_cpu *cpu, const char *kind)
{
	const struct intel_model *model = find_model(cpu);
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(cpu_boxes); i++) {
		const struct cpu_box *row = &cpu_boxes[i];

		if (row->vendor == cpu->vendor && cpu->family >= row->family_first &&
		    cpu->family <= row->family_last && is_kind(row->kind, kind) &&
		    (cpu->features & row->has) == row->has && !(cpu->features & row->lacks))
			return true;
	}
	return model && (is_kind(model->energy_box, kind) || is_kind(model->uncore_box, kind) ||
			 (model->has_cstate_boxes && is_cstate_box(kind)));
}

/*
 * Fields of registers that only some processors have. Intel SDM vol. 4, table 2-2,
 * IA32_THERM_STATUS: bits 10 and 11 with CPUID 6:EAX[4], 12 to 15 with 6:EAX[7]; vol. 3B, "Package
 * level thermal sensor", IA32_PACKAGE_THERM_STATUS: bits 10 and 11 as power limit notification,
 * too.
 */
static const struct state_row {
	const char *kind, *counter; /* the name's begin, so that a log is where its state is */
	uint32_t feature;
} state_rows[] = {
	{ "thermal", "power-limit", NTHW_X86_POWER_LIMIT },
	{ "thermal", "current-limit", NTHW_X86_HWP },
	{ "thermal", "cross-domain", NTHW_X86_HWP },
	{ "thermal_pkg", "power-limit", NTHW_X86_POWER_LIMIT },
};

static bool begins_with(const char *text, const char *head)
{
	while (*head && *text == *head) {
		text++;
		head++;
	}
	return !*head;
}

bool nthw_cpu_has_state(const struct nthw_x86_cpu *cpu, const char *kind, const char *counter)
{
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(state_rows); i++)
		if (is_kind(state_rows[i].kind, kind) &&
		    begins_with(counter, state_rows[i].counter))
			return cpu->features & state_rows[i].feature;
	return true;
}

/* ---- PCI functions ---- */

/*
 * Linux 6.1 arch/x86/events/intel/uncore_snbep.c, snbep_uncore_pci_ids to bdx_uncore_pci_ids and
 * skx_uncore_pci_ids; which register of a Ubox and which direction: snbep_pci2phy_map_init() as
 * snbep_uncore_pci_init() to bdx_uncore_pci_init() and skx_uncore_pci_init() call it.
 *
 * Memory channels from Ivy Bridge-EP to Broadwell have Sandy Bridge-EP's registers there
 * (SNBEP_UNCORE_PCI_COMMON_INIT), but Ivy Bridge-EP's are set up without frz_en
 * (IVBEP_PMON_BOX_CTL_INT), as Skylake's: they are taken for Skylake's, which freeze by frz alone
 * and leave the other bits as they are. Of Skylake's controllers and links several have one id:
 * their place on the bus tells which it is.
 */
#define INTEL 0x8086

/*
 * A family of processors has one: its Ubox tells of its buses only, so each is a kind of its own.
 */
#define UBOX(name, table, above, ...) \
	static const struct nthw_ubox ubox_##name = { &nthw_##table##_node, &nthw_##table##_map, above, { __VA_ARGS__ } }
UBOX(snbep, snbep_ubox, true, 0x2d);
UBOX(ivbep, snbep_ubox, true, 0x3e);
UBOX(hswep, snbep_ubox, true, 0x3f);
UBOX(bdx, snbep_ubox, true, 0x4f, 0x56);
UBOX(skx, skx_ubox, false, 0x55);

#define FUNCTION(id, rows, cpu) \
	.vendor = INTEL, .device = (id), .table = &nthw_##rows, .vendor_names = "intel", .ubox = &ubox_##cpu
#define UBOX_ROW(id, rows, cpu) { FUNCTION(id, rows, cpu), .is_ubox = true }
/* The one box with its id. */
#define ONE(id, rows, cpu, n) { FUNCTION(id, rows, cpu), .box = #rows, .slot = { { -1, -1, n } }, .slots = 1 }
#define TWO(id, rows, cpu, ...) { FUNCTION(id, rows, cpu), .box = #rows, .slot = { __VA_ARGS__ }, .slots = 2 }
#define THREE(id, rows, cpu, ...) { FUNCTION(id, rows, cpu), .box = #rows, .slot = { __VA_ARGS__ }, .slots = 3 }

const struct nthw_pci_device nthw_pci_devices[] = {
	UBOX_ROW(0x3ce0, snbep_ubox, snbep),
	ONE(0x3cb0, snbep_imc, snbep, 0),
	ONE(0x3cb1, snbep_imc, snbep, 1),
	ONE(0x3cb4, snbep_imc, snbep, 2),
	ONE(0x3cb5, snbep_imc, snbep, 3),

	UBOX_ROW(0x0e1e, snbep_ubox, ivbep),
	ONE(0x0eb4, skx_imc, ivbep, 0),
	ONE(0x0eb5, skx_imc, ivbep, 1),
	ONE(0x0eb0, skx_imc, ivbep, 2),
	ONE(0x0eb1, skx_imc, ivbep, 3),
	ONE(0x0ef4, skx_imc, ivbep, 4),
	ONE(0x0ef5, skx_imc, ivbep, 5),
	ONE(0x0ef0, skx_imc, ivbep, 6),
	ONE(0x0ef1, skx_imc, ivbep, 7),

	UBOX_ROW(0x2f1e, snbep_ubox, hswep),
	ONE(0x2fb0, skx_imc, hswep, 0),
	ONE(0x2fb1, skx_imc, hswep, 1),
	ONE(0x2fb4, skx_imc, hswep, 2),
	ONE(0x2fb5, skx_imc, hswep, 3),
	ONE(0x2fd0, skx_imc, hswep, 4),
	ONE(0x2fd1, skx_imc, hswep, 5),
	ONE(0x2fd4, skx_imc, hswep, 6),
	ONE(0x2fd5, skx_imc, hswep, 7),

	UBOX_ROW(0x6f1e, snbep_ubox, bdx),
	ONE(0x6fb0, skx_imc, bdx, 0),
	ONE(0x6fb1, skx_imc, bdx, 1),
	ONE(0x6fb4, skx_imc, bdx, 2),
	ONE(0x6fb5, skx_imc, bdx, 3),
	ONE(0x6fd0, skx_imc, bdx, 4),
	ONE(0x6fd1, skx_imc, bdx, 5),
	ONE(0x6fd4, skx_imc, bdx, 6),
	ONE(0x6fd5, skx_imc, bdx, 7),

	UBOX_ROW(0x2014, skx_ubox, skx),
	TWO(0x2042, skx_imc, skx, { 10, 2, 0 }, { 12, 2, 3 }),
	TWO(0x2046, skx_imc, skx, { 10, 6, 1 }, { 12, 6, 4 }),
	TWO(0x204a, skx_imc, skx, { 11, 2, 2 }, { 13, 2, 5 }),
	TWO(0x2066, skx_m2m, skx, { 8, 0, 0 }, { 9, 0, 1 }),
	THREE(0x2058, skx_upi, skx, { 14, 0, 0 }, { 15, 0, 1 }, { 16, 0, 2 }),

#ifdef NTHW_LAB
	/* ntime's own test device, which exists as a model only. */
	{ .vendor = 0x1234, .device = 0x6e74, .table = &nthw_pci_test, .vendor_names = "ntime", .bar = 0 },
#endif
};
const size_t nthw_pci_device_count = NTHW_ARRAY_SIZE(nthw_pci_devices);

const struct nthw_pci_device *nthw_pci_device(uint32_t vendor, uint32_t device)
{
	size_t i;

	for (i = 0; i < nthw_pci_device_count; i++)
		if (nthw_pci_devices[i].vendor == vendor && nthw_pci_devices[i].device == device)
			return &nthw_pci_devices[i];
	return NULL;
}

bool nthw_cpu_has_pci_box(const struct nthw_x86_cpu *cpu)
{
	size_t i;

	if (cpu->vendor != NTHW_VENDOR_INTEL || cpu->family != 6)
		return false;
	for (i = 0; i < nthw_pci_device_count; i++) {
		const struct nthw_ubox *ubox = nthw_pci_devices[i].ubox;

		if (ubox && (cpu->model == ubox->models[0] || cpu->model == ubox->models[1]))
			return true;
	}
	return false;
}

const struct nthw_pci_slot *nthw_pci_slot(const struct nthw_pci_device *known, uint32_t device,
					  uint32_t function)
{
	uint32_t i;

	for (i = 0; i < known->slots; i++) {
		const struct nthw_pci_slot *slot = &known->slot[i];

		if ((slot->device < 0 || (uint32_t)slot->device == device) &&
		    (slot->function < 0 || (uint32_t)slot->function == function))
			return slot;
	}
	return NULL;
}

/* Three bits a node, in both registers: rows CPUNODEID and GIDNIDMAP. */
#define NODE_BITS 3
#define NODE_MASK 7u

int nthw_ubox_socket(uint64_t node, uint64_t map)
{
	int i;

	for (i = 0; i < NTHW_UBOX_SOCKETS; i++)
		if ((map >> NODE_BITS * i & NODE_MASK) == (node & NODE_MASK))
			return i;
	return -1;
}

/* ---- for tests ---- */

const char *nthw_box_named(size_t number)
{
	size_t i, at = number;

	if (at < NTHW_ARRAY_SIZE(cpu_boxes))
		return cpu_boxes[at].kind;
	at -= NTHW_ARRAY_SIZE(cpu_boxes);
	if (at < NTHW_ARRAY_SIZE(cstate_boxes))
		return cstate_boxes[at];
	at -= NTHW_ARRAY_SIZE(cstate_boxes);
	for (i = 0; i < NTHW_ARRAY_SIZE(models); i++) {
		if (models[i].energy_box && !at--)
			return models[i].energy_box;
		if (models[i].uncore_box && !at--)
			return models[i].uncore_box;
	}
	for (i = 0; i < nthw_pci_device_count; i++)
		if (nthw_pci_devices[i].box && !at--)
			return nthw_pci_devices[i].box;
	return NULL;
}
