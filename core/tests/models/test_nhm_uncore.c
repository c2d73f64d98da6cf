// SPDX-License-Identifier: MIT
/*
 * core/models/nhm_uncore: random traffic against the rows, then the recipe for finding throttled
 * blades, wrap and faults.
 */
#include "core/regs/regs.h"
#include "core/models/nhm_uncore.h"
#include "core/tests/models/traffic.h"

#define MASK48 0xffffffffffffull

static int read_msr(void *model, uint32_t addr, uint64_t *value)
{
	return ntm_nhm_uncore_rdmsr(model, addr, value);
}

static int write_msr(void *model, uint32_t addr, uint64_t value)
{
	return ntm_nhm_uncore_wrmsr(model, addr, value);
}

static uint64_t keep_or_fault(uint64_t before, uint64_t value, uint64_t allowed, bool *refused)
{
	*refused = value & ~allowed;
	return *refused ? before : value;
}

static uint64_t after(void *model, const struct nthw_reg *reg, uint32_t index, uint64_t before,
		      uint64_t value, bool *refused)
{
	(void)model;
	(void)index;
	switch (reg->addr) {
	case 0x391:
		return keep_or_fault(before, value, 0x800f0001000000ff, refused);
	case 0x393:
		return keep_or_fault(0, value, 0xa0000001000000ff, refused) & 0;
	case 0x394:
	case 0x3b0:
		return keep_or_fault(before, value, MASK48, refused);
	case 0x395:
		return keep_or_fault(before, value, 0x5, refused);
	case 0x396:
		return keep_or_fault(before, value, 0xe000fffffffffff8, refused);
	case 0x3c0: /* bit 17 may be written and reads 0 */
		return keep_or_fault(before, value, 0xffd6ffff, refused) & ~0x20000ull;
	default:
		*refused = true;
		return before;
	}
}

static uint64_t touches(void *model, const struct nthw_reg *reg, uint32_t index, uint64_t value,
			const struct nthw_reg *other, uint32_t other_index, uint64_t expected)
{
	(void)model;
	(void)index;
	(void)other_index;
	return reg->addr == 0x393 && other->addr == 0x392 ? expected & ~value : expected;
}

TEST(the_box_holds_its_rows)
{
	struct ntm_nhm_uncore box;
	struct traffic t = { .table = &nthw_nhm_uncore,
			     .model = &box,
			     .read = read_msr,
			     .write = write_msr,
			     .after = after,
			     .touches = touches };
	uint64_t seed = tt_seed();
	int round;

	ntm_nhm_uncore_reset(&box);
	traffic_check_reset(&t);
	for (round = 0; round < 20; round++) {
		box.global_status = tt_random(&seed) & 0x1000000ff;
		traffic_run(&t, &seed, 500);
	}
	ntm_nhm_uncore_reset(&box);
	traffic_check_reset(&t);
}

static uint64_t rd(struct ntm_nhm_uncore *box, uint32_t addr)
{
	uint64_t value = 0xdead;

	TT_IS(ntm_nhm_uncore_rdmsr(box, addr, &value), 0);
	return value;
}

static void wr(struct ntm_nhm_uncore *box, uint32_t addr, uint64_t value)
{
	TT_IS(ntm_nhm_uncore_wrmsr(box, addr, value), 0);
}

static const struct ntm_nhm_work work = {
	.clocks = 1000,
	.memory_throttled = 250,
	.core_hot = { 110, 0, 330, 1 },
	.core_throttled = { 100, 0, 300, 0 },
	.core_prochot = { 0, 17, 0, 16 },
	.prochots = 3,
	.reads = { 1, 20, 300 },
	.writes = { 4000, 50000, 600000 },
	.partial_writes = { 7, 80, 900 },
};

/*
 * facts/nehalem-uncore: select with enable and occupancy reset, enable globally without touching
 * others, read.
 */
TEST(the_recipe_finds_throttling)
{
	struct ntm_nhm_uncore box;

	ntm_nhm_uncore_reset(&box);
	wr(&box, 0x391, 0x1); /* somebody else's counter */
	wr(&box, 0x3c3, 0x420167);
	TT_IS(rd(&box, 0x3c3), 0x400167);
	ntm_nhm_uncore_advance(&box, &work);
	TT_IS(rd(&box, 0x3b3), 0);
	wr(&box, 0x391, rd(&box, 0x391) | 1 << 3);
	ntm_nhm_uncore_advance(&box, &work);
	ntm_nhm_uncore_advance(&box, &work);
	TT_IS(rd(&box, 0x3b3), 500);
	TT_IS(rd(&box, 0x391), 0x9);
}

static const struct event_row {
	int line;
	uint64_t select, count;
} event_rows[] = {
	{ __LINE__, 0x400167, 250 },
	{ __LINE__, 0x400181, 100 },
	{ __LINE__, 0x400281, 0 },
	{ __LINE__, 0x400481, 300 },
	{ __LINE__, 0x400f81, 300 }, /* any core: the clocks overlap */
	{ __LINE__, 0x000167, 0 },   /* not enabled */
	{ __LINE__, 0x400267, 0 },   /* no such unit mask */
	{ __LINE__, 0x401181, 0 },
	{ __LINE__, 0x440167, 0 }, /* edge, inv, threshold stand still */
	{ __LINE__, 0xc00167, 0 },
	{ __LINE__, 0x1400167, 0 },
	{ __LINE__, 0x400180, 110 },
	{ __LINE__, 0x400a80, 1 },
	{ __LINE__, 0x400f80, 330 },
	{ __LINE__, 0x401080, 0 },
	{ __LINE__, 0x400183, 0 },
	{ __LINE__, 0x400283, 17 },
	{ __LINE__, 0x400883, 16 },
	{ __LINE__, 0x400182, 3 },
	{ __LINE__, 0x400082, 0 }, /* without the unit mask of the recipe */
	{ __LINE__, 0x400067, 0 },
	{ __LINE__, 0x40012c, 1 },
	{ __LINE__, 0x40062c, 320 }, /* channels add up */
	{ __LINE__, 0x40072c, 321 },
	{ __LINE__, 0x40082c, 0 },
	{ __LINE__, 0x40022f, 50000 },
	{ __LINE__, 0x40072f, 654000 },
	{ __LINE__, 0x40102f, 80 },
	{ __LINE__, 0x40382f, 987 },
	{ __LINE__, 0x40092f, 4007 },
	{ __LINE__, 0x40402f, 0 },
	{ __LINE__, 0x400184, 0 }, /* an event the model has not */
	{ __LINE__, 0x400000, 0 },
};

TEST(known_events_count)
{
	TT_FOR_EACH_ROW(r, event_rows) {
		struct ntm_nhm_uncore box;
		uint32_t i;

		ntm_nhm_uncore_reset(&box);
		TT_EQ(r, ntm_nhm_uncore_wrmsr(&box, 0x391, 0xff), 0);
		for (i = 0; i < 8; i++)
			TT_EQ(r, ntm_nhm_uncore_wrmsr(&box, 0x3c0 + i, r->select), 0);
		ntm_nhm_uncore_advance(&box, &work);
		for (i = 0; i < 8; i++)
			TT_EQ(r, rd(&box, 0x3b0 + i), r->count);
		TT_EQ(r, rd(&box, 0x394), 0);
	}
}

TEST(the_fixed_counter_counts_clocks)
{
	struct ntm_nhm_uncore box;

	ntm_nhm_uncore_reset(&box);
	wr(&box, 0x395, 1);
	ntm_nhm_uncore_advance(&box, &work);
	TT_IS(rd(&box, 0x394), 0);
	wr(&box, 0x391, 1ull << 32);
	ntm_nhm_uncore_advance(&box, &work);
	TT_IS(rd(&box, 0x394), 1000);
	wr(&box, 0x395, 0);
	ntm_nhm_uncore_advance(&box, &work);
	TT_IS(rd(&box, 0x394), 1000);
}

TEST(counters_wrap_at_48_bits_and_say_so)
{
	struct ntm_nhm_uncore box;

	ntm_nhm_uncore_reset(&box);
	wr(&box, 0x391, 0x1000000ff);
	wr(&box, 0x395, 1);
	wr(&box, 0x3c6, 0x400167);
	wr(&box, 0x3b6, MASK48 - 249);
	wr(&box, 0x394, MASK48 - 1000);
	ntm_nhm_uncore_advance(&box, &work);
	TT_IS(rd(&box, 0x3b6), 0);
	TT_IS(rd(&box, 0x394), MASK48);
	TT_IS(rd(&box, 0x392), 1 << 6);
	ntm_nhm_uncore_advance(&box, &work);
	TT_IS(rd(&box, 0x394), 999);
	TT_IS(rd(&box, 0x392), 1ull << 32 | 1 << 6);
	wr(&box, 0x393, 1 << 6);
	TT_IS(rd(&box, 0x392), 1ull << 32);
}

static const struct fault_row {
	int line;
	uint32_t addr;
	uint64_t value;
	int write, read;
} fault_rows[] = {
	{ __LINE__, 0x390, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, 0x397, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, 0x3af, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, 0x3b8, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, 0x3c8, 0, NTM_NOT_MINE, NTM_NOT_MINE },
	{ __LINE__, 0x392, 0, NTM_REFUSED, 0 },
	{ __LINE__, 0x391, 0x100, NTM_REFUSED, 0 },
	{ __LINE__, 0x3b0, 1ull << 48, NTM_REFUSED, 0 },
	{ __LINE__, 0x3c0, 1ull << 16, NTM_REFUSED, 0 },
	{ __LINE__, 0x3c0, 1ull << 21, NTM_REFUSED, 0 },
};

TEST(what_must_fault_faults)
{
	TT_FOR_EACH_ROW(r, fault_rows) {
		struct ntm_nhm_uncore box;
		uint64_t value;

		ntm_nhm_uncore_reset(&box);
		TT_EQ(r, ntm_nhm_uncore_wrmsr(&box, r->addr, r->value), r->write);
		TT_EQ(r, ntm_nhm_uncore_rdmsr(&box, r->addr, &value), r->read);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_box_holds_its_rows),
		cmocka_unit_test(the_recipe_finds_throttling),
		cmocka_unit_test(known_events_count),
		cmocka_unit_test(the_fixed_counter_counts_clocks),
		cmocka_unit_test(counters_wrap_at_48_bits_and_say_so),
		cmocka_unit_test(what_must_fault_faults),
	};

	return TT_RUN(tests);
}
