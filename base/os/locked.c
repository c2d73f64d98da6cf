// SPDX-License-Identifier: MIT
/* Files that one process at a time has. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/locked.h"
#include "base/os/os.h"

/*
 * Between opening and locking, the one who had the file may have removed it: another one is made
 * then, and that can happen again.
 */
#define TAKE_TRIES 100

static bool is_ours_alone(const struct stat *st)
{
	return (st->st_uid == 0 || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

int nti_locked_check_directory(int dir)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) && is_ours_alone(&st) ? 0 : -ENOTDIR;
}

int nti_locked_directory(struct nti_os *os, const char *path, bool make)
{
	int dir = os->ops->directory ? os->ops->directory(os, path, make) : -EOPNOTSUPP, ret;

	if (dir < 0)
		return dir;
	ret = nti_locked_check_directory(dir);
	if (ret == 0)
		return dir;
	nti_locked_close(dir);
	return ret;
}

/* O_NONBLOCK: a pipe of that name must not make anybody wait. */
static int open_plain(int dir, const char *name, int flags)
{
	struct stat st;
	int fd = openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
	int ret = 0;

	if (fd < 0)
		return errno == ELOOP || errno == EISDIR || errno == ENXIO ? -EBADMSG : -errno;
	if (fstat(fd, &st) < 0)
		ret = -errno;
	else if (!S_ISREG(st.st_mode) || !is_ours_alone(&st) || st.st_nlink > 1)
		ret = -EBADMSG;
	if (ret == 0)
		return fd;
	(void)close(fd);
	return ret;
}

static bool is_named(int dir, const char *name, int fd)
{
	struct stat named, opened;

	return fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &opened) == 0 &&
	       named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

/* Linux 3.15 and later: a lock of the open file description, see fcntl(2). */
int nti_locked_lock(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
		return 0;
	return errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
}

int nti_locked_take(int dir, const char *name, bool make, int *fd)
{
	unsigned int tries;
	int ret;

	for (tries = 0; tries < TAKE_TRIES; tries++) {
		*fd = open_plain(dir, name, O_RDWR | (make ? O_CREAT : 0));
		if (*fd < 0)
			return *fd;
		ret = nti_locked_lock(*fd);
		if (ret < 0 && ret != -EBUSY)
			break;
		if (is_named(dir, name, *fd))
			return ret;
		/* What was locked has no name any more, so the lock is worth nothing. */
		(void)close(*fd);
		ret = -EAGAIN;
	}
	if (ret != -EAGAIN)
		(void)close(*fd);
	*fd = -1;
	return ret;
}

int nti_locked_open(int dir, const char *name)
{
	return open_plain(dir, name, O_RDONLY);
}

int nti_locked_is_taken(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_OFD_GETLK, &whole) < 0)
		return -errno;
	return whole.l_type != F_UNLCK;
}

void nti_locked_remove(int dir, const char *name, int fd)
{
	if (is_named(dir, name, fd))
		(void)unlinkat(dir, name, 0);
}

void nti_locked_close(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

int nti_locked_read(int fd, void *buf, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while (used < size) {
		n = pread(fd, (char *)buf + used, size - used, (off_t)used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		used += (size_t)n;
	}
	return (int)used;
}

int nti_locked_write(int fd, const void *buf, size_t size, uint64_t offset)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = pwrite(fd, (const char *)buf + done, size - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

int nti_locked_cut(int fd, uint64_t bytes)
{
	int ret;

	do
		ret = ftruncate(fd, (off_t)bytes);
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}
