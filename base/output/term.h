/* SPDX-License-Identifier: MIT */
/* What an output looks like: how wide, in colour, in which characters; and lines broken to fit. */
#ifndef CLI_OUTPUT_TERM_H
#define CLI_OUTPUT_TERM_H

#include <stdbool.h>
#include <stdio.h>

/* For files and pipes. */
#define CLI_TERM_WIDTH 80
#define CLI_TERM_MIN_WIDTH 20

/**
 * struct cli_look - how to write to one output
 * @width:	columns
 * @is_terminal: somebody looks at it: lines are broken at @width. Elsewhere only running text is
 * @colour:	escape sequences are welcome
 * @utf8:	characters beyond ASCII are
 */
struct cli_look {
	unsigned int width;
	bool is_terminal;
	bool colour;
	bool utf8;
};

/* Look at @fd and the environment (NO_COLOR, TERM, the locale that main() has set). */
struct cli_look cli_look_at(int fd);

/*
 * Ask which characters the user has, once and at the start. The command stays in the locale "C", as
 * every program begins: names and numbers are the same for everybody.
 */
void cli_look_begin(void);

enum cli_colour {
	CLI_PLAIN,
	CLI_BOLD,
	CLI_DIM,
	CLI_WARN,
	CLI_BAD,
	CLI_GOOD,
};

/* The escape sequence, "" where @look has no colour. */
const char *cli_colour(const struct cli_look *look, enum cli_colour colour);

/* Columns that a text takes: characters, for the texts that occur here. */
size_t cli_text_columns(const char *text);
/* The same of its @bytes first bytes: every byte but the following ones of a UTF-8 character. */
size_t cli_text_columns_n(const char *text, size_t bytes);

/*
 * Write @text in lines that fit @look->width. The caller has already written @column columns of the
 * first line; the next ones begin with @indent blanks. Ends with a newline. A word longer than a
 * line stays in one piece.
 */
void cli_wrap(FILE *f, const struct cli_look *look, size_t column, size_t indent, const char *text);

/* Write @text as clean.h has it. */
void cli_print_safe(FILE *f, const char *text);

#endif
