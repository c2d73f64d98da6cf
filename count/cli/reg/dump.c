// SPDX-License-Identifier: MIT
/* ntime reg dump: all registers, read, written and read back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/clean.h"
#include "base/output/emulated.h"
#include "base/output/json.h"
#include "base/output/file.h"
#include "base/output/memory.h"
#include "count/cli/reg/dump.h"
#include "base/output/say.h"

/* First line of the text form; the number grows when its lines get another meaning. */
#define MAGIC "# ntime registers 1"

static char *copy_of(const char *text)
{
	return text ? cli_strdup(text) : NULL;
}

/* One more, copied. */
static void dump_add(struct cli_dump *d, const struct cli_dumped *reg)
{
	cli_grow(&d->reg, d->n);
	d->reg[d->n++] = (struct cli_dumped){ .path = copy_of(reg->path),
					      .table = copy_of(reg->table),
					      .name = copy_of(reg->name),
					      .reason = copy_of(reg->reason),
					      .value = reg->value };
}

void cli_dump_fini(struct cli_dump *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->reg[i].path);
		free(d->reg[i].table);
		free(d->reg[i].name);
		free(d->reg[i].reason);
	}
	free(d->reg);
	*d = (struct cli_dump){ 0 };
}

/* ---- from the machine ---- */

/* 0 or -ENOMEM. */
static int read_one(struct cli_dump *d, struct cli_reg *r, const struct ntime_register_info *reg)
{
	struct cli_dumped one = { .path = (char *)(uintptr_t)reg->path,
				  .table = (char *)(uintptr_t)reg->table,
				  .name = (char *)(uintptr_t)reg->name };
	const char *method;
	int ret = cli_register_read(r->ctx, reg, &one.value, &method);

	if (ret == -ENOMEM)
		return ret;
	if (ret < 0)
		one.reason = (char *)(uintptr_t)ntime_error_text(r->ctx);
	dump_add(d, &one);
	return 0;
}

/* First reason of those that nobody lets us read. */
static const char *reason_of(const struct cli_registers *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (*list->reg[i].reason)
			return list->reg[i].reason;
	return "none of them can be read";
}

int cli_dump_read(struct cli_dump *d, struct cli_reg *r)
{
	struct cli_registers list = { 0 };
	int ret = ntime_register_for_each(r->ctx, cli_registers_add, &list);
	size_t readable = 0;

	if (ret < 0) {
		ret = cli_machine_say(r->ctx, ret);
		goto out;
	}
	ret = 0;
	for (size_t i = 0; i < list.n && !ret; i++) {
		if (!list.reg[i].is_readable)
			continue;
		readable++;
		ret = read_one(d, r, &list.reg[i]) ? cli_say_no_memory() : 0;
	}
	if (!ret && !readable) {
		cli_say("this user can read none of the %zu registers: %s", list.n,
			reason_of(&list));
		ret = CLI_EXIT_FAILED;
	}
out:
	cli_registers_fini(&list);
	return ret;
}

/* ---- to a file ---- */

static void write_text(FILE *f, const struct cli_dump *d)
{
	fprintf(f, MAGIC ", ntime %s%s%s\n", ntime_version(), cli_emulated() ? ", emulated " : "",
		cli_emulated() ? cli_emulated() : "");
	for (size_t i = 0; i < d->n; i++) {
		const struct cli_dumped *reg = &d->reg[i];

		if (reg->reason)
			fprintf(f, "# %s %s %s was not read: %s\n", reg->path, reg->table,
				reg->name, cli_clean(reg->reason));
		else
			fprintf(f, "%s %s %s 0x%016llx\n", reg->path, reg->table, reg->name,
				(unsigned long long)reg->value);
	}
}

#define DUMPED(member, kind) CLI_OF(struct cli_dumped, member, kind)
static const struct cli_column columns[] = {
	{ "path", DUMPED(path, TEXT) },	    { "table", DUMPED(table, TEXT) },
	{ "name", DUMPED(name, TEXT) },	    { "value", DUMPED(value, HEX64), .only = 1 },
	{ "reason", DUMPED(reason, TEXT) },
};

static void write_json(FILE *f, const struct cli_dump *d, bool is_simulated)
{
	const struct cli_columns read = { .column = columns, .n = 5, .with = 1 };
	const struct cli_columns not_read = { .column = columns, .n = 5 };
	json_t *root = cli_json_machine_head(ntime_version(), is_simulated, cli_emulated());
	json_t *array = json_array(), *unread = json_array();

	for (size_t i = 0; i < d->n; i++) {
		const struct cli_dumped *reg = &d->reg[i];

		json_array_append_new(reg->reason ? unread : array,
				      cli_json_struct(reg->reason ? &not_read : &read, reg));
	}
	json_object_set_new(root, "registers", array);
	json_object_set_new(root, "unread", unread);
	cli_json_write(f, root, 1);
}

int cli_reg_dump(struct cli_reg *r)
{
	struct cli_dump dump = { 0 };
	struct cli_output out;
	int ret = cli_dump_read(&dump, r);

	if (ret)
		goto out;
	ret = CLI_EXIT_FAILED;
	if (cli_output_open(&out, r->output ? r->output : "-", false))
		goto out;
	if (r->is_json)
		write_json(out.f, &dump, r->machine.recording);
	else
		write_text(out.f, &dump);
	ret = cli_output_close(&out) ? CLI_EXIT_FAILED : 0;
out:
	cli_dump_fini(&dump);
	return ret;
}

/* ---- from a file ---- */

static int say_line(const char *path, size_t line, const char *what)
{
	cli_say("%s, line %zu: %s", path, line, what);
	return CLI_EXIT_FAILED;
}

/* "PATH TABLE NAME VALUE"; lines that begin with '#' and empty ones say nothing of values. */
static int load_line(struct cli_dump *d, const char *path, size_t number, char *line)
{
	char *words[5], *rest = line;
	size_t n = 0;

	line[strcspn(line, "\n")] = '\0';
	if (!*line || *line == '#')
		return 0;
	for (char *word; n < 5 && (word = strtok_r(rest, " ", &rest));)
		words[n++] = word;
	if (n != 4)
		return say_line(path, number, "expected a path, a table, a name and a value");

	struct cli_dumped one = { .path = words[0], .table = words[1], .name = words[2] };

	if (cli_register_parse(words[3], &one.value))
		return say_line(path, number, "the value is not a 64-bit number");
	dump_add(d, &one);
	return 0;
}

static int load_text(struct cli_dump *d, FILE *f, const char *path)
{
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	for (size_t n = 1; !ret && cli_getline(&line, &room, f) >= 0; n++) {
		if (n == 1 && strncmp(line, MAGIC, strlen(MAGIC)) != 0)
			ret = say_line(path, n, "this is not a dump of ntime reg");
		else
			ret = load_line(d, path, n, line);
	}
	free(line);
	if (!ret && ferror(f)) {
		cli_say("cannot read '%s': %s", path, strerror(errno));
		ret = CLI_EXIT_FAILED;
	}
	return ret;
}

static int load_json(struct cli_dump *d, FILE *f, const char *path)
{
	json_error_t error;
	json_t *root, *array, *json;
	size_t i;
	int ret = 0;

	if (cli_json_check() < 0)
		return CLI_EXIT_FAILED;
	root = json_loadf(f, 0, &error);
	array = json_object_get(root, "registers");
	if (!root)
		return say_line(path, error.line > 0 ? (size_t)error.line : 1, error.text);
	if (!json_is_array(array)) {
		cli_say("'%s' is not a dump of ntime reg: it has no array 'registers'", path);
		ret = CLI_EXIT_FAILED;
	}
	json_array_foreach(array, i, json)
	{
		struct cli_dumped one = { 0 };
		const char *value;

		if (ret)
			break;
		if (json_unpack(json, "{s:s, s:s, s:s, s:s}", "path", &one.path, "table",
				&one.table, "name", &one.name, "value", &value) ||
		    cli_register_parse(value, &one.value)) {
			cli_say("%s: register %zu: expected a path, a table, a name and a value",
				path, i);
			ret = CLI_EXIT_FAILED;
		} else {
			dump_add(d, &one);
		}
	}
	json_decref(root);
	return ret;
}

int cli_dump_load(struct cli_dump *d, const char *path)
{
	FILE *f = cli_fopen_file(path);
	int first, ret;

	if (!f) {
		cli_say("cannot open '%s': %s", path, cli_fopen_why());
		return CLI_EXIT_FAILED;
	}
	first = getc(f);
	if (first == EOF) {
		if (ferror(f))
			cli_say("cannot read '%s': %s", path, strerror(errno));
		else
			cli_say("'%s' is empty", path);
		ret = CLI_EXIT_FAILED;
	} else {
		ungetc(first, f);
		ret = first == '{' ? load_json(d, f, path) : load_text(d, f, path);
	}
	fclose(f);
	return ret;
}
