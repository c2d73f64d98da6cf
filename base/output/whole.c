// SPDX-License-Identifier: MIT
/* A file that is there as a whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
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

/* Give the file without a name this one. linkat(2): without /proc it needs CAP_DAC_READ_SEARCH. */
static int link_as(const struct cli_whole *w, const char *name)
{
	char of_fd[32];

	(void)snprintf(of_fd, sizeof(of_fd), "/proc/self/fd/%d", w->fd);
	return linkat(AT_FDCWD, of_fd, w->place.folder, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* Another name beside that of the file, hidden, that nobody can foresee: for a new file or @fd. */
static int take_name(struct cli_whole *w)
{
	unsigned int number, i;
	int ret = -EEXIST;

	for (i = 0; i < NAME_TRIES && ret == -EEXIST; i++) {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -errno;
		(void)snprintf(w->name, sizeof(w->name), ".%.200s.ntime-%08x", w->place.name,
			       number);
		if (w->fd >= 0) {
			ret = link_as(w, w->name);
			continue;
		}
		w->fd = openat(w->place.folder, w->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			       mode_of(w));
		ret = w->fd < 0 ? -errno : 0;
	}
	if (ret < 0)
		*w->name = '\0';
	return ret;
}

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
		ret = take_name(w);
	if (!ret && old >= 0 && !w->is_append)
		ret = keep(w, old);
	if (old >= 0)
		close(old);
	return ret;
}

/* Until what was begun is done. */
static void hold_signals(sigset_t *old)
{
	sigset_t all;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, old);
}

static int replace(struct cli_whole *w)
{
	sigset_t old;
	int ret;

	hold_signals(&old);
	ret = *w->name ? 0 : take_name(w);
	if (!ret && renameat(w->place.folder, w->name, w->place.folder, w->place.name)) {
		ret = -errno;
		(void)unlinkat(w->place.folder, w->name, 0);
	}
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
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

/* Put the text behind what @to has. */
static int copy_behind(const struct cli_whole *w, int to)
{
	struct stat before;
	off_t at;
	int ret;

	if (fstat(to, &before))
		return -errno;
	at = begin_of(w, to);
	ret = at < 0 ? (int)at : copy_all(w->fd, at, to);
	/*
	 * It tells what could not be written: nothing could be taken back any more after close(2).
	 */
	if (!ret && fsync(to) && errno != EINVAL)
		ret = -errno;
	/* Nobody could tell half a report from a whole one. */
	if (ret < 0 && ftruncate(to, before.st_size))
		cli_say("%s may end with a part of it", w->place.name);
	return ret;
}

/* As that; nothing is there yet: -ENOENT. */
static int append(struct cli_whole *w)
{
	struct flock whole_file = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int to = cli_place_reopen(&w->place), ret;
	sigset_t old;

	if (to < 0)
		return to;
	/*
	 * Of several that end at once each sees what the one before has put there. No lock of
	 * flock(2): who runs ntime under flock(1) may hold that. Where there are none, as before.
	 */
	(void)fcntl(to, F_OFD_SETLKW, &whole_file);
	hold_signals(&old);
	ret = copy_behind(w, to);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	(void)close(to);
	return ret;
}

int cli_whole_end(struct cli_whole *w)
{
	int ret = w->is_append ? append(w) : -ENOENT;

	if (ret != -ENOENT)
		return ret;
	/* One call, which is done or not. */
	ret = *w->name || w->place.is_there ? -EEXIST : link_as(w, w->place.name);
	/* Somebody else was quicker. */
	if (ret == -EEXIST)
		ret = w->is_append && !*w->name ? append(w) : replace(w);
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
