// SPDX-License-Identifier: MIT
/* The values of a report, also per socket, core or thread. */
#include <errno.h>
#include <stdlib.h>

#include <ntime/context.h>

#include "count/cli/shared/machine.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "count/cli/stat/per.h"

/* What is possible at all, of what was scaled. */
static void set_bounds(struct cli_item *item)
{
	const struct ntime_item info = { .size = sizeof(info),
					 .is_metric = item->is_metric,
					 .max_rate = item->max_rate };

	item->has_bounds = item->value.flags & NTIME_SCALED &&
			   !ntime_value_bounds(&item->value, &info, &item->least, &item->most);
}

void cli_item_set_value(struct cli_item *item, const struct ntime_value *value, bool no_scale)
{
	item->value = *value;
	item->is_unscaled = no_scale && cli_value_unscale(&item->value, item->scale);
	/* The item's own flag counts: a metric without a value may not carry the value's. */
	if (item->is_metric)
		item->value.flags |= NTIME_METRIC;
	set_bounds(item);
}

/* What rows want to know of the items. 0 or -errno. */
static int describe(struct cli_row_item *to, const struct cli_report *r, struct ntime_session *s)
{
	int ret = 0;

	for (size_t i = 0; i < r->items && !ret; i++) {
		ret = cli_row_item_learn(&to[i], s, i);
		to[i].is_missing = r->item[i].value.flags & NTIME_ABSENT;
		to[i].is_shown = !to[i].is_missing;
	}
	return ret;
}

static int read_places(struct cli_rows *rows, const struct cli_row_item *item,
		       struct ntime_session *s)
{
	struct ntime_value *values =
		cli_calloc(rows->where_count * rows->items + 1, sizeof(*values));
	int ret = ntime_session_read_where(s, values, rows->items, rows->where_count);

	if (ret >= 0)
		ret = cli_rows_add_up(rows, item, s, values);
	free(values);
	return ret < 0 ? ret : 0;
}

/* The items of @row; whether any stands there. */
static bool fill_row(const struct cli_rows *rows, size_t row, const struct cli_row_item *item,
		     const struct cli_report *r, struct cli_item *to,
		     const struct cli_stat_options *o)
{
	bool has_one = false;

	for (size_t i = 0; i < r->items; i++) {
		const struct ntime_value *v = &rows->value[row * r->items + i];

		to[i] = r->item[i];
		to[i].is_elsewhere =
			v->flags & NTIME_ELSEWHERE || !cli_rows_show(rows, row, &item[i]);
		cli_item_set_value(&to[i], v, o->no_scale);
		has_one |= !to[i].is_elsewhere && (!to[i].is_hidden || o->verbose);
	}
	return has_one;
}

static void fill(struct cli_per_rows *p, const struct cli_row_item *item, struct cli_report *r,
		 const struct cli_stat_options *o)
{
	const struct cli_rows *rows = &p->rows;

	p->row = cli_calloc(rows->n + 1, sizeof(*p->row));
	p->item = cli_calloc(rows->n * r->items + 1, sizeof(*p->item));
	for (size_t row = 0; row < rows->n; row++) {
		struct cli_item *to = &p->item[row * r->items];

		if (fill_row(rows, row, item, r, to, o))
			p->row[r->rows++] = (struct cli_report_row){ .where = rows->row[row].name,
								     .place = &rows->row[row],
								     .item = to };
	}
	r->row = p->row;
}

bool cli_per_is_unknown(struct ntime_ctx *ctx, enum cli_per per, int ret)
{
	if (ret == -ENOMEM)
		cli_say_no_memory();
	else if (ret >= 0 || (per != CLI_PER_SOCKET && per != CLI_PER_CORE))
		return false;
	else
		cli_say("--per %s: the topology is not known: %s", cli_per_word(per),
			ntime_error_text(ctx));
	return true;
}

int cli_per_check(struct ntime_ctx *ctx, struct ntime_session *s, enum cli_per per)
{
	struct cli_rows rows;
	int ret = cli_rows_init(&rows, s, 0);

	cli_rows_fini(&rows);
	return cli_per_is_unknown(ctx, per, ret) ? CLI_EXIT_FAILED : 0;
}

int cli_per_rows_make(struct cli_per_rows *p, struct cli_report *r, struct ntime_ctx *ctx,
		      struct ntime_session *s, const struct cli_stat_options *o)
{
	struct cli_row_item *item = cli_calloc(r->items + 1, sizeof(*item));
	int ret = cli_rows_init(&p->rows, s, r->items);

	/* cli_per_check() has said what there is to say. */
	if (ret != -ENOMEM)
		ret = 0;
	/* What a CPU counted before it went is in the whole as well. */
	p->rows.keeps_off_line = true;
	if (!ret)
		ret = describe(item, r, s);
	if (!ret) {
		cli_rows_arrange(&p->rows, o->per, item);
		ret = read_places(&p->rows, item, s);
	}
	if (!ret)
		fill(p, item, r, o);
	free(item);
	return ret ? cli_machine_say(ctx, ret) : 0;
}

void cli_per_rows_fini(struct cli_per_rows *p)
{
	for (size_t i = 0; p->label && p->label[i]; i++)
		free(p->label[i]);
	free(p->label);
	free(p->row);
	free(p->item);
	cli_rows_fini(&p->rows);
	*p = (struct cli_per_rows){ .row = NULL };
}
