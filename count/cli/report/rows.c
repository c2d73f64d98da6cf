// SPDX-License-Identifier: MIT
/* Rows of what is counted: values of threads and CPUs put together. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"
#include "count/cli/report/rows.h"
#include "count/cli/report/tally.h"

static const char *const per_words[] = {
	[CLI_PER_CHOSEN] = "",	       [CLI_PER_SOCKET] = "socket", [CLI_PER_CORE] = "core",
	[CLI_PER_THREAD] = "thread",   [CLI_PER_NONE] = "none",	    [CLI_PER_FUNCTION] = "function",
	[CLI_PER_FRAME] = "frame",     [CLI_PER_CGROUP] = "cgroup", [CLI_PER_UNIT] = "unit",
	[CLI_PER_PROCESS] = "process",
};

const char *cli_per_word(enum cli_per per)
{
	return per_words[per];
}

const char *cli_per_watch_word(size_t i)
{
	return i <= CLI_PER_PROCESS - CLI_PER_SOCKET ? per_words[CLI_PER_SOCKET + i] : NULL;
}

const char *cli_per_export_word(size_t i)
{
	return i <= CLI_PER_NONE - CLI_PER_SOCKET ? per_words[CLI_PER_SOCKET + i] : NULL;
}

const char *cli_per_stat_word(size_t i)
{
	const char *word = cli_per_export_word(i);

	return word == per_words[CLI_PER_NONE] ? per_words[CLI_PER_FUNCTION] : word;
}

int cli_row_item_learn(struct cli_row_item *item, const struct ntime_session *s, size_t i)
{
	int ret;

	item->info.size = sizeof(item->info);
	ret = ntime_session_item(s, i, &item->info);
	item->is_clock = !ret && strcmp(item->info.unit, "clock") == 0;
	return ret;
}

/* While a row is added up: nothing has been seen yet. Bit 31 is none of the library's. */
#define EMPTY (1u << 31)

int cli_rows_init(struct cli_rows *rows, struct ntime_session *s, size_t items)
{
	int ret = 0;

	*rows = (struct cli_rows){ .items = items, .where_count = ntime_session_where_count(s) };
	rows->where = cli_calloc(rows->where_count + 1, sizeof(*rows->where));
	rows->of = cli_calloc(rows->where_count + 1, sizeof(*rows->of));
	rows->order = cli_calloc(rows->where_count + 1, sizeof(*rows->order));
	for (size_t i = 0; i < rows->where_count; i++) {
		struct ntime_where_info *where = &rows->where[i];
		int error;

		*where = (struct ntime_where_info){ .size = sizeof(*where) };
		error = ntime_session_where(s, i, where);
		if (error < 0) {
			ret = error;
			*where = (struct ntime_where_info){ .size = sizeof(*where),
							    .pid = -1,
							    .cpu = (int)i,
							    .core = -1,
							    .l3 = -1,
							    .package = -1,
							    .node = -1 };
		}
	}
	return ret;
}

void cli_rows_begin(struct ntime_value *before, size_t had, size_t n, size_t items,
		    const struct cli_row_item *item)
{
	memset(before + had, 0, (n - had) * sizeof(*before));
	for (size_t i = had; had && i < n; i++)
		if (item[i % items].info.is_metric || item[i % items].is_clock)
			before[i] = before[i % items];
}

/* Time passes also where nothing counts. */
static bool has_counted(const struct cli_rows *rows, const struct cli_row_item *item,
			const struct ntime_value *values)
{
	for (size_t i = 0; i < rows->items; i++)
		if (values[i].counted_ns && !item[i].info.is_metric && !item[i].is_clock)
			return true;
	return false;
}

bool cli_rows_keep(struct cli_rows *rows, const struct cli_row_item *item,
		   const struct ntime_value *values)
{
	bool keeps = false;

	for (size_t i = 0; i < rows->where_count; i++) {
		if (!rows->where[i].is_off_line ||
		    !has_counted(rows, item, &values[i * rows->items]))
			continue;
		rows->where[i].is_off_line = false;
		keeps = true;
	}
	return keeps;
}

void cli_rows_fini(struct cli_rows *rows)
{
	free(rows->row);
	free(rows->value);
	free(rows->where);
	free(rows->of);
	free(rows->order);
	*rows = (struct cli_rows){ 0 };
}

static bool is_wide(const struct cli_row_item *item)
{
	return !item->is_clock &&
	       (item->info.scope == NTIME_SCOPE_L3 || item->info.scope == NTIME_SCOPE_PACKAGE);
}

static bool is_of_machine(const struct cli_row_item *item)
{
	return !item->is_clock && item->info.scope == NTIME_SCOPE_MACHINE;
}

static bool is_of_device(const struct cli_row_item *item)
{
	return !item->is_clock && item->info.scope == NTIME_SCOPE_DEVICE;
}

static bool is_device(const struct ntime_where_info *where)
{
	return where->cpu < 0 && where->pid < 0;
}

enum cli_per cli_rows_choose(const struct cli_row_item *item, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!item[i].is_missing && item[i].info.is_state &&
		    item[i].info.scope <= NTIME_SCOPE_CORE)
			return CLI_PER_CORE;
	return CLI_PER_SOCKET;
}

/* Devices are behind all CPUs. */
static int compare(const struct ntime_where_info *a, const struct ntime_where_info *b)
{
	if (is_device(a) != is_device(b))
		return is_device(a) ? 1 : -1;
	if (a->package != b->package)
		return a->package < b->package ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static int compare_places(const void *left, const void *right, void *arg)
{
	const struct cli_rows *rows = arg;
	const size_t *a = left, *b = right;

	return compare(&rows->where[*a], &rows->where[*b]);
}

static void name_row(struct cli_row *row, const char *what, int number)
{
	if (number < 0)
		snprintf(row->name, sizeof(row->name), "%s ?", what);
	else
		snprintf(row->name, sizeof(row->name), "%s %d", what, number);
}

static size_t add_row(struct cli_rows *rows, enum cli_row_kind kind,
		      const struct ntime_where_info *where)
{
	struct cli_row *row = &rows->row[rows->n];

	*row = (struct cli_row){ .kind = kind, .package = -1, .core = -1, .cpu = -1 };
	if (kind >= CLI_ROW_SOCKET)
		row->package = where->package;
	if (kind >= CLI_ROW_CORE)
		row->core = where->core;
	if (kind == CLI_ROW_THREAD)
		row->cpu = where->cpu;
	if (kind == CLI_ROW_MACHINE)
		snprintf(row->name, sizeof(row->name), "all CPUs");
	else if (kind == CLI_ROW_SOCKET)
		name_row(row, "socket", row->package);
	else if (kind == CLI_ROW_CORE)
		name_row(row, "core", row->core);
	else
		name_row(row, "CPU", row->cpu);
	return rows->n++;
}

static bool has_items(const struct cli_rows *rows, const struct cli_row_item *item,
		      bool (*is_meant)(const struct cli_row_item *item))
{
	for (size_t i = 0; i < rows->items; i++)
		if (item[i].is_shown && is_meant(&item[i]))
			return true;
	return false;
}

static bool is_narrow(const struct cli_row_item *item)
{
	return !is_wide(item) && !is_of_machine(item) && !is_of_device(item);
}

/* The row of the devices, named by what counts there: metrics have no unit, their events do. */
static size_t add_device_row(struct cli_rows *rows, const struct cli_row_item *item,
			     const struct ntime_where_info *where)
{
	size_t row, i = 0;

	if (!has_items(rows, item, is_of_device))
		return CLI_NO_ROW;
	while (i < rows->items && !(is_of_device(&item[i]) && *item[i].info.unit))
		i++;
	row = add_row(rows, CLI_ROW_DEVICE, where);
	snprintf(rows->row[row].name, sizeof(rows->row[row].name), "%s",
		 i < rows->items ? item[i].info.unit : "device");
	return row;
}

/* One row behind the other as the CPUs come, sorted; each learns its rows. */
static void make_rows(struct cli_rows *rows, const struct cli_row_item *item)
{
	bool has_machine = rows->per == CLI_PER_NONE || has_items(rows, item, is_of_machine);
	bool has_sockets = rows->per == CLI_PER_SOCKET || has_items(rows, item, is_wide);
	bool has_own = has_items(rows, item, is_narrow);
	const struct ntime_where_info *last = NULL;
	size_t machine = CLI_NO_ROW, socket = CLI_NO_ROW, own = CLI_NO_ROW;

	for (size_t i = 0; i < rows->where_count; i++) {
		const struct ntime_where_info *where = &rows->where[rows->order[i]];
		bool is_new_socket = !last || last->package != where->package;

		rows->of[rows->order[i]][0] = rows->of[rows->order[i]][1] =
			rows->of[rows->order[i]][2] = CLI_NO_ROW;
		/* What it counted last was shown when it went. */
		if (where->is_off_line && !rows->keeps_off_line)
			continue;
		if (is_device(where)) {
			rows->of[rows->order[i]][0] = add_device_row(rows, item, where);
			continue;
		}
		if (has_machine && !last)
			machine = add_row(rows, CLI_ROW_MACHINE, where);
		if (rows->per != CLI_PER_NONE && has_sockets && is_new_socket)
			socket = add_row(rows, CLI_ROW_SOCKET, where);
		if (rows->per == CLI_PER_CORE && has_own &&
		    (is_new_socket || last->core != where->core))
			own = add_row(rows, CLI_ROW_CORE, where);
		if (rows->per == CLI_PER_THREAD && has_own)
			own = add_row(rows, CLI_ROW_THREAD, where);
		rows->of[rows->order[i]][0] = own;
		rows->of[rows->order[i]][1] = socket;
		rows->of[rows->order[i]][2] = machine;
		last = where;
	}
}

void cli_rows_arrange(struct cli_rows *rows, enum cli_per per, const struct cli_row_item *item)
{
	size_t most = rows->where_count * 2 + 1;

	free(rows->row);
	free(rows->value);
	rows->per = per;
	rows->n = 0;
	rows->value = NULL;
	rows->row = cli_calloc(most, sizeof(*rows->row));
	/* Threads of a core may be far from each other in the session's order. */
	for (size_t i = 0; i < rows->where_count; i++)
		rows->order[i] = i;
	qsort_r(rows->order, rows->where_count, sizeof(*rows->order), compare_places, rows);
	make_rows(rows, item);
	rows->value = cli_calloc(rows->n * rows->items + 1, sizeof(*rows->value));
}

/* Of states, the worst of two; both were seen. */
static void take_extreme(struct ntime_value *sum, const struct ntime_value *v, bool is_max)
{
	uint32_t flags = sum->flags | v->flags;

	if (is_max ? v->value > sum->value : v->value < sum->value)
		*sum = *v;
	sum->flags = flags;
}

static void add_value(struct ntime_value *sum, const struct ntime_value *v,
		      const struct cli_row_item *item)
{
	/*
	 * Computed anew from the sums: the period is that of any CPU, the number of CPUs that of
	 * all.
	 */
	if (item->info.is_metric) {
		if (!(sum->flags & EMPTY))
			sum->count += v->count;
		else
			*sum = *v;
		return;
	}
	/* Another CPU of this row, or of another, has it. */
	if (v->flags & NTIME_ELSEWHERE) {
		if (sum->flags & EMPTY)
			*sum = *v, sum->flags |= EMPTY;
		return;
	}
	if (sum->flags & EMPTY)
		*sum = *v;
	else if (item->is_clock)
		return;
	else if (item->info.together != NTIME_SUM && cli_value_is_known(sum) &&
		 cli_value_is_known(v))
		take_extreme(sum, v, item->info.together == NTIME_MAX);
	else
		cli_value_add(sum, v);
}

static void add_place(struct cli_rows *rows, const struct cli_row_item *item, size_t row,
		      const struct ntime_value *values)
{
	struct ntime_value *sum = &rows->value[row * rows->items];

	for (size_t i = 0; i < rows->items; i++)
		add_value(&sum[i], &values[i], &item[i]);
}

int cli_rows_add_up(struct cli_rows *rows, const struct cli_row_item *item,
		    const struct ntime_session *s, const struct ntime_value *values)
{
	int ret = 0;

	for (size_t i = 0; i < rows->n * rows->items; i++)
		rows->value[i] = (struct ntime_value){ .value = NAN, .scale = 1, .flags = EMPTY };
	for (size_t i = 0; i < rows->where_count; i++)
		for (size_t k = 0; k < CLI_ROWS_OF_CPU; k++)
			if (rows->of[i][k] != CLI_NO_ROW)
				add_place(rows, item, rows->of[i][k], &values[i * rows->items]);
	for (size_t i = 0; i < rows->n * rows->items; i++)
		rows->value[i].flags &= ~EMPTY;
	for (size_t i = 0; i < rows->n && ret >= 0; i++)
		ret = ntime_session_metrics(s, &rows->value[i * rows->items], rows->items);
	return ret < 0 ? ret : 0;
}

bool cli_rows_is_unsure(const struct cli_rows *rows, const struct cli_row_item *item,
			const struct ntime_value *v)
{
	return rows->is_unsure && (item->has_rate || item->info.is_metric) &&
	       cli_value_is_known(v) && !(v->flags & NTIME_STATE);
}

bool cli_rows_show(const struct cli_rows *rows, size_t row, const struct cli_row_item *item)
{
	enum cli_row_kind kind = rows->row[row].kind;

	if (!item->is_shown)
		return false;
	if (rows->per == CLI_PER_FRAME)
		return true;
	if (is_of_device(item) || kind == CLI_ROW_DEVICE)
		return is_of_device(item) && kind == CLI_ROW_DEVICE;
	if (rows->per == CLI_PER_NONE)
		return true;
	if (is_of_machine(item))
		return kind == CLI_ROW_MACHINE;
	if (is_wide(item) || rows->per == CLI_PER_SOCKET)
		return kind == CLI_ROW_SOCKET;
	return kind == CLI_ROW_CORE || kind == CLI_ROW_THREAD;
}
