/* SPDX-License-Identifier: MIT */
/* Metrics that are exported themselves: of the time since the answer before. */
#ifndef CLI_EXPORT_GAUGES_H
#define CLI_EXPORT_GAUGES_H

#include "count/cli/export/sums.h"

/**
 * struct cli_export_gauges - what they are computed of
 * @rows:	as they were computed last; none since the last read
 * @before:	as read for the answer before, @values of them
 * @delta:	what happened since then, in the same rows
 */
struct cli_export_gauges {
	struct cli_rows rows;
	struct ntime_value *before, *delta;
	size_t values;
};

/* Up to the last read of @sums; the next time begins there. 0 or -errno. */
int cli_export_gauges_take(struct cli_export_gauges *g, const struct cli_export_sums *sums,
			   struct ntime_session *s, const struct cli_row_item *item);
/* Compute all in rows of @per, in .rows. */
void cli_export_gauges_compute(struct cli_export_gauges *g, const struct ntime_session *s,
			       const struct cli_row_item *item, enum cli_per per);
void cli_export_gauges_fini(struct cli_export_gauges *g);

#endif
