/* SPDX-License-Identifier: MIT */
/* Few rights for a process that reads what strangers may have written. */
#ifndef CLI_BASE_CONFINE_H
#define CLI_BASE_CONFINE_H

/*
 * Give up, for the rest of the process and of its children, what reading and writing files does not
 * need: all capabilities but those that open and keep the owner of files, all system calls but
 * those of files, memory, threads and time (others fail with EPERM): no other program can be run,
 * no network and no counter be reached, nothing be typed into a terminal. Files stay those of the
 * user. For subcommands whose input is a file and whose output is text; to be called before the
 * first byte of that file is parsed.
 *
 * Where the kernel has no seccomp, and on architectures for which there is no filter, only
 * capabilities are given up. Allocates nothing. That is a second line of defence, so nothing is
 * printed but with @verbose of 2 and more.
 */
void cli_confine(unsigned int verbose);

/*
 * The same for a server whose sockets are open: no capability, and no call but those that take
 * connections and answer them; no file is opened any more.
 */
void cli_confine_server(unsigned int verbose);

#endif
