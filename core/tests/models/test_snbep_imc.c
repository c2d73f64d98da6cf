// SPDX-License-Identifier: MIT
/*
 * core/models/snbep_imc: expectations are typed in from Intel 327043-001, tables 2-59 to 2-63, and
 * from what Linux 6.1 writes.
 */
#include "core/regs/regs.h"
#include "core/models/snbep_imc.h"
#include "core/models/snbep_ubox.h"
#include "core/tests/models/traffic.h"

#define COUNTER(i) (0xa0u + 8 * (i))
#define FIXED_COUNTER 0xd0u
#define CONTROL(i) (0xd8u + 4 * (i))
#define FIXED_CONTROL 0xf0u
#define BOX_CONTROL 0xf4u
#define EN 0x400000u
#define LAST48 0xffffffffffffu

static uint64_t get64(struct ntm_snbep_imc *m, uint32_t addr)
{
	return ntm_snbep_imc_read(m, addr, 4) | (uint64_t)ntm_snbep_imc_read(m, addr + 4, 4) << 32;
}

static void set64(struct ntm_snbep_imc *m, uint32_t addr, uint64_t value)
{
	ntm_snbep_imc_write(m, addr, 4, (uint32_t)value);
	ntm_snbep_imc_write(m, addr + 4, 4, (uint32_t)(value >> 32));
}

TEST(functions_are_told_apart)
{
	static const uint32_t ids[] = { 0x3cb08086, 0x3cb18086, 0x3cb48086, 0x3cb58086 };
	struct ntm_snbep_imc m;
	uint32_t i;

	for (i = 0; i < 4; i++) {
		ntm_snbep_imc_init(&m, i);
		TT_IS(ntm_snbep_imc_read(&m, 0, 4), ids[i]);
		/* More functions than 0, no BAR to size, no interrupt. */
		TT_IS(ntm_snbep_imc_read(&m, 0x0e, 1), 0x80);
		ntm_snbep_imc_write(&m, 0x10, 4, UINT32_MAX);
		TT_IS(ntm_snbep_imc_read(&m, 0x10, 4), 0);
		TT_IS(ntm_snbep_imc_read(&m, 0x3d, 1), 0);
	}
}

static int traffic_read(void *model, uint32_t addr, uint64_t *value)
{
	*value = addr < CONTROL(0) ? get64(model, addr) : ntm_snbep_imc_read(model, addr, 4);
	return 0;
}

static int traffic_write(void *model, uint32_t addr, uint64_t value)
{
	if (addr < CONTROL(0))
		set64(model, addr, value);
	else
		ntm_snbep_imc_write(model, addr, 4, (uint32_t)value);
	return 0;
}

static uint64_t traffic_after(void *model, const struct nthw_reg *reg, uint32_t index,
			      uint64_t before, uint64_t value, bool *refused)
{
	(void)model;
	(void)index;
	(void)before;
	*refused = false;
	if (reg->addr < CONTROL(0))
		return value & LAST48;
	if (reg->addr == CONTROL(0))
		return value & 0xffc4ffff;
	return value & (reg->addr == FIXED_CONTROL ? 0x400000 : 0x10100);
}

/* rst of the fixed control clears its counter, the box's rst bits clear controls and counters. */
static uint64_t traffic_touches(void *model, const struct nthw_reg *reg, uint32_t index,
				uint64_t value, const struct nthw_reg *other, uint32_t other_index,
				uint64_t expected)
{
	bool is_counter = other->addr < CONTROL(0);

	(void)model;
	(void)index;
	(void)other_index;
	if (reg->addr == FIXED_CONTROL && (value & 0x80000) && other->addr == FIXED_COUNTER)
		return 0;
	if (reg->addr == BOX_CONTROL && ((value & 2 && is_counter) || (value & 1 && !is_counter)))
		return 0;
	return expected;
}

TEST(random_traffic)
{
	uint64_t seed = tt_seed();
	struct ntm_snbep_imc m;
	struct traffic t = {
		.table = &nthw_snbep_imc,
		.model = &m,
		.read = traffic_read,
		.write = traffic_write,
		.after = traffic_after,
		.touches = traffic_touches,
	};

	ntm_snbep_imc_init(&m, 2);
	traffic_check_reset(&t);
	traffic_run(&t, &seed, 5000);
	ntm_snbep_imc_reset(&m);
	traffic_check_reset(&t);
	TT_IS(ntm_snbep_imc_read(&m, 0, 4), 0x3cb48086);
}

#define R 1000u	 /* ordinary reads */
#define U 20u	 /* underfills */
#define WMM 300u /* writes in write major mode */
#define RMM 4u	 /* writes in read major mode */
#define CLOCKS 100000u

static const uint64_t traffic_cas[NTM_SNBEP_IMC_CAS_KINDS] = { R, U, WMM, RMM };

static const struct event_row {
	int line;
	uint32_t control;
	uint64_t events;
	bool is_unknown;
} event_rows[] = {
	/* as Linux encodes cas_count_read and cas_count_write */
	{ __LINE__, EN | 0x0304, R + U, false },
	{ __LINE__, EN | 0x0c04, WMM + RMM, false },
	/* umasks one by one, and all */
	{ __LINE__, EN | 0x0104, R, false },
	{ __LINE__, EN | 0x0204, U, false },
	{ __LINE__, EN | 0x0404, WMM, false },
	{ __LINE__, EN | 0x0804, RMM, false },
	{ __LINE__, EN | 0x0f04, R + U + WMM + RMM, false },
	/* clocks */
	{ __LINE__, EN | 0x0000, CLOCKS, false },
	{ __LINE__, EN | 0x01000000, CLOCKS, false },
	{ __LINE__, EN | 0x02000000, 0, false },
	{ __LINE__, EN | 0x01800000, 0, false },
	{ __LINE__, EN | 0x02800000, CLOCKS, false },
	/*
	 * a CAS is one event in one clock: at least 1 is as many clocks, at least 2 never, less
	 * than 1 all the others
	 */
	{ __LINE__, EN | 0x01000304, R + U, false },
	{ __LINE__, EN | 0x02000304, 0, false },
	{ __LINE__, EN | 0x01800304, CLOCKS - R - U, false },
	{ __LINE__, EN | 0x02800304, CLOCKS, false },
	/* edges: each CAS rises once; never reached has no edge; inverted falls as often */
	{ __LINE__, EN | 0x01040304, R + U, false },
	{ __LINE__, EN | 0x02040304, 0, false },
	{ __LINE__, EN | 0x01840304, R + U, false },
	/* not enabled */
	{ __LINE__, 0x0304, 0, false },
	/* not modelled: counts nothing and says so */
	{ __LINE__, EN | 0x0004, 0, true },
	{ __LINE__, EN | 0x1004, 0, true },
	{ __LINE__, EN | 0x0001, 0, true },
	{ __LINE__, EN | 0x00040304, 0, true },
	{ __LINE__, EN | 0x00800304, 0, true },
	{ __LINE__, EN | 0x01040000, 0, true },
};

TEST(events_are_counted)
{
	struct ntm_snbep_imc m;
	uint32_t i;

	TT_FOR_EACH_ROW(r, event_rows)
		for (i = 0; i < 4; i++) {
			ntm_snbep_imc_init(&m, 0);
			ntm_snbep_imc_write(&m, CONTROL(i), 4, r->control);
			ntm_snbep_imc_advance(&m, CLOCKS, traffic_cas);
			TT_EQ(r, get64(&m, COUNTER(i)), r->events);
			TT_EQ(r, ntm_snbep_imc_counter(&m, i), r->events);
			TT_EQ(r, m.unknown, r->is_unknown ? 1u << i : 0);
			/* and nobody else */
			TT_EQ(r, get64(&m, COUNTER((i + 1) % 4)), 0);
			TT_EQ(r, get64(&m, FIXED_COUNTER), 0);
		}
}

TEST(more_cas_than_clocks_cannot_be_inverted)
{
	const uint64_t cas[4] = { 11, 0, 0, 0 };
	struct ntm_snbep_imc m;

	ntm_snbep_imc_init(&m, 0);
	ntm_snbep_imc_write(&m, CONTROL(3), 4, EN | 0x01800104);
	ntm_snbep_imc_advance(&m, 10, cas);
	TT_IS(get64(&m, COUNTER(3)), 0);
	TT_IS(m.unknown, 8);
}

TEST(fixed_counter_counts_clocks)
{
	struct ntm_snbep_imc m;

	ntm_snbep_imc_init(&m, 1);
	ntm_snbep_imc_advance(&m, 5, traffic_cas);
	TT_IS(get64(&m, FIXED_COUNTER), 0);
	ntm_snbep_imc_write(&m, FIXED_CONTROL, 4, EN);
	ntm_snbep_imc_advance(&m, 7, traffic_cas);
	ntm_snbep_imc_advance(&m, 6, traffic_cas);
	TT_IS(get64(&m, FIXED_COUNTER), 13);
	TT_IS(ntm_snbep_imc_counter(&m, 4), 13);
	/* rst clears it, reads as 0, and leaves en as written */
	ntm_snbep_imc_write(&m, FIXED_CONTROL, 4, EN | 0x80000);
	TT_IS(get64(&m, FIXED_COUNTER), 0);
	TT_IS(ntm_snbep_imc_read(&m, FIXED_CONTROL, 4), EN);
}

TEST(counters_wrap_at_48_bits)
{
	struct ntm_snbep_imc m;

	ntm_snbep_imc_init(&m, 0);
	ntm_snbep_imc_write(&m, CONTROL(1), 4, EN | 0x0104);
	ntm_snbep_imc_write(&m, FIXED_CONTROL, 4, EN);
	set64(&m, COUNTER(1), LAST48 - 998);
	set64(&m, FIXED_COUNTER, UINT64_MAX);
	TT_IS(get64(&m, FIXED_COUNTER), LAST48);
	ntm_snbep_imc_advance(&m, 1, traffic_cas);
	TT_IS(get64(&m, COUNTER(1)), 1);
	TT_IS(get64(&m, FIXED_COUNTER), 0);
	/* and go on */
	ntm_snbep_imc_advance(&m, 2, traffic_cas);
	TT_IS(get64(&m, COUNTER(1)), 1001);
	TT_IS(get64(&m, FIXED_COUNTER), 2);
}

TEST(box_freezes_and_resets)
{
	struct ntm_snbep_imc m;

	/* as Linux 6.1 does it: snbep_uncore_pci_init_box(), enable an event, freeze, unfreeze */
	ntm_snbep_imc_init(&m, 0);
	set64(&m, COUNTER(0), 99);
	ntm_snbep_imc_write(&m, CONTROL(2), 4, 0x0304);
	ntm_snbep_imc_write(&m, BOX_CONTROL, 4, 0x10003);
	TT_IS(ntm_snbep_imc_read(&m, BOX_CONTROL, 4), 0x10000);
	TT_IS(get64(&m, COUNTER(0)), 0);
	TT_IS(ntm_snbep_imc_read(&m, CONTROL(2), 4), 0);
	ntm_snbep_imc_write(&m, CONTROL(0), 4, EN | 0x0304);
	ntm_snbep_imc_write(&m, FIXED_CONTROL, 4, EN);
	ntm_snbep_imc_advance(&m, 10, traffic_cas);
	TT_IS(get64(&m, COUNTER(0)), R + U);
	ntm_snbep_imc_write(&m, BOX_CONTROL, 4, 0x10100);
	ntm_snbep_imc_advance(&m, 10, traffic_cas);
	TT_IS(get64(&m, COUNTER(0)), R + U);
	TT_IS(get64(&m, FIXED_COUNTER), 10);
	ntm_snbep_imc_write(&m, BOX_CONTROL, 4, 0x10000);
	ntm_snbep_imc_advance(&m, 10, traffic_cas);
	TT_IS(get64(&m, COUNTER(0)), 2 * (R + U));
	TT_IS(get64(&m, FIXED_COUNTER), 20);
	/* frz without frz_en does nothing (table 2-60) */
	ntm_snbep_imc_write(&m, BOX_CONTROL, 4, 0x100);
	ntm_snbep_imc_advance(&m, 10, traffic_cas);
	TT_IS(get64(&m, FIXED_COUNTER), 30);
	/* a byte is enough to reset */
	ntm_snbep_imc_write(&m, BOX_CONTROL, 1, 2);
	TT_IS(get64(&m, FIXED_COUNTER), 0);
	TT_IS(ntm_snbep_imc_read(&m, FIXED_CONTROL, 4), EN);
}

/*
 * As Linux 6.1 asks, snbep_pci2phy_map_init(): which third of the map holds the node is the socket.
 */
TEST(ubox_tells_its_socket)
{
	struct ntm_snbep_ubox m;
	uint32_t node, socket;

	for (node = 0; node < 8; node++) {
		ntm_snbep_ubox_init(&m, node);
		TT_IS(ntm_pci_config_read(&m.config, 0, 4), 0x3ce08086);
		TT_IS(ntm_pci_config_read(&m.config, 0x40, 4), node);
		for (socket = 0; socket < 8; socket++)
			TT_IS(ntm_pci_config_read(&m.config, 0x54, 4) >> 3 * socket & 7, socket);
		ntm_pci_config_write(&m.config, 0x40, 4, UINT32_MAX);
		TT_IS(ntm_pci_config_read(&m.config, 0x40, 4), 7);
		ntm_pci_config_reset(&m.config);
		TT_IS(ntm_pci_config_read(&m.config, 0x40, 4), node);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_told_apart),
		cmocka_unit_test(random_traffic),
		cmocka_unit_test(events_are_counted),
		cmocka_unit_test(more_cas_than_clocks_cannot_be_inverted),
		cmocka_unit_test(fixed_counter_counts_clocks),
		cmocka_unit_test(counters_wrap_at_48_bits),
		cmocka_unit_test(box_freezes_and_resets),
		cmocka_unit_test(ubox_tells_its_socket),
	};

	return TT_RUN(tests);
}
