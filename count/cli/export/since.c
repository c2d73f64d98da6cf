// SPDX-License-Identifier: MIT
/* What happened since the answer before, see since.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"
#include "count/cli/export/since.h"
#include "count/cli/report/tally.h"

static void grow(struct cli_export_since *since, size_t items, size_t places)
{
	size_t had = since->places * items, n = places * items;

	since->before = cli_realloc(since->before, n + 1, sizeof(*since->before));
	since->delta = cli_realloc(since->delta, n + 1, sizeof(*since->delta));
	memset(since->before + had, 0, (n - had) * sizeof(*since->before));
	since->places = places;
}

/* CPUs may have come or gone, and what the kernel calls them may have changed. */
static int arrange(struct cli_rows *rows, const struct cli_export_sums *sums,
		   struct ntime_session *s, const struct cli_row_item *item, enum cli_per per)
{
	cli_rows_fini(rows);
	if (cli_rows_init(rows, s, sums->items) == -ENOMEM)
		return -ENOMEM;
	memcpy(rows->where, sums->where, sums->where_count * sizeof(*rows->where));
	cli_rows_arrange(rows, per, item);
	return 0;
}

int cli_export_since_take(struct cli_export_since *since, const struct cli_export_sums *sums,
			  struct ntime_session *s, const struct cli_row_item *item,
			  enum cli_per per)
{
	size_t n = sums->where_count * sums->items;
	int ret = arrange(&since->rows, sums, s, item, per);

	if (ret)
		return ret;
	grow(since, sums->items, sums->where_count);
	for (size_t i = 0; i < n; i++) {
		struct ntime_value *d = &since->delta[i];

		ntime_value_delta(&since->before[i], &sums->last[i], d);
		/* What was not counted since then is kept as it was read before. */
		if (!d->wanted_ns && !(d->flags & (NTIME_ABSENT | NTIME_METRIC | NTIME_STATE))) {
			d->flags |= NTIME_NOT_COUNTED;
			d->value = NAN;
		}
	}
	memcpy(since->before, sums->last, n * sizeof(*since->before));
	return cli_rows_add_up(&since->rows, item, s, since->delta);
}

struct ntime_value cli_export_since_all(const struct cli_export_since *since, size_t i)
{
	struct ntime_value all = since->delta[i];

	for (size_t place = 1; place < since->places; place++)
		cli_value_add(&all, &since->delta[place * since->rows.items + i]);
	return all;
}

void cli_export_since_fini(struct cli_export_since *since)
{
	cli_rows_fini(&since->rows);
	free(since->before);
	free(since->delta);
}
