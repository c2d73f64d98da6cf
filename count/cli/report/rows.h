/* SPDX-License-Identifier: MIT */
/*
 * Rows of what is counted: values of CPUs put together per socket, core, thread or all.
 *
 * What is counted for a package or its cache cannot be divided: under --per core and thread it
 * stands in rows of the sockets, above those of their cores. What a device counts stands in a row
 * of its own.
 */
#ifndef CLI_REPORT_ROWS_H
#define CLI_REPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include <ntime/session.h>

#include "base/command/command.h"

/* Of what a row of values tells. */
enum cli_per {
	CLI_PER_CHOSEN, /* what suits the items best */
	CLI_PER_SOCKET,
	CLI_PER_CORE,
	CLI_PER_THREAD,
	CLI_PER_NONE, /* one row for all; ntime watch alone, as the next three */
	CLI_PER_CGROUP,
	CLI_PER_UNIT, /* of systemd */
	CLI_PER_PROCESS,
	CLI_PER_FUNCTION, /* of a command in the emulator; ntime stat alone */
	CLI_PER_FRAME	  /* what was counted in a frame, wherever; ntime watch --frames alone */
};

/* "socket", "core" ... */
const char *cli_per_word(enum cli_per per);
/* What --per of ntime watch takes: word @i means CLI_PER_SOCKET + @i. */
cli_word_fn cli_per_watch_word;
/* The same of ntime export: counts alone. */
cli_word_fn cli_per_export_word;
/* What it takes elsewhere: CLI_PER_FUNCTION as well, in place of CLI_PER_NONE. */
cli_word_fn cli_per_stat_word;

/**
 * struct cli_row_item - one item of the session
 * @name:	for people: a formula's name without the formula
 * @info:	what the session says of it; its strings live as long as the session
 * @is_clock:	time passes once, however many CPUs there are
 * @is_missing:	absent everywhere
 * @is_shown:	neither missing nor hidden
 * @has_rate:	an event: its differences have a rate
 * @is_gone:	a device that counted it was there, and is no longer
 * @is_implausible: it was said why its number cannot be right
 */
struct cli_row_item {
	char *name;
	struct ntime_item info;
	bool is_clock, is_missing, is_shown, has_rate, is_gone, is_implausible;
};

/* What session @s says of its item @i, and whether it is a clock. 0 or -errno. */
int cli_row_item_learn(struct cli_row_item *item, const struct ntime_session *s, size_t i);

#define CLI_ROW_CHARS 24

enum cli_row_kind {
	CLI_ROW_MACHINE,
	CLI_ROW_SOCKET,
	CLI_ROW_CORE,
	CLI_ROW_THREAD,
	CLI_ROW_DEVICE,
};

/**
 * struct cli_row - one
 * @name:	"socket 0", "core 3", "CPU 7", "all CPUs", "gpu0"
 * @package, @core, @cpu: -1 where it has none, or it is not known
 */
struct cli_row {
	char name[CLI_ROW_CHARS];
	enum cli_row_kind kind;
	int package, core, cpu;
};

/* Rows that a CPU belongs to at most: its own, its socket, the machine. */
#define CLI_ROWS_OF_CPU 3
#define CLI_NO_ROW SIZE_MAX

/**
 * struct cli_rows - all of them
 * @per:	what rows are for
 * @items:	values of a row
 * @value:	@n rows of @items, after cli_rows_add_up()
 * @keeps_off_line: CPUs that are off line stay in their rows
 * @is_unsure:	nobody knows well enough how long the period was for which @value is
 * @where:	of the session, @where_count of them, in its order
 * @of:		rows of each
 * @order:	them by package, core and CPU
 */
struct cli_rows {
	enum cli_per per;
	size_t items, where_count, n;
	struct cli_row *row;
	struct ntime_value *value;
	bool keeps_off_line, is_unsure;
	struct ntime_where_info *where;
	size_t (*of)[CLI_ROWS_OF_CPU];
	size_t *order;
};

/*
 * Learn of an opened session where its CPUs are. 0 or -errno: without a topology all of them are
 * of one socket that is not known (-EIO is returned; the rows can be used).
 */
int cli_rows_init(struct cli_rows *rows, struct ntime_session *s, size_t items);
void cli_rows_fini(struct cli_rows *rows);

/*
 * Of places that are new nothing is known before but the time, which is that of the first one: a
 * metric's, and that of clocks. @before: values of the last read, @n of them, the first @had known.
 */
void cli_rows_begin(struct ntime_value *before, size_t had, size_t n, size_t items,
		    const struct cli_row_item *item);
/*
 * A CPU that went, but counted in @values, a row per CPU, has its row once more. Is there one?
 * Before cli_rows_arrange().
 */
bool cli_rows_keep(struct cli_rows *rows, const struct cli_row_item *item,
		   const struct ntime_value *values);

/*
 * What suits @n items best: a state of single cores, or what is computed of one, is seen at them
 * alone; all else at the sockets.
 */
enum cli_per cli_rows_choose(const struct cli_row_item *item, size_t n);

/* Make the rows; may be called again with another @per. */
void cli_rows_arrange(struct cli_rows *rows, enum cli_per per, const struct cli_row_item *item);

/* Put @values, a row per CPU, together. 0 or -errno of ntime_session_metrics(). */
int cli_rows_add_up(struct cli_rows *rows, const struct cli_row_item *item,
		    const struct ntime_session *s, const struct ntime_value *values);

/* Whether that matters to a value: it, or what is shown beside it, is so much per time. */
bool cli_rows_is_unsure(const struct cli_rows *rows, const struct cli_row_item *item,
			const struct ntime_value *v);

/* Whether an item stands in a row. */
bool cli_rows_show(const struct cli_rows *rows, size_t row, const struct cli_row_item *item);

#endif
