// SPDX-License-Identifier: MIT
/*
 * core/models/arm1176_pmu.h: random traffic against the rows of nthw_arm1176, then what Linux'
 * perf_event_v6.c expects of it. The manual (ARM DDI 0301H) was not opened.
 */
#include "core/regs/regs.h"
#include "core/models/arm1176_pmu.h"
#include "core/tests/models/traffic.h"
#include "base/tests/tt.h"

/* Typed in from that driver, not taken from the rows: c15, c9, 0 and c15, c12, 0 to 3. */
#define ACCESS 0xf090u
#define PMCR 0xf0c0u
#define CCR 0xf0c1u
#define CR0 0xf0c2u
#define CR1 0xf0c3u

#define E 0x1u
#define P 0x2u
#define C 0x4u
#define D 0x8u
#define FLAGS 0x700u
#define FLAG0 0x100u
#define FLAG1 0x200u
#define FLAGC 0x400u
#define EVENTS(cr0, cr1) ((uint32_t)(cr0) << 20 | (uint32_t)(cr1) << 12)
#define INSTRUCTIONS 0x07
#define CYCLES 0xff

#define KERNEL true
#define USER false

static uint32_t get(const struct ntm_arm1176_pmu *p, uint32_t addr)
{
	uint64_t value = 0xdeadbeefdeadbeef;

	TT_IS(ntm_arm1176_pmu_read(p, addr, KERNEL, &value), 0);
	TT_IS(value >> 32, 0);
	return (uint32_t)value;
}

static void set(struct ntm_arm1176_pmu *p, uint32_t addr, uint32_t value)
{
	TT_IS(ntm_arm1176_pmu_write(p, addr, KERNEL, value), 0);
}

static int traffic_read(void *model, uint32_t addr, uint64_t *value)
{
	return ntm_arm1176_pmu_read(model, addr, KERNEL, value);
}

static int traffic_write(void *model, uint32_t addr, uint64_t value)
{
	return ntm_arm1176_pmu_write(model, addr, KERNEL, value);
}

static uint64_t after(void *model, const struct nthw_reg *reg, uint32_t index, uint64_t before,
		      uint64_t value, bool *refused)
{
	(void)model;
	(void)index;
	(void)refused;
	if (reg->addr != PMCR)
		return traffic_stored(reg, before, value);
	/* Reset bits read as 0, bits 7 and 31:28 too; a flag stays unless 1 is written over it. */
	return (value & 0x0ffff879) | (before & FLAGS & ~value);
}

static uint64_t touches(void *model, const struct nthw_reg *reg, uint32_t index, uint64_t value,
			const struct nthw_reg *other, uint32_t other_index, uint64_t expected)
{
	(void)model;
	(void)index;
	(void)other_index;
	if (reg->addr != PMCR)
		return expected;
	if ((other->addr == CR0 && value & P) || (other->addr == CCR && value & C))
		return 0;
	return expected;
}

TEST(traffic)
{
	struct ntm_arm1176_pmu p;
	const struct traffic t = { .table = &nthw_arm1176,
				   .model = &p,
				   .read = traffic_read,
				   .write = traffic_write,
				   .after = after,
				   .touches = touches };
	uint64_t seed = tt_seed();
	int round;

	memset(&p, 0xa5, sizeof(p));
	ntm_arm1176_pmu_reset(&p);
	traffic_check_reset(&t);
	for (round = 0; round < 100; round++) {
		traffic_run(&t, &seed, 100);
		/* Flags come from counting only. */
		ntm_arm1176_pmu_advance(&p, tt_random(&seed) >> 31, tt_random(&seed) >> 31);
	}
	ntm_arm1176_pmu_reset(&p);
	traffic_check_reset(&t);
}

TEST(reset_is_all_zero)
{
	static const uint32_t addrs[] = { ACCESS, PMCR, CCR, CR0, CR1 };
	struct ntm_arm1176_pmu p;
	size_t i;

	memset(&p, 0xff, sizeof(p));
	ntm_arm1176_pmu_reset(&p);
	for (i = 0; i < 5; i++)
		TT_IS(get(&p, addrs[i]), 0);
	TT_IS(ntm_arm1176_pmu_has_interrupt(&p), false);
}

static const struct count_row {
	int line;
	uint32_t pmcr, ccr, cr0, cr1; /* before */
	uint64_t instructions, cycles;
	uint32_t pmcr_then, ccr_then, cr0_then, cr1_then;
} count_rows[] = {
	/* not enabled: nothing moves */
	{ __LINE__, EVENTS(INSTRUCTIONS, CYCLES), 1, 2, 3, 100, 200, EVENTS(INSTRUCTIONS, CYCLES),
	  1, 2, 3 },
	/* each counter its own event */
	{ __LINE__, E | EVENTS(INSTRUCTIONS, CYCLES), 1, 2, 3, 100, 200,
	  E | EVENTS(INSTRUCTIONS, CYCLES), 201, 102, 203 },
	{ __LINE__, E | EVENTS(CYCLES, INSTRUCTIONS), 1, 2, 3, 100, 200,
	  E | EVENTS(CYCLES, INSTRUCTIONS), 201, 202, 103 },
	/* the same event on both */
	{ __LINE__, E | EVENTS(7, 7), 0, 0, 5, 9, 0, E | EVENTS(7, 7), 0, 9, 14 },
	/*
	 * events that nobody emulates stand still: branches, data cache, the two that Linux parks
	 * on
	 */
	{ __LINE__, E | EVENTS(0x05, 0x0a), 0, 1, 2, 9, 9, E | EVENTS(0x05, 0x0a), 9, 1, 2 },
	{ __LINE__, E | EVENTS(0x20, 0x22), 0, 1, 2, 9, 9, E | EVENTS(0x20, 0x22), 9, 1, 2 },
	/* just before the wrap, at it, behind it */
	{ __LINE__, E, 0xfffffff0, 0, 0, 0, 15, E, 0xffffffff, 0, 0 },
	{ __LINE__, E, 0xfffffff0, 0, 0, 0, 16, E | FLAGC, 0, 0, 0 },
	{ __LINE__, E, 0xfffffff0, 0, 0, 0, 17, E | FLAGC, 1, 0, 0 },
	{ __LINE__, E | EVENTS(7, 0), 0, 0xffffffff, 0, 1, 0, E | FLAG0 | EVENTS(7, 0), 0, 0, 0 },
	{ __LINE__, E | EVENTS(0, 7), 0, 0, 0xffffffff, 2, 0, E | FLAG1 | EVENTS(0, 7), 0, 0, 1 },
	/* several times around: one flag, the count modulo 2^32 */
	{ __LINE__, E | EVENTS(7, 0xff), 7, 5, 6, UINT64_C(0x300000001), UINT64_C(0x500000002),
	  E | FLAGS | EVENTS(7, 0xff), 9, 6, 8 },
	/* divided by 64: the cycle counter alone */
	{ __LINE__, E | D | EVENTS(7, 0xff), 0, 0, 0, 640, 640, E | D | EVENTS(7, 0xff), 10, 640,
	  640 },
	{ __LINE__, E | D, 0, 0, 0, 0, 63, E | D, 0, 0, 0 },
	{ __LINE__, E | D, 0xffffffff, 0, 0, 0, 64, E | D | FLAGC, 0, 0, 0 },
};

TEST(counting)
{
	TT_FOR_EACH_ROW(r, count_rows) {
		struct ntm_arm1176_pmu p = { 0 };

		set(&p, CCR, r->ccr);
		set(&p, CR0, r->cr0);
		set(&p, CR1, r->cr1);
		set(&p, PMCR, r->pmcr);
		ntm_arm1176_pmu_advance(&p, r->instructions, r->cycles);
		TT_EQ(r, get(&p, PMCR), r->pmcr_then);
		TT_EQ(r, get(&p, CCR), r->ccr_then);
		TT_EQ(r, get(&p, CR0), r->cr0_then);
		TT_EQ(r, get(&p, CR1), r->cr1_then);
	}
}

/* A stretch may be told in one piece or in many. */
TEST(pieces_add_up)
{
	struct ntm_arm1176_pmu whole = { 0 }, parts = { 0 };
	uint64_t seed = tt_seed(), instructions = 0, cycles = 0;
	int i;

	set(&whole, PMCR, E | D | EVENTS(7, 0xff));
	set(&parts, PMCR, E | D | EVENTS(7, 0xff));
	for (i = 0; i < 1000; i++) {
		uint64_t n = tt_random(&seed) % 1000, m = tt_random(&seed) % 1000;

		ntm_arm1176_pmu_advance(&parts, n, m);
		instructions += n;
		cycles += m;
	}
	ntm_arm1176_pmu_advance(&whole, instructions, cycles);
	TT_IS(get(&parts, CCR), cycles / 64);
	TT_IS(get(&parts, CR0), instructions);
	TT_IS(get(&whole, CCR), get(&parts, CCR));
	TT_IS(get(&whole, CR0), get(&parts, CR0));
	TT_IS(get(&whole, CR1), get(&parts, CR1));
}

/* All three counters past their wrap, flags standing. */
static void overflow_all(struct ntm_arm1176_pmu *p)
{
	set(p, CCR, 0xffffffff);
	set(p, CR0, 0xffffffff);
	set(p, CR1, 0xffffffff);
	set(p, PMCR, E | EVENTS(7, 7));
	ntm_arm1176_pmu_advance(p, 10, 10);
	TT_IS(get(p, PMCR), E | FLAGS | EVENTS(7, 7));
}

TEST(flags_are_cleared_by_one)
{
	struct ntm_arm1176_pmu p = { 0 };

	overflow_all(&p);
	/* 0 leaves them, also while everything else is cleared */
	set(&p, PMCR, 0);
	TT_IS(get(&p, PMCR), FLAGS);
	/* 1 clears its own alone */
	set(&p, PMCR, FLAG1);
	TT_IS(get(&p, PMCR), FLAG0 | FLAGC);
	set(&p, PMCR, FLAGS);
	TT_IS(get(&p, PMCR), 0);
	/* and never sets one */
	set(&p, PMCR, FLAGS);
	TT_IS(get(&p, PMCR), 0);
}

TEST(resets_are_apart)
{
	struct ntm_arm1176_pmu p = { 0 };

	overflow_all(&p);
	set(&p, PMCR, E | EVENTS(7, 7) | P);
	TT_IS(get(&p, CR0), 0);
	TT_IS(get(&p, CR1), 0);
	TT_IS(get(&p, CCR), 9);
	/* flags are sticky, the reset bit is not */
	TT_IS(get(&p, PMCR), E | FLAGS | EVENTS(7, 7));
	ntm_arm1176_pmu_advance(&p, 3, 4);
	set(&p, PMCR, E | EVENTS(7, 7) | C);
	TT_IS(get(&p, CR0), 3);
	TT_IS(get(&p, CR1), 3);
	TT_IS(get(&p, CCR), 0);
}

/*
 * The divider begins anew with C and when it is switched on, so that a known start gives a known
 * count.
 */
TEST(divider_begins_anew)
{
	struct ntm_arm1176_pmu p = { 0 };

	set(&p, PMCR, E | D);
	ntm_arm1176_pmu_advance(&p, 0, 63);
	set(&p, PMCR, E | D | C);
	ntm_arm1176_pmu_advance(&p, 0, 63);
	TT_IS(get(&p, CCR), 0);
	/* writing D again, as every read-modify-write does, disturbs nothing */
	set(&p, PMCR, E | D);
	ntm_arm1176_pmu_advance(&p, 0, 1);
	TT_IS(get(&p, CCR), 1);
	ntm_arm1176_pmu_advance(&p, 0, 63);
	set(&p, PMCR, E);
	set(&p, PMCR, E | D);
	ntm_arm1176_pmu_advance(&p, 0, 63);
	TT_IS(get(&p, CCR), 1);
}

static const struct interrupt_row {
	int line;
	uint32_t enables, flags;
	bool has_interrupt;
} interrupt_rows[] = {
	{ __LINE__, 0x00, FLAGS, false }, { __LINE__, 0x10, FLAG0, true },
	{ __LINE__, 0x20, FLAG1, true },  { __LINE__, 0x40, FLAGC, true },
	{ __LINE__, 0x60, FLAG0, false }, { __LINE__, 0x50, FLAG1, false },
	{ __LINE__, 0x30, FLAGC, false }, { __LINE__, 0x70, 0, false },
	{ __LINE__, 0x70, FLAGS, true },
};

TEST(interrupts)
{
	TT_FOR_EACH_ROW(r, interrupt_rows) {
		struct ntm_arm1176_pmu p = { 0 };

		overflow_all(&p);
		set(&p, PMCR, r->enables | (FLAGS & ~r->flags));
		TT_EQ(r, get(&p, PMCR), r->enables | r->flags);
		TT_EQ(r, ntm_arm1176_pmu_has_interrupt(&p), r->has_interrupt);
		/* The handler's way: write back what was read. */
		set(&p, PMCR, get(&p, PMCR));
		TT_EQ(r, ntm_arm1176_pmu_has_interrupt(&p), false);
	}
}

TEST(user_mode_needs_v)
{
	static const uint32_t monitor[] = { PMCR, CCR, CR0, CR1 };
	struct ntm_arm1176_pmu p = { 0 };
	uint64_t value = 77;
	size_t i;

	for (i = 0; i < 4; i++) {
		TT_IS(ntm_arm1176_pmu_read(&p, monitor[i], USER, &value), NTM_REFUSED);
		TT_IS(ntm_arm1176_pmu_write(&p, monitor[i], USER, 1), NTM_REFUSED);
		TT_IS(ntm_arm1176_pmu_is_allowed(&p, monitor[i], USER), false);
		TT_IS(ntm_arm1176_pmu_is_allowed(&p, monitor[i], KERNEL), true);
	}
	TT_IS(value, 77);
	set(&p, ACCESS, 0xffffffff);
	TT_IS(get(&p, ACCESS), 1);
	for (i = 0; i < 4; i++) {
		TT_IS(ntm_arm1176_pmu_write(&p, monitor[i], USER, 1), 0);
		TT_IS(ntm_arm1176_pmu_read(&p, monitor[i], USER, &value), 0);
		TT_IS(value, 1);
	}
	/* user mode cannot give itself the right, nor take it away */
	TT_IS(ntm_arm1176_pmu_read(&p, ACCESS, USER, &value), NTM_REFUSED);
	TT_IS(ntm_arm1176_pmu_write(&p, ACCESS, USER, 0), NTM_REFUSED);
	set(&p, ACCESS, 0xfffffffe);
	TT_IS(get(&p, ACCESS), 0);
	TT_IS(ntm_arm1176_pmu_read(&p, CCR, USER, &value), NTM_REFUSED);
}

/*
 * Neighbours in CP15: the architected registers of others, c15, c12, 4, c15, c9, 1 and the same
 * numbers with another opcode 1.
 */
TEST(others_are_not_mine)
{
	static const uint32_t others[] = { 0x0,	   0x90c0, 0xf091, 0xf0bf,
					   0xf0c4, 0xf1c0, 0xf0d0, 0xffffffff };
	struct ntm_arm1176_pmu p = { 0 };
	uint64_t value = 77;
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		TT_IS(ntm_arm1176_pmu_read(&p, others[i], KERNEL, &value), NTM_NOT_MINE);
		TT_IS(ntm_arm1176_pmu_write(&p, others[i], KERNEL, 1), NTM_NOT_MINE);
	}
	TT_IS(value, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traffic),
		cmocka_unit_test(reset_is_all_zero),
		cmocka_unit_test(counting),
		cmocka_unit_test(pieces_add_up),
		cmocka_unit_test(flags_are_cleared_by_one),
		cmocka_unit_test(resets_are_apart),
		cmocka_unit_test(divider_begins_anew),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(user_mode_needs_v),
		cmocka_unit_test(others_are_not_mine),
	};

	return TT_RUN(tests);
}
