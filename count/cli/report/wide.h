/* SPDX-License-Identifier: MIT */
/* Frames as a table: a row a frame, a column a counter. */
#ifndef CLI_REPORT_WIDE_H
#define CLI_REPORT_WIDE_H

#include <ntime/frame.h>

#include "base/output/column.h"

/* Of a frame that is in no statistic: drivers are made ready in it. */
#define CLI_WIDE_FIRST "first"

/**
 * struct cli_wide - the columns, and a row of them for cli_csv_row() or cli_json_row()
 * @item:	@n of a frame; borrowed. Those that are hidden have no column
 * @flags:	of the row: "first", and "NAME:scaled" where a number is not what it could be
 */
struct cli_wide {
	struct cli_columns columns;
	struct cli_column *column;
	struct cli_cell *cell;
	const struct ntime_item *item;
	size_t n;
	char flags[1024];
};

/* cli_wide_fini() frees. */
void cli_wide_init(struct cli_wide *w, const struct ntime_item *item, size_t n);
/* @drawable: number of it; 0: no column's. @begin_ns: of the first frame, from which time runs. */
void cli_wide_fill(struct cli_wide *w, uint64_t drawable, const struct ntime_frame *frame,
		   uint64_t begin_ns, const struct ntime_value *value);
/* One more word of the row's flags, of a counter. */
void cli_wide_flag(struct cli_wide *w, const char *name, const char *word);
void cli_wide_fini(struct cli_wide *w);

/* Has it a number? */
bool cli_wide_has_number(const struct ntime_value *v);

#endif
