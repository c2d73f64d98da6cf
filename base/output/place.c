// SPDX-License-Identifier: MIT
/* Where a file's name leads. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/output/number.h"
#include "base/output/place.h"

/* As many as Linux follows, path_resolution(7). */
#define LINKS_MAX 40
/* No step of a name, but the end of it. */
#define ARRIVED 1

/**
 * struct walk - on the way
 * @at:		folder that was reached
 * @rest:	what of the name is still to come: nothing, or it begins with a slash
 * @is_linked:	the last part is what a link names
 * @is_strangers: somebody else may have put a folder on the way, and what is in it
 */
struct walk {
	struct cli_place *p;
	int at;
	unsigned int links;
	bool is_linked, is_strangers;
	char rest[PATH_MAX + 1];
};

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int move_to(struct walk *w, int fd)
{
	if (fd < 0)
		return -errno;
	close_one(&w->at);
	w->at = fd;
	return 0;
}

static const char *kind_of(mode_t mode)
{
	return S_ISLNK(mode)	? "symbolic link"
	       : S_ISFIFO(mode) ? "pipe"
	       : S_ISSOCK(mode) ? "socket"
				: "file";
}

/* 1: @what belongs neither to us nor to the folder's owner, and @writers may write there. -errno */
static int is_strangers(int folder, const struct stat *what, mode_t writers)
{
	struct stat in;

	if (fstat(folder, &in))
		return -errno;
	return in.st_mode & writers && what->st_uid != geteuid() && what->st_uid != in.st_uid;
}

static int refuse(struct cli_place *p, const struct stat *what)
{
	(void)snprintf(p->why, sizeof(p->why),
		       "a %s there belongs to another user (uid %u), in a folder that others may "
		       "write to: remove it, or name a file elsewhere",
		       kind_of(what->st_mode), (unsigned int)what->st_uid);
	return -EPERM;
}

/*
 * The rules of may_follow_link() and may_create_in_sticky() in Linux 6.1 fs/namei.c, for folders
 * without the sticky bit as well.
 */
static int check(struct cli_place *p, int folder, const struct stat *what)
{
	int ret = is_strangers(folder, what, S_IWOTH);

	return ret > 0 ? refuse(p, what) : ret;
}

/* ---- links ---- */

static bool is_in_proc(int folder)
{
	struct statfs fs;

	return fstatfs(folder, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/*
 * To what a link names, with what was to come behind it.
 *
 * It leads elsewhere, so it is not for a group either (whose bits are also those of an access
 * list), nor for who owns a folder that he put where others may write: that rule of the kernel is
 * about the last folder alone.
 */
static int follow(struct walk *w, int link, const struct stat *st)
{
	int ret = is_strangers(w->at, st, S_IWOTH | S_IWGRP);
	char target[PATH_MAX + 1], rest[sizeof(w->rest)];
	ssize_t n;

	if (ret < 0)
		return ret;
	if (ret || (w->is_strangers && st->st_uid != geteuid()))
		return refuse(w->p, st);
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	n = readlinkat(link, "", target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	if ((size_t)snprintf(rest, sizeof(rest), "/%s%s", target, w->rest) >= sizeof(rest))
		return -ENAMETOOLONG;
	strcpy(w->rest, rest);
	return *target == '/' ? move_to(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) : 0;
}

/* ---- streams ---- */

/*
 * "/dev/fd/1" is the descriptor itself, with its place in the file. What ntime has opened is closed
 * on exec; what it was started with is not. -ENOENT: @name is no descriptor.
 */
static int copy_descriptor(int folder, const char *name)
{
	struct stat in, own;
	uint64_t number;
	int flags;

	if (fstat(folder, &in) || stat("/proc/self/fd", &own) || in.st_dev != own.st_dev ||
	    in.st_ino != own.st_ino || cli_number_parse(name, 0, INT_MAX, &number) < 0)
		return -ENOENT;
	flags = fcntl((int)number, F_GETFD);
	if (flags < 0 || flags & FD_CLOEXEC)
		return -EBADF;
	flags = fcntl((int)number, F_DUPFD_CLOEXEC, 3);
	return flags < 0 ? -errno : flags;
}

/*
 * A link of /proc leads to what the kernel knows, not to what it reads as, and nobody can put one
 * there. Of another process it may be a file: what that has written stays.
 */
static int follow_in_proc(struct walk *w, const char *name)
{
	int fd;

	if (*w->rest)
		return move_to(w, openat(w->at, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
	fd = copy_descriptor(w->at, name);
	if (fd == -ENOENT) {
		fd = openat(w->at, name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
		fd = fd < 0 ? -errno : fd;
	}
	w->p->stream = fd;
	return fd < 0 ? fd : ARRIVED;
}

/*
 * Open what was seen, and nothing else that has its name by now. A descriptor or -errno. @flags:
 * O_NONBLOCK, if a pipe that came since is not to be waited for.
 */
static int open_seen(int folder, const char *name, dev_t device, ino_t inode, int flags)
{
	struct stat now;
	int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC | flags);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &now) == 0 && now.st_dev == device && now.st_ino == inode)
		return fd;
	close(fd);
	return -ESTALE;
}

/* ---- parts ---- */

/* The last part is @name, which is @st. */
static int arrive_at(struct walk *w, const char *name, const struct stat *st)
{
	int ret = check(w->p, w->at, st);

	if (ret < 0)
		return ret;
	if (S_ISDIR(st->st_mode))
		return -EISDIR;
	if (S_ISREG(st->st_mode)) {
		w->p->is_there = true;
		w->p->old = (struct cli_old_file){ st->st_dev, st->st_ino,  st->st_uid,
						   st->st_gid, st->st_mode, st->st_nlink };
		return ARRIVED;
	}
	w->p->stream = open_seen(w->at, name, st->st_dev, st->st_ino, 0);
	return w->p->stream < 0 ? w->p->stream : ARRIVED;
}

/* O_DIRECTORY: the kernel mounts what autofs(5) has there. A descriptor or -errno. */
static int open_part(int at, const char *name)
{
	int fd = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		fd = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	// cppcheck-suppress resourceLeak ; it is returned
	return fd < 0 ? -errno : fd;
}

/* Part @name, which is @fd and was opened: as step(). */
static int look_at_part(struct walk *w, const char *name, int fd, bool is_last)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISLNK(st.st_mode)) {
		w->is_linked = w->is_linked || is_last;
		return is_in_proc(w->at) ? follow_in_proc(w, name) : follow(w, fd, &st);
	}
	if (is_last)
		return arrive_at(w, name, &st);
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	ret = is_strangers(w->at, &st, S_IWOTH | S_IWGRP);
	w->is_strangers = w->is_strangers || ret > 0;
	return ret < 0 ? ret : move_to(w, fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

/* One part of the name. 0: go on; ARRIVED; -errno. */
static int step(struct walk *w)
{
	char *from = w->rest + strspn(w->rest, "/"), *name = w->p->name;
	size_t bytes = strcspn(from, "/");
	bool is_last;
	int fd, ret;

	if (!bytes)
		return -EISDIR;
	if (bytes > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, from, bytes);
	name[bytes] = '\0';
	memmove(w->rest, from + bytes, strlen(from + bytes) + 1);
	is_last = !*w->rest && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
	fd = open_part(w->at, name);
	if (fd == -ENOENT && is_last && !w->is_linked)
		return ARRIVED;
	/* "new/": open(2) would not make a folder either. */
	if (fd == -ENOENT && !is_last && !w->rest[strspn(w->rest, "/")])
		return -EISDIR;
	if (fd < 0)
		return fd;
	ret = look_at_part(w, name, fd, is_last);
	close(fd);
	return ret;
}

int cli_place_find(struct cli_place *p, const char *path)
{
	struct walk w = { .p = p, .at = -1 };
	int ret;

	*p = (struct cli_place){ .folder = -1, .stream = -1 };
	if (!*path)
		return -ENOENT;
	if ((size_t)snprintf(w.rest, sizeof(w.rest), "/%s", path) >= sizeof(w.rest))
		return -ENAMETOOLONG;
	ret = move_to(&w, open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
	while (!ret)
		ret = step(&w);
	if (ret == ARRIVED && p->stream < 0)
		p->folder = w.at;
	else
		close_one(&w.at);
	return ret < 0 ? ret : 0;
}

int cli_place_open(struct cli_place *p)
{
	int fd = p->stream, ret;

	p->stream = -1;
	if (fd >= 0)
		return fd;
	if (!p->is_there) {
		fd = openat(p->folder, p->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		// cppcheck-suppress resourceLeak ; it is returned
		return fd < 0 ? -errno : fd;
	}
	fd = open_seen(p->folder, p->name, p->old.device, p->old.inode, O_NONBLOCK);
	if (fd >= 0 && ftruncate(fd, 0)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	return fd;
}

int cli_place_reopen(struct cli_place *p)
{
	struct stat st;
	int fd = openat(p->folder, p->name,
			O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		ret = -errno;
	else if (!S_ISREG(st.st_mode))
		ret = -ESTALE;
	else
		ret = check(p, p->folder, &st);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

void cli_place_close(struct cli_place *p)
{
	close_one(&p->folder);
	close_one(&p->stream);
}
