/* SPDX-License-Identifier: MIT */
/* ntime trace diff: differences as text, CSV and JSON, written as they are found. */
#ifndef CLI_TRACE_DIFF_H
#define CLI_TRACE_DIFF_H

#include <stdio.h>

#include "base/output/term.h"
#include "trace/cli/line.h"
#include "trace/cli/pair.h"

/**
 * struct cli_trace_differences - where they go
 * @lines:	of each trace, for text
 * @has_gap:	a blank behind the sign, where lines do not begin with blanks
 * @is_minus:	what remains of the first is written, not what differs
 * @n:		changes that were written
 */
struct cli_trace_differences {
	struct cli_trace_pair pair;
	FILE *f;
	struct cli_look look;
	struct cli_lines *lines[2];
	bool has_gap, is_minus;
	uint64_t n;
};

/*
 * For ntime_trace_diff_run(); @arg is a struct cli_trace_differences. Negative when nothing more
 * can be written.
 */
int cli_trace_diff_text(void *arg, const struct ntime_trace_change *change);
int cli_trace_diff_csv(void *arg, const struct ntime_trace_change *change);
int cli_trace_diff_json(void *arg, const struct ntime_trace_change *change);

/* What stands in front of the first change, and behind the last one. */
void cli_trace_diff_begin(struct cli_trace_differences *d);
void cli_trace_diff_end(struct cli_trace_differences *d,
			const struct ntime_trace_diff_summary *sum);

#endif
