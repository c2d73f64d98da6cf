/* SPDX-License-Identifier: MIT */
/* Run a program of the system to its end. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

/*
 * @argv[0] is looked up in PATH; what it writes to standard output goes to standard error, where people look and no data is expected. Its
 * exit status (128 and the signal's number when a signal killed it), or -errno: it was not started.
 */
int cli_child_run(char *const argv[]);

#endif
