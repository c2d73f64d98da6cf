// SPDX-License-Identifier: MIT
/* Small files that are kept. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/kept.h"
#include "base/os/locked.h"

int nti_kept_read(int dir, const char *name, char *buf, size_t size)
{
	int fd = nti_locked_open(dir, name), n;

	if (fd < 0)
		return fd;
	n = nti_locked_read(fd, buf, size);
	nti_locked_close(fd);
	if (n >= 0 && (size_t)n == size)
		return -E2BIG;
	if (n >= 0)
		buf[n] = '\0';
	return n;
}

int nti_kept_write(int dir, const char *name, const char *buf, size_t size)
{
	char other[64];
	int fd, ret;

	(void)snprintf(other, sizeof(other), ".%.40s.%ld", name, (long)getpid());
	(void)unlinkat(dir, other, 0);
	fd = openat(dir, other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	ret = fchmod(fd, 0644) < 0 ? -errno : nti_locked_write(fd, buf, size, 0);
	if (close(fd) < 0 && ret == 0)
		ret = -errno;
	if (ret == 0 && renameat(dir, other, dir, name) < 0)
		ret = -errno;
	if (ret < 0)
		(void)unlinkat(dir, other, 0);
	return ret;
}
