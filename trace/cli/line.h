/* SPDX-License-Identifier: MIT */
/*
 * Lines of "ntime trace show". Built in memory of their own, without stdio: what was named before
 * is copied from a cache, so that most lines are a few copies and two conversions of numbers.
 */
#ifndef CLI_TRACE_LINE_H
#define CLI_TRACE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/trace/regdb.h>
#include <ntime/trace/trace.h>

#include "base/output/term.h"
#include "trace/cli/record.h"

/**
 * struct cli_line_style - what lines look like
 * @look:	colour; @look.is_terminal: lines are broken at @look.width
 * @has_time, @has_thread, @has_device, @has_number: which columns there are
 * @digits:	behind the point of times: 6 or 9
 * @base_ns:	what times count from
 * @device_columns, @name_columns: width of those
 * @is_short:	PCI places without a domain of 0000
 * @is_raw:	addresses and values alone
 * @form:	for people, or for programs: of all above these have @is_raw and @base_ns alone
 * @device_name: by index; NULL where none is known yet
 */
struct cli_line_style {
	struct cli_look look;
	bool has_time, has_thread, has_device, has_number, is_short, is_raw;
	enum cli_record_form form;
	unsigned int digits;
	uint64_t base_ns;
	unsigned int device_columns, name_columns;
	const char *const *device_name;
};

struct cli_lines;

/* @decoder may be NULL (addresses alone); both are borrowed. NULL without memory. */
struct cli_lines *cli_lines_new(const struct cli_line_style *style, struct ntime_decoder *decoder);
void cli_lines_free(struct cli_lines *l);

/* Append @n records, of which the first access is number @access. */
void cli_lines_put(struct cli_lines *l, const struct ntime_record *records, size_t n,
		   const char *text, uint64_t access);

/* What was appended; cli_lines_clear() begins anew. */
const char *cli_lines_text(const struct cli_lines *l, size_t *n);
void cli_lines_clear(struct cli_lines *l);
/* Names may be other ones now: the decoder learnt of a chip. */
void cli_lines_forget(struct cli_lines *l);

#endif
