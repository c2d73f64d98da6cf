// SPDX-License-Identifier: MIT
/* Where lines go. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output/memory.h"
#include "cli/output/place.h"
#include "cli/output/say.h"
#include "cli/watch/out.h"

#define BUFFER_BYTES (1u << 17)
/* From here on whatever is put fits without asking. */
#define FULL_BYTES (BUFFER_BYTES - 4096)

/* A descriptor of the file, which is emptied, or -errno. */
static int open_file(struct cli_place *place, const char *path)
{
	int fd = cli_place_find(place, path);

	if (!fd)
		fd = cli_place_open(place);
	cli_place_close(place);
	return fd;
}

int cli_watch_out_open(struct cli_watch_out *o, const char *path)
{
	struct cli_place place = { .why = "" };
	int ret = 0;

	*o = (struct cli_watch_out){ .fd = STDOUT_FILENO, .name = "standard output" };
	if (path && strcmp(path, "-") != 0) {
		o->is_file = true;
		o->name = path;
		o->fd = open_file(&place, path);
		ret = o->fd < 0 ? o->fd : 0;
	}
	if (ret) {
		cli_say("cannot write to %s: %s", o->name, *place.why ? place.why : strerror(-ret));
		cli_watch_out_close(o);
		return ret;
	}
	o->is_terminal = isatty(o->fd);
	o->buffer = cli_malloc(BUFFER_BYTES);
	return 0;
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
