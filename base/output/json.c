// SPDX-License-Identifier: MIT
/* JSON values from what C has. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/output/clean.h"
#include "base/output/json.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/output/say.h"
#include "base/output/stamp.h"
#include "base/lazy/lazy.h"

int cli_json_check(void)
{
	char why[NTI_LAZY_WHY_BYTES];
	int ret = nti_lazy_load(&nti_lazy_jansson, why);

	if (ret == -ENOMEM)
		cli_memory_end();
	if (ret < 0) {
		cli_say("cannot read or write JSON: %s; install %s", why, nti_lazy_jansson.package);
		return ret;
	}
	/* Else a value that finds no memory is missing in what is written, and nobody knows. */
	json_set_alloc_funcs(cli_malloc, free);
	return 0;
}

static json_t *text_json(const char *text, size_t bytes)
{
	json_t *json = json_stringn(text, bytes); /* NULL unless it is UTF-8 */
	char *clean, *to;
	uint32_t code;

	if (json)
		return json;
	clean = cli_malloc(3 * bytes + 1);
	for (to = clean; bytes;) {
		size_t n = cli_utf8_char(text, bytes, &code), some = n ? n : 1;

		memcpy(to, n ? text : "\xef\xbf\xbd", n ? n : 3);
		to += n ? n : 3;
		text += some;
		bytes -= some;
	}
	json = json_stringn(clean, (size_t)(to - clean));
	free(clean);
	return json;
}

json_t *cli_json_text(const char *text)
{
	return text_json(text, strlen(text));
}

json_t *cli_json_count(uint64_t count)
{
	return count <= INT64_MAX ? json_integer((json_int_t)count) : json_real((double)count);
}

json_t *cli_json_number(double number)
{
	if (!isfinite(number))
		return json_null();
	if (number == nearbyint(number) && fabs(number) < 9007199254740992.0)
		return json_integer((json_int_t)number);
	return json_real(number);
}

json_t *cli_json_hex(uint64_t value, unsigned int digits)
{
	return json_string(cli_number_hex(value, digits).text);
}

json_t *cli_json_head(const char *version)
{
	return json_pack("{s:s, s:i}", "ntime", version, "schema", CLI_SCHEMA);
}

json_t *cli_json_machine_head(const char *version, bool is_simulated, const char *emulated)
{
	json_t *root = cli_json_head(version);

	json_object_set_new(root, "simulated", json_boolean(is_simulated));
	json_object_set_new(root, "emulated", emulated ? cli_json_text(emulated) : json_null());
	return root;
}

void cli_json_put_where(json_t *root)
{
	struct utsname machine;

	json_object_set_new(root, "when", json_string(cli_stamp_utc(cli_wall_ns(), false).text));
	if (uname(&machine))
		return;
	json_object_set_new(root, "host", cli_json_text(machine.nodename));
	json_object_set_new(root, "kernel", cli_json_text(machine.release));
}

/* ---- rows ---- */

static json_t *words_json(const char *text)
{
	json_t *array = json_array();

	while (*text) {
		size_t bytes = strcspn(text, " ");

		json_array_append_new(array, text_json(text, bytes));
		text += bytes + strspn(text + bytes, " ");
	}
	return array;
}

/* json_null() where there is no value. */
static json_t *cell_json(const struct cli_cell *cell)
{
	switch (cell->kind) {
	case CLI_CELL_NONE:
		break;
	case CLI_CELL_TEXT:
		return cli_json_text(cell->text);
	case CLI_CELL_WORDS:
		return words_json(cell->text);
	case CLI_CELL_COUNT:
		return cli_json_count(cell->count);
	case CLI_CELL_REAL:
	case CLI_CELL_RATE:
	case CLI_CELL_NS:
		return cli_json_number(cell->real);
	case CLI_CELL_HEX:
		return cli_json_hex(cell->count, 1);
	case CLI_CELL_HEX64:
		return cli_json_hex(cell->count, 16);
	case CLI_CELL_BOOL:
		return json_boolean(cell->count);
	case CLI_CELL_MADE:
		return cell->make(cell->of);
	}
	return json_null();
}

/*
 * The object that member @key, with a dot in it, goes into, made where @is_known; NULL: there is
 * none.
 */
static json_t *object_of(json_t *json, const char *key, bool is_known, bool is_null)
{
	size_t bytes = strcspn(key, ".");
	char name[32];
	json_t *object;

	snprintf(name, sizeof(name), "%.*s", (int)bytes, key);
	object = json_object_get(json, name);
	if (!object && (is_known || is_null)) {
		object = is_known ? json_object() : json_null();
		json_object_set_new(json, name, object);
	}
	return json_is_object(object) ? object : NULL;
}

void cli_json_put_row(json_t *json, const struct cli_columns *c, const struct cli_cell *cell)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct cli_column *column = &c->column[i];
		const char *key = column->key ? column->key : column->name;
		bool is_null = c->has_nulls && !(column->flags & CLI_COLUMN_OMIT);
		json_t *to = json;

		if (!key || column->flags & CLI_COLUMN_NOT_JSON || !cli_column_is_on(c, column))
			continue;
		if (strchr(key, '.')) {
			to = object_of(json, key, cell[i].kind != CLI_CELL_NONE, is_null);
			key = strchr(key, '.') + 1;
		}
		if (to && (cell[i].kind != CLI_CELL_NONE || is_null))
			json_object_set_new(to, key, cell_json(&cell[i]));
	}
}

json_t *cli_json_row(const struct cli_columns *c, const struct cli_cell *cell)
{
	json_t *json = json_object();

	cli_json_put_row(json, c, cell);
	return json;
}

json_t *cli_json_struct(const struct cli_columns *c, const void *of)
{
	struct cli_cell cell[CLI_COLUMNS_MAX];

	cli_cells_fill(cell, c, of);
	return cli_json_row(c, cell);
}

json_t *cli_json_rows(const struct cli_columns *c, const void *first, size_t n, size_t bytes)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, cli_json_struct(c, (const char *)first + i * bytes));
	return array;
}

/* ---- text ---- */

/*
 * What JSON allows in strings and a terminal obeys (clean.h), as escapes, which read back as the
 * same text. jansson hands out whole characters.
 */
static int put_escaped(int (*put)(const char *text, size_t n, void *arg), const char *text,
		       size_t n, void *arg)
{
	char escape[8];
	size_t from = 0, bytes;
	uint32_t code;
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i += bytes) {
		bytes = cli_utf8_char(text + i, n - i, &code);
		/* Newlines are jansson's own, between values. */
		if (!bytes || code < 0x7f || !cli_is_control(code)) {
			bytes += !bytes;
			continue;
		}
		if (i > from)
			ret = put(text + from, i - from, arg);
		(void)snprintf(escape, sizeof(escape), "\\u%04x", (unsigned int)code);
		if (!ret)
			ret = put(escape, 6, arg);
		from = i + bytes;
	}
	return ret || from >= n ? ret : put(text + from, n - from, arg);
}

/* Text on its way out; @number is one that has not ended yet. */
struct shortening {
	int (*put)(const char *text, size_t n, void *arg);
	void *arg;
	char number[CLI_NUMBER_CHARS];
	size_t chars;
	bool is_text, is_escaped;
};

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static int put_number(struct shortening *s)
{
	struct cli_number exact;
	size_t chars = s->chars;

	s->chars = 0;
	s->number[chars] = '\0';
	if (!strpbrk(s->number, ".eE"))
		return s->put(s->number, chars, s->arg);
	exact = cli_number_exact(strtod(s->number, NULL));
	/* It stays a real number for readers that tell the two apart. */
	if (!strpbrk(exact.text, ".e"))
		(void)snprintf(exact.text + strlen(exact.text),
			       sizeof(exact.text) - strlen(exact.text), ".0");
	return s->put(exact.text, strlen(exact.text), s->arg);
}

/* Numbers begin with a digit or "-": the e of "true" is none. */
static bool goes_on(const struct shortening *s, char c)
{
	return !s->is_text && s->chars + 1 < sizeof(s->number) &&
	       (s->chars ? is_of_number(c) : c == '-' || (c >= '0' && c <= '9'));
}

static void step(struct shortening *s, char c)
{
	if (s->is_escaped)
		s->is_escaped = false;
	else if (s->is_text && c == '\\')
		s->is_escaped = true;
	else if (c == '"')
		s->is_text = !s->is_text;
}

static int shorten(const char *text, size_t n, void *arg)
{
	struct shortening *s = arg;
	size_t from = 0;
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		if (goes_on(s, text[i])) {
			if (!s->chars && i > from)
				ret = put_escaped(s->put, text + from, i - from, s->arg);
			s->number[s->chars++] = text[i];
			from = i + 1;
			continue;
		}
		if (s->chars)
			ret = put_number(s);
		step(s, text[i]);
	}
	return ret || from >= n ? ret : put_escaped(s->put, text + from, n - from, s->arg);
}

int cli_json_dump(const json_t *root, size_t flags,
		  int (*put)(const char *text, size_t n, void *arg), void *arg)
{
	struct shortening s = { .put = put, .arg = arg };
	int ret = json_dump_callback(root, shorten, &s, flags);

	return ret || !s.chars ? ret : put_number(&s);
}

int cli_json_put_file(const char *text, size_t n, void *arg)
{
	return fwrite(text, 1, n, arg) == n ? 0 : -1;
}

int cli_json_write(FILE *f, json_t *root, int is_indented)
{
	int failed = cli_json_dump(root, is_indented ? JSON_INDENT(2) : JSON_COMPACT,
				   cli_json_put_file, f);

	json_decref(root);
	putc('\n', f);
	return failed || ferror(f) ? -EIO : 0;
}

/* Text of one element of a list: its lines stand further to the right. */
static int put_deeper(const char *text, size_t n, void *arg)
{
	FILE *f = arg;

	for (size_t i = 0; i < n; i++) {
		putc(text[i], f);
		/* Strings have no newlines of their own. */
		if (text[i] == '\n')
			fputs("    ", f);
	}
	return ferror(f) ? -1 : 0;
}

/* The text of @head without the brace that ends it; free(3). */
static char *text_of_head(const json_t *head)
{
	struct cli_text text;

	cli_text_begin(&text);
	cli_json_dump(head, JSON_INDENT(2), cli_json_put_file, text.f);
	cli_text_end(&text);
	*strrchr(text.text, '\n') = '\0';
	return text.text;
}

int cli_json_write_list(FILE *f, json_t *head, const char *name,
			json_t *(*at)(const void *arg, size_t i), size_t n, const void *arg)
{
	char *text = text_of_head(head);
	int ret = 0;

	json_decref(head);
	fprintf(f, "%s,\n  \"%s\": [", text, name);
	free(text);
	for (size_t i = 0; i < n && !ret; i++) {
		json_t *element = at(arg, i);

		fputs(i ? ",\n    " : "\n    ", f);
		if (cli_json_dump(element, JSON_INDENT(2), put_deeper, f))
			ret = -EIO;
		json_decref(element);
	}
	fputs(n ? "\n  ]\n}\n" : "]\n}\n", f);
	return ret ? ret : ferror(f) ? -EIO : 0;
}
