/* SPDX-License-Identifier: MIT */
/* Long texts on terminals. */
#ifndef CLI_BASE_PAGER_H
#define CLI_BASE_PAGER_H

#include <stddef.h>

/*
 * Write @text to standard output; where that is a terminal with fewer lines, through the program
 * that PAGER names, or else less(1) if it is there. PAGER as "" or "cat" is none.
 */
void cli_pager_write(const char *text, size_t bytes);

#endif
