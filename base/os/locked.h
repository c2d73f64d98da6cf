/* SPDX-License-Identifier: MIT */
/*
 * Files in a directory of ours, each of which one process at a time has. The lock belongs to the
 * open file description: it ends when the process does, is not handed on by exec, and a forked
 * child that closes its copy does not end it. The directory is a descriptor that the operating
 * system's .directory gave; what is found there is believed only if nobody but root, or this user,
 * could have put it there.
 */
#ifndef NTI_LOCKED_H
#define NTI_LOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nti_os;

/* 0; -ENOTDIR: others than root and this user own the directory, or can write to it. */
int nti_locked_check_directory(int dir);
/* Descriptor of such a directory as .directory of @os gives it; -errno. */
int nti_locked_directory(struct nti_os *os, const char *path, bool make);

/*
 * Open and lock file @name, which is made where @make. 0: it is ours, *@fd open for reading and
 * writing. -EBUSY: another process has it, or another descriptor of this one; *@fd is open all the
 * same. -ENOENT; -EBADMSG: what has the name is no plain file that is root's or this user's alone;
 * or -errno. Links are never followed.
 */
int nti_locked_take(int dir, const char *name, bool make, int *fd);
/* Lock a file that is open for writing. 0; -EBUSY: somebody has it; or -errno. */
int nti_locked_lock(int fd);
/* Open without locking, for reading. Descriptor, or as above. */
int nti_locked_open(int dir, const char *name);
/* Has anybody, other than this descriptor, locked it? Locks nothing meanwhile. 1, 0 or -errno. */
int nti_locked_is_taken(int fd);
/* Remove the file that we have locked, if it still has that name. */
void nti_locked_remove(int dir, const char *name, int fd);
void nti_locked_close(int fd);

/* From the start, @size bytes at most: how many, or -errno. */
int nti_locked_read(int fd, void *buf, size_t size);
/* All of it, or -errno: then part of it may have been written. */
int nti_locked_write(int fd, const void *buf, size_t size, uint64_t offset);
int nti_locked_cut(int fd, uint64_t bytes);

#endif
