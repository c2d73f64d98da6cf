/* SPDX-License-Identifier: MIT */
/*
 * Where a report goes: stderr, stdout, or a file that appears complete or not at all.
 *
 * A regular file is written under another name beside its place and renamed at the end. What is no
 * regular file (a pipe, a terminal, /dev/full) cannot be replaced and is written to directly.
 * Appending copies the new part behind the old one at the end, and cuts it off again when that
 * fails.
 */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct cli_output - an open output
 * @f:		to write to; fully buffered, so that lines stay together
 * @fd:		what @f ends in, for cli_look_at()
 * @path:	for people
 * @place:	file to replace or to append to, symbolic links followed; NULL when @f goes there
 *		directly
 * @temporary:	file that is written; NULL when @f goes there directly
 * @error:	-errno of the first flush that failed
 */
struct cli_output {
	FILE *f;
	int fd;
	const char *path;
	char *place;
	char *temporary;
	bool is_append;
	int error;
};

/*
 * @path: NULL is stderr, "-" stdout, else a file's name, borrowed until close. 0 or -errno; a
 *	sentence was printed.
 */
int cli_output_open(struct cli_output *o, const char *path, bool is_append);

/*
 * What was written so far becomes visible, where it goes directly. 0 or -errno without a sentence.
 */
int cli_output_flush(struct cli_output *o);

/* Finish: everything is in its place, or nothing is, after a sentence, and -errno is returned. */
int cli_output_close(struct cli_output *o);

/* Give up: nothing remains. Does nothing when @o is closed or was never opened (all zero). */
void cli_output_abandon(struct cli_output *o);

#endif
