// SPDX-License-Identifier: MIT
/*
 * Makes the header of this folder: addresses of the rows of NVIDIA's chips in core/regs, as numbers
 * that C can switch over. Runs on the build machine.
 *
 * A family is some chips in a row of nthw_nv_chips. A number that its chips do not agree on is left
 * out, so whoever uses it does not compile. Names are those of the place and the row:
 * NTI_TESLA_PCOUNTER_PRE_SRC, NTI_G80_PGRAPH_TPC_BASE. Rows of a place that there are several of
 * are offsets in one of them; STEP and STEP_2 are from one to the next. Fields are masks:
 * NTI_TESLA_PCOUNTER_CTRL_MODE; MASK of a row is of what can be written.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/regs/nv50_chip.h"

#define NUMBERS_MAX 4096

static const struct family {
	const char *prefix, *first, *last;
} families[] = {
	{ "TESLA", "G80", "MCP89" },   { "G80", "G80", "G98" },	      { "G200", "G200", "MCP89" },
	{ "GF100", "GF100", "GF117" }, { "GK104", "GK104", "GK208" }, { "GM107", "GM107", "GM20B" },
};

static struct number {
	char name[96];
	uint32_t value;
	bool differs;
} numbers[NUMBERS_MAX];
static size_t count;

/* "PCOUNTER.GPC[#].DOM[#]" as PCOUNTER_GPC_DOM. */
static void put_name(char *to, size_t size, const char *place, const char *row, const char *what)
{
	char *at = to;

	snprintf(to, size, "%s%s%s%s%s", place, *row ? "." : "", row, *what ? "." : "", what);
	for (const char *from = to; *from; from++) {
		if (*from == '.')
			*at++ = '_';
		else if (!strchr("[#]", *from))
			*at++ = *from;
	}
	*at = '\0';
}

/* The number of this name; @value where there was none. */
static struct number *number_of(const char *place, const char *row, const char *what,
				uint32_t value)
{
	char name[sizeof(numbers[0].name)];
	size_t i = 0;

	put_name(name, sizeof(name), place, row, what);
	while (i < count && strcmp(numbers[i].name, name) != 0)
		i++;
	if (i == NUMBERS_MAX) {
		fprintf(stderr, "registers.c: more than %d numbers\n", NUMBERS_MAX);
		exit(1);
	}
	if (i == count) {
		memcpy(numbers[i].name, name, sizeof(name));
		numbers[i].differs = false;
		numbers[i].value = value;
		count++;
	}
	return &numbers[i];
}

static void add(const char *place, const char *row, const char *what, uint32_t value)
{
	struct number *n = number_of(place, row, what, value);

	n->differs |= n->value != value;
}

/* Fields that are known, and what of the register can be written on any chip of the family. */
static void add_fields(const char *place, const struct nthw_reg *reg)
{
	number_of(place, reg->name, "MASK", 0)->value |= (uint32_t)reg->writable;
	for (uint32_t i = 0; i < reg->field_count; i++)
		if (strncmp(reg->fields[i].name, "unknown", 7) != 0)
			add(place, reg->name, reg->fields[i].name,
			    (uint32_t)nthw_field_mask(&reg->fields[i]));
}

static void add_place(const struct nthw_nv_place *p)
{
	const struct nthw_table *rows = &p->table->rows;
	bool is_unit = p->step[0] != 0;

	if (p->base)
		add(p->name, "", "BASE", p->base);
	if (is_unit)
		add(p->name, "", "STEP", p->step[0]);
	if (p->step[1])
		add(p->name, "", "STEP_2", p->step[1]);
	if (is_unit)
		add(p->name, "", "COUNT", p->count[0]);
	for (size_t i = 0; i < rows->count; i++) {
		const struct nthw_reg *reg = rows->regs[i];

		add(p->name, reg->name, "", reg->addr + (is_unit ? 0 : p->base));
		if (reg->count > 1) {
			add(p->name, reg->name, "STEP", reg->step);
			add(p->name, reg->name, "LENGTH", reg->count);
		}
		if (reg->bits == 32)
			add_fields(p->name, reg);
	}
}

static bool add_family(const struct family *f)
{
	size_t i = 0;

	count = 0;
	while (i < nthw_nv_chip_count && strcmp(nthw_nv_chips[i].name, f->first) != 0)
		i++;
	for (; i < nthw_nv_chip_count; i++) {
		for (size_t k = 0; k < nthw_nv_chips[i].place_count; k++)
			add_place(&nthw_nv_chips[i].places[k]);
		if (strcmp(nthw_nv_chips[i].name, f->last) == 0)
			return true;
	}
	fprintf(stderr, "registers.c: core/regs has no chips %s to %s\n", f->first, f->last);
	return false;
}

int main(int argc, char **argv)
{
	FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;

	if (!out) {
		perror("registers.c");
		return 1;
	}
	fprintf(out, "/* Made by trace/lib/derive/registers.c. */\n#ifndef "
		     "NTI_TRACE_DERIVE_REGISTERS_H\n"
		     "#define NTI_TRACE_DERIVE_REGISTERS_H\n\n");
	for (size_t i = 0; i < NTHW_ARRAY_SIZE(families); i++) {
		if (!add_family(&families[i]))
			return 1;
		for (size_t k = 0; k < count; k++)
			if (!numbers[k].differs)
				fprintf(out, "#define NTI_%s_%s 0x%xu\n", families[i].prefix,
					numbers[k].name, numbers[k].value);
	}
	fprintf(out, "\n#endif\n");
	return fclose(out) ? 1 : 0;
}
