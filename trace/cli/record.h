/* SPDX-License-Identifier: MIT */
/* Records of a trace for programs: lines of JSON and of CSV, with names and values in words. */
#ifndef CLI_TRACE_RECORD_H
#define CLI_TRACE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/trace/regdb.h>
#include <ntime/trace/writer.h>

enum cli_record_form { CLI_RECORD_LINES, CLI_RECORD_JSON, CLI_RECORD_CSV };

/* The names of the columns of CSV into @buf, a line. Bytes that were written. */
size_t cli_record_csv_head(char *buf, size_t bytes);

/* Bytes that cli_record_put() needs at most. */
size_t cli_record_room(const struct ntime_record_texts *texts);

/*
 * One record as a line, which may go to a terminal. @texts: of which register_name and words are
 * made here where @decoder is not NULL. Bytes that were written.
 */
size_t cli_record_put(char *buf, size_t bytes, enum cli_record_form form, bool is_terminal,
		      const struct ntime_record *r, struct ntime_record_texts *texts,
		      struct ntime_decoder *decoder);

#endif
