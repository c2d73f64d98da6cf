/* SPDX-License-Identifier: MIT */
/*
 * Small files that are kept for later runs, in directories that nobody but root and this user
 * writes to: read whole, replaced whole. Like base/os/locked.h they are believed only if nobody
 * else could have put them there.
 */
#ifndef NTI_KEPT_H
#define NTI_KEPT_H

#include <stddef.h>

/*
 * File @name of directory @dir, NUL at the end: bytes, -ENOENT, -E2BIG, -EBADMSG (no plain file
 * that is root's or this user's alone) or -errno.
 */
int nti_kept_read(int dir, const char *name, char *buf, size_t size);
/* Replace it as a whole, or leave it as it is. 0 or -errno. */
int nti_kept_write(int dir, const char *name, const char *buf, size_t size);

#endif
