// SPDX-License-Identifier: MIT
/* ntime reg ls: which registers there are. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/output/clean.h"
#include "base/output/emulated.h"
#include "base/output/json.h"
#include "count/cli/reg/reg.h"
#include "base/output/say.h"
#include "base/output/term.h"

struct listing {
	struct cli_reg *r;
	struct cli_registers found;
};

/* A pattern with *, ? or [ is that of a shell; another is a part of the name. */
static bool is_match(const char *pattern, const char *text)
{
	if (pattern[strcspn(pattern, "*?[")])
		return fnmatch(pattern, text, FNM_CASEFOLD) == 0;
	return strcasestr(text, pattern) != NULL;
}

static bool is_wanted(const struct cli_reg *r, const struct ntime_register_info *reg)
{
	for (int i = 0; i < r->n; i++)
		if (is_match(r->operand[i], reg->name) || is_match(r->operand[i], reg->path) ||
		    is_match(r->operand[i], reg->table) ||
		    (*reg->linux_name && is_match(r->operand[i], reg->linux_name)))
			return true;
	return !r->n;
}

static int add(void *arg, const struct ntime_register_info *reg)
{
	struct listing *l = arg;

	return is_wanted(l->r, reg) ? cli_registers_add(&l->found, reg) : 0;
}

static const char *trust_of(const struct ntime_register_info *reg)
{
	switch (reg->trust) {
	case NTIME_REGISTER_DOCUMENTED:
		return "documented";
	case NTIME_REGISTER_MEASURED:
		return "measured";
	default:
		return "guessed";
	}
}

static const char *access_of(const struct ntime_register_field *field)
{
	static const char *const words[] = {
		[NTIME_FIELD_RO] = "ro",
		[NTIME_FIELD_OS] = "os",
		[NTIME_FIELD_OS_CLEAR] = "os-clear",
		[NTIME_FIELD_OS_RW1C] = "os-rw1c",
		[NTIME_FIELD_RW] = "rw",
		[NTIME_FIELD_RW1C] = "rw1c",
		[NTIME_FIELD_W1C] = "w1c",
		[NTIME_FIELD_RW1S] = "rw1s",
		[NTIME_FIELD_RW0C] = "rw0c",
	};

	return field->access < sizeof(words) / sizeof(words[0]) && words[field->access]
		       ? words[field->access]
		       : "?";
}

static bool is_same_row(const struct ntime_register_info *a, const struct ntime_register_info *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->table, b->table) == 0 &&
	       a->scope == b->scope;
}

/* "core0", or "core0..3" for the same register of several units. */
static void units_of(const struct cli_registers *list, const struct ntime_register_info *first,
		     char *text, size_t size)
{
	const struct ntime_register_info *last = first;
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		if (is_same_row(&list->reg[i], first)) {
			last = &list->reg[i];
			n++;
		}
	if (n > 1 && first->scope != NTIME_REGISTER_OF_DEVICE)
		snprintf(text, size, "%s..%u", first->unit, last->number);
	else if (n > 1)
		snprintf(text, size, "%zu PCI functions", n);
	else
		snprintf(text, size, "%s", first->unit);
}

static bool is_first(const struct cli_registers *list, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_same_row(&list->reg[i], &list->reg[at]))
			return false;
	return true;
}

static void put_line(const struct cli_registers *list, const struct ntime_register_info *reg)
{
	char units[64];

	units_of(list, reg, units, sizeof(units));
	printf("%-34s %-6s 0x%-8x %c%c  %-8s %s\n", reg->name, reg->space, reg->address,
	       reg->is_readable ? 'r' : '-', reg->is_writable ? 'w' : '-',
	       *reg->method ? reg->method : "-", cli_clean(units));
}

/* Reasons once each, below the list. */
static void put_reasons(const struct cli_registers *list)
{
	const char *last = "";

	for (size_t i = 0; i < list->n; i++) {
		const struct ntime_register_info *reg = &list->reg[i];

		/* What only clears is no matter of rights. */
		if (reg->is_readable || *reg->method || strcmp(last, reg->reason) == 0)
			continue;
		last = reg->reason;
		cli_say("%s and others cannot be read: %s%s%s", reg->path, reg->reason,
			*reg->remedy ? "; remedy: " : "", reg->remedy);
	}
}

static void put_long(const struct ntime_register_info *reg)
{
	struct ntime_register_field field;

	printf("%s  %s\n", reg->path, reg->name);
	printf("    %u bits of %s, address 0x%x, table %s%s%s\n", reg->bits, reg->unit,
	       reg->address, reg->table, *reg->linux_name ? ", in Linux " : "", reg->linux_name);
	printf("    writable 0x%016llx; here %s%s\n", (unsigned long long)reg->writable,
	       reg->is_readable ? "readable" : "not readable",
	       reg->is_writable ? " and writable" : " and not writable");
	if (*reg->method)
		printf("    through %s\n", reg->method);
	if (*reg->reason)
		printf("    %s%s%s\n", cli_clean(reg->reason), *reg->remedy ? "; remedy: " : "",
		       cli_clean(reg->remedy));
	printf("    %s: %s\n", trust_of(reg), reg->source);
	for (uint32_t i = 0; cli_register_field(reg->table, reg->name, i, &field); i++)
		printf("    %2u:%-2u %-8s %-18s %s\n", field.shift + field.width - 1, field.shift,
		       access_of(&field), field.name, field.about);
}

#define FIELD(member, kind) CLI_OF(struct ntime_register_field, member, kind)
static const struct cli_column field_columns[] = {
	{ "name", FIELD(name, TEXT) },	  { "shift", FIELD(shift, COUNT) },
	{ "width", FIELD(width, COUNT) }, { "access" },
	{ "about", FIELD(about, TEXT) },
};

static json_t *fields_json(const void *of)
{
	static const struct cli_columns c = { .column = field_columns, .n = 5 };
	const struct ntime_register_info *reg = of;
	struct ntime_register_field field;
	json_t *array = json_array();
	struct cli_cell cell[5];

	for (uint32_t i = 0; cli_register_field(reg->table, reg->name, i, &field); i++) {
		cli_cells_fill(cell, &c, &field);
		cell[3] = cli_text(access_of(&field));
		json_array_append_new(array, cli_json_row(&c, cell));
	}
	return array;
}

#define REG(member, kind) CLI_OF(struct ntime_register_info, member, kind)
#define REG_COLUMNS(X)                                                                             \
	X(PATH, "path", REG(path, TEXT))                                                           \
	X(UNIT, "unit", REG(unit, TEXT))                                                           \
	X(NAME, "name", REG(name, TEXT))                                                           \
	X(LINUX_NAME, "linux_name", REG(linux_name, TEXT))                                         \
	X(TABLE, "table", REG(table, TEXT))                                                        \
	X(DEVICE, "device", REG(device, TEXT))                                                     \
	X(SPACE, "space", REG(space, TEXT))                                                        \
	X(BITS, "bits", REG(bits, COUNT))                                                          \
	X(READABLE, "readable", REG(is_readable, BOOL))                                            \
	X(WRITABLE_HERE, "writable_here", REG(is_writable, BOOL))                                  \
	X(ADDRESS, "address", REG(address, COUNT))                                                 \
	X(WRITABLE, "writable", REG(writable, HEX64))                                              \
	X(METHOD, "method", REG(method, TEXT))                                                     \
	X(TRUST, "trust")                                                                          \
	X(SOURCE, "source", REG(source, TEXT))                                                     \
	X(REASON, "reason", REG(reason, TEXT))                                                     \
	X(REMEDY, "remedy", REG(remedy, TEXT))                                                     \
	X(CODE, "reason_code", REG(reason_code, TEXT), .word = ntime_reason_name)                  \
	X(ABOUT, "about", REG(about, TEXT))                                                        \
	X(KIND, "remedy_kind", REG(remedy_kind, TEXT), .word = ntime_remedy_kind_name,             \
	  CLI_IF(struct ntime_register_info, reason_code, UINT32_MAX))                             \
	X(FIELDS, "fields")

enum { REG_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { REG_COLUMNS(CLI_COLUMN_ROW) };

static json_t *register_json(const struct ntime_register_info *reg)
{
	static const struct cli_columns c = { .column = columns, .n = COLUMNS };
	struct cli_cell cell[COLUMNS];

	cli_cells_fill(cell, &c, reg);
	cell[TRUST] = cli_text(trust_of(reg));
	cell[FIELDS] = cli_made(fields_json, reg, "");
	return cli_json_row(&c, cell);
}

static void write_json(const struct cli_reg *r, const struct cli_registers *list)
{
	json_t *root = cli_json_machine_head(ntime_version(), r->machine.recording, cli_emulated());
	json_t *array = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(array, register_json(&list->reg[i]));
	json_object_set_new(root, "registers", array);
	cli_json_write(stdout, root, 1);
}

static void write_text(const struct cli_reg *r, const struct cli_registers *list)
{
	for (size_t i = 0; i < list->n; i++) {
		if (r->machine.verbose)
			put_long(&list->reg[i]);
		else if (!is_first(list, i))
			continue;
		else if (r->only_names)
			puts(list->reg[i].name);
		else
			put_line(list, &list->reg[i]);
	}
	if (!r->only_names && !r->machine.verbose)
		put_reasons(list);
}

int cli_reg_ls(struct cli_reg *r)
{
	struct listing l = { .r = r };
	int ret = ntime_register_for_each(r->ctx, add, &l);

	if (ret < 0) {
		ret = cli_machine_say(r->ctx, ret);
	} else if (!l.found.n) {
		cli_say("no register of this machine fits '%s'", r->operand[0]);
		cli_machine_say_libraries(r->ctx);
		ret = CLI_EXIT_FAILED;
	} else {
		if (r->is_json)
			write_json(r, &l.found);
		else
			write_text(r, &l.found);
		ret = cli_say_stdout_end();
	}
	cli_registers_fini(&l.found);
	return ret;
}
