// SPDX-License-Identifier: MIT
/*
 * Definitions of core/gpu against the tables of events that they were made from, row by row and
 * chip by chip, as functions of wires: what a clock adds, whatever the signals are. Each difference
 * is listed here, with its reason.
 */
#include <stdlib.h>
#include <string.h>

#include "core/regs/nv50_chip.h"
#include "base/common/text.h"
#include "trace/tests/lib/tesla_rows.h"
#include "base/tests/tt.h"
#include "trace/lib/derive/names.h"

#define VARIABLES 20
#define NO_WIRE 0xffffu /* a constant 0 */

/* Signals of two rows: of domain 3, wires of groups. */
struct variables {
	uint16_t wire[VARIABLES];
	size_t count;
};

/* A row as numbers of variables; negative: a constant 0. */
struct row {
	int argument[4], amount[6];
	uint32_t table;
	unsigned int bits;
};

static uint16_t wire_of(const struct nti_known_counter *k, const struct nthw_nv_chip *chip,
			uint32_t src, unsigned int i)
{
	uint32_t signal = src >> 8 * i & 0xff;

	/* Above the trailer there is nothing either, but a table that says so means something. */
	if ((int)signal == nthw_nv_zero(chip, k->set))
		return NO_WIRE;
	if (k->set == 3 && signal < 16)
		return (uint16_t)(0x100 + (k->group >> signal / 4 * 8 & 0xff) * 4 + signal % 4);
	return (uint16_t)signal;
}

static int number_of(struct variables *v, uint16_t wire)
{
	size_t i;

	if (wire == NO_WIRE)
		return -1;
	for (i = 0; i < v->count && v->wire[i] != wire; i++)
		;
	assert_true(i < VARIABLES);
	v->wire[i] = wire;
	v->count += i == v->count;
	return (int)i;
}

/* Does the function depend on argument @i? */
static bool depends(const struct nti_known_counter *k, unsigned int i)
{
	for (uint32_t a = 0; a < 16; a++)
		if ((k->event_op >> a ^ k->event_op >> (a ^ 1u << i)) & 1)
			return true;
	return false;
}

static struct row row_of(const struct nti_known_counter *k, const struct nthw_nv_chip *chip,
			 struct variables *v)
{
	struct row r = { .table = k->event_op, .bits = k->mode == 2 ? 6 : k->mode == 1 ? 4 : 0 };

	for (unsigned int i = 0; i < 4; i++)
		r.argument[i] =
			depends(k, i) ? number_of(v, wire_of(k, chip, k->event_src, i)) : -1;
	for (unsigned int i = 0; i < r.bits; i++)
		r.amount[i] =
			i < 4 && !k->has_start
				? -1
				: number_of(v, wire_of(k, chip, i < 4 ? k->start_src : k->event_src,
						       i < 4 ? i : i - 2));
	return r;
}

static uint32_t bit_of(uint32_t values, int variable, unsigned int to)
{
	return variable < 0 ? 0 : (values >> variable & 1) << to;
}

/* What a clock adds in which the variables have these values. */
static uint32_t step_of(const struct row *r, uint32_t values)
{
	uint32_t arguments = 0, amount = 0;

	for (unsigned int i = 0; i < 4; i++)
		arguments |= bit_of(values, r->argument[i], i);
	for (unsigned int i = 0; i < r->bits; i++)
		amount |= bit_of(values, r->amount[i], i);
	return r->table >> arguments & 1 ? (r->bits ? amount : 1) : 0;
}

static bool is_same_function(const struct nti_known_counter *a, const struct nti_known_counter *b,
			     const struct nthw_nv_chip *chip)
{
	struct variables v = { .count = 0 };
	struct row one = row_of(a, chip, &v), other = row_of(b, chip, &v);

	if (a->set != b->set)
		return false;
	for (uint32_t values = 0; values < 1u << v.count; values++)
		if (step_of(&one, values) != step_of(&other, values))
			return false;
	return true;
}

/* "0x40be50" is PROP of TPC 3, where G80's tables have it; ours is the first one's. */
static uint32_t first_unit(uint32_t address, const struct nthw_nv_chip *chip)
{
	return chip->family == NTHW_NV_G80 && address >= 0x40b000 ? address - 0x3000 : address;
}

/* Every multiplexer of @of is in @in, with a value of those there. */
static bool has_muxes(const struct nti_known_counter *in, const struct nti_known_counter *of,
		      const struct nthw_nv_chip *chip)
{
	for (const char *m = of->mux; *m; m = strchr(m, ';') ? strchr(m, ';') + 1 : "") {
		char *value;
		uint32_t address = first_unit((uint32_t)strtoul(m, &value, 16), chip);
		bool is_there = false;

		for (const char *o = in->mux; *o; o = strchr(o, ';') ? strchr(o, ';') + 1 : "") {
			char *at;
			uint32_t own = first_unit((uint32_t)strtoul(o, &at, 16), chip);

			for (; own == address && (*at == '=' || *at == '|');)
				is_there |=
					strtoul(at + 1, &at, 16) == strtoul(value + 1, NULL, 16);
		}
		if (!is_there)
			return false;
	}
	return true;
}

/* ---- what is known to differ ---- */

/* Kinds of differences, each of which is a mistake of the row. */
#define NO_AMOUNT 1u /* the row lacks the signals of its sum */
#define EXCHANGED 2u /* the two parts are in each other's rows: on all other chips .1 is the sum */
#define NO_MUX 4u    /* it lacks a multiplexer that rows of other chips have */
#define NO_SUCH 8u   /* it has a signal above those of the domain: digits were exchanged */

static const struct difference {
	int line;
	const char *chips, *event;
	unsigned int part, why;
} differences[] = {
	{ __LINE__, "G84,G94,G200", "geom_vertex_in_count", 0, NO_AMOUNT | NO_MUX },
	{ __LINE__, "G84,G94,G200", "shaded_pixel_count", 0, NO_AMOUNT | EXCHANGED },
	{ __LINE__, "G84,G94", "shaded_pixel_count", 1, EXCHANGED },
	{ __LINE__, "G84,G94,G200", "rasterizer_tiles_killed_by_zcull_count", 0, NO_AMOUNT },
	{ __LINE__, "G84,G94,G200", "rasterizer_tiles_in_count", 0, NO_AMOUNT | NO_MUX },
	{ __LINE__, "G84,G94,G200", "rasterizer_pixels_out_count", 0, NO_AMOUNT | EXCHANGED },
	{ __LINE__, "G84,G94,G200", "rasterizer_pixels_out_count", 1, EXCHANGED },
	{ __LINE__, "G84,G94,G200", "rop_waits_for_fb", 0, NO_MUX },
	{ __LINE__, "G84,G94,G200", "rop_samples_killed_by_earlyz_count", 0, NO_AMOUNT },
	{ __LINE__, "G84,G94,G200", "rop_samples_killed_by_latez_count", 0, NO_AMOUNT },
	{ __LINE__, "G84,G94,G200", "rop_samples_in_count", 1, NO_AMOUNT },
	{ __LINE__, "G86,G92,G96,G98", "geom_vertex_in_count", 0, NO_MUX },
	{ __LINE__, "G200,GT215,GT216,GT218", "shader_busy", 0, NO_SUCH },
	{ __LINE__, "G200", "shaded_pixel_count", 1, NO_AMOUNT | EXCHANGED },
};

static bool has_chip(const char *list, const char *chip)
{
	size_t n = strlen(chip);

	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, chip, n) == 0 && (at[n] == ',' || !at[n]))
			return true;
	return false;
}

/* Our rows of the event on the chip, of @part. */
static size_t ours(const struct nti_known_counter *k, const char *chip, unsigned int part,
		   const struct nti_known_counter *out[3])
{
	size_t n = 0;

	for (unsigned int i = 0; i < nti_known_counter_count; i++) {
		const struct nti_known_counter *o = &nti_known_counters[i];

		if (strcmp(o->event, k->event) != 0 || o->part != part || !has_chip(o->chips, chip))
			continue;
		assert_true(n < 3);
		out[n++] = o;
	}
	return n;
}

/* @k with the sum's signals and mode that @from has. */
static struct nti_known_counter completed(const struct nti_known_counter *k,
					  const struct nti_known_counter *from)
{
	struct nti_known_counter out = *k;

	out.mode = from->mode;
	out.has_start = from->has_start;
	out.start_src = from->start_src;
	out.start_op = from->start_op;
	return out;
}

static bool has_no_such(const struct nti_known_counter *k, const struct nthw_nv_chip *chip)
{
	for (unsigned int i = 0; i < 4; i++)
		if (depends(k, i) && (k->event_src >> 8 * i & 0xff) > chip->last[k->set])
			return true;
	return false;
}

/* In what @k differs from our definition. */
static unsigned int compare(const struct nti_known_counter *k, const struct nthw_nv_chip *chip)
{
	const struct nti_known_counter *same[3], *other[3];
	size_t n = ours(k, chip->name, k->part, same),
	       others = ours(k, chip->name, !k->part, other);
	const struct nti_known_counter *as = NULL;
	struct nti_known_counter whole;
	unsigned int why = 0;

	assert_true(n > 0);
	if (has_no_such(k, chip))
		return NO_SUCH;
	whole = completed(k, same[0]);
	if (is_same_function(k, same[0], chip)) {
		as = same[0];
	} else if (others && is_same_function(k, other[0], chip)) {
		as = other[0];
		why |= EXCHANGED;
	} else if (is_same_function(&whole, same[0], chip)) {
		as = same[0];
		why |= NO_AMOUNT;
	} else if (others) {
		whole = completed(k, other[0]);
		if (is_same_function(&whole, other[0], chip)) {
			as = other[0];
			why |= NO_AMOUNT | EXCHANGED;
		}
	}
	if (!as)
		fail_msg("%s %u of %s is another function", k->event, k->part, chip->name);
	/* Of a sum of three functions the row has all values. */
	for (size_t i = 0; i < n; i++)
		if (!has_muxes(k, same[i], chip))
			why |= NO_MUX;
	if (n == 1 && !has_muxes(same[0], k, chip))
		fail_msg("%s %u of %s has another multiplexer", k->event, k->part, chip->name);
	return why;
}

static unsigned int expected(const struct nti_known_counter *k, const char *chip, bool *is_met)
{
	unsigned int why = 0;

	for (size_t i = 0; i < NTI_ARRAY_SIZE(differences); i++) {
		const struct difference *d = &differences[i];

		if (strcmp(d->event, k->event) != 0 || d->part != k->part ||
		    !has_chip(d->chips, chip))
			continue;
		why |= d->why;
		is_met[i] = true;
	}
	return why;
}

TEST(definitions_are_those_of_the_tables)
{
	bool is_met[NTI_ARRAY_SIZE(differences)] = { false };
	unsigned int compared = 0, differ = 0, wrong = 0;

	for (size_t i = 0; i < tesla_row_count; i++) {
		const struct nti_known_counter *k = &tesla_rows[i];

		for (size_t c = 0; c < nthw_nv_chip_count; c++) {
			const struct nthw_nv_chip *chip = &nthw_nv_chips[c];
			unsigned int why, want;

			if (!has_chip(k->chips, chip->name))
				continue;
			why = compare(k, chip);
			want = expected(k, chip->name, is_met);
			compared++;
			differ += why != 0;
			wrong += why != want;
			if (why != want)
				print_error("%s %s %u: %#x, not %#x\n", chip->name, k->event,
					    k->part, why, want);
		}
	}
	print_message("# %u rows, %u of which differ for the reasons that are listed\n", compared,
		      differ);
	TT_IS(wrong, 0);
	TT_IS(compared, 440);
	for (size_t i = 0; i < NTI_ARRAY_SIZE(differences); i++)
		TT_EQ(&differences[i], is_met[i], true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definitions_are_those_of_the_tables),
	};

	return TT_RUN(tests);
}
