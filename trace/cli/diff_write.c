// SPDX-License-Identifier: MIT
/* ntime trace diff: differences as text, CSV and JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/clean.h"
#include "base/output/csv.h"
#include "base/output/json.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "trace/cli/diff.h"

#define VALUE_CHARS 512

static const char *const kinds[] = { "hunk", "same", "only_a", "only_b", "value" };

/* Anything that was written did not arrive: end all. */
static int check(const struct cli_trace_differences *d)
{
	return ferror(d->f) ? -EIO : 0;
}

/* ---- text ---- */

static bool has_times(const struct cli_trace_pair *p)
{
	struct ntime_trace_info info = { .size = sizeof(info) };

	for (int side = 0; side < 2; side++)
		if (ntime_trace_get_info(p->in[side].trace, &info) || !info.clock)
			return false;
	return true;
}

static unsigned int longest_device(const struct cli_trace_pair *p)
{
	size_t longest = 1;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < p->chips[side].devices; i++)
			if (strlen(p->chips[side].device_name[i]) > longest)
				longest = strlen(p->chips[side].device_name[i]);
	return longest > 36 ? 36 : (unsigned int)longest;
}

/*
 * Lines of "show" without the number and the thread, with times that count from each trace's first
 * record.
 */
static void make_lines(struct cli_trace_differences *d)
{
	struct ntime_trace_info info = { .size = sizeof(info) };
	struct cli_line_style style = {
		.look = d->look,
		.has_time = has_times(&d->pair) && (!d->look.is_terminal || d->look.width >= 80),
		.has_device = !d->look.is_terminal || d->pair.chips[0].devices > 1 ||
			      d->pair.chips[1].devices > 1,
		.digits = 6,
		.device_columns = longest_device(&d->pair),
		.name_columns = d->look.is_terminal ? (d->look.width - 12) / 3 : 40,
	};

	d->has_gap = !style.has_time;
	/* The sign in front takes a column, and the colour tells what changed. */
	style.look.width = d->look.width - (d->has_gap ? 2 : 1);
	style.look.colour = false;
	style.is_short = d->look.is_terminal;
	for (int side = 0; side < 2; side++) {
		if (!ntime_trace_get_info(d->pair.in[side].trace, &info))
			style.base_ns = info.first_ns;
		style.device_name = d->pair.chips[side].device_name;
		d->lines[side] = cli_lines_new(&style, d->pair.chips[side].decoder);
	}
}

/* The value of an access, in words where they are known. */
static void value_text(const struct cli_trace_differences *d, int side,
		       const struct ntime_record *r, char *out, size_t room)
{
	struct ntime_decoder *decoder = d->pair.chips[side].decoder;
	size_t n = (size_t)snprintf(out, room, "0x%0*" PRIx64, 2 * (r->width ? r->width : 4),
				    r->value);

	if (r->device != NTIME_DEVICE_NONE &&
	    ntime_decoder_words(decoder, r->device, r->region, r->offset, r->width, r->value,
				out + n + 1, room - n - 1))
		out[n] = ' ';
}

/* "(3 times)", where something was folded. */
static void counts_text(const struct ntime_trace_change *c, char *out, size_t room)
{
	uint64_t a = c->count_a, b = c->count_b;

	*out = '\0';
	if (a <= 1 && b <= 1)
		return;
	if (c->a && c->b && a != b)
		snprintf(out, room, "(%s and %s times)", cli_number_count(a).text,
			 cli_number_count(b).text);
	else
		snprintf(out, room, "(%s times)", cli_number_count(c->a ? a : b).text);
}

/* Behind a line of @n bytes: in the next one where it does not fit. */
static void put_behind(const struct cli_trace_differences *d, const char *line, size_t n,
		       const char *text)
{
	size_t column = 0;

	if (!*text)
		return;
	while (column < n && line[n - 1 - column] != '\n')
		column++;
	column += column == n ? 1u + d->has_gap : 0;
	if (!d->look.is_terminal || column + 2 + cli_text_columns(text) <= d->look.width)
		fprintf(d->f, "  %s", cli_clean(text));
	else
		fprintf(d->f, "\n    %s", cli_clean(text));
}

static int put_hunk(const struct cli_trace_differences *d, const struct ntime_trace_change *c)
{
	fprintf(d->f, "%s@@ access %s of A, %s of B @@%s\n", cli_colour(&d->look, CLI_DIM),
		cli_number_count(c->before_a + 1).text, cli_number_count(c->before_b + 1).text,
		cli_colour(&d->look, CLI_PLAIN));
	return check(d);
}

int cli_trace_diff_text(void *arg, const struct ntime_trace_change *c)
{
	static const char sign[] = { '@', ' ', '-', '+', '~' };
	static const enum cli_colour colours[] = { CLI_DIM, CLI_PLAIN, CLI_BAD, CLI_GOOD,
						   CLI_WARN };
	struct cli_trace_differences *d = arg;
	bool is_coloured = c->kind != NTIME_CHANGE_SAME;
	int side = c->a ? 0 : 1;
	char value[VALUE_CHARS], behind[VALUE_CHARS + 128];
	const char *text;
	size_t n, used = 0;

	if (c->kind == NTIME_CHANGE_HUNK)
		return put_hunk(d, c);
	d->n++;
	cli_lines_clear(d->lines[side]);
	cli_lines_put(d->lines[side], c->a ? c->a : c->b, 1, "", 1);
	text = cli_lines_text(d->lines[side], &n);
	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	if (is_coloured)
		fputs(cli_colour(&d->look, colours[c->kind]), d->f);
	if (!d->is_minus)
		fprintf(d->f, "%c%s", sign[c->kind], d->has_gap ? " " : "");
	fwrite(text, 1, n, d->f);
	if (c->kind == NTIME_CHANGE_VALUE) {
		value_text(d, 1, c->b, value, sizeof(value));
		used = (size_t)snprintf(behind, sizeof(behind), "->  %s  ", value);
	}
	counts_text(c, behind + used, sizeof(behind) - used);
	if (used && !behind[used])
		behind[used - 2] = '\0';
	put_behind(d, text, n, behind);
	if (is_coloured)
		fputs(cli_colour(&d->look, CLI_PLAIN), d->f);
	putc('\n', d->f);
	return check(d);
}

static void write_summary(FILE *f, const struct cli_trace_differences *d,
			  const struct ntime_trace_diff_summary *s)
{
	if (d->is_minus) {
		fprintf(f,
			"%s of %s steps of A remain: %s are the beginning of both, %s more B does "
			"too",
			cli_number_count(s->only_a).text, cli_number_count(s->steps_a).text,
			cli_number_count(s->beginning).text, cli_number_count(s->also).text);
		return;
	}
	fprintf(f, "%s only in A, %s only in B, %s with another value, %s the same",
		cli_number_count(s->only_a).text, cli_number_count(s->only_b).text,
		cli_number_count(s->values).text, cli_number_count(s->same).text);
	if (s->accesses_a != s->steps_a || s->accesses_b != s->steps_b)
		fprintf(f, " (%s and %s accesses; with polling loops counted once, %s and %s)",
			cli_number_count(s->accesses_a).text, cli_number_count(s->accesses_b).text,
			cli_number_count(s->steps_a).text, cli_number_count(s->steps_b).text);
}

/* In lines that fit, on a terminal. */
static void put_summary(const struct cli_trace_differences *d,
			const struct ntime_trace_diff_summary *s)
{
	struct cli_text text;

	cli_text_begin(&text);
	write_summary(text.f, d, s);
	cli_text_end(&text);
	if (d->look.is_terminal)
		cli_wrap(d->f, &d->look, 0, 4, text.text);
	else
		fprintf(d->f, "%s\n", text.text);
	free(text.text);
}

/* ---- CSV and JSON ---- */

/* "" where nobody knows it; in @name, of CLI_TRACE_NAME bytes. */
static const char *name_of(const struct cli_trace_differences *d, int side,
			   const struct ntime_record *r, char *name)
{
	*name = '\0';
	if (r->device != NTIME_DEVICE_NONE)
		ntime_decoder_name(d->pair.chips[side].decoder, r->device, r->region, r->offset,
				   r->width, name, CLI_TRACE_NAME);
	return name;
}

#define DIFF_COLUMNS(X)                                                                            \
	X(CHANGE, "change")                                                                        \
	X(ACCESS_A, "access_a", "a.access")                                                        \
	X(ACCESS_B, "access_b", "b.access")                                                        \
	X(DEVICE, "device")                                                                        \
	X(REGION, "region")                                                                        \
	X(OFFSET, "offset")                                                                        \
	X(REGISTER, "register")                                                                    \
	X(ACCESS, "access")                                                                        \
	X(WIDTH, "width")                                                                          \
	X(VALUE_A, "value_a", "a.value")                                                           \
	X(VALUE_B, "value_b", "b.value")                                                           \
	X(COUNT_A, "count_a", "a.count")                                                           \
	X(COUNT_B, "count_b", "b.count")                                                           \
	X(TIME_A, "time_a_ns", "a.time_ns", .flags = CLI_COLUMN_OMIT)                              \
	X(TIME_B, "time_b_ns", "b.time_ns", .flags = CLI_COLUMN_OMIT)

enum { DIFF_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { DIFF_COLUMNS(CLI_COLUMN_ROW) };

static const struct cli_columns diff_columns = { .column = columns,
						 .n = COLUMNS,
						 .has_nulls = true };

/*
 * @side: 0 for A, whose columns stand right before those of B. No values where it has no such
 *	access.
 */
static void fill_side(struct cli_cell *cell, int side, const struct ntime_record *r,
		      uint64_t before, uint64_t count)
{
	if (!r)
		return;
	cell[ACCESS_A + side] = cli_count(before + 1);
	cell[VALUE_A + side] = cli_if(r->flags & NTIME_RECORD_VALUED, cli_hex(r->value));
	cell[COUNT_A + side] = cli_count(count);
	cell[TIME_A + side] = cli_if(r->flags & NTIME_RECORD_TIMED, cli_count(r->time_ns));
}

/* @name: of CLI_TRACE_NAME bytes. */
static void fill(struct cli_cell *cell, const struct cli_trace_differences *d,
		 const struct ntime_trace_change *c, char *name)
{
	/* Any of the two accesses, and the trace it is of. */
	int side = c->a ? 0 : 1;
	const struct ntime_record *r = c->a ? c->a : c->b;
	const struct cli_chips *chips = &d->pair.chips[side];

	cell[CHANGE] = cli_text(kinds[c->kind]);
	cell[DEVICE] = cli_text(r->device < chips->devices ? chips->device_name[r->device] : "-");
	cell[REGION] = cli_count(r->region);
	cell[OFFSET] = cli_hex(r->offset);
	cell[REGISTER] = cli_some_text(name_of(d, side, r, name));
	cell[ACCESS] = cli_text(r->kind == NTIME_RECORD_WRITE ? "write" : "read");
	cell[WIDTH] = cli_count(r->width);
	fill_side(cell, 0, c->a, c->before_a, c->count_a);
	fill_side(cell, 1, c->b, c->before_b, c->count_b);
}

int cli_trace_diff_csv(void *arg, const struct ntime_trace_change *c)
{
	struct cli_trace_differences *d = arg;
	struct cli_cell cell[COLUMNS] = { 0 };
	char name[CLI_TRACE_NAME];

	if (c->kind == NTIME_CHANGE_HUNK)
		return 0;
	fill(cell, d, c, name);
	cli_csv_row(d->f, &diff_columns, cell);
	return check(d);
}

int cli_trace_diff_json(void *arg, const struct ntime_trace_change *c)
{
	struct cli_trace_differences *d = arg;
	struct cli_cell cell[COLUMNS] = { 0 };
	char name[CLI_TRACE_NAME];
	int ret;

	if (c->kind == NTIME_CHANGE_HUNK)
		return 0;
	fill(cell, d, c, name);
	fputs(d->n++ ? "," : "", d->f);
	ret = cli_json_write(d->f, cli_json_row(&diff_columns, cell), 0);
	return ret < 0 ? ret : check(d);
}

static json_t *json_summary(const struct ntime_trace_diff_summary *s)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "accesses_a",
			 cli_json_count(s->accesses_a), "accesses_b", cli_json_count(s->accesses_b),
			 "steps_a", cli_json_count(s->steps_a), "steps_b",
			 cli_json_count(s->steps_b), "same", cli_json_count(s->same), "only_a",
			 cli_json_count(s->only_a), "only_b", cli_json_count(s->only_b), "values",
			 cli_json_count(s->values), "beginning", cli_json_count(s->beginning),
			 "also", cli_json_count(s->also));
}

void cli_trace_diff_begin(struct cli_trace_differences *d)
{
	const struct cli_trace *t = d->pair.t;

	if (t->is_csv)
		cli_csv_head(d->f, &diff_columns);
	else if (t->is_json)
		fprintf(d->f, "{\"ntime\": \"%s\", \"schema\": %d, \"changes\": [\n",
			ntime_trace_version(), CLI_SCHEMA);
	else
		make_lines(d);
}

void cli_trace_diff_end(struct cli_trace_differences *d, const struct ntime_trace_diff_summary *sum)
{
	const struct cli_trace *t = d->pair.t;

	if (t->is_json) {
		fputs("], \"summary\": ", d->f);
		cli_json_write(d->f, json_summary(sum), 0);
		fputs("}\n", d->f);
	} else if (!t->is_csv && !t->is_quiet) {
		put_summary(d, sum);
	}
}
