// SPDX-License-Identifier: MIT
/*
 * models/nv50_card against Linux's driver nouveau, whose text is compiled without a change: what it
 * does with a card's registers, and what it counts there.
 */
#include <errno.h>

#include "core/regs/nv50_chip.h"
#include "models/nv50_card.h"
#include "tests/models/nouveau/judge.h"
#include "tests/tt.h"

#define DOMAIN 1

/* ---- a card that writes down what is done with it ---- */

struct card {
	struct ntm_nv50_card model;
	uint32_t *bar;
	size_t used;
	char log[2048];
};

__attribute__((format(printf, 2, 3))) static void note(struct card *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	c->used += (size_t)vsnprintf(c->log + c->used, sizeof(c->log) - c->used, format, args);
	va_end(args);
	assert_true(c->used < sizeof(c->log));
}

static uint32_t card_read(void *card, uint32_t address)
{
	struct card *c = card;
	uint32_t value = 0;

	assert_int_equal(ntm_nv50_card_read(&c->model, address, &value), 0);
	note(c, "R %x %x\n", address, value);
	return value;
}

static void card_write(void *card, uint32_t address, uint32_t value)
{
	struct card *c = card;

	assert_int_equal(ntm_nv50_card_write(&c->model, address, value), 0);
	note(c, "W %x %x\n", address, value);
}

static void insert(struct card *c, const char *chip)
{
	memset(c, 0, sizeof(*c));
	c->bar = calloc(1, NTM_NV50_BAR_BYTES);
	assert_non_null(c->bar);
	assert_true(ntm_nv50_card_init(&c->model, nthw_nv_chip_by_name(chip), c->bar));
}

static void eject(struct card *c)
{
	free(c->bar);
}

static struct judge *judge_of(struct card *c)
{
	const struct judge_io io = { c, card_read, card_write };
	struct judge *j;

	TT_IS(judge_new(c->bar[0], &io, &j), 0);
	return j;
}

static void went(struct card *c, const char *expected)
{
	TT_TEXT(c->log, expected);
	c->used = 0;
	c->log[0] = '\0';
}

/* ---- accesses ---- */

/* PRE counts idle clocks, START both vertices and primitives, EVENT a wire of VFETCH, STOP all. */
static const struct judge_slot four[JUDGE_SLOTS] = {
	{ { 0xbd }, 0xaaaa },
	{ { 0x5c, 0x5d }, 0x8888 },
	{ { 0x6e }, 0xaaaa, "vfetch", 1 },
	{ { 0xec }, 0x5555 },
};

/* As nouveau's own module did them on an emulated card, in a kernel; typed in. */
TEST(accesses_in_order)
{
	uint32_t count[JUDGE_SLOTS], clocks;
	struct card c;
	struct judge *j;

	insert(&c, "G96");
	j = judge_of(&c);
	went(&c, "");
	TT_IS(judge_program(j, DOMAIN, four, 0), 0);
	went(&c, "W a7c4 1\nW a404 bd\nW a424 aaaa\n"
		 "W a7c4 1\nW a444 5d5c\nW a464 8888\n"
		 "W a7c4 1\nW a484 6e\nW a4a4 aaaa\nR 400c0c 0\nW 400c0c 1\n"
		 "W a7c4 1\nW a4c4 ec\nW a4e4 5555\n");
	TT_IS(judge_sample(j, DOMAIN), 0);
	went(&c, "W 400084 20\n");
	ntm_nv50_card_advance(&c.model, &(struct ntm_nv50_wires){ { { 0 } } }, 984);
	TT_IS(judge_sample(j, DOMAIN), 0);
	went(&c, "W 400084 20\n");
	TT_IS(judge_read(j, DOMAIN, count, &clocks), 0);
	went(&c, "R a704 0\nR a604 3e8\nR a6c4 0\nR a604 3e8\nR a684 0\nR a604 3e8\n"
		 "R a744 3e8\nR a604 3e8\n");
	TT_IS(clocks, 1000);
	TT_IS(count[3], 1000);
	TT_IS(judge_delete(j, DOMAIN), 0);
	went(&c, "R 400c0c 1\nW 400c0c 0\n");
	judge_free(j);
	went(&c, "");
	eject(&c);
}

static const struct refusal {
	int line;
	uint32_t domain;
	struct judge_slot slot;
	int ret;
} refusals[] = {
	{ __LINE__, 1, { { 0x5e, 0xbc }, 0x8888 }, -EINVAL },	     /* no name */
	{ __LINE__, 1, { { 0xf0 }, 0xaaaa }, -EINVAL },		     /* none at all */
	{ __LINE__, 3, { { 1 }, 0xaaaa }, -EINVAL },		     /* a domain without names */
	{ __LINE__, 8, { { 1 }, 0xaaaa }, -EINVAL },		     /* no domain */
	{ __LINE__, 1, { { 0x5c }, 0xaaaa, "vfetch", 1 }, -ENOENT }, /* of no multiplexer */
	{ __LINE__, 1, { { 0x6e }, 0xaaaa, "zcull", 1 }, -ENOENT },  /* of another one */
};

/* What nouveau refuses, and what its client does in its place, touches no register. */
TEST(refusals_without_accesses)
{
	struct card c;
	struct judge *j;

	insert(&c, "G96");
	j = judge_of(&c);
	TT_IS(judge_is_exclusive(j), -EBUSY);
	TT_FOR_EACH_ROW(r, refusals) {
		const struct judge_slot slot[JUDGE_SLOTS] = { [2] = r->slot };

		TT_EQ(r, judge_program(j, r->domain, slot, 0), r->ret);
	}
	went(&c, "");
	TT_IS(judge_program(j, DOMAIN, four, 0), 0);
	TT_IS(judge_program(j, DOMAIN, four, 0), -EEXIST);
	judge_free(j);
	eject(&c);
}

/* nouveau has a table for each chip that the model has, and for none that it has not. */
TEST(chips)
{
	for (size_t i = 0; i < nthw_nv_chip_count; i++) {
		const struct nthw_nv_chip *chip = &nthw_nv_chips[i];
		const struct judge_io io = { NULL, card_read, card_write };
		struct judge *j;

		TT_IS(judge_new((uint32_t)chip->id << 20 | 0xa1, &io, &j),
		      chip->last[0] ? 0 : -ENOENT);
		judge_free(j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_in_order),
		cmocka_unit_test(refusals_without_accesses),
		cmocka_unit_test(chips),
	};

	return TT_RUN(tests);
}
