/* SPDX-License-Identifier: MIT */
/* Files as memory that one process writes and others read. */
#ifndef NTI_MAP_H
#define NTI_MAP_H

#include <stdint.h>

/* A file as memory; zeroed or of nti_map_new() or nti_map_open(). */
struct nti_map {
	void *memory;
	uint64_t bytes;
	int fd; /* an open file description of our own; -1: none */
};

/*
 * Give the file behind @fd, which is empty, @bytes that are 0, with room on its disk, and lock it
 * as the one who writes. 0; -EBADF: @fd is not open for reading and writing; -EEXIST: it is not
 * empty; -EBUSY: somebody writes it; or -errno, the file being as it was.
 */
int nti_map_new(struct nti_map *m, int fd, uint64_t bytes);
/*
 * @bytes that are 0, in a memfd that others may open while this process lives, and cannot cut. 0 or
 * -errno.
 */
int nti_map_memory(struct nti_map *m, const char *name, uint64_t bytes);
/*
 * Read what another process writes, as many bytes as it has; @fd stays the caller's. 0; -ENODATA:
 * it is empty, or no file; -EBADF; -EFBIG: it exceeds the memory; or -errno.
 */
int nti_map_open(struct nti_map *m, int fd);
/* May be called again, and of a zeroed one. */
void nti_map_close(struct nti_map *m);

/* Its file still has all bytes: who reads beyond the end of one is killed. */
int nti_map_check(const struct nti_map *m);
/* Does the one who called nti_map_new() still live? 1, 0 or -errno. */
int nti_map_is_written(const struct nti_map *m);

#endif
