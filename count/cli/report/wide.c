// SPDX-License-Identifier: MIT
/* Frames as rows, for programs that read them. */
#include "count/cli/report/wide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"
#include "count/cli/report/report.h"

enum { DRAWABLE, FRAME, FLAGS, BEGIN_S, FRAME_S, COUNTERS };

static const struct cli_column fixed[COUNTERS] = {
	[DRAWABLE] = { "drawable" }, [FRAME] = { "frame" },	[FLAGS] = { "flags" },
	[BEGIN_S] = { "begin_s" },   [FRAME_S] = { "frame_s" },
};

bool cli_wide_has_number(const struct ntime_value *v)
{
	return !(v->flags & (NTIME_ABSENT | NTIME_NOT_COUNTED)) && v->value == v->value;
}

void cli_wide_init(struct cli_wide *w, const struct ntime_item *item, size_t n)
{
	size_t columns = COUNTERS;

	*w = (struct cli_wide){ .item = item, .n = n };
	w->column = cli_calloc(n + COUNTERS, sizeof(*w->column));
	w->cell = cli_calloc(n + COUNTERS, sizeof(*w->cell));
	memcpy(w->column, fixed, sizeof(fixed));
	for (size_t i = 0; i < n; i++)
		if (!item[i].is_hidden)
			w->column[columns++].name =
				*item[i].unit_text
					? cli_format("%s [%s]", item[i].name, item[i].unit_text)
					: cli_strdup(item[i].name);
	w->columns = (struct cli_columns){ .column = w->column, .n = columns, .has_nulls = true };
}

void cli_wide_fini(struct cli_wide *w)
{
	for (size_t i = COUNTERS; i < w->columns.n; i++)
		free((char *)w->column[i].name);
	free(w->column);
	free(w->cell);
}

void cli_wide_flag(struct cli_wide *w, const char *name, const char *word)
{
	size_t used = strlen(w->flags);

	(void)snprintf(w->flags + used, sizeof(w->flags) - used, "%s%s%s%s", used ? " " : "", name,
		       *name ? ":" : "", word);
}

struct words {
	struct cli_wide *w;
	const char *name;
};

static void add_word(void *arg, const char *word)
{
	const struct words *of = arg;

	cli_wide_flag(of->w, of->name, word);
}

void cli_wide_fill(struct cli_wide *w, uint64_t drawable, const struct ntime_frame *frame,
		   uint64_t begin_ns, const struct ntime_value *value)
{
	struct cli_cell *cell = w->cell + COUNTERS;

	w->flags[0] = '\0';
	if (!frame->number)
		cli_wide_flag(w, "", CLI_WIDE_FIRST);
	for (size_t i = 0; i < w->n; i++) {
		if (w->item[i].is_hidden)
			continue;
		*cell++ = cli_if(cli_wide_has_number(&value[i]),
				 w->item[i].is_metric || value[i].value != (double)value[i].count
					 ? cli_real(value[i].value)
					 : cli_count(value[i].count));
		cli_flag_words_for_each(value[i].flags & ~(uint32_t)NTIME_METRIC, add_word,
					&(struct words){ w, w->item[i].name });
	}
	w->cell[DRAWABLE] = cli_if(drawable, cli_count(drawable));
	w->cell[FRAME] = cli_count(frame->number);
	w->cell[FLAGS] = cli_words(w->flags);
	w->cell[BEGIN_S] = cli_real((double)(frame->begin_ns - begin_ns) / 1e9);
	w->cell[FRAME_S] = cli_real((double)(frame->end_ns - frame->begin_ns) / 1e9);
}
