// SPDX-License-Identifier: MIT
/*
 * core/models/nv50_pm and core/models/nv50_card: the vectors of nv50_pm.vectors on each domain of
 * each chip, and that wrong ones are seen; skipping against stepping; registers against their rows.
 */
#include <errno.h>

#include "core/models/nv50_card.h"
#include "lab/card/vectors.h"
#include "core/tests/models/traffic.h"

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
 * Inputs of wires that every domain of every chip has below its trailer, as nv50_pm.vectors has
 * them: PRE is wire 0, START wire 4, EVENT wire 8, STOP wire 1.
 */
#define W(n) (1u << (n))
static const struct {
	uint32_t addr, value;
} inputs[] = {
	{ PRE_SRC, 0x03020100 },  { PRE_OP, 0xaaaa },	     { START_SRC, 0x07060504 },
	{ START_OP, 0xaaaa },	  { EVENT_SRC, 0x0b0a0908 }, { EVENT_OP, 0xaaaa },
	{ STOP_SRC, 0x03020100 }, { STOP_OP, 0xcccc },
};

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

static void is_right(void *arg, const char *name, const char *wrong)
{
	(void)arg;
	if (wrong)
		fail_msg("%s: %s", name, wrong);
}

static void count_wrong(void *arg, const char *name, const char *wrong)
{
	size_t *n = arg;

	(void)name;
	*n += wrong != NULL;
}

/* Run the vectors of @text. */
static struct ntm_vectors_result
run_vectors(const char *text, void (*fn)(void *arg, const char *name, const char *wrong), void *arg)
{
	struct ntm_vectors_result result;
	struct ntm_vectors *v;
	char why[256] = "";

	if (ntm_vectors_parse("v", text, strlen(text), &v, why, sizeof(why)) < 0)
		fail_msg("%s", why);
	TT_IS(ntm_vectors_run(v, fn, arg, &result), 0);
	ntm_vectors_free(v);
	return result;
}

static char *vectors_text(void)
{
	static char text[1 << 16];
	FILE *f = fopen("lab/tests/ports/nv50_pm.vectors", "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	(void)fclose(f);
	return text;
}

TEST(vectors_hold)
{
	struct ntm_vectors_result result = run_vectors(vectors_text(), is_right, NULL);

	assert_true(result.vectors > 30);
	/* 14 chips, and five domains at least */
	assert_true(result.runs > 20 * 14 * 5);
	TT_IS(result.failed, 0);
}

/* A last expected value that is one larger is seen, in each of them. */
TEST(wrong_vectors_are_seen)
{
	char *text = vectors_text(), *at = text, *next;
	size_t wrong = 0, vectors = 0;

	while ((at = strstr(at, "\nvector "))) {
		char one[8192], *last = NULL, *read;
		size_t begin = (size_t)(strstr(text, "\nvector ") - text), n;

		next = strstr(at + 1, "\nvector ");
		n = next ? (size_t)(next - at) : strlen(at);
		(void)snprintf(one, sizeof(one), "%.*s%.*s", (int)begin, text, (int)n, at);
		for (read = one; (read = strstr(read, "\nread ")); read++)
			last = read;
		assert_non_null(last);
		last = strchr(last + 6, ' ') + 1;
		(void)snprintf(last, 32, "%#llx\n", (strtoull(last, NULL, 0) + 1) & UINT32_MAX);
		vectors++;
		(void)run_vectors(one, count_wrong, &wrong);
		at++;
	}
	assert_true(vectors > 30);
	TT_IS(wrong, vectors);
}

/* What cannot be run as it is meant is not right. */
TEST(vectors_that_mean_nothing)
{
	size_t wrong = 0;

	(void)run_vectors("vector a\nchips G80\ndomain 7\nread CTRL 0\n"
			  "vector b\nchips G80\ndomain 3\nclocks 1 0x2e\n"
			  "vector c\nchips G80\ndomain 3\nclocks 1 0x2d\n"
			  "vector d\nchips GT218\ndomain 7\nclocks 1 255\n",
			  count_wrong, &wrong);
	TT_IS(wrong, 3);
}

static const struct bad_row {
	int line;
	const char *text, *why;
} bad_rows[] = {
	{ __LINE__, "", "v:1: there is no 'vector'" },
	{ __LINE__, "write CTRL 1\n\n", "v:2: there is no 'vector'" },
	{ __LINE__, "fly", "v:1: there is no word 'fly'; there are vector, chips, domain, " },
	{ __LINE__, "vector", "v:1: a vector has a name" },
	{ __LINE__, "chips G80", "v:1: 'chips' stands in a vector" },
	{ __LINE__, "domain 1", "v:1: 'domain' stands in a vector" },
	{ __LINE__, "vector a\nchips G80\nchips G84", "v:3: 'chips' stands in a vector, once" },
	{ __LINE__, "vector a\ndomain 1\ndomain 1", "v:3: 'domain' stands in a vector, once" },
	{ __LINE__,
	  "vector a\nchips not G80 G84 G86 G92 G94 G96 G98 G200 MCP77 MCP79 GT215 GT216 "
	  "GT218 MCP89",
	  "v:2: no chip is left" },
	{ __LINE__, "vector a\nchips", "v:2: 'chips' is followed by names of chips" },
	{ __LINE__, "vector a\nchips not", "v:2: 'chips' is followed by names of chips" },
	{ __LINE__, "vector a\nchips GF100", "v:2: there is no chip 'GF100' with PCOUNTER" },
	{ __LINE__, "vector a\nchips X", "v:2: there is no chip 'X' with PCOUNTER" },
	{ __LINE__, "vector a\ndomain", "v:2: 'domain' is followed by a number" },
	{ __LINE__, "vector a\ndomain 8", "v:2: '8' is no number up to 0x7" },
	{ __LINE__, "clocks", "v:1: 'clocks' needs a number of them" },
	{ __LINE__, "clocks x", "v:1: 'x' is no number up to 0xffffffffffffffff" },
	{ __LINE__, "clocks 1 256", "v:1: '256' is no number up to 0xff" },
	{ __LINE__, "write CTRL", "v:1: 'write' is followed by a register and a value" },
	{ __LINE__, "read CTRL 1 2", "v:1: 'read' is followed by a register and a value" },
	{ __LINE__, "write CTRLS 1", "v:1: there is no register 'CTRLS'" },
	{ __LINE__, "write CTRL[8] 1", "v:1: 'CTRL[8]' names no domain from 0 to 7" },
	{ __LINE__, "write CTRL[1 1", "v:1: 'CTRL[1' names no domain" },
	{ __LINE__, "write DEBUG_1[1] 1", "v:1: there is no register 'DEBUG_1' of domains" },
	{ __LINE__, "write CTRL 0x100000000", "v:1: '0x100000000' is no number up to 0xffffffff" },
	{ __LINE__, "write 0x400085 1", "v:1: '0x400085' is no multiple of 4" },
	{ __LINE__, "write 0x1000000 1", "v:1: '0x1000000' is no number up to 0xfffffc" },
	{ __LINE__, "preset PRE", "v:1: 'preset' is followed by a counter and a value" },
	{ __LINE__, "preset CTRL 1", "v:1: 'CTRL' is no counter" },
	{ __LINE__, "preset PRE -1", "v:1: '-1' is no number" },
};

TEST(bad_vectors)
{
	TT_FOR_EACH_ROW(r, bad_rows) {
		struct ntm_vectors *v;
		char why[256] = "";

		TT_EQ(r, ntm_vectors_parse("v", r->text, strlen(r->text), &v, why, sizeof(why)),
		      -EINVAL);
		assert_null(v);
		if (strncmp(why, r->why, strlen(r->why)) != 0)
			fail_msg("line %d: %s", r->line, why);
	}
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
		cmocka_unit_test(wrong_vectors_are_seen),
		cmocka_unit_test(vectors_that_mean_nothing),
		cmocka_unit_test(bad_vectors),
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
