// SPDX-License-Identifier: MIT
/* A file that is there as a whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/output/memory.h"
#include "base/output/say.h"
#include "base/output/whole.h"

#define ACCESS_LIST "system.posix_acl_access"
/* More than any file system stores of a file. */
#define ACCESS_LIST_BYTES 65536
#define NAME_TRIES 100

/* Of the new file. One that gets another owner is not to be read by all until then. */
static mode_t mode_of(const struct cli_whole *w)
{
	return w->place.is_there && !w->is_append ? 0600 : 0666;
}

/* ---- names ---- */

/* Another name beside that of the file: hidden, and nobody can foresee it. */
static int make_name(struct cli_whole *w)
{
	unsigned int number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -errno;
	(void)snprintf(w->name, sizeof(w->name), ".%.200s.ntime-%08x", w->place.name, number);
	return 0;
}

/* open(2) and link(2) are tried with such names, until one is free. */
static int with_name(struct cli_whole *w, int (*try)(struct cli_whole *w))
{
	int ret = -EEXIST;

	for (unsigned int i = 0; i < NAME_TRIES && ret == -EEXIST; i++) {
		ret = make_name(w);
		if (!ret)
			ret = try(w);
	}
	if (ret < 0)
		*w->name = '\0';
	return ret;
}

static int open_named(struct cli_whole *w)
{
	w->fd = openat(w->place.folder, w->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_of(w));
	return w->fd < 0 ? -errno : 0;
}

/* Give the file without a name this one. linkat(2): without /proc it needs CAP_DAC_READ_SEARCH. */
static int link_as(const struct cli_whole *w, const char *name)
{
	char of_fd[32];

	if (linkat(w->fd, "", w->place.folder, name, AT_EMPTY_PATH) == 0)
		return 0;
	if (errno == EEXIST)
		return -EEXIST;
	(void)snprintf(of_fd, sizeof(of_fd), "/proc/self/fd/%d", w->fd);
	return linkat(AT_FDCWD, of_fd, w->place.folder, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

static int link_named(struct cli_whole *w)
{
	return link_as(w, w->name);
}

/* ---- beginning ---- */

/* What refuses files without names does so in many words: the named one has the better reason. */
static int open_nameless(struct cli_whole *w)
{
	/* It gets its name by way of there: link_as(). */
	if (access("/proc/self/fd", X_OK) != 0)
		return -ENOTSUP;
	w->fd = openat(w->place.folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode_of(w));
	return w->fd < 0 ? -errno : 0;
}

/* The lists of @old and of the new file, where a folder gives its files one, are made the same. */
static int keep_access_list(int old, int fd)
{
	char list[ACCESS_LIST_BYTES];
	ssize_t bytes = fgetxattr(old, ACCESS_LIST, list, sizeof(list));

	if (bytes >= 0)
		return fsetxattr(fd, ACCESS_LIST, list, (size_t)bytes, 0) ? -errno : 0;
	if (errno != ENODATA && errno != EOPNOTSUPP)
		return -errno;
	return fremovexattr(fd, ACCESS_LIST) && errno != ENODATA && errno != EOPNOTSUPP ? -errno
											: 0;
}

static int keep_owner(struct cli_whole *w)
{
	const struct cli_old_file *old = &w->place.old;
	struct stat now;

	if (fstat(w->fd, &now))
		return -errno;
	if ((now.st_uid == old->owner && now.st_gid == old->group) ||
	    fchown(w->fd, old->owner, old->group) == 0)
		return 0;
	(void)snprintf(w->place.why, sizeof(w->place.why),
		       "it belongs to user %u and group %u, which a new file cannot be given: "
		       "remove it, or name another file",
		       (unsigned int)old->owner, (unsigned int)old->group);
	return -EPERM;
}

/* As write(2) does, the bits that lend rights are taken away. */
static int keep(struct cli_whole *w, int old)
{
	int ret = keep_owner(w);

	if (!ret)
		ret = keep_access_list(old, w->fd);
	if (!ret && fchmod(w->fd, w->place.old.mode & 0777))
		ret = -errno;
	if (!ret && w->place.old.names > 1)
		cli_say("%s has %lu names (hard links): this one gets the new file, the others "
			"keep the old one",
			w->place.name, w->place.old.names);
	return ret;
}

int cli_whole_begin(struct cli_whole *w)
{
	int old = -1, ret = 0;

	w->fd = -1;
	*w->name = '\0';
	/*
	 * As its writers do: what may not be written is not replaced either, though its folder
	 * would allow it.
	 */
	if (w->place.is_there) {
		old = cli_place_reopen(&w->place);
		if (old < 0)
			return old;
	}
	if (open_nameless(w) < 0)
		ret = with_name(w, open_named);
	if (!ret && old >= 0 && !w->is_append)
		ret = keep(w, old);
	if (old >= 0)
		close(old);
	return ret;
}

/* ---- the end ---- */

/*
 * In a process of its own, and a session of its own: a signal to ntime or its process group does
 * not reach it. What it returns comes through a pipe, as its status may go to nobody (SIGCHLD
 * ignored); where the pipe fails the status tells whether the file is in its place.
 */
static int do_apart(struct cli_whole *w, int (*step)(struct cli_whole *w))
{
	int ends[2], ret = -EIO, status = 1;
	pid_t child;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC))
		return step(w);
	child = fork();
	if (child == 0) {
		(void)setsid();
		ret = step(w);
		if (write(ends[1], &ret, sizeof(ret)) != sizeof(ret))
			close(ends[1]);
		_exit(ret ? 1 : 0);
	}
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return step(w);
	}
	do
		n = read(ends[0], &ret, sizeof(ret));
	while (n < 0 && errno == EINTR);
	close(ends[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (n == sizeof(ret))
		return ret;
	return status == 0 ? 0 : -EIO;
}

static int replace(struct cli_whole *w)
{
	int ret = *w->name ? 0 : with_name(w, link_named);

	if (!ret && renameat(w->place.folder, w->name, w->place.folder, w->place.name)) {
		ret = -errno;
		(void)unlinkat(w->place.folder, w->name, 0);
	}
	return ret;
}

static int copy_all(int from, off_t at_byte, int to)
{
	char buffer[1 << 14];
	ssize_t n, done;

	if (lseek(from, at_byte, SEEK_SET) < 0)
		return -errno;
	while ((n = read(from, buffer, sizeof(buffer))) > 0) {
		for (ssize_t at = 0; at < n; at += done) {
			done = write(to, buffer + at, (size_t)(n - at));
			if (done < 0 && errno == EINTR)
				done = 0;
			if (done < 0)
				return -errno;
		}
	}
	return n < 0 ? -errno : 0;
}

int cli_whole_begins(const struct cli_whole *w, const char *head, size_t bytes)
{
	char *old, last = '\n';
	struct stat st;
	int fd, ret;

	fd = openat(w->place.folder, w->place.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	old = cli_calloc(bytes + 1, 1);
	if (fstat(fd, &st))
		ret = -errno;
	else if (!st.st_size)
		ret = 0;
	else
		ret = pread(fd, old, bytes, 0) == (ssize_t)bytes && memcmp(old, head, bytes) == 0
			      ? CLI_BEGINS
			      : -EEXIST;
	if (ret == CLI_BEGINS && pread(fd, &last, 1, st.st_size - 1) == 1 && last != '\n')
		ret = CLI_BEGINS_UNENDED;
	free(old);
	(void)close(fd);
	return ret;
}

/* From which byte of the text on it is put behind what @to has, whose last line is ended. */
static off_t begin_of(const struct cli_whole *w, int to)
{
	char *head;
	int ret;

	if (!w->head_bytes)
		return 0;
	head = cli_calloc(w->head_bytes, 1);
	ret = pread(w->fd, head, w->head_bytes, 0) == (ssize_t)w->head_bytes
		      ? cli_whole_begins(w, head, w->head_bytes)
		      : -EIO;
	free(head);
	if (ret == CLI_BEGINS_UNENDED && write(to, "\n", 1) != 1)
		return -EIO;
	return ret <= 0 ? ret : (off_t)w->head_bytes;
}

/* Put the text behind what the file has; nothing is there yet: -ENOENT. */
static int append(struct cli_whole *w)
{
	struct flock whole_file = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct stat before;
	int to = cli_place_reopen(&w->place), ret;
	off_t at;

	if (to < 0)
		return to;
	/*
	 * Of several that end at once each sees what the one before has put there. No lock of
	 * flock(2): who runs ntime under flock(1) may hold that. Where there are none, as before.
	 */
	(void)fcntl(to, F_OFD_SETLKW, &whole_file);
	if (fstat(to, &before)) {
		ret = -errno;
		(void)close(to);
		return ret;
	}
	at = begin_of(w, to);
	ret = at < 0 ? (int)at : copy_all(w->fd, at, to);
	if (!ret && fsync(to) && errno != EINVAL)
		ret = -errno;
	/* Nobody could tell half a report from a whole one. */
	if (ret < 0 && ftruncate(to, before.st_size))
		cli_say("%s may end with a part of it", w->place.name);
	/* fsync(2) has told what could not be written: nothing could be taken back any more. */
	(void)close(to);
	return ret;
}

int cli_whole_end(struct cli_whole *w)
{
	int ret = w->is_append ? do_apart(w, append) : -ENOENT;

	if (ret != -ENOENT)
		return ret;
	/* One call, which is done or not. */
	ret = *w->name || w->place.is_there ? -EEXIST : link_as(w, w->place.name);
	/* Somebody else was quicker. */
	if (ret == -EEXIST)
		ret = do_apart(w, w->is_append && !*w->name ? append : replace);
	if (!ret)
		*w->name = '\0';
	return ret;
}

void cli_whole_drop(struct cli_whole *w)
{
	if (*w->name)
		(void)unlinkat(w->place.folder, w->name, 0);
	*w->name = '\0';
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	cli_place_close(&w->place);
}
