// SPDX-License-Identifier: MIT
/* Metrics that are exported themselves, see gauges.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"
#include "count/cli/export/gauges.h"

int cli_export_gauges_take(struct cli_export_gauges *g, const struct cli_export_sums *sums,
			   struct ntime_session *s, const struct cli_row_item *item)
{
	size_t n = sums->where_count * sums->items;

	g->before = cli_realloc(g->before, n + 1, sizeof(*g->before));
	g->delta = cli_realloc(g->delta, n + 1, sizeof(*g->delta));
	cli_rows_begin(g->before, g->values, n, sums->items, item);
	g->values = n;
	for (size_t i = 0; i < n; i++) {
		struct ntime_value *d = &g->delta[i];

		ntime_value_delta(&g->before[i], &sums->now[i], d);
		g->before[i] = sums->now[i];
		/* Of no time: that is not 0. */
		if (!d->wanted_ns && !(d->flags & (NTIME_ABSENT | NTIME_METRIC | NTIME_STATE))) {
			d->flags |= NTIME_NOT_COUNTED;
			d->value = NAN;
		}
	}
	cli_rows_fini(&g->rows);
	if (cli_rows_init(&g->rows, s, sums->items) == -ENOMEM)
		return -ENOMEM;
	/* Gauges have the labels of counters, which stay. */
	memcpy(g->rows.where, sums->where, sums->where_count * sizeof(*g->rows.where));
	(void)cli_rows_keep(&g->rows, item, g->delta);
	return 0;
}

void cli_export_gauges_compute(struct cli_export_gauges *g, const struct ntime_session *s,
			       const struct cli_row_item *item, enum cli_per per)
{
	/* Metrics that are divided alike are computed together. */
	if (g->rows.row && g->rows.per == per)
		return;
	cli_rows_arrange(&g->rows, per, item);
	(void)cli_rows_add_up(&g->rows, item, s, g->delta);
}

void cli_export_gauges_fini(struct cli_export_gauges *g)
{
	cli_rows_fini(&g->rows);
	free(g->before);
	free(g->delta);
}
