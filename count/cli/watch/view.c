// SPDX-License-Identifier: MIT
/* What the forms of output of ntime watch share. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "count/cli/report/report.h"
#include "count/cli/watch/watch.h"

double cli_watch_rate(const struct cli_watch *w, const struct ntime_value *v)
{
	return v->value * 1e9 / (double)w->period_ns;
}

void cli_watch_methods(const struct cli_watch *w, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < w->items.n; i++) {
		const char *method = w->items.item[i].info.method;
		bool is_new = *method && !w->items.item[i].is_missing;

		for (size_t k = 0; k < i && is_new; k++)
			is_new = w->items.item[k].is_missing ||
				 strcmp(w->items.item[k].info.method, method) != 0;
		if (!is_new || used >= size)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
					 method);
	}
}

/* "frame=5" or "frames=4-5" where a value is not of the frame of its row alone. */
static void add_frame(const struct cli_watch *w, size_t row, size_t at, struct cli_flag_text *words)
{
	const struct ntime_frame_value *v = &w->frames.value[at];
	char word[64];

	if (cli_watch_no_number(&v->value))
		return;
	if (v->first != v->last)
		snprintf(word, sizeof(word), "frames=%" PRIu64 "-%" PRIu64, v->first, v->last);
	else if (v->last != w->frames.number[row])
		snprintf(word, sizeof(word), "frame=%" PRIu64, v->last);
	else
		return;
	cli_flag_text_add(words, word);
}

struct cli_flag_text cli_watch_flag_words(const struct cli_watch *w, size_t row, size_t i,
					  uint32_t flags)
{
	size_t at = row * w->items.n + i;
	const struct ntime_value *v = &w->rows.value[at];
	struct cli_flag_text words = { "" };

	cli_flag_words_for_each(v->flags & flags, cli_flag_text_add, &words);
	if (cli_rows_is_unsure(&w->rows, &w->items.item[i], v))
		cli_flag_text_add(&words, "unsure");
	if (w->frames.ring)
		add_frame(w, row, at, &words);
	return words;
}

void cli_watch_quota_text(const struct cli_watch *w, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; w->items.is_overview && w->last && i < w->items.n; i++)
		if (strcmp(w->items.item[i].name, CLI_WATCH_QUOTA) == 0 &&
		    !cli_watch_no_number(&w->last[i]))
			snprintf(text, size,
				 "a CPU quota limits the control group of this process to the time "
				 "of %.4g CPUs: cgroup-* are the numbers of that group, all others "
				 "are those of the whole machine",
				 w->last[i].value);
}

static bool is_bit(const struct cli_row_item *item)
{
	return strcmp(item->info.unit_text, "1=yes") == 0;
}

const char *cli_watch_yes_or_no(const struct cli_row_item *item, const struct ntime_value *v)
{
	if (!is_bit(item) || (v->value != 0 && v->value != 1))
		return NULL;
	return v->value != 0 ? "yes" : "no";
}

bool cli_watch_is_whole(const struct cli_row_item *item, double number)
{
	return !item->info.is_metric && !*item->info.unit_text && number >= 1;
}

const char *cli_watch_unit_text(const struct cli_row_item *item)
{
	return is_bit(item) ? "" : item->info.unit_text;
}

const char *cli_watch_no_number(const struct ntime_value *v)
{
	if (v->flags & NTIME_ELSEWHERE)
		return "elsewhere";
	if (v->flags & NTIME_ABSENT)
		return "absent";
	if (v->flags & NTIME_NOT_COUNTED || isnan(v->value))
		return "not counted";
	return NULL;
}
