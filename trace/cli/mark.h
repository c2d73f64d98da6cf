/* SPDX-License-Identifier: MIT */
/* What marks between the accesses of a trace say to people. */
#ifndef CLI_TRACE_MARK_H
#define CLI_TRACE_MARK_H

#include <stdbool.h>
#include <stddef.h>

#include <ntime/trace/trace.h>

/* Bytes that a mark takes beside its text. */
#define CLI_MARK_BYTES 256

/* False: nothing to show, such as a new style of lines. */
bool cli_mark_is_shown(const struct ntime_record *r);

/*
 * The sentence of a mark, without control characters; @out has room for CLI_MARK_BYTES and @text.
 * Returns its length.
 */
size_t cli_mark_text(char *out, const struct ntime_record *r, const char *text);

#endif
