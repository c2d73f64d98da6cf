/* SPDX-License-Identifier: MIT */
/* Where ntime export listens: addresses as they are written, and sockets. */
#ifndef CLI_EXPORT_LISTEN_H
#define CLI_EXPORT_LISTEN_H

#include <stdbool.h>

#include "base/output/place.h"

#define CLI_LISTEN_DEFAULT "127.0.0.1:9743"
#define CLI_LISTEN_MAX 16

/**
 * struct cli_listener - one address
 * @fd:		bound; nobody is heard before listen(2). -1: none
 * @path:	of a socket of the file system, which is removed at the end; NULL: none
 * @made:	what that socket is: somebody may have put another one there
 * @text:	for people: "http://127.0.0.1:9743/metrics"
 */
struct cli_listener {
	int fd;
	char *path, *text;
	struct cli_old_file made;
};

/*
 * Bind to @address: "127.0.0.1:9743", "[::1]:9743" or "unix:/run/ntime/export.sock". Port 0 is one
 * that is free. 0 or -errno after a sentence; cli_listener_close() in either case.
 */
int cli_listener_open(struct cli_listener *l, const char *address);
/* Can other machines reach it? */
bool cli_listener_is_open_to_others(const struct cli_listener *l);
void cli_listener_close(struct cli_listener *l);

#endif
