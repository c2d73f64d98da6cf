// SPDX-License-Identifier: MIT
/* Files that a user names. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/os/file.h"

int nti_file_open(const char *path)
{
	int fd;

	if (strcmp(path, "-") == 0)
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int nti_file_open_any(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	// cppcheck-suppress resourceLeak ; the caller closes it
	return fd < 0 ? -errno : fd;
}

#define ANY (O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

/* One part of a name in @dir; a link or ".." is -EXDEV. */
static int open_part(int dir, const char *name, size_t bytes, int flags)
{
	char part[NAME_MAX + 1];
	int fd;

	if (bytes > NAME_MAX)
		return -ENAMETOOLONG;
	(void)snprintf(part, sizeof(part), "%.*s", (int)bytes, name);
	if (strcmp(part, "..") == 0)
		return -EXDEV;
	fd = openat(dir, part, flags | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ELOOP ? -EXDEV : -errno;
	return fd;
}

/* Takes @dir. */
static int open_parts(int dir, const char *name)
{
	while (dir >= 0) {
		size_t bytes = strcspn(name, "/");
		bool is_last = !name[bytes];
		int fd = open_part(dir, name, bytes, is_last ? ANY : O_PATH | O_DIRECTORY);

		(void)close(dir);
		if (is_last)
			return fd;
		dir = fd;
		name += bytes + strspn(name + bytes, "/");
	}
	return dir;
}

int nti_file_open_beneath(const char *folder, const char *name)
{
	struct open_how how = { .flags = ANY, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
	int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	long fd;

	if (dir < 0)
		return -errno;
	fd = syscall(SYS_openat2, dir, name, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return open_parts(dir, name);
	if (fd < 0)
		fd = -errno;
	(void)close(dir);
	return (int)fd;
}

void nti_file_close(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

ssize_t nti_file_read(int fd, void *buf, size_t n)
{
	ssize_t got = read(fd, buf, n);

	return got < 0 ? -errno : got;
}

ssize_t nti_file_read_all(int fd, void *buf, size_t n)
{
	size_t at = 0;
	ssize_t got;

	while (at < n) {
		got = nti_file_read(fd, (char *)buf + at, n - at);
		if (got == -EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? got : (ssize_t)at;
		at += (size_t)got;
	}
	return (ssize_t)at;
}

int nti_file_rewind(int fd)
{
	return lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

static void take_state(const struct stat *s, struct nti_file_state *out)
{
	memset(out, 0, sizeof(*out));
	out->is_regular = S_ISREG(s->st_mode);
	out->is_directory = S_ISDIR(s->st_mode);
	out->bytes = out->is_regular ? (uint64_t)s->st_size : 0;
	out->device = (uint64_t)s->st_dev;
	out->inode = (uint64_t)s->st_ino;
	out->modified_ns = (int64_t)s->st_mtim.tv_sec * 1000000000 + s->st_mtim.tv_nsec;
}

int nti_file_state(int fd, struct nti_file_state *out)
{
	struct stat s;

	if (fstat(fd, &s) < 0)
		return -errno;
	take_state(&s, out);
	return 0;
}

int nti_file_state_of(const char *path, struct nti_file_state *out)
{
	struct stat s;

	if (stat(path, &s) < 0)
		return -errno;
	take_state(&s, out);
	return 0;
}

static int is_not_dot(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int nti_file_list(const char *path, int (*fn)(void *arg, const char *name), void *arg)
{
	struct dirent **names = NULL;
	int ret = 0;
	int n = scandir(path, &names, is_not_dot, by_name);

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		if (!ret)
			ret = fn(arg, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return ret;
}

int nti_file_pipe(int fds[2])
{
	return pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0 ? -errno : 0;
}

void nti_file_poke(int fd)
{
	int saved = errno;
	/* A full pipe wakes as well. */
	ssize_t n = write(fd, "", 1);

	(void)n;
	errno = saved;
}

int nti_file_wait(int fd, int other, int timeout_ms)
{
	struct pollfd p[2] = { { .fd = fd, .events = POLLIN }, { .fd = other, .events = POLLIN } };

	if (poll(p, 2, timeout_ms) < 0)
		return -errno;
	return (p[0].revents ? 1 : 0) | (p[1].revents ? 2 : 0);
}
