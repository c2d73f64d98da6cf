// SPDX-License-Identifier: MIT
/*
 * Which registers tell more of other users than counts, that no such row is without its class, and
 * that docs/readable.md is what the rows say.
 */
#include <stdbool.h>

#include "core/base/names.h"
#include "core/regs/nv50_chip.h"
#include "core/regs/regs.h"
#include "core/seq/box.h"
#include "base/tests/tt.h"

#define DOC "docs/readable.md"

/*
 * Parts of the names that vendors give to such registers, among them those of registers without a
 * row, for whoever writes one.
 */
static const struct kind {
	const char *part;
	enum nthw_secret secret;
} kinds[] = {
	{ "ENERGY", NTHW_SECRET_ENERGY }, /* RAPL of Intel and AMD */
	{ "MATCH", NTHW_SECRET_ADDRESS }, /* a line of memory to count */
	{ "LBR", NTHW_SECRET_ADDRESS },	  /* records of branches: Intel, AMD */
	{ "LASTBRANCH", NTHW_SECRET_ADDRESS },
	{ "LAST_BRANCH", NTHW_SECRET_ADDRESS },
	{ "LER_", NTHW_SECRET_ADDRESS },
	{ "BRBE", NTHW_SECRET_ADDRESS }, /* of Arm */
	{ "BRBINF", NTHW_SECRET_ADDRESS },
	{ "BRBSRC", NTHW_SECRET_ADDRESS },
	{ "BRBTGT", NTHW_SECRET_ADDRESS },
	{ "PEBS", NTHW_SECRET_ADDRESS }, /* sampled instructions and accesses: Intel */
	{ "DS_AREA", NTHW_SECRET_ADDRESS },
	{ "RTIT", NTHW_SECRET_ADDRESS },   /* traces of branches: Intel */
	{ "IBS", NTHW_SECRET_ADDRESS },	   /* of AMD */
	{ "PMBPTR", NTHW_SECRET_ADDRESS }, /* of Arm: the sampling extension, the trace buffer */
	{ "PMBLIMITR", NTHW_SECRET_ADDRESS },
	{ "PMSCR", NTHW_SECRET_ADDRESS },
	{ "TRBPTR", NTHW_SECRET_ADDRESS },
	{ "TRBBASER", NTHW_SECRET_ADDRESS },
	{ "PMPCSR", NTHW_SECRET_ADDRESS },
};

/* Case as vendors mix it: "IbsOpData". */
static bool has_part(const char *name, const char *part)
{
	size_t n = strlen(part);

	for (; name && *name; name++) {
		size_t i = 0;

		while (i < n && (name[i] & ~0x20) == (part[i] & ~0x20))
			i++;
		if (i == n)
			return true;
	}
	return false;
}

static enum nthw_secret secret_by_name(const struct nthw_reg *reg)
{
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(kinds); i++)
		if (has_part(reg->name, kinds[i].part) || has_part(reg->linux_name, kinds[i].part))
			return kinds[i].secret;
	return NTHW_SECRET_NONE;
}

/* Both ways: a class that no name asks for has a name that the list lacks. */
TEST(names_of_secret_registers_have_their_class)
{
	size_t i, k, found = 0;

	for (i = 0; i < nthw_table_count; i++) {
		for (k = 0; k < nthw_tables[i]->count; k++) {
			const struct nthw_reg *reg = nthw_tables[i]->regs[k];

			if (reg->secret != secret_by_name(reg))
				fail_msg("row %s: .secret is %d, and its name says %d", reg->name,
					 (int)reg->secret, (int)secret_by_name(reg));
			found += reg->secret != NTHW_SECRET_NONE;
			/* A counter of the core is mapped, and RDPMC reads them all. */
			assert_false(reg->secret && reg->role == NTHW_ROLE_COUNTER);
		}
	}
	assert_true(found >= 8);
}

/* Whoever may read one counter of a box that always runs may read all of them. */
TEST(boxes_are_secret_as_a_whole)
{
	size_t i;
	uint32_t k;

	for (i = 0; i < nthw_box_kind_count; i++)
		for (k = 1; k < nthw_box_kinds[i]->frees; k++)
			assert_int_equal(nthw_box_kinds[i]->free[k].reg->secret,
					 nthw_box_kinds[i]->free[0].reg->secret);
}

TEST(each_class_has_its_reason)
{
	assert_null(nthw_secret_why(NTHW_SECRET_NONE));
	TT_HAS(nthw_secret_why(NTHW_SECRET_ENERGY), "CVE-2020-8694");
	TT_HAS(nthw_secret_why(NTHW_SECRET_ADDRESS), "addresses");
}

/* ---- the page ---- */

static const char *what_it_tells(const struct nthw_reg *reg)
{
	switch (reg->role) {
	case NTHW_ROLE_COUNTER:
		return "a count";
	case NTHW_ROLE_SELECT:
		return "what is counted";
	case NTHW_ROLE_CONTROL:
		return "what runs";
	case NTHW_ROLE_STATUS:
		return "state and events";
	case NTHW_ROLE_GAUGE:
		return "a measurement";
	default:
		return "identity, units, set-up";
	}
}

static const char *of_what(const struct nthw_reg *reg)
{
	switch (nthw_reg_listed(reg)) {
	case NTHW_SCOPE_PACKAGE:
		return "package";
	case NTHW_SCOPE_DEVICE:
		return "device";
	default:
		return "CPU";
	}
}

/* Boxes and rows that differ in their number alone stand for one. */
static bool has_line(const struct nthw_table *table, size_t i)
{
	const struct nthw_reg *reg = table->regs[i];
	size_t k;

	/* Of the header of PCI functions the driver shows nothing. */
	if (table == &nthw_pci || !nthw_reg_is_readable(reg))
		return false;
	if (reg->box) {
		assert_int_equal(reg->secret, NTHW_SECRET_NONE);
		return false;
	}
	for (k = 0; k < i; k++)
		if (strcmp(table->regs[k]->name, reg->name) == 0)
			return false;
	return true;
}

static void write_line(FILE *out, const struct nthw_table *table, const struct nthw_reg *reg)
{
	const char *why = nthw_secret_why(reg->secret);

	fprintf(out, "| %s | `%s` | %s | %s | %s%s |\n", table->name, reg->name, of_what(reg),
		what_it_tells(reg), why ? "root: " : "the group", why ? why : "");
}

static void write_table(FILE *out)
{
	const struct nthw_table *cards = &nthw_nv_pcounter_gt215.rows;
	size_t i, k;

	fputs("| rows | register | of each | what it tells | who reads it "
	      "|\n|---|---|---|---|---|\n",
	      out);
	for (i = 0; i < nthw_table_count; i++)
		for (k = 0; k < nthw_tables[i]->count; k++)
			if (has_line(nthw_tables[i], k))
				write_line(out, nthw_tables[i], nthw_tables[i]->regs[k]);
	/* Of graphics cards their counters are shown (driver/card.c), which have one form. */
	for (k = 0; k < cards->count; k++)
		if (cards->regs[k]->role)
			write_line(out, cards, cards->regs[k]);
}

/* From the source folder, in which meson runs the tests. */
static char *read_doc(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = fopen(DOC, "r");

	if (!f)
		fail_msg("%s: cannot be opened", DOC);
	/* All of it: it has no zero byte. */
	assert_true(getdelim(&text, &size, '\0', f) > 0);
	fclose(f);
	return text;
}

TEST(page_is_what_the_rows_say)
{
	char *doc = read_doc(), *table = NULL;
	size_t bytes;
	FILE *out = open_memstream(&table, &bytes);

	assert_non_null(out);
	write_table(out);
	fclose(out);
	if (!strstr(doc, table))
		fail_msg("%s has not this table (test_secret --table):\n%s", DOC, table);
	/* nor a line more */
	TT_IS(strlen(strstr(doc, table)), bytes);
	free(table);
	free(doc);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_secret_registers_have_their_class),
		cmocka_unit_test(boxes_are_secret_as_a_whole),
		cmocka_unit_test(each_class_has_its_reason),
		cmocka_unit_test(page_is_what_the_rows_say),
	};

	if (argc == 2 && strcmp(argv[1], "--table") == 0) {
		write_table(stdout);
		return 0;
	}
	return TT_RUN(tests);
}
