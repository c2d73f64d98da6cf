// SPDX-License-Identifier: MIT
/* Where lines go. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output/number.h"
#include "cli/output/say.h"
#include "cli/watch/out.h"

#define BUFFER_BYTES (1u << 17)
/* From here on whatever is put fits without asking. */
#define FULL_BYTES (BUFFER_BYTES - 4096)
/* Doubles below have every whole number. */
#define WHOLE_MAX 9007199254740992.0

int cli_watch_out_open(struct cli_watch_out *o, const char *path)
{
	int ret = 0;

	*o = (struct cli_watch_out){ .fd = STDOUT_FILENO, .name = "standard output" };
	if (path && strcmp(path, "-") != 0) {
		o->is_file = true;
		o->name = path;
		o->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
		if (o->fd < 0)
			ret = -errno;
	}
	o->buffer = ret ? NULL : malloc(BUFFER_BYTES);
	if (!ret && !o->buffer)
		ret = -ENOMEM;
	if (ret) {
		cli_say("cannot write to %s: %s", o->name, strerror(-ret));
		cli_watch_out_close(o);
	}
	return ret;
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

/* @digits at least, with leading zeros. */
static void put_digits(struct cli_watch_out *o, uint64_t number, size_t digits)
{
	char text[24];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + number % 10);
	while (number /= 10);
	while (sizeof(text) - at < digits)
		text[--at] = '0';
	cli_watch_put_bytes(o, text + at, sizeof(text) - at);
}

void cli_watch_put_count(struct cli_watch_out *o, uint64_t count)
{
	put_digits(o, count, 1);
}

void cli_watch_put_exact(struct cli_watch_out *o, double number)
{
	/* -0.0 is whole too, and is 0. */
	if (number >= 0 && number < WHOLE_MAX && number == (double)(uint64_t)number)
		put_digits(o, (uint64_t)number, 1);
	else
		cli_watch_put(o, cli_number_exact(number).text);
}

void cli_watch_put_rate(struct cli_watch_out *o, double number)
{
	static const uint64_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	char text[32];
	size_t decimals = 0;
	uint64_t scaled;

	if (!(number >= 0.1 && number < 1e15)) {
		if (number == 0) {
			cli_watch_put_bytes(o, "0", 1);
			return;
		}
		snprintf(text, sizeof(text), "%.6g", number);
		cli_watch_put(o, text);
		return;
	}
	while (decimals < 6 && number * (double)powers[decimals] < 1e5)
		decimals++;
	scaled = (uint64_t)(number * (double)powers[decimals] + 0.5);
	while (decimals && scaled % 10 == 0) {
		scaled /= 10;
		decimals--;
	}
	put_digits(o, scaled / powers[decimals], 1);
	if (!decimals)
		return;
	cli_watch_put_bytes(o, ".", 1);
	put_digits(o, scaled % powers[decimals], decimals);
}
