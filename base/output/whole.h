/* SPDX-License-Identifier: MIT */
/*
 * A file that is there as a whole or not at all, whenever ntime is killed.
 *
 * It is written without a name (O_TMPFILE) and gets its name at the end. A file that is there
 * already is replaced by it, or has it copied behind its end; signals wait meanwhile, so none stops
 * that half way but SIGKILL, which may leave the other name that it has before rename(2), or a part
 * behind what the file had. Where the file system has no files without names, it is written under
 * that other name, and a kill leaves it.
 */
#ifndef CLI_OUTPUT_WHOLE_H
#define CLI_OUTPUT_WHOLE_H

#include <limits.h>
#include <stdbool.h>

#include "base/output/place.h"

/**
 * struct cli_whole - a file that is being written
 * @place:	where it will be
 * @is_append:	behind what is there
 * @head_bytes:	of the text, which are left out where the file begins with them
 * @fd:		to write to
 * @name:	the other name beside its place; "": it has none
 */
struct cli_whole {
	struct cli_place place;
	bool is_append;
	size_t head_bytes;
	int fd;
	char name[NAME_MAX + 1];
};

/*
 * Begin to write the file of @w->place, which was found and is no stream. What replaces a file has
 * its owner, permissions and access list, or -EPERM and @w->place.why. 0 or -errno;
 * cli_whole_drop() in either case.
 */
int cli_whole_begin(struct cli_whole *w);

/*
 * Does the file of @w->place begin with @head? 0: there is none, or it is empty; -EEXIST: it begins
 * otherwise; or -errno.
 */
enum { CLI_BEGINS = 1, CLI_BEGINS_UNENDED = 2 /* and its last line has no end */ };
int cli_whole_begins(const struct cli_whole *w, const char *head, size_t bytes);

/* Now it is there, or -errno. */
int cli_whole_end(struct cli_whole *w);

/* Forget it: nothing of what was not ended remains. */
void cli_whole_drop(struct cli_whole *w);

#endif
