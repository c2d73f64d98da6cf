/* SPDX-License-Identifier: MIT */
/* Databases of a few lines, written where only the test sees them. */
#ifndef TT_DATABASE_H
#define TT_DATABASE_H

#include <stdbool.h>

#include <ntime/trace/regdb.h>

struct tt_database {
	char folder[64];
	struct ntime_trace_ctx *ctx;
	struct ntime_regdb *db;
	struct ntime_decoder *d;
	char log[1024]; /* lines of the context's log */
};

/* A folder without files, and a database with ntime's own rows. */
void tt_database_open(struct tt_database *t);
/* The same, with a decoder of ntime's own rows. */
void tt_database_rows(struct tt_database *t);
/* The same with one file of @text, which is read, and a decoder; @chip may be NULL. */
void tt_database_with(struct tt_database *t, const char *chip, const char *text);
/* One file of the folder: @text between <database> and </database>. */
void tt_database_file(struct tt_database *t, const char *name, const char *text);
/* The same with nothing around it. */
void tt_database_raw(struct tt_database *t, const char *name, const char *text, size_t bytes);
/* ntime_regdb_add() of @name in the folder, "": of the folder. */
int tt_database_add(struct tt_database *t, const char *name);
/* A decoder; @chip may be NULL. */
void tt_database_decoder(struct tt_database *t, const char *chip);
/*
 * What is at @offset: its name with "+0x" and the skew, "" for nothing; and @value of @width in
 * words.
 */
const char *tt_database_name(struct tt_database *t, uint64_t offset);
const char *tt_database_value(struct tt_database *t, uint64_t offset, uint32_t width,
			      uint64_t value);
bool tt_database_is_guess(struct tt_database *t, uint64_t offset);
void tt_database_close(struct tt_database *t);

#endif
