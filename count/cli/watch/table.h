/* SPDX-License-Identifier: MIT */
/*
 * The table that the full screen shows: a line per item, a column per row of values, in as many
 * panels below each other as the width asks for. It knows nothing of terminals: what it draws goes
 * to a function.
 */
#ifndef CLI_WATCH_TABLE_H
#define CLI_WATCH_TABLE_H

#include "base/output/term.h"
#include "count/cli/watch/watch.h"

/**
 * struct cli_watch_table - how to draw
 * @width:	columns there are
 * @shows_counts: what was counted in the interval, not the rate per second
 * @utf8:	characters beyond ASCII are welcome
 * @put:	draws @text at a line and column from 0; texts are short and have no line ends
 * @arg:	its first argument
 */
struct cli_watch_table {
	unsigned int width;
	bool shows_counts;
	bool utf8;
	void (*put)(void *arg, size_t line, unsigned int column, const char *text,
		    enum cli_colour look);
	void *arg;
};

/* Draw the rows, then what is missing and why. Returns how many lines that took. */
size_t cli_watch_table_draw(const struct cli_watch_table *t, const struct cli_watch *w);

/* A number in at most eight columns: "1.234", "99,999", "123.4k", "1.234G". */
struct cli_number cli_watch_compact(double number);

#endif
