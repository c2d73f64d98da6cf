/* SPDX-License-Identifier: MIT */
#ifndef CLI_BASE_CONFINE_FILTER_H
#define CLI_BASE_CONFINE_FILTER_H

struct sock_filter;

/*
 * The instructions, static memory, for seccomp(2); their number in @n. NULL and 0: none were made
 * for this architecture.
 */
const struct sock_filter *cli_confine_filter(unsigned short *n);

#endif
