/* SPDX-License-Identifier: MIT */
/* Reading traces in tests: bytes in, one line of text for each record out. */
#ifndef TESTS_TRACE_READING_H
#define TESTS_TRACE_READING_H

#include <stdint.h>
#include <stdio.h>

#include <ntime/trace/trace.h>

#include "base/tests/tt.h"

/*
 * A file of these bytes in the folder for temporary ones; its name, to be freed and unlinked by
 * tt_drop().
 */
char *tt_file(const void *bytes, size_t n);
void tt_drop(char *path);

/* All records of an open reader, a line each; freed by the caller. *@ret: of the last call. */
char *tt_records(struct ntime_trace *t, int *ret);

/* Read @text with @flags: the records, and the state at the end. */
char *tt_read(struct ntime_trace_ctx *ctx, const char *text, size_t n, uint32_t form,
	      uint32_t flags, struct ntime_trace_info *info);

/* What a reader warns of, "COUNT SENTENCE" a line; freed by the caller. */
char *tt_warnings(const struct ntime_trace *t);

/* One record as text behind @out. */
void tt_put_record(FILE *out, const struct ntime_record *r, const char *text);

#endif
