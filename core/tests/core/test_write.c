// SPDX-License-Identifier: MIT
/*
 * What a write may change: by hand for each kind of field, and for every row and random rows
 * against a look at each bit alone.
 */
#include <stdlib.h>

#include "core/base/write.h"
#include "core/regs/regs.h"
#include "base/tests/tt.h"

#define ROUNDS 20
#define RANDOM_ROWS 2000

/* One field of each kind, of four bits. */
static const struct nthw_field fields[] = {
	{ "rw", 0, 4, NTHW_RW, "" },
	{ "ro", 4, 4, NTHW_RO, "" },
	{ "os", 8, 4, NTHW_OS, "" },
	{ "os_clear", 12, 4, NTHW_OS_CLEAR, "" },
	{ "os_rw1c", 16, 4, NTHW_OS_RW1C, "" },
	{ "rw1c", 20, 4, NTHW_RW1C, "" },
	{ "w1c", 24, 4, NTHW_W1C, "" },
	{ "rw0c", 28, 4, NTHW_RW0C, "" },
};
static const struct nthw_reg all_kinds = {
	.name = "ALL",
	.space = NTHW_SPACE_MSR,
	.count = 1,
	.bits = 32,
	.writable = 0xff0000f,
	NTHW_FIELDS(fields),
	.source = "made up",
	.trust = NTHW_DOCUMENTED,
};
static const struct nthw_reg guess = {
	.name = "GUESS",
	.space = NTHW_SPACE_MSR,
	.count = 1,
	.bits = 32,
	.writable = 0xff0000f,
	NTHW_FIELDS(fields),
	.source = "made up",
	.trust = NTHW_GUESSED,
};

static const struct merge_row {
	int line;
	const struct nthw_reg *row;
	uint64_t old, value, merged, refused;
} merge_rows[] = {
	/* what is ours is as it is written, and what is not stays though 0 is written */
	{ __LINE__, &all_kinds, 0x0000, 0x000a, 0x000a, 0 },
	{ __LINE__, &all_kinds, 0x0ff5, 0x000a, 0x0ffa, 0 },
	/* what is set already may be written as set, but nothing may be added */
	{ __LINE__, &all_kinds, 0x0ff0, 0x0ff0, 0x0ff0, 0 },
	{ __LINE__, &all_kinds, 0x0110, 0x0330, 0, 0x0220 },
	/* the system's bits that nobody would handle: cleared, kept, not set */
	{ __LINE__, &all_kinds, 0xf000, 0x5000, 0x5000, 0 },
	{ __LINE__, &all_kinds, 0x5000, 0xf000, 0, 0xa000 },
	/* logs the same: writing 1 leaves them */
	{ __LINE__, &all_kinds, 0xf0000000, 0x50000000, 0x50000000, 0 },
	{ __LINE__, &all_kinds, 0x50000000, 0xf0000000, 0, 0xa0000000 },
	/* a flag of the system is never written as 1, be it set or not */
	{ __LINE__, &all_kinds, 0xf0000, 0xf0000, 0, 0 },
	{ __LINE__, &all_kinds, 0, 0x10000, 0, 0x10000 },
	/* flags of ours are cleared only by who asks for it */
	{ __LINE__, &all_kinds, 0xf00000, 0, 0, 0 },
	{ __LINE__, &all_kinds, 0xf00000, 0x300000, 0x300000, 0 },
	{ __LINE__, &all_kinds, 0, 0x5000000, 0x5000000, 0 },
	/* bits of no field are nobody's */
	{ __LINE__, &all_kinds, 0, 0x10000000, 0, 0x10000000 },
	/* of a guess nothing is ours */
	{ __LINE__, &guess, 0, 1, 0, 1 },
};

TEST(kinds_of_fields)
{
	TT_FOR_EACH_ROW(r, merge_rows) {
		uint64_t refused = nthw_write_refuses(r->row, r->old, r->value);

		TT_EQ(r, refused, r->refused);
		if (!refused)
			TT_EQ(r, nthw_write_merge(r->row, r->old, r->value), r->merged);
	}
}

TEST(flags_are_left_out_when_restoring)
{
	/* what is ours is as it was, what is not as it is now, and nothing is cleared */
	TT_IS(nthw_write_restore(&all_kinds, UINT64_MAX, 0xfffffff, 0), 0xffff);
	TT_IS(nthw_write_restore(&all_kinds, 0xf, 0x5, 0xfffffffa), 0xf000fff5);
	TT_IS(nthw_write_restore(&all_kinds, 0, 0xffffffff, 0x0ff00110), 0x110);
	TT_IS(nthw_write_acting(&all_kinds), 0x0fff0000);
}

static const struct allowed_row {
	int line;
	enum nthw_access access;
	enum nthw_trust trust;
	enum nthw_scope scope;
	bool is_allowed;
} allowed_rows[] = {
	{ __LINE__, NTHW_RW, NTHW_DOCUMENTED, NTHW_SCOPE_CPU, true },
	{ __LINE__, NTHW_RW1S, NTHW_MEASURED, NTHW_SCOPE_DEVICE, true },
	{ __LINE__, NTHW_W1C, NTHW_DOCUMENTED, NTHW_SCOPE_CPU, true },
	{ __LINE__, NTHW_RW, NTHW_GUESSED, NTHW_SCOPE_CPU, false },
	/* CPUs that the row does not name share it */
	{ __LINE__, NTHW_RW, NTHW_DOCUMENTED, NTHW_SCOPE_L3, false },
	{ __LINE__, NTHW_RO, NTHW_DOCUMENTED, NTHW_SCOPE_CPU, false },
	{ __LINE__, NTHW_OS, NTHW_DOCUMENTED, NTHW_SCOPE_CPU, false },
	{ __LINE__, NTHW_OS_RW1C, NTHW_DOCUMENTED, NTHW_SCOPE_CPU, false },
	{ __LINE__, NTHW_OS_CLEAR, NTHW_DOCUMENTED, NTHW_SCOPE_CPU, true },
	{ __LINE__, NTHW_RW0C, NTHW_DOCUMENTED, NTHW_SCOPE_CPU, true },
	{ __LINE__, NTHW_RW0C, NTHW_GUESSED, NTHW_SCOPE_CPU, false },
};

static bool is_settable_access(enum nthw_access access)
{
	return access == NTHW_RW || access == NTHW_RW1C || access == NTHW_RW1S ||
	       access == NTHW_W1C;
}

TEST(who_may_be_written)
{
	TT_FOR_EACH_ROW(r, allowed_rows) {
		const struct nthw_field field = { "f", 3, 2, r->access, "" };
		const struct nthw_reg reg = { .fields = &field,
					      .field_count = 1,
					      .trust = r->trust,
					      .scope = r->scope,
					      .writable =
						      is_settable_access(r->access) ? 0x18 : 0 };

		TT_EQ(r, nthw_write_is_allowed(&reg), r->is_allowed);
	}
}

/* ---- each bit alone ---- */

static uint64_t random_word(void)
{
	uint64_t word = 0;
	int i;

	for (i = 0; i < 5; i++)
		word = word << 15 ^ (uint64_t)rand();
	return word;
}

/* 0: in no field */
static enum nthw_access access_of(const struct nthw_reg *reg, uint32_t bit)
{
	uint32_t i;

	for (i = 0; i < reg->field_count; i++)
		if (bit >= reg->fields[i].shift &&
		    bit < (uint32_t)reg->fields[i].shift + reg->fields[i].width)
			return reg->fields[i].access;
	return (enum nthw_access)0;
}

/* What hardware has of a bit that was @old when it is written as @bit. */
static bool bit_after(enum nthw_access access, bool old, bool bit)
{
	switch (access) {
	case NTHW_OS:
	case NTHW_OS_CLEAR:
	case NTHW_RW:
		return bit;
	case NTHW_RW0C:
		return old && bit;
	case NTHW_OS_RW1C:
	case NTHW_RW1C:
		return old && !bit;
	case NTHW_RW1S:
		return old || bit;
	default:
		return old;
	}
}

/* Does writing the bit as 1 do something that was not there? */
static bool acts(enum nthw_access access)
{
	return access == NTHW_OS_RW1C || access == NTHW_RW1C || access == NTHW_RW1S ||
	       access == NTHW_W1C;
}

static void check_bit(const struct nthw_reg *reg, uint32_t bit, uint64_t old, uint64_t value)
{
	enum nthw_access access = access_of(reg, bit);
	bool is_locked = reg->trust == NTHW_GUESSED || reg->scope == NTHW_SCOPE_L3;
	bool is_ours = !is_locked && is_settable_access(access);
	bool is_clearable = access == NTHW_OS_CLEAR || access == NTHW_RW0C;
	bool was = old >> bit & 1, wanted = value >> bit & 1;
	bool written = nthw_write_merge(reg, old, value) >> bit & 1;
	bool is = bit_after(access, was, written);

	assert_int_equal(nthw_write_refuses(reg, old, value) >> bit & 1,
			 wanted && !was && !is_ours);
	if (is_ours)
		assert_int_equal(written, wanted);
	else if (is_clearable)
		assert_int_equal(is, was && wanted);
	else
		assert_int_equal(is, was);
	/* nothing is done that nobody asked for */
	if (acts(access) && written)
		assert_true(is_ours && wanted);
}

static void check_restoring(const struct nthw_reg *reg, uint64_t ours, uint64_t saved, uint64_t now)
{
	uint64_t value = nthw_write_restore(reg, ours, saved, now);
	uint32_t bit;

	for (bit = 0; bit < 64; bit++) {
		enum nthw_access access = access_of(reg, bit);
		bool from = (ours >> bit & 1 ? saved : now) >> bit & 1;

		assert_int_equal(value >> bit & 1, acts(access) ? 0 : from);
	}
}

static void check_row(const struct nthw_reg *reg)
{
	uint64_t old = random_word(), value = random_word();
	uint32_t bit;

	for (bit = 0; bit < 64; bit++)
		check_bit(reg, bit, old, value);
	/* what was refused taken out, it is allowed */
	value &= ~nthw_write_refuses(reg, old, value);
	TT_IS(nthw_write_refuses(reg, old, value), 0);
	check_restoring(reg, random_word(), old, value);
	check_restoring(reg, nthw_reg_kept(reg), old, value);
}

TEST(every_row_with_random_values)
{
	size_t i, k;
	int n;

	srand((unsigned int)tt_seed());
	for (i = 0; i < nthw_table_count; i++) {
		for (k = 0; k < nthw_tables[i]->count; k++) {
			for (n = 0; n < ROUNDS; n++)
				check_row(nthw_tables[i]->regs[k]);
		}
	}
}

TEST(random_rows)
{
	int n, round;

	srand((unsigned int)tt_seed());
	for (n = 0; n < RANDOM_ROWS; n++) {
		struct nthw_field made[64];
		struct nthw_reg reg = { .bits = 64, .fields = made };
		uint32_t at = (uint32_t)rand() % 3;

		reg.trust = NTHW_DOCUMENTED + (enum nthw_trust)(rand() % 3);
		reg.scope = NTHW_SCOPE_CPU + (enum nthw_scope)(rand() % 4);
		while (at < 64) {
			uint32_t width = 1 + (uint32_t)rand() % (64 - at);
			enum nthw_access access = NTHW_RO + (enum nthw_access)(rand() % 9);
			struct nthw_field field = { "f", (uint8_t)at, (uint8_t)width, access, "" };

			made[reg.field_count++] = field;
			if (is_settable_access(access))
				reg.writable |= nthw_field_mask(&field);
			at += width + (uint32_t)rand() % 3;
		}
		for (round = 0; round < 4; round++)
			check_row(&reg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_fields),
		cmocka_unit_test(flags_are_left_out_when_restoring),
		cmocka_unit_test(who_may_be_written),
		cmocka_unit_test(every_row_with_random_values),
		cmocka_unit_test(random_rows),
	};

	return TT_RUN(tests);
}
