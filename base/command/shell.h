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

/* Why a line cannot be split: "'|' outside of quotes", as the object of "has". */
struct cli_shell_why {
	char text[40];
};

/*
 * The words of @line, by the rules of POSIX for quotes ("Shell Command Language", 2.2), and with
 * nothing expanded, in double quotes either; the last is NULL. For cli_shell_words_free(). NULL
 * where only a shell understands it.
 */
char **cli_shell_split(const char *line, struct cli_shell_why *why);
void cli_shell_words_free(char **words);

#endif
