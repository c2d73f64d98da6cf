// SPDX-License-Identifier: MIT
/*
 * core/models/x86_pmu: random traffic against the rows, then what the manuals say of counting,
 * wrapping and faulting.
 */
#include "core/regs/regs.h"
#include "core/models/x86_pmu.h"
#include "core/tests/models/traffic.h"

#define MASK48 0xffffffffffffull

/* ---- random traffic ---- */

static int read_msr(void *model, uint32_t addr, uint64_t *value)
{
	return ntm_x86_pmu_rdmsr(model, addr, value);
}

static int write_msr(void *model, uint32_t addr, uint64_t value)
{
	return ntm_x86_pmu_wrmsr(model, addr, value);
}

/* 4 general and 3 fixed counters, and no thermal, clock or energy registers. */
static uint32_t intel_count(void *model, const struct nthw_reg *reg)
{
	(void)model;
	switch (reg->addr) {
	case 0xc1:
	case 0x186:
		return 4;
	case 0x309:
		return 3;
	case 0x38d:
	case 0x38e:
	case 0x38f:
	case 0x390:
		return 1;
	default:
		return 0;
	}
}

static uint64_t intel_reset(void *model, const struct nthw_reg *reg, uint32_t index)
{
	(void)model;
	(void)index;
	return reg->addr == 0x38f ? 0xf : 0; /* SDM: the general counters that exist are enabled */
}

static uint64_t keep_or_fault(uint64_t before, uint64_t value, uint64_t allowed, bool *refused)
{
	*refused = value & ~allowed;
	return *refused ? before : value;
}

/* Typed in from SDM vol. 3B for 4 general and 3 fixed counters of 48 bits. */
static uint64_t intel_after(void *model, const struct nthw_reg *reg, uint32_t index,
			    uint64_t before, uint64_t value, bool *refused)
{
	(void)model;
	(void)index;
	switch (reg->addr) {
	case 0xc1:
		return (uint64_t)(int64_t)(int32_t)value & MASK48;
	case 0x186: /* all but AnyThread, which version 2 has not */
		return keep_or_fault(before, value, 0xffdfffff, refused);
	case 0x309:
		return value & MASK48;
	case 0x38d:
		return keep_or_fault(before, value, 0xbbb, refused);
	case 0x38f:
		return keep_or_fault(before, value, 0x70000000f, refused);
	case 0x390:
		*refused = value & ~0xc00000070000000full;
		return 0;
	default:
		*refused = true;
		return before;
	}
}

static uint64_t intel_touches(void *model, const struct nthw_reg *reg, uint32_t index,
			      uint64_t value, const struct nthw_reg *other, uint32_t other_index,
			      uint64_t expected)
{
	(void)model;
	(void)index;
	(void)other_index;
	return reg->addr == 0x390 && other->addr == 0x38e ? expected & ~value : expected;
}

TEST(intel_holds_its_rows)
{
	struct ntm_x86_pmu pmu;
	struct traffic t = { .table = &nthw_x86,
			     .model = &pmu,
			     .read = read_msr,
			     .write = write_msr,
			     .count = intel_count,
			     .reset = intel_reset,
			     .after = intel_after,
			     .touches = intel_touches };
	uint64_t seed = tt_seed();
	int round;

	TT_IS(ntm_x86_pmu_init(&pmu, &ntm_x86_intel), 0);
	traffic_check_reset(&t);
	for (round = 0; round < 20; round++) {
		/* overflows that the traffic may clear */
		pmu.global_status = tt_random(&seed) & 0x70000000f;
		traffic_run(&t, &seed, 500);
	}
	ntm_x86_pmu_reset(&pmu);
	traffic_check_reset(&t);
}

static uint64_t amd_after(void *model, const struct nthw_reg *reg, uint32_t index, uint64_t before,
			  uint64_t value, bool *refused)
{
	bool is_ctl = reg->addr == 0xc0010000 || reg->addr == 0xc0010200;

	(void)model;
	(void)index;
	(void)before;
	(void)refused;
	return value & (is_ctl ? 0x30fffd7ffffull : MASK48);
}

static void check_amd(const struct ntm_x86_config *config, const struct nthw_table *table)
{
	struct ntm_x86_pmu pmu;
	struct traffic t = { .table = table,
			     .model = &pmu,
			     .read = read_msr,
			     .write = write_msr,
			     .after = amd_after };
	uint64_t seed = tt_seed();

	TT_IS(ntm_x86_pmu_init(&pmu, config), 0);
	traffic_check_reset(&t);
	traffic_run(&t, &seed, 10000);
	ntm_x86_pmu_reset(&pmu);
	traffic_check_reset(&t);
}

TEST(amd_holds_its_rows)
{
	check_amd(&ntm_x86_amd_legacy, &nthw_amd_legacy);
	check_amd(&ntm_x86_amd_core, &nthw_amd_legacy);
	check_amd(&ntm_x86_amd_core, &nthw_amd_core);
}

static uint64_t rd(struct ntm_x86_pmu *pmu, uint32_t addr)
{
	uint64_t value = 0xdead;

	TT_IS(ntm_x86_pmu_rdmsr(pmu, addr, &value), 0);
	return value;
}

static void wr(struct ntm_x86_pmu *pmu, uint32_t addr, uint64_t value)
{
	TT_IS(ntm_x86_pmu_wrmsr(pmu, addr, value), 0);
}

/* The core extension's first four counters are the old ones at other addresses. */
TEST(amd_counters_have_two_addresses)
{
	struct ntm_x86_pmu pmu;
	uint32_t i;

	ntm_x86_pmu_init(&pmu, &ntm_x86_amd_core);
	for (i = 0; i < 4; i++) {
		wr(&pmu, 0xc0010000 + i, 0x530000 + i);
		TT_IS(rd(&pmu, 0xc0010200 + 2 * i), 0x530000 + i);
		wr(&pmu, 0xc0010201 + 2 * i, 0x1000 + i);
		TT_IS(rd(&pmu, 0xc0010004 + i), 0x1000 + i);
	}
}

/* ---- counting ---- */

static const struct counts_row {
	int line;
	const struct ntm_x86_config *config;
	uint32_t sel_msr, pmc_msr;
	uint64_t select;
	uint64_t in_user,
		/* after 10 user steps and 100 kernel steps of 1 instruction, 4 cycles, 2 ref */
		in_kernel;
} counts_rows[] = {
	{ __LINE__, &ntm_x86_intel, 0x186, 0xc1, 0x4100c0, 10, 0 },
	{ __LINE__, &ntm_x86_intel, 0x186, 0xc1, 0x4200c0, 0, 100 },
	{ __LINE__, &ntm_x86_intel, 0x187, 0xc2, 0x4301c0, 10, 100 },
	{ __LINE__, &ntm_x86_intel, 0x188, 0xc3, 0x43003c, 40, 400 },
	{ __LINE__, &ntm_x86_intel, 0x189, 0xc4, 0x43013c, 20, 200 },
	/* not enabled; no level; events unknown to the model; edge, inv, cmask */
	{ __LINE__, &ntm_x86_intel, 0x186, 0xc1, 0x0300c0, 0, 0 },
	{ __LINE__, &ntm_x86_intel, 0x186, 0xc1, 0x4000c0, 0, 0 },
	{ __LINE__, &ntm_x86_intel, 0x186, 0xc1, 0x4300c4, 0, 0 },
	{ __LINE__, &ntm_x86_intel, 0x186, 0xc1, 0x4302c0, 0, 0 },
	{ __LINE__, &ntm_x86_intel, 0x186, 0xc1, 0x4700c0, 0, 0 },
	{ __LINE__, &ntm_x86_intel, 0x186, 0xc1, 0xc300c0, 0, 0 },
	{ __LINE__, &ntm_x86_intel, 0x186, 0xc1, 0x14300c0, 0, 0 },
	{ __LINE__, &ntm_x86_amd_legacy, 0xc0010000, 0xc0010004, 0x4100c0, 10, 0 },
	{ __LINE__, &ntm_x86_amd_legacy, 0xc0010003, 0xc0010007, 0x420076, 0, 400 },
	{ __LINE__, &ntm_x86_amd_core, 0xc001020a, 0xc001020b, 0x4300c0, 10, 100 },
	{ __LINE__, &ntm_x86_amd_core, 0xc0010200, 0xc0010201, 0x430076, 40, 400 },
	/* event 1c0h; guests only; hosts only */
	{ __LINE__, &ntm_x86_amd_core, 0xc0010200, 0xc0010201, 0x1004300c0, 0, 0 },
	{ __LINE__, &ntm_x86_amd_core, 0xc0010200, 0xc0010201, 0x100004300c0, 0, 0 },
	{ __LINE__, &ntm_x86_amd_core, 0xc0010200, 0xc0010201, 0x200004300c0, 10, 100 },
};

static const struct ntm_x86_work user_work = { 10, 40, 20 };
static const struct ntm_x86_work kernel_work = { 100, 400, 200 };

TEST(known_events_count)
{
	TT_FOR_EACH_ROW(r, counts_rows) {
		struct ntm_x86_pmu pmu;

		TT_EQ(r, ntm_x86_pmu_init(&pmu, r->config), 0);
		TT_EQ(r, ntm_x86_pmu_wrmsr(&pmu, r->sel_msr, r->select), 0);
		ntm_x86_pmu_advance(&pmu, true, &user_work);
		TT_EQ(r, rd(&pmu, r->pmc_msr), r->in_user);
		ntm_x86_pmu_advance(&pmu, false, &kernel_work);
		TT_EQ(r, rd(&pmu, r->pmc_msr), r->in_user + r->in_kernel);
	}
}

TEST(fixed_counters_count)
{
	struct ntm_x86_pmu pmu;

	ntm_x86_pmu_init(&pmu, &ntm_x86_intel);
	wr(&pmu, 0x38d, 0x321); /* 0 in the kernel, 1 in user mode, 2 in both */
	ntm_x86_pmu_advance(&pmu, true, &user_work);
	TT_IS(rd(&pmu, 0x30a), 0); /* the global enable is still off */
	wr(&pmu, 0x38f, 0x700000000);
	ntm_x86_pmu_advance(&pmu, true, &user_work);
	ntm_x86_pmu_advance(&pmu, false, &kernel_work);
	TT_IS(rd(&pmu, 0x309), 100);
	TT_IS(rd(&pmu, 0x30a), 40);
	TT_IS(rd(&pmu, 0x30b), 220);
}

TEST(the_global_enable_stops_each_counter)
{
	struct ntm_x86_pmu pmu;
	uint32_t i;

	ntm_x86_pmu_init(&pmu, &ntm_x86_intel);
	for (i = 0; i < 4; i++)
		wr(&pmu, 0x186 + i, 0x4300c0);
	wr(&pmu, 0x38f, 0x5);
	ntm_x86_pmu_advance(&pmu, true, &user_work);
	for (i = 0; i < 4; i++)
		TT_IS(rd(&pmu, 0xc1 + i), i % 2 ? 0 : 10);
}

/* ---- overflow ---- */

/* Steps of one instruction to an overflow of a counter that was written with @value. */
static const struct overflow_row {
	int line;
	uint32_t value;
	uint64_t after;
} overflow_rows[] = {
	{ __LINE__, 0xffffffff, 1 },	      { __LINE__, 0xfffffff0, 16 },
	{ __LINE__, 0x80000000, 0x80000000 }, { __LINE__, 0x7fffffff, (1ull << 48) - 0x7fffffff },
	{ __LINE__, 0, 1ull << 48 },
};

static const struct ntm_x86_work one = { 1, 1, 1 };

TEST(overflow_comes_when_it_was_said)
{
	TT_FOR_EACH_ROW(r, overflow_rows) {
		struct ntm_x86_work most = { r->after - 1, r->after - 1, r->after - 1 };
		struct ntm_x86_pmu pmu;

		ntm_x86_pmu_init(&pmu, &ntm_x86_intel);
		wr(&pmu, 0x187, 0x5300c0);
		wr(&pmu, 0xc2, r->value);
		TT_EQ(r, ntm_x86_pmu_until_overflow(&pmu, true, &one), r->after);
		ntm_x86_pmu_advance(&pmu, true, &most);
		TT_EQ(r, rd(&pmu, 0x38e), 0);
		TT_EQ(r, ntm_x86_pmu_take_pmi(&pmu), false);
		TT_EQ(r, ntm_x86_pmu_until_overflow(&pmu, true, &one), 1);
		ntm_x86_pmu_advance(&pmu, true, &one);
		TT_EQ(r, rd(&pmu, 0xc2), 0);
		TT_EQ(r, rd(&pmu, 0x38e), 2);
		TT_EQ(r, ntm_x86_pmu_take_pmi(&pmu), true);
		TT_EQ(r, ntm_x86_pmu_take_pmi(&pmu), false);
		TT_EQ(r, rd(&pmu, 0x38e), 2); /* stays until software clears it */
		TT_EQ(r, ntm_x86_pmu_wrmsr(&pmu, 0x390, 2), 0);
		TT_EQ(r, rd(&pmu, 0x38e), 0);
	}
}

TEST(fixed_counters_overflow)
{
	struct ntm_x86_work work = { 5, 20, 10 };
	struct ntm_x86_pmu pmu;

	ntm_x86_pmu_init(&pmu, &ntm_x86_intel);
	wr(&pmu, 0x38f, 0x700000000);
	wr(&pmu, 0x38d, 0x0b0); /* counter 1, both levels, interrupt */
	wr(&pmu, 0x30a, MASK48 - 16);
	TT_IS(ntm_x86_pmu_until_overflow(&pmu, true, &work), 1);
	TT_IS(ntm_x86_pmu_until_overflow(&pmu, true, &one), 17);
	ntm_x86_pmu_advance(&pmu, true, &work);
	TT_IS(rd(&pmu, 0x30a), 3);
	TT_IS(rd(&pmu, 0x38e), 1ull << 33);
	TT_IS(ntm_x86_pmu_take_pmi(&pmu), true);
}

TEST(an_overflow_interrupts_only_where_enabled)
{
	struct ntm_x86_pmu pmu;

	ntm_x86_pmu_init(&pmu, &ntm_x86_intel);
	wr(&pmu, 0x186, 0x4300c0);
	wr(&pmu, 0xc1, 0xffffffff);
	TT_IS(ntm_x86_pmu_until_overflow(&pmu, true, &one), -1);
	ntm_x86_pmu_advance(&pmu, true, &one);
	TT_IS(rd(&pmu, 0x38e), 1);
	TT_IS(ntm_x86_pmu_take_pmi(&pmu), false);
}

TEST(amd_overflows_without_status)
{
	struct ntm_x86_pmu pmu;

	ntm_x86_pmu_init(&pmu, &ntm_x86_amd_core);
	wr(&pmu, 0xc0010208, 0x5200c0);
	wr(&pmu, 0xc0010209, 0xffffffff0000);
	TT_IS(ntm_x86_pmu_until_overflow(&pmu, true, &one), -1); /* counts in the kernel only */
	TT_IS(ntm_x86_pmu_until_overflow(&pmu, false, &one), 0x10000);
	ntm_x86_pmu_advance(&pmu, false, &(struct ntm_x86_work){ 0x10001, 0, 0 });
	TT_IS(rd(&pmu, 0xc0010209), 1);
	TT_IS(ntm_x86_pmu_take_pmi(&pmu), true);
}

/* ---- faults ---- */

static const struct fault_row {
	int line;
	const struct ntm_x86_config *config;
	uint32_t addr;
	uint64_t value;
	int write, read;
} fault_rows[] = {
	/* status is read only; reserved bits; AnyThread in version 2; counters that do not exist */
	{ __LINE__, &ntm_x86_intel, 0x38e, 0, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_intel, 0x38f, 0x10, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_intel, 0x38f, 1ull << 35, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_intel, 0x38d, 0x4, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_intel, 0x38d, 0x1000, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_intel, 0x390, 0x10, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_intel, 0x390, 3ull << 62, 0, 0 },
	{ __LINE__, &ntm_x86_intel, 0x186, 1ull << 21, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_intel, 0x186, 1ull << 32, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_intel, 0xc0, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, &ntm_x86_intel, 0xc5, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, &ntm_x86_intel, 0x18a, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, &ntm_x86_intel, 0x308, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, &ntm_x86_intel, 0x30c, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, &ntm_x86_intel, 0xc0010000, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, &ntm_x86_intel, 0, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, &ntm_x86_amd_legacy, 0x186, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, &ntm_x86_amd_legacy, 0x38f, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, &ntm_x86_amd_legacy, 0xc0010200, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, &ntm_x86_amd_legacy, 0xc0010008, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, &ntm_x86_amd_core, 0xc001020c, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, &ntm_x86_amd_core, 0xc001020b, UINT64_MAX, 0, 0 },
};

TEST(what_must_fault_faults)
{
	TT_FOR_EACH_ROW(r, fault_rows) {
		struct ntm_x86_pmu pmu;
		uint64_t value;

		ntm_x86_pmu_init(&pmu, r->config);
		TT_EQ(r, ntm_x86_pmu_wrmsr(&pmu, r->addr, r->value), r->write);
		TT_EQ(r, ntm_x86_pmu_rdmsr(&pmu, r->addr, &value), r->read);
	}
}

static const struct rdpmc_row {
	int line;
	const struct ntm_x86_config *config;
	uint32_t index;
	int ret;
	uint32_t msr;
} rdpmc_rows[] = {
	{ __LINE__, &ntm_x86_intel, 0, 0, 0xc1 },
	{ __LINE__, &ntm_x86_intel, 3, 0, 0xc4 },
	{ __LINE__, &ntm_x86_intel, 4, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_intel, 0x40000000, 0, 0x309 },
	{ __LINE__, &ntm_x86_intel, 0x40000002, 0, 0x30b },
	{ __LINE__, &ntm_x86_intel, 0x40000003, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_intel, 0x80000000, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_intel, 0xc0000000, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_amd_legacy, 3, 0, 0xc0010007 },
	{ __LINE__, &ntm_x86_amd_legacy, 4, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_amd_legacy, 0x40000000, NTM_REFUSED, 0 },
	{ __LINE__, &ntm_x86_amd_core, 5, 0, 0xc001020b },
	{ __LINE__, &ntm_x86_amd_core, 6, NTM_REFUSED, 0 },
};

TEST(rdpmc_reads_the_counters)
{
	TT_FOR_EACH_ROW(r, rdpmc_rows) {
		struct ntm_x86_pmu pmu;
		uint64_t value = 0;

		ntm_x86_pmu_init(&pmu, r->config);
		if (r->msr)
			wr(&pmu, r->msr, 0x12345678);
		TT_EQ(r, ntm_x86_pmu_rdpmc(&pmu, r->index, &value), r->ret);
		TT_EQ(r, value, r->ret ? 0 : 0x12345678);
	}
}

/* ---- what is there ---- */

TEST(cpuid_tells_the_counters)
{
	struct ntm_x86_pmu pmu;
	struct ntm_cpuid leaf;

	ntm_x86_pmu_init(&pmu, &ntm_x86_intel);
	leaf = ntm_x86_pmu_cpuid(&pmu);
	TT_IS(leaf.eax, 0x07300402);
	TT_IS(leaf.ebx, 0x78);
	TT_IS(leaf.ecx, 0);
	TT_IS(leaf.edx, 0x603);
	ntm_x86_pmu_init(&pmu, &ntm_x86_amd_core);
	leaf = ntm_x86_pmu_cpuid(&pmu);
	TT_IS(leaf.eax | leaf.ebx | leaf.ecx | leaf.edx, 0);
}

static const struct config_row {
	int line;
	struct ntm_x86_config config;
	int ret;
} config_rows[] = {
	{ __LINE__, { NTM_X86_INTEL_V2, 8, 3, 48 }, 0 },
	{ __LINE__, { NTM_X86_INTEL_V2, 2, 0, 40 }, 0 },
	{ __LINE__, { NTM_X86_INTEL_V2, 0, 3, 48 }, NTM_REFUSED },
	{ __LINE__, { NTM_X86_INTEL_V2, 9, 3, 48 }, NTM_REFUSED },
	{ __LINE__, { NTM_X86_INTEL_V2, 4, 4, 48 }, NTM_REFUSED },
	{ __LINE__, { NTM_X86_INTEL_V2, 4, 3, 32 }, NTM_REFUSED },
	{ __LINE__, { NTM_X86_INTEL_V2, 4, 3, 64 }, NTM_REFUSED },
	{ __LINE__, { NTM_X86_AMD_LEGACY, 6, 0, 48 }, NTM_REFUSED },
	{ __LINE__, { NTM_X86_AMD_CORE, 6, 1, 48 }, NTM_REFUSED },
	{ __LINE__, { (enum ntm_x86_kind)0, 4, 0, 48 }, NTM_REFUSED },
};

TEST(only_real_configurations_are_made)
{
	TT_FOR_EACH_ROW(r, config_rows) {
		struct ntm_x86_pmu pmu;

		TT_EQ(r, ntm_x86_pmu_init(&pmu, &r->config), r->ret);
	}
}

/*
 * One advance of n steps and n advances of one step are the same thing: the caller may ask as often
 * as it likes.
 */
TEST(advancing_can_be_cut_anywhere)
{
	uint64_t seed = tt_seed();
	struct ntm_x86_pmu whole, parts;
	int i, k;

	for (i = 0; i < 200; i++) {
		struct ntm_x86_work sum = { 0, 0, 0 };

		ntm_x86_pmu_init(&whole, &ntm_x86_intel);
		for (k = 0; k < 4; k++) {
			wr(&whole, 0x186 + (uint32_t)k, k < 2 ? 0x5300c0 : 0x53003c);
			wr(&whole, 0xc1 + (uint32_t)k, 0xffffff00 | (tt_random(&seed) & 0xff));
		}
		parts = whole;
		for (k = 0; k < 50; k++) {
			uint64_t n = tt_random(&seed) % 8;
			struct ntm_x86_work work = { n, 4 * n, 4 * n };

			ntm_x86_pmu_advance(&parts, false, &work);
			sum.instructions += n;
			sum.cycles += 4 * n;
			sum.ref_cycles += 4 * n;
		}
		ntm_x86_pmu_advance(&whole, false, &sum);
		assert_memory_equal(whole.count, parts.count, sizeof(whole.count));
		TT_IS(whole.global_status, parts.global_status);
		TT_IS(whole.pmi, parts.pmi);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intel_holds_its_rows),
		cmocka_unit_test(amd_holds_its_rows),
		cmocka_unit_test(amd_counters_have_two_addresses),
		cmocka_unit_test(known_events_count),
		cmocka_unit_test(fixed_counters_count),
		cmocka_unit_test(the_global_enable_stops_each_counter),
		cmocka_unit_test(overflow_comes_when_it_was_said),
		cmocka_unit_test(fixed_counters_overflow),
		cmocka_unit_test(an_overflow_interrupts_only_where_enabled),
		cmocka_unit_test(amd_overflows_without_status),
		cmocka_unit_test(what_must_fault_faults),
		cmocka_unit_test(rdpmc_reads_the_counters),
		cmocka_unit_test(cpuid_tells_the_counters),
		cmocka_unit_test(only_real_configurations_are_made),
		cmocka_unit_test(advancing_can_be_cut_anywhere),
	};

	return TT_RUN(tests);
}
