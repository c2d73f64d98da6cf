/* SPDX-License-Identifier: MIT */
/* What a shell understands and the kernel does not. */
#ifndef CLI_BASE_SHELL_H
#define CLI_BASE_SHELL_H

#include <stdbool.h>

/*
 * A program of this name was not found: is it a line for the shell, quoted as one word, or one of
 * the shell's own commands?
 */
bool cli_is_of_shell(const char *word);

#endif
