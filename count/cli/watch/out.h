/* SPDX-License-Identifier: MIT */
/*
 * Where lines go, with as few system calls as may be: one write for what has gathered.
 *
 * Unlike reports (base/output/file.h) lines are there while they are made, so a file is written to
 * directly.
 */
#ifndef CLI_WATCH_OUT_H
#define CLI_WATCH_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct cli_watch_out - an open output
 * @name:	for people
 * @old:	of the file before, while it is not sure that the new one is taken; -1
 * @can_be_moved: it is a regular file, whose name may get another one
 * @is_append:	behind what the file has
 * @error:	-errno of the first write that failed; nothing is written then
 * @writes:	system calls so far
 */
struct cli_watch_out {
	int fd, old;
	bool is_file, can_be_moved, is_terminal, is_append;
	const char *name;
	char *buffer;
	size_t used;
	int error;
	uint64_t writes;
};

/*
 * @path: NULL or "-" is standard output, else a file's name, which is emptied unless @is_append. 0;
 *	-errno after a sentence.
 */
int cli_watch_out_open(struct cli_watch_out *o, const char *path, bool is_append);

/*
 * What has gathered is a head: write it behind what the file has, whose last line is ended; with
 * @is_once not where the file begins with it. 0; -EEXIST after a sentence: the file begins
 * otherwise, and stays as it is; -errno.
 */
int cli_watch_out_put_head(struct cli_watch_out *o, bool is_once);

/*
 * Open the file of that name as it is now, which somebody may have moved away: 1: it is a new one,
 * or empty; 0: it has lines; cli_watch_out_keep() then says which of the two gets the next ones.
 * -errno after a sentence: they go where they went.
 */
int cli_watch_out_reopen(struct cli_watch_out *o);
void cli_watch_out_keep(struct cli_watch_out *o, bool is_new);

/* Write what has gathered. 0 or -errno without a sentence. */
int cli_watch_out_flush(struct cli_watch_out *o);

/* Flush and close. 0; -errno after a sentence; a reader who went away (EPIPE) is no mistake. */
int cli_watch_out_close(struct cli_watch_out *o);

void cli_watch_put_bytes(struct cli_watch_out *o, const char *bytes, size_t n);
void cli_watch_put(struct cli_watch_out *o, const char *text);

#endif
