// SPDX-License-Identifier: MIT
/*
 * core/seq/nv50_pm: every access compared with typed-in lists, and whole runs from random states in
 * which each access fails in turn, while a judge looks at each write. Masks and addresses are typed
 * in from envytools' documentation of PCOUNTER, not taken from rows, so that a wrong row shows.
 */
#include <errno.h>

#include "core/seq/nv50_pm.h"
#include "core/tests/core/script.h"
#include "base/tests/tt.h"

#define UNIT 5
#define BIT(n) ((uint32_t)1 << (n))
#define COUNTER(domain, slot) (4 * (domain) + NTHW_NV50_##slot)

/* ---- a card ---- */

#define FIRST 0xa400u
#define END 0xa800u
#define UNITS 0x4008fcu
#define UNITS_MAX 16
#define QUAD_STATE 0x03000000u
#define SINGLE_STATE 0x30000000u
#define FAULT_CLEAR 0x08000000u

enum { VFETCH = 1, ZCULL, PROP, CROP, ZROP, TEX, TEX2, GROUP, OUT, MUXES };

/* Of the four families. */
#define ALL(x)                                                                                     \
	{                                                                                          \
		x, x, x, x                                                                         \
	}
#define TWICE(x, y)                                                                                \
	{                                                                                          \
		x, x, y, y                                                                         \
	}
#define TPC_STEP TWICE(0x1000, 0x800)

/* Multiplexers, on G80, from G84, G200 and GT215 on. */
static const struct mux_place {
	uint32_t first[4], step[4];
	uint32_t select[4]; /* what a program may write */
	uint32_t others;    /* what keeps a value besides, from GT215 on */
	int unit_0;	    /* its bit in UNITS; negative: there is one, always */
} mux_places[MUXES] = {
	[VFETCH] = { ALL(0x400c0c), { 0 }, { 1, 3, 3, 3 }, 0, -1 },
	[ZCULL] = { ALL(0x402ca4), { 0 }, ALL(0x7fff), 0xff000000, -1 },
	[PROP] = { TWICE(0x408e50, 0x408750), TPC_STEP, TWICE(0x8000001f, 0x8000003f), 0, 0 },
	[CROP] = { ALL(0x407008),
		   ALL(0x100),
		   { 0x80070007, 0x8007000f, 0x801f000f, 0x801f000f },
		   0,
		   16 },
	[ZROP] = { ALL(0x40708c), ALL(0x100), ALL(0x800f000f), 0, 16 },
	[TEX] = { TWICE(0x408808, 0x408508), TPC_STEP, ALL(0x800), 0, 0 },
	[GROUP] = { TWICE(0x408330, 0x40833c), TPC_STEP, ALL(0xffffffff), 0, 0 },
	[OUT] = { TWICE(0x408334, 0x408340), TPC_STEP, ALL(1), 0, 0 },
	/* not on G80 */
	[TEX2] = { { 0, 0x40881c, 0x40851c, 0x40851c },
		   { 0, 0x1000, 0x800, 0x800 },
		   { 0, 0x800, 0x800, 0x800 },
		   0,
		   0 },
};

struct card {
	struct nthw_io io;
	const struct nthw_nv_chip *chip;
	uint32_t reg[(END - FIRST) / 4], debug_1, boot_0;
	uint32_t units, mux[MUXES][UNITS_MAX];
	uint32_t next[NTHW_NV50_COUNTERS]; /* what the period that runs will have */
	int lag[NTHW_NV_DOMAINS];	   /* reads of CTRL until a trigger has come over */
	int coming[NTHW_NV_DOMAINS];
	uint64_t may;	   /* counters whose registers may be written */
	uint32_t numb;	   /* address of a register that keeps nothing; 0: none */
	uint32_t is_gone;  /* all reads give ones */
	int others_at;	   /* access before which somebody else triggers; -1: none */
	int others_ack_at; /* and acknowledges all that there is; -1: none */
	int fail_at;	   /* access that fails, from 0; -1: none */
	bool fails_on;	   /* and all behind it */
	bool fails_behind; /* a write that fails has been done all the same */
	int error;
	int accesses;
	size_t used;
	char log[1 << 16];
};

static bool is_g80(const struct card *c)
{
	return c->chip->id == 0x50;
}

static uint32_t family_of(const struct card *c)
{
	return is_g80(c) ? 0 : c->chip->id < 0xa0 ? 1 : c->chip->id == 0xa0 ? 2 : 3;
}

/* Of the units of PGRAPH that have the multiplexer. */
static bool has_unit(const struct card *c, uint32_t mux, uint32_t unit)
{
	int unit_0 = mux_places[mux].unit_0;

	return unit_0 < 0 ? unit == 0 : c->units >> (unit_0 + (int)unit) & 1;
}

/* The multiplexer that has a register there, and of which unit; 0: none has. */
static uint32_t mux_at(const struct card *c, uint32_t address, uint32_t *unit)
{
	uint32_t mux, family = family_of(c);

	for (mux = 1; mux < MUXES; mux++) {
		const struct mux_place *p = &mux_places[mux];

		for (*unit = 0; *unit < UNITS_MAX; (*unit)++)
			if (p->first[family] &&
			    address == p->first[family] + p->step[family] * *unit)
				return mux;
	}
	return 0;
}

static uint32_t *at(struct card *c, uint32_t address)
{
	uint32_t unit, mux = mux_at(c, address, &unit);

	if (address == UNITS)
		return &c->units;
	if (mux) {
		/* Nobody looks at one that is not there. */
		assert_true(has_unit(c, mux, unit));
		return &c->mux[mux][unit];
	}
	if (address < FIRST || address >= END || address % 4)
		fail_msg("no register at 0x%x", address);
	return &c->reg[(address - FIRST) / 4];
}

static bool is_in(uint32_t address, uint32_t first)
{
	return address >= first && address < first + 0x20;
}

static void swap_domain(struct card *c, uint32_t d)
{
	static const uint32_t counters[] = { 0xa700, 0xa6c0, 0xa680, 0xa740 };
	uint32_t *ctrl = at(c, 0xa7c0 + 4 * d), slot;

	if ((*ctrl & 3) != 1)
		return;
	for (slot = 0; slot < 4; slot++)
		*at(c, counters[slot] + 4 * d) = c->next[4 * d + slot];
	*at(c, 0xa600 + 4 * d) = c->next[32 + d];
	*ctrl |= (*ctrl & QUAD_STATE) ? QUAD_STATE : BIT(24);
}

static void pulse(struct card *c)
{
	uint32_t d;

	for (d = 0; d < NTHW_NV_DOMAINS; d++) {
		if (!c->chip->last[d] || (!is_g80(c) && (*at(c, 0xa560 + 4 * d) & 0xff) !=
								(uint32_t)c->chip->last[d] - 0x10))
			continue;
		c->coming[d] = c->lag[d];
		if (!c->lag[d])
			swap_domain(c, d);
	}
}

static bool fails(struct card *c)
{
	int access = c->accesses++;
	uint32_t d;

	if (access == c->others_at)
		pulse(c);
	for (d = 0; access == c->others_ack_at && d < NTHW_NV_DOMAINS; d++)
		*at(c, 0xa7c0 + 4 * d) &= ~QUAD_STATE;
	return c->fail_at >= 0 && (access == c->fail_at || (c->fails_on && access > c->fail_at));
}

static int card_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t *value)
{
	struct card *c = (struct card *)io;
	uint32_t d = (address - 0xa7c0) / 4;

	TT_IS(space, NTHW_SPACE_MMIO);
	TT_IS(unit, UNIT);
	assert_true(c->used + 64 < sizeof(c->log));
	c->used += (size_t)snprintf(c->log + c->used, 64, "R i%x\n", address);
	if (fails(c))
		return c->error;
	if (is_in(address, 0xa7e0) || is_in(address, 0xa580) ||
	    (is_in(address, 0xa560) && is_g80(c)))
		fail_msg("0x%x cannot be read", address);
	if (is_in(address, 0xa7c0) && c->coming[d] > 0 && --c->coming[d] == 0)
		swap_domain(c, d);
	if (address == 0)
		*value = c->boot_0;
	else
		*value = address == 0x400084 ? c->debug_1 : *at(c, address);
	if (c->is_gone)
		*value = 0xffffffff;
	return 0;
}

/* What selects; with @is_kept all bits that keep what is written. */
static uint32_t mux_bits(const struct card *c, uint32_t mux, bool is_kept)
{
	uint32_t family = family_of(c), bits = mux_places[mux].select[family];

	return is_kept && family == 3 ? bits | mux_places[mux].others : bits;
}

/* Is it one that may be written so? */
static void judge(struct card *c, uint32_t address, uint32_t value)
{
	uint32_t d = address % 0x20 / 4, slot = (address - FIRST) / 0x40;
	bool is_used = c->may >> (4 * d) & 0xf || c->may >> (32 + d) & 1;
	uint32_t unit, mux = mux_at(c, address, &unit);

	if (mux) {
		TT_IS((value ^ *at(c, address)) & ~mux_bits(c, mux, false), 0);
	} else if (address == 0x400084) {
		TT_IS(value, c->debug_1 | 0x20);
	} else if (address < 0xa500) {
		if (!(c->may >> (4 * d + slot) & 1))
			fail_msg("0x%x is of a counter that is not ours", address);
		if (is_in(address, 0xa420) && (*at(c, 0xa7c0 + 4 * d) & 3) != 1)
			fail_msg("a write of PRE_OP outside of QUAD mode starts a run");
	} else if (is_in(address, 0xa560)) {
		assert_true(is_used && !is_g80(c));
	} else if (is_in(address, 0xa7c0)) {
		assert_true(is_used);
		TT_IS(value & (QUAD_STATE | SINGLE_STATE | FAULT_CLEAR), 0);
	} else if (is_in(address, 0xa7e0)) {
		assert_true(is_used);
		TT_IS(value, 1);
	} else {
		fail_msg("0x%x is not ours", address);
	}
}

/* EVENT and STOP have one more; two came with G92. */
static uint32_t op_bits(const struct card *c, uint32_t address)
{
	uint32_t bits = address < 0xa480 ? 0x3ffff : 0x7ffff;

	return c->chip->id >= 0x92 ? bits << 2 | 3 : bits;
}

static void store(struct card *c, uint32_t address, uint32_t value)
{
	uint32_t d = address % 0x20 / 4, *ctrl = at(c, 0xa7c0 + 4 * d);
	uint32_t unit, mux = mux_at(c, address, &unit);

	if (address == c->numb)
		return;
	if (address == 0x400084)
		pulse(c);
	else if (is_in(address, 0xa7e0))
		*ctrl = (*ctrl & ~QUAD_STATE) | (*ctrl & 0x02000000 ? BIT(24) : 0);
	else if (is_in(address, 0xa7c0))
		*ctrl = (value & ~(QUAD_STATE | SINGLE_STATE | FAULT_CLEAR)) |
			(*ctrl & (QUAD_STATE | SINGLE_STATE));
	else if (mux)
		*at(c, address) = value & mux_bits(c, mux, true);
	else if (is_in(address, 0xa560))
		*at(c, address) = value & 0xffff;
	else if (address & 0x20)
		*at(c, address) = value & op_bits(c, address);
	else
		*at(c, address) = value;
	if (is_in(address, 0xa420) && !is_g80(c))
		swap_domain(c, d);
}

static int card_write(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		      uint32_t address, uint64_t value)
{
	struct card *c = (struct card *)io;
	bool is_failing;

	TT_IS(space, NTHW_SPACE_MMIO);
	TT_IS(unit, UNIT);
	assert_true(c->used + 64 < sizeof(c->log) && value <= 0xffffffff);
	c->used += (size_t)snprintf(c->log + c->used, 64, "W i%x %x\n", address, (uint32_t)value);
	is_failing = fails(c);
	judge(c, address, (uint32_t)value);
	if (!is_failing || c->fails_behind)
		store(c, address, (uint32_t)value);
	return is_failing ? c->error : 0;
}

static struct nthw_nv50_pm card_of(struct card *c, const char *name)
{
	memset(c, 0, sizeof(*c));
	c->io = (struct nthw_io){ card_read, card_write };
	c->chip = nthw_nv_chip_by_name(name);
	assert_non_null(c->chip);
	c->boot_0 = (uint32_t)c->chip->id << 20 | 0xa2;
	c->may = UINT64_MAX;
	c->units = ((1u << c->chip->tpcs) - 1) | ((1u << c->chip->parts) - 1) << 16;
	c->others_at = -1;
	c->others_ack_at = -1;
	c->fail_at = -1;
	return (struct nthw_nv50_pm){ .chip = c->chip, .io = &c->io, .unit = UNIT };
}

static void forget(struct card *c)
{
	c->used = 0;
	c->log[0] = '\0';
	c->accesses = 0;
}

static void went(struct card *c, const char *expected)
{
	TT_TEXT(c->log, expected);
	forget(c);
}

/* But for QUAD_STATE and counters. */
static void is_as_found(struct card *c, const struct card *before)
{
	uint32_t address;

	TT_IS(c->debug_1, before->debug_1);
	assert_memory_equal(c->mux, before->mux, sizeof(c->mux));
	for (address = FIRST; address < END; address += 4) {
		uint32_t differ = *at(c, address) ^ before->reg[(address - FIRST) / 4];

		if (is_in(address, 0xa600) || is_in(address, 0xa680) || is_in(address, 0xa6c0) ||
		    is_in(address, 0xa700) || is_in(address, 0xa740))
			continue;
		if (is_in(address, 0xa7c0))
			differ &= ~QUAD_STATE;
		if (differ)
			fail_msg("0x%x differs in 0x%x; accesses:\n%s", address, differ, c->log);
	}
}

static void is_all_zero(const struct nthw_nv50_state *st)
{
	static const struct nthw_nv50_state zero;

	assert_memory_equal(st, &zero, sizeof(zero));
}

/* ---- what an event's words mean ---- */

#define MODE(mode) ((uint64_t)(mode) << 56)
#define IN(unit) ((uint64_t)(unit) << 59)
#define TWO(mux, value, mux2, value2)                                                              \
	((mux) | (uint64_t)(value) << 5 | (uint64_t)(mux2) << 32 | (uint64_t)(value2) << 37)
#define EVENT(src, op, domain) ((uint64_t)(domain) << 53 | (uint64_t)(op) << 32 | (src))

static const struct encode_row {
	int line;
	const char *chip;
	uint64_t config, config1, config2;
	int ret;
} encode_rows[] = {
	{ __LINE__, "G80", EVENT(0xeeeeeec8, 0xaaaa, 1), 0, 0, 0 },
	{ __LINE__, "G96", EVENT(0xecececbd, 0xffff, 1), 0, 0, 0 },
	{ __LINE__, "GT218", EVENT(0xdfdfdfdf, 0, 7), 0, 0, 0 },
	{ __LINE__, "G80", EVENT(0, 0xaaaa, 5), 0, 0, -EINVAL }, /* it has five domains */
	{ __LINE__, "G84", EVENT(0, 0xaaaa, 5), 0, 0, 0 },
	{ __LINE__, "MCP77", EVENT(0, 0xaaaa, 7), 0, 0, -EINVAL },
	{ __LINE__, "GF100", EVENT(0, 0xaaaa, 0), 0, 0, -EINVAL }, /* another block of counters */
	{ __LINE__, "GP100", EVENT(0, 0xaaaa, 0), 0, 0, -EINVAL },
	{ __LINE__, "G96", EVENT(0x3f3f3f3f, 0xaaaa, 3), 0, 0, 0 },
	{ __LINE__, "G96", EVENT(0x0000003f + 1, 0xaaaa, 3), 0, 0, -EINVAL },
	{ __LINE__, "G96", EVENT(0x00004000, 0xaaaa, 3), 0, 0, -EINVAL },
	{ __LINE__, "G96", EVENT(0x00400000, 0xaaaa, 3), 0, 0, -EINVAL },
	{ __LINE__, "G96", EVENT(0x40000000, 0xaaaa, 3), 0, 0, -EINVAL },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1), 1, 0, -EINVAL },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1), 0, 1 | 2 << 5, 0 }, /* VFETCH */
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1), 0, 1 | 3 << 5, 0 },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1), 0, 1 | 4 << 5, -EINVAL },
	{ __LINE__, "G80", EVENT(0, 0xaaaa, 1), 0, 1 | 1 << 5, 0 },
	{ __LINE__, "G80", EVENT(0, 0xaaaa, 1), 0, 1 | 2 << 5, -EINVAL },
	{ __LINE__, "GT218", EVENT(0, 0xaaaa, 1), 0, 2 | 0x7fff << 5, 0 }, /* ZCULL */
	{ __LINE__, "GT218", EVENT(0, 0xaaaa, 1), 0, 2 | 0x8000 << 5, -EINVAL },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1), 0, 1 << 5, -EINVAL },  /* a value of none */
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 2), 0, 3 | 0x1f << 5, 0 }, /* PROP */
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 2), 0, 3 | 0x20 << 5, -EINVAL },
	{ __LINE__, "G200", EVENT(0, 0xaaaa, 2), 0, 3 | 0x3f << 5, 0 },
	/* CROP, ZROP */
	{ __LINE__, "G80", EVENT(0, 0xaaaa, 2), 0, TWO(4, 0x70007, 5, 0xf000f), 0 },
	{ __LINE__, "G80", EVENT(0, 0xaaaa, 2), 0, TWO(4, 8, 5, 0), -EINVAL },
	{ __LINE__, "G84", EVENT(0, 0xaaaa, 2), 0, TWO(4, 0x7000f, 0, 0), 0 },
	{ __LINE__, "G84", EVENT(0, 0xaaaa, 2), 0, TWO(0, 0, 4, 0x80000), -EINVAL },
	{ __LINE__, "G200", EVENT(0, 0xaaaa, 2), 0, TWO(0, 0, 4, 0x1f000f), 0 },
	{ __LINE__, "G200", EVENT(0, 0xaaaa, 2), 0, TWO(0, 0, 5, 0x100000), -EINVAL },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 2), 0, TWO(4, 1, 4, 1), -EINVAL }, /* one twice */
	{ __LINE__, "G80", EVENT(0, 0xaaaa, 2), 0, 6, 0 },		       /* TEX */
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 2), 0, TWO(6, 0, 7, 0), 0 },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 2), 0, TWO(6, 0x800, 0, 0), -EINVAL },
	{ __LINE__, "G80", EVENT(0, 0xaaaa, 2), 0, 7, -EINVAL },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1), 0, 8, -ENOTSUP },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1), 0, TWO(0, 0, 8, 0), -ENOTSUP },
	/* a value of none */
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1), 0, (uint64_t)1 << 63, -EINVAL },
	{ __LINE__, "G96", EVENT(0, 0x1aaaa, 1), 0, 0, -ENOTSUP }, /* modifiers: bits 48 to 52 */
	{ __LINE__, "G96", EVENT(0, 0x10aaaa, 1), 0, 0, -ENOTSUP },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1) | MODE(1), 0xff747576, 0, 0 }, /* sums */
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1) | MODE(2), 0, 0, 0 },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1), 0xec, 0, -EINVAL }, /* an amount of none */
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1) | MODE(1), (uint64_t)1 << 32, 0, -EINVAL },
	{ __LINE__, "G96", EVENT(0x2c2c2c04, 0xaaaa, 3), 0x12345678ull << 32, 0, 0 }, /* groups */
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 3) | MODE(1), 0x40000000, 0, -EINVAL },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1) | MODE(3), 0, 0, -ENOTSUP },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1) | MODE(4), 0, 0, -ENOTSUP },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1) | IN(1), 0, 0, -EINVAL }, /* units of nothing */
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 1) | IN(1), 0, 1, -EINVAL },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 2) | IN(16), 0, 3, -EINVAL },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 2) | IN(17), 0, 3, -EINVAL },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 2) | IN(15), 0, 3, 0 },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 2) | IN(1), 0, 4, -EINVAL },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 2) | IN(24), 0, 4, 0 },
	{ __LINE__, "G96", EVENT(0, 0xaaaa, 2) | IN(25), 0, 4, -EINVAL },
	{ __LINE__, "G96", EVENT(0x2c2c2c0f, 0xaaaa, 3) | IN(2), 0, 0, 0 },
	{ __LINE__, "G96", EVENT(0x2c2c2c10, 0xaaaa, 3) | IN(2), 0, 0, -EINVAL },
};

TEST(events_of_words)
{
	TT_FOR_EACH_ROW(r, encode_rows) {
		const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(r->chip);
		struct nthw_nv50_event event = { 0x4711, 0x4711, 0x4711 };

		TT_EQ(r, nthw_nv50_encode(chip, r->config, r->config1, r->config2, &event), r->ret);
		TT_EQ(r, event.src, r->ret ? 0x4711 : r->config & 0xffffffff);
		TT_EQ(r, event.function, r->ret ? 0x4711 : r->config >> 32 & 0xffff);
		TT_EQ(r, event.domain, r->ret ? 0x4711 : r->config >> 53 & 7);
		TT_EQ(r, event.mode, r->ret ? 0 : r->config >> 56 & 7);
		TT_EQ(r, event.unit, r->ret ? 0 : r->config >> 59 & 0xf);
		TT_EQ(r, event.amount, r->ret ? 0 : r->config1 & 0xffffffff);
		TT_EQ(r, event.groups, r->ret ? 0 : r->config1 >> 32);
		TT_EQ(r, event.mux[0], r->ret ? 0 : r->config2 & 0x1f);
		TT_EQ(r, event.select[0], r->ret ? 0 : r->config2 >> 5 & 0x7ffffff);
		TT_EQ(r, event.mux[1], r->ret ? 0 : r->config2 >> 32 & 0x1f);
		TT_EQ(r, event.select[1], r->ret ? 0 : r->config2 >> 37);
		if (r->ret)
			continue;
		TT_EQ(r, nthw_nv50_counters(chip, &event),
		      (event.mode ? 0x4ull : 0xfull) << 4 * event.domain);
		TT_EQ(r, nthw_nv50_also(&event), event.mode ? 0x2ull << 4 * event.domain : 0);
	}
}

/*
 * Of clocks only the domain is not 0, and the chip has it. A slot has a signal, a unit and pulses
 * or not, and an MP that the die has.
 */
TEST(words_of_clocks_and_slots)
{
	static const struct {
		const char *chip;
		uint64_t config, config1, config2;
		int status;
	} rows[] = {
		{ "GT218", UINT64_C(7) << 56, 0, 0, 0 },
		{ "GT218", UINT64_C(0x3f) << 53, 0, 0, 0 },
		{ "G80", UINT64_C(0x3c) << 53, 0, 0, 0 },
		{ "G80", UINT64_C(0x3d) << 53, 0, 0, NTHW_EINVAL },
		{ "MCP77", UINT64_C(0x3e) << 53, 0, 0, 0 },
		{ "MCP77", UINT64_C(0x3f) << 53, 0, 0, NTHW_EINVAL },
		{ "GT218", UINT64_C(0x38) << 53 | 1, 0, 0, NTHW_EINVAL },
		{ "GT218", UINT64_C(0x38) << 53 | UINT64_C(1) << 32, 0, 0, NTHW_EINVAL },
		{ "GT218", UINT64_C(0x38) << 53 | UINT64_C(1) << 59, 0, 0, NTHW_EINVAL },
		{ "GT218", UINT64_C(0x38) << 53, 1, 0, NTHW_EINVAL },
		{ "GT218", UINT64_C(0x38) << 53, 0, 1, NTHW_EINVAL },
		{ "GT218", UINT64_C(6) << 56 | UINT64_C(0xf) << 32 | 0xff, 0, 0, 0 },
		{ "GT218", UINT64_C(6) << 56 | UINT64_C(2) << 59, 0, 0, 0 },
		{ "GT218", UINT64_C(6) << 56 | UINT64_C(3) << 59, 0, 0, NTHW_EINVAL },
		{ "G200", UINT64_C(6) << 56 | UINT64_C(30) << 59, 0, 0, 0 },
		{ "G200", UINT64_C(6) << 56 | UINT64_C(31) << 59, 0, 0, NTHW_EINVAL },
		{ "G80", UINT64_C(6) << 56, 0, 0, NTHW_EINVAL },
		{ "G84", UINT64_C(6) << 56 | UINT64_C(1) << 36, 0, 0, NTHW_EINVAL },
		{ "G84", UINT64_C(6) << 56 | UINT64_C(1) << 53, 0, 0, NTHW_EINVAL },
		{ "G84", UINT64_C(6) << 56 | 0x100, 0, 0, NTHW_EINVAL },
		{ "G84", UINT64_C(6) << 56, 1, 0, NTHW_EINVAL },
		{ "G84", UINT64_C(6) << 56, 0, 1, NTHW_EINVAL },
		{ "G84", UINT64_C(5) << 56, 0, 0, NTHW_ENOTSUP },
	};
	struct nthw_nv50_event event;
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(rows); i++)
		TT_IS(nthw_nv50_encode(nthw_nv_chip_by_name(rows[i].chip), rows[i].config,
				       rows[i].config1, rows[i].config2, &event),
		      rows[i].status);
}

TEST(what_chips_have)
{
	static const char *const names[] = { "CTR_PRE", "CTR_START", "CTR_EVENT", "CTR_STOP" };
	const struct nthw_nv_chip *g80 = nthw_nv_chip_by_name("G80");
	const struct nthw_nv_chip *gt218 = nthw_nv_chip_by_name("GT218");
	struct nthw_nv50_event event = { 0, 0xaaaa, 5 };
	uint32_t counter, index;

	TT_IS(nthw_nv50_all(g80), 0x1f000fffff);
	TT_IS(nthw_nv50_all(nthw_nv_chip_by_name("MCP79")), 0x7f0fffffff);
	TT_IS(nthw_nv50_all(gt218), 0xffffffffff);
	TT_IS(nthw_nv50_all(nthw_nv_chip_by_name("GF100")), 0);
	TT_IS(nthw_nv50_counters(g80, &event), 0);
	event.domain = 8;
	TT_IS(nthw_nv50_counters(gt218, &event), 0);
	for (counter = 0; counter < NTHW_NV50_COUNTERS; counter++) {
		bool is_clocks = counter >= 32;

		TT_TEXT(nthw_nv50_counter(gt218, counter, &index)->name,
			is_clocks ? "CTR_CYCLES" : names[counter % 4]);
		TT_IS(index, is_clocks ? counter - 32 : counter / 4);
	}
}

/* ---- the order of accesses, typed in ---- */

static int program(const struct nthw_nv50_pm *pm, uint32_t counter, uint32_t src, uint32_t function,
		   struct nthw_nv50_state *st)
{
	struct nthw_nv50_event event = { src, function, counter / 4 };

	return nthw_nv50_program(pm, counter, &event, st);
}

static uint64_t lost_of(const struct nthw_nv50_pm *pm, struct nthw_nv50_state *st)
{
	uint64_t lost = 0x4711;

	TT_IS(nthw_nv50_check(pm, st, &lost), 0);
	TT_IS(lost, st->foreign | st->spoilt);
	return lost;
}

/* What the calls of a scenario work on. */
struct scene {
	struct card c, before;
	struct nthw_nv50_pm pm;
	struct nthw_nv50_state st;
	struct nthw_nv50_period period;
	bool has_begun;
};

static void forget_log(void *on)
{
	forget(&((struct scene *)on)->c);
}

/*
 * program COUNTER SRC OP [MUX SELECT MUX SELECT [UNIT]], the unit + 1 of TPCs
 * sum COUNTER DOMAIN SRC OP MODE AMOUNT
 */
static int call_program(struct scene *s, const struct script_call *call)
{
	uint32_t a[SCRIPT_ARGS], i;
	struct nthw_nv50_event event;

	for (i = 0; i < SCRIPT_ARGS; i++)
		a[i] = (uint32_t)call->arg[i];
	if (script_is(call, "sum"))
		event = (struct nthw_nv50_event){ a[2], a[3], a[1], .mode = a[4], .amount = a[5] };
	else
		event = (struct nthw_nv50_event){
			a[1], a[2], a[0] / 4, { a[3], a[5] }, { a[4], a[6] }, a[7] != 0, a[7]
		};
	return nthw_nv50_program(&s->pm, a[0], &event, &s->st);
}

/*
 * encoded COUNTER SRC OP GROUPS
 * clocks COUNTER DOMAIN
 */
static int call_encoded(struct scene *s, const struct script_call *call)
{
	const uint64_t *a = call->arg;
	bool is_clocks = script_is(call, "clocks");
	uint64_t config = is_clocks ? MODE(7) | a[1] << 53 : EVENT(a[1], a[2], a[0] / 4);
	struct nthw_nv50_event event;

	TT_IS(nthw_nv50_encode(s->pm.chip, config, a[3] << 32, 0, &event), 0);
	if (is_clocks) {
		TT_IS(nthw_nv50_counters(s->pm.chip, &event), UINT64_C(1) << (32 + a[1]));
		TT_IS(nthw_nv50_also(&event), 0);
	}
	return nthw_nv50_program(&s->pm, (uint32_t)a[0], &event, &s->st);
}

/*
 * end [COUNTER COUNT]... = UNSURE
 * An error leaves the period alone.
 */
static int call_end(struct scene *s, struct script_call *call)
{
	struct nthw_nv50_period period, untouched;
	size_t i;
	int ret;

	memset(&untouched, 0xa5, sizeof(untouched));
	period = untouched;
	ret = nthw_nv50_end(&s->pm, &s->st, &period);
	if (ret) {
		assert_memory_equal(&period, &untouched, sizeof(untouched));
		return ret;
	}
	for (i = 0; i < call->args; i += 2)
		TT_IS(period.count[call->arg[i]], call->arg[i + 1]);
	call->value = period.unsure;
	return 0;
}

static int call_check(struct scene *s, struct script_call *call)
{
	int ret = nthw_nv50_check(&s->pm, &s->st, &call->value);

	if (!ret)
		TT_IS(call->value, s->st.foreign | s->st.spoilt);
	return ret;
}

static int call_restore(struct scene *s)
{
	int ret = nthw_nv50_restore(&s->pm, &s->st);

	if (ret)
		return ret;
	is_all_zero(&s->st);
	is_as_found(&s->c, &s->before);
	return 0;
}

/*
 * set [ADDRESS VALUE]...; others change it; before the first call of another kind: it was found so
 * changed [ADDRESS VALUE]...: this is to be found at the end
 * has [ADDRESS VALUE]...
 */
static bool is_of_registers(struct scene *s, const struct script_call *call)
{
	bool is_set = script_is(call, "set"), is_has = script_is(call, "has");
	size_t i;

	if (!is_set && !is_has && !script_is(call, "changed"))
		return false;
	for (i = 0; i < call->args; i += 2) {
		uint32_t address = (uint32_t)call->arg[i], value = (uint32_t)call->arg[i + 1];

		if (is_has)
			TT_IS(*at(&s->c, address), value);
		else
			*at(is_set ? &s->c : &s->before, address) = value;
	}
	return true;
}

static int call_any(void *on, struct script_call *call)
{
	struct scene *s = on;
	bool is_register = script_is(call, "set");

	if (!s->has_begun && !is_register) {
		s->before = s->c;
		s->has_begun = true;
	}
	if (is_of_registers(s, call))
		return 0;
	if (script_is(call, "program") || script_is(call, "sum"))
		return call_program(s, call);
	if (script_is(call, "encoded") || script_is(call, "clocks"))
		return call_encoded(s, call);
	if (script_is(call, "end"))
		return call_end(s, call);
	if (script_is(call, "check"))
		return call_check(s, call);
	if (script_is(call, "restore"))
		return call_restore(s);
	if (script_is(call, "begin"))
		return nthw_nv50_begin(&s->pm, &s->st);
	assert_string_equal(call->name, "identify");
	return nthw_nv50_identify(&s->pm);
}

static const struct order_row {
	int line;
	const char *chip, *text;
} order_rows[] = {
	{ __LINE__, "G96",
	  "identify: R i0\n"
	  "boot_0 0x094380a1\n" /* G94 */
	  "identify ! ENOTSUP\n"
	  "boot_0 0x7fffffff\n"
	  "identify ! ENOTSUP\n"
	  "is_gone 1\n"
	  "identify ! EIO\n" },
	/* gpu_idle; the card was never used. G80 has no SPEC_SRC. */
	{ __LINE__, "G80",
	  "set ia484 0x12345678 ia4a4 0x51234\n"
	  "program 6 0xeeeeeec8 0xaaaa: R ia7c4 R ia484 R ia4a4 "
	  "W ia7c4 1 R ia7c4 W ia484 eeeeeec8 R ia484 W ia4a4 aaaa R ia4a4\n"
	  "counters = 0x40\n"
	  "begin: R ia7c4 R i400084 W i400084 20 R ia7c4 R ia7c4 W ia7e4 1 R ia7c4\n"
	  "next 6 4711 7 1\n"
	  "end 6 4711 7 0 = 0: R i400084 W i400084 20 R ia7c4 R ia684 R ia7c4 W ia7e4 1\n"
	  "check = 0: R ia7c4 R ia484 R ia4a4\n"
	  "restore: W ia484 12345678 W ia4a4 51234 R ia7c4 W ia7c4 0\n" },
	/* Clocks of domain 4 take none of its counters: only what ends its periods is set up. */
	{ __LINE__, "GT218",
	  "may 0x1000000000\n"
	  "clocks 16 4 ! EINVAL: none\n"
	  "clocks 36 4: R ia7d0 R ia570 W ia570 6f R ia570 W ia7d0 1 R ia7d0\n"
	  "counters = 0x1000000000\n"
	  "begin\n"
	  "next 36 0xffffffff\n"
	  "end 36 0xffffffff = 0x1000000000: R i400084 W i400084 20 R ia7d0 R ia610 R ia7d0 W "
	  "ia7f0 1\n"
	  "check = 0\n"
	  "set ia7d0 0\n"
	  "check = 0x1000000000\n"
	  "set ia7d0 1\n"
	  "foreign 0\n"
	  "restore\n" },
	/* Beside others: whichever goes first, the domain stays as long as one is there. */
	{ __LINE__, "G80",
	  "clocks 33 1\n"
	  "program 4 0xeeeeeec8 0xaaaa\n"
	  "clocks 33 1\n"
	  "clocks 33 1\n"
	  "program 5 0xeeeeeec8 0xaaaa\n"
	  "clocks 33 1\n"
	  "counters = 0x200000030\n"
	  "begin\n"
	  "next 4 10 5 11 33 4711\n"
	  "end 4 10 5 11 33 4711 = 0\n"
	  "set ia404 7\n"
	  "check = 0x10\n"
	  "clocks 33 1\n"
	  "set ia404 0\n"
	  "foreign 0\n"
	  "restore\n" },
	/*
	 * Two counters share a multiplexer (VFETCH; then ZCULL): it is set before the first one and
	 * given back behind the last one, when that is given back or needs another.
	 */
	{ __LINE__, "GT218",
	  "set i400c0c 2 i402ca4 0x12001234 ia7c4 1 ia564 0xcf\n"
	  "program 6 0xecececec 0xaaaa 1 1: R ia7c4 R ia564 R ia484 R ia4a4 "
	  "R i400c0c W i400c0c 1 R i400c0c W ia564 ef R ia564 W ia7c4 1 R ia7c4 "
	  "W ia484 ecececec R ia484 W ia4a4 aaaa R ia4a4\n"
	  "program 7 0xecececec 0xaaaa 1 1\n"
	  /* Nobody can have it with two values; what was there stays. */
	  "program 5 0xecececec 0xaaaa 1 0 ! EBUSY\n"
	  "has i400c0c 1\n"
	  "counters = 0xc0\n"
	  "program 7 0xecececec 0xaaaa 2 7\n"
	  "has i400c0c 1 i402ca4 0x12000007\n"
	  "check = 0: R ia7c4 R ia564 R ia484 R ia4a4 R ia4c4 R ia4e4 R i400c0c R i402ca4\n"
	  "program 6 0xecececec 0xaaaa\n"
	  "has i400c0c 2\n"
	  "restore\n" },
	/* PROP, on a board without TPC 0: the first one leads its wires out, the others do not. */
	{ __LINE__, "GT215",
	  "set i4008fc 0x70030006\n"
	  "set i408f50 0x15 i409750 0x80000007 ia7c8 1 ia568 0xcf\n"
	  "program 10 0xecececec 0xaaaa 3 0x16: R ia7c8 R ia568 R ia488 R ia4a8 "
	  "R i4008fc R i408f50 R i409750 W i408f50 80000016 R i408f50 W i409750 7 R i409750 "
	  "W ia568 cf R ia568 W ia7c8 1 R ia7c8 W ia488 ecececec R ia488 W ia4a8 aaaa R ia4a8\n"
	  "program 9 0xecececec 0xaaaa 3 0 ! EBUSY\n"
	  "check = 0\n"
	  /* Somebody else's TPC in front of ours: what is counted is not ours. */
	  "set i409750 0x80000007\n"
	  "check = 0x400\n"
	  "set i409750 7\n"
	  "changed i408f50 0x80000016 i409750 7\n"
	  "restore\n"
	  "set i408f50 0x15 i409750 0x80000007\n"
	  "changed i408f50 0x15 i409750 0x80000007\n"
	  /* Another one, which the events beside it must want, too. */
	  "program 10 0xecececec 0xaaaa 3 0x16 0 0 3\n"
	  "has i408f50 0x15 i409750 0x80000016\n"
	  "program 9 0xecececec 0xaaaa 3 0x16 ! EBUSY\n"
	  "restore\n"
	  "program 10 0xecececec 0xaaaa 3 0x16 0 0 1 ! ENOTSUP\n"
	  /* No TPC: nothing is written. */
	  "set i4008fc 0\n"
	  "program 10 0xecececec 0xaaaa 3 0x16 ! ENOTSUP: reads\n" },
	/* One event of two multiplexers, CROP and ZROP, on a board without the first partition. */
	{ __LINE__, "G94",
	  "set i4008fc 0x00ce000f\n"
	  "set i407108 0x00070008 i407308 0x80000002 i40728c 0x80030000 ia7c8 1 ia568 0x8f\n"
	  "program 10 0x46473233 0x22f2 4 1 5 1: R ia7c8 R ia568 R ia488 R ia4a8 "
	  "R i4008fc R i407108 R i407208 R i407308 "
	  "W i407108 80000001 R i407108 W i407208 0 R i407208 W i407308 2 R i407308 "
	  "R i4008fc R i40718c R i40728c R i40738c "
	  "W i40718c 80000001 R i40718c W i40728c 30000 R i40728c W i40738c 0 R i40738c "
	  "W ia568 8f R ia568 W ia7c8 1 R ia7c8 W ia488 46473233 R ia488 W ia4a8 22f2 R ia4a8\n"
	  "program 9 0x8c8c8c32 0xaaaa 5 2 ! EBUSY\n"
	  "set i40738c 0x00010000\n"
	  "check = 0x400\n"
	  "changed i40718c 0x80000001 i40728c 0x30000 i40738c 0x00010000\n"
	  "restore\n" },
	/* Two events of domain 3 that need other bytes of one register, without TPC 0. */
	{ __LINE__, "GT215",
	  "set i4008fc 0x70030006\n"
	  "set i408b3c 0x44332211 i40933c 0x00112233 i409340 1 ia7cc 1 ia56c 0x2f\n"
	  "encoded 14 0x2c050402 0xeaea 0x503c0201: R ia7cc R ia56c R ia48c R ia4ac "
	  "R i4008fc R i408b3c R i408b3c W i408b3c 44332201 R i408b3c "
	  "R i4008fc R i408b3c R i408b3c W i408b3c 44330201 R i408b3c "
	  "R i4008fc R i408b40 R i409340 W i408b40 1 R i408b40 W i409340 0 R i409340 "
	  "W ia56c 2f R ia56c W ia7cc 1 R ia7cc W ia48c 2c050402 R ia48c W ia4ac eaea R ia4ac\n"
	  "encoded 15 0x2c2c0908 0x2222 0x20000\n"
	  "has i408b3c 0x44020201\n"
	  "encoded 13 0x2c2c2c01 0xaaaa 0 ! EBUSY\n"
	  "check = 0\n"
	  /* The first one needs no group any more; the other's is somebody else's now. */
	  "program 14 0x2c2c2c2c 0xaaaa\n"
	  "has i408b3c 0x44022211\n"
	  "set i408b3c 0x44022233\n"
	  "check = 0\n"
	  "set i408b3c 0x44032233\n"
	  "check = 0x8000\n"
	  "changed i408b3c 0x44032233\n"
	  "restore\n" },
	/* EVENT adds what START's signals say, which then counts nothing else. */
	{ __LINE__, "G96",
	  "set ia7c4 0x41 ia564 0xef ia444 0x01020304\n"
	  "sum 7 1 0x0c0bec07 0xaaaa 2 0x0a090807 ! EINVAL\n"
	  "program 5 0xec 0\n"
	  "sum 6 1 0x0c0bec07 0xaaaa 2 0x0a090807 ! EBUSY\n"
	  "restore\n"
	  "sum 6 1 0x0c0bec07 0xaaaa 2 0x0a090807: R ia7c4 R ia564 R ia444 R ia464 R ia484 R ia4a4 "
	  "W ia564 ef R ia564 W ia7c4 21 R ia7c4 W ia444 a090807 R ia444 W ia464 ffff R ia464 "
	  "W ia484 c0bec07 R ia484 W ia4a4 aaaa R ia4a4\n"
	  "program 5 0xec 0 ! EBUSY\n"
	  /* Others beside it leave the mode as it is. */
	  "program 7 0xecececbd 0xaaaa\n"
	  "has ia7c4 0x21\n"
	  "begin\n"
	  "next 6 0x12345678 7 3\n"
	  "end 6 0x12345678 7 3 = 0\n"
	  /* What gives way to a function takes START along. */
	  "program 6 0xecececbd 0xaaaa\n"
	  "has ia7c4 1 ia444 0x01020304\n"
	  "counters = 0xc0\n"
	  /* Who takes one of the two has both. */
	  "sum 6 1 0x0c0bec07 0xaaaa 2 0x0a090807\n"
	  "set ia444 0x4711\n"
	  "check = 0x60\n"
	  "changed ia444 0x4711 ia464 0xffff\n"
	  "restore\n" },
	/* Others took a multiplexer: it is not put back, and all else is. */
	{ __LINE__, "G96",
	  "set ia484 0x4711\n"
	  "changed i400c0c 2\n"
	  "program 6 0xecececec 0xaaaa 1 1\n"
	  "program 7 0xecececec 0xaaaa\n"
	  "set i400c0c 2\n"
	  "check = 0x40\n"
	  "foreign = 0\n"
	  "check = 0x40\n"
	  "restore\n" },
	/*
	 * The same where somebody left RECORD mode, another counter mode, bits that nobody knows, a
	 * run of SINGLE mode and two periods that were not acknowledged; DEBUG_1 has other bits.
	 */
	{ __LINE__, "G96",
	  "set ia7c4 0x53e12942 ia564 0x1234\n"
	  "debug_1 0x80000001\n"
	  "program 6 0xecececbd 0xaaaa: R ia7c4 R ia564 R ia484 R ia4a4 "
	  "W ia564 12ef R ia564 W ia7c4 40e12901 R ia7c4 "
	  "W ia484 ecececbd R ia484 W ia4a4 aaaa R ia4a4\n"
	  "begin: R ia7c4 W ia7e4 1 W ia7e4 1 R ia7c4 "
	  "R i400084 W i400084 80000021 R ia7c4 R ia7c4 W ia7e4 1 R ia7c4\n"
	  "end = 0: R i400084 W i400084 80000021 R ia7c4 R ia684 R ia7c4 W ia7e4 1\n"
	  "check = 0: R ia7c4 R ia564 R ia484 R ia4a4\n"
	  "restore: W ia484 0 W ia4a4 0 W ia564 1234 R ia7c4 W ia7c4 40e12942\n" },
	/*
	 * Two counters of one domain. PRE is programmed last: its OP ends a period on these chips,
	 * which is acknowledged before the first one begins, and once more after it has been given
	 * back.
	 */
	{ __LINE__, "GT218",
	  "set ia404 0x01020304\n"
	  "program 7 0xecececcb 0x5555: R ia7c4 R ia564 R ia4c4 R ia4e4 "
	  "W ia564 ef R ia564 W ia7c4 1 R ia7c4 W ia4c4 ecececcb R ia4c4 W ia4e4 5555 R ia4e4\n"
	  "program 4 0xecececcb 0xaaaa: R ia404 R ia424 W ia564 ef R ia564 W ia7c4 1 R ia7c4 "
	  "W ia404 ecececcb R ia404 W ia424 aaaa R ia424\n"
	  "begin: R ia7c4 W ia7e4 1 R ia7c4 "
	  "R i400084 W i400084 20 R ia7c4 R ia7c4 W ia7e4 1 R ia7c4\n"
	  "next 4 40 7 0xffffffff\n"
	  "end 4 40 7 0xffffffff = 0x80: R i400084 W i400084 20 R ia7c4 R ia704 R ia744 R ia7c4 W "
	  "ia7e4 1\n"
	  "check = 0: R ia7c4 R ia564 R ia404 R ia424 R ia4c4 R ia4e4\n"
	  /* another event for one of them: what was found is not read again */
	  "program 7 0xececec01 0xaaaa: W ia564 ef R ia564 W ia7c4 1 R ia7c4 "
	  "W ia4c4 ececec01 R ia4c4 W ia4e4 aaaa R ia4e4\n"
	  "restore: W ia4c4 0 W ia4e4 0 W ia404 1020304 W ia424 0 "
	  "W ia564 0 R ia7c4 W ia7e4 1 R ia7c4 W ia7c4 0\n" },
	/* Two domains. */
	{ __LINE__, "GT218",
	  "program 5 0xecececcb 0xaaaa: R ia7c4 R ia564 R ia444 R ia464 "
	  "W ia564 ef R ia564 W ia7c4 1 R ia7c4 W ia444 ecececcb R ia444 W ia464 aaaa R ia464\n"
	  "program 12 0x2c2c2c04 0xaaaa: R ia7cc R ia56c R ia40c R ia42c "
	  "W ia56c 2f R ia56c W ia7cc 1 R ia7cc W ia40c 2c2c2c04 R ia40c W ia42c aaaa R ia42c\n"
	  "saved = 0xa\n"
	  "begin: R ia7c4 R ia7cc W ia7ec 1 R ia7cc R i400084 W i400084 20 "
	  "R ia7c4 R ia7c4 W ia7e4 1 R ia7c4 R ia7cc R ia7cc W ia7ec 1 R ia7cc\n"
	  "lag 3 4\n" /* it shows at the fourth read */
	  "end = 0: R i400084 W i400084 20 R ia7c4 R ia6c4 R ia7c4 W ia7e4 1 "
	  "R ia7cc R ia7cc R ia7cc R ia7cc R ia70c R ia7cc W ia7ec 1\n"
	  "check = 0: R ia7c4 R ia564 R ia444 R ia464 R ia7cc R ia56c R ia40c R ia42c\n"
	  "restore: W ia444 0 W ia464 0 W ia564 0 R ia7c4 W ia7c4 0 "
	  "W ia40c 0 W ia42c 0 W ia56c 0 R ia7cc W ia7ec 1 R ia7cc W ia7cc 0\n" },
	/*
	 * Somebody else's trigger before ours has been seen, and between the counters: all that the
	 * domain counted is a lower bound. And never more than a read a counter and four accesses a
	 * domain.
	 */
	{ __LINE__, "G96",
	  "program 6 0xecececbd 0xaaaa\n"
	  "program 7 0xecececbd 0x5555\n"
	  "program 15 0x2c2c2c04 0xaaaa\n"
	  "begin\n"
	  "others_at 2\n"
	  "end = 0x80c0: R i400084 W i400084 20 "
	  "R ia7c4 R ia684 R ia744 R ia7c4 W ia7e4 1 W ia7e4 1 "
	  "R ia7cc R ia74c R ia7cc W ia7ec 1 W ia7ec 1\n"
	  "accesses = 13\n"
	  "others_at 8\n" /* domain 1 was read and acknowledged: its second half is EMPTY */
	  "end = 0x8000: R i400084 W i400084 20 R ia7c4 R ia684 R ia744 R ia7c4 W ia7e4 1 "
	  "R ia7cc R ia74c R ia7cc W ia7ec 1 W ia7ec 1\n"
	  "others_at -1\n"
	  "end = 0xc0\n" /* domain 1's period was ended by others */
	  "end = 0\n"
	  "restore\n" },
	/* Who acknowledges as well, between the two looks at QUAD_STATE. */
	{ __LINE__, "G96",
	  "program 6 0xecececbd 0xaaaa\n"
	  "begin\n"
	  "others_at 2\n"
	  "others_ack_at 3\n"
	  "end = 0x40: R i400084 W i400084 20 R ia7c4 R ia684 R ia7c4\n" },
	/*
	 * The clock of domain 3 stands; domain 1 is acknowledged all the same. It is asked a
	 * thousand times: NTHW_NV50_WAIT.
	 */
	{ __LINE__, "G96",
	  "program 14 0x2c2c2c04 0xaaaa\n"
	  "program 18 0 0xaaaa\n"
	  "lag 3 0x40000000\n"
	  "begin ! ETIMEDOUT\n"
	  "stuck = 8\n"
	  "accesses = 1008\n" /* 2 + 2 + 1000 + 4 */
	  "end ! ETIMEDOUT\n"
	  "stuck = 8\n"
	  "accesses = 1006\n"
	  "has ia7d0 1\n"
	  "lag 3 1000\n" /* and just in time */
	  "end = 0\n"
	  "stuck = 0\n"
	  "lag 3 0x40000000\n"
	  "end ! ETIMEDOUT\n"
	  "lag 3 1000\n"
	  "begin\n"
	  "stuck = 0\n"
	  "restore\n" },
	/* It was left with a period and takes no acknowledgement; all else is given back. */
	{ __LINE__, "G96",
	  "set ia7cc 0x01000000\n"
	  "numb ia7ec\n"
	  "program 14 0x2c2c2c04 0xaaaa\n"
	  "begin ! ETIMEDOUT\n"
	  "stuck = 8\n"
	  "accesses = 1999\n" /* no trigger */
	  "restore\n" },
	/* No counter of the event. Of nothing there is no trigger, which others would see. */
	{ __LINE__, "G80",
	  "sum 3 1 0 0xaaaa ! EINVAL: none\n"
	  "sum 8 1 0 0xaaaa ! EINVAL: none\n"
	  "sum 36 1 0 0xaaaa ! EINVAL: none\n"
	  "sum 20 5 0 0xaaaa ! EINVAL: none\n"
	  "begin: none\n"
	  "restore: none\n" },
	/* What another counter of the domain needs stays when one fails: SPEC_SRC and CTRL. */
	{ __LINE__, "G96",
	  "program 6 0xecececbd 0xaaaa\n"
	  "numb ia4e4\n"
	  "program 7 0xecececbd 0xaaaa ! EIO: R ia4c4 R ia4e4 W ia564 ef R ia564 W ia7c4 1 R ia7c4 "
	  "W ia4c4 ecececbd R ia4c4 W ia4e4 aaaa R ia4e4 W ia4c4 0 W ia4e4 0\n"
	  "counters = 0x40\n"
	  "saved = 2\n"
	  "check = 0\n"
	  "restore\n" },
	/* A card that is gone: nothing is written. */
	{ __LINE__, "GT218",
	  "is_gone 1\n"
	  "program 4 0xecececbd 0xaaaa ! EIO: R ia7c4\n"
	  "is_gone 0\n"
	  "program 4 0xecececbd 0xaaaa\n"
	  "is_gone 1\n"
	  "begin ! EIO: R ia7c4\n"
	  "end ! EIO: R i400084\n"
	  "check ! EIO: R ia7c4\n"
	  "restore ! EIO\n"
	  "saved = 2\n"
	  "is_gone 0\n"
	  "restore\n" },
	/*
	 * One counter of a domain is somebody else's, the other one is given back, and then CTRL
	 * fails: that is ours to give back still, though nothing but the foreign counter had been
	 * left beside it.
	 */
	{ __LINE__, "G96",
	  "program 6 0xecececbd 0xaaaa\n"
	  "program 7 0xecececbd 0xaaaa\n"
	  "set ia484 0\n"
	  "changed ia4a4 0xaaaa\n"
	  "check = 0x40\n"
	  "fail_at 4\n"
	  "restore ! EIO: W ia4c4 0 W ia4e4 0 W ia564 0 R ia7c4 W ia7c4 0\n"
	  "fail_at -1\n"
	  "restore: W ia564 0 R ia7c4 W ia7c4 0\n" },
};

static void play(const struct order_row *r, struct scene *s)
{
	const struct script_variable variables[] = {
		{ "boot_0", &s->c.boot_0, NULL },
		{ "debug_1", &s->c.debug_1, NULL },
		{ "is_gone", &s->c.is_gone, NULL },
		{ "numb", &s->c.numb, NULL },
		{ "next", s->c.next, NULL },
		{ "lag", s->c.lag, NULL },
		{ "others_at", &s->c.others_at, NULL },
		{ "others_ack_at", &s->c.others_ack_at, NULL },
		{ "fail_at", &s->c.fail_at, NULL },
		{ "accesses", &s->c.accesses, NULL },
		{ "saved", &s->st.saved, NULL },
		{ "stuck", &s->st.stuck, NULL },
		{ "may", NULL, &s->c.may },
		{ "counters", NULL, &s->st.counters },
		{ "foreign", NULL, &s->st.foreign },
		{ NULL, NULL, NULL },
	};
	struct script script = { s, s->c.log, forget_log, call_any, variables };

	script_play(&script, r->line, r->text);
}

TEST(accesses_are_in_order)
{
	TT_FOR_EACH_ROW(r, order_rows) {
		struct scene s = { .pm = { 0 } };

		s.pm = card_of(&s.c, r->chip);
		s.c.error = -EIO;
		play(r, &s);
	}
}

/* ---- refusals ---- */

/* A register that takes a write and forgets it. */
TEST(what_is_not_kept_is_put_back)
{
	static const uint32_t numb[] = { 0xa564, 0xa7c4, 0xa404, 0xa424 };
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(numb); i++) {
		struct nthw_nv50_state st = { 0 };
		struct card c, before;
		struct nthw_nv50_pm pm = card_of(&c, "G96");

		c.numb = numb[i];
		c.may = BIT(COUNTER(1, PRE));
		before = c;
		TT_IS(program(&pm, COUNTER(1, PRE), 0xecececbd, 0xaaaa, &st), -EIO);
		TT_IS(st.counters, 0);
		TT_IS(st.saved, 0);
		is_as_found(&c, &before);
	}
}

/* ---- taken by others ---- */

static const struct taken_row {
	int line;
	uint32_t address, differ;
	uint32_t lost; /* of counters PRE and EVENT of domain 1, STOP of domain 2 */
} taken_rows[] = {
	{ __LINE__, 0xa404, 0x80000000, BIT(4) },
	{ __LINE__, 0xa424, 0x10000, BIT(4) },
	{ __LINE__, 0xa484, 1, BIT(6) },
	{ __LINE__, 0xa4a4, 0x8000, BIT(6) },
	{ __LINE__, 0xa4c8, 0x100, BIT(11) },
	{ __LINE__, 0xa564, 1, BIT(4) | BIT(6) },
	{ __LINE__, 0xa7c4, 1, BIT(4) | BIT(6) },
	{ __LINE__, 0xa7c4, 0x10, BIT(4) | BIT(6) },
	{ __LINE__, 0xa7c8, 3, BIT(11) },
	{ __LINE__, 0xa7c4, 0x3000800, 0 },
	{ __LINE__, 0xa4c4, 1, 0 }, /* STOP of domain 1 is not ours */
};

static uint32_t domains_of(uint32_t counters)
{
	return (counters & 0xf0 ? BIT(1) : 0) | (counters & 0xf00 ? BIT(2) : 0);
}

TEST(what_others_took_is_theirs)
{
	TT_FOR_EACH_ROW(r, taken_rows) {
		struct nthw_nv50_state st = { 0 };
		struct nthw_nv50_period period;
		uint32_t all = BIT(4) | BIT(6) | BIT(11), kept = all & ~r->lost, taken;
		struct card c;
		struct nthw_nv50_pm pm = card_of(&c, "G96");

		TT_IS(program(&pm, 6, 0xecececbd, 0xaaaa, &st), 0);
		TT_IS(program(&pm, 4, 0xecececbd, 0xaaaa, &st), 0);
		TT_IS(program(&pm, 11, 0x8c8c8c01, 0xaaaa, &st), 0);
		TT_IS(nthw_nv50_begin(&pm, &st), 0);
		*at(&c, r->address) ^= r->differ;
		taken = *at(&c, r->address);
		c.may = kept; /* nothing of the others is written from here on */
		TT_EQ(r, lost_of(&pm, &st), r->lost);
		TT_EQ(r, lost_of(&pm, &st), r->lost);
		c.next[4] = c.next[6] = c.next[11] = 7;
		TT_EQ(r, nthw_nv50_end(&pm, &st, &period), 0);
		TT_EQ(r, period.count[4], kept & BIT(4) ? 7 : 0);
		TT_EQ(r, period.count[6], kept & BIT(6) ? 7 : 0);
		TT_EQ(r, period.count[11], kept & BIT(11) ? 7 : 0);
		if (r->lost & BIT(6))
			TT_EQ(r, program(&pm, 6, 0xecececbd, 0xaaaa, &st), -EBUSY);
		if (!(domains_of(kept) & BIT(1)))
			TT_EQ(r, program(&pm, 7, 0xecececbd, 0xaaaa, &st), -EBUSY);
		TT_EQ(r, nthw_nv50_restore(&pm, &st), 0);
		is_all_zero(&st);
		if (r->lost)
			TT_EQ(r, (*at(&c, r->address) ^ taken) & ~QUAD_STATE, 0);
		TT_EQ(r, *at(&c, 0xa7c4) & 3 & (domains_of(kept) & BIT(1) ? 3 : 0), 0);
		TT_EQ(r, *at(&c, 0xa7c8) & 3 & (domains_of(kept) & BIT(2) ? 3 : 0), 0);
		TT_EQ(r, *at(&c, 0xa4c8), r->lost & BIT(11) ? *at(&c, 0xa4c8) : 0);
	}
}

/* Whatever fails, all else is written at once; CTRL alone waits for its domain's counters. */
TEST(restoring_goes_on)
{
	static const char all[] = "W ia484 0\nW ia4a4 0\nW ia4c4 0\nW ia4e4 0\n"
				  "W ia564 0\nR ia7c4\nW ia7c4 0\n"
				  "W ia48c 0\nW ia4ac 0\nW ia56c 0\nR ia7cc\nW ia7cc 0\n";
	static const char without_1[] = "W ia484 0\nW ia4a4 0\nW ia4c4 0\nW ia4e4 0\n"
					"W ia564 0\nR ia7c4\n"
					"W ia48c 0\nW ia4ac 0\nW ia56c 0\nR ia7cc\nW ia7cc 0\n";
	static const char without_3[] = "W ia484 0\nW ia4a4 0\nW ia4c4 0\nW ia4e4 0\n"
					"W ia564 0\nR ia7c4\nW ia7c4 0\n"
					"W ia48c 0\nW ia4ac 0\nW ia56c 0\nR ia7cc\n";
	int k;

	for (k = 0; k < 12; k++) {
		struct nthw_nv50_state st = { 0 };
		struct card c;
		struct nthw_nv50_pm pm = card_of(&c, "G96");

		TT_IS(program(&pm, COUNTER(1, EVENT), 0xecececbd, 0xaaaa, &st), 0);
		TT_IS(program(&pm, COUNTER(1, STOP), 0xecececbd, 0xaaaa, &st), 0);
		TT_IS(program(&pm, COUNTER(3, EVENT), 0x2c2c2c04, 0xaaaa, &st), 0);
		forget(&c);
		c.fail_at = k;
		c.error = -ENODEV;
		TT_IS(nthw_nv50_restore(&pm, &st), -ENODEV);
		went(&c, k < 4 ? without_1 : k == 7 || k == 8 ? without_3 : all);
		TT_IS(st.saved, k < 7 ? BIT(1) : BIT(3));
		c.fail_at = -1;
		TT_IS(nthw_nv50_restore(&pm, &st), 0);
		is_all_zero(&st);
	}
}

/* ---- whole runs from random states, with and without failing accesses ---- */

struct run {
	struct card card, before;
	struct nthw_nv50_pm pm;
	struct nthw_nv50_state state;
	uint64_t seed;
	uint32_t groups;  /* that all events want */
	uint32_t sums;	  /* counters that have one */
	bool tries_again; /* what failed is called once more, and then nothing fails */
	bool has_tried;
};

static void prepare(struct run *r, const char *chip, uint64_t seed)
{
	uint32_t address, d, mux;

	r->pm = card_of(&r->card, chip);
	memset(&r->state, 0, sizeof(r->state));
	r->seed = seed;
	r->has_tried = false;
	r->sums = 0;
	r->groups = (uint32_t)tt_random(&r->seed);
	r->card.may = 0;
	r->card.debug_1 = (uint32_t)tt_random(&r->seed) & ~(uint32_t)0x20;
	for (address = FIRST; address < END; address += 4)
		*at(&r->card, address) = (uint32_t)tt_random(&r->seed);
	for (address = 0xa420; address < 0xa500; address += 0x40)
		for (d = 0; d < NTHW_NV_DOMAINS; d++)
			*at(&r->card, address + 4 * d) &= op_bits(&r->card, address);
	/* Of a board the first TPC and the first partition may be missing. */
	if (r->pm.chip->tpcs > 1 && tt_random(&r->seed) % 2)
		r->card.units &= ~1u;
	if (r->pm.chip->parts > 1 && tt_random(&r->seed) % 2)
		r->card.units &= ~BIT(16);
	for (mux = 1; mux < MUXES; mux++)
		for (d = 0; d < UNITS_MAX; d++)
			r->card.mux[mux][d] =
				(uint32_t)tt_random(&r->seed) & mux_bits(&r->card, mux, true);
	for (d = 0; d < NTHW_NV_DOMAINS; d++) {
		uint32_t *ctrl = at(&r->card, 0xa7c0 + 4 * d);

		*ctrl &= ~(FAULT_CLEAR | BIT(26));
		if ((*ctrl & QUAD_STATE) == 0x02000000) /* no such state */
			*ctrl &= ~QUAD_STATE;
		*at(&r->card, 0xa560 + 4 * d) &= 0xffff;
		r->card.lag[d] = (int)(tt_random(&r->seed) % 3);
	}
	r->before = r->card;
}

/* Is the failed call to be made once more? */
static bool again(struct run *r, int ret)
{
	if (!ret || !r->tries_again || r->has_tried)
		return false;
	r->has_tried = true;
	r->card.fail_at = -1;
	return true;
}

#define TRY(r, ret, call)                                                                          \
	do                                                                                         \
		(ret) = (call);                                                                    \
	while (again(r, ret))

static int program_clocks(struct run *r, uint32_t counter)
{
	struct nthw_nv50_event event = { .domain = counter - NTHW_NV50_CLOCKS, .is_clocks = 1 };
	int ret;

	r->card.may |= UINT64_C(1) << counter;
	TRY(r, ret, nthw_nv50_program(&r->pm, counter, &event, &r->state));
	return ret;
}

static int program_one(struct run *r, uint32_t counter)
{
	struct nthw_nv50_event event = { .domain = counter / 4 };
	uint32_t i;
	int ret;

	for (i = 0; i < 2; i++) {
		event.mux[i] = (uint32_t)(tt_random(&r->seed) % GROUP);
		if (!mux_places[event.mux[i]].first[family_of(&r->card)] ||
		    (i && event.mux[1] == event.mux[0]))
			event.mux[i] = 0;
	}
	for (i = 0; i < 4; i++)
		event.src |= (uint32_t)(tt_random(&r->seed) % (r->pm.chip->last[counter / 4] + 1u))
			     << 8 * i;
	event.function = tt_random(&r->seed) & 0xffff;
	if (event.domain == 3) {
		event.led = (uint32_t)(tt_random(&r->seed) & 0xf);
		event.groups = r->groups;
	}
	/* A sum where nothing else has START. */
	if (counter % 4 == NTHW_NV50_EVENT && !(r->card.may & BIT(counter - 1))) {
		event.mode = (uint32_t)(tt_random(&r->seed) % 3);
		event.amount = event.mode ? event.src >> 8 : 0;
	}
	if (counter % 4 == NTHW_NV50_START && r->sums & BIT(counter + 1))
		return 0;
	r->sums = event.mode ? r->sums | BIT(counter) : r->sums & ~BIT(counter);
	r->card.may |= BIT(counter) | nthw_nv50_also(&event);
	TRY(r, ret, nthw_nv50_program(&r->pm, counter, &event, &r->state));
	if (!ret) {
		TT_IS(*at(&r->card, FIRST + 4 * (counter / 4) + 0x40 * (counter % 4)), event.src);
		TT_IS(*at(&r->card, 0xa420 + 4 * (counter / 4) + 0x40 * (counter % 4)),
		      event.function);
	}
	return ret;
}

static int end_one(struct run *r)
{
	struct nthw_nv50_period period, untouched;
	uint32_t counter;
	int ret;

	memset(&untouched, 0xa5, sizeof(untouched));
	for (counter = 0; counter < NTHW_NV50_COUNTERS; counter++)
		r->card.next[counter] = (uint32_t)tt_random(&r->seed) >> 1;
	do {
		period = untouched;
		ret = nthw_nv50_end(&r->pm, &r->state, &period);
		if (ret)
			assert_memory_equal(&period, &untouched, sizeof(period));
	} while (again(r, ret));
	for (counter = 0; !ret && counter < NTHW_NV50_COUNTERS; counter++)
		TT_IS(period.count[counter],
		      r->state.counters >> counter & 1 ? r->card.next[counter] : 0);
	if (!ret && !r->has_tried)
		TT_IS(period.unsure, 0);
	return ret;
}

static int check_all(struct run *r)
{
	uint64_t lost = 4711;
	int ret;

	TRY(r, ret, nthw_nv50_check(&r->pm, &r->state, &lost));
	TT_IS(lost, ret ? 4711 : 0);
	return ret;
}

static int restore_all(struct run *r)
{
	int ret;

	TRY(r, ret, nthw_nv50_restore(&r->pm, &r->state));
	return ret;
}

/* From beginning to end; the first error that is not tried again ends it. */
static int run_all(struct run *r)
{
	uint64_t all = nthw_nv50_all(r->pm.chip);
	uint32_t counter, last = 0;
	int ret, i;

	TRY(r, ret, nthw_nv50_identify(&r->pm));
	for (i = 0; !ret && i < 4; i++) {
		do
			counter = (uint32_t)(tt_random(&r->seed) % NTHW_NV50_COUNTERS);
		while (!(all >> counter & 1));
		if (counter >= NTHW_NV50_CLOCKS) {
			ret = program_clocks(r, counter);
			continue;
		}
		/* often another counter of the same domain */
		last = i && tt_random(&r->seed) % 2 ? last / 4 * 4 + counter % 4 : counter;
		ret = program_one(r, last);
	}
	if (ret)
		return ret;
	TRY(r, ret, nthw_nv50_begin(&r->pm, &r->state));
	if (!ret)
		ret = end_one(r);
	if (!ret)
		ret = check_all(r);
	if (!ret)
		ret = program_one(r, last);
	if (!ret)
		TRY(r, ret, nthw_nv50_begin(&r->pm, &r->state));
	if (!ret)
		ret = end_one(r);
	return ret ? ret : restore_all(r);
}

static const struct fault {
	int error;
	bool fails_on, fails_behind;
} faults[] = {
	{ -ENODEV, false, false },
	{ -ENODEV, false, true },
	{ -ENODEV, true, false },
	{ -ENODEV, true, true },
};

static void fail_at(struct run *r, const char *chip, uint64_t seed, const struct fault *fault,
		    int k)
{
	int ret;

	prepare(r, chip, seed);
	r->card.fail_at = k;
	r->card.error = fault->error;
	r->card.fails_on = fault->fails_on;
	r->card.fails_behind = fault->fails_behind;
	ret = run_all(r);
	if (ret != (r->tries_again ? 0 : fault->error))
		fail_msg("%s: access %d failed and the run says %d; accesses:\n%s", chip, k, ret,
			 r->card.log);
	if (!r->tries_again && fault->fails_on && r->state.saved)
		TT_IS(nthw_nv50_restore(&r->pm, &r->state), fault->error);
	r->card.fail_at = -1;
	TT_IS(restore_all(r), 0);
	is_as_found(&r->card, &r->before);
	is_all_zero(&r->state);
}

/* A run in which nothing fails. Returns how many accesses it has. */
static int run_well(struct run *r, const char *chip, uint64_t seed)
{
	uint32_t d;

	prepare(r, chip, seed);
	TT_IS(run_all(r), 0);
	is_as_found(&r->card, &r->before);
	is_all_zero(&r->state);
	for (d = 0; d < NTHW_NV_DOMAINS; d++)
		if (r->card.may >> 4 * d & 0xf)
			TT_IS(*at(&r->card, 0xa7c0 + 4 * d) & QUAD_STATE, 0);
	return r->card.accesses;
}

/*
 * The same run again and again; each time the next access fails. Either the run ends and all is
 * given back, or what failed is tried again and the run goes on.
 */
TEST(nothing_stays_changed_whatever_fails)
{
	static const char *const chips[] = { "G80", "G84", "G96", "GT218" };
	struct run *r = calloc(1, sizeof(*r));
	uint64_t seed = tt_seed();
	size_t n, i;
	int round, k, all;

	assert_non_null(r);
	for (n = 0; n < tt_rounds(4, 1) * NTHW_ARRAY_SIZE(chips); n++) {
		const char *chip = chips[n % NTHW_ARRAY_SIZE(chips)];
		uint64_t this = tt_random(&seed);

		all = run_well(r, chip, this);
		assert_true(all > 50);
		for (round = 0; round < 2; round++) {
			r->tries_again = round;
			for (i = 0; i < NTHW_ARRAY_SIZE(faults); i++)
				for (k = 0; k < all; k++)
					fail_at(r, chip, this, &faults[i], k);
		}
		r->tries_again = false;
	}
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_words),
		cmocka_unit_test(what_chips_have),
		cmocka_unit_test(words_of_clocks_and_slots),
		cmocka_unit_test(accesses_are_in_order),
		cmocka_unit_test(what_is_not_kept_is_put_back),
		cmocka_unit_test(what_others_took_is_theirs),
		cmocka_unit_test(restoring_goes_on),
		cmocka_unit_test(nothing_stays_changed_whatever_fails),
	};

	return TT_RUN(tests);
}
