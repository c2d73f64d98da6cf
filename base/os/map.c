// SPDX-License-Identifier: MIT
/* Files as memory that one process writes and others read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/locked.h"
#include "base/os/map.h"

/*
 * A description of our own: a lock of one that others have as well would not be seen by them, and
 * would live as long as they do.
 */
static int reopen(int fd, int flags)
{
	char path[32];
	int own;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	/* Who opened it may write to it, though its permissions let nobody do so any more. */
	if (own < 0 && errno == EACCES)
		own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	// cppcheck-suppress resourceLeak ; the caller closes it
	return own < 0 ? -errno : own;
}

/* Bytes of a regular file, or of a memfd, which is one. */
static int64_t bytes_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) ? (int64_t)st.st_size : -ENODATA;
}

static int map(struct nti_map *m, int protection)
{
	void *memory;

	if (m->bytes > SIZE_MAX / 2)
		return -EFBIG;
	memory = mmap(NULL, (size_t)m->bytes, protection, MAP_SHARED, m->fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	m->memory = memory;
	return 0;
}

/* Room that is there now: a page for which the disk has none ends the program that writes to it. */
static int make_room(struct nti_map *m)
{
	int64_t has = bytes_of(m->fd);
	int ret;

	if (has)
		return has < 0 ? (int)has : -EEXIST;
	do
		ret = posix_fallocate(m->fd, 0, (off_t)m->bytes);
	while (ret == EINTR);
	return -ret;
}

int nti_map_new(struct nti_map *m, int fd, uint64_t bytes)
{
	int64_t has = bytes_of(fd);
	int flags = fcntl(fd, F_GETFL);
	int ret = flags >= 0 && (flags & O_ACCMODE) == O_RDWR ? 0 : -EBADF;

	if (ret == 0 && has < 0)
		ret = (int)has;
	*m = (struct nti_map){ .bytes = bytes, .fd = ret < 0 ? ret : reopen(fd, O_RDWR) };
	if (m->fd < 0)
		return m->fd;
	ret = nti_locked_lock(m->fd);
	if (ret == 0)
		ret = make_room(m);
	if (ret == 0) {
		ret = map(m, PROT_READ | PROT_WRITE);
		/* No page fault of ours in what is counted; before Linux 5.14 there are some. */
		if (ret == 0)
			(void)madvise(m->memory, (size_t)bytes, MADV_POPULATE_WRITE);
		/* As it was found, so that it can be tried again. */
		if (ret < 0)
			(void)nti_locked_cut(m->fd, 0);
	}
	if (ret < 0)
		nti_map_close(m);
	return ret;
}

int nti_map_memory(struct nti_map *m, const char *name, uint64_t bytes)
{
	int ret;

	*m = (struct nti_map){ .bytes = bytes,
			       .fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING) };
	if (m->fd < 0)
		return -errno;
	ret = nti_locked_cut(m->fd, bytes);
	/* Whoever reads beyond the end of one that another process cut is killed. */
	if (ret == 0 && fcntl(m->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		ret = -errno;
	if (ret == 0)
		ret = map(m, PROT_READ | PROT_WRITE);
	if (ret < 0)
		nti_map_close(m);
	return ret;
}

int nti_map_open(struct nti_map *m, int fd)
{
	int64_t bytes;
	int ret;

	*m = (struct nti_map){ .fd = fcntl(fd, F_GETFD) < 0 ? -EBADF : reopen(fd, O_RDONLY) };
	if (m->fd < 0)
		return m->fd;
	bytes = bytes_of(m->fd);
	m->bytes = (uint64_t)bytes;
	if (bytes > 0)
		ret = map(m, PROT_READ);
	else
		ret = bytes < 0 ? (int)bytes : -ENODATA;
	if (ret < 0)
		nti_map_close(m);
	return ret;
}

void nti_map_close(struct nti_map *m)
{
	if (m->memory)
		(void)munmap(m->memory, (size_t)m->bytes);
	if (m->memory || m->fd > 0)
		(void)close(m->fd);
	*m = (struct nti_map){ .fd = -1 };
}

int nti_map_check(const struct nti_map *m)
{
	int64_t bytes = bytes_of(m->fd);

	if (bytes < 0)
		return (int)bytes;
	return (uint64_t)bytes < m->bytes ? -EBADMSG : 0;
}

int nti_map_is_written(const struct nti_map *m)
{
	return nti_locked_is_taken(m->fd);
}
