// SPDX-License-Identifier: MIT
/* ntime reg get and watch: what registers hold. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/output/csv.h"
#include "base/output/emulated.h"
#include "base/output/json.h"
#include "base/output/number.h"
#include "count/cli/reg/reg.h"
#include "base/output/say.h"
#include "base/output/term.h"
#include "base/command/wait.h"
#include "base/output/memory.h"

/*
 * Names are found one after the other, and all of them before anything is read. 0 or
 * CLI_EXIT_FAILED after a sentence.
 */
static int find_all(struct cli_reg *r, struct cli_registers *list)
{
	int ret = 0;

	for (int i = 0; i < r->n && !ret; i++)
		ret = cli_registers_find(list, r, r->operand[i]);
	return ret;
}

static void put_fields(const struct ntime_register_info *reg, uint64_t value)
{
	struct ntime_register_field field;

	for (uint32_t i = 0; cli_register_field(reg->table, reg->name, i, &field); i++)
		printf("    %2u:%-2u %-18s 0x%-10llx %s\n", field.shift + field.width - 1,
		       field.shift, field.name, (unsigned long long)cli_field_get(&field, value),
		       field.about);
}

static void put_text(const struct cli_reg *r, const struct ntime_register_info *reg, uint64_t value,
		     const char *method)
{
	printf("%s  %s  0x%016llx  (%s)\n", reg->path, reg->name, (unsigned long long)value,
	       method);
	if (!r->is_brief)
		put_fields(reg, value);
}

/* A register with a value; CSV has a row more for each field. */
struct got {
	const struct ntime_register_info *reg;
	uint64_t value;
};

#define GET_COLUMNS(X)                                                                             \
	X(PATH, "path")                                                                            \
	X(NAME, "name")                                                                            \
	X(TABLE, "table", .flags = CLI_COLUMN_NOT_CSV)                                             \
	X(METHOD, "method")                                                                        \
	X(FIELD, "field", .flags = CLI_COLUMN_NOT_JSON)                                            \
	X(VALUE, "value")                                                                          \
	X(FIELDS, "fields", .flags = CLI_COLUMN_NOT_CSV)

enum { GET_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { GET_COLUMNS(CLI_COLUMN_ROW) };
static const struct cli_columns get_columns = { .column = columns, .n = COLUMNS };

static json_t *fields_json(const void *of)
{
	const struct got *got = of;
	json_t *fields = json_object();
	struct ntime_register_field field;

	for (uint32_t i = 0; cli_register_field(got->reg->table, got->reg->name, i, &field); i++)
		json_object_set_new(fields, field.name,
				    cli_json_hex(cli_field_get(&field, got->value), 1));
	return fields;
}

static void fill(struct cli_cell *cell, const struct got *got, const char *method)
{
	cell[PATH] = cli_text(got->reg->path);
	cell[NAME] = cli_text(got->reg->name);
	cell[TABLE] = cli_text(got->reg->table);
	cell[METHOD] = cli_text(method);
	cell[VALUE] = cli_hex64(got->value);
	cell[FIELDS] = cli_made(fields_json, got, "");
}

static void put_csv(const struct got *got, struct cli_cell *cell)
{
	struct ntime_register_field field;

	cli_csv_row(stdout, &get_columns, cell);
	for (uint32_t i = 0; cli_register_field(got->reg->table, got->reg->name, i, &field); i++) {
		cell[FIELD] = cli_text(field.name);
		cell[VALUE] = cli_hex(cli_field_get(&field, got->value));
		cli_csv_row(stdout, &get_columns, cell);
	}
}

/* All in one form; registers that could not be read are told on stderr and make the run fail. */
static int get_all(struct cli_reg *r, const struct cli_registers *list, json_t *array)
{
	int status = 0;

	for (size_t i = 0; i < list->n; i++) {
		struct got got = { .reg = &list->reg[i] };
		struct cli_cell cell[COLUMNS] = { 0 };
		const char *method;
		int ret = cli_register_read(r->ctx, got.reg, &got.value, &method);

		if (ret == -ENOMEM)
			cli_memory_end();
		if (ret < 0) {
			status = cli_machine_say(r->ctx, ret);
			continue;
		}
		fill(cell, &got, method);
		if (array)
			json_array_append_new(array, cli_json_row(&get_columns, cell));
		else if (r->is_csv)
			put_csv(&got, cell);
		else
			put_text(r, got.reg, got.value, method);
	}
	return status;
}

int cli_reg_get(struct cli_reg *r)
{
	struct cli_registers list = { 0 };
	json_t *root = NULL, *array = NULL;
	int status = find_all(r, &list), ret;

	if (status)
		goto out;
	if (r->is_json) {
		array = json_array();
		root = cli_json_machine_head(ntime_version(), r->machine.recording, cli_emulated());
		json_object_set_new(root, "registers", array);
	} else if (r->is_csv) {
		cli_csv_head(stdout, &get_columns);
	}
	status = get_all(r, &list, array);
	if (root)
		cli_json_write(stdout, root, 1);
	ret = cli_say_stdout_end();
	status = ret ? ret : status;
out:
	cli_registers_fini(&list);
	return status;
}

/* ---- watch ---- */

struct watched {
	struct ntime_register *open;
	uint64_t value;
	bool has_value;
};

struct watching {
	struct cli_reg *r;
	struct cli_registers list;
	struct watched *w;
	struct cli_look look;
	uint64_t count, begin_ns;
};

static int parse_count(struct watching *s)
{
	s->count = UINT64_MAX;
	if (s->r->number && cli_number_parse(s->r->number, 1, UINT64_MAX, &s->count))
		return cli_say_misuse(s->r->self->name,
				      "-n takes a number of reads from 1, not '%s' (the time "
				      "between them is -i)",
				      s->r->number);
	return 0;
}

static int open_all(struct watching *s)
{
	s->w = cli_calloc(s->list.n, sizeof(*s->w));
	for (size_t i = 0; i < s->list.n; i++) {
		int ret = ntime_register_open(s->r->ctx, &s->list.reg[i], 0, &s->w[i].open);

		if (ret < 0)
			return cli_machine_say(s->r->ctx, ret);
	}
	return 0;
}

/* Hexadecimal digits, those with changed bits in colour. */
static void put_digits(const struct cli_look *look, uint64_t value, uint64_t changed)
{
	fputs("0x", stdout);
	for (int shift = 60; shift >= 0; shift -= 4) {
		bool is_changed = changed >> shift & 0xf;

		printf("%s%llx%s", is_changed ? cli_colour(look, CLI_WARN) : "",
		       (unsigned long long)(value >> shift & 0xf),
		       is_changed ? cli_colour(look, CLI_PLAIN) : "");
	}
}

static void put_watched(const struct watching *s, size_t i, uint64_t now, uint64_t value)
{
	const struct watched *w = &s->w[i];
	uint64_t changed = w->has_value ? w->value ^ value : 0;

	if (!s->look.is_terminal)
		printf("%.3f ", (double)(now - s->begin_ns) / 1e9);
	printf("%s %s ", s->list.reg[i].path, s->list.reg[i].name);
	put_digits(&s->look, value, changed);
	if (changed)
		printf(" changed 0x%llx", (unsigned long long)changed);
	/* Erase what a longer line left there. */
	printf("%s\n", s->look.is_terminal ? "\033[K" : "");
}

static int look_once(struct watching *s, uint64_t n)
{
	uint64_t now = cli_now_ns(), value;

	if (!n)
		s->begin_ns = now;
	/* In place: back to the first line. */
	if (s->look.is_terminal && n)
		printf("\033[%zuA", s->list.n);
	for (size_t i = 0; i < s->list.n; i++) {
		int ret = ntime_register_read(s->w[i].open, &value);

		if (ret < 0)
			return cli_machine_say(s->r->ctx, ret);
		put_watched(s, i, now, value);
		s->w[i].value = value;
		s->w[i].has_value = true;
	}
	return cli_say_stdout_end();
}

/* Looks are at whole intervals from the first one, however long they take. */
static void sleep_until(uint64_t at_ns)
{
	struct timespec at = { .tv_sec = (time_t)(at_ns / 1000000000u),
			       .tv_nsec = (long)(at_ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static int watch(struct watching *s)
{
	int ret = 0;

	for (uint64_t n = 0; n < s->count && !ret; n++) {
		if (n)
			sleep_until(s->begin_ns + n * s->r->interval_ns);
		ret = look_once(s, n);
	}
	return ret;
}

int cli_reg_watch(struct cli_reg *r)
{
	struct watching s = { .r = r, .look = cli_look_at(STDOUT_FILENO) };
	int ret = parse_count(&s);

	if (!ret)
		ret = find_all(r, &s.list);
	if (!ret)
		ret = open_all(&s);
	if (!ret)
		ret = watch(&s);
	for (size_t i = 0; s.w && i < s.list.n; i++)
		ntime_register_close(s.w[i].open);
	free(s.w);
	cli_registers_fini(&s.list);
	return ret;
}
