/* SPDX-License-Identifier: MIT */
/*
 * What the shell does beside the runs of a command, and no number has: --setup, --prepare,
 * --cleanup.
 */
#ifndef CLI_BASE_HOOK_H
#define CLI_BASE_HOOK_H

/*
 * @line by sh -c, with nothing to read, its output on standard error. Signals are passed on to it
 * while it runs. NULL: nothing is done. 0, or CLI_EXIT_FAILED after a sentence: it did not end with
 * status 0.
 */
int cli_hook_run(const char *option, const char *line);

#endif
