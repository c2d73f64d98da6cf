// SPDX-License-Identifier: MIT
/* Where lines go. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output/memory.h"
#include "base/output/place.h"
#include "base/output/say.h"
#include "base/output/whole.h"
#include "count/cli/watch/out.h"

#define BUFFER_BYTES (1u << 17)
/* From here on whatever is put fits without asking. */
#define FULL_BYTES (BUFFER_BYTES - 4096)

/* Between looking and opening another ntime may have made or removed the file. */
#define TRIES 8

/*
 * A descriptor of it, emptied unless @is_append, or -errno; *@is_stream: it is no file by itself.
 */
static int open_file(struct cli_watch_out *o, struct cli_place *place, bool is_append,
		     bool *is_stream)
{
	int fd = -EEXIST;
	struct stat file;

	for (int i = 0; i < TRIES && (fd == -EEXIST || (i && fd == -ENOENT)); i++) {
		*place = (struct cli_place){ .why = "" };
		fd = cli_place_find(place, o->name);
		*is_stream = place->stream >= 0;
		if (!fd && is_append && place->is_there)
			fd = cli_place_reopen(place);
		else if (!fd)
			fd = cli_place_open(place);
		cli_place_close(place);
	}
	/* What is written goes behind what others write meanwhile. */
	if (is_append && fd >= 0 && fstat(fd, &file) == 0 && S_ISREG(file.st_mode))
		(void)fcntl(fd, F_SETFL, O_APPEND);
	return fd;
}

static const char *why(const struct cli_place *place, int error)
{
	return *place->why ? place->why : strerror(-error);
}

int cli_watch_out_open(struct cli_watch_out *o, const char *path, bool is_append)
{
	struct cli_place place = { .why = "" };
	bool is_stream = true;
	struct stat file;

	*o = (struct cli_watch_out){ .fd = STDOUT_FILENO, .old = -1, .name = "standard output" };
	if (path && strcmp(path, "-") != 0) {
		o->is_file = true;
		o->name = path;
		o->is_append = is_append;
		o->fd = open_file(o, &place, is_append, &is_stream);
	}
	if (o->fd < 0) {
		int ret = o->fd;

		cli_say("cannot write to %s: %s", o->name, why(&place, ret));
		cli_watch_out_close(o);
		return ret;
	}
	o->is_terminal = isatty(o->fd);
	o->can_be_moved = !is_stream && fstat(o->fd, &file) == 0 && S_ISREG(file.st_mode);
	o->buffer = cli_malloc(BUFFER_BYTES);
	return 0;
}

/* What has gathered, if the file does not begin with it. 0 or -errno. */
static int put_once(struct cli_watch_out *o, const struct cli_whole *whole, bool is_once)
{
	int ret = is_once ? cli_whole_begins(whole, o->buffer, o->used) : 0;

	if (ret)
		o->used = 0;
	if (ret >= 0 && cli_whole_begins(whole, "", 0) == CLI_BEGINS_UNENDED &&
	    write(o->fd, "\n", 1) != 1)
		ret = -errno;
	return ret < 0 ? ret : cli_watch_out_flush(o);
}

int cli_watch_out_put_head(struct cli_watch_out *o, bool is_once)
{
	struct flock whole_file = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct cli_whole whole = { .fd = -1 };
	int ret;

	if (!o->can_be_moved)
		return 0;
	/* Of several that begin at once one puts the head there: as base/output/whole.c does. */
	(void)fcntl(o->fd, F_OFD_SETLKW, &whole_file);
	ret = cli_place_find(&whole.place, o->name);
	if (!ret)
		ret = put_once(o, &whole, is_once);
	cli_place_close(&whole.place);
	whole_file.l_type = F_UNLCK;
	(void)fcntl(o->fd, F_OFD_SETLK, &whole_file);
	if (ret == -EEXIST)
		cli_say("%s begins with other columns than these: name another file", o->name);
	else if (ret < 0)
		cli_say("cannot append to %s: %s", o->name, strerror(-ret));
	return ret;
}

int cli_watch_out_reopen(struct cli_watch_out *o)
{
	struct cli_place place = { .why = "" };
	bool is_stream = false;
	struct stat file;
	int fd;

	if (!o->can_be_moved || cli_watch_out_flush(o))
		return -EINVAL;
	/* A pipe would be waited for. */
	if (stat(o->name, &file) == 0 && !S_ISREG(file.st_mode)) {
		cli_say("%s is no regular file: lines go on into the old one", o->name);
		return -EINVAL;
	}
	fd = open_file(o, &place, true, &is_stream);
	if (fd < 0) {
		cli_say("cannot write to %s: %s; lines go on into the old file", o->name,
			why(&place, fd));
		return fd;
	}
	o->old = o->fd;
	o->fd = fd;
	return fstat(fd, &file) == 0 && !file.st_size;
}

void cli_watch_out_keep(struct cli_watch_out *o, bool is_new)
{
	if (is_new) {
		(void)close(o->old);
	} else {
		(void)close(o->fd);
		o->fd = o->old;
		cli_say("lines go on into the old file");
	}
	o->old = -1;
}

int cli_watch_out_flush(struct cli_watch_out *o)
{
	/* Somebody may have given us a pipe that does not wait. */
	struct pollfd p = { .fd = o->fd, .events = POLLOUT };
	size_t at = 0;

	while (at < o->used && !o->error) {
		ssize_t n = write(o->fd, o->buffer + at, o->used - at);

		o->writes++;
		if (n >= 0)
			at += (size_t)n;
		else if (errno == EAGAIN)
			(void)poll(&p, 1, -1);
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
