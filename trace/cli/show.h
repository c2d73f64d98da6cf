/* SPDX-License-Identifier: MIT */
/* ntime trace show: records into lines. */
#ifndef CLI_TRACE_SHOW_H
#define CLI_TRACE_SHOW_H

#include "base/output/file.h"
#include "trace/cli/trace.h"
#include "trace/cli/chips.h"
#include "trace/cli/fold.h"
#include "trace/cli/line.h"

/**
 * struct cli_show_wanted - what is shown, and how
 * @is_rebased:	times count from the first record of the trace; @from_kept: from the first that
 *		passes the filters
 * @folds, @no_fold: said by the user; else a terminal decides
 */
struct cli_show_wanted {
	enum cli_record_form form;
	bool folds, no_fold, is_raw, is_rebased, from_kept, has_number;
};

/**
 * struct cli_show - one run
 * @fold:	is used when @folds
 * @records, @n, @room: what is left of a batch after folding
 * @access:	number of the first access of it
 * @lines:	NULL before the first batch
 */
struct cli_show {
	struct cli_trace *t;
	struct cli_trace_input in;
	struct cli_chips chips;
	struct cli_line_style style;
	struct cli_output out;
	struct cli_fold fold;
	bool folds;
	struct cli_show_wanted wanted;
	struct ntime_record *records;
	size_t n, room;
	uint64_t access;
	struct cli_lines *lines;
};

/* Show the trace at @path with the options of the command line. The exit status of ntime. */
int cli_show_trace(struct cli_trace *t, const char *path, const struct cli_show_wanted *wanted);

#endif
