// SPDX-License-Identifier: MIT
/* ntime trace stat: its columns, and the three forms they are written in. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/csv.h"
#include "base/output/json.h"
#include "base/output/number.h"
#include "base/output/table.h"
#include "trace/cli/stat.h"

/*
 * In the order of CSV and JSON; people have some in other words. What matters less is left out
 * first.
 */
#define AT(member, kind) CLI_OF(struct cli_stat_row, r.member, kind)
#define READ CLI_IF(struct cli_stat_row, r.flags, NTIME_STAT_READ_VALUED)
#define WRITTEN CLI_IF(struct cli_stat_row, r.flags, NTIME_STAT_WRITE_VALUED)
#define TIMED CLI_IF(struct cli_stat_row, r.flags, NTIME_STAT_TIMED)
#define STAT_COLUMNS(X)                                                                            \
	X(TITLE, .title = "REGISTER", .flags = CLI_COLUMN_LEFT)                                    \
	X(DEVICE, "device", .title = "DEVICE", .flags = CLI_COLUMN_LEFT, .rank = 1)                \
	X(REGION, "region", AT(region, COUNT))                                                     \
	X(OFFSET, "offset", AT(offset, HEX))                                                       \
	X(REGISTER, "register", CLI_OF(struct cli_stat_row, name, TEXT), .flags = CLI_COLUMN_SET)  \
	X(IS_REST, "is_rest", AT(flags, BOOL), .if_flag = NTIME_STAT_REST,                         \
	  .flags = CLI_COLUMN_NOT_CSV)                                                             \
	X(READS, "reads", AT(reads, COUNT), .title = "READS")                                      \
	X(WRITES, "writes", AT(writes, COUNT), .title = "WRITES")                                  \
	X(NEVER_WRITTEN, "never_written")                                                          \
	X(WIDTHS, "widths")                                                                        \
	X(VALUES, "values", AT(distinct, COUNT), .title = "VALUES")                                \
	X(VALUES_EXACT, "values_exact")                                                            \
	X(READ_BITS, "read_bits", AT(toggled_read, HEX), READ, .title = "READ BITS", .rank = 3)    \
	X(WRITTEN_BITS, "written_bits", AT(toggled_write, HEX), WRITTEN, .title = "WRITTEN BITS",  \
	  .rank = 3)                                                                               \
	X(FIRST_READ, "first_read", AT(first_read, HEX), READ, .title = "FIRST READ", .rank = 7)   \
	X(LAST_READ, "last_read", AT(last_read, HEX), READ, .title = "LAST READ", .rank = 2)       \
	X(FIRST_WRITTEN, "first_written", AT(first_write, HEX), WRITTEN, .title = "FIRST WRITTEN", \
	  .rank = 7)                                                                               \
	X(LAST_WRITTEN, "last_written", AT(last_write, HEX), WRITTEN, .title = "LAST WRITTEN",     \
	  .rank = 2)                                                                               \
	X(WIDTHS_SHOWN, .title = "WIDTHS", .rank = 8)                                              \
	X(FIRST_NS, "first_ns", AT(first_ns, COUNT), TIMED)                                        \
	X(LAST_NS, "last_ns", AT(last_ns, COUNT), TIMED)                                           \
	X(GAPS, "gaps", AT(gaps, COUNT), TIMED)                                                    \
	X(MIN_NS, "min_ns", .title = "MIN GAP", .rank = 5)                                         \
	X(MEAN_NS, "mean_ns", .title = "MEAN GAP", .rank = 4)                                      \
	X(MAX_NS, "max_ns", .title = "MAX GAP", .rank = 5)                                         \
	X(FIRST_AT, .title = "FIRST AT", .rank = 6)                                                \
	X(LAST_AT, .title = "LAST AT", .rank = 6)

enum { STAT_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { STAT_COLUMNS(CLI_COLUMN_ROW) };

static const struct cli_columns row_columns = { .column = columns,
						.n = COLUMNS,
						.has_nulls = true };

/* A row, and room for texts that are made for it. */
struct row {
	struct cli_cell cell[COLUMNS];
	char title[100], values[80], widths[16], first_at[32], last_at[32];
};

static void make_title(char title[100], const struct ntime_register_stat *r)
{
	const char *region = cli_stat_region(r->region);

	if (r->flags & NTIME_STAT_REST)
		snprintf(title, 100, "(others of %s)", region);
	else if (strcmp(region, "region") == 0)
		snprintf(title, 100, "region%u+%s", r->region, cli_number_hex(r->offset, 1).text);
	else
		stpcpy(stpcpy(stpcpy(title, region), "+"), cli_number_hex(r->offset, 1).text);
}

/* "1+4", "?" where the trace does not say */
static void make_widths(char *p, const struct ntime_register_stat *r)
{
	const char *first = p;

	for (unsigned int width = 1; width <= 16; width *= 2) {
		if (!(r->widths & width))
			continue;
		if (p != first)
			*p++ = '+';
		*p++ = width < 16 ? (char)('0' + width) : '?';
	}
	*p = '\0';
}

static json_t *widths_json(const void *of)
{
	const struct ntime_register_stat *r = of;
	json_t *widths = json_array();

	for (unsigned int width = 1; width <= 8; width *= 2)
		if (r->widths & width)
			json_array_append_new(widths, json_integer(width));
	return widths;
}

static json_t *null_json(const void *of)
{
	(void)of;
	return json_null();
}

/* "12.345678": seconds after the first record, rounded. */
static const char *make_time(char text[32], const struct cli_trace_stats *s, uint64_t ns)
{
	bool is_before = ns < s->base_ns;
	uint64_t us = ((is_before ? s->base_ns - ns : ns - s->base_ns) + 500) / 1000;
	char *p = text + 31;

	*p = '\0';
	for (unsigned int i = 0; i <= 6 || us; i++, us /= 10) {
		*--p = (char)('0' + us % 10);
		if (i == 5)
			*--p = '.';
	}
	if (is_before)
		*--p = '-';
	return p;
}

static void fill_times(struct row *row, const struct cli_trace_stats *s,
		       const struct ntime_register_stat *r)
{
	struct cli_cell *cell = row->cell;

	if (r->flags & NTIME_STAT_TIMED) {
		cell[FIRST_AT].shown = make_time(row->first_at, s, r->first_ns);
		cell[LAST_AT].shown = make_time(row->last_at, s, r->last_ns);
	}
	if (r->gaps) {
		cell[MIN_NS] = cli_ns((double)r->gap_min_ns);
		cell[MEAN_NS] = cli_ns((double)(r->last_ns - r->first_ns) / (double)r->gaps);
		cell[MAX_NS] = cli_ns((double)r->gap_max_ns);
	}
}

/* What registers that found no room have in common tells nothing of a register. */
static void fill_rest(struct cli_cell *cell)
{
	cell[OFFSET] = cell[GAPS] = (struct cli_cell){ 0 };
	cell[VALUES] = (struct cli_cell){ .shown = "?" };
	/* Programs have is_rest, or nothing but the name. */
	cell[REGISTER] = cli_made(null_json, NULL, "(others)");
}

static void fill(struct row *row, const struct cli_trace_stats *s, const struct cli_stat_row *of)
{
	const struct ntime_register_stat *r = &of->r;
	bool has_more = r->flags & NTIME_STAT_MORE_VALUES;
	struct cli_cell *cell = row->cell;

	cli_cells_fill(cell, &row_columns, of);
	if (!*of->name)
		make_title(row->title, r);
	cell[TITLE].shown = *of->name ? of->name : row->title;
	cell[DEVICE] = cli_text(cli_stat_device(s, r->device));
	make_widths(row->widths, r);
	cell[WIDTHS] = cli_made(widths_json, r, row->widths);
	cell[WIDTHS_SHOWN].shown = row->widths;
	fill_times(row, s, r);
	if (r->flags & NTIME_STAT_REST) {
		fill_rest(cell);
		return;
	}
	cell[NEVER_WRITTEN] = cli_bool(!r->writes);
	cell[WRITES].shown = r->writes ? NULL : "never";
	cell[VALUES_EXACT] = cli_bool(!has_more);
	/* At least one more than could be kept. */
	if (has_more) {
		stpcpy(stpcpy(row->values, ">"), cli_number_count(r->distinct - 1).text);
		cell[VALUES].shown = row->values;
	}
}

/* ---- totals ---- */

#define OF_DEVICE (1u << NTIME_TOTAL_DEVICE)
#define OF_REGION (1u << NTIME_TOTAL_REGION)
#define OF_THREAD (1u << NTIME_TOTAL_THREAD)
#define NO_THREAD (OF_DEVICE | OF_REGION | 1u << NTIME_TOTAL_ALL)

#define SUM(member, kind) CLI_OF(struct ntime_trace_total, member, kind)
#define SUM_IF(flag) CLI_IF(struct ntime_trace_total, flags, flag)
#define TOTALS(X)                                                                                  \
	X(TOTAL, .title = "TOTAL", .flags = CLI_COLUMN_LEFT)                                       \
	X(TOTAL_DEVICE, "device", .only = OF_DEVICE | OF_REGION)                                   \
	X(TOTAL_REGION, "region", SUM(region, COUNT), .only = OF_REGION)                           \
	X(TOTAL_THREAD, "thread", SUM(thread, COUNT), SUM_IF(NTIME_STAT_THREAD),                   \
	  .only = OF_THREAD)                                                                       \
	X(TOTAL_IS_REST, "is_rest", SUM(flags, BOOL), .if_flag = NTIME_STAT_REST,                  \
	  .only = OF_THREAD)                                                                       \
	X(TOTAL_REGISTERS, "registers", .title = "REGISTERS", .rank = 1, .only = NO_THREAD)        \
	X(TOTAL_READS, "reads", SUM(reads, COUNT), .title = "READS")                               \
	X(TOTAL_WRITES, "writes", SUM(writes, COUNT), .title = "WRITES")                           \
	X(TOTAL_FIRST_NS, "first_ns", SUM(first_ns, COUNT), SUM_IF(NTIME_STAT_TIMED))              \
	X(TOTAL_LAST_NS, "last_ns", SUM(last_ns, COUNT), SUM_IF(NTIME_STAT_TIMED))                 \
	X(TOTAL_REST, "accesses_without_row", SUM(rest, COUNT), .only = NO_THREAD)                 \
	X(TOTAL_SECONDS, .title = "SECONDS", .rank = 2)

enum { TOTALS(CLI_COLUMN_ID) TOTAL_COLUMNS };
static const struct cli_column total_columns[] = { TOTALS(CLI_COLUMN_ROW) };

struct total_row {
	struct cli_cell cell[TOTAL_COLUMNS];
	char title[300], registers[80];
	struct cli_number seconds;
};

static void make_total_title(struct total_row *row, const struct cli_trace_stats *s,
			     const struct ntime_trace_total *total)
{
	char *title = row->title;

	switch (total->kind) {
	case NTIME_TOTAL_DEVICE:
		snprintf(title, sizeof(row->title), "%s", cli_stat_device(s, total->device));
		break;
	case NTIME_TOTAL_REGION:
		snprintf(title, sizeof(row->title), "%s %s", cli_stat_device(s, total->device),
			 cli_stat_region(total->region));
		break;
	case NTIME_TOTAL_THREAD:
		if (total->flags & NTIME_STAT_REST)
			snprintf(title, sizeof(row->title), "other threads");
		else if (total->flags & NTIME_STAT_THREAD)
			snprintf(title, sizeof(row->title), "thread %u", total->thread);
		else
			snprintf(title, sizeof(row->title), "no thread known");
		break;
	default:
		snprintf(title, sizeof(row->title), "all");
	}
}

static void fill_total(struct total_row *row, const struct cli_columns *columns_of,
		       const struct cli_trace_stats *s, const struct ntime_trace_total *t)
{
	struct cli_cell *cell = row->cell;

	cli_cells_fill(cell, columns_of, t);
	make_total_title(row, s, t);
	cell[TOTAL].shown = row->title;
	cell[TOTAL_DEVICE] = cli_text(cli_stat_device(s, t->device));
	if (t->kind != NTIME_TOTAL_THREAD) {
		stpcpy(stpcpy(row->registers, t->rest ? ">" : ""),
		       cli_number_count(t->registers).text);
		cell[TOTAL_REGISTERS] = cli_count(t->registers);
		cell[TOTAL_REGISTERS].shown = row->registers;
	}
	if (t->flags & NTIME_STAT_TIMED) {
		row->seconds = cli_number_seconds((double)(t->last_ns - t->first_ns));
		cell[TOTAL_SECONDS].shown = row->seconds.text;
	}
}

static struct cli_columns columns_of_totals(unsigned int with)
{
	return (struct cli_columns){
		.column = total_columns, .n = TOTAL_COLUMNS, .with = with, .has_nulls = true
	};
}

/* ---- for people ---- */

static void print_totals(const struct cli_trace_stats *s, FILE *f, const struct cli_look *look)
{
	const struct cli_columns all = columns_of_totals(OF_THREAD | NO_THREAD);
	struct cli_table t;
	struct total_row row;

	cli_table_init(&t, &all, look->utf8);
	for (int kind = 0; kind <= NTIME_TOTAL_THREAD; kind++) {
		for (size_t i = 0; i < s->totals[kind].n; i++) {
			fill_total(&row, &all, s, &s->totals[kind].total[i]);
			cli_table_row(&t, row.cell);
		}
	}
	cli_table_print(&t, f, look);
	cli_table_fini(&t);
}

/* "3 interrupts" and the like: what is no access. */
static void print_marks(const struct cli_trace_stats *s, FILE *f)
{
	static const struct {
		uint32_t kind;
		const char *one, *many;
	} kinds[] = {
		{ NTIME_RECORD_INTERRUPT, "interrupt event", "interrupt events" },
		{ NTIME_RECORD_CONFIG_READ, "configuration read", "configuration reads" },
		{ NTIME_RECORD_CONFIG_WRITE, "configuration write", "configuration writes" },
		{ NTIME_RECORD_UNKNOWN, "access that could not be decoded",
		  "accesses that could not be decoded" },
		{ NTIME_RECORD_LOST, "gap where records are missing",
		  "gaps where records are missing" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t n = ntime_trace_stat_marks(s->stat, kinds[i].kind);

		if (n)
			fprintf(f, "%s %s\n", cli_number_count(n).text,
				n == 1 ? kinds[i].one : kinds[i].many);
	}
}

void cli_trace_stat_text(struct cli_trace_stats *s, FILE *f, const struct cli_look *look)
{
	struct cli_table t;
	struct row row;

	cli_table_init(&t, &row_columns, look->utf8);
	/* Where there is but one device, the totals tell which. */
	if (look->is_terminal && s->totals[NTIME_TOTAL_DEVICE].n < 2)
		t.column[1].rank = 9;
	for (size_t i = 0; i < s->shown; i++) {
		fill(&row, s, &s->row[i]);
		cli_table_row(&t, row.cell);
	}
	if (s->shown) {
		cli_table_print(&t, f, look);
		if (s->shown < s->rows)
			fprintf(f, "... and %zu more\n", s->rows - s->shown);
		putc('\n', f);
	}
	cli_table_fini(&t);
	print_totals(s, f, look);
	print_marks(s, f);
}

/* ---- for programs ---- */

void cli_trace_stat_csv(const struct cli_trace_stats *s, FILE *f)
{
	struct row row;

	cli_csv_head(f, &row_columns);
	for (size_t i = 0; i < s->shown; i++) {
		fill(&row, s, &s->row[i]);
		cli_csv_row(f, &row_columns, row.cell);
	}
}

static json_t *row_at(const void *arg, size_t i)
{
	const struct cli_trace_stats *s = arg;
	struct row row;

	fill(&row, s, &s->row[i]);
	return cli_json_row(&row_columns, row.cell);
}

static json_t *total_json(const struct cli_trace_stats *s, const struct ntime_trace_total *total)
{
	const struct cli_columns of = columns_of_totals(1u << total->kind);
	struct total_row row;

	fill_total(&row, &of, s, total);
	return cli_json_row(&of, row.cell);
}

static json_t *totals_json(const struct cli_trace_stats *s, int kind)
{
	json_t *array = json_array();

	for (size_t i = 0; i < s->totals[kind].n; i++)
		json_array_append_new(array, total_json(s, &s->totals[kind].total[i]));
	return array;
}

void cli_trace_stat_json(const struct cli_trace_stats *s, FILE *f)
{
	json_t *head = cli_json_head(ntime_trace_version());

	json_object_set_new(head, "total", total_json(s, &s->totals[NTIME_TOTAL_ALL].total[0]));
	json_object_set_new(head, "devices", totals_json(s, NTIME_TOTAL_DEVICE));
	json_object_set_new(head, "regions", totals_json(s, NTIME_TOTAL_REGION));
	json_object_set_new(head, "threads", totals_json(s, NTIME_TOTAL_THREAD));
	json_object_set_new(
		head, "interrupts",
		cli_json_count(ntime_trace_stat_marks(s->stat, NTIME_RECORD_INTERRUPT)));
	(void)cli_json_write_list(f, head, "registers", row_at, s->shown, s);
}
