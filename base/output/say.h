/* SPDX-License-Identifier: MIT */
/* Sentences for people, on stderr, each one behind "ntime: ". */
#ifndef CLI_OUTPUT_SAY_H
#define CLI_OUTPUT_SAY_H

#include <errno.h>
#include <stddef.h>

/* One sentence; the newline is added. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A sentence about a wrong command line, then where help is. @command is "" for ntime itself.
 * Returns CLI_EXIT_FAILED.
 */
int cli_say_misuse(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same as -EINVAL, which parsers of options return. */
#define cli_misuse(command, ...) (cli_say_misuse(command, __VA_ARGS__), -EINVAL)

/* "out of memory"; returns CLI_EXIT_FAILED. */
int cli_say_no_memory(void);

/* Flush stdout, and say so when what was written did not arrive. 0 or CLI_EXIT_FAILED. */
int cli_say_stdout_end(void);

/* True when someone who typed @typed may have meant @name: one mistake in three letters. */
int cli_word_is_near(const char *typed, const char *name);

#endif
