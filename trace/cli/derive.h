/* SPDX-License-Identifier: MIT */
/* ntime trace derive: rows of all traces, and the ways to write them. */
#ifndef CLI_TRACE_DERIVE_H
#define CLI_TRACE_DERIVE_H

#include <stdio.h>

#include <ntime/trace/derive.h>

#include "trace/cli/trace.h"

/* One trace of the command line. */
struct cli_derive_trace {
	const char *path;
	struct ntime_derive *derive;
	struct ntime_derive_counts counts;
	char **device; /* names, by index */
	size_t devices;
};

/**
 * struct cli_derive_row - one set-up
 * @d:		what the library says
 * @trace:	whose
 * @next:	1 + the next row with the same function and another key, 0: none
 * @same:	number of the group of equal set-ups that it is in, from 1; 0 none (its set-up is
 *		not known)
 */
struct cli_derive_row {
	struct ntime_derived d;
	const struct cli_derive_trace *trace;
	size_t next;
	unsigned int same;
};

/**
 * struct cli_derive - all that is to be written
 * @row, @n:	rows worth showing: with -v also clocks and slots that are not in use
 * @bucket, @buckets: 1 + the first row of each hash of a function; a power of two
 * @groups:	numbers of groups in use
 * @hidden:	rows that are not among them
 */
struct cli_derive {
	struct cli_derive_trace *trace;
	size_t traces;
	struct cli_derive_row *row;
	size_t n;
	size_t *bucket, buckets;
	unsigned int groups;
	unsigned int hidden;
	unsigned int verbose;
};

/* "-" where the trace names none. */
const char *cli_derive_device(const struct cli_derive_row *r);

/* Whether any value has the clocks in which it was counted. */
bool cli_derive_has_clocks(const struct ntime_derived *d);

void cli_derive_print_table(FILE *f, const struct cli_look *look, const struct cli_derive *d);
void cli_derive_print_groups(FILE *f, const struct cli_derive *d);
/* Columns of the event tables, then ours, separated by tabs or commas. */
void cli_derive_print_columns(FILE *f, const struct cli_derive *d, char separator);
void cli_derive_print_json(FILE *f, const struct cli_derive *d);

#endif
