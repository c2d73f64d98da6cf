// SPDX-License-Identifier: MIT
/* Where lines go. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output/memory.h"
#include "cli/output/place.h"
#include "cli/output/say.h"
#include "cli/output/whole.h"
#include "cli/watch/out.h"

#define BUFFER_BYTES (1u << 17)
/* From here on whatever is put fits without asking. */
#define FULL_BYTES (BUFFER_BYTES - 4096)

/* A descriptor of the file, which is emptied unless @is_append, or -errno. */
static int open_file(struct cli_place *place, const char *path, bool is_append)
{
	int fd = cli_place_find(place, path);

	if (!fd && is_append && place->is_there)
		fd = cli_place_reopen(place);
	else if (!fd)
		fd = cli_place_open(place);
	cli_place_close(place);
	return fd;
}

static int say_open(const char *name, const struct cli_place *place, int error)
{
	cli_say("cannot write to %s: %s", name, *place->why ? place->why : strerror(-error));
	return error;
}

int cli_watch_out_open(struct cli_watch_out *o, const char *path, bool is_append)
{
	struct cli_place place = { .why = "" };
	struct stat file;
	int ret = 0;

	*o = (struct cli_watch_out){ .fd = STDOUT_FILENO, .name = "standard output" };
	if (path && strcmp(path, "-") != 0) {
		o->is_file = true;
		o->name = path;
		o->is_append = is_append;
		o->fd = open_file(&place, path, is_append);
		ret = o->fd < 0 ? o->fd : 0;
	}
	if (ret) {
		(void)say_open(o->name, &place, ret);
		cli_watch_out_close(o);
		return ret;
	}
	o->is_terminal = isatty(o->fd);
	o->can_be_moved = o->is_file && fstat(o->fd, &file) == 0 && S_ISREG(file.st_mode);
	o->buffer = cli_malloc(BUFFER_BYTES);
	return 0;
}

int cli_watch_out_put_head(struct cli_watch_out *o)
{
	struct cli_whole whole = { .fd = -1 };
	int ret;

	if (!o->is_append)
		return 0;
	ret = cli_place_find(&whole.place, o->name);
	if (!ret && whole.place.is_there)
		ret = cli_whole_begins(&whole, o->buffer, o->used);
	cli_place_close(&whole.place);
	if (ret)
		o->used = 0;
	if (ret == CLI_BEGINS_UNENDED)
		cli_watch_put(o, "\n");
	if (ret > 0)
		return 0;
	if (ret == -EEXIST)
		cli_say("%s has other columns than these: write to another file, or leave out "
			"--append",
			o->name);
	else if (ret < 0)
		cli_say("%s cannot be appended to: %s", o->name, strerror(-ret));
	return ret;
}

int cli_watch_out_reopen(struct cli_watch_out *o)
{
	struct cli_place place = { .why = "" };
	struct stat file;
	int fd;

	if (!o->can_be_moved || cli_watch_out_flush(o))
		return 0;
	fd = open_file(&place, o->name, true);
	if (fd < 0)
		return say_open(o->name, &place, fd);
	(void)close(o->fd);
	o->fd = fd;
	return fstat(fd, &file) == 0 && !file.st_size;
}

/* Somebody may have given us a pipe that does not wait. */
static void wait_for_room(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	(void)poll(&p, 1, -1);
}

int cli_watch_out_flush(struct cli_watch_out *o)
{
	size_t at = 0;

	while (at < o->used && !o->error) {
		ssize_t n = write(o->fd, o->buffer + at, o->used - at);

		o->writes++;
		if (n >= 0)
			at += (size_t)n;
		else if (errno == EAGAIN)
			wait_for_room(o->fd);
		else if (errno != EINTR)
			o->error = -errno;
	}
	o->used = 0;
	return o->error;
}

int cli_watch_out_close(struct cli_watch_out *o)
{
	int ret = 0;

	if (o->buffer)
		ret = cli_watch_out_flush(o);
	if (o->is_file && o->fd >= 0 && close(o->fd) && !ret)
		ret = -errno;
	if (ret == -EPIPE)
		ret = 0;
	if (ret && o->buffer)
		cli_say("writing to %s failed: %s", o->name, strerror(-ret));
	free(o->buffer);
	*o = (struct cli_watch_out){ .fd = -1 };
	return ret;
}

void cli_watch_put_bytes(struct cli_watch_out *o, const char *bytes, size_t n)
{
	while (n) {
		size_t part = n < 4096 ? n : 4096;

		if (o->used >= FULL_BYTES)
			cli_watch_out_flush(o);
		memcpy(o->buffer + o->used, bytes, part);
		o->used += part;
		bytes += part;
		n -= part;
	}
}

void cli_watch_put(struct cli_watch_out *o, const char *text)
{
	cli_watch_put_bytes(o, text, strlen(text));
}
