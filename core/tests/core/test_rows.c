// SPDX-License-Identifier: MIT
/* core/regs: every row is whole, agrees with itself and says where it is from. */
#include "core/base/names.h"
#include "core/regs/nv50_chip.h"
#include "core/regs/regs.h"
#include "base/tests/tt.h"

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
	check(!reg->linux_name || *reg->linux_name, reg, "has an empty name of Linux'");
	check(!reg->linux_name || strcmp(reg->linux_name, reg->name) != 0, reg,
	      "has the same name twice");
	check(reg->trust == NTHW_GUESSED || !strstr(reg->source, "from memory"), reg,
	      "is called documented and rests on memory");
	for (i = 0; i < reg->field_count; i++) {
		check(reg->fields[i].name && *reg->fields[i].name, reg, "has a field without name");
		check(reg->fields[i].about && *reg->fields[i].about, reg,
		      "has a field without a sentence");
	}
}

static void check_shape(const struct nthw_reg *reg)
{
	check(reg->space >= NTHW_SPACE_MSR && reg->space <= NTHW_SPACE_PMSEL, reg,
	      "is in no known space");
	check(reg->bits >= 1 && reg->bits <= 64, reg, "is not 1 to 64 bits wide");
	check(reg->count >= 1, reg, "has no instance");
	check((reg->count == 1) == (reg->step == 0), reg,
	      "has a step without instances or the other way round");
	check(!(reg->reset & ~mask_of_bits(reg->bits)), reg, "has a reset value wider than itself");
	check(reg->field_count >= 1, reg, "has no field");
	check(reg->scope >= NTHW_SCOPE_CPU && reg->scope <= NTHW_SCOPE_DEVICE, reg, "has no scope");
	check(reg->scope != NTHW_SCOPE_L3 || !nthw_reg_clearable(reg), reg,
	      "is shared unseen and can be cleared by one of those who share it");
	check((reg->scope == NTHW_SCOPE_DEVICE) ==
		      (reg->space == NTHW_SPACE_PCI || reg->space == NTHW_SPACE_MMIO),
	      reg, "is of a device and not in its space or the other way round");
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

/* The role is what driver and library go by: its row must look like it. */
static void check_role(const struct nthw_reg *reg)
{
	uint64_t stored = nthw_reg_stored(reg), rw = nthw_reg_bits_of(reg, NTHW_RW);
	uint32_t i;

	check(reg->role >= NTHW_ROLE_COUNTER && reg->role <= NTHW_ROLE_OTHER, reg,
	      "has no role: is it a counter, does it select events, ...?");
	check(!(reg->runs & ~(rw | nthw_reg_bits_of(reg, NTHW_RW1S))), reg,
	      "counts by bits that are not ours");
	check(!reg->runs || reg->role == NTHW_ROLE_SELECT || reg->role == NTHW_ROLE_CONTROL, reg,
	      "has bits that make something count and the role of one that has none");
	check(reg->role != NTHW_ROLE_COUNTER || (stored && !(stored & (stored + 1))), reg,
	      "is called a counter and is no number from bit 0 on");
	check(nthw_reg_is_readable(reg) || reg->role == NTHW_ROLE_CLEAR ||
		      reg->role == NTHW_ROLE_CONTROL,
	      reg, "cannot be read and is called one that tells something");
	check(!nthw_reg_is_readable(reg) || reg->role != NTHW_ROLE_CLEAR, reg,
	      "is called one that only clears and can be read");
	check(reg->role != NTHW_ROLE_GAUGE || !nthw_reg_settable(reg), reg,
	      "is called one that nobody can write");
	check(reg->role != NTHW_ROLE_STATUS || !rw, reg, "is called a status and keeps bits");
	/* what is called an enable bit is one, in whichever register of counting it is */
	for (i = 0; i < reg->field_count && reg->role <= NTHW_ROLE_CONTROL; i++)
		check(strcmp(reg->fields[i].name, "en") != 0 ||
			      (reg->runs & nthw_field_mask(&reg->fields[i])),
		      reg, "has a field en that is not among its .runs");
}

/* Who has counters has something that lets them run. */
static void check_roles(const struct nthw_table *table)
{
	const struct nthw_reg *reg;
	bool counts = false, runs = false;
	size_t i;

	FOR_EACH_REG(table, reg, i)
	{
		check_role(reg);
		counts |= reg->role == NTHW_ROLE_COUNTER;
		runs |= reg->runs != 0;
	}
	if (counts && !runs)
		fail_msg("table %s has counters and no bits that let them run", table->name);
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

/*
 * What a register sets by writing 1, the one at .clear_addr clears, bit for bit, and shows the
 * same.
 */
static void check_pair(const struct nthw_table *table, const struct nthw_reg *reg)
{
	uint64_t sets = nthw_reg_bits_of(reg, NTHW_RW1S);
	const struct nthw_reg *clear;
	uint32_t index = 1;

	check(!sets == !reg->clear_addr, reg,
	      "sets bits and does not say where they are cleared, or the other way round");
	if (!sets)
		return;
	clear = nthw_table_find(table, reg->clear_addr, &index);
	check(clear && index == 0 && clear->space == reg->space, reg, "is cleared by no register");
	if (clear)
		check(nthw_reg_bits_of(clear, NTHW_RW1C) == sets, reg,
		      "is not cleared bit for bit");
}

TEST(what_sets_is_cleared_elsewhere)
{
	const struct nthw_reg *reg;
	size_t i, k;

	for (i = 0; i < nthw_table_count; i++)
		FOR_EACH_REG(nthw_tables[i], reg, k)
	check_pair(nthw_tables[i], reg);
}

/*
 * What a driver may set: nothing in a guess or in what CPUs share unseen, everything else as the
 * row says. What counting writes must not be a guess.
 */
TEST(guesses_are_not_writable)
{
	static const char *const counting[] = {
		"IA32_PMC",
		"IA32_PERFEVTSEL",
		"IA32_FIXED_CTR",
		"IA32_FIXED_CTR_CTRL",
		"IA32_PERF_GLOBAL_CTRL",
		"IA32_PERF_GLOBAL_OVF_CTRL",
		"EVNTSEL",
		"PERFCTR",
		"PERF_CTL",
		"PERF_CTR",
		"PerfCntrGlobalCtl",
		"PerfCntrGlobalStatusClr",
		"MSR_UNCORE_PERF_GLOBAL_CTRL",
		"MSR_UNCORE_PERFEVTSEL",
		"MSR_UNCORE_FIXED_CTR_CTRL",
		"MC_CH_PCI_PMON_BOX_CTL",
		"MC_CH_PCI_PMON_CTL",
		"PMCR",
		"CCR",
		"CR",
		"PMXEVCNTR",
		"PMXEVTYPER",
		"PMCNTENSET",
		"PMCNTENCLR",
		"PMOVSR",
		"PMCR_EL0",
		"PMEVCNTR#_EL0",
		"PMEVTYPER#_EL0",
		"PMCCFILTR_EL0",
		"PMOVSCLR_EL0",
		"DF_PERF_CTL",
		"DF_PERF_CTR",
		"C0_MSR_PMON_BOX_CTL",
		"C27_MSR_PMON_CTL",
		"C27_MSR_PMON_BOX_FILTER1",
		"M2M_PCI_PMON_BOX_CTL",
		"M2M_PCI_PMON_CTL",
		"UPI_PCI_PMON_BOX_CTL",
		"UPI_PCI_PMON_CTL",
		"UPI_PCI_PMON_CTR",
	};
	const struct nthw_reg *reg;
	size_t i, k, n, found = 0;

	for (i = 0; i < nthw_table_count; i++) {
		FOR_EACH_REG(nthw_tables[i], reg, k)
		{
			bool is_read_only =
				reg->trust == NTHW_GUESSED || reg->scope == NTHW_SCOPE_L3;

			TT_IS(nthw_reg_settable(reg), is_read_only ? 0 : reg->writable);
			for (n = 0; n < NTHW_ARRAY_SIZE(counting); n++) {
				if (strcmp(reg->name, counting[n]) != 0)
					continue;
				check(nthw_reg_settable(reg) != 0, reg, "cannot be written");
				found++;
			}
		}
	}
	FOR_EACH_REG(&nthw_amd_l3, reg, k)
	{
		TT_IS(nthw_reg_settable(reg), 0);
		TT_IS(nthw_reg_listed(reg), NTHW_SCOPE_CPU);
	}
	/*
	 * PMCR and two registers of memory channels are in two tables, PMEVCNTR and PMEVTYPER are
	 * four rows each
	 */
	TT_IS(found, NTHW_ARRAY_SIZE(counting) + 3 + 6);
}

/* A table that core/regs/regs.h declares and core/regs/tables.c lacks would be found by nobody. */
TEST(every_table_is_listed)
{
	FILE *f = fopen("core/regs/regs.h", "r");
	char line[256], name[64];
	size_t i, found = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "extern const struct nthw_table nthw_%63[a-z0-9_];", name) != 1)
			continue;
		for (i = 0; i < nthw_table_count; i++)
			if (strcmp(nthw_tables[i]->name, name) == 0)
				break;
		if (i == nthw_table_count)
			fail_msg("core/regs/tables.c lacks nthw_%s, or it has another name", name);
		found++;
	}
	(void)fclose(f);
	TT_IS(found, nthw_table_count);
}

TEST(rows_are_whole)
{
	size_t i;

	assert_true(nthw_x86.count >= 17);
	for (i = 0; i < nthw_table_count; i++) {
		check_rows(nthw_tables[i]);
		check_roles(nthw_tables[i]);
	}
}

static void check_unique(const struct nthw_table *table)
{
	const struct nthw_reg *reg;
	uint32_t last = 0, instance, found = 0;
	size_t i;

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
	}
}

/* Each instance is found by each of its names, and by no other's. */
static void check_names(const struct nthw_table *table)
{
	const struct nthw_reg *reg;
	uint32_t instance, index = 0;
	size_t i;

	FOR_EACH_REG(table, reg, i)
	{
		for (instance = 0; instance < reg->count; instance++) {
			char name[NTHW_NAME_SIZE], linux_name[NTHW_NAME_SIZE];
			const struct nthw_table *in = NULL;

			check(nthw_reg_name(reg, instance, name, sizeof(name)) < sizeof(name), reg,
			      "has a name that is too long");
			check(!strchr(name, '#'), reg, "has a name without its number");
			check(nthw_find_name(&table, 1, name, &in, &index) == reg &&
				      index == instance && in == table,
			      reg, "has the name of another row");
			check(nthw_reg_linux_name(reg, instance, linux_name, sizeof(linux_name)) <
				      sizeof(linux_name),
			      reg, "has a name of Linux' that is too long");
			check(!linux_name[0] ||
				      (nthw_find_name(&table, 1, linux_name, &in, &index) == reg &&
				       index == instance),
			      reg, "has a name of Linux' that is another row's");
		}
	}
}

static const struct name_row {
	int line;
	const struct nthw_table *table;
	uint32_t addr;
	const char *name, *linux_name;
} name_rows[] = {
	{ __LINE__, &nthw_x86, 0xc4, "IA32_PMC3", "MSR_ARCH_PERFMON_PERFCTR3" },
	{ __LINE__, &nthw_x86, 0x30b, "IA32_FIXED_CTR2", "MSR_CORE_PERF_FIXED_CTR2" },
	{ __LINE__, &nthw_x86, 0x38d, "IA32_FIXED_CTR_CTRL", "MSR_CORE_PERF_FIXED_CTR_CTRL" },
	{ __LINE__, &nthw_x86, 0x611, "MSR_PKG_ENERGY_STATUS", "" },
	{ __LINE__, &nthw_amd_core, 0xc001020b, "PERF_CTR5", "MSR_F15H_PERF_CTR5" },
	{ __LINE__, &nthw_nhm_uncore, 0x3c7, "MSR_UNCORE_PERFEVTSEL7", "NHM_UNC_PERFEVTSEL7" },
	{ __LINE__, &nthw_pci, 0x24, "PCI_BASE_ADDRESS5", "PCI_BASE_ADDRESS_5" },
	{ __LINE__, &nthw_arm1176, NTHW_CP15(15, 0, 12, 3), "CR1", "" },
	{ __LINE__, &nthw_armv7_pmu, 30, "PMXEVCNTR30", "" },
	{ __LINE__, &nthw_armv8_pmu, NTHW_SYSREG(3, 3, 14, 9, 2), "PMEVCNTR10_EL0",
	  "SYS_PMEVCNTR10_EL0" },
	{ __LINE__, &nthw_armv8_pmu, NTHW_SYSREG(3, 3, 14, 15, 6), "PMEVTYPER30_EL0",
	  "SYS_PMEVTYPER30_EL0" },
	{ __LINE__, &nthw_armv8_pmu, NTHW_SYSREG(3, 3, 14, 15, 7), "PMCCFILTR_EL0",
	  "SYS_PMCCFILTR_EL0" },
};

TEST(instances_have_names)
{
	TT_FOR_EACH_ROW(r, name_rows) {
		char name[NTHW_NAME_SIZE], linux_name[NTHW_NAME_SIZE];
		const struct nthw_reg *reg;
		uint32_t index = 0;

		reg = nthw_table_find(r->table, r->addr, &index);
		assert_non_null(reg);
		TT_IS(nthw_reg_addr(reg, index), r->addr);
		TT_IS(nthw_reg_name(reg, index, name, sizeof(name)), strlen(r->name));
		assert_string_equal(name, r->name);
		nthw_reg_linux_name(reg, index, linux_name, sizeof(linux_name));
		assert_string_equal(linux_name, r->linux_name);
	}
}

TEST(names_are_found_in_all_tables)
{
	const struct nthw_table *table = NULL;
	const struct nthw_reg *reg;
	uint32_t index = 0;

	reg = nthw_find_name(nthw_tables, nthw_table_count, "SYS_PMEVTYPER17_EL0", &table, &index);
	assert_non_null(reg);
	assert_ptr_equal(table, &nthw_armv8_pmu);
	TT_IS(nthw_reg_addr(reg, index), NTHW_SYSREG(3, 3, 14, 14, 1));
	assert_null(nthw_find_name(nthw_tables, nthw_table_count, "IA32_PMC8", &table, &index));
	assert_null(nthw_find_name(nthw_tables, nthw_table_count, "IA32_PMC", &table, &index));
	assert_null(nthw_find_name(nthw_tables, nthw_table_count, "", &table, &index));
}

TEST(names_are_cut_off_where_there_is_no_room)
{
	char name[8] = "xxxxxxx";
	uint32_t index = 0;
	const struct nthw_reg *reg = nthw_table_find(&nthw_x86, 0xc8, &index);

	assert_non_null(reg);
	TT_IS(nthw_reg_name(reg, index, name, 0), 9);
	assert_string_equal(name, "xxxxxxx");
	TT_IS(nthw_reg_name(reg, index, name, 1), 9);
	assert_string_equal(name, "");
	TT_IS(nthw_reg_name(reg, index, name, sizeof(name)), 9);
	assert_string_equal(name, "IA32_PM");
}

TEST(names_and_addresses_are_unique)
{
	size_t i, k;

	for (i = 0; i < nthw_table_count; i++) {
		check_unique(nthw_tables[i]);
		check_names(nthw_tables[i]);
		for (k = 0; k < i; k++)
			assert_string_not_equal(nthw_tables[i]->name, nthw_tables[k]->name);
	}
}

/* Of NVIDIA's chips: the same rules, and values have names of fields that there are. */
static void check_nv_table(const struct nthw_nv_table *table)
{
	size_t i, k;
	uint32_t f;

	check_rows(&table->rows);
	check_unique(&table->rows);
	check_names(&table->rows);
	for (i = 0; i < table->choice_count; i++) {
		const struct nthw_choice *c = &table->choices[i];
		bool is_there = false;

		for (k = 0; k < table->rows.count && !is_there; k++) {
			const struct nthw_reg *reg = table->rows.regs[k];

			/* a file's tables share their names of values */
			if (reg->fields != c->fields)
				continue;
			for (f = 0; f < reg->field_count; f++)
				if (strcmp(reg->fields[f].name, c->field) == 0 &&
				    c->value >> reg->fields[f].width == 0)
					is_there = true;
			check(is_there, reg, "has names of values that no field can have");
		}
	}
}

/* Places in BAR 0, and no register of one in that of another. */
static void check_places(const struct nthw_nv_chip *chip)
{
	size_t i;

	for (i = 0; i < chip->place_count; i++) {
		const struct nthw_nv_place *p = &chip->places[i];
		const struct nthw_reg *last = p->table->rows.regs[p->table->rows.count - 1];
		uint64_t end = p->base + nthw_reg_addr(last, last->count - 1) + last->bits / 8;
		size_t k;

		for (k = 0; k < 2; k++) {
			check((p->count[k] > 1) == (p->step[k] != 0), last,
			      "is in a place with a step without count or the other way round");
			if (p->count[k])
				end += (uint64_t)p->step[k] * (p->count[k] - 1);
		}
		check(end <= 0x1000000, last, "is beyond BAR 0");
	}
}

/* A trailer of 32 signals ends each domain's space; from Fermi on nothing of this is known. */
static void check_die(const struct nthw_nv_chip *chip)
{
	bool is_tesla = chip->family != NTHW_NV_FERMI;

	for (uint32_t d = 0; d < NTHW_NV_DOMAINS; d++) {
		assert_true(!chip->last[d] || (chip->last[d] & 0x1f) == 0x1f);
		TT_IS(nthw_nv_zero(chip, d) == NTHW_NV_NONE, !chip->last[d]);
	}
	TT_IS(chip->last[0] != 0, is_tesla);
	TT_IS(chip->tpcs && chip->mps && chip->parts, is_tesla);
}

/*
 * The signal that NVIDIA's driver puts where an argument is not used, in its traces and in the
 * tables of events.
 */
static const struct zero_row {
	int line;
	const char *chip;
	int zero[3]; /* of domains 1, 2, 3 */
} zero_rows[] = {
	{ __LINE__, "G80", { 0xee, 0xee, 0x2e } },   { __LINE__, "G84", { 0xec, 0x8c, 0x2c } },
	{ __LINE__, "G98", { 0xec, 0x8c, 0x2c } },   { __LINE__, "G200", { 0xec, 0xec, 0x2c } },
	{ __LINE__, "GT215", { 0xec, 0xcc, 0x2c } }, { __LINE__, "GT218", { 0xec, 0xcc, 0x2c } },
};

TEST(constants_of_domains)
{
	TT_FOR_EACH_ROW(r, zero_rows) {
		for (uint32_t d = 1; d <= 3; d++)
			TT_EQ(r, nthw_nv_zero(nthw_nv_chip_by_name(r->chip), d), r->zero[d - 1]);
	}
	TT_IS(nthw_nv_zero(nthw_nv_chip_by_name("GT218"), NTHW_NV_DOMAINS), NTHW_NV_NONE);
}

TEST(chips_of_nvidia_are_whole)
{
	size_t i, k;

	for (i = 0; i < nthw_nv_chip_count; i++) {
		const struct nthw_nv_chip *chip = &nthw_nv_chips[i];

		TT_IS(chip->place_count >= 4, 1);
		check_places(chip);
		check_die(chip);
		for (k = 0; k < chip->place_count; k++)
			check_nv_table(chip->places[k].table);
		for (k = 0; k < i; k++) {
			assert_string_not_equal(nthw_nv_chips[k].name, chip->name);
			TT_IS(nthw_nv_chips[k].id != chip->id, 1);
		}
		assert_ptr_equal(nthw_nv_chip_by_boot((uint32_t)chip->id << 20 | 0xa1), chip);
		for (k = 0; k < 2; k++) {
			if (!chip->pci[k][0])
				continue;
			assert_ptr_equal(nthw_nv_chip_by_device(chip->pci[k][0]), chip);
			assert_ptr_equal(nthw_nv_chip_by_device(chip->pci[k][1]), chip);
		}
	}
	/* Newer ones have no places. */
	TT_IS(nthw_nv_chip_by_boot(0x172000a1)->place_count, 0);
	assert_null(nthw_nv_chip_by_boot(0x1fe000a1));
	assert_null(nthw_nv_chip_by_device(0x1234));
}

static const struct chip_row {
	int line;
	const char *text, *name;
	uint16_t number;
} chip_rows[] = {
	{ __LINE__, "GT218", "GT218", 0xa8 },
	{ __LINE__, "nva8", "GT218", 0xa8 },
	{ __LINE__, "0xa8", "GT218", 0xa8 },
	{ __LINE__, "0XA8", "GT218", 0xa8 },
	{ __LINE__, "MCP7A", "MCP79", 0xac },
	{ __LINE__, "gp104", "GP104", 0x134 },
	{ __LINE__, "NV172", "GA102", 0x172 },
	{ __LINE__, "NV40", NULL, 0x40 },
	{ __LINE__, "NV0f", NULL, 0 },
	{ __LINE__, "NV200", NULL, 0 },
	{ __LINE__, "NVa8x", NULL, 0 },
	{ __LINE__, "NV", NULL, 0 },
	{ __LINE__, "0x", NULL, 0 },
	{ __LINE__, "a8", NULL, 0 },
	{ __LINE__, "", NULL, 0 },
	{ __LINE__, "Voodoo", NULL, 0 },
	{ __LINE__, "0x1000000a8", NULL, 0 },
};

TEST(chips_of_nvidia_are_found_by_name_and_number)
{
	TT_FOR_EACH_ROW(r, chip_rows) {
		const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(r->text);

		TT_EQ(r, nthw_nv_chip_number(r->text), r->number);
		TT_EQ(r, chip != NULL, r->name != NULL);
		if (chip)
			TT_TEXT(chip->name, r->name);
	}
}

/* Nobody writes them through the driver: they are in none of the tables that it offers. */
TEST(rows_of_nvidia_are_not_the_drivers)
{
	size_t i, k, n;

	for (i = 0; i < nthw_nv_chip_count; i++)
		for (k = 0; k < nthw_nv_chips[i].place_count; k++)
			for (n = 0; n < nthw_table_count; n++)
				assert_ptr_not_equal(nthw_tables[n],
						     &nthw_nv_chips[i].places[k].table->rows);
}

/* Typed in again, from the documentation of the chips; boot words are those of cards. */
static const struct boot_row {
	int line;
	uint32_t boot, device;
	const char *name;
} boot_rows[] = {
	{ __LINE__, 0x084300a2, 0x0400, "G84" },   { __LINE__, 0x086f00a2, 0x042f, "G86" },
	{ __LINE__, 0x094380a1, 0x0622, "G94" },   { __LINE__, 0x0a3280a2, 0x0ca3, "GT215" },
	{ __LINE__, 0x0a8280b1, 0x0a65, "GT218" }, { __LINE__, 0x0a0000a1, 0x05e1, "G200" },
	{ __LINE__, 0x096000a1, 0x0640, "G96" },   { __LINE__, 0x092000a2, 0x0414, "G92" },
};

TEST(cards_of_nvidia_are_known)
{
	TT_FOR_EACH_ROW(r, boot_rows) {
		const struct nthw_nv_chip *chip = nthw_nv_chip_by_boot(r->boot);

		assert_non_null(chip);
		TT_STR(r, chip->name, r->name);
		assert_ptr_equal(nthw_nv_chip_by_device(r->device), chip);
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
	/*
	 * MSR_AMD64_PERF_CNTR_GLOBAL_*, MSR_F16H_L2I_PERF_*, MSR_F15H_NB_PERF_*,
	 * MSR_AMD_*_ENERGY_STATUS
	 */
	{ __LINE__, &nthw_amd_v2, "PerfCntrGlobalStatus", 0xc0000300, 1, 0 },
	{ __LINE__, &nthw_amd_v2, "PerfCntrGlobalCtl", 0xc0000301, 1, 0xffff },
	{ __LINE__, &nthw_amd_v2, "PerfCntrGlobalStatusClr", 0xc0000302, 1, 0xffff },
	{ __LINE__, &nthw_amd_l3, "ChL3PmcCfg", 0xc0010230, 6, 0xff0fdc000040ffff },
	{ __LINE__, &nthw_amd_l3, "ChL3Pmc", 0xc0010231, 6, 0x0000ffffffffffff },
	{ __LINE__, &nthw_amd_df, "DF_PERF_CTL", 0xc0010240, 16, 0x1800003f0f40ffff },
	{ __LINE__, &nthw_amd_df, "DF_PERF_CTR", 0xc0010241, 16, 0x0000ffffffffffff },
	{ __LINE__, &nthw_amd_rapl, "PKG_ENERGY_STAT", 0xc001029b, 1, 0 },
	/* mcr p15, 0, Rt, c9, c12..c14; ARMV7_EVTYPE_MASK, ARMV7_PMNC_* */
	{ __LINE__, &nthw_armv7_pmu, "PMXEVCNTR", 0, 31, 0xffffffff },
	{ __LINE__, &nthw_armv7_pmu, "PMXEVTYPER", 0x20, 31, 0xc80000ff },
	{ __LINE__, &nthw_armv7_pmu, "PMCR", 0x90c0, 1, 0xf },
	{ __LINE__, &nthw_armv7_pmu, "PMCNTENSET", 0x90c1, 1, 0xffffffff },
	{ __LINE__, &nthw_armv7_pmu, "PMCNTENCLR", 0x90c2, 1, 0xffffffff },
	{ __LINE__, &nthw_armv7_pmu, "PMOVSR", 0x90c3, 1, 0xffffffff },
	{ __LINE__, &nthw_armv7_pmu, "PMCCNTR", 0x90d0, 1, 0xffffffff },
	{ __LINE__, &nthw_armv7_pmu, "PMUSERENR", 0x90e0, 1, 0 },
	{ __LINE__, &nthw_armv7_pmu, "PMINTENSET", 0x90e1, 1, 0 },
	{ __LINE__, &nthw_armv7_pmu, "PMINTENCLR", 0x90e2, 1, 0 },
	/* sys_reg(3, 3, 9, 12..14, ..) and sys_reg(3, 3, 14, 8.., ..); ARMV8_PMU_EVTYPE_MASK */
	{ __LINE__, &nthw_armv8_pmu, "PMCR_EL0", 0x339c0, 1, 0xf },
	{ __LINE__, &nthw_armv8_pmu, "PMCNTENSET_EL0", 0x339c1, 1, 0xffffffff },
	{ __LINE__, &nthw_armv8_pmu, "PMOVSCLR_EL0", 0x339c3, 1, 0xffffffff },
	{ __LINE__, &nthw_armv8_pmu, "PMCCNTR_EL0", 0x339d0, 1, UINT64_MAX },
	{ __LINE__, &nthw_armv8_pmu, "PMUSERENR_EL0", 0x339e0, 1, 0 },
	{ __LINE__, &nthw_armv8_pmu, "PMINTENSET_EL1", 0x309e1, 1, 0 },
	{ __LINE__, &nthw_armv8_pmu, "PMCCFILTR_EL0", 0x33ef7, 1, 0xc8000000 },
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
	/*
	 * HSWEP_C0_MSR_PMON_*, step 0x10; SKX_CHA_MSR_PMON_BOX_FILTER_*, upper half in the second
	 * register
	 */
	{ __LINE__, &nthw_skx_cha, "C0_MSR_PMON_BOX_CTL", 0xe00, 1, 0x103 },
	{ __LINE__, &nthw_skx_cha, "C0_MSR_PMON_CTL", 0xe01, 4, 0xffccffff },
	{ __LINE__, &nthw_skx_cha, "C0_MSR_PMON_CTR", 0xe08, 4, 0x0000ffffffffffff },
	{ __LINE__, &nthw_skx_cha, "C9_MSR_PMON_BOX_FILTER0", 0xe95, 1, 0x07fe1fff },
	{ __LINE__, &nthw_skx_cha, "C27_MSR_PMON_BOX_FILTER1", 0xfb6, 1, 0xfffffe3b },
	{ __LINE__, &nthw_skx_cha, "C27_MSR_PMON_CTR", 0xfb8, 4, 0x0000ffffffffffff },
	/* SNBEP_PCI_PMON_*, SKX_M2M_PCI_PMON_*, SKX_UPI_PCI_PMON_*, SKX_CPUNODEID, SKX_GIDNIDMAP */
	{ __LINE__, &nthw_skx_imc, "MC_CH_PCI_PMON_CTL", 0xd8, 4, 0xffc4ffff },
	{ __LINE__, &nthw_skx_imc, "MC_CH_PCI_PMON_FIXED_CTL", 0xf0, 1, 0x400000 },
	{ __LINE__, &nthw_skx_imc, "MC_CH_PCI_PMON_BOX_CTL", 0xf4, 1, 0x103 },
	{ __LINE__, &nthw_skx_m2m, "M2M_PCI_PMON_CTR", 0x200, 4, 0x0000ffffffffffff },
	{ __LINE__, &nthw_skx_m2m, "M2M_PCI_PMON_CTL", 0x228, 4, 0xffc4ffff },
	{ __LINE__, &nthw_skx_m2m, "M2M_PCI_PMON_BOX_CTL", 0x258, 1, 0x103 },
	{ __LINE__, &nthw_skx_upi, "UPI_PCI_PMON_CTR", 0x318, 4, 0x0000ffffffffffff },
	{ __LINE__, &nthw_skx_upi, "UPI_PCI_PMON_CTL", 0x350, 4, 0x00ffefffffc4ffff },
	{ __LINE__, &nthw_skx_upi, "UPI_PCI_PMON_BOX_CTL", 0x378, 1, 0x103 },
	{ __LINE__, &nthw_skx_ubox, "CPUNODEID", 0xc0, 1, 0 },
	{ __LINE__, &nthw_skx_ubox, "GIDNIDMAP", 0xd4, 1, 0 },
	/*
	 * MSR_CORE_C*_RESIDENCY, MSR_PKG_C*_RESIDENCY, MSR_CORE_C1_RES, MSR_PLATFORM_ENERGY_STATUS,
	 * MSR_IA32_TEMPERATURE_TARGET
	 */
	{ __LINE__, &nthw_intel_cstate, "MSR_PKG_C3_RESIDENCY", 0x3f8, 1, 0 },
	{ __LINE__, &nthw_intel_cstate, "MSR_PKG_C6_RESIDENCY", 0x3f9, 1, 0 },
	{ __LINE__, &nthw_intel_cstate, "MSR_PKG_C7_RESIDENCY", 0x3fa, 1, 0 },
	{ __LINE__, &nthw_intel_cstate, "MSR_CORE_C3_RESIDENCY", 0x3fc, 1, 0 },
	{ __LINE__, &nthw_intel_cstate, "MSR_CORE_C6_RESIDENCY", 0x3fd, 1, 0 },
	{ __LINE__, &nthw_intel_cstate, "MSR_CORE_C7_RESIDENCY", 0x3fe, 1, 0 },
	{ __LINE__, &nthw_intel_cstate, "MSR_PKG_C2_RESIDENCY", 0x60d, 1, 0 },
	{ __LINE__, &nthw_intel_cstate, "MSR_PKG_C8_RESIDENCY", 0x630, 1, 0 },
	{ __LINE__, &nthw_intel_cstate, "MSR_PKG_C9_RESIDENCY", 0x631, 1, 0 },
	{ __LINE__, &nthw_intel_cstate, "MSR_PKG_C10_RESIDENCY", 0x632, 1, 0 },
	{ __LINE__, &nthw_intel_cstate, "MSR_CORE_C1_RES", 0x660, 1, 0 },
	{ __LINE__, &nthw_x86, "MSR_PLATFORM_ENERGY_STATUS", 0x64d, 1, 0 },
	{ __LINE__, &nthw_x86, "MSR_TEMPERATURE_TARGET", 0x1a2, 1, 0 },
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

/*
 * THERM_STATUS_CLEAR_CORE_MASK and _PKG_MASK of Linux' therm_throt.c. Hardware keeps none of it as
 * written.
 */
static const struct log_row {
	int line;
	uint32_t addr;
	uint64_t clearable;
} log_rows[] = {
	{ __LINE__, 0x19c, 0xaaaa },
	{ __LINE__, 0x1b1, 0x0aaa },
};

TEST(logs_can_be_cleared_and_not_set)
{
	TT_FOR_EACH_ROW(r, log_rows) {
		uint32_t index;
		const struct nthw_reg *reg = nthw_table_find(&nthw_x86, r->addr, &index);

		assert_non_null(reg);
		TT_EQ(r, nthw_reg_clearable(reg), r->clearable);
		TT_EQ(r, nthw_reg_settable(reg), 0);
		TT_EQ(r, nthw_reg_stored(reg), 0);
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
		cmocka_unit_test(every_table_is_listed),
		cmocka_unit_test(what_sets_is_cleared_elsewhere),
		cmocka_unit_test(guesses_are_not_writable),
		cmocka_unit_test(instances_have_names),
		cmocka_unit_test(names_are_found_in_all_tables),
		cmocka_unit_test(names_are_cut_off_where_there_is_no_room),
		cmocka_unit_test(names_and_addresses_are_unique),
		cmocka_unit_test(constants_of_domains),
		cmocka_unit_test(chips_of_nvidia_are_whole),
		cmocka_unit_test(chips_of_nvidia_are_found_by_name_and_number),
		cmocka_unit_test(rows_of_nvidia_are_not_the_drivers),
		cmocka_unit_test(cards_of_nvidia_are_known),
		cmocka_unit_test(addresses_are_found),
		cmocka_unit_test(known_rows_are_there),
		cmocka_unit_test(what_hardware_keeps_is_told),
		cmocka_unit_test(logs_can_be_cleared_and_not_set),
		cmocka_unit_test(fields_are_cut_out),
		cmocka_unit_test(only_what_tells_something_is_readable),
	};

	return TT_RUN(tests);
}
