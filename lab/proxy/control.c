// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Commands to served devices, line by line. */
#include "lab/proxy/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS 4
#define ANSWER_BYTES 4096 /* "list" of as many devices as there can be */

static struct ntm_proxy *find_device(struct ntm_control *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->device_count; i++)
		if (strcmp(c->devices[i].name, name) == 0)
			return &c->devices[i];
	return NULL;
}

static void list(const struct ntm_control *c, char *text, size_t bytes)
{
	size_t at = (size_t)snprintf(text, bytes, "ok"), i;

	for (i = 0; i < c->device_count && at < bytes; i++) {
		const struct ntm_proxy *p = &c->devices[i];
		const char *state = p->fd < 0 ? "gone" : p->is_plugged ? "plugged" : "waiting";

		at += (size_t)snprintf(text + at, bytes - at, " %s=%s:%s", p->name, p->kind->name,
				       state);
	}
}

static void count(struct ntm_proxy *p, const char *what, const char *number, char *text,
		  size_t bytes)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(number, &end, 0);
	if (number[0] < '0' || number[0] > '9' || *end || errno)
		snprintf(text, bytes, "error: \"%s\" is not a number below 2^64", number);
	else if (ntm_proxy_count(p, what, value) < 0)
		snprintf(text, bytes, "error: a %s does not count \"%s\" but: %s", p->kind->name,
			 what, p->kind->counts ? p->kind->counts : "nothing");
	else
		snprintf(text, bytes, "ok");
}

static void truth(const struct ntm_proxy *p, char *text, size_t bytes)
{
	snprintf(text, bytes, "ok ");
	ntm_proxy_truth(p, text + 3, bytes - 3);
}

/* A command of the kind's own; @words are those behind the name. */
static void command(struct ntm_proxy *p, const char *verb, const char *words, char *text,
		    size_t bytes)
{
	char answer[ANSWER_BYTES / 2];

	if (p->kind->command(p->model, verb, words, answer, sizeof(answer)) == 0)
		snprintf(text, bytes, *answer ? "ok %s" : "ok", answer);
	else
		snprintf(text, bytes, "error: %s %s %s: %s", verb, p->name, words,
			 *answer ? answer : p->kind->commands);
}

void ntm_control_answer(struct ntm_control *c, const char *line, char *text, size_t bytes)
{
	char copy[NTM_CONTROL_LINE_BYTES], *word[WORDS + 1] = { NULL }, *rest = copy;
	struct ntm_proxy *p;
	const char *words;
	size_t n = 0;

	if (strncmp(line, "echo ", 5) == 0) {
		snprintf(text, bytes, "ok %s", line + 5);
		return;
	}
	snprintf(copy, sizeof(copy), "%s", line);
	while (n <= WORDS && (word[n] = strtok_r(rest, " \t\r", &rest)))
		n++;
	if (n == 1 && strcmp(word[0], "list") == 0) {
		list(c, text, bytes);
		return;
	}
	p = n >= 3 ? find_device(c, word[1]) : NULL;
	if (p && p->kind->command) {
		words = strstr(line + strspn(line, " \t") + strlen(word[0]), word[1]) +
			strlen(word[1]);
		command(p, word[0], words + strspn(words, " \t"), text, bytes);
		return;
	}
	if (!(n == 4 && strcmp(word[0], "count") == 0) &&
	    !(n == 2 && strcmp(word[0], "truth") == 0)) {
		snprintf(text, bytes,
			 "error: expected echo TEXT, list, count NAME WHAT NUMBER, truth NAME or "
			 "a command of the kind (--list)");
		return;
	}
	p = find_device(c, word[1]);
	if (!p)
		snprintf(text, bytes, "error: no device is called \"%s\"; \"list\" has them",
			 word[1]);
	else if (n == 4)
		count(p, word[2], word[3], text, bytes);
	else
		truth(p, text, bytes);
}

/* All of it, or false: who does not read the answers has ended the talk. */
static bool put_line(int fd, const char *text)
{
	char line[ANSWER_BYTES + 2];
	size_t bytes = (size_t)snprintf(line, sizeof(line), "%s\n", text), at = 0;

	while (at < bytes) {
		ssize_t put = write(fd, line + at, bytes - at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		at += (size_t)put;
	}
	return true;
}

static bool take_line(struct ntm_control *c)
{
	char text[ANSWER_BYTES];

	if (c->is_too_long)
		snprintf(text, sizeof(text), "error: a line has %d bytes at most",
			 NTM_CONTROL_LINE_BYTES - 1);
	else
		ntm_control_answer(c, c->line, text, sizeof(text));
	return put_line(c->out, text);
}

int ntm_control_receive(struct ntm_control *c)
{
	char bytes[512];
	ssize_t got, i;

	do
		got = read(c->in, bytes, sizeof(bytes));
	while (got < 0 && errno == EINTR);
	if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 1;
	if (got <= 0) {
		c->in = -1;
		return 0;
	}
	for (i = 0; i < got; i++) {
		if (bytes[i] == '\r')
			continue;
		if (bytes[i] != '\n') {
			c->is_too_long |= c->have == sizeof(c->line) - 1;
			if (!c->is_too_long)
				c->line[c->have++] = bytes[i];
			continue;
		}
		c->line[c->have] = '\0';
		if (!take_line(c)) {
			c->in = -1;
			return 0;
		}
		c->have = 0;
		c->is_too_long = false;
	}
	return 1;
}
