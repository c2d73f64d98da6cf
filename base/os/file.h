/* SPDX-License-Identifier: MIT */
/*
 * Files that a user names: read from front to back, from a place, or while they grow. They are
 * always real and never below another root, for they belong to the user and not to the machine that
 * is looked at.
 */
#ifndef NTI_FILE_H
#define NTI_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What there is to know of a file. */
struct nti_file_state {
	bool is_regular;
	bool is_directory;
	uint64_t bytes; /* of a regular one */
	uint64_t device, inode;
	int64_t modified_ns; /* CLOCK_REALTIME */
};

/*
 * Open for reading; "-" is standard input, of which the descriptor is a copy. Descriptor or -errno.
 */
int nti_file_open(const char *path);
/*
 * The same, but of a name that is no file, which would be waited for: -ENODATA. Why @error came, as
 * a part of a sentence.
 */
int nti_file_open_text(const char *path);
const char *nti_file_why(int error);
/*
 * The same of a name that may be a pipe or a device, which are not waited for: ask nti_file_state()
 * what it is.
 */
int nti_file_open_any(const char *path);
/*
 * The same of a file below @folder, whatever ".." and symbolic links in @name say. Descriptor;
 * -EXDEV: it is not below it, or without openat2(2), which is older than Linux 5.6, that cannot be
 * known; -errno.
 */
int nti_file_open_beneath(const char *folder, const char *name);
/*
 * A file, a directory or with O_PATH | O_NOFOLLOW a link, as who has @root for the root of all
 * names sees it: no link and no ".." leads out of it. @flags are those of open(2). Descriptor;
 * -errno.
 */
int nti_file_open_in_root(int root, const char *path, int flags);
/*
 * For who opens files below @root by himself: 0 if at @names, without a slash in front, and below
 * them, and where /proc/mounts has control groups, are regular files, folders and links to such
 * inside of @root alone; -EINVAL, -EXDEV (a link leads out), -EACCES, -E2BIG (a million files).
 */
int nti_file_check_tree(int root, const char *const names[], size_t n);
void nti_file_close(int fd);

/* read(2). Bytes, 0 at the end, -errno; -EINTR when a signal came. */
ssize_t nti_file_read(int fd, void *buf, size_t n);

/* Until the end of the file or @n bytes, through signals. Bytes, -errno. */
ssize_t nti_file_read_all(int fd, void *buf, size_t n);

/* Back to the beginning. 0 or -errno (-ESPIPE). */
int nti_file_rewind(int fd);

int nti_file_state(int fd, struct nti_file_state *out);
int nti_file_state_of(const char *path, struct nti_file_state *out);

/*
 * Call @fn for each name in a directory, @path as in openat(2), sorted by strcmp, without .
 * and .. ; 0, the first non-zero of @fn, or -errno.
 */
int nti_file_list(int folder, const char *path, int (*fn)(void *arg, const char *name), void *arg);

/*
 * A pair of descriptors: what is written into [1] can be read from [0]; neither blocks. 0 or
 * -errno.
 */
int nti_file_pipe(int fds[2]);
/* Wake who waits for @fd; safe in a signal handler. */
void nti_file_poke(int fd);

/*
 * Wait until one of the descriptors (-1: none) is readable or @timeout_ms (-1: never) is over: bits
 * 1 and 2, 0 at the end of time, -errno.
 */
int nti_file_wait(int fd, int other, int timeout_ms);

#endif
