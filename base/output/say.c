// SPDX-License-Identifier: MIT
/* Sentences for people, on stderr. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/output/clean.h"
#include "base/output/exit.h"
#include "base/output/say.h"
#include "base/output/term.h"

#define WORD_MAX_CHARS 63
#define CLI_NAME "ntime: "

/*
 * A sentence is one line: what was typed and what others named comes back in it. On a terminal it
 * is broken between words. One call, so that it stays in one piece beside what the measured command
 * writes.
 */
static void say_args(const char *format, va_list args)
{
	const struct cli_look look = cli_look_at(STDERR_FILENO);
	char line[2048], folded[8192] = "";
	FILE *f;

	vsnprintf(line, sizeof(line), format, args);
	f = look.is_terminal ? fmemopen(folded, sizeof(folded), "w") : NULL;
	if (f) {
		fputs(CLI_NAME, f);
		cli_wrap(f, &look, strlen(CLI_NAME), 2, line);
		fclose(f);
		fputs(folded, stderr);
	} else {
		fprintf(stderr, CLI_NAME "%s\n", cli_clean(line));
	}
}

void cli_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_args(format, args);
	va_end(args);
}

int cli_say_misuse(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_args(format, args);
	va_end(args);
	if (*command)
		fprintf(stderr, "Try 'ntime help %s'.\n", command);
	else
		fputs("Try 'ntime --help'.\n", stderr);
	return CLI_EXIT_FAILED;
}

int cli_say_no_memory(void)
{
	cli_say("out of memory");
	return CLI_EXIT_FAILED;
}

int cli_say_stdout_end(void)
{
	/* ferror() too: a write that failed earlier leaves nothing for the flush to fail on. */
	int failed = ferror(stdout);

	errno = 0;
	if (!fflush(stdout) && !failed)
		return 0;
	/* Of one that failed earlier the reason is gone, unless there is no such descriptor. */
	if (!errno)
		(void)!write(STDOUT_FILENO, "", 0);
	if (errno)
		cli_say("writing to standard output failed: %s", strerror(errno));
	else
		cli_say("writing to standard output failed");
	return CLI_EXIT_FAILED;
}

static unsigned int min_of(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Number of single-letter mistakes between two words, without case; a swap of neighbours is one.
 * Words above 63 characters are as far apart as can be (64).
 */
static unsigned int word_distance(const char *a, const char *b)
{
	/*
	 * Three rows of the table of optimal string alignment: the one before the last is needed
	 * for swaps.
	 */
	unsigned int rows[3][WORD_MAX_CHARS + 1];
	size_t la = strlen(a), lb = strlen(b);

	if (la > WORD_MAX_CHARS || lb > WORD_MAX_CHARS)
		return WORD_MAX_CHARS + 1;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int *row = rows[i % 3], *above = rows[(i - 1) % 3];
		int ca = tolower((unsigned char)a[i - 1]);

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= lb; j++) {
			int cb = tolower((unsigned char)b[j - 1]);

			row[j] =
				min_of(min_of(above[j], row[j - 1]) + 1, above[j - 1] + (ca != cb));
			if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
			    cb == tolower((unsigned char)a[i - 2]))
				row[j] = min_of(row[j], rows[(i - 2) % 3][j - 2] + 1);
		}
	}
	return rows[la % 3][lb];
}

int cli_word_is_near(const char *typed, const char *name)
{
	size_t letters = strlen(typed);

	return letters > 1 && word_distance(typed, name) <= (letters + 2) / 3;
}
