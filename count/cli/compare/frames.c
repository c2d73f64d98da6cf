// SPDX-License-Identifier: MIT
/* ntime compare of files with frames: what people and programs are told. */
#include "count/cli/compare/frames.h"

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/context.h>

#include "base/command/confine.h"
#include "count/cli/compare/verdict.h"
#include "count/cli/compare/words.h"
#include "base/output/exit.h"
#include "base/output/file.h"
#include "base/output/json.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/output/say.h"
#include "base/output/table.h"

/* A counter differs by more than the tolerance. */
#define EXIT_BEYOND 1

static const struct {
	const char *word, *text;
} verdicts[] = {
	[CLI_FRAMES_EQUAL] = { "equal", "equal" },
	[CLI_FRAMES_DIFFER] = { "differs", "differs" },
	[CLI_FRAMES_ALIKE] = { "alike", "none found" },
	[CLI_FRAMES_UNKNOWN] = { "unknown", "no verdict" },
	[CLI_FRAMES_WITHIN] = { "within", "within" },
	[CLI_FRAMES_BEYOND] = { "beyond", "beyond" },
	[CLI_FRAMES_UNCLEAR] = { "unclear", "unclear" },
};

/* ---- which series are compared ---- */

static size_t series_of_operand(const struct cli_frame_files *f, size_t operand)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += f->series[i].operand == operand;
	return n;
}

/* The same drawable of the first operand; where each has a single one, that. */
static size_t reference_of(const struct cli_frame_files *f, const struct cli_frame_series *s)
{
	bool is_single = series_of_operand(f, 0) == 1 && series_of_operand(f, s->operand) == 1;

	for (size_t i = 0; i < f->n && s->operand; i++)
		if (!f->series[i].operand && (is_single || f->series[i].drawable == s->drawable))
			return i;
	return SIZE_MAX;
}

/* The last parts of the paths, unless two are alike; or as the user wants. */
static void name_series(struct cli_frame_files *f, const struct cli_compare_options *o)
{
	bool are_alike = false;

	for (size_t i = 0; i < o->file.n && !o->name.n; i++) {
		for (size_t k = 0; k < i; k++) {
			char *a = cli_frame_stem(o->file.word[i]),
			     *b = cli_frame_stem(o->file.word[k]);

			are_alike |= strcmp(a, b) == 0;
			free(a);
			free(b);
		}
	}
	for (size_t i = 0; i < f->n; i++) {
		struct cli_frame_series *s = &f->series[i];
		char *name = o->name.n	 ? cli_strdup(o->name.word[s->operand])
			     : are_alike ? cli_strdup(s->path)
					 : cli_frame_stem(s->path);

		s->name = series_of_operand(f, s->operand) > 1
				  ? cli_format("%s (drawable %lu)", name, s->drawable)
				  : cli_strdup(name);
		free(name);
		s->reference = reference_of(f, s);
	}
}

/* Does a series stand in a comparison of @name, on either side? */
static bool is_compared(const struct cli_frame_files *f, size_t series, const char *name)
{
	const struct cli_frame_counter *own = cli_frame_find(&f->series[series], name), *other;
	bool is = own && own->than;

	for (size_t i = 0; i < f->n && own; i++) {
		other = cli_frame_find(&f->series[i], name);
		is |= other && other->than == own;
	}
	return is;
}

/* What each counter is compared with, and by how much it differs. */
static int compare_all(struct cli_frame_files *f, double tolerance)
{
	size_t common = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct cli_frame_series *s = &f->series[i];

		for (size_t k = 0; k < s->counters && s->reference != SIZE_MAX; k++) {
			struct cli_frame_counter *b = &s->counter[k];
			const struct cli_frame_counter *a =
				cli_frame_find(&f->series[s->reference], b->name);

			if (!a || !cli_frame_find(s, b->name))
				continue;
			if (*a->unit && *b->unit && strcmp(a->unit, b->unit) != 0) {
				cli_say("%s: '%s' has the unit '%s' here and '%s' in %s", s->path,
					b->name, b->unit, a->unit, f->series[s->reference].path);
				return -EINVAL;
			}
			b->than = a;
			b->change = cli_frame_change(a, b, tolerance);
			common++;
		}
	}
	if (common)
		return 0;
	cli_say("%s: no other operand has a counter that this one has", f->series[0].path);
	return -EINVAL;
}

/* Each name once, of all series: NULL behind the last one. */
static const char **all_names(const struct cli_frame_files *f)
{
	const char **name = cli_calloc(1, sizeof(*name));
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		for (size_t k = 0; k < f->series[i].counters; k++) {
			const char *of = f->series[i].counter[k].name;
			size_t at = 0;

			while (at < n && strcmp(name[at], of) != 0)
				at++;
			if (at < n || !cli_frame_find(&f->series[i], of))
				continue;
			name = cli_realloc(name, n + 2, sizeof(*name));
			name[n++] = of;
			name[n] = NULL;
		}
	}
	return name;
}

/* ---- for people ---- */

#define COLUMNS(X)                                                                                 \
	X(NAME, "name", .title = "", .flags = CLI_COLUMN_LEFT)                                     \
	X(OF, "of", .title = "", .flags = CLI_COLUMN_LEFT)                                         \
	X(MEAN, "mean", .title = "MEAN")                                                           \
	X(MIN, "min", .title = "MIN", .rank = 1)                                                   \
	X(MAX, "max", .title = "MAX", .rank = 1)                                                   \
	X(DIFFERENCE, "difference", .title = "DIFFERENCE")                                         \
	X(INTERVAL, "interval", .title = "95 %")                                                   \
	X(VERDICT, "verdict", .title = "VERDICT", .flags = CLI_COLUMN_LEFT)

enum { COLUMNS(CLI_COLUMN_ID) N_COLUMNS };
static const struct cli_column column[] = { COLUMNS(CLI_COLUMN_ROW) };
static const struct cli_columns columns = { .column = column, .n = N_COLUMNS };

static char *letter_of(size_t series)
{
	return series < 26 ? cli_format("%c", 'A' + (char)series) : cli_format("%zu", series + 1);
}

static char *value_text(double value, const char *unit, bool utf8)
{
	if (isnan(value))
		return cli_strdup("-");
	/* A mean of counts is no whole number. */
	if (!*unit)
		return cli_strdup(cli_number_short(value).text);
	return strcmp(unit, "%") == 0 ? cli_format("%s %%", cli_number_exact(value).text)
				      : cli_compare_value(value, unit, utf8);
}

/* Signed, three digits: in percent where it is a part. */
static char *change_text(const struct cli_frame_change *c, double of)
{
	of = c->is_share ? 100 * of : of;
	return of == 0 ? cli_strdup("0") : cli_format("%+.3g", of);
}

static void put_change(char **text, const struct cli_frame_change *c)
{
	const char *unit = c->is_share ? " %" : "";
	char *at = change_text(c, c->difference), *low = change_text(c, c->low),
	     *high = change_text(c, c->high);

	if (!isnan(c->difference) && c->verdict != CLI_FRAMES_EQUAL)
		text[DIFFERENCE] = cli_format("%s%s", at, unit);
	if (c->is_known && c->verdict != CLI_FRAMES_EQUAL)
		text[INTERVAL] = cli_format("%s .. %s%s", low, high, unit);
	text[VERDICT] = cli_strdup(verdicts[c->verdict].text);
	free(at);
	free(low);
	free(high);
}

static void put_row(struct cli_table *t, const struct cli_frame_files *f, size_t series,
		    const char *name)
{
	const struct cli_frame_counter *b = cli_frame_find(&f->series[series], name), *a = b->than;
	struct cli_cell cell[N_COLUMNS] = { 0 };
	char *text[N_COLUMNS] = { NULL };

	text[NAME] = cli_strdup(a ? "" : name);
	text[OF] = letter_of(series);
	text[MEAN] = value_text(b->mean, b->unit, t->utf8);
	text[MIN] = value_text(b->min, b->unit, t->utf8);
	text[MAX] = value_text(b->max, b->unit, t->utf8);
	if (a)
		put_change(text, &b->change);
	for (size_t i = 0; i < N_COLUMNS; i++)
		cell[i] = cli_text(text[i] ? text[i] : a && i != VERDICT ? "-" : "");
	cli_table_row(t, cell);
	for (size_t i = 0; i < N_COLUMNS; i++)
		free(text[i]);
}

static void put_sentence(FILE *f, const struct cli_look *look, char *sentence)
{
	struct cli_look at_most = *look;

	/* A file is read as a screen is. */
	at_most.is_terminal = true;
	cli_wrap(f, &at_most, 0, 2, sentence);
	free(sentence);
}

/* What the table has no room for. */
static void put_notes(FILE *f, const struct cli_look *look, const struct cli_frame_files *frames,
		      const char *name)
{
	for (size_t i = 0; i < frames->n; i++) {
		const struct cli_frame_series *s = &frames->series[i];
		const struct cli_frame_counter *b = cli_frame_find(s, name),
					       *a = b ? b->than : NULL;
		struct cli_frame_change c;

		if (!a)
			continue;
		c = b->change;
		if (c.shift)
			put_sentence(f, look,
				     cli_format("%s: %s is %d frame%s %s than %s", name, s->name,
						abs(c.shift), abs(c.shift) == 1 ? "" : "s",
						c.shift > 0 ? "later" : "earlier",
						frames->series[s->reference].name));
		if (!a->n || !b->n)
			put_sentence(
				f, look,
				cli_format("%s: no interval: of %s only means are known", name,
					   a->n ? s->name : frames->series[s->reference].name));
		else if (!c.is_known)
			put_sentence(f, look,
				     cli_format("%s: no interval: so few frames have none of 95 %%",
						name));
	}
}

/* Counters and series that have no partner. */
static void put_left_out(FILE *f, const struct cli_look *look, const struct cli_frame_files *frames,
			 const char *const *name)
{
	struct cli_text list;
	const char *separator = "";
	char *text;

	cli_text_begin(&list);
	for (size_t i = 0; i < frames->n; i++) {
		for (size_t k = 0; name[k]; k++) {
			if (!cli_frame_find(&frames->series[i], name[k]) ||
			    is_compared(frames, i, name[k]))
				continue;
			fprintf(list.f, "%s%s (%s)", separator, name[k], frames->series[i].name);
			separator = ", ";
		}
	}
	text = cli_text_end(&list);
	if (*text)
		put_sentence(f, look, cli_format("on one side only: %s", text));
	free(text);
}

static void write_text(FILE *f, const struct cli_look *look, const struct cli_frame_files *frames)
{
	const char **name = all_names(frames);
	struct cli_table table;

	for (size_t i = 0; i < frames->n; i++) {
		const struct cli_frame_series *s = &frames->series[i];
		char *letter = letter_of(i);
		size_t n = 0;

		for (size_t k = 0; k < s->counters; k++)
			n = s->counter[k].n > n ? s->counter[k].n : n;
		fprintf(f, "%s  ", letter);
		cli_print_safe(f, s->name);
		if (n)
			fprintf(f, "  %s frames\n", cli_number_count(n).text);
		else
			fputs("  means alone\n", f);
		free(letter);
	}
	fputc('\n', f);
	cli_table_init(&table, &columns, look->utf8);
	for (size_t k = 0; name[k]; k++)
		for (size_t i = 0; i < frames->n; i++)
			if (is_compared(frames, i, name[k]))
				put_row(&table, frames, i, name[k]);
	cli_table_print(&table, f, look);
	cli_table_fini(&table);
	for (size_t k = 0; name[k]; k++)
		put_notes(f, look, frames, name[k]);
	put_left_out(f, look, frames, name);
	free(name);
}

/* ---- for programs ---- */

static json_t *counter_json(const struct cli_frame_counter *c)
{
	json_t *json = json_object();

	json_object_set_new(json, "name", cli_json_text(c->name));
	json_object_set_new(json, "unit", cli_json_text(c->unit));
	json_object_set_new(json, "frames", cli_json_count(c->n));
	json_object_set_new(json, "mean", cli_json_number(c->mean));
	json_object_set_new(json, "min", cli_json_number(c->min));
	json_object_set_new(json, "max", cli_json_number(c->max));
	return json;
}

static json_t *series_json(const struct cli_frame_series *s)
{
	json_t *json = json_object(), *counters = json_array();

	json_object_set_new(json, "name", cli_json_text(s->name));
	json_object_set_new(json, "path", cli_json_text(s->path));
	if (s->drawable)
		json_object_set_new(json, "drawable", cli_json_count(s->drawable));
	for (size_t i = 0; i < s->counters; i++)
		json_array_append_new(counters, counter_json(&s->counter[i]));
	json_object_set_new(json, "counters", counters);
	return json;
}

static json_t *change_json(const struct cli_frame_files *f, const struct cli_frame_series *s,
			   const struct cli_frame_counter *of)
{
	const struct cli_frame_change *c = &of->change;
	json_t *json = json_object();
	double scale = c->is_share ? 100 : 1;

	json_object_set_new(json, "counter", cli_json_text(of->name));
	json_object_set_new(json, "series", cli_json_text(s->name));
	json_object_set_new(json, "than", cli_json_text(f->series[s->reference].name));
	json_object_set_new(json, "in_percent", json_boolean(c->is_share));
	json_object_set_new(json, "difference", cli_json_number(scale * c->difference));
	if (c->is_known) {
		json_object_set_new(json, "low", cli_json_number(scale * c->low));
		json_object_set_new(json, "high", cli_json_number(scale * c->high));
	}
	json_object_set_new(json, "verdict", json_string(verdicts[c->verdict].word));
	if (c->shift)
		json_object_set_new(json, "shift", json_integer(c->shift));
	return json;
}

static void write_json(FILE *f, const struct cli_frame_files *frames, double tolerance)
{
	json_t *root = cli_json_head(ntime_version()), *series = json_array(),
	       *changes = json_array();

	json_object_set_new(root, "kind", json_string("frames-comparison"));
	json_object_set_new(root, "confidence", json_real(CLI_COMPARE_CONFIDENCE));
	if (!isnan(tolerance))
		json_object_set_new(root, "tolerance_percent", cli_json_number(100 * tolerance));
	for (size_t i = 0; i < frames->n; i++) {
		const struct cli_frame_series *s = &frames->series[i];

		json_array_append_new(series, series_json(s));
		for (size_t k = 0; k < s->counters; k++)
			if (s->counter[k].than)
				json_array_append_new(changes,
						      change_json(frames, s, &s->counter[k]));
	}
	json_object_set_new(root, "series", series);
	json_object_set_new(root, "changes", changes);
	cli_json_write(f, root, 1);
}

/* ---- all of it ---- */

static bool is_beyond(const struct cli_frame_files *f)
{
	bool is = false;

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->series[i].counters; k++) {
			const struct cli_frame_counter *c = &f->series[i].counter[k];

			is |= c->than && c->change.verdict == CLI_FRAMES_BEYOND;
		}
	return is;
}

static int report(const struct cli_frame_files *f, const struct cli_compare_options *o)
{
	struct cli_output out = { 0 };
	struct cli_look look;

	if (cli_output_open(&out, o->output ? o->output : "-", false))
		return CLI_EXIT_FAILED;
	look = cli_look_at(out.fd);
	if (o->is_json)
		write_json(out.f, f, o->tolerance);
	else
		write_text(out.f, &look, f);
	if (cli_output_close(&out))
		return CLI_EXIT_FAILED;
	return is_beyond(f) ? EXIT_BEYOND : 0;
}

int cli_compare_frames(const struct cli_compare_options *o)
{
	struct cli_frame_files f = { 0 };
	int ret = 0;

	cli_confine(o->verbose);
	for (size_t i = 0; i < o->file.n && !ret; i++)
		ret = cli_frame_files_read(&f, o->file.word[i], i);
	if (!ret) {
		name_series(&f, o);
		ret = compare_all(&f, o->tolerance);
	}
	ret = ret ? CLI_EXIT_FAILED : report(&f, o);
	cli_frame_files_fini(&f);
	return ret;
}
