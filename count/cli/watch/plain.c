// SPDX-License-Identifier: MIT
/* ntime watch as lines for people and grep(1): a line per item of each row. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/clean.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/output/say.h"
#include "base/output/stamp.h"
#include "base/output/term.h"
#include "count/cli/watch/watch.h"

#define NUMBER_COLUMNS 13

/* Columns of the widest name of a row, of an item and of its unit; the day that was told last. */
struct plain {
	int row, name, unit;
	struct cli_stamp day;
};

static void widen(int *columns, const char *text)
{
	int more = (int)strlen(text);

	if (more > *columns)
		*columns = more;
}

static void measure(struct plain *plain, const struct cli_watch *w)
{
	widen(&plain->row, "where");
	widen(&plain->name, "what");
	widen(&plain->unit, "unit");
	for (size_t i = 0; i < w->rows.n; i++)
		widen(&plain->row, w->rows.row[i].name);
	for (size_t i = 0; i < w->items.n; i++) {
		if (!w->items.item[i].is_shown)
			continue;
		widen(&plain->name, w->items.item[i].name);
		widen(&plain->unit, cli_watch_unit_text(&w->items.item[i]));
	}
}

/* Of which day the clock times below are, and of which machine. */
static void put_day(struct cli_watch *w, uint64_t wall_ns)
{
	struct plain *plain = w->state;
	struct cli_stamp day = cli_stamp_day(wall_ns);
	char line[256];

	if (strcmp(day.text, plain->day.text) == 0)
		return;
	plain->day = day;
	if (w->frames.ring)
		snprintf(line, sizeof(line), "# %s  %s  frames of %.100s\n",
			 cli_clean(cli_host_name()), day.text, cli_clean(w->o.frames));
	else
		snprintf(line, sizeof(line), "# %s  %s  every %g s\n", cli_clean(cli_host_name()),
			 day.text, (double)w->o.interval_ns / 1e9);
	cli_watch_put(&w->out, line);
}

static int begin(struct cli_watch *w)
{
	struct plain *plain = cli_calloc(1, sizeof(*plain));

	w->state = plain;
	measure(plain, w);
	return 0;
}

static int head(struct cli_watch *w)
{
	struct plain *plain = w->state;
	char line[512];

	plain->day.text[0] = '\0';
	put_day(w, cli_wall_ns());
	snprintf(line, sizeof(line), "%-12s  %-*s  %-*s %*s %-*s %*s\n", "time", plain->row,
		 "where", plain->name, "what", NUMBER_COLUMNS, "value", plain->unit, "unit",
		 NUMBER_COLUMNS, "per_second");
	cli_watch_put(&w->out, line);
	return 0;
}

static void end(struct cli_watch *w)
{
	free(w->state);
	w->state = NULL;
}

/*
 * Times stay in nanoseconds here: a column whose unit changes from line to line cannot be compared.
 */
static struct cli_number value_text(const struct cli_row_item *item, const struct ntime_value *v)
{
	const char *no_number = cli_watch_no_number(v);
	struct cli_number n;

	if (!no_number)
		no_number = cli_watch_yes_or_no(item, v);
	if (no_number)
		snprintf(n.text, sizeof(n.text), "%s", no_number);
	else if (item->info.is_metric || v->value != (double)(int64_t)v->value)
		n = cli_number_short(v->value);
	else
		n = cli_number_grouped(v->value, 0);
	return n;
}

static struct cli_number rate_text(const struct cli_row_item *item, double rate)
{
	return cli_watch_is_whole(item, rate) ? cli_number_grouped(rate, 0)
					      : cli_number_short(rate);
}

static void put_interval(struct cli_watch *w, const struct cli_row_item *item,
			 const struct ntime_value *v)
{
	double error = cli_value_is_vague(v) ? INFINITY : v->error;
	struct ntime_value least = *v;

	if (cli_value_has_least(v)) {
		least.value -= v->below;
		cli_watch_put(&w->out, " at least ");
		cli_watch_put(&w->out, value_text(item, &least).text);
	} else {
		cli_watch_put(&w->out, " ");
		cli_watch_put(&w->out, cli_number_spread(error, v->value, false).text);
	}
}

/* What must be known to believe the number, behind it. */
static void put_doubts(struct cli_watch *w, size_t row, size_t i)
{
	uint32_t doubts = NTIME_SCALED | NTIME_OVERFLOWED | NTIME_PARTIAL | NTIME_USER_ONLY |
			  NTIME_LOST | NTIME_STATE | NTIME_SIMULATED | NTIME_GONE | NTIME_HOTPLUG |
			  NTIME_IMPLAUSIBLE;
	const struct ntime_value *v = &w->rows.value[row * w->items.n + i];
	struct cli_flag_text words = cli_watch_flag_words(w, row, i, doubts);

	if (!*words.text)
		return;
	cli_watch_put(&w->out, "  ");
	cli_watch_put(&w->out, words.text);
	if (v->flags & NTIME_SCALED && !cli_watch_no_number(v))
		put_interval(w, &w->items.item[i], v);
}

static void put_line(struct cli_watch *w, size_t row, size_t i)
{
	const struct cli_row_item *item = &w->items.item[i];
	const struct plain *plain = w->state;
	const struct ntime_value *v = &w->rows.value[row * w->items.n + i];
	bool has_rate = item->has_rate && !cli_watch_no_number(v);
	char line[512];

	snprintf(line, sizeof(line), "%-12s  %-*s  %-*s %*s %-*s %*s",
		 cli_stamp_clock(w->wall_ns, true).text, plain->row,
		 cli_clean(w->rows.row[row].name), plain->name, cli_clean(item->name),
		 NUMBER_COLUMNS, value_text(item, v).text, plain->unit,
		 cli_clean(cli_watch_unit_text(item)), NUMBER_COLUMNS,
		 has_rate ? rate_text(item, cli_watch_rate(w, v)).text : "");
	cli_watch_put(&w->out, line);
	put_doubts(w, row, i);
	while (w->out.used && w->out.buffer[w->out.used - 1] == ' ')
		w->out.used--;
	cli_watch_put(&w->out, "\n");
}

static int sample(struct cli_watch *w)
{
	put_day(w, w->wall_ns);
	for (size_t row = 0; row < w->rows.n; row++)
		for (size_t i = 0; i < w->items.n; i++)
			if (cli_rows_show(&w->rows, row, &w->items.item[i]))
				put_line(w, row, i);
	return w->out.error;
}

const struct cli_watch_view cli_watch_plain_view = {
	.begin = begin, .head = head, .sample = sample, .end = end
};
