/* SPDX-License-Identifier: MIT */
/*
 * JSON values from what C has: any bytes, 64-bit counts, doubles. Failures of memory give NULL,
 * which jansson's *_new calls accept.
 */
#ifndef CLI_OUTPUT_JSON_H
#define CLI_OUTPUT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/output/column.h"

/*
 * Version of the machine-readable output; grows when a key or column changes its meaning or goes
 * away.
 */
#define CLI_SCHEMA 2

/*
 * Is jansson there? Asked when the option is read, before anything is measured. 0, or -ELIBACC and
 * it was said.
 */
int cli_json_check(void);

/* Bytes that are not UTF-8 (arguments and file names may have any) become U+FFFD. */
json_t *cli_json_text(const char *text);
/* A count; from 2^63 on as a real number because that is what JSON readers do with it anyway. */
json_t *cli_json_count(uint64_t count);
/*
 * Whole numbers without ".0" where a double holds them exactly. null for NaN and infinities, which
 * JSON has not.
 */
json_t *cli_json_number(double number);

/* "0x1f" with at least @digits digits. */
json_t *cli_json_hex(uint64_t value, unsigned int digits);

/* What a result begins with: {"ntime": VERSION, "schema": N}. */
json_t *cli_json_head(const char *version);
/* The same of what was found on a machine: with "simulated" and "emulated", which may be NULL. */
json_t *cli_json_machine_head(const char *version, bool is_simulated, const char *emulated);

/*
 * Of what was measured just now on this machine: "when" (UTC, ISO 8601), "host" and "kernel", by
 * which results of two days can be told apart.
 */
void cli_json_put_where(json_t *root);

/* A row of a result; @cell: one per column. */
json_t *cli_json_row(const struct cli_columns *c, const struct cli_cell *cell);
/* The same of columns and cells into @json. */
void cli_json_put_row(json_t *json, const struct cli_columns *c, const struct cli_cell *cell);
/*
 * The row of a struct whose members are all that is to be printed, and an array of @n structs
 * of @bytes each.
 */
json_t *cli_json_struct(const struct cli_columns *c, const void *of);
json_t *cli_json_rows(const struct cli_columns *c, const void *first, size_t n, size_t bytes);

/*
 * As json_dump_callback(), but real numbers have the fewest digits that read back as the same
 * double: 0.2, not 0.20000000000000001. 0 or -1.
 */
int cli_json_dump(const json_t *root, size_t flags,
		  int (*put)(const char *text, size_t n, void *arg), void *arg);
/* The @put of a FILE. */
int cli_json_put_file(const char *text, size_t n, void *f);

/*
 * Write @root as one line or indented, with a newline, and free it. 0 or -EIO; the error stays in
 * ferror(@f) too.
 */
int cli_json_write(FILE *f, json_t *root, int is_indented);

/*
 * The same text, indented, of @head with one more member behind the others: a list of @n elements,
 * which are made by @at and freed one by one, so that a long list needs no memory. @head has
 * members of its own and is freed. 0 or -EIO.
 */
int cli_json_write_list(FILE *f, json_t *head, const char *name,
			json_t *(*at)(const void *arg, size_t i), size_t n, const void *arg);

#endif
