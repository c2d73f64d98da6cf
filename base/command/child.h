/* SPDX-License-Identifier: MIT */
/* Run a program of the system to its end. */
#ifndef CLI_BASE_CHILD_H
#define CLI_BASE_CHILD_H

#include <stddef.h>

/*
 * @argv[0] is looked up in PATH; what it writes to standard output goes to standard error, where
 * people look and no data is expected. Its exit status (128 and the signal's number when a signal
 * killed it), or -errno: it was not started.
 */
int cli_child_run(char *const argv[]);

/* The same of sh -c @line, which has nothing to read. */
int cli_child_shell(const char *line);

/*
 * As cli_child_run(), but what it writes to standard output comes into @text, cut at @size, and its
 * complaints go nowhere.
 */
int cli_child_read(char *const argv[], char *text, size_t size);

#endif
