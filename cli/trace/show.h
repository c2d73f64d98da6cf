/* SPDX-License-Identifier: MIT */
/* ntime trace show: records into lines, on one thread or several. */
#ifndef CLI_TRACE_SHOW_H
#define CLI_TRACE_SHOW_H

#include "cli/output/file.h"
#include "cli/trace/trace.h"
#include "cli/trace/chips.h"
#include "cli/trace/fold.h"
#include "cli/trace/line.h"

struct cli_pool;

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
 * @lines:	of the only thread; NULL with @pool
 * @known:	how far @lines' decoder has been told of chips
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
	const struct cli_learnt *known;
	struct cli_pool *pool;
};

/* Write lines where they belong. 0 or -errno, told when the output is closed. */
int cli_show_write(struct cli_show *s, const char *text, size_t n);

/* Show the trace at @path with the options of the command line. The exit status of ntime. */
int cli_show_trace(struct cli_trace *t, const char *path, const struct cli_show_wanted *wanted);

/* ---- pool.c ---- */

/* Threads that make lines. 0, or CLI_EXIT_FAILED after a sentence. */
int cli_pool_new(struct cli_show *s, unsigned int threads, struct cli_pool **out);
/*
 * Have a batch made into lines; it is copied. The threads write them in order. 0 or the first
 * error.
 */
int cli_pool_put(struct cli_pool *p, const struct ntime_record *records, size_t n, const char *text,
		 uint64_t access);
/*
 * Wait until all is written. 0 or the first error; from then on the output is the caller's again.
 */
int cli_pool_end(struct cli_pool *p);
void cli_pool_free(struct cli_pool *p);

#endif
