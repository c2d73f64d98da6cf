/* SPDX-License-Identifier: MIT */
#ifndef CLI_BASE_CONFINE_FILTER_H
#define CLI_BASE_CONFINE_FILTER_H

struct sock_filter;

/* What the process does: the calls of calls.txt, or those of calls_server.txt. */
enum cli_confined { CLI_CONFINED_FILES, CLI_CONFINED_SERVER };

/*
 * The instructions, static memory, for seccomp(2); their number in @n. NULL and 0: none were made
 * for this architecture.
 */
const struct sock_filter *cli_confine_filter(enum cli_confined as, unsigned short *n);

#endif
