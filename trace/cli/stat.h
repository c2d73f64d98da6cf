/* SPDX-License-Identifier: MIT */
/* ntime trace stat: what was counted, and the three ways to write it. */
#ifndef CLI_TRACE_STAT_H
#define CLI_TRACE_STAT_H

#include <stdio.h>

#include <ntime/trace/stat.h>

#include "trace/cli/trace.h"
#include "trace/cli/chips.h"

/**
 * struct cli_stat_row - a register with its name
 * @name:	"" where no database knows it
 */
struct cli_stat_row {
	struct ntime_register_stat r;
	char *name;
};

/* Some sums, in order. */
struct cli_stat_totals {
	struct ntime_trace_total *total;
	size_t n;
};

/**
 * struct cli_trace_stats - all that is to be written
 * @row:	@rows of them, sorted; @shown of them are to be written
 * @totals:	by enum ntime_trace_total_kind
 * @base_ns:	what times count from: the first record
 */
struct cli_trace_stats {
	struct cli_trace_input in;
	struct cli_chips chips;
	struct ntime_trace_stat *stat;
	struct cli_stat_row *row;
	size_t rows, shown;
	struct cli_stat_totals totals[NTIME_TOTAL_THREAD + 1];
	uint64_t base_ns;
};

/* "bar0", "rom" */
const char *cli_stat_region(uint32_t region);
/* Name of a device, "-" where there is none. */
const char *cli_stat_device(const struct cli_trace_stats *s, uint32_t device);

/* Failures of writing stay in ferror(@f). */
void cli_trace_stat_text(struct cli_trace_stats *s, FILE *f, const struct cli_look *look);
void cli_trace_stat_csv(const struct cli_trace_stats *s, FILE *f);
void cli_trace_stat_json(const struct cli_trace_stats *s, FILE *f);

#endif
