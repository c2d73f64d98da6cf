// SPDX-License-Identifier: MIT
/* What CPUID says, and which processor and PCI function has which registers and boxes. */
#include <errno.h>

#include "core/base/names.h"
#include "core/regs/devices.h"
#include "core/regs/regs.h"
#include "core/seq/box.h"
#include "base/tests/tt.h"

#define FOR_EACH_REG(t, r, i) for (i = 0; i < (t)->count && (r = (t)->regs[i]); i++)
#define INTEL 0x756e6547u, 0x6c65746eu, 0x49656e69u /* as EBX, ECX, EDX */
#define AMD 0x68747541u, 0x444d4163u, 0x69746e65u
#define HYGON 0x6f677948u, 0x656e6975u, 0x6e65476eu
#define OTHER 0x746e6543u, 0x736c7561u, 0x48727561u /* CentaurHauls */

/* ---- CPUID ---- */

struct leaf {
	uint32_t leaf, r[4];
};

struct machine {
	struct nthw_cpuid cpuid; /* first */
	struct leaf leaf[8];
	unsigned int reads;
};

/* As Intel's: a leaf that is not there answers with another one's data. */
static int read_leaf(struct nthw_cpuid *cpuid, uint32_t leaf, uint32_t r[4])
{
	struct machine *m = (struct machine *)cpuid;
	size_t i;

	m->reads++;
	memset(r, 0xff, 4 * sizeof(r[0]));
	for (i = 0; i < NTHW_ARRAY_SIZE(m->leaf); i++)
		if (m->leaf[i].leaf == leaf &&
		    m->leaf[i].r[0] + m->leaf[i].r[1] + m->leaf[i].r[2] + m->leaf[i].r[3])
			memcpy(r, m->leaf[i].r, sizeof(m->leaf[i].r));
	return 0;
}

static int no_cpuid(struct nthw_cpuid *cpuid, uint32_t leaf, uint32_t r[4])
{
	(void)cpuid;
	(void)leaf;
	(void)r;
	return -ENOTSUP;
}

static const struct cpu_row {
	int line;
	struct leaf leaf[8];
	struct nthw_x86_cpu cpu;
} cpu_rows[] = {
	/* Westmere-EP: leaf 6 ends the list of leaves that count here, 0xa says version 3 */
	{ __LINE__,
	  { { 0, { 0xb, INTEL } },
	    { 1, { 0x000206c2, 0, 0, 0x10 } },
	    { 6, { 0x7, 0, 0x9, 0 } },
	    { 0xa, { 0x07300403, 0, 0, 0x603 } } },
	  { NTHW_VENDOR_INTEL, 6, 0x2c, 2, NTHW_X86_TSC | NTHW_X86_THERMAL | NTHW_X86_APERF, 0, 3,
	    4, 48, 0x7, 48, 0 } },
	/* the highest leaf is below 6: what others answer is not taken */
	{ __LINE__,
	  { { 0, { 0x2, INTEL } }, { 1, { 0x000006f6, 0, 1u << 31, 0 } } },
	  { NTHW_VENDOR_INTEL, 6, 0x0f, 6, NTHW_X86_GUEST, 0, 0, 0, 0, 0, 0, 0 } },
	/* Nehalem lacks branch-misses; of eight bits of EBX seven are events */
	{ __LINE__,
	  { { 0, { 0xb, INTEL } },
	    { 1, { 0x000106a5, 0, 0, 0x10 } },
	    { 6, { 1 } },
	    { 0xa, { 0x07300403, 0xc0, 0, 0x603 } } },
	  { NTHW_VENDOR_INTEL, 6, 0x1a, 5, NTHW_X86_TSC | NTHW_X86_THERMAL, 0, 3, 4, 48, 0x7, 48, 0,
	    0x40 } },
	/* version 1 has no fixed counters, whatever stands in EDX and ECX */
	{ __LINE__,
	  { { 0, { 0xa, INTEL } },
	    { 1, { 0x000006e8 } },
	    { 6, { 1 } },
	    { 0xa, { 0x07280201, 0, 7, 0x603 } } },
	  { NTHW_VENDOR_INTEL, 6, 0x0e, 8, NTHW_X86_THERMAL, 0, 1, 2, 40, 0, 0, 0 } },
	/* ECX counts from version 5 on only */
	{ __LINE__,
	  { { 0, { 0xa, INTEL } },
	    { 1, { 0x00050654 } },
	    { 6, { 1 } },
	    { 0xa, { 0x07300404, 0, 0xf8, 0x603 } } },
	  { NTHW_VENDOR_INTEL, 6, 0x55, 4, NTHW_X86_THERMAL, 0, 4, 4, 48, 0x7, 48, 0 } },
	/* version 5: either says so; here number 3 is missing */
	{ __LINE__,
	  { { 0, { 0xa, INTEL } },
	    { 1, { 0x000806f8 } },
	    { 6, { 1 } },
	    { 0xa, { 0x07300805, 0, 0x10, 0x603 } } },
	  { NTHW_VENDOR_INTEL, 6, 0x8f, 8, NTHW_X86_THERMAL, 0, 5, 8, 48, 0x17, 48, 0 } },
	/* the number says none and the bitmap all; a hybrid's performance core */
	{ __LINE__,
	  { { 0, { 0x1a, INTEL } },
	    { 1, { 0x00090672 } },
	    { 6, { 0x1d1 } },
	    { 0xa, { 0x07300805, 0, 0xf, 0x600 } },
	    { 0x1a, { 0x40000001 } } },
	  { NTHW_VENDOR_INTEL, 6, 0x97, 2,
	    NTHW_X86_THERMAL | NTHW_X86_THERMAL_PACKAGE | NTHW_X86_POWER_LIMIT | NTHW_X86_HWP, 'c',
	    5, 8, 48, 0xf, 48, 0 } },
	/* K8: four counters, of which no leaf speaks; leaf 6 has no thermal bits of Intel's */
	{ __LINE__,
	  { { 0, { 6, AMD } },
	    { 1, { 0x00020f51, 0, 0, 0x10 } },
	    { 6, { 1 } },
	    { 0x80000000, { 0x80000001, AMD } },
	    { 0x80000001, { 0, 0, 1, 0 } } },
	  { NTHW_VENDOR_AMD, 0xf, 0x25, 1, NTHW_X86_TSC, 0, 0, 4, 48, 0, 0, 0 } },
	/* Zen 2 */
	{ __LINE__,
	  { { 0, { 0x10, AMD } },
	    { 1, { 0x00830f10, 0, 0, 0x10 } },
	    { 6, { 0x5, 0, 1, 0 } },
	    { 0x80000000, { 0x80000020, AMD } },
	    { 0x80000001, { 0, 0, 1u << 23 | 1u << 24 | 1u << 28, 0 } },
	    { 0x80000007, { 0, 0, 0, 1u << 14 } } },
	  { NTHW_VENDOR_AMD, 0x17, 0x31, 0,
	    NTHW_X86_TSC | NTHW_X86_APERF | NTHW_X86_AMD_CORE | NTHW_X86_AMD_DF | NTHW_X86_AMD_L3 |
		    NTHW_X86_AMD_ENERGY,
	    0, 1, 6, 48, 0, 0, 4 } },
	/* Hygon, and version 2: CPUID tells how many */
	{ __LINE__,
	  { { 0, { 0x10, HYGON } },
	    { 1, { 0x00900f12 } },
	    { 6, { 0, 0, 1, 0 } },
	    { 0x80000000, { 0x80000022, HYGON } },
	    { 0x80000001, { 0, 0, 1u << 23 | 1u << 24, 0 } },
	    { 0x80000007, { 1 } },
	    { 0x80000022, { 1, 5 | 12 << 10, 0, 0 } } },
	  { NTHW_VENDOR_AMD, 0x18, 1, 2,
	    NTHW_X86_APERF | NTHW_X86_AMD_CORE | NTHW_X86_AMD_DF | NTHW_X86_AMD_V2, 0, 2, 5, 48, 0,
	    0, 12 } },
	/* another vendor with the architectural PMU */
	{ __LINE__,
	  { { 0, { 0xa, OTHER } },
	    { 1, { 0x000006f1 } },
	    { 6, { 1 } },
	    { 0xa, { 0x07300402, 0, 0, 0x603 } } },
	  { NTHW_VENDOR_UNKNOWN, 6, 0x0f, 1, 0, 0, 2, 4, 48, 0x7, 48, 0 } },
};

TEST(cpuid_is_decoded)
{
	TT_FOR_EACH_ROW(r, cpu_rows) {
		struct machine m = { .cpuid.read = read_leaf };
		struct nthw_x86_cpu cpu;
		uint32_t i, n = 0;

		memcpy(m.leaf, r->leaf, sizeof(m.leaf));
		nthw_x86_identify(&m.cpuid, &cpu);
		TT_EQ(r, cpu.vendor, r->cpu.vendor);
		TT_EQ(r, cpu.family, r->cpu.family);
		TT_EQ(r, cpu.model, r->cpu.model);
		TT_EQ(r, cpu.stepping, r->cpu.stepping);
		TT_EQ(r, cpu.core_kind, r->cpu.core_kind);
		TT_EQ(r, cpu.perfmon, r->cpu.perfmon);
		TT_EQ(r, cpu.general, r->cpu.general);
		TT_EQ(r, cpu.general_width, r->cpu.general_width);
		TT_EQ(r, cpu.fixed, r->cpu.fixed);
		TT_EQ(r, cpu.fixed_width, r->cpu.fixed_width);
		TT_EQ(r, cpu.df, r->cpu.df);
		TT_EQ(r, cpu.missing, r->cpu.missing);
		TT_EQ(r, cpu.features, r->cpu.features);
		for (i = 0; i < 32 && r->cpu.fixed >> i & 1; i++)
			n++;
		TT_EQ(r, nthw_x86_fixed_count(&cpu), n);
		/*
		 * each leaf once, as hypervisors answer slowly: seven leaves of AMD and once more
		 * the one with two words
		 */
		assert_true(m.reads <= 8);
	}
}

TEST(without_cpuid_nothing_is_known)
{
	struct nthw_cpuid cpuid = { .read = no_cpuid };
	struct nthw_x86_cpu cpu, zero = { 0 };

	memset(&cpu, 0xff, sizeof(cpu));
	nthw_x86_identify(&cpuid, &cpu);
	assert_memory_equal(&cpu, &zero, sizeof(cpu));
}

/* ---- rows of processors ---- */

/* Typed in from the lists of Linux' drivers: a processor, one of the rows, whether it has it. */
static const struct model_row {
	int line;
	uint32_t model;
	const struct nthw_table *table;
	const char *name;
	bool has;
} model_rows[] = {
	{ __LINE__, 0x1a, &nthw_nhm_uncore, "MSR_UNCORE_PMC", true },
	{ __LINE__, 0x2c, &nthw_nhm_uncore, "MSR_UNCORE_PERFEVTSEL", true },
	{ __LINE__, 0x2e, &nthw_nhm_uncore, "MSR_UNCORE_PMC", false }, /* -EX */
	{ __LINE__, 0x55, &nthw_nhm_uncore, "MSR_UNCORE_PMC", false },
	{ __LINE__, 0x55, &nthw_skx_cha, "C27_MSR_PMON_CTR", true },
	{ __LINE__, 0x6a, &nthw_skx_cha, "C0_MSR_PMON_CTR", false },
	/* nhm_cstates: no C7 of cores, no C2 of packages */
	{ __LINE__, 0x1a, &nthw_intel_cstate, "MSR_CORE_C3_RESIDENCY", true },
	{ __LINE__, 0x1a, &nthw_intel_cstate, "MSR_CORE_C7_RESIDENCY", false },
	{ __LINE__, 0x1a, &nthw_intel_cstate, "MSR_PKG_C2_RESIDENCY", false },
	{ __LINE__, 0x1a, &nthw_intel_cstate, "MSR_PKG_C7_RESIDENCY", true },
	/*
	 * snb_cstates, hswult_cstates, icx_cstates, adl_cstates, slm_cstates (package C6 is
	 * elsewhere)
	 */
	{ __LINE__, 0x55, &nthw_intel_cstate, "MSR_PKG_C2_RESIDENCY", true },
	{ __LINE__, 0x55, &nthw_intel_cstate, "MSR_PKG_C8_RESIDENCY", false },
	{ __LINE__, 0x8e, &nthw_intel_cstate, "MSR_PKG_C10_RESIDENCY", true },
	{ __LINE__, 0x6a, &nthw_intel_cstate, "MSR_CORE_C1_RES", true },
	{ __LINE__, 0x6a, &nthw_intel_cstate, "MSR_CORE_C3_RESIDENCY", false },
	{ __LINE__, 0x97, &nthw_intel_cstate, "MSR_PKG_C9_RESIDENCY", false },
	{ __LINE__, 0x37, &nthw_intel_cstate, "MSR_PKG_C6_RESIDENCY", false },
	{ __LINE__, 0x37, &nthw_intel_cstate, "MSR_CORE_C6_RESIDENCY", true },
	{ __LINE__, 0x57, &nthw_intel_cstate, "MSR_CORE_C6_RESIDENCY", false },
	/* rapl_model_match: model_snb, model_snbep, model_hsx, model_skl, model_spr */
	{ __LINE__, 0x1a, &nthw_x86, "MSR_PKG_ENERGY_STATUS", false },
	{ __LINE__, 0x1a, &nthw_x86, "MSR_RAPL_POWER_UNIT", false },
	{ __LINE__, 0x2a, &nthw_x86, "MSR_PP1_ENERGY_STATUS", true },
	{ __LINE__, 0x2a, &nthw_x86, "MSR_DRAM_ENERGY_STATUS", false },
	{ __LINE__, 0x2d, &nthw_x86, "MSR_DRAM_ENERGY_STATUS", true },
	{ __LINE__, 0x55, &nthw_x86, "MSR_RAPL_POWER_UNIT", true },
	{ __LINE__, 0x55, &nthw_x86, "MSR_PP1_ENERGY_STATUS", false },
	{ __LINE__, 0x5e, &nthw_x86, "MSR_PLATFORM_ENERGY_STATUS", true },
	{ __LINE__, 0x8f, &nthw_x86, "MSR_PLATFORM_ENERGY_STATUS", true },
	{ __LINE__, 0x8f, &nthw_x86, "MSR_PP1_ENERGY_STATUS", false },
	/* not in the lists: energy since Sandy Bridge, no idle states */
	{ __LINE__, 0x0f, &nthw_x86, "MSR_PKG_ENERGY_STATUS", false },
	{ __LINE__, 0xfe, &nthw_x86, "MSR_PKG_ENERGY_STATUS", true },
	{ __LINE__, 0xfe, &nthw_intel_cstate, "MSR_CORE_C6_RESIDENCY", false },
};

static const struct nthw_reg *row_named(const struct nthw_table *table, const char *name)
{
	const struct nthw_reg *reg;
	size_t i;

	FOR_EACH_REG(table, reg, i)
	{
		if (strcmp(reg->name, name) == 0)
			return reg;
	}
	fail_msg("no row %s in table %s", name, table->name);
	return NULL;
}

TEST(models_have_what_linux_says)
{
	const struct nthw_reg *energy = row_named(&nthw_x86, "MSR_RAPL_POWER_UNIT");
	const struct nthw_reg *c6 = row_named(&nthw_intel_cstate, "MSR_CORE_C6_RESIDENCY");
	struct nthw_x86_cpu cpu = { .vendor = NTHW_VENDOR_INTEL, .family = 6 };
	uint32_t with_energy = 0, with_c6 = 0, boxes = 0;

	TT_FOR_EACH_ROW(r, model_rows) {
		cpu.model = r->model;
		TT_EQ(r, nthw_cpu_has(&cpu, r->table, row_named(r->table, r->name), 0), r->has);
	}
	/*
	 * Linux 6.1: cstate.c has 54 models, of which Knights Landing and Mill keep C6 elsewhere;
	 * rapl.c has
	 * 41. A model that is added counts here too.
	 */
	for (cpu.model = 0; cpu.model < 0x100; cpu.model++) {
		with_c6 += nthw_cpu_has(&cpu, &nthw_intel_cstate, c6, 0);
		boxes += nthw_cpu_has_box(&cpu, "power") + nthw_cpu_has_box(&cpu, "power_hsx") +
			 nthw_cpu_has_box(&cpu, "power_spr");
		if (nthw_cpu_has_box(&cpu, "power"))
			assert_true(nthw_cpu_has(&cpu, &nthw_x86, energy, 0));
		with_energy += nthw_cpu_has_box(&cpu, "cstate_core");
	}
	TT_IS(with_c6, 52);
	TT_IS(boxes, 41);
	/* and of Silvermont, Airmont and Knights the boxes are left out: 54 - 3 - 2 */
	TT_IS(with_energy, 49);
	/* the lists are of Intel's family 6 */
	cpu.model = 0x55;
	assert_true(nthw_cpu_has_box(&cpu, "skx_cha"));
	cpu.family = 15;
	assert_false(nthw_cpu_has_box(&cpu, "skx_cha") || nthw_cpu_has(&cpu, &nthw_x86, energy, 0));
	cpu = (struct nthw_x86_cpu){ .vendor = NTHW_VENDOR_AMD, .family = 6, .model = 0x55 };
	assert_false(nthw_cpu_has_box(&cpu, "skx_cha") || nthw_cpu_has(&cpu, &nthw_x86, energy, 0));
}

/* Rows that CPUID tells of, for processors of cpu_rows: which instances there are, a bit each. */
static const struct has_row {
	int line;
	struct nthw_x86_cpu cpu;
	const struct nthw_table *table;
	const char *name;
	uint32_t instances;
} has_rows[] = {
#define SPR                                                                                        \
	{                                                                                          \
		NTHW_VENDOR_INTEL, 6, 0x8f, 8, NTHW_X86_THERMAL, 0, 5, 8, 48, 0xb, 48, 0           \
	}
#define V1                                                                                         \
	{                                                                                          \
		NTHW_VENDOR_INTEL, 6, 0x0e, 8, 0, 0, 1, 2, 40, 0, 0, 0                             \
	}
#define ZEN2                                                                                       \
	{                                                                                          \
		NTHW_VENDOR_AMD, 0x17, 0x31, 0,                                                    \
			NTHW_X86_APERF | NTHW_X86_AMD_CORE | NTHW_X86_AMD_DF, 0, 1, 6, 48, 0, 0, 4 \
	}
#define K8                                                                                         \
	{                                                                                          \
		NTHW_VENDOR_AMD, 0xf, 5, 0, NTHW_X86_TSC, 0, 0, 4, 48, 0, 0, 0                     \
	}
#define F15H                                                                                       \
	{                                                                                          \
		NTHW_VENDOR_AMD, 0x15, 2, 0, NTHW_X86_AMD_CORE | NTHW_X86_AMD_DF, 0, 1, 6, 48, 0,  \
			0, 4                                                                       \
	}
	{ __LINE__, SPR, &nthw_x86, "IA32_PMC", 0xff },
	/* a gap: the bit decides, not a number */
	{ __LINE__, SPR, &nthw_x86, "IA32_FIXED_CTR", 0xb },
	{ __LINE__, SPR, &nthw_x86, "IA32_FIXED_CTR_CTRL", 1 },
	{ __LINE__, SPR, &nthw_x86, "IA32_PERF_GLOBAL_CTRL", 1 },
	{ __LINE__, SPR, &nthw_x86, "IA32_THERM_STATUS", 1 },
	{ __LINE__, SPR, &nthw_x86, "IA32_PACKAGE_THERM_STATUS", 0 },
	{ __LINE__, SPR, &nthw_x86, "IA32_TIME_STAMP_COUNTER", 0 },
	{ __LINE__, SPR, &nthw_amd_legacy, "PERFCTR", 0 },
	{ __LINE__, V1, &nthw_x86, "IA32_PERFEVTSEL", 3 },
	{ __LINE__, V1, &nthw_x86, "IA32_FIXED_CTR", 0 },
	{ __LINE__, V1, &nthw_x86, "IA32_FIXED_CTR_CTRL", 0 },
	{ __LINE__, V1, &nthw_x86, "IA32_PERF_GLOBAL_STATUS", 0 },
	{ __LINE__, ZEN2, &nthw_x86, "IA32_PMC", 0 },
	{ __LINE__, ZEN2, &nthw_x86, "IA32_APERF", 1 },
	{ __LINE__, ZEN2, &nthw_x86, "IA32_PERF_GLOBAL_CTRL", 0 },
	/* the same four counters under another name: one name only */
	{ __LINE__, ZEN2, &nthw_amd_legacy, "PERFCTR", 0 },
	{ __LINE__, ZEN2, &nthw_amd_core, "PERF_CTR", 0x3f },
	{ __LINE__, ZEN2, &nthw_amd_v2, "PerfCntrGlobalCtl", 0 },
	{ __LINE__, ZEN2, &nthw_amd_df, "DF_PERF_CTR", 0xf },
	{ __LINE__, ZEN2, &nthw_amd_l3, "ChL3Pmc", 0 },
	{ __LINE__, ZEN2, &nthw_amd_rapl, "PKG_ENERGY_STAT", 0 },
	{ __LINE__, K8, &nthw_amd_legacy, "PERFCTR", 0xf },
	{ __LINE__, K8, &nthw_amd_core, "PERF_CTR", 0 },
	{ __LINE__, K8, &nthw_x86, "IA32_TIME_STAMP_COUNTER", 1 },
	/* those of the northbridge have other fields */
	{ __LINE__, F15H, &nthw_amd_df, "DF_PERF_CTR", 0 },
};

TEST(rows_follow_from_cpuid)
{
	TT_FOR_EACH_ROW(r, has_rows) {
		const struct nthw_reg *row = row_named(r->table, r->name);
		uint32_t i, found = 0;

		for (i = 0; i < row->count; i++)
			found |= (uint32_t)nthw_cpu_has(&r->cpu, r->table, row, i) << i;
		TT_EQ(r, found, r->instances);
	}
}

/* Whoever adds a row to nthw_x86 must say which processors have it: some processor must. */
TEST(every_row_of_processors_is_somebodys)
{
	static const struct nthw_x86_cpu all[] = {
		{ NTHW_VENDOR_INTEL, 6, 0x1a, 0, ~0u, 0, 5, 8, 48, 0xf, 48, 0 },
		{ NTHW_VENDOR_INTEL, 6, 0x55, 0, ~0u, 0, 5, 8, 48, 0xf, 48, 0 },
		{ NTHW_VENDOR_INTEL, 6, 0x5e, 0, ~0u, 0, 5, 8, 48, 0xf, 48, 0 },
		{ NTHW_VENDOR_INTEL, 6, 0x66, 0, ~0u, 0, 5, 8, 48, 0xf, 48, 0 },
		{ NTHW_VENDOR_AMD, 0x19, 0x61, 0, ~0u, 0, 2, 6, 48, 0, 0, 16 },
		{ NTHW_VENDOR_AMD, 0x0f, 5, 0, NTHW_X86_TSC, 0, 0, 4, 48, 0, 0, 0 },
	};
	const struct nthw_reg *reg;
	size_t t, i, k;

	for (t = 0; t < nthw_table_count; t++) {
		FOR_EACH_REG(nthw_tables[t], reg, i)
		{
			bool has = reg->space != NTHW_SPACE_MSR;

			for (k = 0; !has && k < NTHW_ARRAY_SIZE(all); k++)
				has = nthw_cpu_has(&all[k], nthw_tables[t], reg, 0);
			if (!has)
				fail_msg("core/regs/devices.c gives %s of table %s to no processor",
					 reg->name, nthw_tables[t]->name);
		}
	}
}

/* ---- boxes ---- */

static bool is_named(const char *kind)
{
	const char *name;
	size_t n;

	for (n = 0; (name = nthw_box_named(n)); n++)
		if (strcmp(name, kind) == 0)
			return true;
	return false;
}

TEST(every_kind_of_box_is_somebodys)
{
	const char *name;
	size_t i, n;

	for (i = 0; i < nthw_box_kind_count; i++)
		if (!is_named(nthw_box_kinds[i]->name))
			fail_msg("core/regs/devices.c does not know which machines have %s",
				 nthw_box_kinds[i]->name);
	assert_false(is_named("no_such_box"));
	for (n = 0; (name = nthw_box_named(n)); n++) {
		for (i = 0; i < nthw_box_kind_count; i++)
			if (strcmp(nthw_box_kinds[i]->name, name) == 0)
				break;
		if (i == nthw_box_kind_count)
			fail_msg("core/regs/devices.c names %s, which core/seq/boxes.c does not "
				 "have",
				 name);
	}
}

static const struct box_row {
	int line;
	struct nthw_x86_cpu cpu;
	const char *kind;
	bool has;
} box_rows[] = {
#define ZEN(family, more)                                                                          \
	{                                                                                          \
		NTHW_VENDOR_AMD, family, 1, 0, NTHW_X86_AMD_L3 | NTHW_X86_AMD_DF | (more), 0, 1,   \
			6, 48, 0, 0, 4                                                             \
	}
	{ __LINE__, ZEN(0x17, 0), "amd_l3_f17h", true },
	{ __LINE__, ZEN(0x17, 0), "amd_l3_f19h", false },
	{ __LINE__, ZEN(0x19, 0), "amd_l3_f19h", true },
	{ __LINE__, ZEN(0x19, 0), "amd_df", true },
	{ __LINE__, ZEN(0x19, 0), "amd_df_v2", false },
	{ __LINE__, ZEN(0x19, NTHW_X86_AMD_V2), "amd_df", false },
	{ __LINE__, ZEN(0x19, NTHW_X86_AMD_V2), "amd_df_v2", true },
	{ __LINE__, ZEN(0x17, 0), "amd_power", false },
	{ __LINE__, ZEN(0x17, NTHW_X86_AMD_ENERGY), "amd_power_core", true },
	{ __LINE__, ZEN(0x1b, NTHW_X86_AMD_ENERGY), "amd_power",
	  false }, /* not known to be the same */
	{ __LINE__, SPR, "power_spr", true },
	{ __LINE__, SPR, "power", false },
	{ __LINE__, SPR, "thermal", true },
	{ __LINE__, SPR, "thermal_pkg", false },
	{ __LINE__, SPR, "msr", false },
	{ __LINE__, SPR, "nhm_uncore", false },
};

TEST(boxes_follow_from_cpuid)
{
	TT_FOR_EACH_ROW(r, box_rows)
		TT_EQ(r, nthw_cpu_has_box(&r->cpu, r->kind), r->has);
}

static const struct state_row {
	int line;
	uint32_t features;
	const char *kind, *counter;
	bool has;
} state_rows[] = {
	{ __LINE__, 0, "thermal", "power-limit-log", false },
	{ __LINE__, NTHW_X86_POWER_LIMIT, "thermal", "power-limit-log", true },
	{ __LINE__, NTHW_X86_POWER_LIMIT, "thermal", "cross-domain", false },
	{ __LINE__, NTHW_X86_HWP, "thermal", "cross-domain", true },
	{ __LINE__, 0, "thermal_pkg", "power-limit", false },
	{ __LINE__, 0, "thermal", "hot", true },
	{ __LINE__, 0, "power", "energy-pkg", true },
};

TEST(states_follow_from_cpuid)
{
	TT_FOR_EACH_ROW(r, state_rows) {
		struct nthw_x86_cpu cpu = { .features = r->features };

		TT_EQ(r, nthw_cpu_has_state(&cpu, r->kind, r->counter), r->has);
	}
}

/* ---- PCI functions ---- */

/*
 * Memory channels between Sandy Bridge and Skylake: two controllers of four channels each, whose
 * order Linux gives by ids.
 */
static const struct channel_row {
	int line;
	uint16_t id;
	uint32_t number;
} channel_rows[] = {
	{ __LINE__, 0x0eb4, 0 }, { __LINE__, 0x0eb0, 2 }, { __LINE__, 0x0ef1, 7 },
	{ __LINE__, 0x2fb0, 0 }, { __LINE__, 0x2fb5, 3 }, { __LINE__, 0x2fd4, 6 },
	{ __LINE__, 0x6fb1, 1 }, { __LINE__, 0x6fd0, 4 },
};

TEST(channels_by_id)
{
	TT_FOR_EACH_ROW(r, channel_rows) {
		const struct nthw_pci_device *known = nthw_pci_device(0x8086, r->id);

		assert_non_null(known);
		TT_EQ(r, nthw_pci_slot(known, 20, 0)->number, r->number);
		TT_STR(r, known->box, "skx_imc");
	}
	assert_null(nthw_pci_device(0x8086, 0x2fb2));
}

/* All but the header that every function has: some function must have them. */
TEST(every_table_of_functions_is_somebodys)
{
	size_t t, i;

	for (t = 0; t < nthw_table_count; t++) {
		bool has = nthw_tables[t] == &nthw_pci ||
			   nthw_tables[t]->regs[0]->scope != NTHW_SCOPE_DEVICE;

		for (i = 0; !has && i < nthw_pci_device_count; i++)
			has = nthw_pci_devices[i].table == nthw_tables[t];
		if (!has)
			fail_msg("core/regs/devices.c gives table %s to no PCI function",
				 nthw_tables[t]->name);
	}
}

/* Functions whose id says not which one they are: their place does. */
static const struct slot_row {
	int line;
	uint16_t id;
	uint32_t device, function;
	int number;
} slot_rows[] = {
	{ __LINE__, 0x2042, 10, 2, 0 },	 { __LINE__, 0x2042, 12, 2, 3 },
	{ __LINE__, 0x2042, 12, 6, -1 }, { __LINE__, 0x204a, 13, 2, 5 },
	{ __LINE__, 0x2066, 9, 0, 1 },	 { __LINE__, 0x2058, 16, 0, 2 },
	{ __LINE__, 0x2014, 8, 0, -1 },
};

TEST(functions_by_place)
{
	TT_FOR_EACH_ROW(r, slot_rows) {
		const struct nthw_pci_slot *slot =
			nthw_pci_slot(nthw_pci_device(0x8086, r->id), r->device, r->function);

		TT_EQ(r, slot ? slot->number : -1, r->number);
	}
}

static void check_function(const struct nthw_pci_device *d, size_t at)
{
	uint32_t i;

	if (nthw_pci_device(d->vendor, d->device) != d)
		fail_msg("%x:%x is in row %zu and in one before", d->vendor, d->device, at);
	assert_non_null(d->table);
	assert_true(d->vendor_names && *d->vendor_names);
	/* who belongs to a socket finds the function that tells which */
	assert_true(!d->is_ubox || d->ubox);
	assert_true(!d->box == !d->slots);
	assert_in_range(d->slots, 0, NTHW_ARRAY_SIZE(d->slot));
	for (i = 0; i < d->slots; i++)
		assert_ptr_equal(nthw_pci_slot(d, (uint32_t)d->slot[i].device,
					       (uint32_t)d->slot[i].function),
				 &d->slot[i]);
}

TEST(functions_are_whole)
{
	size_t i, k;

	for (i = 0; i < nthw_pci_device_count; i++) {
		const struct nthw_pci_device *d = &nthw_pci_devices[i];
		bool has_ubox = !d->ubox;

		check_function(d, i);
		for (k = 0; k < nthw_pci_device_count; k++)
			has_ubox |= nthw_pci_devices[k].is_ubox &&
				    nthw_pci_devices[k].ubox == d->ubox &&
				    nthw_pci_devices[k].table->regs[0] == d->ubox->node;
		if (!has_ubox)
			fail_msg("%x:%x is of a socket that no function tells", d->vendor,
				 d->device);
	}
}

/* By intel_uncore_match of the same driver, the processors whose lists of functions have rows. */
TEST(processors_with_functions)
{
	static const uint8_t models[] = { 0x2d, 0x3e, 0x3f, 0x4f, 0x55, 0x56 };
	struct nthw_x86_cpu cpu = { .vendor = NTHW_VENDOR_INTEL, .family = 6 };
	size_t i, found = 0;

	for (cpu.model = 1; cpu.model < 0x100; cpu.model++)
		if (nthw_cpu_has_pci_box(&cpu))
			TT_IS(cpu.model, models[found++]);
	TT_IS(found, NTHW_ARRAY_SIZE(models));
	cpu = (struct nthw_x86_cpu){ .vendor = NTHW_VENDOR_AMD, .family = 6, .model = 0x55 };
	assert_false(nthw_cpu_has_pci_box(&cpu));
	for (i = 0; i < nthw_pci_device_count; i++)
		assert_true(!nthw_pci_devices[i].ubox || nthw_pci_devices[i].ubox->models[0]);
}

/* Linux' snbep_pci2phy_map_init(): the first of eight places that holds the node. */
TEST(sockets_of_nodes)
{
	TT_IS(nthw_ubox_socket(0, 0x01), 1);
	TT_IS(nthw_ubox_socket(1, 0x01), 0);
	TT_IS(nthw_ubox_socket(0xfffffff9, 0x01), 0); /* other ids stand above the node */
	TT_IS(nthw_ubox_socket(7, 07000000000), -1);  /* beyond the eighth place is no node */
	TT_IS(nthw_ubox_socket(7, 070000000), 7);
	TT_IS(nthw_ubox_socket(5, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpuid_is_decoded),
		cmocka_unit_test(without_cpuid_nothing_is_known),
		cmocka_unit_test(models_have_what_linux_says),
		cmocka_unit_test(rows_follow_from_cpuid),
		cmocka_unit_test(every_row_of_processors_is_somebodys),
		cmocka_unit_test(every_kind_of_box_is_somebodys),
		cmocka_unit_test(boxes_follow_from_cpuid),
		cmocka_unit_test(states_follow_from_cpuid),
		cmocka_unit_test(every_table_of_functions_is_somebodys),
		cmocka_unit_test(channels_by_id),
		cmocka_unit_test(functions_by_place),
		cmocka_unit_test(functions_are_whole),
		cmocka_unit_test(processors_with_functions),
		cmocka_unit_test(sockets_of_nodes),
	};

	return TT_RUN(tests);
}
