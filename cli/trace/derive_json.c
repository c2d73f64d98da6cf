// SPDX-License-Identifier: MIT
/* ntime trace derive: JSON. */
#include <errno.h>

#include "cli/output/json.h"
#include "cli/trace/derive.h"

static json_t *row_json(const struct cli_derive_row *r)
{
	static const char *const roles[] = { "event", "clock", "nothing", "unknown" };
	const struct ntime_derived *d = &r->d;
	json_t *row = json_object(), *values = json_array(), *clocks = json_array();

#define TEXT(name, text) json_object_set_new(row, name, cli_json_text(text))
	TEXT("device", cli_derive_device(r));
	TEXT("chipset", d->chip);
	TEXT("event", d->event);
	TEXT("part", d->part);
	TEXT("unit", d->unit);
	TEXT("instance", d->instance);
	json_object_set_new(row, "set", cli_json_count(d->set));
	TEXT("counter_mode", d->mode);
	TEXT("counter", d->counter);
	TEXT("role", roles[d->role]);
	TEXT("start_src", d->start_src);
	TEXT("start_op", d->start_op);
	TEXT("event_src", d->event_src);
	TEXT("event_op", d->event_op);
	TEXT("mp_group_sel", d->group_sel);
	TEXT("mp_extra", d->extra);
	TEXT("mux", d->mux);
	TEXT("relative", d->relative);
	TEXT("logic", d->logic);
	TEXT("key", d->key);
	TEXT("windows", d->windows_text);
	TEXT("notes", d->notes);
	TEXT("origin", d->origin);
#undef TEXT
	json_object_set_new(row, "reads", cli_json_count(d->reads));
	for (uint32_t i = 0; i < d->n_values; i++) {
		json_array_append_new(values, cli_json_count(d->values[i]));
		json_array_append_new(clocks, d->clocks[i] == NTIME_DERIVED_NO_CLOCKS
						      ? json_null()
						      : cli_json_count(d->clocks[i]));
	}
	json_object_set_new(row, "values", values);
	json_object_set_new(row, "clocks", clocks);
	json_object_set_new(row, "last", cli_json_count(d->last));
	json_object_set_new(row, "min", cli_json_count(d->min));
	json_object_set_new(row, "max", cli_json_count(d->max));
	json_object_set_new(row, "sum", cli_json_count(d->sum));
	json_object_set_new(row, "cycles",
			    d->is_cycles_read ? cli_json_count(d->cycles) : json_null());
	json_object_set_new(row, "saturated", json_boolean(d->flags & NTIME_DERIVED_SATURATED));
	json_object_set_new(row, "overflow", json_boolean(d->flags & NTIME_DERIVED_OVERFLOW));
	json_object_set_new(row, "empty", json_boolean(d->flags & NTIME_DERIVED_EMPTY));
	json_object_set_new(row, "triggered",
			    json_boolean(!(d->flags & NTIME_DERIVED_UNTRIGGERED)));
	json_object_set_new(row, "inferred", json_boolean(d->flags & NTIME_DERIVED_INFERRED));
	json_object_set_new(row, "same", r->same ? cli_json_count(r->same) : json_null());
	return row;
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

int cli_derive_print_json(FILE *f, const struct cli_derive *d)
{
	json_t *root = json_object(), *traces = json_array();

	json_object_set_new(root, "schema", cli_json_count(CLI_SCHEMA));
	for (size_t i = 0; i < d->traces; i++)
		json_array_append_new(traces, trace_json(d, &d->trace[i]));
	json_object_set_new(root, "traces", traces);
	return cli_json_write(f, root, 1);
}
