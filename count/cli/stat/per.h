/* SPDX-License-Identifier: MIT */
/* The values of a report, also per socket, core or thread. */
#ifndef CLI_STAT_PER_H
#define CLI_STAT_PER_H

#include "count/cli/stat/options.h"
#include "count/cli/report/report.h"

/* What the item of a report is shown with: @value, as --no-scale wants it. */
void cli_item_set_value(struct cli_item *item, const struct ntime_value *value, bool no_scale);

/**
 * struct cli_per_rows - room for the rows of a report
 */
struct cli_per_rows {
	struct cli_rows rows;
	struct cli_report_row *row;
	struct cli_item *item;
	char **label; /* of functions; NULL ends */
};

/*
 * cli_rows_init() returned @ret: is that why there can be no rows for @per? Then it was said.
 */
bool cli_per_is_unknown(struct ntime_ctx *ctx, enum cli_per per, int ret);
/*
 * Can there be such rows, of opened session @s? 0 or the exit status of ntime after a sentence.
 */
int cli_per_check(struct ntime_ctx *ctx, struct ntime_session *s, enum cli_per per);
/*
 * Give @r, whose items have their values, rows of session @s for what @o asks: their values are
 * those that it has now. 0 or the exit status of ntime after a sentence; cli_per_rows_fini() in
 * either case.
 */
int cli_per_rows_make(struct cli_per_rows *p, struct cli_report *r, struct ntime_ctx *ctx,
		      struct ntime_session *s, const struct cli_stat_options *o);
void cli_per_rows_fini(struct cli_per_rows *p);

#endif
