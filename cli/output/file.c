// SPDX-License-Identifier: MIT
/* Where a report goes: stderr, stdout, or a file that appears complete or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output/file.h"
#include "cli/output/say.h"

/* A copy of @fd, which the measured command does not get. */
static int open_stream(struct cli_output *o, int fd)
{
	o->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return o->fd < 0 ? -errno : 0;
}

static mode_t creation_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* The folder of a path, links resolved; NULL with errno. Caller frees. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *part, *folder;

	if (!slash)
		return realpath(".", NULL);
	part = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	if (!part)
		return NULL;
	folder = realpath(part, NULL);
	free(part);
	return folder;
}

/*
 * Resolve links, so that a link is followed instead of replaced. The last part need not exist,
 * unless a link leads to it.
 */
static int set_place(struct cli_output *o)
{
	const char *slash = strrchr(o->path, '/'), *name = slash ? slash + 1 : o->path;
	struct stat link;
	char *folder;

	o->place = realpath(o->path, NULL);
	if (o->place)
		return 0;
	if (errno != ENOENT)
		return -errno;
	if (!*name)
		return -EISDIR;
	if (lstat(o->path, &link) == 0)
		return -ENOENT;
	folder = folder_of(o->path);
	if (!folder)
		return -errno;
	if (asprintf(&o->place, "%s/%s", folder, name) < 0)
		o->place = NULL;
	free(folder);
	return o->place ? 0 : -ENOMEM;
}

static int open_temporary(struct cli_output *o, const struct stat *old)
{
	char *slash = strrchr(o->place, '/');

	if (asprintf(&o->temporary, "%.*s/.%s.ntime-XXXXXX", (int)(slash - o->place), o->place,
		     slash + 1) < 0) {
		o->temporary = NULL;
		return -ENOMEM;
	}
	o->fd = mkostemp(o->temporary, O_CLOEXEC);
	if (o->fd < 0) {
		int ret = -errno;

		free(o->temporary);
		o->temporary = NULL;
		return ret;
	}
	if (fchmod(o->fd, old ? old->st_mode & 0777 : creation_mode()))
		return -errno;
	return 0;
}

static int open_file(struct cli_output *o)
{
	struct stat old;
	bool exists;
	int ret;

	ret = *o->path ? set_place(o) : -ENOENT;
	if (ret < 0 || !o->place)
		return ret < 0 ? ret : -EIO;
	exists = stat(o->place, &old) == 0;
	if (exists && S_ISDIR(old.st_mode))
		return -EISDIR;
	if (exists && !S_ISREG(old.st_mode)) {
		free(o->place);
		o->place = NULL;
		o->fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return o->fd < 0 ? -errno : 0;
	}
	/*
	 * A file that may not be written to is not replaced either, though its directory would
	 * allow it.
	 */
	if (exists && access(o->place, W_OK))
		return -errno;
	return open_temporary(o, exists ? &old : NULL);
}

static void cleanup(struct cli_output *o)
{
	if (o->f)
		fclose(o->f);
	else if (o->fd >= 0)
		close(o->fd);
	if (o->temporary)
		unlink(o->temporary);
	free(o->temporary);
	free(o->place);
	*o = (struct cli_output){ .fd = -1 };
}

static const char *name_of(const struct cli_output *o)
{
	if (!o->path)
		return "standard error";
	if (!*o->path)
		return "''";
	return strcmp(o->path, "-") == 0 ? "standard output" : o->path;
}

int cli_output_open(struct cli_output *o, const char *path, bool is_append)
{
	int ret;

	*o = (struct cli_output){ .fd = -1, .path = path, .is_append = is_append };
	if (!path)
		ret = open_stream(o, STDERR_FILENO);
	else if (strcmp(path, "-") == 0)
		ret = open_stream(o, STDOUT_FILENO);
	else
		ret = open_file(o);
	if (!ret) {
		o->f = fdopen(o->fd, "w");
		/*
		 * EINVAL: it cannot be written, as one that was closed when we began (cli/main.c).
		 */
		ret = o->f ? 0 : errno == EINVAL ? -EBADF : -errno;
	}
	if (ret < 0) {
		cli_say("cannot write the report to %s: %s", name_of(o), strerror(-ret));
		cleanup(o);
		return ret;
	}
	setvbuf(o->f, NULL, _IOFBF, 1 << 16);
	return 0;
}

int cli_output_flush(struct cli_output *o)
{
	if (o->temporary)
		return 0;
	if (fflush(o->f) && !o->error)
		o->error = -errno;
	return o->error;
}

/* Why writing failed: stdio remembers only that it did, so the answer is asked for again. */
static int write_error(const struct cli_output *o)
{
	if (o->error)
		return o->error;
	return write(o->fd, "\n", 1) < 0 ? -errno : -EIO;
}

static int copy_all(int from, int to)
{
	char buffer[1 << 14];
	ssize_t n, done;

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

/* Put the temporary file's text behind what @place has. */
static int append(struct cli_output *o)
{
	struct stat before;
	int from, to, ret;

	from = open(o->temporary, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return -errno;
	to = open(o->place, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (to < 0) {
		ret = -errno;
		goto close_from;
	}
	ret = fstat(to, &before) ? -errno : copy_all(from, to);
	if (!ret && fsync(to) && errno != EINVAL)
		ret = -errno;
	/* Nobody could tell half a report from a whole one. */
	if (ret < 0 && ftruncate(to, before.st_size))
		cli_say("%s may end with a partial report", o->place);
	if (close(to) && !ret)
		ret = -errno;
close_from:
	close(from);
	return ret;
}

static int finish(struct cli_output *o)
{
	int failed = ferror(o->f), ret = 0;

	if (!failed && fflush(o->f))
		return -errno;
	if (failed)
		return write_error(o);
	/* Some file systems find out only now that there is no room. */
	if (o->temporary && fsync(o->fd) && errno != EINVAL && errno != EROFS)
		return -errno;
	ret = fclose(o->f) ? -errno : 0;
	o->f = NULL;
	o->fd = -1;
	if (ret || !o->temporary)
		return ret;
	if (o->is_append)
		return append(o);
	if (rename(o->temporary, o->place))
		return -errno;
	free(o->temporary);
	o->temporary = NULL;
	return 0;
}

int cli_output_close(struct cli_output *o)
{
	const char *name = name_of(o);
	int ret = finish(o);

	if (ret < 0)
		cli_say("writing the report to %s failed: %s%s", name, strerror(-ret),
			o->temporary ? "; no partial file remains" : "");
	cleanup(o);
	return ret;
}

void cli_output_abandon(struct cli_output *o)
{
	if (o->f)
		cleanup(o);
}
