// SPDX-License-Identifier: MIT
/* Where a report goes: stderr, stdout, or a file that appears complete or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/output/file.h"
#include "base/output/say.h"

/* A copy of @fd, which the measured command does not get. */
static int copy_of(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 ? -errno : copy;
}

static void forget(void *whole)
{
	cli_whole_drop(whole);
}

/* A descriptor to write to, or -errno. */
static int open_file(struct cli_output *o, bool is_append)
{
	struct cli_place *place = &o->whole.place;
	int ret = cli_place_find(place, o->path);

	if (ret < 0)
		return ret;
	if (place->stream >= 0)
		return cli_place_open(place);
	o->is_whole = true;
	o->whole.is_append = is_append;
	ret = cli_whole_begin(&o->whole);
	if (ret < 0)
		return ret;
	o->undo = (struct cli_undo){ .run = forget, .arg = &o->whole };
	cli_undo_add(&o->undo);
	return copy_of(o->whole.fd);
}

static void cleanup(struct cli_output *o)
{
	cli_undo_remove(&o->undo);
	if (o->f)
		fclose(o->f);
	else if (o->fd >= 0)
		close(o->fd);
	if (o->is_whole)
		cli_whole_drop(&o->whole);
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

	*o = (struct cli_output){ .path = path };
	if (!path)
		o->fd = copy_of(STDERR_FILENO);
	else if (strcmp(path, "-") == 0)
		o->fd = copy_of(STDOUT_FILENO);
	else
		o->fd = open_file(o, is_append);
	ret = o->fd < 0 ? o->fd : 0;
	if (!ret) {
		o->f = fdopen(o->fd, "w");
		/*
		 * EINVAL: it cannot be written, as one that was closed when we began
		 * (count/cli/main.c).
		 */
		ret = o->f ? 0 : errno == EINVAL ? -EBADF : -errno;
	}
	if (ret < 0) {
		const char *why = o->whole.place.why;

		cli_say("cannot write to %s: %s", name_of(o), *why ? why : strerror(-ret));
		cleanup(o);
		return ret;
	}
	setvbuf(o->f, NULL, _IOFBF, 1 << 16);
	return 0;
}

int cli_output_expect_head(struct cli_output *o, const char *head)
{
	size_t bytes = strlen(head);
	int ret = o->is_whole ? cli_whole_begins(&o->whole, head, bytes) : 0;

	if (o->is_whole && ret >= 0)
		o->whole.head_bytes = bytes;
	return ret < 0 ? ret : 0;
}

int cli_output_flush(struct cli_output *o)
{
	if (o->is_whole)
		return 0;
	if (fflush(o->f) && !o->error)
		o->error = -errno;
	return o->error;
}

static int finish(struct cli_output *o)
{
	int failed = ferror(o->f), ret = 0;

	if (!failed && fflush(o->f))
		return -errno;
	if (failed && o->error)
		return o->error;
	/* Why, stdio does not remember: the answer is asked for again. */
	if (failed)
		return write(o->fd, "\n", 1) < 0 ? -errno : -EIO;
	/* Some file systems find out only now that there is no room. */
	if (o->is_whole && fsync(o->fd) && errno != EINVAL && errno != EROFS)
		return -errno;
	ret = fclose(o->f) ? -errno : 0;
	o->f = NULL;
	o->fd = -1;
	return ret || !o->is_whole ? ret : cli_whole_end(&o->whole);
}

int cli_output_close(struct cli_output *o)
{
	const char *name = name_of(o), *why = o->whole.place.why;
	int ret = finish(o);

	if (ret < 0)
		cli_say("writing to %s failed: %s%s", name, *why ? why : strerror(-ret),
			o->is_whole ? "; no partial file remains" : "");
	cleanup(o);
	return ret;
}

void cli_output_abandon(struct cli_output *o)
{
	if (o->f)
		cleanup(o);
}
