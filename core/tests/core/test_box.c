// SPDX-License-Identifier: MIT
/*
 * core/seq/box: what an event is, what is refused, what counters share, what others do meanwhile;
 * and kinds agree with their rows.
 */
#include <errno.h>

#include "core/seq/box.h"
#include "core/tests/core/box_bank.h"
#include "base/tests/tt.h"

/* ---- what an event is ---- */

static const struct encode_row {
	int line;
	const char *kind;
	uint64_t config, config1;
	int error;
	uint64_t select, filter0, filter1, used0, used1, counters;
} encode_rows[] = {
	{ __LINE__, "nhm_uncore", 0x0183, 0, 0, 0x183, 0, 0, 0, 0, 0xff },
	{ __LINE__, "nhm_uncore", 0xff84ffff, 0, 0, 0xff84ffff, 0, 0, 0, 0, 0xff },
	{ __LINE__, "nhm_uncore", 0xff, 0, 0, 0, 0, 0, 0, 0, FIXED },
	{ __LINE__, "nhm_uncore", 0x400183, 0, -EINVAL, 0, 0, 0, 0, 0, 0 }, /* enable */
	{ __LINE__, "nhm_uncore", 0x20183, 0, -EINVAL, 0, 0, 0, 0, 0, 0 },  /* reset */
	{ __LINE__, "nhm_uncore", 0x100183, 0, -EINVAL, 0, 0, 0, 0, 0, 0 }, /* interrupt */
	{ __LINE__, "nhm_uncore", 0x100000083, 0, -EINVAL, 0, 0, 0, 0, 0, 0 },
	{ __LINE__, "nhm_uncore", 0x0183, 1, -EINVAL, 0, 0, 0, 0, 0, 0 }, /* no filter */
	{ __LINE__, "nhm_uncore", 0xff, 1, -EINVAL, 0, 0, 0, 0, 0, 0 },
	{ __LINE__, "snbep_imc", 0xff84ffff, 0, 0, 0xff84ffff, 0, 0, 0, 0, 0xf },
	{ __LINE__, "snbep_imc", 0xff, 0, 0, 0, 0, 0, 0, 0, FIXED },
	{ __LINE__, "snbep_imc", 0x200004, 0, -EINVAL, 0, 0, 0, 0, 0, 0 },
	{ __LINE__, "skx_imc", 0xff, 0, 0, 0, 0, 0, 0, 0, FIXED },
	{ __LINE__, "skx_m2m", 0xff, 0, 0, 0xff, 0, 0, 0, 0, 0xf }, /* has no fixed counter */
	{ __LINE__, "skx_m2m", 0x10000000001, 0, -EINVAL, 0, 0, 0, 0, 0, 0 },
	{ __LINE__, "skx_upi", 0xffefffff84ffff, 0, 0, 0xffefffff84ffff, 0, 0, 0, 0, 0xf },
	{ __LINE__, "skx_upi", 0x10000000000f05, 0, 0, 0x10000000000f05, 0, 0, 0, 0, 0xf },
	{ __LINE__, "skx_upi", 0x100000000f05, 0, -EINVAL, 0, 0, 0, 0, 0, 0 }, /* bit 44 */
	{ __LINE__, "skx_cha", 0, 0, 0, 0, 0, 0, 0, 0, 0xf },
	/* skx_uncore_chabox_constraints: RxR_OCCUPANCY and TOR_OCCUPANCY on counter 0 */
	{ __LINE__, "skx_cha", 0x0111, 0, 0, 0x111, 0, 0, 0, 0, 1 },
	{ __LINE__, "skx_cha", 0x2136, 0x12d40433ull << 32, 0, 0x2136, 0, 0x12d40433, 0, 0xdffffe3b,
	  1 },
	{ __LINE__, "skx_cha", 0x2135, 0x40433ull << 32 | 0x1e0000, 0, 0x2135, 0x1e0000, 0x40433, 0,
	  0xdffffe3b, 0xf },
	{ __LINE__, "skx_cha", 0x1134, 0x1e20000, 0, 0x1134, 0x1e20000, 0, 0x7fe0000, 0, 0xf },
	{ __LINE__, "skx_cha", 0x0138, 0x23, 0, 0x138, 0x23, 0, 0x1fff, 0, 0xf },
	{ __LINE__, "skx_cha", 0x80000, 0x23, 0, 0x80000, 0x23, 0, 0x1ff, 0, 0xf }, /* tid_en */
	{ __LINE__, "skx_cha", 0x1134, 1ull << 61, -EINVAL, 0, 0, 0, 0, 0, 0 },
	{ __LINE__, "skx_cha", 0x1134, 1ull << 13, -EINVAL, 0, 0, 0, 0, 0, 0 },
	/* amd_uncore_l3_event_init() */
	{ __LINE__, "amd_l3_f17h", 0x0104, 0, 0, 0xff0f000000000104, 0, 0, 0, 0, 0x3f },
	{ __LINE__, "amd_l3_f17h", 0x0102000000000104, 0, 0, 0x0102000000000104, 0, 0, 0, 0, 0x3f },
	{ __LINE__, "amd_l3_f17h", 0x0002000000000104, 0, 0, 0xff02000000000104, 0, 0, 0, 0, 0x3f },
	{ __LINE__, "amd_l3_f17h", 0x400000000104, 0, -EINVAL, 0, 0, 0, 0, 0, 0 },
	{ __LINE__, "amd_l3_f19h", 0x0104, 0, 0, 0x0300c00000000104, 0, 0, 0, 0, 0x3f },
	{ __LINE__, "amd_l3_f19h", 0x0005140000000104, 0, 0, 0x0300c00000000104, 0, 0, 0, 0, 0x3f },
	{ __LINE__, "amd_l3_f19h", 0x0105140000000104, 0, 0, 0x0105140000000104, 0, 0, 0, 0, 0x3f },
	{ __LINE__, "amd_l3_f19h", 0x0400000000000104, 0, -EINVAL, 0, 0, 0, 0, 0, 0 },
	{ __LINE__, "amd_df", 0x1800000f0000ffff, 0, 0, 0x1800000f0000ffff, 0, 0, 0, 0, 0xf },
	{ __LINE__, "amd_df", 0x1000000001, 0, -EINVAL, 0, 0, 0, 0, 0, 0 },
	{ __LINE__, "amd_df_v2", 0x3f0f00ffff, 0, 0, 0x3f0f00ffff, 0, 0, 0, 0, 0xffff },
	{ __LINE__, "amd_df_v2", 0x0800000000000001, 0, -EINVAL, 0, 0, 0, 0, 0, 0 },
	{ __LINE__, "power", 2, 0, 0, 2, 0, 0, 0, 0, 2 },
	{ __LINE__, "power", 0, 0, -EINVAL, 0, 0, 0, 0, 0, 0 },
	{ __LINE__, "power", 2, 1, -EINVAL, 0, 0, 0, 0, 0, 0 },
	{ __LINE__, "power_spr", 5, 0, 0, 5, 0, 0, 0, 0, 8 },
	{ __LINE__, "power_spr", 4, 0, -EINVAL, 0, 0, 0, 0, 0, 0 },
};

TEST(perfs_words_become_registers)
{
	TT_FOR_EACH_ROW(r, encode_rows) {
		const struct nthw_box_kind *kind = kind_of(r->kind);
		struct nthw_box_event event;

		TT_EQ(r, nthw_box_encode(kind, r->config, r->config1, &event), r->error);
		if (r->error)
			continue;
		TT_EQ(r, event.select, r->select);
		TT_EQ(r, event.filter[0], r->filter0);
		TT_EQ(r, event.filter[1], r->filter1);
		TT_EQ(r, event.filter_used[0], r->used0);
		TT_EQ(r, event.filter_used[1], r->used1);
		TT_EQ(r, nthw_box_counters(kind, &event), r->counters);
	}
}

/* ---- what is refused ---- */

static const struct refused_row {
	int line;
	const char *kind;
	uint32_t counter;
	struct nthw_box_event event;
} refused_rows[] = {
	{ __LINE__, "nhm_uncore", 8, { .select = 0x183 } },
	{ __LINE__, "nhm_uncore", 33, { .select = 0x183 } },
	{ __LINE__, "nhm_uncore", 64, { .select = 0x183 } },
	{ __LINE__, "nhm_uncore", UINT32_MAX, { .select = 0x183 } },
	{ __LINE__, "nhm_uncore", 32, { .select = 0x183 } },
	{ __LINE__, "nhm_uncore", 32, { .select = 0x183, .is_fixed = true } },
	{ __LINE__, "nhm_uncore", 0, { .is_fixed = true } },
	{ __LINE__, "nhm_uncore", 0, { .select = 0x400183 } },
	{ __LINE__, "nhm_uncore", 0, { .select = 0x183, .filter = { 1 } } },
	{ __LINE__, "nhm_uncore", 0, { .select = 0x183, .filter_used = { 0, 1 } } },
	{ __LINE__, "skx_m2m", 32, { .is_fixed = true } },
	{ __LINE__, "skx_cha", 1, { .select = 0x2136 } },
	{ __LINE__, "skx_cha", 0, { .select = 0x35, .filter_used = { 1 << 13 } } },
	{ __LINE__, "amd_df", 4, { .select = 0x7 } },
	{ __LINE__, "amd_df_v2", 16, { .select = 0x7 } },
};

TEST(nonsense_is_refused_without_an_access)
{
	TT_FOR_EACH_ROW(r, refused_rows) {
		struct nthw_box_state st = { 0 };
		struct bank bank;
		struct nthw_box box = box_of(&bank, r->kind, 0);

		TT_EQ(r, nthw_box_program(&box, r->counter, &r->event, &st), -EINVAL);
		TT_EQ(r, st.counters, 0);
		TT_EQ(r, bank.accesses, 0);
	}
}

static const struct busy_row {
	int line;
	const char *kind;
	uint32_t counter;
	uint64_t config;
	enum nthw_space space;
	uint32_t address;
	uint64_t value;
} busy_rows[] = {
	{ __LINE__, "nhm_uncore", 3, 0x183, MSR(0x3c3), 0x400000 },
	{ __LINE__, "nhm_uncore", 32, 0xff, MSR(0x395), 1 },
	{ __LINE__, "snbep_imc", 2, 0x304, PCI(0xe0), 0x400304 },
	{ __LINE__, "snbep_imc", 32, 0xff, PCI(0xf0), 0x400000 },
	{ __LINE__, "skx_imc", 32, 0xff, PCI(0xf0), 0x400000 },
	{ __LINE__, "skx_m2m", 3, 1, PCI(0x240), 0x400000 },
	{ __LINE__, "skx_upi", 0, 1, PCI(0x350), 0x400000 },
	{ __LINE__, "skx_cha", 1, 1, MSR(0xe02), 0x400000 },
	{ __LINE__, "amd_l3_f17h", 0, 1, MSR(0xc0010230), 0x400000 },
	{ __LINE__, "amd_l3_f19h", 5, 1, MSR(0xc001023a), 0x400000 },
	{ __LINE__, "amd_df", 2, 1, MSR(0xc0010244), 0x400000 },
	{ __LINE__, "amd_df_v2", 9, 1, MSR(0xc0010252), 0x400000 },
};

TEST(who_counts_is_not_disturbed)
{
	TT_FOR_EACH_ROW(r, busy_rows) {
		struct nthw_box_state st = { 0 };
		struct bank bank;
		struct nthw_box box = box_of(&bank, r->kind, 0);

		set(&bank, r->space, r->address, r->value);
		TT_EQ(r, program(&box, r->counter, r->config, 0, &st), -EBUSY);
		TT_EQ(r, st.counters, 0);
		assert_null(strchr(bank.log, 'W'));
	}
}

/* ---- filters that counters share ---- */

static const struct box_row scene_rows[] = {
	/* Only what was programmed is started, stopped, given back, checked and read. */
	{ __LINE__, "skx_m2m", 0,
	  "program 0 1\n"
	  "start 3 ! EINVAL: none\n"
	  "stop 2 ! EINVAL: none\n"
	  "release 2 ! EINVAL: none\n"
	  "check 2 ! EINVAL: none\n"
	  "start 0: none\n"
	  "read 4 ! EINVAL: none\n"
	  "start 1\n"
	  "program 0 2 ! EINVAL: none\n" /* it runs */
	  "start 1: none\n" },		 /* already */
	{ __LINE__, "skx_cha", 0,
	  "program 0 0x1134 0x1e20000\n"
	  "program 1 0x0334 0x0020000 ! EBUSY: reads\n"
	  "counters = 1\n"
	  "program 1 0x0334 0x1e20000\n"
	  "program 2 0x80000 0x5\n" /* another field of the same register */
	  "has me05 0x1e20005\n"
	  /* the states are free again when nobody needs them */
	  "release 3\n"
	  "has me05 0x5\n"
	  "program 1 0x0334 0x0020000\n"
	  "has me05 0x20005\n"
	  "restore\n" },
	/* The second filter of an event does not agree: the first one is as it was. */
	{ __LINE__, "skx_cha", 0,
	  "program 0 0x2135 0x4043300000000\n"
	  "remember\n"
	  "program 1 0x82135 0x3b00000005 ! EBUSY\n"
	  "counters = 1\n"
	  "found\n"
	  "program 1 0x82135 0x4043300000005\n"
	  "has me05 5\n"
	  "restore\n" },
	/* Another event for a counter frees what the old one needed. */
	{ __LINE__, "skx_cha", 0,
	  "set me05 0x4000000\n"
	  "program 0 0x1134 0x1e20000\n"
	  "program 0 0x0334 0x0020000\n"
	  "has me05 0x20000\n"
	  "program 0 0\n"
	  "start 1\n"
	  "restore\n" },
	/* Who counts beside us may depend on any bit of a filter: it is only used as it is. */
	{ __LINE__, "skx_cha", 0,
	  "set me04 0x400034 me05 0x1e20000\n"
	  "program 0 0x1134 0x0020000 ! EBUSY: reads\n"
	  "counters = 0\n"
	  "program 0 0x1134 0x1e20000\n"
	  "restore\n" },
	/* Only the one of two that was taken is lost; the other goes on. */
	{ __LINE__, "nhm_uncore", 0,
	  "program 2 0x183\n"
	  "program 3 0x267\n"
	  "start 0xc\n"
	  "set m3c3 0x400999\n"
	  "check 0xc = 8\n"
	  "stop 0xc: R m391 W m391 8\n" /* his bit stays */
	  "start 0xc ! EBUSY\n"
	  "changed m3c3 0x400999 m391 8\n"
	  "restore\n"
	  "has m3c3 0x400999 m391 8 m3c2 0\n" },
	/*
	 * Taken between programming and starting: where the own enable bit starts a counter, it
	 * would have been overwritten.
	 */
	{ __LINE__, "amd_df", 0,
	  "program 0 0x3807\n"
	  "program 1 0x3847\n"
	  "set mc0010242 0x400001\n"
	  "start 3 ! EBUSY\n"
	  "has mc0010240 0x3807 mc0010242 0x400001\n"
	  "program 1 0x3847 ! EBUSY\n"
	  "changed mc0010242 0x400001\n"
	  "restore\n"
	  "has mc0010240 0 mc0010242 0x400001\n" },
};

TEST(counters_and_filters_are_shared)
{
	TT_FOR_EACH_ROW(r, scene_rows)
		box_play(r);
}

/* ---- what others did meanwhile ---- */

static const struct lost_row {
	int line;
	const char *kind;
	uint64_t config1;
	uint32_t counter;
	uint64_t config;
	enum nthw_space space;
	uint32_t address;
	uint64_t value;	 /* what somebody writes there */
	bool is_foreign; /* he has the counter now */
} lost_rows[] = {
	/* nhm_uncore_msr_disable_box(), and another event */
	{ __LINE__, "nhm_uncore", 0, 2, 0x183, MSR(0x391), 0, false },
	{ __LINE__, "nhm_uncore", 0, 2, 0x183, MSR(0x3c2), 0x400184, true },
	{ __LINE__, "nhm_uncore", 0, 2, 0x183, MSR(0x3c2), 0x183, false },
	{ __LINE__, "nhm_uncore", 0, 32, 0xff, MSR(0x395), 0, false },
	/* snbep_uncore_pci_disable_box(), snbep_uncore_pci_init_box() */
	{ __LINE__, "snbep_imc", 0, 1, 0x304, PCI(0xf4), 0x10100, false },
	{ __LINE__, "snbep_imc", 0, 1, 0x304, PCI(0xdc), 0, true },
	{ __LINE__, "snbep_imc", 0, 1, 0x304, PCI(0xdc), 0x304, false },
	{ __LINE__, "skx_m2m", 0, 1, 0x12e, PCI(0x258), 0x100, false },
	{ __LINE__, "skx_upi", 0, 1, 0x100000f05, PCI(0x358), 0x400f05, true },
	{ __LINE__, "skx_cha", 0x1e20000, 0, 0x1134, MSR(0xe05), 0x20000, false },
	{ __LINE__, "skx_cha", 0x40433ull << 32, 0, 0x2135, MSR(0xe06), 0x3b, false },
	{ __LINE__, "skx_cha", 0x40433ull << 32, 0, 0x2135, MSR(0xe00), 0x100, false },
	{ __LINE__, "amd_l3_f17h", 0, 3, 0x106, MSR(0xc0010236), 0xff0f000000400104, true },
	{ __LINE__, "amd_df", 0, 3, 0x3807, MSR(0xc0010246), 0x3807, false },
};

TEST(a_counter_that_others_took_is_noticed)
{
	TT_FOR_EACH_ROW(r, lost_rows) {
		struct nthw_box_state st = { 0 };
		uint64_t lost = 99, bit = BIT(r->counter);
		struct bank bank;
		struct nthw_box box = box_of(&bank, r->kind, 0);

		TT_EQ(r, program(&box, r->counter, r->config, r->config1, &st), 0);
		TT_EQ(r, nthw_box_start(&box, bit, &st), 0);
		TT_EQ(r, nthw_box_check(&box, bit, &st, &lost), 0);
		TT_EQ(r, lost, 0);
		set(&bank, r->space, r->address, r->value);
		bank_forget(&bank);
		TT_EQ(r, nthw_box_check(&box, bit, &st, &lost), 0);
		assert_null(strchr(bank.log, 'W'));
		TT_EQ(r, lost, bit);
		TT_EQ(r, st.foreign, r->is_foreign ? bit : 0);
		/* what is his is left as he made it; what he only stopped is ours to put back */
		bank_forget(&bank);
		TT_EQ(r, nthw_box_stop(&box, bit, &st), 0);
		TT_EQ(r, nthw_box_restore(&box, &st), 0);
		TT_EQ(r, st.counters, 0);
		if (r->is_foreign)
			TT_EQ(r, at(&bank, r->space, r->address), r->value);
	}
}

/* The same when nobody looked before giving back. */
TEST(a_counter_that_others_took_is_not_put_back)
{
	TT_FOR_EACH_ROW(r, lost_rows) {
		struct nthw_box_state st = { 0 };
		struct bank bank;
		struct nthw_box box = box_of(&bank, r->kind, 0);

		if (!r->is_foreign)
			continue;
		TT_EQ(r, program(&box, r->counter, r->config, r->config1, &st), 0);
		TT_EQ(r, nthw_box_start(&box, BIT(r->counter), &st), 0);
		set(&bank, r->space, r->address, r->value);
		TT_EQ(r, nthw_box_restore(&box, &st), 0);
		TT_EQ(r, st.counters, 0);
		TT_EQ(r, at(&bank, r->space, r->address), r->value);
	}
}

#define CHANNEL_COUNTERS 3
#define CHANNEL_RUNS 0x400000 /* of PCI(0xd8 + 4 * counter) */

/*
 * Three counters of a channel run; access @k of their stop fails. Returns what stop says, and in
 * *@running how many still run.
 */
static int failing_stop(int k, unsigned int *running)
{
	struct nthw_box_state st = { 0 };
	struct bank bank;
	struct nthw_box box = box_of(&bank, "snbep_imc", 0);
	uint32_t i;
	int ret;

	for (i = 0; i < CHANNEL_COUNTERS; i++)
		TT_IS(program(&box, i, 0x304, 0, &st), 0);
	TT_IS(nthw_box_start(&box, st.counters, &st), 0);
	bank.fail_at = (int)bank.accesses + k;
	ret = nthw_box_stop(&box, st.counters, &st);
	*running = 0;
	for (i = 0; i < CHANNEL_COUNTERS; i++)
		*running += (at(&bank, PCI(0xd8 + 4 * i)) & CHANNEL_RUNS) != 0;
	return ret;
}

/* A register that cannot be reached keeps one counter running and no other. */
TEST(the_rest_of_a_set_is_stopped)
{
	unsigned int running, kept = 0;
	int k = 0;

	while (failing_stop(k++, &running)) {
		assert_true(running <= 1);
		kept += running;
	}
	TT_IS(running, 0);
	assert_true(kept >= CHANNEL_COUNTERS);
}

/* ---- hypervisors that take writes and forget them ---- */

struct deaf {
	struct nthw_io io;
	struct bank *bank;
	uint32_t address; /* of the register that keeps nothing */
};

static int deaf_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t *value)
{
	struct deaf *d = (struct deaf *)io;

	return d->bank->io.read(&d->bank->io, space, unit, address, value);
}

static int deaf_write(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		      uint32_t address, uint64_t value)
{
	struct deaf *d = (struct deaf *)io;

	if (address == d->address)
		return 0;
	return d->bank->io.write(&d->bank->io, space, unit, address, value);
}

static const struct deaf_row {
	int line;
	const char *kind;
	uint32_t address;
} deaf_rows[] = {
	{ __LINE__, "nhm_uncore", 0x3c0 },  { __LINE__, "nhm_uncore", 0x3b0 },
	{ __LINE__, "snbep_imc", 0xd8 },    { __LINE__, "snbep_imc", 0xa0 },
	{ __LINE__, "amd_df", 0xc0010240 }, { __LINE__, "amd_df", 0xc0010241 },
};

TEST(registers_that_keep_nothing_are_noticed)
{
	TT_FOR_EACH_ROW(r, deaf_rows) {
		struct nthw_box_state st = { 0 };
		struct bank bank, *before;
		struct nthw_box box = box_of(&bank, r->kind, 0);
		struct deaf deaf = { { deaf_read, deaf_write }, &bank, r->address };
		uint32_t index;

		set(&bank, box.kind->space, nthw_box_counter(box.kind, 0, &index)->addr, 1234);
		before = copy_of(&bank);
		box.io = &deaf.io;
		TT_EQ(r, program(&box, 0, 0x0304, 0, &st), -EIO);
		TT_EQ(r, st.counters, 0);
		bank_is_as_found(&bank, before, NULL, 0);
		free(before);
	}
}

/* ---- kinds agree with their rows ---- */

static bool is_row_of(const struct nthw_table *table, const struct nthw_reg *reg)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		if (table->regs[i] == reg)
			return true;
	return false;
}

static void check_reg(const struct nthw_box_kind *kind, const struct nthw_reg *reg)
{
	if (!reg)
		return;
	if (!is_row_of(kind->table, reg) || reg->space != kind->space || reg->trust == NTHW_GUESSED)
		fail_msg("%s: row %s", kind->name, reg->name);
}

static void check_programmed(const struct nthw_box_kind *kind)
{
	const struct nthw_reg *regs[] = { kind->select,	       kind->counter, kind->fixed_select,
					  kind->fixed_counter, kind->enable,  kind->status,
					  kind->clear,	       kind->control, kind->filter[0],
					  kind->filter[1] };
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(regs); i++)
		check_reg(kind, regs[i]);
	assert_true(kind->select && kind->counter && kind->select->count == kind->counter->count);
	assert_true(kind->select->count <= NTHW_BOX_COUNTERS_MAX);
	TT_IS(!kind->fixed_select, !kind->fixed_counter);
	TT_IS(!kind->status, !kind->clear);
	TT_IS(kind->event_bits & kind->run_bit, 0);
	TT_IS((kind->event_bits | kind->run_bit) & ~nthw_reg_bits_of(kind->select, NTHW_RW), 0);
	TT_IS(kind->reset_bits & ~nthw_reg_bits_of(kind->select, NTHW_W1C), 0);
	TT_IS(nthw_reg_bits_of(kind->counter, NTHW_RW), (BIT(kind->width) - 1));
	if (kind->fixed_counter)
		TT_IS(nthw_reg_bits_of(kind->fixed_counter, NTHW_RW), (BIT(kind->fixed_width) - 1));
	if (kind->control)
		TT_IS(kind->freeze_bits & ~nthw_reg_bits_of(kind->control, NTHW_RW), 0);
	TT_IS(kind->freeze_bit & ~kind->freeze_bits, 0);
	for (i = 0; i < NTHW_BOX_FILTERS_MAX; i++)
		if (kind->filter[i])
			TT_IS(kind->filter_bits[i] & ~nthw_reg_bits_of(kind->filter[i], NTHW_RW),
			      0);
		else
			TT_IS(kind->filter_bits[i], 0);
	assert_true(kind->events_per_us > 0);
}

/* "hot-log" is field hot_log. */
static void check_state_name(const struct nthw_box_free *free)
{
	char name[64];
	size_t i;

	snprintf(name, sizeof(name), "%s",
		 strcmp(free->name, "headroom") == 0 ? "readout"
		 : strcmp(free->name, "limit") == 0  ? "target"
						     : free->name);
	for (i = 0; name[i]; i++)
		if (name[i] == '-')
			name[i] = '_';
	assert_string_equal(name, free->field->name);
}

static void check_free(const struct nthw_box_kind *kind)
{
	uint32_t i, k;

	assert_true(kind->frees <= NTHW_BOX_COUNTERS_MAX);
	check_reg(kind, kind->energy_unit);
	for (i = 0; i < kind->frees; i++) {
		const struct nthw_box_free *free = &kind->free[i];

		check_reg(kind, free->reg);
		assert_true(free->field >= free->reg->fields &&
			    free->field < free->reg->fields + free->reg->field_count);
		if (free->is_state)
			check_state_name(free);
		else
			assert_true(kind->events_per_us > 0);
		for (k = 0; k < i; k++) {
			assert_string_not_equal(free->name, kind->free[k].name);
			assert_true(free->config != kind->free[k].config);
		}
	}
	if (kind->energy_unit)
		assert_string_equal(kind->energy_field->name, "energy");
}

TEST(kinds_agree_with_their_rows)
{
	size_t i, k;

	assert_true(nthw_box_kind_count >= 20);
	for (i = 0; i < nthw_box_kind_count; i++) {
		const struct nthw_box_kind *kind = nthw_box_kinds[i];

		assert_true(kind->name && kind->unit && kind->source && *kind->source);
		assert_true(kind->boxes >= 1 &&
			    (kind->step == 0) ==
				    (kind->boxes == 1 || kind->space == NTHW_SPACE_PCI));
		if (kind->free)
			check_free(kind);
		else
			check_programmed(kind);
		assert_ptr_equal(nthw_box_kind(kind->name), kind);
		for (k = 0; k < i; k++)
			assert_string_not_equal(kind->name, nthw_box_kinds[k]->name);
	}
	assert_null(nthw_box_kind("nhm"));
	assert_null(nthw_box_kind(""));
}

/* Rows of all caching agents have the registers where the kind looks for them. */
TEST(boxes_by_number_are_where_their_rows_are)
{
	const struct nthw_box_kind *kind = kind_of("skx_cha");
	const struct nthw_reg *const of_box[] = { kind->control, kind->select, kind->filter[0],
						  kind->filter[1], kind->counter };
	struct nthw_box box = { .kind = kind };
	uint32_t index;
	size_t i;

	for (box.number = 0; box.number < kind->boxes; box.number++) {
		for (i = 0; i < NTHW_ARRAY_SIZE(of_box); i++) {
			const struct nthw_reg *row = nthw_table_find(
				kind->table, nthw_box_address(&box, of_box[i], 0), &index);

			assert_non_null(row);
			TT_IS(row->box, box.number);
			TT_IS(row->writable, of_box[i]->writable);
			assert_string_equal(strchr(row->name, '_'), strchr(of_box[i]->name, '_'));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfs_words_become_registers),
		cmocka_unit_test(nonsense_is_refused_without_an_access),
		cmocka_unit_test(who_counts_is_not_disturbed),
		cmocka_unit_test(counters_and_filters_are_shared),
		cmocka_unit_test(a_counter_that_others_took_is_noticed),
		cmocka_unit_test(a_counter_that_others_took_is_not_put_back),
		cmocka_unit_test(the_rest_of_a_set_is_stopped),
		cmocka_unit_test(registers_that_keep_nothing_are_noticed),
		cmocka_unit_test(kinds_agree_with_their_rows),
		cmocka_unit_test(boxes_by_number_are_where_their_rows_are),
	};

	return TT_RUN(tests);
}
