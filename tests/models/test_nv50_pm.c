// SPDX-License-Identifier: MIT
/*
 * models/nv50_pm and models/nv50_card: vectors that follow from envytools' documentation of
 * PCOUNTER, on each domain of each chip; skipping against stepping; registers against their rows.
 */
#include "models/nv50_card.h"
#include "tests/models/traffic.h"

#define PRE_SRC 0xa400u
#define PRE_OP 0xa420u
#define START_SRC 0xa440u
#define START_OP 0xa460u
#define EVENT_SRC 0xa480u
#define EVENT_OP 0xa4a0u
#define STOP_SRC 0xa4c0u
#define STOP_OP 0xa4e0u
#define SRC_STATUS 0xa540u
#define SPEC_SRC 0xa560u
#define USER_TRIGGER 0xa580u
#define CYCLES 0xa600u
#define CYCLES_ALT 0xa640u
#define EVENT 0xa680u
#define START 0xa6c0u
#define PRE 0xa700u
#define STOP 0xa740u
#define CTRL 0xa7c0u
#define ACK 0xa7e0u
#define SIG_STATUS 0xa800u
#define BOOT_0 0x0u
#define BUS_UNITS 0x1540u
#define DEBUG_1 0x400084u
#define UNITS 0x4008fcu

#define QUAD 0x1u
#define B4 0x11u
#define B6 0x21u
#define EMPTY 0u
#define VALID 0x1000000u
#define OVERFLOW 0x3000000u

#define CHIPS 14 /* G80 to MCP89: the others have no such counters */
#define FOR_EACH_CHIP(c) for (c = nthw_nv_chips; c < nthw_nv_chips + CHIPS; c++)

static const struct nthw_nv_chip *chip_of(const char *name)
{
	const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(name);

	assert_non_null(chip);
	return chip;
}

static uint32_t domains_of(const struct nthw_nv_chip *chip)
{
	uint32_t d = 0;

	while (d < NTHW_NV_DOMAINS && chip->last[d])
		d++;
	return d;
}

/*
 * A vector is what happens to a domain with these inputs, of wires that every domain of every chip
 * has below its trailer: PRE is wire 0, START wire 4, EVENT wire 8, STOP wire 1; the bits of a sum
 * are wires 4 to 7, 10 and 11.
 */
#define W(n) (1u << (n))
static const struct {
	uint32_t addr, value;
} inputs[] = {
	{ PRE_SRC, 0x03020100 },  { PRE_OP, 0xaaaa },	     { START_SRC, 0x07060504 },
	{ START_OP, 0xaaaa },	  { EVENT_SRC, 0x0b0a0908 }, { EVENT_OP, 0xaaaa },
	{ STOP_SRC, 0x03020100 }, { STOP_OP, 0xcccc },
};

enum what {
	END,
	TRIGGER, /* PM_TRIGGER in the next clock */
	CLOCKS,	 /* .b clocks with wires .a */
	WRITE,	 /* .b to register .a */
	IS,	 /* register .a reads .b */
	PRESET,	 /* hidden counter .a is .b */
};

enum chips { ALL, G80_ONLY, LATER };

/* One act a line would hide them. */
/* clang-format off */
static const struct vector {
	int line;
	enum chips chips;
	uint32_t ctrl;
	struct {
		enum what what;
		uint32_t a;
		uint64_t b;
	} acts[16];
} vectors[] = {
	/* 1: the wire of PRE is 1 in clocks 3 to 7, swap in clock 10 */
	{ __LINE__, ALL, QUAD,
	  { { CLOCKS, 0, 3 }, { CLOCKS, W(0), 5 }, { CLOCKS, 0, 2 }, { IS, PRE, 0 },
	    { IS, CTRL, QUAD | EMPTY }, { TRIGGER }, { CLOCKS, 0, 1 }, { IS, PRE, 5 },
	    { IS, CYCLES, 10 }, { IS, CTRL, QUAD | VALID } } },
	/* 2: an event in the clock of the swap is in the next period, as is the clock */
	{ __LINE__, ALL, QUAD,
	  { { CLOCKS, 0, 10 }, { TRIGGER }, { CLOCKS, W(0), 1 }, { IS, PRE, 0 }, { IS, CYCLES, 10 },
	    { TRIGGER }, { CLOCKS, 0, 1 }, { IS, PRE, 1 }, { IS, CYCLES, 1 } } },
	/* 3: two swaps without acknowledgement, then three acknowledgements */
	{ __LINE__, ALL, QUAD,
	  { { TRIGGER }, { CLOCKS, 0, 1 }, { TRIGGER }, { CLOCKS, 0, 1 },
	    { IS, CTRL, QUAD | OVERFLOW }, { WRITE, ACK, 1 }, { IS, CTRL, QUAD | VALID },
	    { WRITE, ACK, 1 }, { IS, CTRL, QUAD | EMPTY }, { WRITE, ACK, 1 },
	    { IS, CTRL, QUAD | EMPTY } } },
	/* 4 */
	{ __LINE__, ALL, QUAD,
	  { { PRESET, NTM_NV50_PRE, 0xfffffffe }, { CLOCKS, W(0), 5 }, { TRIGGER },
	    { CLOCKS, 0, 1 }, { IS, PRE, 0xffffffff } } },
	/* 4, without a preset: so many clocks cost nothing */
	{ __LINE__, ALL, QUAD,
	  { { CLOCKS, W(0), 0xfffffffe }, { TRIGGER }, { CLOCKS, 0, 1 }, { IS, PRE, 0xfffffffe },
	    { CLOCKS, W(0), UINT64_MAX }, { TRIGGER }, { CLOCKS, 0, 1 }, { IS, PRE, 0xffffffff },
	    { IS, CYCLES, 0xffffffff }, { IS, STOP, 0 } } },
	/* 5: 53 in a clock; START counts its own input beside */
	{ __LINE__, ALL, B6,
	  { { CLOCKS, W(4) | W(6) | W(10) | W(11) | W(8), 7 }, { TRIGGER }, { CLOCKS, 0, 1 },
	    { IS, EVENT, 7 * 53 }, { IS, START, 7 }, { IS, CYCLES, 7 } } },
	/* 12: a write of PRE_OP ends a period in the next clock, but on G80 */
	{ __LINE__, LATER, QUAD,
	  { { CLOCKS, W(0), 10 }, { WRITE, PRE_OP, 0xaaaa }, { IS, CTRL, QUAD | EMPTY },
	    { CLOCKS, W(0), 3 }, { IS, CTRL, QUAD | VALID }, { IS, PRE, 10 }, { TRIGGER },
	    { CLOCKS, 0, 1 }, { IS, CYCLES, 3 } } },
	{ __LINE__, G80_ONLY, QUAD,
	  { { CLOCKS, W(0), 10 }, { WRITE, PRE_OP, 0xaaaa }, { CLOCKS, W(0), 3 },
	    { IS, CTRL, QUAD | EMPTY }, { TRIGGER }, { CLOCKS, 0, 1 }, { IS, CYCLES, 13 } } },
	/* 12: no other register does that */
	{ __LINE__, ALL, QUAD,
	  { { WRITE, PRE_SRC, 0x03020100 }, { WRITE, START_OP, 0xaaaa }, { WRITE, CTRL, QUAD },
	    { WRITE, STOP_OP, 0xcccc }, { WRITE, PRE, 5 }, { CLOCKS, 0, 9 },
	    { IS, CTRL, QUAD | EMPTY }, { IS, PRE, 0 } } },
	/* 21: the amount counts while EVENT is 1 */
	{ __LINE__, ALL, B4,
	  { { CLOCKS, W(4) | W(5) | W(10) | W(8), 4 }, { CLOCKS, W(4) | W(5) | W(10), 6 },
	    { TRIGGER }, { CLOCKS, 0, 1 }, { IS, EVENT, 4 * 3 }, { IS, CYCLES, 10 } } },
	{ __LINE__, ALL, B6,
	  { { CLOCKS, W(4) | W(5) | W(10) | W(8), 4 }, { CLOCKS, W(4) | W(5) | W(10), 6 },
	    { TRIGGER }, { CLOCKS, 0, 1 }, { IS, EVENT, 4 * 19 }, { IS, CYCLES, 10 } } },
	/* 22: one wire at a time */
#define ONE_WIRE(wire, amount)                                                                     \
	{ __LINE__, ALL, B6,                                                                       \
	  { { CLOCKS, W(wire) | W(8), 1 }, { TRIGGER }, { CLOCKS, 0, 1 }, { IS, EVENT, amount } } }
	ONE_WIRE(4, 1), ONE_WIRE(5, 2), ONE_WIRE(6, 4), ONE_WIRE(7, 8), ONE_WIRE(10, 16),
	ONE_WIRE(11, 32),
	/* 29: SPEC_SRC selects another wire, and PM_TRIGGER does nothing then */
	{ __LINE__, LATER, QUAD,
	  { { WRITE, SPEC_SRC, 0x0009 }, { TRIGGER }, { CLOCKS, 0, 10 }, { IS, CTRL, QUAD | EMPTY },
	    { CLOCKS, W(9), 1 }, { IS, CTRL, QUAD | VALID }, { IS, CYCLES, 10 } } },
	/* 30: a wire that stays 1 ends a period in each clock */
	{ __LINE__, LATER, QUAD,
	  { { WRITE, SPEC_SRC, 0x0009 }, { CLOCKS, 0, 10 }, { CLOCKS, W(9), 3 }, { IS, CYCLES, 1 },
	    { IS, CTRL, QUAD | OVERFLOW } } },
	{ __LINE__, LATER, QUAD,
	  { { WRITE, SPEC_SRC, 0x0009 }, { CLOCKS, 0, 10 }, { CLOCKS, W(9), 1000000000000 },
	    { IS, CYCLES, 1 }, { CLOCKS, W(9), 1 }, { IS, CYCLES, 1 } } },
	/* 31: the values of the last of three periods */
	{ __LINE__, ALL, QUAD,
	  { { CLOCKS, W(0), 5 }, { TRIGGER }, { CLOCKS, W(1), 7 }, { TRIGGER },
	    { CLOCKS, W(4), 11 }, { TRIGGER }, { CLOCKS, 0, 1 }, { IS, PRE, 0 }, { IS, STOP, 0 },
	    { IS, START, 11 }, { IS, CYCLES, 11 }, { IS, CTRL, QUAD | OVERFLOW } } },
	/* 32: only bit 0 acknowledges; the register reads 0 */
	{ __LINE__, ALL, QUAD,
	  { { TRIGGER }, { CLOCKS, 0, 1 }, { WRITE, ACK, 0 }, { IS, CTRL, QUAD | VALID },
	    { WRITE, ACK, 2 }, { IS, CTRL, QUAD | VALID }, { WRITE, ACK, 0xffffffff },
	    { IS, CTRL, QUAD | EMPTY }, { IS, ACK, 0 } } },
	/* 33: CYCLES stops as well, and the copy of it; an amount that jumps past stops there */
	{ __LINE__, ALL, B6,
	  { { PRESET, NTM_NV50_CYCLES, 0xfffffffe }, { PRESET, NTM_NV50_EVENT, 0xfffffff0 },
	    { CLOCKS, W(4) | W(5) | W(6) | W(7) | W(8) | W(10) | W(11), 2 }, { TRIGGER },
	    { CLOCKS, 0, 1 }, { IS, CYCLES, 0xffffffff }, { IS, CYCLES_ALT, 0xffffffff },
	    { IS, EVENT, 0xffffffff } } },
	/* Counters stand still in other modes, and PM_TRIGGER of that time is gone. */
	{ __LINE__, ALL, 0,
	  { { CLOCKS, W(0), 5 }, { TRIGGER }, { WRITE, PRE_OP, 0xaaaa }, { CLOCKS, W(0), 5 },
	    { IS, CTRL, 0 }, { WRITE, CTRL, QUAD }, { CLOCKS, W(0), 2 }, { IS, CTRL, QUAD | EMPTY },
	    { TRIGGER }, { CLOCKS, 0, 1 }, { IS, PRE, 2 }, { IS, CYCLES, 2 } } },
	{ __LINE__, ALL, 0x2,
	  { { CLOCKS, W(0), 5 }, { TRIGGER }, { CLOCKS, W(0), 9 }, { IS, CTRL, 0x2 }, { IS, PRE, 0 } } },
	/* The EXTRA modes are not modelled: EVENT counts nothing. */
	{ __LINE__, ALL, 0x31,
	  { { CLOCKS, W(4) | W(8), 5 }, { TRIGGER }, { CLOCKS, 0, 1 }, { IS, EVENT, 0 },
	    { IS, START, 5 } } },
	/* SRC_STATUS: the four wires of PRE, START, EVENT, STOP in the last clock */
	{ __LINE__, ALL, QUAD,
	  { { CLOCKS, W(0) | W(2) | W(7) | W(9), 1 }, { IS, SRC_STATUS, 0x5285 }, { CLOCKS, 0, 1 },
	    { IS, SRC_STATUS, 0 } } },
};
/* clang-format on */

static void write_reg(struct ntm_nv50_pm *m, uint32_t addr, uint64_t value)
{
	TT_IS(ntm_nv50_pm_write(m, addr + 4 * m->number, (uint32_t)value), 0);
}

static void advance(struct ntm_nv50_pm *m, uint32_t wires, uint64_t clocks)
{
	const uint32_t all[NTM_NV50_WIRE_WORDS] = { wires };

	ntm_nv50_pm_advance(m, all, clocks);
}

static void set_inputs(struct ntm_nv50_pm *m)
{
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(inputs); i++)
		write_reg(m, inputs[i].addr, inputs[i].value);
}

static void play(const struct vector *v, struct ntm_nv50_pm *m)
{
	size_t i;
	uint32_t value;

	set_inputs(m);
	advance(m, 0, 1); /* not in QUAD mode yet: that PRE_OP was written is over */
	write_reg(m, CTRL, v->ctrl);
	for (i = 0; v->acts[i].what != END; i++) {
		uint32_t a = v->acts[i].a;
		uint64_t b = v->acts[i].b;

		switch (v->acts[i].what) {
		case TRIGGER:
			ntm_nv50_pm_trigger(m);
			break;
		case CLOCKS:
			advance(m, a, b);
			break;
		case WRITE:
			write_reg(m, a, b);
			break;
		case PRESET:
			m->shadow[a] = (uint32_t)b;
			break;
		default:
			TT_EQ(v, ntm_nv50_pm_read(m, a + 4 * m->number, &value), 0);
			if (value != b)
				print_error("%s domain %u, act %zu, register %#x:\n", m->chip->name,
					    m->number, i, a);
			TT_EQ(v, value, b);
		}
	}
}

TEST(vectors_hold)
{
	TT_FOR_EACH_ROW(v, vectors) {
		const struct nthw_nv_chip *chip;

		FOR_EACH_CHIP(chip)
		{
			struct ntm_nv50_pm m;
			uint32_t d;

			if (v->chips != ALL &&
			    (v->chips == G80_ONLY) != (chip->family == NTHW_NV_G80))
				continue;
			for (d = 0; d < domains_of(chip); d++) {
				ntm_nv50_pm_init(&m, chip, d);
				play(v, &m);
			}
		}
	}
}

/* 29 on G80: there is no SPEC_SRC, and whatever it selects does not swap. */
TEST(g80_swaps_by_pm_trigger_alone)
{
	struct ntm_nv50_pm m;
	uint32_t value;

	ntm_nv50_pm_init(&m, chip_of("G80"), 1);
	set_inputs(&m);
	write_reg(&m, CTRL, QUAD);
	TT_IS(ntm_nv50_pm_write(&m, SPEC_SRC + 4, 0x0009), NTM_NOT_MINE);
	advance(&m, W(9), 5);
	ntm_nv50_pm_read(&m, CTRL + 4, &value);
	TT_IS(value, QUAD | EMPTY);
	ntm_nv50_pm_trigger(&m);
	advance(&m, W(9), 1);
	ntm_nv50_pm_read(&m, CYCLES + 4, &value);
	TT_IS(value, 5);
}

/* A truth table is the function of its four wires that its bits say, and of no other bits. */
TEST(truth_tables_are_functions)
{
	uint64_t seed = tt_seed();
	int round;

	for (round = 0; round < 2000; round++) {
		uint32_t op = (uint32_t)tt_random(&seed), wires = tt_random(&seed) & 0xfff, value;
		uint32_t want = op >> (wires & 0xf) & 1;
		struct ntm_nv50_pm m;

		ntm_nv50_pm_init(&m, &nthw_nv_chips[tt_random(&seed) % CHIPS], 1);
		set_inputs(&m);
		write_reg(&m, PRE_OP, op);
		advance(&m, (uint32_t)tt_random(&seed), 2); /* of which nothing may be left */
		write_reg(&m, CTRL, QUAD);
		advance(&m, wires, 9);
		ntm_nv50_pm_trigger(&m);
		advance(&m, 0, 1);
		ntm_nv50_pm_read(&m, PRE + 4, &value);
		TT_IS(value, 9 * want);
	}
}

static const struct trailer_row {
	int line;
	const char *chip;
	/* SIG_STATUS that has the trailer; wires that are not of it */
	uint32_t domain, word, below;
} trailer_rows[] = {
	{ __LINE__, "G80", 1, 7, 0x3fff },  { __LINE__, "G80", 3, 1, 0x3fff },
	{ __LINE__, "G86", 2, 4, 0xfff },   { __LINE__, "G200", 7, 4, 0xfff },
	{ __LINE__, "MCP79", 4, 0, 0xfff }, { __LINE__, "GT218", 2, 6, 0xfff },
};

TEST(the_trailer_is_the_domains_own)
{
	static const uint32_t all[NTM_NV50_WIRE_WORDS] = { ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u };

	TT_FOR_EACH_ROW(r, trailer_rows) {
		struct ntm_nv50_pm m;
		uint32_t i, value, addr = SIG_STATUS + 0x20 * r->domain;

		ntm_nv50_pm_init(&m, chip_of(r->chip), r->domain);
		ntm_nv50_pm_advance(&m, all, 7);
		for (i = 0; i < NTM_NV50_WIRE_WORDS; i++) {
			TT_EQ(r, ntm_nv50_pm_read(&m, addr + 4 * i, &value), 0);
			TT_EQ(r, value, i == r->word ? r->below : UINT32_MAX);
			TT_EQ(r, ntm_nv50_pm_write(&m, addr + 4 * i, 0), 0);
		}
		/* PM_TRIGGER is 1 in one clock, the next one. */
		ntm_nv50_pm_trigger(&m);
		ntm_nv50_pm_read(&m, addr + 4 * r->word, &value);
		TT_EQ(r, value, r->below);
		ntm_nv50_pm_advance(&m, all, 1);
		ntm_nv50_pm_read(&m, addr + 4 * r->word, &value);
		TT_EQ(r, value, r->below | 0x8000);
		ntm_nv50_pm_advance(&m, all, 1);
		ntm_nv50_pm_read(&m, addr + 4 * r->word, &value);
		TT_EQ(r, value, r->below);
	}
}

static const struct mine_row {
	int line;
	const char *chip;
	uint32_t domain, addr;
	int ret;
} mine_rows[] = {
	{ __LINE__, "GT218", 2, 0xa408, 0 },
	{ __LINE__, "GT218", 2, 0xa404, NTM_NOT_MINE },
	{ __LINE__, "GT218", 2, 0xa409, NTM_NOT_MINE },
	{ __LINE__, "GT218", 2, 0xa3e8, NTM_NOT_MINE },
	{ __LINE__, "GT218", 2, 0xa5a8, NTM_NOT_MINE }, /* between rows */
	{ __LINE__, "GT218", 2, 0xa844, 0 },
	{ __LINE__, "GT218", 2, 0xa83c, NTM_NOT_MINE },
	{ __LINE__, "GT218", 2, 0xa860, NTM_NOT_MINE },
	{ __LINE__, "GT218", 2, 0xa842, NTM_NOT_MINE },
	{ __LINE__, "GT218", 2, 0xa7a8, NTM_NOT_MINE }, /* GCTRL is all domains' */
	{ __LINE__, "GT218", 0, 0xa7a0, NTM_NOT_MINE },
	{ __LINE__, "GT218", 7, USER_TRIGGER + 28, 0 },
	{ __LINE__, "G96", 7, USER_TRIGGER + 28, NTM_NOT_MINE },
	{ __LINE__, "G92", 0, 0xa6a0, 0 }, /* RECORD_ADDRESS_HIGH */
	{ __LINE__, "G86", 0, 0xa6a0, NTM_NOT_MINE },
	{ __LINE__, "G84", 1, SPEC_SRC + 4, 0 },
	{ __LINE__, "G80", 1, SPEC_SRC + 4, NTM_NOT_MINE },
};

TEST(a_domain_has_its_own_registers)
{
	TT_FOR_EACH_ROW(r, mine_rows) {
		struct ntm_nv50_pm m;
		uint32_t value;

		ntm_nv50_pm_init(&m, chip_of(r->chip), r->domain);
		TT_EQ(r, ntm_nv50_pm_read(&m, r->addr, &value), r->ret);
		TT_EQ(r, ntm_nv50_pm_write(&m, r->addr, 0), r->ret);
	}
}

static void random_words(uint64_t *seed, uint32_t *words, size_t count)
{
	while (count--)
		*words++ = (uint32_t)tt_random(seed);
}

/* A domain in the middle of anything, near the end of counters often. */
static void randomise(struct ntm_nv50_pm *m, uint64_t *seed)
{
	static const uint32_t states[] = { 0, 1, 3 };
	static const uint32_t modes[] = { QUAD, B4, B6, 0x31, 0, 2 };
	const struct nthw_nv_chip *chip = &nthw_nv_chips[tt_random(seed) % CHIPS];
	uint32_t addr, i;

	ntm_nv50_pm_init(m, chip, (uint32_t)(tt_random(seed) % domains_of(chip)));
	for (addr = PRE_SRC; addr <= STOP_OP; addr += 0x20)
		write_reg(m, addr, tt_random(seed));
	write_reg(m, CTRL, modes[tt_random(seed) % NTHW_ARRAY_SIZE(modes)]);
	if (chip->family != NTHW_NV_G80 && tt_random(seed) % 2)
		write_reg(m, SPEC_SRC, tt_random(seed));
	for (i = 0; i < NTM_NV50_COUNTERS; i++) {
		m->shadow[i] = (uint32_t)(tt_random(seed) % 4 ? tt_random(seed)
							      : 0 - tt_random(seed) % 300);
		m->shown[i] = (uint32_t)tt_random(seed);
	}
	m->state = states[tt_random(seed) % 3];
	m->is_triggered = tt_random(seed) % 2;
	m->is_swapping = chip->family != NTHW_NV_G80 && tt_random(seed) % 2;
	random_words(seed, m->wires, NTM_NV50_WIRE_WORDS);
}

static void check_same(const struct ntm_nv50_pm *a, const struct ntm_nv50_pm *b)
{
	assert_memory_equal(a->shown, b->shown, sizeof(a->shown));
	assert_memory_equal(a->shadow, b->shadow, sizeof(a->shadow));
	assert_memory_equal(a->wires, b->wires, sizeof(a->wires));
	assert_memory_equal(a->reg, b->reg, sizeof(a->reg));
	TT_IS(a->state, b->state);
	TT_IS(a->is_triggered, b->is_triggered);
	TT_IS(a->is_swapping, b->is_swapping);
}

TEST(skipping_is_stepping)
{
	uint64_t seed = tt_seed();
	int round, swaps = 0, skips = 0;

	for (round = 0; round < 20000; round++) {
		uint32_t wires[NTM_NV50_WIRE_WORDS];
		uint64_t clocks = tt_random(&seed) % (round % 2 ? 6 : 200), i;
		struct ntm_nv50_pm skipped, stepped;

		randomise(&skipped, &seed);
		random_words(&seed, wires, NTM_NV50_WIRE_WORDS);
		stepped = skipped;
		for (i = 0; i < clocks; i++)
			ntm_nv50_pm_advance(&stepped, wires, 1);
		ntm_nv50_pm_advance(&skipped, wires, clocks);
		check_same(&skipped, &stepped);
		/* Both kinds must come: periods of one clock each, and long ones. */
		swaps += stepped.shadow[NTM_NV50_CYCLES] == 1 && clocks > 10;
		skips += stepped.shadow[NTM_NV50_CYCLES] > 10 && clocks > 10;
	}
	assert_true(swaps > 100 && skips > 100);
}

/* The domain's own registers, as if each row had one instance. */
static uint32_t traffic_count(void *model, const struct nthw_reg *reg)
{
	(void)model;
	return reg->step ? 1 : 0;
}

static int traffic_read(void *model, uint32_t addr, uint64_t *value)
{
	struct ntm_nv50_pm *m = model;
	uint32_t got = 0;
	int ret = ntm_nv50_pm_read(m, addr + 4 * m->number, &got);

	*value = got;
	return ret;
}

static int traffic_write(void *model, uint32_t addr, uint64_t value)
{
	struct ntm_nv50_pm *m = model;

	return ntm_nv50_pm_write(m, addr + 4 * m->number, (uint32_t)value);
}

static uint64_t traffic_reset(void *model, const struct nthw_reg *reg, uint32_t index)
{
	struct ntm_nv50_pm *m = model;

	(void)index;
	return reg->addr == SPEC_SRC ? m->chip->last[m->number] - 0x10u : 0;
}

/* What is written to these two does not show in QUAD mode. */
static uint64_t traffic_after(void *model, const struct nthw_reg *reg, uint32_t index,
			      uint64_t before, uint64_t value, bool *refused)
{
	(void)model;
	(void)index;
	*refused = false;
	if (reg->addr == PRE || reg->addr == STOP)
		return before;
	return traffic_stored(reg, before, value);
}

/* The levels of what was selected are of the wires in .model, looked at from here. */
static uint64_t levels_of(const struct ntm_nv50_pm *m, uint64_t src, uint32_t shift)
{
	uint64_t all = 0;
	uint32_t i;

	for (i = 0; i < 4; i++) {
		uint32_t wire = src >> (8 * i) & 0xff;

		all |= (uint64_t)(m->wires[wire / 32] >> (wire % 32) & 1) << (shift + i);
	}
	return all;
}

static uint64_t traffic_touches(void *model, const struct nthw_reg *reg, uint32_t index,
				uint64_t value, const struct nthw_reg *other, uint32_t other_index,
				uint64_t expected)
{
	uint32_t shift = (reg->addr - PRE_SRC) / 0x40 * 4;

	(void)index;
	(void)other_index;
	if (reg->addr == ACK && (value & 1) && other->addr == CTRL)
		return (expected & ~(uint64_t)OVERFLOW) | (expected >> 1 & VALID);
	if (other->addr == SRC_STATUS && reg->addr <= STOP_SRC && (reg->addr & 0x3f) == 0)
		return (expected & ~(0xfull << shift)) | levels_of(model, value, shift);
	return expected;
}

TEST(a_domain_holds_its_rows)
{
	uint64_t seed = tt_seed();
	const struct nthw_nv_chip *chip;
	uint32_t d, round;

	FOR_EACH_CHIP(chip)
	{
		for (d = 0; d < domains_of(chip); d++) {
			struct ntm_nv50_pm m;
			struct traffic t = { .model = &m,
					     .read = traffic_read,
					     .write = traffic_write,
					     .count = traffic_count,
					     .reset = traffic_reset,
					     .after = traffic_after,
					     .touches = traffic_touches };

			ntm_nv50_pm_init(&m, chip, d);
			t.table = m.rows;
			traffic_check_reset(&t);
			for (round = 0; round < 20; round++) {
				m.state = (uint32_t[]){ 0, 1, 3 }[tt_random(&seed) % 3];
				random_words(&seed, m.shown, NTM_NV50_COUNTERS);
				random_words(&seed, m.wires, NTM_NV50_WIRE_WORDS);
				traffic_run(&t, &seed, 50);
			}
		}
	}
}

/* Cards. */

static uint32_t *bar;

static void new_card(struct ntm_nv50_card *card, const struct nthw_nv_chip *chip)
{
	free(bar);
	bar = calloc(1, NTM_NV50_BAR_BYTES);
	assert_non_null(bar);
	assert_true(ntm_nv50_card_init(card, chip, bar));
}

static uint32_t rd(struct ntm_nv50_card *card, uint32_t addr)
{
	uint32_t value = 0xdead;

	TT_IS(ntm_nv50_card_read(card, addr, &value), 0);
	return value;
}

static void wr(struct ntm_nv50_card *card, uint32_t addr, uint32_t value)
{
	TT_IS(ntm_nv50_card_write(card, addr, value), 0);
}

static const struct chip_row {
	int line;
	const char *name;
	uint32_t boot, units, bus_units, domains;
} chip_rows[] = {
	/* units of G96, G200 and GT218 as traces show them: boards with the whole die */
	{ __LINE__, "G80", 0x050000a1, 0x00ff00ff, 0x030000ff, 5 },
	{ __LINE__, "G84", 0x084300a2, 0x00c30003, 0x03000003, 8 },
	{ __LINE__, "G86", 0x086f00a2, 0x00c30001, 0x03000001, 8 },
	{ __LINE__, "G92", 0x092000a1, 0x00cf00ff, 0x030000ff, 8 },
	{ __LINE__, "G94", 0x094380a1, 0x00cf000f, 0x0300000f, 8 },
	{ __LINE__, "G96", 0x096000a1, 0x00c30003, 0x03000003, 8 },
	{ __LINE__, "G98", 0x098000a1, 0x00410001, 0x01000001, 8 },
	{ __LINE__, "G200", 0x0a0000a1, 0x70ff03ff, 0x070003ff, 8 },
	{ __LINE__, "MCP77", 0x0aa000a1, 0x10010001, 0x01000001, 7 },
	{ __LINE__, "MCP79", 0x0ac000a1, 0x30010001, 0x03000001, 7 },
	{ __LINE__, "GT215", 0x0a3100a2, 0x7003000f, 0x0700000f, 8 },
	{ __LINE__, "GT216", 0x0a5000a1, 0x70030003, 0x07000003, 8 },
	{ __LINE__, "GT218", 0x0a8c00b1, 0x30010001, 0x03000001, 8 },
	{ __LINE__, "MCP89", 0x0af000a1, 0x70030003, 0x07000003, 8 },
};

TEST(cards_say_what_they_are)
{
	TT_FOR_EACH_ROW(r, chip_rows) {
		const struct nthw_nv_chip *chip = chip_of(r->name);
		struct ntm_nv50_card card;
		int again;

		new_card(&card, chip);
		TT_EQ(r, card.domains, r->domains);
		for (again = 0; again < 2; again++) {
			assert_ptr_equal(nthw_nv_chip_by_boot(rd(&card, BOOT_0)), chip);
			TT_EQ(r, rd(&card, BOOT_0), r->boot);
			TT_EQ(r, rd(&card, UNITS), r->units);
			TT_EQ(r, rd(&card, BUS_UNITS), r->bus_units);
			wr(&card, BOOT_0, 0x12345678);
			wr(&card, UNITS, 0x12345678);
			wr(&card, BUS_UNITS, 0x12345678);
		}
	}
}

TEST(other_chips_make_no_card)
{
	static uint32_t none[1];
	struct ntm_nv50_card card;

	assert_false(ntm_nv50_card_init(&card, chip_of("GF100"), none));
	assert_false(ntm_nv50_card_init(&card, chip_of("GM107"), none));
	assert_false(ntm_nv50_card_init(&card, chip_of("GP100"), none)); /* no rows */
}

/* 34 and 35: one trigger reaches all domains; any other bit of DEBUG_1 none. */
TEST(a_trigger_reaches_all_domains)
{
	const struct nthw_nv_chip *chip;

	FOR_EACH_CHIP(chip)
	{
		struct ntm_nv50_card card;
		uint32_t d;

		new_card(&card, chip);
		for (d = 0; d < card.domains; d++)
			wr(&card, CTRL + 4 * d, QUAD);
		wr(&card, DEBUG_1, 0xffffffdf);
		TT_IS(rd(&card, DEBUG_1), 0xffffffdf);
		for (d = 0; d < card.domains; d++)
			TT_IS(rd(&card, CTRL + 4 * d), QUAD | EMPTY);
		wr(&card, DEBUG_1, 0xf0000020);
		TT_IS(rd(&card, DEBUG_1), 0xf0000000);
		for (d = 0; d < card.domains; d++)
			TT_IS(rd(&card, CTRL + 4 * d), QUAD | VALID);
	}
}

/* An access takes 16 clocks with all wires 0; the trigger acts in the first of its own. */
TEST(accesses_take_time)
{
	struct ntm_nv50_card card;
	struct ntm_nv50_wires wires = { .of = { [2] = { W(0) }, [3] = { W(4) } } };
	uint32_t d, value;

	new_card(&card, chip_of("GT218"));
	for (d = 0; d < card.domains; d++) {
		wr(&card, PRE_SRC + 4 * d, 0);
		wr(&card, PRE_OP + 4 * d, 0xaaaa);
		wr(&card, START_SRC + 4 * d, 4);
		wr(&card, START_OP + 4 * d, 0xaaaa);
		wr(&card, CTRL + 4 * d, QUAD);
	}
	wr(&card, DEBUG_1, 0x20);
	rd(&card, UNITS);
	ntm_nv50_card_advance(&card, &wires, 5);
	wr(&card, 0x402ca4, 7);
	/* no time goes by */
	TT_IS(ntm_nv50_card_read(&card, NTM_NV50_BAR_BYTES, &value), NTM_NOT_MINE);
	TT_IS(ntm_nv50_card_write(&card, NTM_NV50_BAR_BYTES, 0), NTM_NOT_MINE);
	TT_IS(ntm_nv50_card_read(&card, 0xa402, &value), NTM_NOT_MINE);
	TT_IS(ntm_nv50_card_write(&card, 0xa402, 0), NTM_NOT_MINE);
	wr(&card, DEBUG_1, 0x20);
	for (d = 0; d < card.domains; d++) {
		TT_IS(rd(&card, CYCLES + 4 * d), 3 * 16 + 5);
		TT_IS(rd(&card, PRE + 4 * d), d == 2 ? 5 : 0);
		TT_IS(rd(&card, START + 4 * d), d == 3 ? 5 : 0);
	}
	/* The access itself comes before its clocks. */
	ntm_nv50_card_advance(&card, &wires, 1);
	TT_IS(rd(&card, SIG_STATUS + 0x20 * 3), W(4));
	TT_IS(rd(&card, SIG_STATUS + 0x20 * 3), 0);
}

static const struct keep_row {
	int line;
	const char *chip;
	uint32_t addr, kept;
} keep_rows[] = {
	{ __LINE__, "GT218", 0xa7a0, 0xbfffffff }, /* RECORD_CHAN, RECORD_DMA, GCTRL */
	{ __LINE__, "GT218", 0xa7a4, 0x0000ffff },
	{ __LINE__, "GT218", 0xa7a8, 0x00000011 },
	{ __LINE__, "G84", 0xa7a8, 0x00000011 },
	{ __LINE__, "G80", 0xa7a0, 0 },
	{ __LINE__, "G80", 0xa7a8, 0 },
	{ __LINE__, "GT218", 0xa41c, 0xffffffff }, /* PRE_SRC of domain 7 */
	{ __LINE__, "MCP77", 0xa418, 0xffffffff },
	{ __LINE__, "MCP77", 0xa41c, 0 }, /* has no domain 7 */
	{ __LINE__, "MCP77", 0xa7dc, 0 },
	{ __LINE__, "MCP77", 0xa8e0, 0 },
	{ __LINE__, "G80", 0xa410, 0xffffffff },
	{ __LINE__, "G80", 0xa414, 0 },
	{ __LINE__, "G80", 0xa560, 0 }, /* SPEC_SRC */
	{ __LINE__, "G84", 0xa560, 0x0000ffff },
	{ __LINE__, "GT218", 0xa580, 0 }, /* USER_TRIGGER only acts */
	{ __LINE__, "GT218", 0xa8fc, 0 },
	{ __LINE__, "GT218", 0xa3fc, 0xffffffff }, /* around PCOUNTER, and all others */
	{ __LINE__, "GT218", 0xa900, 0xffffffff },
	{ __LINE__, "GT218", 0x402ca4, 0xffffffff },
	{ __LINE__, "G80", 0xfffffc, 0xffffffff },
};

TEST(registers_keep_what_they_have)
{
	TT_FOR_EACH_ROW(r, keep_rows) {
		struct ntm_nv50_card card;
		uint32_t other;

		new_card(&card, chip_of(r->chip));
		other = rd(&card, r->addr ^ 8);
		wr(&card, r->addr, UINT32_MAX);
		TT_EQ(r, rd(&card, r->addr), r->kept);
		wr(&card, r->addr, 0x55555555);
		TT_EQ(r, rd(&card, r->addr), 0x55555555 & r->kept);
		TT_EQ(r, rd(&card, r->addr ^ 8), other);
	}
	free(bar);
	bar = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_hold),
		cmocka_unit_test(g80_swaps_by_pm_trigger_alone),
		cmocka_unit_test(truth_tables_are_functions),
		cmocka_unit_test(the_trailer_is_the_domains_own),
		cmocka_unit_test(a_domain_has_its_own_registers),
		cmocka_unit_test(skipping_is_stepping),
		cmocka_unit_test(a_domain_holds_its_rows),
		cmocka_unit_test(cards_say_what_they_are),
		cmocka_unit_test(other_chips_make_no_card),
		cmocka_unit_test(a_trigger_reaches_all_domains),
		cmocka_unit_test(accesses_take_time),
		cmocka_unit_test(registers_keep_what_they_have),
	};

	return TT_RUN(tests);
}
