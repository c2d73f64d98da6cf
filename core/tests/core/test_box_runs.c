// SPDX-License-Identifier: MIT
/*
 * core/seq/box: whatever fails, everything is restored and nothing of others is touched, not even
 * for a moment; and the model's counts come out.
 */
#include <errno.h>

#include "core/seq/box.h"
#include "core/models/nhm_uncore.h"
#include "core/tests/core/box_bank.h"
#include "base/tests/tt.h"

/*
 * ---- whole runs on every kind: nothing stays changed and nothing of others is touched, with and
 * without failing accesses ----
 */

/* Who looks at every write before it is done. */
struct judge {
	struct nthw_io io;
	struct bank bank;
	const struct nthw_box *box;
	uint64_t free;	 /* counters that nobody had enabled when the run began */
	bool has_others; /* somebody counts in the box */
};

/*
 * Which counter @address is the counter or the select register of; -1: none. By the numbers of the
 * manuals, not by the kind.
 */
static int counter_at(const char *kind, uint32_t number, uint32_t address)
{
	static const struct {
		const char *kind;
		uint32_t select, select_step, count, count_step, counters, fixed_select,
			fixed_count;
	} places[] = {
		{ "nhm_uncore", 0x3c0, 1, 0x3b0, 1, 8, 0x395, 0x394 },
		{ "snbep_imc", 0xd8, 4, 0xa0, 8, 4, 0xf0, 0xd0 },
		{ "skx_imc", 0xd8, 4, 0xa0, 8, 4, 0xf0, 0xd0 },
		{ "skx_m2m", 0x228, 8, 0x200, 8, 4, 0, 0 },
		{ "skx_upi", 0x350, 8, 0x318, 8, 4, 0, 0 },
		{ "skx_cha", 0xe01, 1, 0xe08, 1, 4, 0, 0 },
		{ "amd_l3_f17h", 0xc0010230, 2, 0xc0010231, 2, 6, 0, 0 },
		{ "amd_l3_f19h", 0xc0010230, 2, 0xc0010231, 2, 6, 0, 0 },
		{ "amd_df", 0xc0010240, 2, 0xc0010241, 2, 4, 0, 0 },
		{ "amd_df_v2", 0xc0010240, 2, 0xc0010241, 2, 16, 0, 0 },
	};
	size_t i;
	uint32_t n;

	for (i = 0; i < NTHW_ARRAY_SIZE(places); i++) {
		if (strcmp(places[i].kind, kind) != 0)
			continue;
		address -= strcmp(kind, "skx_cha") == 0 ? 0x10 * number : 0;
		for (n = 0; n < places[i].counters; n++)
			if (address == places[i].select + n * places[i].select_step ||
			    address == places[i].count + n * places[i].count_step)
				return (int)n;
		if (places[i].fixed_count &&
		    (address == places[i].fixed_select || address == places[i].fixed_count))
			return 32;
		return -1;
	}
	fail_msg("no places of %s", kind);
	return -1;
}

static void judge_write(struct judge *j, enum nthw_space space, uint32_t address, uint64_t value)
{
	const char *kind = j->box->kind->name;
	int counter = counter_at(kind, j->box->number, address);
	uint64_t changes = value ^ at(&j->bank, space, address);

	if (counter >= 0) {
		if (!(j->free & BIT(counter)))
			fail_msg("%s: counter %d is somebody else's", kind, counter);
	} else if (strcmp(kind, "nhm_uncore") == 0 && address == 0x391) {
		if (changes & ~j->free)
			fail_msg("bits 0x%llx of the enable register are somebody else's",
				 (unsigned long long)(changes & ~j->free));
	} else if (strcmp(kind, "nhm_uncore") == 0 && address == 0x393) {
		if (value & ~j->free)
			fail_msg("flags 0x%llx are somebody else's",
				 (unsigned long long)(value & ~j->free));
	} else if (j->has_others) {
		/* control and filters: of the whole box */
		fail_msg("%s: 0x%x is written while somebody else counts", kind, address);
	}
}

static int judge_io_read(struct nthw_io *io, enum nthw_space space, unsigned int unit,
			 uint32_t address, uint64_t *value)
{
	struct judge *j = (struct judge *)io;

	return j->bank.io.read(&j->bank.io, space, unit, address, value);
}

static int judge_io_write(struct nthw_io *io, enum nthw_space space, unsigned int unit,
			  uint32_t address, uint64_t value)
{
	struct judge *j = (struct judge *)io;

	judge_write(j, space, address, value);
	return j->bank.io.write(&j->bank.io, space, unit, address, value);
}

struct run {
	struct judge judge;
	struct bank before;
	struct nthw_box box;
	struct nthw_box_state state;
	uint64_t programmed, started; /* ever, by this run */
	uint64_t seed;
};

static uint64_t known_bits(const struct nthw_reg *reg)
{
	uint64_t mask = 0;
	uint32_t i;

	for (i = 0; i < reg->field_count; i++)
		mask |= nthw_field_mask(&reg->fields[i]);
	return nthw_reg_is_readable(reg) ? mask & ~nthw_reg_bits_of(reg, NTHW_W1C) : 0;
}

static bool holds_count(const struct nthw_reg *reg)
{
	return strcmp(reg->fields[0].name, "count") == 0 || strcmp(reg->fields[0].name, "low") == 0;
}

/* Enable bits of select registers; the freeze bit of box controls. */
static uint64_t half_of_the_time(const struct nthw_reg *reg)
{
	if (strcmp(reg->name, "MSR_UNCORE_FIXED_CTR_CTRL") == 0)
		return 1;
	if (strstr(reg->name, "BOX_CTL"))
		return 0x100;
	return strcmp(reg->name, "MSR_UNCORE_PERF_GLOBAL_CTRL") == 0 ? 0 : 0x400000;
}

static void randomize(struct run *r)
{
	struct bank *bank = &r->judge.bank;
	bool is_empty = tt_random(&r->seed) % 3 == 0;
	size_t i;

	for (i = 0; i < bank->cells; i++) {
		const struct nthw_reg *reg = bank->cell[i].reg;
		uint64_t value = tt_random(&r->seed) & known_bits(reg);

		if (holds_count(reg))
			value &= M48;
		else if (is_empty || tt_random(&r->seed) % 2)
			value &= ~half_of_the_time(reg);
		bank->cell[i].value = value;
	}
}

static bool is_enabled(struct run *r, uint32_t n)
{
	struct bank *bank = &r->judge.bank;
	size_t i;

	for (i = 0; i < bank->cells; i++) {
		const struct nthw_reg *reg = bank->cell[i].reg;
		uint32_t address = nthw_reg_addr(reg, bank->cell[i].index);

		if (counter_at(r->box.kind->name, r->box.number, address) != (int)n ||
		    holds_count(reg))
			continue;
		return bank->cell[i].value &
		       (strcmp(reg->name, "MSR_UNCORE_FIXED_CTR_CTRL") == 0 ? 1 : 0x400000);
	}
	return false;
}

static bool is_frozen(struct run *r)
{
	struct bank *bank = &r->judge.bank;
	const char *kind = r->box.kind->name;

	if (strcmp(kind, "snbep_imc") == 0)
		return (at(bank, PCI(0xf4)) & 0x10100) == 0x10100;
	if (strcmp(kind, "skx_imc") == 0)
		return at(bank, PCI(0xf4)) & 0x100;
	if (strcmp(kind, "skx_m2m") == 0)
		return at(bank, PCI(0x258)) & 0x100;
	if (strcmp(kind, "skx_upi") == 0)
		return at(bank, PCI(0x378)) & 0x100;
	if (strcmp(kind, "skx_cha") == 0)
		return at(bank, MSR(0xe00 + 0x10 * r->box.number)) & 0x100;
	return false;
}

static bool is_counting(struct run *r, uint32_t n)
{
	if (strcmp(r->box.kind->name, "nhm_uncore") == 0 &&
	    !(at(&r->judge.bank, MSR(0x391)) >> n & 1))
		return false;
	return is_enabled(r, n) && !is_frozen(r);
}

static bool has_counter(const struct run *r, uint32_t n)
{
	return nthw_box_width(r->box.kind, n) != 0;
}

static void prepare(struct run *r, const struct nthw_box_kind *kind, uint64_t seed, bool is_guarded)
{
	uint32_t n;

	memset(r, 0, sizeof(*r));
	r->seed = seed;
	bank_init(&r->judge.bank, &kind->table, 1);
	r->judge.bank.is_guarded = is_guarded;
	r->judge.io = (struct nthw_io){ judge_io_read, judge_io_write };
	r->judge.box = &r->box;
	r->box = (struct nthw_box){ .kind = kind,
				    .io = &r->judge.io,
				    .unit = CPU,
				    .number = kind->step ? tt_random(&r->seed) % kind->boxes : 0,
				    .is_guarded = is_guarded };
	randomize(r);
	for (n = 0; n < 33; n++) {
		if (!has_counter(r, n))
			continue;
		if (is_enabled(r, n))
			r->judge.has_others = true;
		else
			r->judge.free |= BIT(n);
	}
	r->before = r->judge.bank;
}

static uint64_t random_config(struct run *r, uint32_t counter, uint64_t *config1)
{
	static const uint64_t cha[] = { 0x1134, 0x2135, 0x2136, 0x0138, 0x80000, 0x82135, 0x0b };

	*config1 = 0;
	if (counter == 32)
		return 0xff;
	if (strcmp(r->box.kind->name, "skx_cha") != 0)
		return 0x0100 + counter;
	/* one of two values, so that some agree */
	*config1 = tt_random(&r->seed) % 2 ? 0x4043301e20005 : 0;
	return cha[tt_random(&r->seed) % NTHW_ARRAY_SIZE(cha)];
}

static int program_some(struct run *r, uint64_t unused)
{
	struct bank *was = malloc(sizeof(*was));
	uint32_t n;
	int ret = 0;

	assert_non_null(was);
	for (n = 0; n < 33 && !ret; n++) {
		struct nthw_box_event event;
		uint64_t config1, config;

		if (!(unused >> n & 1) || tt_random(&r->seed) % 4 == 0)
			continue;
		config = random_config(r, n, &config1);
		TT_IS(nthw_box_encode(r->box.kind, config, config1, &event), 0);
		if (!(nthw_box_counters(r->box.kind, &event) >> n & 1))
			continue;
		*was = r->judge.bank;
		ret = nthw_box_program(&r->box, n, &event, &r->state);
		if (!ret) {
			r->programmed |= BIT(n);
			assert_false(is_counting(r, n));
		}
		if (ret == -EBUSY) { /* filters do not agree: the counter is as it was */
			TT_IS(r->state.counters & BIT(n), 0);
			bank_is_as_found(&r->judge.bank, was, NULL, 0);
			ret = 0;
		}
	}
	free(was);
	return ret;
}

static void all_count(struct run *r, uint64_t which, bool wanted)
{
	uint32_t n;

	for (n = 0; n < 33; n++)
		if (which >> n & 1)
			TT_IS(is_counting(r, n), wanted);
}

static int start_and_read(struct run *r)
{
	uint64_t set_of = r->state.counters, value = 0, lost = 0;
	uint32_t n, index;
	int ret;

	r->started = set_of;
	ret = nthw_box_start(&r->box, set_of, &r->state);
	if (ret && !r->judge.bank.fails_on)
		all_count(r, set_of, false);
	if (ret)
		return ret;
	all_count(r, set_of, true);
	for (n = 0; n < 33 && !ret; n++) {
		const struct nthw_reg *reg = nthw_box_counter(r->box.kind, n, &index);

		if (!(set_of >> n & 1))
			continue;
		set(&r->judge.bank, reg->space, nthw_box_address(&r->box, reg, index), 1000 + n);
		ret = nthw_box_read(&r->box, n, &value);
		if (!ret)
			TT_IS(value, 1000 + n);
	}
	if (!ret)
		ret = nthw_box_check(&r->box, set_of, &r->state, &lost);
	if (!ret)
		TT_IS(lost, 0);
	if (!ret && r->box.kind->status)
		ret = nthw_box_overflows(&r->box, set_of, &value);
	return ret;
}

/* Stop, go on with half of them, another event for one; all back at the end. */
static int go_on(struct run *r)
{
	uint64_t all = r->state.counters, half = all & tt_random(&r->seed);
	struct nthw_box_event event;
	uint32_t n;
	int ret = nthw_box_stop(&r->box, all, &r->state);

	if (ret)
		return ret;
	all_count(r, all, false);
	ret = nthw_box_start(&r->box, half, &r->state);
	if (!ret)
		all_count(r, half, true);
	for (n = 0; n < 32 && !ret; n++) {
		if (!((all & ~half) >> n & 1))
			continue;
		TT_IS(nthw_box_encode(r->box.kind, 0x0201, 0, &event), 0);
		ret = nthw_box_program(&r->box, n, &event, &r->state);
		break;
	}
	if (!ret)
		ret = nthw_box_start(&r->box, r->state.counters, &r->state);
	if (!ret)
		all_count(r, r->state.counters, true);
	if (!ret)
		ret = nthw_box_release(&r->box, half, &r->state);
	if (!ret)
		TT_IS(r->state.counters, all & ~half);
	return ret;
}

/*
 * From beginning to end; the first error ends it. -EBUSY: a box that stands with others' counters
 * enabled.
 */
static int run_all(struct run *r)
{
	uint64_t all = 0, unused = 0;
	int ret = nthw_box_discover(&r->box, &all);

	if (!ret)
		ret = nthw_box_find_free(&r->box, all, &unused);
	if (!ret)
		TT_IS(unused, r->judge.free & all);
	if (!ret)
		ret = program_some(r, unused);
	if (!ret)
		ret = start_and_read(r);
	if (!ret)
		ret = go_on(r);
	return ret ? ret : nthw_box_restore(&r->box, &r->state);
}

static void run_is_as_found(struct run *r)
{
	bool has_flags = r->box.kind->status;

	bank_is_as_found(&r->judge.bank, &r->before,
			 has_flags ? bank_at(&r->before, MSR(0x392)) : NULL, r->started);
}

static const struct fault {
	int error;
	bool fails_on, fails_behind;
} faults[] = {
	{ -ENODEV, false, false },
	{ -EIO, false, false },
	{ -ENODEV, false, true },
	{ -ENODEV, true, false },
};

/* A run in which access @k fails, once or from then on. */
static void fail_at(struct run *r, const struct nthw_box_kind *kind, uint64_t seed, bool is_guarded,
		    const struct fault *fault, int k)
{
	int ret;

	prepare(r, kind, seed, is_guarded);
	r->judge.bank.fail_at = k;
	r->judge.bank.error = fault->error;
	r->judge.bank.fails_on = fault->fails_on;
	r->judge.bank.fails_behind = fault->fails_behind;
	ret = run_all(r);
	/* a register that is refused while one looks for counters is a counter that is not there */
	if (ret != fault->error && fault->error != -EIO)
		fail_msg("%s: access %d failed and the run says %d; accesses:\n%s", kind->name, k,
			 ret, r->judge.bank.log);
	if (fault->fails_on && r->state.counters)
		TT_IS(nthw_box_restore(&r->box, &r->state), fault->error);
	r->judge.bank.fail_at = -1;
	TT_IS(nthw_box_restore(&r->box, &r->state), 0);
	TT_IS(r->state.counters, 0);
	run_is_as_found(r);
}

/*
 * The same run again and again; each time the next access fails. Returns how many accesses a whole
 * run has.
 */
static int fail_each(const struct nthw_box_kind *kind, uint64_t seed, bool is_guarded)
{
	struct run *r = malloc(sizeof(*r));
	size_t i;
	int all, ret, k;

	assert_non_null(r);
	prepare(r, kind, seed, is_guarded);
	ret = run_all(r);
	if (ret) {
		TT_IS(ret, -EBUSY);
		assert_true(r->judge.has_others && is_frozen(r));
		TT_IS(nthw_box_restore(&r->box, &r->state), 0);
	}
	run_is_as_found(r);
	all = r->judge.bank.accesses;
	for (i = 0; !ret && i < NTHW_ARRAY_SIZE(faults); i++)
		for (k = 0; k < all; k++)
			fail_at(r, kind, seed, is_guarded, &faults[i], k);
	free(r);
	return ret ? 0 : all;
}

TEST(nothing_stays_changed_whatever_fails)
{
	uint64_t seed = tt_seed();
	size_t i;
	int round;

	for (i = 0; i < nthw_box_kind_count; i++) {
		const struct nthw_box_kind *kind = nthw_box_kinds[i];
		bool has_driver = kind->scope != NTHW_SCOPE_L3; /* which writes no L3 */
		int most = 0;

		for (round = 0; !kind->free && round < 12; round++) {
			int all = fail_each(kind, tt_random(&seed), has_driver && round % 2);

			most = all > most ? all : most;
		}
		assert_true(kind->free || most >= 30); /* some of the runs did something */
	}
}

/* Reading what always runs changes nothing, whatever fails, and tells no value after an error. */
TEST(reading_what_always_runs_fails_cleanly)
{
	size_t i;
	uint32_t n;

	for (i = 0; i < nthw_box_kind_count; i++) {
		struct bank bank;
		struct nthw_box box = box_of(&bank, nthw_box_kinds[i]->name, 0);

		for (n = 0; n < box.kind->frees; n++) {
			uint64_t value = 4711, found = 4711;

			bank.error = -ENODEV;
			bank.fail_at = bank.accesses;
			TT_IS(nthw_box_read(&box, n, &value), -ENODEV);
			bank.fail_at = bank.accesses;
			TT_IS(nthw_box_discover(&box, &found), -ENODEV);
			TT_IS(value, 4711);
			TT_IS(found, 4711);
			bank.fail_at = -1;
			assert_null(strchr(bank.log, 'W'));
			bank_forget(&bank);
		}
	}
}

TEST(a_box_that_is_not_there_is_not_found)
{
	size_t i;

	for (i = 0; i < nthw_box_kind_count; i++) {
		uint64_t found = 4711;
		struct bank bank;
		struct nthw_box box = box_of(&bank, nthw_box_kinds[i]->name, 0);

		bank.fail_at = 0;
		bank.fails_on = true;
		TT_IS(nthw_box_discover(&box, &found), -ENOTSUP);
		TT_IS(found, 4711);
	}
}

/* ---- counts of the model ---- */

struct model_io {
	struct nthw_io io;
	struct ntm_nhm_uncore uncore;
};

static int model_read(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		      uint32_t address, uint64_t *value)
{
	TT_IS(space, NTHW_SPACE_MSR);
	TT_IS(unit, CPU);
	return ntm_nhm_uncore_rdmsr(&((struct model_io *)io)->uncore, address, value);
}

static int model_write(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		       uint32_t address, uint64_t value)
{
	TT_IS(space, NTHW_SPACE_MSR);
	TT_IS(unit, CPU);
	return ntm_nhm_uncore_wrmsr(&((struct model_io *)io)->uncore, address, value);
}

/*
 * UNC_DRAM_THERMAL_THROTTLED, UNC_THERMAL_THROTTLING_PROCHOT.CORE_0, ..._THROTTLED_TEMP.CORE_1, and
 * uncore clocks, over a wrap at 48 bits.
 */
TEST(the_nehalem_model_counts)
{
	struct model_io m = { .io = { model_read, model_write } };
	struct nthw_box box = { .kind = kind_of("nhm_uncore"), .io = &m.io, .unit = CPU };
	struct ntm_nhm_work work = { .clocks = 1000,
				     .memory_throttled = 300,
				     .core_throttled = { 0, 20, 0, 0 },
				     .core_prochot = { 7, 0, 0, 0 } };
	struct ntm_nhm_uncore before;
	struct nthw_box_state st = { 0 };
	uint64_t value = 0, flags = 0;

	ntm_nhm_uncore_reset(&m.uncore);
	TT_IS(ntm_nhm_uncore_wrmsr(&m.uncore, 0x3c0, 0x400167), 0); /* somebody's */
	TT_IS(ntm_nhm_uncore_wrmsr(&m.uncore, 0x391, 1), 0);
	before = m.uncore;
	TT_IS(program(&box, 1, 0x0167, 0, &st), 0);
	TT_IS(program(&box, 2, 0x0183, 0, &st), 0);
	TT_IS(program(&box, 7, 0x0281, 0, &st), 0);
	TT_IS(program(&box, 32, 0xff, 0, &st), 0);
	TT_IS(nthw_box_start(&box, st.counters, &st), 0);
	ntm_nhm_uncore_advance(&m.uncore, &work);
	TT_IS(nthw_box_read(&box, 1, &value), 0);
	TT_IS(value, 300);
	TT_IS(nthw_box_read(&box, 2, &value), 0);
	TT_IS(value, 7);
	TT_IS(nthw_box_read(&box, 7, &value), 0);
	TT_IS(value, 20);
	TT_IS(nthw_box_read(&box, 32, &value), 0);
	TT_IS(value, 1000);
	m.uncore.fixed_count = M48 - 400;
	ntm_nhm_uncore_advance(&m.uncore, &work);
	TT_IS(nthw_box_read(&box, 32, &value), 0);
	TT_IS(value, 599);
	TT_IS(nthw_box_overflows(&box, st.counters, &flags), 0);
	TT_IS(flags, FIXED);
	TT_IS(nthw_box_overflows(&box, st.counters, &flags), 0);
	TT_IS(flags, 0);
	TT_IS(nthw_box_stop(&box, st.counters, &st), 0);
	ntm_nhm_uncore_advance(&m.uncore, &work);
	TT_IS(nthw_box_read(&box, 1, &value), 0);
	TT_IS(value, 600);
	TT_IS(nthw_box_restore(&box, &st), 0);
	before.count[0] = 900; /* somebody's counted on, all the time */
	assert_memory_equal(&m.uncore, &before, sizeof(before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_stays_changed_whatever_fails),
		cmocka_unit_test(reading_what_always_runs_fails_cleanly),
		cmocka_unit_test(a_box_that_is_not_there_is_not_found),
		cmocka_unit_test(the_nehalem_model_counts),
	};

	return TT_RUN(tests);
}
