// SPDX-License-Identifier: MIT
/* Which bits a write changes: by hand for each kind of field, and for every row with random values. */
#include <errno.h>
#include <stdlib.h>

#include "core/regs/regs.h"
#include "lib/machine/register/register.h"
#include "tests/tt.h"

#define ROUNDS 200

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
static const struct nthw_field log_fields[] = {
	{ "ro", 0, 1, NTHW_RO, "" },
	{ "rw0c", 1, 1, NTHW_RW0C, "" },
};
static const struct nthw_reg log_only = {
	.name = "LOG",
	.space = NTHW_SPACE_MSR,
	.count = 1,
	.bits = 32,
	NTHW_FIELDS(log_fields),
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
		uint64_t merged = 0, refused;
		int ret = nti_register_merge(r->row, r->old, r->value, &merged, &refused);

		TT_EQ(r, ret, r->refused ? -EINVAL : 0);
		TT_EQ(r, refused, r->refused);
		TT_EQ(r, merged, r->merged);
	}
}

TEST(flags_are_left_out_when_restoring)
{
	uint64_t value = 0;

	assert_true(nti_register_restoring(&all_kinds, 0xfffffff, &value));
	assert_int_equal(value, 0xffff);
	/* a log was cleared and cannot be set again: writing what it was would clear what came since */
	assert_false(nti_register_restoring(&log_only, 2, &value));
}

static uint64_t random_word(void)
{
	uint64_t word = 0;
	int i;

	for (i = 0; i < 5; i++)
		word = word << 15 ^ (uint64_t)rand();
	return word;
}

/* Bits that do something by being written as 1. */
static uint64_t orders(const struct nthw_reg *row)
{
	uint64_t mask = 0;
	uint32_t i;

	for (i = 0; i < row->field_count; i++) {
		if (row->fields[i].access != NTHW_RO && row->fields[i].access != NTHW_RW &&
		    row->fields[i].access != NTHW_OS && row->fields[i].access != NTHW_OS_CLEAR &&
		    row->fields[i].access != NTHW_RW0C)
			mask |= nthw_field_mask(&row->fields[i]);
	}
	return mask;
}

static void check_row(const struct nthw_reg *row)
{
	uint64_t old = random_word(), value = random_word(), merged, refused, again;

	if (nti_register_merge(row, old, value, &merged, &refused) < 0) {
		assert_true(refused);
		assert_false(refused & old);
		assert_false(refused & nthw_reg_settable(row));
		/* What was refused taken out, it is allowed. */
		assert_int_equal(nti_register_merge(row, old, value & ~refused, &merged, &refused),
				 0);
		value &= old | nthw_reg_settable(row);
	}
	/* Nothing appears that was not there and is not ours; ours is as it was written. */
	assert_false(merged & ~old & ~nthw_reg_settable(row));
	assert_int_equal(merged & nthw_reg_settable(row), value & nthw_reg_settable(row));
	if (!nti_register_restoring(row, old, &again))
		return;
	assert_false(again & orders(row));
	assert_int_equal(again, old & ~orders(row));
}

TEST(every_row_with_random_values)
{
	unsigned int seed = (unsigned int)tt_seed();
	size_t i, k;
	int n;

	srand(seed);
	for (i = 0; i < nthw_table_count; i++) {
		for (k = 0; k < nthw_tables[i]->count; k++) {
			for (n = 0; n < ROUNDS; n++)
				check_row(nthw_tables[i]->regs[k]);
		}
	}
}

TEST(names_and_tables_find_their_row)
{
	assert_ptr_equal(nti_register_row("x86", "IA32_PERFEVTSEL3"),
			 nti_register_row("x86", "IA32_PERFEVTSEL0"));
	assert_non_null(nti_register_row("armv8_pmu", "PMEVCNTR12_EL0"));
	assert_null(nti_register_row("armv8_pmu", "IA32_PERFEVTSEL0"));
	assert_null(nti_register_row("nonsense", "IA32_PERFEVTSEL0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_fields),
		cmocka_unit_test(flags_are_left_out_when_restoring),
		cmocka_unit_test(every_row_with_random_values),
		cmocka_unit_test(names_and_tables_find_their_row),
	};

	return TT_RUN(tests);
}
