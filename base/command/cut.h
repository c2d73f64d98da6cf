/* SPDX-License-Identifier: MIT */
/* A mapped file that its owner cuts short does not end the program. */
#ifndef CLI_CUT_H
#define CLI_CUT_H

#include <stdbool.h>

/* From now on a page that is gone is replaced by one that is 0 and that nobody else sees. */
void cli_cut_survive(void);
/* It happened: what was read or written since is not to be relied on. */
bool cli_cut_happened(void);

#endif
