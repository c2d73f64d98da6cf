// SPDX-License-Identifier: MIT
/* ntime reg diff: what changed between two dumps, or a dump and now. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command/confine.h"
#include "base/output/clean.h"
#include "base/output/json.h"
#include "count/cli/reg/dump.h"
#include "base/output/say.h"

struct comparison {
	struct cli_reg *r;
	struct cli_dump before, after;
	size_t before_n, after_n; /* of them have a value */
	json_t *array;		  /* NULL: text */
	size_t differences;
};

static int by_path(const void *left, const void *right)
{
	const struct cli_dumped *a = left, *b = right;

	return strcmp(a->path, b->path);
}

/*
 * Those without a value are not compared: they go behind the end, where cli_dump_fini() still frees
 * them.
 */
static void sort_read(struct cli_dump *d, size_t *read)
{
	struct cli_dumped one;

	*read = 0;
	for (size_t i = 0; i < d->n; i++) {
		if (d->reg[i].reason)
			continue;
		one = d->reg[i];
		d->reg[i] = d->reg[*read];
		d->reg[(*read)++] = one;
	}
	if (*read)
		qsort(d->reg, *read, sizeof(*d->reg), by_path);
}

static bool is_live(const char *name)
{
	return strcmp(name, "live") == 0;
}

static int load(struct comparison *c, struct cli_dump *d, size_t *read, const char *name)
{
	int ret = is_live(name) ? cli_dump_read(d, c->r) : cli_dump_load(d, name);

	if (!ret)
		sort_read(d, read);
	return ret;
}

static void put_fields(const struct cli_dumped *a, const struct cli_dumped *b)
{
	struct ntime_register_field field;
	uint64_t rest = a->value ^ b->value;

	for (uint32_t i = 0; cli_register_field(a->table, a->name, i, &field); i++) {
		if (!(rest & cli_field_mask(&field)))
			continue;
		rest &= ~cli_field_mask(&field);
		printf("    %2u:%-2u %-18s 0x%llx -> 0x%llx\n", field.shift + field.width - 1,
		       field.shift, field.name, (unsigned long long)cli_field_get(&field, a->value),
		       (unsigned long long)cli_field_get(&field, b->value));
	}
	if (rest)
		printf("    bits of no known field: 0x%llx\n", (unsigned long long)rest);
}

/* Two of the same register; either may be NULL: only the other one has it. */
struct change {
	const struct cli_dumped *a, *b;
};

/* {"en": ["0x0", "0x1"]} */
static json_t *fields_json(const void *of)
{
	const struct change *c = of;
	struct ntime_register_field field;
	json_t *fields = json_object();

	for (uint32_t i = 0; cli_register_field(c->a->table, c->a->name, i, &field); i++)
		if ((c->a->value ^ c->b->value) & cli_field_mask(&field))
			json_object_set_new(
				fields, field.name,
				json_pack("[o, o]",
					  cli_json_hex(cli_field_get(&field, c->a->value), 1),
					  cli_json_hex(cli_field_get(&field, c->b->value), 1)));
	return fields;
}

#define DIFF_COLUMNS(X)                                                                            \
	X(PATH, "path", CLI_OF(struct cli_dumped, path, TEXT))                                     \
	X(TABLE, "table", CLI_OF(struct cli_dumped, table, TEXT))                                  \
	X(NAME, "name", CLI_OF(struct cli_dumped, name, TEXT))                                     \
	X(BEFORE, "before")                                                                        \
	X(AFTER, "after")                                                                          \
	X(FIELDS, "fields", .flags = CLI_COLUMN_OMIT)

enum { DIFF_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { DIFF_COLUMNS(CLI_COLUMN_ROW) };

static void add_json(struct comparison *comparison, const struct change *c)
{
	static const struct cli_columns all = { .column = columns,
						.n = COLUMNS,
						.has_nulls = true };
	struct cli_cell cell[COLUMNS];

	cli_cells_fill(cell, &all, c->a ? c->a : c->b);
	if (c->a)
		cell[BEFORE] = cli_hex64(c->a->value);
	if (c->b)
		cell[AFTER] = cli_hex64(c->b->value);
	cell[FIELDS] = cli_if(c->a && c->b, cli_made(fields_json, c, ""));
	json_array_append_new(comparison->array, cli_json_row(&all, cell));
}

static void tell(struct comparison *c, const struct cli_dumped *any, const struct cli_dumped *a,
		 const struct cli_dumped *b)
{
	c->differences++;
	if (c->array) {
		add_json(c, &(struct change){ a, b });
	} else if (a && b) {
		printf("%s %s: 0x%016llx -> 0x%016llx\n", cli_clean(a->path), cli_clean(a->name),
		       (unsigned long long)a->value, (unsigned long long)b->value);
		put_fields(a, b);
	} else {
		printf("%s %s: only in %s (0x%016llx)\n", cli_clean(any->path),
		       cli_clean(any->name), cli_clean(c->r->operand[a ? 0 : 1]),
		       (unsigned long long)any->value);
	}
}

/* Both are sorted: walk them side by side. */
static void compare(struct comparison *c)
{
	size_t i = 0, k = 0;

	for (;;) {
		const struct cli_dumped *a = i < c->before_n ? &c->before.reg[i] : NULL;
		const struct cli_dumped *b = k < c->after_n ? &c->after.reg[k] : NULL;
		int order;

		if (!a && !b)
			return;
		order = !a ? 1 : !b ? -1 : strcmp(a->path, b->path);
		if (order < 0)
			tell(c, a, a, NULL);
		else if (order > 0)
			tell(c, b, NULL, b);
		else if (a->value != b->value)
			tell(c, a, a, b);
		i += order <= 0;
		k += order >= 0;
	}
}

int cli_reg_diff(struct cli_reg *r)
{
	struct comparison c = { .r = r };
	int ret;

	if (!is_live(r->operand[0]) && !is_live(r->operand[1]))
		cli_confine(r->machine.verbose);
	ret = load(&c, &c.before, &c.before_n, r->operand[0]);

	if (!ret)
		ret = load(&c, &c.after, &c.after_n, r->operand[1]);
	if (ret)
		goto out;
	c.array = r->is_json ? json_array() : NULL;
	compare(&c);
	if (c.array) {
		json_t *root = cli_json_head(ntime_version());

		json_object_set_new(root, "differences", c.array);
		cli_json_write(stdout, root, 1);
	}
	ret = cli_say_stdout_end();
	if (!ret)
		ret = c.differences > 0;
out:
	cli_dump_fini(&c.before);
	cli_dump_fini(&c.after);
	return ret;
}
