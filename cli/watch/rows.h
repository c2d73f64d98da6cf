/* SPDX-License-Identifier: MIT */
/*
 * Rows of what is watched: values of CPUs put together per socket, core, thread or all.
 *
 * What is counted for a package or its cache cannot be divided: under --per core and thread it
 * stands in rows of the sockets, above those of their cores. What a device counts stands in a row
 * of its own.
 */
#ifndef CLI_WATCH_ROWS_H
#define CLI_WATCH_ROWS_H

#include "cli/watch/items.h"

#define CLI_WATCH_ROW_CHARS 24

enum cli_watch_kind {
	CLI_ROW_MACHINE,
	CLI_ROW_SOCKET,
	CLI_ROW_CORE,
	CLI_ROW_THREAD,
	CLI_ROW_DEVICE,
};

/**
 * struct cli_watch_row - one
 * @name:	"socket 0", "core 3", "CPU 7", "all CPUs", "gpu0"
 * @package, @core, @cpu: -1 where it has none, or it is not known
 */
struct cli_watch_row {
	char name[CLI_WATCH_ROW_CHARS];
	enum cli_watch_kind kind;
	int package, core, cpu;
};

/* Rows that a CPU belongs to at most: its own, its socket, the machine. */
#define CLI_WATCH_ROWS_OF_CPU 3
#define CLI_WATCH_NO_ROW SIZE_MAX

/**
 * struct cli_watch_rows - all of them
 * @per:	what rows are for
 * @items:	values of a row
 * @value:	@n rows of @items, after cli_watch_rows_add_up()
 * @has_alarm:	of each value: it is above a limit
 * @is_unsure:	nobody knows well enough how long the period was for which @value is
 * @where:	of the session, @where_count of them, in its order
 * @of:		rows of each
 * @order:	them by package, core and CPU
 */
struct cli_watch_rows {
	enum cli_watch_per per;
	size_t items, where_count, n;
	struct cli_watch_row *row;
	struct ntime_value *value;
	bool *has_alarm;
	bool is_unsure;
	struct ntime_where_info *where;
	size_t (*of)[CLI_WATCH_ROWS_OF_CPU];
	size_t *order;
};

/*
 * Learn of an opened session where its CPUs are. 0 or -errno: without a topology all of them are
 * of one socket that is not known (-EIO is returned; the rows can be used).
 */
int cli_watch_rows_init(struct cli_watch_rows *rows, struct ntime_session *s, size_t items);
void cli_watch_rows_fini(struct cli_watch_rows *rows);

/*
 * What suits @items best: a state of single cores, or what is computed of one, is seen at them
 * alone; all else, and the overview, at the sockets.
 */
enum cli_watch_per cli_watch_rows_choose(const struct cli_watch_items *items);

/* Make the rows; may be called again with another @per. */
void cli_watch_rows_arrange(struct cli_watch_rows *rows, enum cli_watch_per per,
			    const struct cli_watch_items *items);

/* Put @values, a row per CPU, together. 0 or -errno of ntime_session_metrics(). */
int cli_watch_rows_add_up(struct cli_watch_rows *rows, const struct cli_watch_items *items,
			  const struct ntime_session *s, const struct ntime_value *values);

/* Whether that matters to a value: it, or what is shown beside it, is so much per time. */
bool cli_watch_rows_is_unsure(const struct cli_watch_rows *rows, const struct cli_watch_item *item,
			      const struct ntime_value *v);

/* Whether an item stands in a row. */
bool cli_watch_rows_show(const struct cli_watch_rows *rows, size_t row,
			 const struct cli_watch_item *item);

#endif
