/* SPDX-License-Identifier: MIT */
/*
 * The server of ntime export: a process of its own without rights and without counters, which asks
 * the collector, who has the counters and no socket, for the text of each answer.
 */
#ifndef CLI_EXPORT_SERVER_H
#define CLI_EXPORT_SERVER_H

#include <stddef.h>
#include <sys/types.h>

#include "count/cli/export/listen.h"

/**
 * struct cli_server - the collector's side
 * @pid:	the server; 0: there is none
 * @ask:	to read from: a byte when it listens, then one for each answer that is wanted, an
 *		enum cli_export_format
 * @reply:	to write to: the bytes of the answer, as uint64_t; 0: it could not be made
 * @text:	a file without a name, in which the answer stands then
 */
struct cli_server {
	pid_t pid;
	int ask, reply, text;
};

/*
 * Start the server of @n listeners, before there are counters; it hears nobody before
 * cli_server_open(). 0 or -errno after a sentence.
 */
int cli_server_start(struct cli_server *s, const struct cli_listener *listener, size_t n);
/* Let it listen, and wait until it does. 0 or -EPIPE: it has said why not. */
int cli_server_open(struct cli_server *s);
/* An answer of @bytes, 0: there is none. 0 or -errno: the server is gone. */
int cli_server_answer(struct cli_server *s, const char *text, size_t bytes);
/* It answers what has begun, and is waited for. */
void cli_server_end(struct cli_server *s);

#endif
