// SPDX-License-Identifier: MIT
/* ntime trace derive: columns for programs, as CSV, between tabs and as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/output/csv.h"
#include "base/output/json.h"
#include "trace/cli/derive.h"

#define AT(member, kind) CLI_OF(struct cli_derive_row, d.member, kind)
#define FLAG(flag) AT(flags, BOOL), .if_flag = NTIME_DERIVED_##flag, .flags = CLI_COLUMN_NOT_CSV
/* The first ones are those of rows of core/embed/gpu.py. */
#define DERIVE_COLUMNS(X)                                                                          \
	X(CHIPSET, "chipset", AT(chip, TEXT))                                                      \
	X(EVENT, "event", AT(event, TEXT))                                                         \
	X(PART, "part", AT(part, TEXT))                                                            \
	X(SET, "set", AT(set, COUNT))                                                              \
	X(MODE, "counter_mode", AT(mode, TEXT))                                                    \
	X(START_SRC, "start_src", AT(start_src, TEXT))                                             \
	X(START_OP, "start_op", AT(start_op, TEXT))                                                \
	X(EVENT_SRC, "event_src", AT(event_src, TEXT))                                             \
	X(EVENT_OP, "event_op", AT(event_op, TEXT))                                                \
	X(GROUP, "mp_group_sel", AT(group_sel, TEXT))                                              \
	X(EXTRA, "mp_extra", AT(extra, TEXT))                                                      \
	X(MUX, "mux", AT(mux, TEXT))                                                               \
	X(NOTES, "notes", AT(notes, TEXT))                                                         \
	X(SOURCE, "source_file", .flags = CLI_COLUMN_NOT_JSON)                                     \
	X(UNIT, "unit", AT(unit, TEXT))                                                            \
	X(INSTANCE, "instance", AT(instance, TEXT))                                                \
	X(COUNTER, "counter", AT(counter, TEXT))                                                   \
	X(ROLE, "role")                                                                            \
	X(LOGIC, "logic", AT(logic, TEXT))                                                         \
	X(RELATIVE, "relative", AT(relative, TEXT))                                                \
	X(CHANGED, "mux_changed", AT(changed, TEXT))                                               \
	X(WINDOWS, "windows", AT(windows_text, TEXT))                                              \
	X(READS, "reads", AT(reads, COUNT))                                                        \
	X(VALUES, "values")                                                                        \
	X(CLOCKS, "cycles", "clocks")                                                              \
	X(SAME, "same", CLI_OF(struct cli_derive_row, same, COUNT), .flags = CLI_COLUMN_NOT_JSON)  \
	X(SAME_IF_ANY, "same", CLI_OF(struct cli_derive_row, same, COUNT),                         \
	  .flags = CLI_COLUMN_NOT_CSV | CLI_COLUMN_SET)                                            \
	X(KEY, "key", AT(key, TEXT))                                                               \
	X(DEVICE, "device")                                                                        \
	X(ORIGIN, "origin", AT(origin, TEXT), .flags = CLI_COLUMN_NOT_CSV)                         \
	X(LAST, "last", AT(last, COUNT), .flags = CLI_COLUMN_NOT_CSV)                              \
	X(MIN, "min", AT(min, COUNT), .flags = CLI_COLUMN_NOT_CSV)                                 \
	X(MAX, "max", AT(max, COUNT), .flags = CLI_COLUMN_NOT_CSV)                                 \
	X(SUM, "sum", AT(sum, COUNT), .flags = CLI_COLUMN_NOT_CSV)                                 \
	X(CYCLES, "cycles", .flags = CLI_COLUMN_NOT_CSV)                                           \
	X(SATURATED, "saturated", FLAG(SATURATED))                                                 \
	X(OVERFLOWED, "overflow", FLAG(OVERFLOW))                                                  \
	X(EMPTY, "empty", FLAG(EMPTY))                                                             \
	X(INFERRED, "inferred", FLAG(INFERRED))                                                    \
	X(TRIGGERED, "triggered", .flags = CLI_COLUMN_NOT_CSV)

enum { DERIVE_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { DERIVE_COLUMNS(CLI_COLUMN_ROW) };

/* 32 values of 20 digits, and what parts them. */
#define VALUES_BYTES 1024

/* A row, and room for texts that are made for it. */
struct row {
	struct cli_cell cell[COLUMNS];
	char values[VALUES_BYTES], clocks[VALUES_BYTES];
};

/* "1000;-;1001" */
static void make_list(char text[VALUES_BYTES], const uint64_t *value, uint32_t n)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < n && used + 24 < VALUES_BYTES; i++) {
		used += (size_t)snprintf(text + used, VALUES_BYTES - used, "%s", i ? ";" : "");
		if (value[i] == NTIME_DERIVED_NO_CLOCKS)
			used += (size_t)snprintf(text + used, VALUES_BYTES - used, "-");
		else
			used += (size_t)snprintf(text + used, VALUES_BYTES - used, "%" PRIu64,
						 value[i]);
	}
}

static json_t *list_json(const uint64_t *value, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(list, value[i] == NTIME_DERIVED_NO_CLOCKS
						    ? json_null()
						    : cli_json_count(value[i]));
	return list;
}

static json_t *values_json(const void *of)
{
	const struct ntime_derived *d = of;

	return list_json(d->values, d->n_values);
}

static json_t *clocks_json(const void *of)
{
	const struct ntime_derived *d = of;

	return list_json(d->clocks, d->n_values);
}

static void fill(struct row *row, const struct cli_columns *c, const struct cli_derive_row *r)
{
	static const char *const roles[] = { "event", "clock", "nothing", "unknown" };
	const struct ntime_derived *d = &r->d;
	struct cli_cell *cell = row->cell;

	cli_cells_fill(cell, c, r);
	make_list(row->values, d->values, d->n_values);
	make_list(row->clocks, d->clocks, cli_derive_has_clocks(d) ? d->n_values : 0);
	cell[SOURCE] = cli_text(r->trace->path);
	cell[ROLE] = cli_text(roles[d->role]);
	cell[VALUES] = cli_made(values_json, d, row->values);
	cell[CLOCKS] = cli_made(clocks_json, d, row->clocks);
	cell[DEVICE] = cli_text(cli_derive_device(r));
	cell[CYCLES] = cli_if(d->is_cycles_read, cli_count(d->cycles));
	cell[TRIGGERED] = cli_bool(!(d->flags & NTIME_DERIVED_UNTRIGGERED));
}

void cli_derive_print_columns(FILE *f, const struct cli_derive *d, char separator)
{
	const struct cli_columns c = {
		.column = columns, .n = COLUMNS, .separator = separator, .none = "-"
	};
	struct row row;

	cli_csv_head(f, &c);
	for (size_t i = 0; i < d->n; i++) {
		fill(&row, &c, &d->row[i]);
		cli_csv_row(f, &c, row.cell);
	}
}

static json_t *row_json(const struct cli_derive_row *r)
{
	static const struct cli_columns c = { .column = columns, .n = COLUMNS, .has_nulls = true };
	struct row row;

	fill(&row, &c, r);
	return cli_json_row(&c, row.cell);
}

static json_t *trace_json(const struct cli_derive *d, const struct cli_derive_trace *t)
{
	json_t *trace = json_object(), *rows = json_array();

	json_object_set_new(trace, "path", cli_json_text(t->path));
	json_object_set_new(trace, "accesses", cli_json_count(t->counts.accesses));
	json_object_set_new(trace, "windows", cli_json_count(t->counts.windows));
	json_object_set_new(trace, "lists", cli_json_count(t->counts.lists));
	json_object_set_new(trace, "pairs", cli_json_count(t->counts.pairs));
	json_object_set_new(trace, "unpaired", cli_json_count(t->counts.unpaired));
	json_object_set_new(trace, "left_out", cli_json_count(t->counts.left_out));
	for (size_t i = 0; i < d->n; i++)
		if (d->row[i].trace == t)
			json_array_append_new(rows, row_json(&d->row[i]));
	json_object_set_new(trace, "rows", rows);
	return trace;
}

void cli_derive_print_json(FILE *f, const struct cli_derive *d)
{
	json_t *root = json_object(), *traces = json_array();

	json_object_set_new(root, "schema", cli_json_count(CLI_SCHEMA));
	for (size_t i = 0; i < d->traces; i++)
		json_array_append_new(traces, trace_json(d, &d->trace[i]));
	json_object_set_new(root, "traces", traces);
	cli_json_write(f, root, 1);
}
