// SPDX-License-Identifier: MIT
/*
 * ntime watch as CSV: a header, then a row per item of each row.
 *
 * What does not change from sample to sample is made once, so that a sample costs a few copies and numbers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/csv.h"
#include "cli/output/say.h"
#include "cli/watch/watch.h"

#define SECOND 1000000000u

/* What stands before and behind the numbers of an item; of a row, before those of all. */
struct fixed {
	char *text;
	size_t bytes;
};

struct csv {
	struct fixed *name, *tail, *row;
};

static int make(struct fixed *fixed, const char *const *field, size_t n, const char *end)
{
	FILE *f = open_memstream(&fixed->text, &fixed->bytes);

	if (!f)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (i)
			putc(',', f);
		cli_csv_put(f, field[i]);
	}
	fputs(end, f);
	return fclose(f) ? -ENOMEM : 0;
}

static int make_items(struct csv *csv, const struct cli_watch *w)
{
	int ret = 0;

	for (size_t i = 0; i < w->items.n && !ret; i++) {
		const struct cli_watch_item *item = &w->items.item[i];
		const char *tail[] = { item->info.unit_text, item->info.unit, item->info.method };

		ret = make(&csv->name[i], (const char *const *)&item->name, 1, ",");
		if (!ret)
			ret = make(&csv->tail[i], tail, 3, ",");
	}
	return ret;
}

static int make_rows(struct csv *csv, const struct cli_watch *w)
{
	int ret = 0;

	for (size_t i = 0; i < w->rows.n && !ret; i++) {
		const char *name = w->rows.row[i].name;

		ret = make(&csv->row[i], &name, 1, ",");
	}
	return ret;
}

static int begin(struct cli_watch *w)
{
	struct csv *csv = calloc(1, sizeof(*csv));
	int ret = -ENOMEM;

	w->state = csv;
	if (csv) {
		csv->name = calloc(w->items.n + 1, sizeof(*csv->name));
		csv->tail = calloc(w->items.n + 1, sizeof(*csv->tail));
		csv->row = calloc(w->rows.n + 1, sizeof(*csv->row));
		if (csv->name && csv->tail && csv->row)
			ret = make_items(csv, w);
		if (!ret)
			ret = make_rows(csv, w);
	}
	if (ret) {
		cli_say_no_memory();
		return ret;
	}
	cli_watch_put(&w->out, "sample,time_s,period_s,where,name,value,per_second,count,flags,"
			       "unit,unit_name,way,error\n");
	return 0;
}

static void put_item(struct cli_watch *w, size_t row, size_t i)
{
	const struct cli_watch_item *item = &w->items.item[i];
	size_t at = row * w->items.n + i;
	const struct ntime_value *v = &w->rows.value[at];
	char words[160];

	if (!cli_watch_no_number(v)) {
		cli_watch_put_exact(&w->out, v->value);
		cli_watch_put_bytes(&w->out, ",", 1);
		if (item->has_rate)
			cli_watch_put_rate(&w->out, cli_watch_rate(w, v));
		cli_watch_put_bytes(&w->out, ",", 1);
		if (!item->info.is_metric)
			cli_watch_put_count(&w->out, v->count);
		cli_watch_put_bytes(&w->out, ",", 1);
	} else {
		cli_watch_put_bytes(&w->out, ",,,", 3);
	}
	cli_watch_flag_words(w, row, i, UINT32_MAX, words, sizeof(words));
	cli_watch_put(&w->out, words);
	if (w->emulated)
		cli_watch_put(&w->out, *words ? " emulated" : "emulated");
	cli_watch_put_bytes(&w->out, ",", 1);
}

/* Last, as few have one: most values are no estimates. */
static void put_error(struct cli_watch *w, size_t row, size_t i)
{
	const struct ntime_value *v = &w->rows.value[row * w->items.n + i];

	if (v->error > 0 && !cli_watch_no_number(v))
		cli_watch_put_exact(&w->out, v->error);
	cli_watch_put_bytes(&w->out, "\n", 1);
}

/* What all lines of a sample begin with: its number and times. */
static size_t make_head(const struct cli_watch *w, char *head, size_t size)
{
	return (size_t)snprintf(head, size,
				"%" PRIu64 ",%" PRIu64 ".%09" PRIu64 ",%" PRIu64 ".%09" PRIu64 ",",
				w->sampler.number, w->at_ns / SECOND, w->at_ns % SECOND,
				w->period_ns / SECOND, w->period_ns % SECOND);
}

static int sample(struct cli_watch *w)
{
	const struct csv *csv = w->state;
	struct cli_watch_out *o = &w->out;
	char head[128];
	size_t bytes = make_head(w, head, sizeof(head));

	for (size_t row = 0; row < w->rows.n; row++) {
		for (size_t i = 0; i < w->items.n; i++) {
			if (!cli_watch_rows_show(&w->rows, row, &w->items.item[i]))
				continue;
			cli_watch_put_bytes(o, head, bytes);
			cli_watch_put_bytes(o, csv->row[row].text, csv->row[row].bytes);
			cli_watch_put_bytes(o, csv->name[i].text, csv->name[i].bytes);
			put_item(w, row, i);
			cli_watch_put_bytes(o, csv->tail[i].text, csv->tail[i].bytes);
			put_error(w, row, i);
		}
	}
	return o->error;
}

static void end(struct cli_watch *w)
{
	struct csv *csv = w->state;

	if (!csv)
		return;
	for (size_t i = 0; csv->name && i < w->items.n; i++)
		free(csv->name[i].text);
	for (size_t i = 0; csv->tail && i < w->items.n; i++)
		free(csv->tail[i].text);
	for (size_t i = 0; csv->row && i < w->rows.n; i++)
		free(csv->row[i].text);
	free(csv->name);
	free(csv->tail);
	free(csv->row);
	free(csv);
	w->state = NULL;
}

const struct cli_watch_view cli_watch_csv_view = { .begin = begin, .sample = sample, .end = end };
