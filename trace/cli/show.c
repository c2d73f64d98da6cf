// SPDX-License-Identifier: MIT
/* ntime trace show: accesses with names, fields and values in words, polling loops folded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command/options.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "trace/cli/show.h"

enum {
	ID_FOLD = CLI_TRACE_OWN,
	ID_NO_FOLD,
	ID_RAW,
	ID_ABSOLUTE,
};

static const struct cli_option options[] = {
	{ ID_FOLD, "fold", NULL, "fold polling loops and repeats (default on terminals)" },
	{ ID_NO_FOLD, "no-fold", NULL, "show every access (default elsewhere)" },
	{ ID_RAW, "raw", NULL, "addresses and values only: no names, no meanings, no folding" },
	{ ID_ABSOLUTE, "absolute", NULL, "times of the trace's clock, not since its first record" },
	{ 0, "number", NULL, "number the accesses that pass the filters" },
	CLI_OPTION_END,
};

/* What is asked for besides the common options. */
struct wanted {
	bool folds, no_fold, is_raw, is_absolute, has_number;
};

static int set_option(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	struct wanted *w = t->own;

	(void)value;
	switch (o->id) {
	case ID_FOLD:
		w->folds = true;
		break;
	case ID_NO_FOLD:
		w->no_fold = true;
		break;
	case ID_RAW:
		w->is_raw = true;
		break;
	case ID_ABSOLUTE:
		w->is_absolute = true;
		break;
	default:
		w->has_number = true;
	}
	if (w->folds && w->no_fold) {
		cli_say_misuse(t->self->name, "--fold and --no-fold cannot be combined");
		return -EINVAL;
	}
	if (w->folds && w->is_raw) {
		cli_say_misuse(t->self->name, "--fold and --raw cannot be combined");
		return -EINVAL;
	}
	return 0;
}

/* Write lines where they belong. 0 or -errno, told when the output is closed. */
static int put_text(struct cli_show *s, const char *text, size_t n)
{
	if (fwrite(text, 1, n, s->out.f) == n)
		return 0;
	if (!s->out.error)
		s->out.error = errno ? -errno : -EIO;
	return s->out.error;
}

/* ---- what lines look like ---- */

/*
 * Which columns there are is decided by the first records, so that a trace can be shown while it
 * grows.
 */
static void look_at_first(struct cli_show *s, const struct ntime_trace_batch *batch)
{
	s->style.digits = 6;
	for (size_t i = 0; i < batch->n; i++) {
		const struct ntime_record *r = &batch->records[i];

		s->style.has_time |= (r->flags & NTIME_RECORD_TIMED) != 0;
		s->style.has_thread |= (r->flags & NTIME_RECORD_THREADED) != 0;
		s->style.has_device |= r->device != NTIME_DEVICE_NONE;
		if (r->flags & NTIME_RECORD_TIMED && r->time_ns % 1000)
			s->style.digits = 9;
	}
}

static unsigned int longest_device(const struct cli_show *s)
{
	size_t longest = 1, n;

	for (size_t i = 0; i < s->chips.devices; i++) {
		n = strlen(s->chips.device_name[i]);
		if (s->style.is_short && strncmp(s->chips.device_name[i], "0000:", 5) == 0)
			n -= 5;
		longest = n > longest ? n : longest;
	}
	return longest > 36 ? 36 : (unsigned int)longest;
}

/*
 * What a terminal has no room for is left out: the thread first, then the domain, then a device
 * that is the only one.
 */
static void fit(struct cli_show *s)
{
	struct cli_line_style *style = &s->style;
	unsigned int used = 4 + 2 + 10, width = style->look.width;

	style->name_columns = 40;
	style->is_short = style->look.is_terminal && width < 100;
	style->device_columns = longest_device(s);
	if (!style->look.is_terminal)
		return;
	style->has_thread &= width >= 100;
	style->has_device &= width >= 72 || s->chips.devices > 1;
	if (style->device_columns > 12)
		style->device_columns = 12;
	used += style->has_number ? 12 : 0;
	used += style->has_time ? 6 + 1 + style->digits + 2 : 0;
	used += style->has_thread ? 9 : 0;
	used += style->has_device ? style->device_columns + 2 : 0;
	/* Half of what is left is for values in words. */
	style->name_columns = width > used + 24 ? (width - used) / 2 : 12;
	if (style->name_columns < 24 && width > used + 24)
		style->name_columns = 24;
	if (style->name_columns > 40)
		style->name_columns = 40;
}

/* What times count from. */
static uint64_t base_of(const struct cli_show *s, const struct ntime_trace_batch *batch)
{
	struct ntime_trace_info info = { .size = sizeof(info) };

	if (!s->wanted.is_rebased || ntime_trace_get_info(s->in.trace, &info))
		return 0;
	for (size_t i = 0; s->wanted.from_kept && i < batch->n; i++)
		if (batch->records[i].flags & NTIME_RECORD_TIMED)
			return batch->records[i].time_ns;
	return info.first_ns;
}

static void begin_lines(struct cli_show *s, const struct ntime_trace_batch *batch)
{
	look_at_first(s, batch);
	s->style.has_number = s->wanted.has_number;
	s->style.is_raw = s->wanted.is_raw;
	s->style.base_ns = base_of(s, batch);
	s->style.device_name = s->chips.device_name;
	s->style.form = s->wanted.form;
	fit(s);
	s->lines = cli_lines_new(&s->style, s->chips.decoder);
}

/* ---- records into lines ---- */

static int put_lines(struct cli_show *s, const struct ntime_record *records, size_t n,
		     const char *text)
{
	const char *lines;
	size_t bytes;

	cli_lines_clear(s->lines);
	cli_lines_put(s->lines, records, n, text, s->access);
	lines = cli_lines_text(s->lines, &bytes);
	return bytes ? put_text(s, lines, bytes) : 0;
}

static uint64_t count_accesses(const struct ntime_record *records, size_t n)
{
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (records[i].kind <= NTIME_RECORD_WRITE)
			count++;
		else if (records[i].kind == CLI_RECORD_AGAIN)
			count += cli_fold_count(&records[i]);
	return count;
}

static int put_and_count(struct cli_show *s, const struct ntime_record *records, size_t n,
			 const char *text)
{
	int ret = put_lines(s, records, n, text);

	s->access += count_accesses(records, n);
	return ret;
}

static int fold(struct cli_show *s, const struct ntime_trace_batch *batch)
{
	s->n = 0;
	for (size_t i = 0; i < batch->n; i++) {
		if (s->room - s->n < CLI_FOLD_MOST) {
			s->room = 2 * s->room + 4 * CLI_FOLD_MOST;
			s->records = cli_realloc(s->records, s->room, sizeof(*s->records));
		}
		s->n += cli_fold_put(&s->fold, &batch->records[i], s->records + s->n);
	}
	return put_and_count(s, s->records, s->n, batch->text);
}

static int show_batch(struct cli_show *s, const struct ntime_trace_batch *batch)
{
	int ret = cli_chips_learn(&s->chips, batch);

	if (ret < 0)
		return ret;
	if (!s->lines)
		begin_lines(s, batch);
	else if (ret)
		cli_lines_forget(s->lines);
	if (s->folds)
		ret = fold(s, batch);
	else
		ret = put_and_count(s, batch->records, batch->n, batch->text);
	/* Somebody may be looking at a trace that grows. */
	return ret ? ret : cli_output_flush(&s->out);
}

static int show_rest(struct cli_show *s)
{
	struct ntime_record left[CLI_FOLD_MOST];

	if (!s->folds || !s->lines)
		return 0;
	return put_and_count(s, left, cli_fold_end(&s->fold, left), "");
}

/*
 * What is shown before a trace proves to be damaged is shown all the same. 0, or negative after a
 * sentence or with an error of the output.
 */
static int show_all(struct cli_show *s)
{
	struct ntime_trace_batch batch = { .size = sizeof(batch) };
	int ret, rest;

	while ((ret = cli_trace_input_next(&s->in, &batch)) > 0) {
		ret = show_batch(s, &batch);
		if (ret < 0)
			break;
	}
	cli_progress_clear(&s->in.progress.line);
	rest = s->out.error ? 0 : show_rest(s);
	return ret < 0 ? ret : rest;
}

/* Also of a trace without records. */
static int put_head(struct cli_show *s)
{
	char head[512];
	size_t bytes;

	if (s->wanted.form != CLI_RECORD_CSV)
		return 0;
	bytes = cli_record_csv_head(head, sizeof(head));
	return put_text(s, head, bytes);
}

static int show_input(struct cli_show *s)
{
	int ret;

	if (cli_output_open(&s->out, s->t->output ? s->t->output : "-", false))
		return CLI_EXIT_FAILED;
	s->style.look = cli_look_at(s->out.fd);
	if (s->t->colour != CLI_TRACE_AUTO)
		s->style.look.colour = s->t->colour == CLI_TRACE_ALWAYS;
	s->folds = s->wanted.folds || (!s->wanted.no_fold && s->style.look.is_terminal);
	s->access = 1;
	ret = put_head(s);
	if (!ret)
		ret = show_all(s);
	if (ret < 0 && s->out.is_whole) {
		if (s->out.error)
			cli_output_close(&s->out);
		else
			cli_output_abandon(&s->out);
		return CLI_EXIT_FAILED;
	}
	if (cli_output_close(&s->out) || ret < 0)
		return CLI_EXIT_FAILED;
	return cli_trace_input_tell(&s->in);
}

int cli_show_trace(struct cli_trace *t, const char *path, const struct cli_show_wanted *wanted)
{
	struct cli_show *s = cli_calloc(1, sizeof(*s));
	int ret = CLI_EXIT_FAILED;

	s->t = t;
	s->wanted = *wanted;
	if (!cli_trace_names(t) && !cli_trace_input_open(&s->in, t, path, 0)) {
		if (!cli_chips_init(&s->chips, &s->in))
			ret = show_input(s);
		cli_lines_free(s->lines);
		cli_chips_fini(&s->chips);
		cli_trace_input_close(&s->in);
	}
	free(s->records);
	free(s);
	return ret;
}

/* What programs read has no columns and no folds. */
static int check_form(struct cli_trace *t, struct wanted *w)
{
	const char *form = t->is_json ? "--json" : "--csv";

	if (!t->is_json && !t->is_csv)
		return 0;
	if (w->folds || w->has_number)
		return cli_say_misuse(t->self->name, "%s and %s cannot be combined",
				      w->folds ? "--fold" : "--number", form);
	if (t->colour == CLI_TRACE_ALWAYS)
		return cli_say_misuse(t->self->name, "--color=always and %s cannot be combined",
				      form);
	return 0;
}

static int run(struct cli_trace *t)
{
	bool is_for_programs = t->is_json || t->is_csv;
	const char *path = cli_trace_operand(t, 0);
	struct wanted *w = t->own;
	const struct cli_show_wanted wanted = {
		.form = t->is_json  ? CLI_RECORD_JSON
			: t->is_csv ? CLI_RECORD_CSV
				    : CLI_RECORD_LINES,
		.folds = w->folds,
		.no_fold = w->no_fold || w->is_raw || is_for_programs,
		.is_raw = w->is_raw,
		.has_number = w->has_number,
		/* Times of the trace's clock are what programs compare. */
		.is_rebased = !w->is_absolute && !is_for_programs,
	};

	if (!path || check_form(t, w))
		return CLI_EXIT_FAILED;
	return cli_show_trace(t, path, &wanted);
}

const struct cli_trace_action cli_trace_show = {
	.name = "show",
	.usage = "[OPTION...] [FILE]",
	.about = "show accesses with register names, fields and values",
	.details = "A line has the time, the thread, the device, R or W with the number of bytes, "
		   "the register or its address, the value, and its meaning. Other events are "
		   "lines with --. --json and --csv write each record as a line of its own, with "
		   "times of the trace's clock.",
	.groups = CLI_TRACE_READS | CLI_TRACE_FOLLOWS | CLI_TRACE_OUTPUT | CLI_TRACE_COLOUR |
		  CLI_TRACE_JSON | CLI_TRACE_CSV,
	.max = 1,
	.options = options,
	.set = set_option,
	.own_bytes = sizeof(struct wanted),
	.run = run,
};
