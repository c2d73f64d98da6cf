/* SPDX-License-Identifier: MIT */
/*
 * Where a report goes: stderr, stdout, or a file that appears complete or not at all.
 *
 * All files that the command writes at its end go through here. A regular file appears at the end
 * (whole.h). What is none (a pipe, a terminal, /dev/full) cannot be replaced and is written to
 * directly.
 */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/output/memory.h"
#include "base/output/whole.h"

/**
 * struct cli_output - an open output
 * @f:		to write to; fully buffered, so that lines stay together
 * @fd:		what @f ends in, for cli_look_at()
 * @path:	for people
 * @is_whole:	@f goes to the file of @whole; else directly
 * @undo:	without memory nothing remains of the file
 * @error:	-errno of the first flush that failed
 */
struct cli_output {
	FILE *f;
	int fd;
	const char *path;
	bool is_whole;
	struct cli_whole whole;
	struct cli_undo undo;
	int error;
};

/*
 * @path: NULL is stderr, "-" stdout, else a file's name, borrowed until close. 0 or -errno; a
 *	sentence was printed.
 */
int cli_output_open(struct cli_output *o, const char *path, bool is_append);

/*
 * What is written begins with @head, once in a file, however often something is appended to it. 0;
 * -EEXIST: the file begins otherwise; or -errno.
 */
int cli_output_expect_head(struct cli_output *o, const char *head);

/*
 * What was written so far becomes visible, where it goes directly. 0 or -errno without a sentence.
 */
int cli_output_flush(struct cli_output *o);

/* Finish: everything is in its place, or nothing is, after a sentence, and -errno is returned. */
int cli_output_close(struct cli_output *o);

/* Give up: nothing remains. Does nothing when @o is closed or was never opened (all zero). */
void cli_output_abandon(struct cli_output *o);

#endif
