// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Leaves of CPUID decoded. They are defined in Intel's SDM vol. 2A, CPUID, and vol. 3B, 20.2
 * "architectural performance monitoring", and in AMD's APM vol. 3, appendix E; compared with Linux
 * 6.1 arch/x86/include/asm/perf_event.h (cpuid10_*, cpuid_0x80000022_ebx), asm/cpufeatures.h and
 * kernel/cpu/scattered.c.
 */
#include "core/regs/x86_cpuid.h"

#define LEAF_VENDOR 0x0u
#define LEAF_VERSION 0x1u
#define LEAF_POWER 0x6u
#define LEAF_PERFMON 0xau
#define LEAF_HYBRID 0x1au
#define LEAF_EXTENDED 0x80000000u
#define LEAF_EXTENDED_FEATURES 0x80000001u
#define LEAF_EXTENDED_POWER 0x80000007u
#define LEAF_AMD_PERFMON 0x80000022u

enum { EAX, EBX, ECX, EDX };

/* Highest leaves of the two ranges. */
struct leaves {
	struct nthw_cpuid *cpuid;
	uint32_t highest, highest_extended;
};

/* Zeros where the leaf does not exist. */
static void read_leaf(const struct leaves *l, uint32_t leaf, uint32_t r[4])
{
	uint32_t highest = leaf & LEAF_EXTENDED ? l->highest_extended : l->highest;

	if (leaf > highest || l->cpuid->read(l->cpuid, leaf, r) < 0)
		r[EAX] = r[EBX] = r[ECX] = r[EDX] = 0;
}

static uint32_t bits(uint32_t value, unsigned int first, unsigned int last)
{
	return value >> first & (0xffffffffu >> (31 - (last - first)));
}

/* The twelve letters, four in each of EBX, EDX and ECX. */
static const struct vendor_row {
	uint32_t ebx, edx, ecx;
	enum nthw_vendor vendor;
} vendor_rows[] = {
	{ 0x756e6547, 0x49656e69, 0x6c65746e, NTHW_VENDOR_INTEL }, /* GenuineIntel */
	{ 0x68747541, 0x69746e65, 0x444d4163, NTHW_VENDOR_AMD },   /* AuthenticAMD */
	{ 0x6f677948, 0x6e65476e, 0x656e6975, NTHW_VENDOR_AMD },   /* HygonGenuine */
};

static enum nthw_vendor decode_vendor(const uint32_t r[4])
{
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(vendor_rows); i++)
		if (r[EBX] == vendor_rows[i].ebx && r[EDX] == vendor_rows[i].edx &&
		    r[ECX] == vendor_rows[i].ecx)
			return vendor_rows[i].vendor;
	return NTHW_VENDOR_UNKNOWN;
}

/*
 * Intel SDM vol. 2A, CPUID, "version information": extended fields count from family 6 and 15
 * (model) and 15 (family) on. Linux 6.1 arch/x86/lib/cpu.c, x86_family() and x86_model().
 */
static void decode_version(uint32_t eax, struct nthw_x86_cpu *out)
{
	out->stepping = bits(eax, 0, 3);
	out->model = bits(eax, 4, 7);
	out->family = bits(eax, 8, 11);
	if (out->family == 15)
		out->family += bits(eax, 20, 27);
	if (out->family >= 6)
		out->model |= bits(eax, 16, 19) << 4;
}

/* Who has the bit: another vendor may use it for something else. UNKNOWN: all. */
static const struct feature_row {
	enum nthw_vendor vendor;
	uint32_t leaf;
	uint8_t word, bit;
	uint32_t feature;
} feature_rows[] = {
	{ NTHW_VENDOR_UNKNOWN, LEAF_VERSION, EDX, 4, NTHW_X86_TSC },
	/* kept 0 by hardware and set by hypervisors (AMD APM vol. 3, CPUID Fn0000_0001) */
	{ NTHW_VENDOR_UNKNOWN, LEAF_VERSION, ECX, 31, NTHW_X86_GUEST },
	{ NTHW_VENDOR_UNKNOWN, LEAF_POWER, ECX, 0, NTHW_X86_APERF },
	{ NTHW_VENDOR_INTEL, LEAF_POWER, EAX, 0, NTHW_X86_THERMAL },
	{ NTHW_VENDOR_INTEL, LEAF_POWER, EAX, 4, NTHW_X86_POWER_LIMIT },
	{ NTHW_VENDOR_INTEL, LEAF_POWER, EAX, 6, NTHW_X86_THERMAL_PACKAGE },
	{ NTHW_VENDOR_INTEL, LEAF_POWER, EAX, 7, NTHW_X86_HWP },
	/*
	 * cpufeatures.h: PERFCTR_CORE, PERFCTR_NB, PERFCTR_LLC; kernel/cpu/amd.c: RAPL;
	 * scattered.c: PERFMON_V2
	 */
	{ NTHW_VENDOR_AMD, LEAF_EXTENDED_FEATURES, ECX, 23, NTHW_X86_AMD_CORE },
	{ NTHW_VENDOR_AMD, LEAF_EXTENDED_FEATURES, ECX, 24, NTHW_X86_AMD_DF },
	{ NTHW_VENDOR_AMD, LEAF_EXTENDED_FEATURES, ECX, 28, NTHW_X86_AMD_L3 },
	{ NTHW_VENDOR_AMD, LEAF_EXTENDED_POWER, EDX, 14, NTHW_X86_AMD_ENERGY },
	{ NTHW_VENDOR_AMD, LEAF_AMD_PERFMON, EAX, 0, NTHW_X86_AMD_V2 },
};

/* Rows of one leaf stand together, so each leaf is read once: hypervisors answer CPUID slowly. */
static void decode_features(const struct leaves *l, struct nthw_x86_cpu *out)
{
	uint32_t r[4] = { 0 }, leaf = 0;
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(feature_rows); i++) {
		const struct feature_row *row = &feature_rows[i];

		if (row->vendor != NTHW_VENDOR_UNKNOWN && row->vendor != out->vendor)
			continue;
		if (row->leaf != leaf) {
			leaf = row->leaf;
			read_leaf(l, leaf, r);
			if (leaf == LEAF_VERSION)
				decode_version(r[EAX], out);
		}
		if (r[row->word] >> row->bit & 1)
			out->features |= row->feature;
	}
}

/*
 * Intel SDM vol. 3B, 20.2: version in EAX 7-0, general counters in EAX 15-8, their width in EAX
 * 23-16. Fixed counters exist from version 2 on: number in EDX 4-0, width in EDX 12-5. Version 5
 * adds a bitmap in ECX, and then (20.2.5, "architectural performance monitoring version 5")
 *
 *     FxCtr[i]_is_supported := ECX[i] || (EDX[4:0] > i)
 *
 * ECX is reserved before. The bitmap may have gaps: a hypervisor keeps some for itself. EBX has a bit
 * for each architectural event that is not there, as many as EAX 31-24 says (table 20-1).
 */
static void decode_perfmon(const struct leaves *l, struct nthw_x86_cpu *out)
{
	uint32_t r[4], known;

	read_leaf(l, LEAF_PERFMON, r);
	out->perfmon = bits(r[EAX], 0, 7);
	if (!out->perfmon)
		return;
	out->general = bits(r[EAX], 8, 15);
	out->general_width = bits(r[EAX], 16, 23);
	known = bits(r[EAX], 24, 31);
	out->missing = known < 32 ? r[EBX] & (((uint32_t)1 << known) - 1) : r[EBX];
	if (out->perfmon < 2)
		return;
	out->fixed = ((uint32_t)1 << bits(r[EDX], 0, 4)) - 1;
	out->fixed_width = bits(r[EDX], 5, 12);
	if (out->perfmon >= 5)
		out->fixed |= r[ECX];
}

/* Intel SDM vol. 2A, CPUID leaf 0x1a: core type in EAX 31-24. */
static void decode_hybrid(const struct leaves *l, struct nthw_x86_cpu *out)
{
	uint32_t r[4];

	read_leaf(l, LEAF_HYBRID, r);
	if (bits(r[EAX], 24, 31) == 0x20)
		out->core_kind = 'a';
	else if (bits(r[EAX], 24, 31) == 0x40)
		out->core_kind = 'c';
}

/*
 * AMD APM vol. 2, 13.2: four counters since K7, six with the core extension, all of 48 bits (Linux
 * 6.1 arch/x86/events/amd/core.c, amd_pmu.cntval_bits). Fn8000_0022 EBX: 3-0 core counters, 15-10
 * those of the data fabric, which are four before (uncore.c, NUM_COUNTERS_NB).
 */
static void decode_amd(const struct leaves *l, struct nthw_x86_cpu *out)
{
	bool has_v2 = out->features & NTHW_X86_AMD_V2, has_core = out->features & NTHW_X86_AMD_CORE;
	uint32_t r[4] = { 0 };

	if (out->family < 6)
		return;
	if (has_v2)
		read_leaf(l, LEAF_AMD_PERFMON, r);
	out->perfmon = has_v2 ? 2 : has_core ? 1 : 0;
	out->general = has_core ? 6 : 4;
	if (bits(r[EBX], 0, 3))
		out->general = bits(r[EBX], 0, 3);
	out->general_width = 48;
	if (out->features & NTHW_X86_AMD_DF)
		out->df = bits(r[EBX], 10, 15) ? bits(r[EBX], 10, 15) : 4;
}

void nthw_x86_identify(struct nthw_cpuid *cpuid, struct nthw_x86_cpu *out)
{
	struct leaves l = { .cpuid = cpuid };
	uint32_t r[4];

	memset(out, 0, sizeof(*out));
	if (cpuid->read(cpuid, LEAF_VENDOR, r) < 0)
		return;
	l.highest = r[EAX];
	out->vendor = decode_vendor(r);
	if (out->vendor == NTHW_VENDOR_AMD && cpuid->read(cpuid, LEAF_EXTENDED, r) == 0)
		l.highest_extended = r[EAX];
	decode_features(&l, out);
	if (out->vendor == NTHW_VENDOR_AMD) {
		decode_amd(&l, out);
		return;
	}
	decode_perfmon(&l, out);
	if (out->vendor == NTHW_VENDOR_INTEL)
		decode_hybrid(&l, out);
}

uint32_t nthw_x86_fixed_count(const struct nthw_x86_cpu *cpu)
{
	uint32_t n = 0;

	while (n < 32 && cpu->fixed >> n & 1)
		n++;
	return n;
}
