/* SPDX-License-Identifier: MIT */
/*
 * Is this the lab's machine? Its runner says so to every program in a guest; results then say whose
 * counts they are.
 */
#ifndef CLI_OUTPUT_EMULATED_H
#define CLI_OUTPUT_EMULATED_H

#include <stdio.h>

#include "base/output/term.h"

/*
 * The guest's name, fit for every form of output: static memory; NULL on machines that nobody calls
 * emulated.
 */
const char *cli_emulated(void);

/* The line for people; nothing when @guest is NULL. */
void cli_emulated_put(FILE *f, const struct cli_look *look, const char *guest);

#endif
