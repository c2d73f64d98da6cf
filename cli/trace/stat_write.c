// SPDX-License-Identifier: MIT
/* ntime trace stat: the numbers as a table, as CSV and as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/csv.h"
#include "cli/output/json.h"
#include "cli/output/number.h"
#include "cli/trace/stat.h"
#include "cli/output/table.h"

/* ---- table ---- */

/* Columns in the order they stand; what matters less is left out first. */
enum {
	COLUMN_REGISTER,
	COLUMN_DEVICE,
	COLUMN_READS,
	COLUMN_WRITES,
	COLUMN_VALUES,
	COLUMN_READ_BITS,
	COLUMN_WRITTEN_BITS,
	COLUMN_FIRST_READ,
	COLUMN_LAST_READ,
	COLUMN_FIRST_WRITTEN,
	COLUMN_LAST_WRITTEN,
	COLUMN_WIDTHS,
	COLUMN_MIN,
	COLUMN_MEAN,
	COLUMN_MAX,
	COLUMN_FIRST,
	COLUMN_LAST,
	COLUMNS,
};

static const struct cli_table_column all_columns[COLUMNS] = {
	[COLUMN_REGISTER] = { "REGISTER", 0, true, 0 },
	[COLUMN_DEVICE] = { "DEVICE", 1, true, 0 },
	[COLUMN_READS] = { "READS", 0, false, 0 },
	[COLUMN_WRITES] = { "WRITES", 0, false, 0 },
	[COLUMN_VALUES] = { "VALUES", 0, false, 0 },
	[COLUMN_READ_BITS] = { "READ BITS", 3, false, 0 },
	[COLUMN_WRITTEN_BITS] = { "WRITTEN BITS", 3, false, 0 },
	[COLUMN_FIRST_READ] = { "FIRST READ", 7, false, 0 },
	[COLUMN_LAST_READ] = { "LAST READ", 2, false, 0 },
	[COLUMN_FIRST_WRITTEN] = { "FIRST WRITTEN", 7, false, 0 },
	[COLUMN_LAST_WRITTEN] = { "LAST WRITTEN", 2, false, 0 },
	[COLUMN_WIDTHS] = { "WIDTHS", 8, false, 0 },
	[COLUMN_MIN] = { "MIN GAP", 5, false, 0 },
	[COLUMN_MEAN] = { "MEAN GAP", 4, false, 0 },
	[COLUMN_MAX] = { "MAX GAP", 5, false, 0 },
	[COLUMN_FIRST] = { "FIRST AT", 6, false, 0 },
	[COLUMN_LAST] = { "LAST AT", 6, false, 0 },
};

/* "0x1f" */
static struct cli_number hex(uint64_t value)
{
	struct cli_number n;
	unsigned int digits = 16 - (unsigned int)__builtin_clzll(value | 1) / 4;

	n.text[0] = '0';
	n.text[1] = 'x';
	for (unsigned int i = 0; i < digits; i++)
		n.text[2 + i] = "0123456789abcdef"[value >> 4 * (digits - 1 - i) & 15];
	n.text[2 + digits] = '\0';
	return n;
}

static void put_place(struct cli_table *t, const struct ntime_register_stat *r)
{
	char front[32];

	if (r->flags & NTIME_STAT_REST) {
		snprintf(front, sizeof(front), "(others of %s)", cli_stat_region(r->region));
		cli_table_put(t, front);
		return;
	}
	if (strcmp(cli_stat_region(r->region), "region") == 0)
		snprintf(front, sizeof(front), "region%u+", r->region);
	else
		stpcpy(stpcpy(front, cli_stat_region(r->region)), "+");
	cli_table_put_two(t, front, hex(r->offset).text);
}

static void put_count(struct cli_table *t, uint64_t count)
{
	cli_table_put(t, cli_number_count(count).text);
}

static void put_values(struct cli_table *t, const struct ntime_register_stat *r)
{
	bool has_more = r->flags & NTIME_STAT_MORE_VALUES;

	if (r->flags & NTIME_STAT_REST)
		cli_table_put(t, "?");
	else
		/* At least one more than could be kept. */
		cli_table_put_two(t, has_more ? ">" : "",
				  cli_number_count(r->distinct - has_more).text);
}

static void put_hex(struct cli_table *t, const struct ntime_register_stat *r, uint32_t flag,
		    uint64_t value)
{
	cli_table_put(t, r->flags & flag ? hex(value).text : "-");
}

/* "1+4", "?" where the trace does not say */
static struct cli_number widths_text(const struct ntime_register_stat *r)
{
	struct cli_number n = { 0 };
	char *p = n.text;

	for (unsigned int width = 1; width <= 16; width *= 2) {
		if (!(r->widths & width))
			continue;
		if (p != n.text)
			*p++ = '+';
		*p++ = width < 16 ? (char)('0' + width) : '?';
	}
	return n;
}

static void put_gap(struct cli_table *t, const struct ntime_register_stat *r, double ns, bool utf8)
{
	const char *unit;
	struct cli_number number;
	char text[sizeof(number.text) + 1];

	if (!r->gaps) {
		cli_table_put(t, "-");
		return;
	}
	number = cli_number_value(ns, "ns", utf8, &unit);
	stpcpy(stpcpy(text, number.text), " ");
	cli_table_put_two(t, text, unit);
}

/* "12.345678": seconds, rounded. */
static void put_time(struct cli_table *t, const struct cli_trace_stats *s,
		     const struct ntime_register_stat *r, uint64_t ns)
{
	bool is_before = ns < s->base_ns;
	uint64_t us = ((is_before ? s->base_ns - ns : ns - s->base_ns) + 500) / 1000;
	char digits[32], *p = digits + sizeof(digits) - 1;

	if (!(r->flags & NTIME_STAT_TIMED)) {
		cli_table_put(t, "-");
		return;
	}
	*p = '\0';
	for (unsigned int i = 0; i <= 6 || us; i++, us /= 10) {
		*--p = (char)('0' + us % 10);
		if (i == 5)
			*--p = '.';
	}
	if (is_before)
		*--p = '-';
	cli_table_put(t, p);
}

static double mean(const struct ntime_register_stat *r)
{
	return r->gaps ? (double)(r->last_ns - r->first_ns) / (double)r->gaps : 0;
}

/* Cells in the order of the columns. */
static void add_row(struct cli_table *t, const struct cli_trace_stats *s,
		    const struct cli_stat_row *row, const struct cli_look *look)
{
	const struct ntime_register_stat *r = &row->r;

	if (*row->name)
		cli_table_put(t, row->name);
	else
		put_place(t, r);
	cli_table_put(t, cli_stat_device(s, r->device));
	put_count(t, r->reads);
	if (r->writes || r->flags & NTIME_STAT_REST)
		put_count(t, r->writes);
	else
		cli_table_put(t, "never");
	put_values(t, r);
	put_hex(t, r, NTIME_STAT_READ_VALUED, r->toggled_read);
	put_hex(t, r, NTIME_STAT_WRITE_VALUED, r->toggled_write);
	put_hex(t, r, NTIME_STAT_READ_VALUED, r->first_read);
	put_hex(t, r, NTIME_STAT_READ_VALUED, r->last_read);
	put_hex(t, r, NTIME_STAT_WRITE_VALUED, r->first_write);
	put_hex(t, r, NTIME_STAT_WRITE_VALUED, r->last_write);
	cli_table_put(t, widths_text(r).text);
	put_gap(t, r, (double)r->gap_min_ns, look->utf8);
	put_gap(t, r, mean(r), look->utf8);
	put_gap(t, r, (double)r->gap_max_ns, look->utf8);
	put_time(t, s, r, r->first_ns);
	put_time(t, s, r, r->last_ns);
}

static void put_total_name(struct cli_table *t, const struct cli_trace_stats *s,
			   const struct ntime_trace_total *total)
{
	char text[32];

	switch (total->kind) {
	case NTIME_TOTAL_DEVICE:
		cli_table_put(t, cli_stat_device(s, total->device));
		break;
	case NTIME_TOTAL_REGION:
		snprintf(text, sizeof(text), " %s", cli_stat_region(total->region));
		cli_table_put_two(t, cli_stat_device(s, total->device), text);
		break;
	case NTIME_TOTAL_THREAD:
		snprintf(text, sizeof(text), "thread %u", total->thread);
		cli_table_put(t, total->flags & NTIME_STAT_REST	    ? "other threads"
				 : total->flags & NTIME_STAT_THREAD ? text
								    : "no thread told");
		break;
	default:
		cli_table_put(t, "all");
	}
}

static void add_total(struct cli_table *t, const struct cli_trace_stats *s,
		      const struct ntime_trace_total *total)
{
	put_total_name(t, s, total);
	if (total->kind == NTIME_TOTAL_THREAD)
		cli_table_put(t, "-");
	else
		cli_table_put_two(t, total->rest ? ">" : "",
				  cli_number_count(total->registers).text);
	put_count(t, total->reads);
	put_count(t, total->writes);
	cli_table_put(t,
		      total->flags & NTIME_STAT_TIMED
			      ? cli_number_seconds((double)(total->last_ns - total->first_ns)).text
			      : "-");
}

static int print_totals(const struct cli_trace_stats *s, FILE *f, const struct cli_look *look)
{
	struct cli_table_column columns[] = {
		{ "TOTAL", 0, true, 0 },   { "REGISTERS", 1, false, 0 }, { "READS", 0, false, 0 },
		{ "WRITES", 0, false, 0 }, { "SECONDS", 2, false, 0 },
	};
	struct cli_table t = { .column = columns, .columns = 5 };
	int ret;

	for (int kind = 0; kind <= NTIME_TOTAL_THREAD; kind++)
		for (size_t i = 0; i < s->totals[kind].n; i++)
			add_total(&t, s, &s->totals[kind].total[i]);
	ret = cli_table_print(&t, f, look);
	cli_table_fini(&t);
	return ret;
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
		{ NTIME_RECORD_LOST, "place where records are missing",
		  "places where records are missing" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t n = ntime_trace_stat_marks(s->stat, kinds[i].kind);

		if (n)
			fprintf(f, "%s %s\n", cli_number_count(n).text,
				n == 1 ? kinds[i].one : kinds[i].many);
	}
}

int cli_trace_stat_text(struct cli_trace_stats *s, FILE *f, const struct cli_look *look)
{
	struct cli_table_column columns[COLUMNS];
	struct cli_table t = { .column = columns, .columns = COLUMNS };
	int ret = 0;

	memcpy(columns, all_columns, sizeof(columns));
	/* Where there is but one device, the totals tell which. */
	if (look->is_terminal && s->totals[NTIME_TOTAL_DEVICE].n < 2)
		columns[COLUMN_DEVICE].rank = 9;
	for (size_t i = 0; i < s->shown; i++)
		add_row(&t, s, &s->row[i], look);
	if (s->shown) {
		ret = cli_table_print(&t, f, look);
		if (s->shown < s->rows)
			fprintf(f, "... and %zu more\n", s->rows - s->shown);
		putc('\n', f);
	}
	cli_table_fini(&t);
	if (!ret)
		ret = print_totals(s, f, look);
	if (!ret)
		print_marks(s, f);
	return ret;
}

/* ---- CSV ---- */

/* Empty where it is not known. */
static void csv_number(FILE *f, bool is_known, uint64_t n)
{
	putc(',', f);
	if (is_known)
		fprintf(f, "%" PRIu64, n);
}

static void csv_hex(FILE *f, bool is_known, uint64_t n)
{
	putc(',', f);
	if (is_known)
		fprintf(f, "0x%" PRIx64, n);
}

static void csv_row(const struct cli_trace_stats *s, FILE *f, const struct cli_stat_row *row)
{
	const struct ntime_register_stat *r = &row->r;
	bool is_rest = r->flags & NTIME_STAT_REST, is_timed = r->flags & NTIME_STAT_TIMED;
	bool is_read = r->flags & NTIME_STAT_READ_VALUED;
	bool is_written = r->flags & NTIME_STAT_WRITE_VALUED;

	cli_csv_put(f, cli_stat_device(s, r->device));
	fprintf(f, ",%u", r->region);
	csv_hex(f, !is_rest, r->offset);
	putc(',', f);
	cli_csv_put(f, is_rest ? "(others)" : row->name);
	fprintf(f, ",%" PRIu64 ",%" PRIu64 ",%s", r->reads, r->writes,
		is_rest	    ? ""
		: r->writes ? "0"
			    : "1");
	fprintf(f, ",%s", widths_text(r).text);
	csv_number(f, !is_rest, r->distinct);
	fprintf(f, ",%s", is_rest ? "" : r->flags & NTIME_STAT_MORE_VALUES ? "0" : "1");
	csv_hex(f, is_read, r->toggled_read);
	csv_hex(f, is_written, r->toggled_write);
	csv_hex(f, is_read, r->first_read);
	csv_hex(f, is_read, r->last_read);
	csv_hex(f, is_written, r->first_write);
	csv_hex(f, is_written, r->last_write);
	csv_number(f, is_timed, r->first_ns);
	csv_number(f, is_timed, r->last_ns);
	csv_number(f, is_timed && !is_rest, r->gaps);
	csv_number(f, r->gaps, r->gap_min_ns);
	fputs(",", f);
	if (r->gaps)
		fputs(cli_number_exact(mean(r)).text, f);
	csv_number(f, r->gaps, r->gap_max_ns);
	putc('\n', f);
}

int cli_trace_stat_csv(const struct cli_trace_stats *s, FILE *f)
{
	fputs("device,region,offset,register,reads,writes,never_written,widths,values,values_exact,"
	      "read_bits,written_bits,first_read,last_read,first_written,last_written,first_ns,"
	      "last_ns,gaps,min_ns,mean_ns,max_ns\n",
	      f);
	for (size_t i = 0; i < s->shown; i++)
		csv_row(s, f, &s->row[i]);
	return 0;
}

/* ---- JSON ---- */

static json_t *json_hex(bool is_known, uint64_t n)
{
	char text[24];

	if (!is_known)
		return json_null();
	snprintf(text, sizeof(text), "0x%" PRIx64, n);
	return json_string(text);
}

static json_t *json_known(bool is_known, uint64_t n)
{
	return is_known ? cli_json_count(n) : json_null();
}

static json_t *json_widths(const struct ntime_register_stat *r)
{
	json_t *widths = json_array();

	for (unsigned int width = 1; width <= 8; width *= 2)
		if (r->widths & width)
			json_array_append_new(widths, json_integer(width));
	return widths;
}

static json_t *json_row(const struct cli_trace_stats *s, const struct cli_stat_row *row)
{
	const struct ntime_register_stat *r = &row->r;
	bool is_rest = r->flags & NTIME_STAT_REST, is_timed = r->flags & NTIME_STAT_TIMED;
	bool is_read = r->flags & NTIME_STAT_READ_VALUED;
	bool is_written = r->flags & NTIME_STAT_WRITE_VALUED;

	return json_pack(
		"{s:o, s:i, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"device", cli_json_text(cli_stat_device(s, r->device)), "region", (int)r->region,
		"offset", json_hex(!is_rest, r->offset), "register",
		*row->name ? cli_json_text(row->name) : json_null(), "is_rest", is_rest, "reads",
		cli_json_count(r->reads), "writes", cli_json_count(r->writes), "never_written",
		is_rest ? json_null() : json_boolean(!r->writes), "widths", json_widths(r),
		"values", json_known(!is_rest, r->distinct), "values_exact",
		!is_rest && !(r->flags & NTIME_STAT_MORE_VALUES), "read_bits",
		json_hex(is_read, r->toggled_read), "written_bits",
		json_hex(is_written, r->toggled_write), "first_read",
		json_hex(is_read, r->first_read), "last_read", json_hex(is_read, r->last_read),
		"first_written", json_hex(is_written, r->first_write), "last_written",
		json_hex(is_written, r->last_write), "first_ns", json_known(is_timed, r->first_ns),
		"last_ns", json_known(is_timed, r->last_ns), "gaps",
		json_known(is_timed && !is_rest, r->gaps), "min_ns",
		json_known(r->gaps, r->gap_min_ns), "mean_ns",
		r->gaps ? cli_json_number(mean(r)) : json_null(), "max_ns",
		json_known(r->gaps, r->gap_max_ns));
}

static json_t *json_total(const struct cli_trace_stats *s, const struct ntime_trace_total *t)
{
	bool is_timed = t->flags & NTIME_STAT_TIMED, is_thread = t->kind == NTIME_TOTAL_THREAD;
	json_t *json =
		json_pack("{s:o, s:o, s:o, s:o}", "reads", cli_json_count(t->reads), "writes",
			  cli_json_count(t->writes), "first_ns", json_known(is_timed, t->first_ns),
			  "last_ns", json_known(is_timed, t->last_ns));

	if (t->kind == NTIME_TOTAL_DEVICE || t->kind == NTIME_TOTAL_REGION)
		json_object_set_new(json, "device", cli_json_text(cli_stat_device(s, t->device)));
	if (t->kind == NTIME_TOTAL_REGION)
		json_object_set_new(json, "region", json_integer(t->region));
	if (is_thread) {
		json_object_set_new(json, "thread",
				    json_known(t->flags & NTIME_STAT_THREAD, t->thread));
		json_object_set_new(json, "is_rest", json_boolean(t->flags & NTIME_STAT_REST));
		return json;
	}
	json_object_set_new(json, "registers", cli_json_count(t->registers));
	json_object_set_new(json, "accesses_without_row", cli_json_count(t->rest));
	return json;
}

static json_t *json_totals(const struct cli_trace_stats *s, int kind)
{
	json_t *array = json_array();

	for (size_t i = 0; i < s->totals[kind].n; i++)
		json_array_append_new(array, json_total(s, &s->totals[kind].total[i]));
	return array;
}

static json_t *json_row_at(const void *arg, size_t i)
{
	const struct cli_trace_stats *s = arg;

	return json_row(s, &s->row[i]);
}

int cli_trace_stat_json(const struct cli_trace_stats *s, FILE *f)
{
	json_t *head = json_pack(
		"{s:s, s:i, s:o, s:o, s:o, s:o, s:o}", "ntime", ntime_trace_version(), "schema",
		CLI_SCHEMA, "total", json_total(s, &s->totals[NTIME_TOTAL_ALL].total[0]), "devices",
		json_totals(s, NTIME_TOTAL_DEVICE), "regions", json_totals(s, NTIME_TOTAL_REGION),
		"threads", json_totals(s, NTIME_TOTAL_THREAD), "interrupts",
		cli_json_count(ntime_trace_stat_marks(s->stat, NTIME_RECORD_INTERRUPT)));
	int ret = cli_json_write_list(f, head, "registers", json_row_at, s->shown, s);

	return ret == -ENOMEM ? ret : 0;
}
