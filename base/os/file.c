// SPDX-License-Identifier: MIT
/* Files that a user names. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <mntent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/os/file.h"

int nti_file_open(const char *path)
{
	int fd;

	if (strcmp(path, "-") == 0)
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int nti_file_open_text(const char *path)
{
	bool is_named = strcmp(path, "-") != 0;
	int fd = is_named ? nti_file_open_any(path) : nti_file_open(path), ret = 0;
	struct statfs system;
	struct stat st;

	if (fd < 0 || !is_named)
		return fd;
	/* A pipe without a name has a writer: standard input, and <(...) of a shell. */
	if (fstat(fd, &st) < 0)
		ret = -errno;
	else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) &&
		 (!S_ISFIFO(st.st_mode) || fstatfs(fd, &system) || system.f_type != PIPEFS_MAGIC))
		ret = -ENODATA;
	if (ret == 0 && fcntl(fd, F_SETFL, 0) < 0)
		ret = -errno;
	if (ret < 0)
		(void)close(fd);
	return ret < 0 ? ret : fd;
}

const char *nti_file_why(int error)
{
	return error == -ENODATA ? "it is not a regular file" : strerror(-error);
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

/* Takes @dir; @flags are of the last part. */
static int open_parts(int dir, const char *name, int flags)
{
	while (dir >= 0) {
		size_t bytes = strcspn(name, "/");
		bool is_last = !name[bytes];
		int fd = open_part(dir, name, bytes, is_last ? flags : O_PATH | O_DIRECTORY);

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
		return open_parts(dir, name, ANY);
	if (fd < 0)
		fd = -errno;
	(void)close(dir);
	return (int)fd;
}

/* As many links as the kernel follows. */
#define MOST_LINKS 40

/* A name on its way to one without links: what is resolved, and what is not yet. */
struct walk {
	char done[PATH_MAX], left[PATH_MAX];
	unsigned int links;
	/* by a slash: the last part of what is done is a folder, or a link to one */
	bool is_followed;
};

static void leave_last(struct walk *w)
{
	char *slash = strrchr(w->done, '/');

	*(slash ? slash : w->done) = '\0';
}

/* Move the first part of what is left behind what is done; 1: it is a link's name or a file's. */
static int take_part(struct walk *w)
{
	size_t used = strlen(w->done), bytes = strcspn(w->left, "/");
	size_t next = bytes + strspn(w->left + bytes, "/");
	bool is_up = bytes == 2 && memcmp(w->left, "..", 2) == 0;
	bool is_name = bytes && !is_up && !(bytes == 1 && *w->left == '.');

	w->is_followed = next > bytes;
	if (is_up)
		leave_last(w);
	if (is_name && used + 1 + bytes >= sizeof(w->done))
		return -ENAMETOOLONG;
	if (is_name)
		(void)snprintf(w->done + used, sizeof(w->done) - used, "%s%.*s", used ? "/" : "",
			       (int)bytes, w->left);
	memmove(w->left, w->left + next, strlen(w->left + next) + 1);
	return is_name;
}

static int check_folder(int root, const char *name)
{
	struct stat st;

	if (fstatat(root, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

/* The last part of what is done, if it is a link, is replaced by its target. */
static int follow_link(struct walk *w, int root)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlinkat(root, w->done, target, sizeof(target));

	if (n < 0 && errno != EINVAL)
		return -errno;
	if (n < 0)
		return w->is_followed ? check_folder(root, w->done) : 0;
	if ((size_t)n == sizeof(target))
		return -ENAMETOOLONG;
	if (++w->links > MOST_LINKS)
		return -ELOOP;
	memcpy(rest, w->left, strlen(w->left) + 1);
	if ((size_t)snprintf(w->left, sizeof(w->left), "%.*s%s%s", (int)n, target,
			     w->is_followed ? "/" : "", rest) >= sizeof(w->left))
		return -ENAMETOOLONG;
	if (*target == '/')
		*w->done = '\0';
	else
		leave_last(w);
	return 0;
}

/*
 * openat2(2) with RESOLVE_IN_ROOT where the kernel lacks it. What becomes a link meanwhile is none.
 */
static int walk_in_root(int root, const char *path, int flags)
{
	struct walk w = { .links = 0 };
	int ret = (size_t)snprintf(w.left, sizeof(w.left), "%s", path) < sizeof(w.left)
			  ? (*path ? 0 : -ENOENT)
			  : -ENAMETOOLONG;

	while (ret >= 0 && *w.left) {
		ret = take_part(&w);
		if (ret > 0 && (w.is_followed || !(flags & O_NOFOLLOW)))
			ret = follow_link(&w, root);
	}
	if (ret < 0)
		return ret;
	ret = fcntl(root, F_DUPFD_CLOEXEC, 3);
	return ret < 0 ? -errno : open_parts(ret, *w.done ? w.done : ".", flags);
}

int nti_file_open_in_root(int root, const char *path, int flags)
{
	struct open_how how = { .flags = (unsigned int)(flags | O_CLOEXEC),
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	unsigned int tries = 0;
	long fd;

	/* EAGAIN: somebody renames folders on the way. */
	do
		fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	while (fd < 0 && errno == EAGAIN && ++tries < MOST_LINKS);
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return walk_in_root(root, path, flags);
	return fd < 0 ? -errno : (int)fd;
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

int nti_file_list(int folder, const char *path, int (*fn)(void *arg, const char *name), void *arg)
{
	struct dirent **names = NULL;
	int ret = 0;
	int n = scandirat(folder, path, &names, is_not_dot, by_name);

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

#define MOST_FILES 1000000

static _Thread_local struct {
	int root;
	size_t prefix, files;
} looked;

/* Is the file of @path, which begins with the root, @outside also for who cannot leave it? */
static bool stays_inside(const char *path, const struct stat *outside)
{
	struct stat inside;
	int fd = nti_file_open_in_root(looked.root, path + looked.prefix, O_PATH);
	bool is_same = fd >= 0 && fstat(fd, &inside) == 0 && inside.st_dev == outside->st_dev &&
		       inside.st_ino == outside->st_ino;

	nti_file_close(fd);
	return is_same;
}

static int look_at(const char *path, const struct stat *st, int type, struct FTW *at)
{
	struct stat target;

	(void)at;
	if (++looked.files > MOST_FILES)
		return -E2BIG;
	if (type == FTW_NS || type == FTW_DNR)
		return -EACCES;
	if (type != FTW_SL)
		return S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) ? 0 : -EINVAL;
	if (stat(path, &target) < 0)
		return 0;
	return (S_ISREG(target.st_mode) || S_ISDIR(target.st_mode)) && stays_inside(path, &target)
		       ? 0
		       : -EXDEV;
}

/* @name may be missing. */
static int check_below(const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	if (snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", looked.root, name) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	if (stat(path, &st) < 0)
		return 0;
	return stays_inside(path, &st) ? nftw(path, look_at, 16, FTW_PHYS) : -EXDEV;
}

/* Where control groups are mounted, as the tree says. */
static int check_mounts(void)
{
	char path[64];
	const struct mntent *of;
	FILE *f;
	int ret = 0;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d/proc/mounts", looked.root);
	f = setmntent(path, "re");
	while (f && ret == 0 && (of = getmntent(f)))
		if (strncmp(of->mnt_type, "cgroup", 6) == 0 || strcmp(of->mnt_type, "cpuset") == 0)
			ret = check_below(of->mnt_dir);
	if (f)
		(void)endmntent(f);
	return ret;
}

int nti_file_check_tree(int root, const char *const names[], size_t n)
{
	char path[64];
	int ret = 0;

	looked.root = root;
	looked.files = 0;
	looked.prefix = (size_t)snprintf(path, sizeof(path), "/proc/self/fd/%d", root);
	for (size_t i = 0; i < n && ret == 0; i++)
		ret = check_below(names[i]);
	return ret ? ret : check_mounts();
}
