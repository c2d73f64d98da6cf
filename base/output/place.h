/* SPDX-License-Identifier: MIT */
/*
 * Where a file's name leads, found part by part, so that ntime sees each symbolic link that it
 * follows.
 *
 * In a folder that everybody may write to (/tmp), a stranger could have put a link, a pipe or a
 * file where root is about to write: what is neither ours nor that of the folder's owner is refused
 * there, also where fs.protected_symlinks and its like (proc(5)) are switched off. Links are
 * refused as well in a folder that a group may write to, and in one that a stranger owns and could
 * have put there himself. The folder that was found stays open, so nothing can be exchanged for it
 * later.
 */
#ifndef CLI_OUTPUT_PLACE_H
#define CLI_OUTPUT_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/**
 * struct cli_old_file - what stat(2) says of a file; some source has a "struct stat" of its own
 * @names:	hard links
 */
struct cli_old_file {
	dev_t device;
	ino_t inode;
	uid_t owner;
	gid_t group;
	mode_t mode;
	unsigned long names;
};

/**
 * struct cli_place - where a name leads
 * @folder:	an O_PATH descriptor; -1: a stream
 * @name:	in @folder
 * @is_there:	a regular file of that name, which was @old
 * @stream:	what is no regular file, open for writing; -1: none
 * @why:	what is wrong, as a sentence, where errno says too little; else ""
 */
struct cli_place {
	int folder;
	char name[NAME_MAX + 1];
	bool is_there;
	struct cli_old_file old;
	int stream;
	char why[256];
};

/*
 * Find where @path leads. A pipe or device is opened, which waits for a reader of the pipe;
 * /dev/stdout and /dev/fd/N are the descriptors that ntime was started with. 0 or -errno, when
 * nothing is open.
 */
int cli_place_find(struct cli_place *p, const char *path);

/*
 * Open the file, emptied, or make it: for what is written as it comes. A descriptor that replaces
 * @p->stream, or -errno.
 */
int cli_place_open(struct cli_place *p);

/*
 * The file of that name as it is now, which need not be the one that was found: open for appending,
 * or -errno.
 */
int cli_place_reopen(struct cli_place *p);

void cli_place_close(struct cli_place *p);

#endif
