/* SPDX-License-Identifier: MIT */
/* Frames of OpenGL programs, from files, compared counter by counter. */
#ifndef CLI_COMPARE_FRAMES_H
#define CLI_COMPARE_FRAMES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "count/cli/compare/options.h"

enum cli_frame_verdict {
	CLI_FRAMES_EQUAL,
	CLI_FRAMES_DIFFER,
	CLI_FRAMES_ALIKE,   /* no difference was found */
	CLI_FRAMES_UNKNOWN, /* there is no interval */
	CLI_FRAMES_WITHIN,  /* of a tolerance */
	CLI_FRAMES_BEYOND,
	CLI_FRAMES_UNCLEAR,
};

/**
 * struct cli_frame_change - by how much a counter differs from that of another series
 * @is_share:	the numbers are parts of the mean of the other: 0.01 is 1 %; else as the counter's
 * @is_known:	there is an interval, from @low to @high
 * @shift:	frames by which the counter is later; 0: it is not, or it cannot be told
 */
struct cli_frame_change {
	enum cli_frame_verdict verdict;
	bool is_share, is_known;
	double difference, low, high;
	int shift;
};

/**
 * struct cli_frame_counter - one counter of a series
 * @name, @unit: as the file has them, @unit may be ""; owned
 * @value:	of @n frames in their order, NAN where one has no number; owned
 * @n:		0: only what follows is known
 * @mean, @min, @max: NAN: not known
 * @than:	the counter of another series that it is compared with; NULL: none
 * @change:	by how much it differs from that
 */
struct cli_frame_counter {
	char *name, *unit;
	double *value;
	size_t n;
	double mean, min, max;
	const struct cli_frame_counter *than;
	struct cli_frame_change change;
};

/**
 * struct cli_frame_series - frames of one drawable of one operand
 * @name:	for people, of no other one; owned
 * @path:	the operand; not owned
 * @operand:	which one that is
 * @drawable:	as the file numbers it; 0: the file does not
 * @reference:	the series that it is compared with; SIZE_MAX: with none
 */
struct cli_frame_series {
	char *name;
	const char *path;
	size_t operand;
	unsigned long drawable;
	size_t reference;
	struct cli_frame_counter *counter;
	size_t counters;
};

struct cli_frame_files {
	struct cli_frame_series *series;
	size_t n;
};

/* Frame times, whose column has no name of a counter. */
#define CLI_FRAME_TIME "frame time"

/*
 * Is it a file with frames? It ends in .csv, .stats, .txt or .tsv, has no blanks, and is a regular
 * file that cannot be executed.
 */
bool cli_operand_is_frame_file(const char *operand);
/* Is it an existing folder, which could be one of Mesa's HUD? */
bool cli_operand_is_frame_folder(const char *operand);

/*
 * Add what operand number @operand has, in whatever of the four forms. 0; -EINVAL after a sentence.
 * In both cases cli_frame_files_fini() frees.
 */
int cli_frame_files_read(struct cli_frame_files *all, const char *path, size_t operand);
void cli_frame_files_fini(struct cli_frame_files *all);

/* The last part of the path, without a suffix that such a file has; for free(3). */
char *cli_frame_stem(const char *path);

/* NULL: the series has none of that name with a number. */
const struct cli_frame_counter *cli_frame_find(const struct cli_frame_series *s, const char *name);

/* @tolerance: a part of a whole; NAN: none. */
struct cli_frame_change cli_frame_change(const struct cli_frame_counter *a,
					 const struct cli_frame_counter *b, double tolerance);

/* All of it, with the report: the exit status of the command. */
int cli_compare_frames(const struct cli_compare_options *o);

#endif
