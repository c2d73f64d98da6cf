// SPDX-License-Identifier: MIT
/* ntime reg diff: what changed between two dumps, or a dump and now. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/json.h"
#include "cli/reg/dump.h"
#include "cli/output/say.h"

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

/* Those without a value are not compared: they go behind the end, where cli_dump_fini() still frees them. */
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

static int load(struct comparison *c, struct cli_dump *d, size_t *read, const char *name)
{
	int ret = strcmp(name, "live") == 0 ? cli_dump_read(d, c->r) : cli_dump_load(d, name);

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

static json_t *fields_json(const struct cli_dumped *a, const struct cli_dumped *b)
{
	struct ntime_register_field field;
	json_t *fields = json_object();
	char before[24], after[24];

	for (uint32_t i = 0; cli_register_field(a->table, a->name, i, &field); i++) {
		if (!((a->value ^ b->value) & cli_field_mask(&field)))
			continue;
		snprintf(before, sizeof(before), "0x%llx",
			 (unsigned long long)cli_field_get(&field, a->value));
		snprintf(after, sizeof(after), "0x%llx",
			 (unsigned long long)cli_field_get(&field, b->value));
		json_object_set_new(fields, field.name, json_pack("[s, s]", before, after));
	}
	return fields;
}

static json_t *hex_json(const struct cli_dumped *reg)
{
	char text[24];

	if (!reg)
		return json_null();
	snprintf(text, sizeof(text), "0x%016llx", (unsigned long long)reg->value);
	return json_string(text);
}

/* @any is @a or @b, of which one may be NULL: only the other one has it. */
static void add_json(struct comparison *c, const struct cli_dumped *any, const struct cli_dumped *a,
		     const struct cli_dumped *b)
{
	json_t *json =
		json_pack("{s:s, s:s, s:s, s:o, s:o}", "path", any->path, "table", any->table,
			  "name", any->name, "before", hex_json(a), "after", hex_json(b));

	if (a && b)
		json_object_set_new(json, "fields", fields_json(a, b));
	json_array_append_new(c->array, json);
}

static void tell(struct comparison *c, const struct cli_dumped *any, const struct cli_dumped *a,
		 const struct cli_dumped *b)
{
	c->differences++;
	if (c->array) {
		add_json(c, any, a, b);
	} else if (a && b) {
		printf("%s %s: 0x%016llx -> 0x%016llx\n", a->path, a->name,
		       (unsigned long long)a->value, (unsigned long long)b->value);
		put_fields(a, b);
	} else {
		printf("%s %s: only in %s (0x%016llx)\n", any->path, any->name,
		       c->r->operand[a ? 0 : 1], (unsigned long long)any->value);
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
	int ret = load(&c, &c.before, &c.before_n, r->operand[0]);

	if (!ret)
		ret = load(&c, &c.after, &c.after_n, r->operand[1]);
	if (ret)
		goto out;
	c.array = r->is_json ? json_array() : NULL;
	compare(&c);
	if (c.array)
		cli_json_write(stdout,
			       json_pack("{s:s, s:i, s:o}", "ntime", ntime_version(), "schema",
					 CLI_SCHEMA, "differences", c.array),
			       1);
	ret = cli_say_stdout_end();
	if (!ret)
		ret = c.differences > 0;
out:
	cli_dump_fini(&c.before);
	cli_dump_fini(&c.after);
	return ret;
}
