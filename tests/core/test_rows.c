// SPDX-License-Identifier: MIT
/* core/regs: every row is whole, agrees with itself and says where it is from. */
#include "core/regs/regs.h"
#include "tests/tt.h"

#define FOR_EACH_REG(t, r, i) for (i = 0; i < (t)->count && (r = (t)->regs[i]); i++)

static uint64_t mask_of_bits(uint32_t bits)
{
	return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

static void check(bool is_right, const struct nthw_reg *reg, const char *what)
{
	if (is_right)
		return;
	print_error("row %s: %s\n", reg->name ? reg->name : "(no name)", what);
	fail();
}

static void check_texts(const struct nthw_reg *reg)
{
	uint32_t i;

	check(reg->name && *reg->name, reg, "has no name");
	check(reg->source && *reg->source, reg, "has no source");
	check(reg->trust >= NTHW_DOCUMENTED && reg->trust <= NTHW_GUESSED, reg, "has no trust");
	for (i = 0; i < reg->field_count; i++) {
		check(reg->fields[i].name && *reg->fields[i].name, reg, "has a field without name");
		check(reg->fields[i].about && *reg->fields[i].about, reg,
		      "has a field without a sentence");
	}
}

static void check_shape(const struct nthw_reg *reg)
{
	check(reg->space >= NTHW_SPACE_MSR && reg->space <= NTHW_SPACE_MMIO, reg,
	      "is in no known space");
	check(reg->bits >= 1 && reg->bits <= 64, reg, "is not 1 to 64 bits wide");
	check(reg->count >= 1, reg, "has no instance");
	check((reg->count == 1) == (reg->step == 0), reg,
	      "has a step without instances or the other way round");
	check(!(reg->reset & ~mask_of_bits(reg->bits)), reg, "has a reset value wider than itself");
	check(reg->field_count >= 1, reg, "has no field");
}

static void check_fields(const struct nthw_reg *reg)
{
	uint64_t seen = 0, writable = 0;
	uint32_t i, k;

	for (i = 0; i < reg->field_count; i++) {
		const struct nthw_field *f = &reg->fields[i];

		check(f->width >= 1 && f->shift + f->width <= (int)reg->bits, reg,
		      "has a field outside its bits");
		check(!(seen & nthw_field_mask(f)), reg, "has overlapping fields");
		check(f->access >= NTHW_RO && f->access <= NTHW_W1C, reg,
		      "has a field without access");
		seen |= nthw_field_mask(f);
		if (f->access >= NTHW_RW)
			writable |= nthw_field_mask(f);
		for (k = 0; k < i; k++)
			check(strcmp(reg->fields[k].name, f->name) != 0, reg,
			      "has two fields of one name");
	}
	check(writable == reg->writable, reg,
	      "has a writable mask that is not the union of its fields");
}

static void check_rows(const struct nthw_table *table)
{
	const struct nthw_reg *reg;
	size_t i;

	assert_true(table->count >= 1);
	FOR_EACH_REG(table, reg, i)
	{
		check_texts(reg);
		check_shape(reg);
		check_fields(reg);
	}
}

TEST(rows_are_whole)
{
	size_t i;

	assert_true(nthw_x86.count >= 18);
	for (i = 0; i < nthw_table_count; i++)
		check_rows(nthw_tables[i]);
}

static void check_unique(const struct nthw_table *table)
{
	const struct nthw_reg *reg;
	uint32_t last = 0, instance, found = 0;
	size_t i, k;

	FOR_EACH_REG(table, reg, i)
	{
		check(i == 0 || reg->addr > last, reg, "is out of order");
		last = reg->addr;
		/* instances of two rows may alternate, but an address belongs to one */
		for (instance = 0; instance < reg->count; instance++) {
			check(nthw_table_find(table, reg->addr + instance * reg->step, &found) ==
				      reg,
			      reg, "has an address of another row");
			check(found == instance, reg, "is found as another instance");
		}
		for (k = 0; k < i; k++)
			check(strcmp(table->regs[k]->name, reg->name) != 0, reg,
			      "has the name of another row");
	}
}

TEST(names_and_addresses_are_unique)
{
	size_t i, k;

	for (i = 0; i < nthw_table_count; i++) {
		check_unique(nthw_tables[i]);
		for (k = 0; k < i; k++)
			assert_string_not_equal(nthw_tables[i]->name, nthw_tables[k]->name);
	}
}

TEST(addresses_are_found)
{
	uint32_t index = 9;

	/* 0xc1 to 0xc8 are IA32_PMC0 to 7; 0xc0 and 0xc9 are in no row */
	assert_string_equal(nthw_table_find(&nthw_x86, 0xc1, &index)->name, "IA32_PMC");
	TT_IS(index, 0);
	assert_string_equal(nthw_table_find(&nthw_x86, 0xc8, &index)->name, "IA32_PMC");
	TT_IS(index, 7);
	assert_null(nthw_table_find(&nthw_x86, 0xc0, &index));
	assert_null(nthw_table_find(&nthw_x86, 0xc9, &index));
	assert_null(nthw_table_find(&nthw_x86, UINT32_MAX, &index));
}

static const struct known_row {
	int line;
	const struct nthw_table *table;
	const char *name;
	uint32_t addr, count;
	uint64_t writable;
} known_rows[] = {
	/* typed in again; addresses as in Linux arch/x86/include/asm/msr-index.h */
	{ __LINE__, &nthw_x86, "IA32_TIME_STAMP_COUNTER", 0x10, 1, 0 },
	{ __LINE__, &nthw_x86, "IA32_PMC", 0xc1, 8, 0xffffffff },
	{ __LINE__, &nthw_x86, "IA32_PERFEVTSEL", 0x186, 8, 0xffe7ffff },
	{ __LINE__, &nthw_x86, "IA32_FIXED_CTR", 0x309, 4, UINT64_MAX },
	{ __LINE__, &nthw_x86, "IA32_FIXED_CTR_CTRL", 0x38d, 1, 0x3777 },
	{ __LINE__, &nthw_x86, "IA32_PERF_GLOBAL_CTRL", 0x38f, 1, 0x0001000f000000ff },
	{ __LINE__, &nthw_x86, "MSR_RAPL_POWER_UNIT", 0x606, 1, 0 },
	{ __LINE__, &nthw_x86, "MSR_PKG_ENERGY_STATUS", 0x611, 1, 0 },
	/* MSR_K7_*, MSR_F15H_PERF_*; event 0-7 and 32-35, umask, usr, os, edge, en, inv, cmask */
	{ __LINE__, &nthw_amd_legacy, "EVNTSEL", 0xc0010000, 4, 0x0000000fffc7ffff },
	{ __LINE__, &nthw_amd_legacy, "PERFCTR", 0xc0010004, 4, 0x0000ffffffffffff },
	{ __LINE__, &nthw_amd_core, "PERF_CTL", 0xc0010200, 6, 0x0000000fffc7ffff },
	{ __LINE__, &nthw_amd_core, "PERF_CTR", 0xc0010201, 6, 0x0000ffffffffffff },
	/* the recipe for finding throttled blades; NHM_UNC_* of Linux' uncore_snb.c */
	{ __LINE__, &nthw_nhm_uncore, "MSR_UNCORE_PERF_GLOBAL_CTRL", 0x391, 1, 0x1000000ff },
	{ __LINE__, &nthw_nhm_uncore, "MSR_UNCORE_PERF_GLOBAL_STATUS", 0x392, 1, 0 },
	{ __LINE__, &nthw_nhm_uncore, "MSR_UNCORE_PERF_GLOBAL_OVF_CTRL", 0x393, 1,
	  0xa0000001000000ff },
	{ __LINE__, &nthw_nhm_uncore, "MSR_UNCORE_FIXED_CTR0", 0x394, 1, 0x0000ffffffffffff },
	{ __LINE__, &nthw_nhm_uncore, "MSR_UNCORE_FIXED_CTR_CTRL", 0x395, 1, 1 },
	{ __LINE__, &nthw_nhm_uncore, "MSR_UNCORE_ADDR_OPCODE_MATCH", 0x396, 1,
	  0xe000fffffffffff8 },
	{ __LINE__, &nthw_nhm_uncore, "MSR_UNCORE_PMC", 0x3b0, 8, 0x0000ffffffffffff },
	{ __LINE__, &nthw_nhm_uncore, "MSR_UNCORE_PERFEVTSEL", 0x3c0, 8, 0xffc6ffff },
};

TEST(known_rows_are_there)
{
	TT_FOR_EACH_ROW(r, known_rows) {
		const struct nthw_reg *reg, *found = NULL;
		size_t i;

		FOR_EACH_REG(r->table, reg, i)
		if (strcmp(reg->name, r->name) == 0)
			found = reg;
		assert_non_null(found);
		TT_EQ(r, found->addr, r->addr);
		TT_EQ(r, found->count, r->count);
		TT_EQ(r, found->writable, r->writable);
	}
}

static const struct kept_row {
	int line;
	const struct nthw_table *table;
	uint32_t addr;
	uint64_t kept;
} kept_rows[] = {
	/* hardware keeps what is the kernel's as well: pin control and interrupt enables */
	{ __LINE__, &nthw_x86, 0x186, 0xffffffff },
	{ __LINE__, &nthw_x86, 0x38d, 0xbfff },
	{ __LINE__, &nthw_x86, 0x38e, 0 },
	{ __LINE__, &nthw_amd_core, 0xc001020a, 0x30fffd7ffff },
	{ __LINE__, &nthw_nhm_uncore, 0x391, 0x800f0001000000ff },
	{ __LINE__, &nthw_nhm_uncore, 0x395, 5 },
	{ __LINE__, &nthw_nhm_uncore, 0x3c7, 0xffd4ffff },
};

TEST(what_hardware_keeps_is_told)
{
	TT_FOR_EACH_ROW(r, kept_rows) {
		uint32_t index;
		const struct nthw_reg *reg = nthw_table_find(r->table, r->addr, &index);

		assert_non_null(reg);
		TT_EQ(r, nthw_reg_stored(reg), r->kept);
	}
}

TEST(fields_are_cut_out)
{
	static const struct nthw_field energy = { "energy", 8, 5, NTHW_RO, "" };
	static const struct nthw_field all = { "all", 0, 64, NTHW_RO, "" };

	/* 0xa0e03: power 3, energy 14 (61 uJ), time 10 */
	TT_IS(nthw_field_get(&energy, 0xa0e03), 14);
	TT_IS(nthw_field_get(&all, UINT64_MAX), UINT64_MAX);
	TT_IS(nthw_field_mask(&energy), 0x1f00);
}

TEST(only_what_tells_something_is_readable)
{
	const struct nthw_reg *reg;
	size_t i;

	FOR_EACH_REG(&nthw_x86, reg, i)
	TT_IS(nthw_reg_is_readable(reg), strcmp(reg->name, "IA32_PERF_GLOBAL_OVF_CTRL") != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(names_and_addresses_are_unique),
		cmocka_unit_test(addresses_are_found),
		cmocka_unit_test(known_rows_are_there),
		cmocka_unit_test(what_hardware_keeps_is_told),
		cmocka_unit_test(fields_are_cut_out),
		cmocka_unit_test(only_what_tells_something_is_readable),
	};

	return TT_RUN(tests);
}
