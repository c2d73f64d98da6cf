// SPDX-License-Identifier: MIT
/* ntime trace derive: counter set-ups out of the accesses of a driver. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/command/options.h"
#include "base/output/file.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "trace/cli/derive.h"

enum {
	ID_TSV = CLI_TRACE_OWN,
	ID_COMPARE,
};

static const struct cli_option options[] = {
	{ ID_TSV, "tsv", NULL, "the columns of event tables, separated by tabs" },
	{ ID_COMPARE, "compare", NULL,
	  "print which set-ups are equal, and which exist in one trace only" },
	CLI_OPTION_END,
};

struct own {
	bool is_tsv, compares;
};

static int set_option(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	struct own *own = t->own;

	(void)value;
	if (o->id == ID_TSV)
		own->is_tsv = true;
	else
		own->compares = true;
	return 0;
}

/* "GT218,0000:05:00.0=G96", as the library takes them; the caller frees. */
static char *join_chips(const struct cli_trace *t)
{
	size_t bytes = 1;
	char *text, *end;

	for (size_t i = 0; i < t->chips.n; i++)
		bytes += strlen(t->chips.word[i]) + 1;
	text = end = cli_calloc(1, bytes);
	for (size_t i = 0; i < t->chips.n; i++)
		end = stpcpy(stpcpy(end, i ? "," : ""), t->chips.word[i]);
	return text;
}

static int read_trace(struct cli_trace *t, struct cli_trace_input *in,
		      struct cli_derive_trace *trace)
{
	struct ntime_trace_batch batch = { 0 };
	int ret;

	while ((ret = cli_trace_input_next(in, &batch)) > 0) {
		ret = ntime_derive_feed(trace->derive, &batch, in->trace);
		if (ret)
			return cli_say_no_memory();
	}
	if (ret < 0)
		return CLI_EXIT_FAILED;
	if (ntime_derive_end(trace->derive))
		return cli_say_no_memory();
	trace->counts.size = sizeof(trace->counts);
	ntime_derive_get_counts(trace->derive, &trace->counts);
	(void)t;
	return 0;
}

/* Names are asked for when the trace is closed. */
static void keep_devices(const struct cli_trace_input *in, struct cli_derive_trace *trace)
{
	struct ntime_trace_device device = { .size = sizeof(device) };
	size_t n = ntime_trace_devices(in->trace);

	trace->device = cli_calloc(n ? n : 1, sizeof(*trace->device));
	for (; trace->devices < n; trace->devices++) {
		if (ntime_trace_get_device(in->trace, trace->devices, &device))
			break;
		trace->device[trace->devices] = cli_strdup(device.name);
	}
}

const char *cli_derive_device(const struct cli_derive_row *r)
{
	return r->d.device < r->trace->devices ? r->trace->device[r->d.device] : "-";
}

static int derive_trace(struct cli_trace *t, const char *chips, struct cli_derive_trace *trace)
{
	struct cli_trace_input in;
	int ret;

	if (cli_trace_input_open(&in, t, trace->path, NTIME_TRACE_REQUESTS))
		return CLI_EXIT_FAILED;
	ret = ntime_derive_new(t->ctx, chips, &trace->derive);
	if (ret < 0)
		ret = cli_trace_say(t->ctx, ret);
	else
		ret = read_trace(t, &in, trace);
	if (!ret) {
		keep_devices(&in, trace);
		cli_trace_input_tell(&in);
	}
	cli_trace_input_close(&in);
	return ret;
}

static bool is_good(const struct ntime_derived *d)
{
	return d->role == NTIME_DERIVED_EVENT || strcmp(d->counter, "CYCLES") == 0;
}

/* Windows of a device in which something was counted that is good to show. */
struct span {
	uint32_t device, first, last;
};

struct spans {
	struct span *span;
	size_t n;
};

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* Sorted by device and first window; each reaches as far as any before it does. */
static void find_spans(struct spans *s, const struct ntime_derive *derive)
{
	struct ntime_derived d = { .size = sizeof(d) };
	size_t rows = ntime_derive_count(derive);

	s->n = 0;
	s->span = cli_calloc(rows ? rows : 1, sizeof(*s->span));
	for (size_t i = 0; i < rows && ntime_derive_get(derive, i, &d) == 0; i++)
		if (is_good(&d))
			s->span[s->n++] = (struct span){ d.device, d.first_window, d.last_window };
	qsort(s->span, s->n, sizeof(*s->span), compare_spans);
	for (size_t i = 1; i < s->n; i++) {
		struct span *at = &s->span[i];

		if (at->device == at[-1].device && at->last < at[-1].last)
			at->last = at[-1].last;
	}
}

/*
 * Is there something better to show of the same measurement than a clock or nothing? A domain whose
 * clocks alone are read counts those.
 */
static bool is_worth_showing(const struct spans *s, const struct ntime_derived *d)
{
	const struct span key = { d->device, d->first_window, 0 };
	size_t low = 0, high = s->n;

	if (is_good(d) || d->role == NTIME_DERIVED_UNKNOWN)
		return true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_spans(&s->span[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return !low || s->span[low - 1].device != d->device ||
	       s->span[low - 1].last < d->first_window;
}

/*
 * Of the function: what stands behind the first ';' of a key may differ in bits that one trace does
 * not tell.
 */
static size_t hash_function(const char *key)
{
	uint32_t h = 2166136261u;

	for (; *key && *key != ';'; key++)
		h = (h ^ (unsigned char)*key) * 16777619u;
	return h;
}

static void group_row(struct cli_derive *d, struct cli_derive_row *r)
{
	size_t *at = &d->bucket[hash_function(r->d.key) & (d->buckets - 1)];

	if (r->d.role == NTIME_DERIVED_UNKNOWN)
		return;
	for (; *at; at = &d->row[*at - 1].next) {
		struct cli_derive_row *other = &d->row[*at - 1];

		if (!r->same && ntime_derived_is_equal(&other->d, &r->d))
			r->same = other->same;
		/* The same key would find nothing else: it is not kept twice. */
		if (strcmp(other->d.key, r->d.key) == 0)
			return;
	}
	*at = (size_t)(r - d->row) + 1;
	if (!r->same)
		r->same = ++d->groups;
}

static void collect_trace(struct cli_derive *d, const struct cli_derive_trace *trace)
{
	struct spans spans = { 0 };

	if (!d->verbose)
		find_spans(&spans, trace->derive);
	for (size_t i = 0; i < ntime_derive_count(trace->derive); i++) {
		struct cli_derive_row *r = &d->row[d->n];

		*r = (struct cli_derive_row){ .d.size = sizeof(r->d), .trace = trace };
		ntime_derive_get(trace->derive, i, &r->d);
		if (!d->verbose && !is_worth_showing(&spans, &r->d)) {
			d->hidden++;
			continue;
		}
		group_row(d, r);
		d->n++;
	}
	free(spans.span);
}

static void collect(struct cli_derive *d)
{
	size_t rows = 0;

	for (size_t i = 0; i < d->traces; i++)
		rows += ntime_derive_count(d->trace[i].derive);
	for (d->buckets = 16; d->buckets < rows; d->buckets *= 2)
		;
	d->row = cli_calloc(rows ? rows : 1, sizeof(*d->row));
	d->bucket = cli_calloc(d->buckets, sizeof(*d->bucket));
	for (size_t i = 0; i < d->traces; i++)
		collect_trace(d, &d->trace[i]);
}

static int print(struct cli_trace *t, const struct cli_derive *d)
{
	const struct own *own = t->own;
	struct cli_output out;
	struct cli_look look;

	if (cli_output_open(&out, t->output ? t->output : "-", false))
		return CLI_EXIT_FAILED;
	look = cli_look_at(out.fd);
	if (t->is_json)
		cli_derive_print_json(out.f, d);
	else if (own->is_tsv || t->is_csv)
		cli_derive_print_columns(out.f, d, t->is_csv ? ',' : '\t');
	else if (own->compares)
		cli_derive_print_groups(out.f, d);
	else
		cli_derive_print_table(out.f, &look, d);
	return cli_output_close(&out) ? CLI_EXIT_FAILED : 0;
}

/* What made less of the trace than there is in it. */
static void tell(const struct cli_trace *t, const struct cli_derive_trace *trace)
{
	const struct ntime_derive_counts *c = &trace->counts;

	if (t->is_quiet)
		return;
	if (!c->windows)
		cli_say("%s: it reads no counter, so nothing was measured; check that the filters "
			"keep the counters",
			trace->path);
	if (c->pairs && c->unpaired)
		cli_say("%s: %llu of %llu lists of register operations have no partner and were "
			"taken as they are",
			trace->path, (unsigned long long)c->unpaired, (unsigned long long)c->lists);
	if (c->left_out)
		cli_say("%s: too many registers or set-ups: %llu were left out", trace->path,
			(unsigned long long)c->left_out);
}

static int derive_all(struct cli_trace *t, struct cli_derive *d)
{
	char *chips = join_chips(t);
	int ret = 0;

	for (size_t i = 0; i < d->traces && !ret; i++) {
		d->trace[i].path = cli_trace_operand(t, (int)i);
		ret = d->trace[i].path ? derive_trace(t, chips, &d->trace[i]) : CLI_EXIT_FAILED;
	}
	free(chips);
	if (!ret) {
		collect(d);
		ret = print(t, d);
	}
	for (size_t i = 0; i < d->traces && !ret; i++)
		tell(t, &d->trace[i]);
	return ret;
}

static int run(struct cli_trace *t)
{
	const struct own *own = t->own;
	struct cli_derive d = { .traces = t->n ? (size_t)t->n : 1, .verbose = t->verbose };
	int ret;

	if (own->is_tsv + own->compares + t->is_csv + t->is_json > 1)
		return cli_say_misuse(t->self->name,
				      "--tsv, --csv, --json and --compare cannot be combined");
	if (own->compares && t->n < 2)
		return cli_say_misuse(t->self->name, "--compare needs at least two traces");
	d.trace = cli_calloc(d.traces, sizeof(*d.trace));
	ret = derive_all(t, &d);
	for (size_t i = 0; i < d.traces; i++) {
		ntime_derive_free(d.trace[i].derive);
		for (size_t j = 0; j < d.trace[i].devices; j++)
			free(d.trace[i].device[j]);
		free(d.trace[i].device);
	}
	free(d.trace);
	free(d.row);
	free(d.bucket);
	return ret;
}

const struct cli_trace_action cli_trace_derive = {
	.name = "derive",
	.usage = "[OPTION...] [FILE...]",
	.about = "recover counter set-ups of NVIDIA's chips: domain, signals, function, "
		 "multiplexers",
	.details = "One row per counter. Rows with the same number under SAME count the same, on "
		   "any unit and counter and in any order of signals. a|b: the accesses of these "
		   "events are equal, so it is one of them. Selectors that the trace lacks are "
		   "shown as ?.\n-v also shows the clocks and unused slots that were read, and for "
		   "each part of a row its access.",
	.groups = CLI_TRACE_READS | CLI_TRACE_OUTPUT | CLI_TRACE_CSV | CLI_TRACE_JSON,
	.min = 0,
	.max = -1,
	.options = options,
	.set = set_option,
	.own_bytes = sizeof(struct own),
	.run = run,
};
