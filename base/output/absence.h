/* SPDX-License-Identifier: MIT */
/* What is missing, in sentences: names that share a reason share a sentence. */
#ifndef CLI_OUTPUT_ABSENCE_H
#define CLI_OUTPUT_ABSENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/reason.h>

#include "base/output/column.h"

/* What was asked for and is not there; all but @name as in struct ntime_item. */
struct cli_absence {
	const char *name, *reason, *remedy, *about, *cause;
	uint32_t reason_code, remedy_kind;
};

/* One that is called @called and has the rest from *@from, a struct with the same members. */
#define CLI_ABSENCE(called, from)                                                                  \
	(struct cli_absence)                                                                       \
	{                                                                                          \
		.name = (called), .reason = (from)->reason, .remedy = (from)->remedy,              \
		.about = (from)->about, .cause = (from)->cause,                                    \
		.reason_code = (from)->reason_code, .remedy_kind = (from)->remedy_kind             \
	}

/*
 * Columns of JSON for the data of a reason, of a public struct that has it: @of(member, kind) is
 * its CLI_OF(). None where nothing is in the way.
 */
#define CLI_ABSENCE_COLUMNS(of, type)                                                              \
	{ "reason_code", of(reason_code, TEXT), .word = ntime_reason_name,                         \
	  .flags = CLI_COLUMN_NOT_CSV | CLI_COLUMN_SET },                                          \
		{ "about", of(about, TEXT), .flags = CLI_COLUMN_NOT_CSV | CLI_COLUMN_SET },        \
	{                                                                                          \
		"remedy_kind", of(remedy_kind, TEXT),                                              \
			.word = ntime_remedy_kind_name,                                            \
			.flags = CLI_COLUMN_NOT_CSV | CLI_COLUMN_OMIT,                             \
			CLI_IF(type, reason_code, UINT32_MAX)                                      \
	}

#define CLI_ABSENCE_BYTES 2048 /* of a sentence */

/*
 * Does one sentence tell of both? Then code, what it is about and remedy are the same; the words of
 * the reasons may differ.
 */
bool cli_absence_is_alike(const struct cli_absence *a, const struct cli_absence *b);

/* Was one before the one at @i like it? */
bool cli_absence_was_told(const struct cli_absence *all, size_t i);

/* Why it is missing, and all that are like it. */
const char *cli_absence_why(const struct cli_absence *a);

/* The same in few words, where the event is one of the CPU cores or the kernel. */
const char *cli_absence_short(const struct cli_absence *a);

/*
 * Call @say with each sentence ("a, b: reason (remedy)"). With @is_brief there is one for all,
 * without reasons.
 */
void cli_absences_tell(const struct cli_absence *all, size_t n, bool is_brief,
		       void (*say)(void *arg, const char *sentence), void *arg);

#endif
