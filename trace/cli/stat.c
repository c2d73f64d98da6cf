// SPDX-License-Identifier: MIT
/* ntime trace stat: what a trace does to each register, in numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/command/options.h"
#include "base/output/file.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "trace/cli/stat.h"

enum {
	ID_SORT = CLI_TRACE_OWN,
	ID_TOP,
	ID_REGISTERS,
	ID_VALUES,
};

static cli_word_fn sort_word;

static const struct cli_option options[] = {
	{ ID_SORT, "sort", "COLUMN",
	  "accesses (default), register, reads, writes, values, toggled, first, last, min, mean or "
	  "max; with - in front: reversed",
	  .word = sort_word },
	{ ID_TOP, "top", "N", "only the first N registers" },
	{ ID_REGISTERS, "registers", "N",
	  "count N registers (65536); the rest of each region is one row" },
	{ ID_VALUES, "values", "N", "distinguish up to N values of a register (64)" },
	CLI_OPTION_END,
};

typedef int (*compare_fn)(const struct ntime_register_stat *a, const struct ntime_register_stat *b);

/* What is asked for besides the common options. */
struct wanted {
	struct ntime_trace_stat_options options;
	uint64_t top;
	size_t sort; /* place in sorts[] */
	bool is_reversed;
};

/* Larger first. */
static int falling(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int rising(uint64_t a, uint64_t b)
{
	return falling(b, a);
}

static int by_place(const struct ntime_register_stat *a, const struct ntime_register_stat *b)
{
	int ret = rising(a->device, b->device);

	if (!ret)
		ret = rising(a->region, b->region);
	if (!ret)
		ret = rising(a->flags & NTIME_STAT_REST, b->flags & NTIME_STAT_REST);
	return ret ? ret : rising(a->offset, b->offset);
}

static int by_accesses(const struct ntime_register_stat *a, const struct ntime_register_stat *b)
{
	return falling(a->reads + a->writes, b->reads + b->writes);
}

static int by_reads(const struct ntime_register_stat *a, const struct ntime_register_stat *b)
{
	return falling(a->reads, b->reads);
}

static int by_writes(const struct ntime_register_stat *a, const struct ntime_register_stat *b)
{
	return falling(a->writes, b->writes);
}

static int by_values(const struct ntime_register_stat *a, const struct ntime_register_stat *b)
{
	return falling(a->distinct, b->distinct);
}

static unsigned int toggled(const struct ntime_register_stat *r)
{
	return (unsigned int)__builtin_popcountll(r->toggled_read | r->toggled_write);
}

static int by_toggled(const struct ntime_register_stat *a, const struct ntime_register_stat *b)
{
	return falling(toggled(a), toggled(b));
}

/* What is known of a row at all; rows without it come last whichever way is sorted. */
static bool is_timed(const struct ntime_register_stat *r)
{
	return r->flags & NTIME_STAT_TIMED;
}

static bool has_gaps(const struct ntime_register_stat *r)
{
	return r->gaps > 0;
}

static bool has_values(const struct ntime_register_stat *r)
{
	return !(r->flags & NTIME_STAT_REST);
}

static int by_first(const struct ntime_register_stat *a, const struct ntime_register_stat *b)
{
	return rising(a->first_ns, b->first_ns);
}

static int by_last(const struct ntime_register_stat *a, const struct ntime_register_stat *b)
{
	return rising(a->last_ns, b->last_ns);
}

static double mean(const struct ntime_register_stat *r)
{
	return r->gaps ? (double)(r->last_ns - r->first_ns) / (double)r->gaps : 0;
}

static int by_min(const struct ntime_register_stat *a, const struct ntime_register_stat *b)
{
	return rising(a->gap_min_ns, b->gap_min_ns);
}

static int by_mean(const struct ntime_register_stat *a, const struct ntime_register_stat *b)
{
	return mean(a) < mean(b) ? -1 : mean(a) > mean(b);
}

static int by_max(const struct ntime_register_stat *a, const struct ntime_register_stat *b)
{
	return falling(a->gap_max_ns, b->gap_max_ns);
}

static const struct {
	const char *name;
	compare_fn compare;
	bool (*is_known)(const struct ntime_register_stat *r); /* NULL: of all rows */
} sorts[] = {
	{ "accesses", by_accesses, NULL },   { "register", by_place, NULL },
	{ "reads", by_reads, NULL },	     { "writes", by_writes, NULL },
	{ "values", by_values, has_values }, { "toggled", by_toggled, has_values },
	{ "first", by_first, is_timed },     { "last", by_last, is_timed },
	{ "min", by_min, has_gaps },	     { "mean", by_mean, has_gaps },
	{ "max", by_max, has_gaps },
};

static const char *sort_word(size_t i)
{
	return i < sizeof(sorts) / sizeof(sorts[0]) ? sorts[i].name : NULL;
}

static int set_sort(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	struct wanted *w = t->own;
	int word;

	w->is_reversed = value[0] == '-';
	word = cli_option_word(t->self->name, o, value + w->is_reversed);
	w->sort = word < 0 ? 0 : (size_t)word;
	return word < 0 ? word : 0;
}

static int set_count(struct cli_trace *t, const struct cli_option *o, const char *value,
		     uint64_t high, uint32_t *out)
{
	uint64_t n;
	int ret = cli_trace_number(t, o->name, value, high, &n);

	if (ret)
		return ret;
	if (!n) {
		cli_say_misuse(t->self->name, "--%s takes a number from 1 on", o->name);
		return -EINVAL;
	}
	*out = (uint32_t)n;
	return 0;
}

static int set_option(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	struct wanted *w = t->own;

	switch (o->id) {
	case ID_SORT:
		return set_sort(t, o, value);
	case ID_TOP:
		return cli_trace_number(t, o->name, value, UINT64_MAX, &w->top);
	case ID_REGISTERS:
		return set_count(t, o, value, 1 << 24, &w->options.registers);
	default:
		return set_count(t, o, value, 65536, &w->options.values);
	}
}

const char *cli_stat_region(uint32_t region)
{
	static const char *const names[] = { "bar0", "bar1", "bar2",   "bar3", "bar4",
					     "bar5", "rom",  "config", "vga" };

	if (region < sizeof(names) / sizeof(names[0]))
		return names[region];
	return region == NTIME_REGION_PHYSICAL ? "phys" : "region";
}

const char *cli_stat_device(const struct cli_trace_stats *s, uint32_t device)
{
	return device < s->chips.devices ? s->chips.device_name[device] : "-";
}

/* ---- from the trace to rows ---- */

static int read_all(struct cli_trace_stats *s)
{
	struct ntime_trace_batch batch = { 0 };
	int ret;

	while ((ret = cli_trace_input_next(&s->in, &batch)) > 0) {
		ret = cli_chips_learn(&s->chips, &batch);
		if (ret < 0)
			return ret;
		if (ntime_trace_stat_put(s->stat, &batch) < 0) {
			cli_say_no_memory();
			return -ENOMEM;
		}
	}
	return ret;
}

/* Most registers have none: one text for all of them. */
static char no_name[] = "";

static char *name_of(const struct cli_trace_stats *s, const struct ntime_register_stat *r)
{
	/* The narrowest access: a register that is read by halves has two rows. */
	uint32_t width = r->widths & 15 ? r->widths & -r->widths : 4;

	char name[CLI_TRACE_NAME];

	if (r->flags & NTIME_STAT_REST || r->device == NTIME_DEVICE_NONE ||
	    !ntime_decoder_name(s->chips.decoder, r->device, (uint8_t)r->region, r->offset, width,
				name, sizeof(name)))
		return no_name;
	return cli_strdup(name);
}

static int take_row(void *arg, const struct ntime_register_stat *r)
{
	struct cli_trace_stats *s = arg;

	cli_grow(&s->row, s->rows);
	s->row[s->rows] = (struct cli_stat_row){ .r = *r, .name = name_of(s, r) };
	s->rows++;
	return 0;
}

static int take_total(void *arg, const struct ntime_trace_total *total)
{
	struct cli_stat_totals *t = arg;

	cli_grow(&t->total, t->n);
	t->total[t->n++] = *total;
	return 0;
}

/* What qsort(3) cannot be given. */
static const struct wanted *sorting;

static int compare_rows(const void *a, const void *b)
{
	const struct cli_stat_row *x = a, *y = b;
	bool (*is_known)(const struct ntime_register_stat *r) = sorts[sorting->sort].is_known;
	int ret = 0;

	if (is_known)
		ret = falling(is_known(&x->r), is_known(&y->r));
	if (ret)
		return ret;
	if (!is_known || is_known(&x->r))
		ret = sorts[sorting->sort].compare(&x->r, &y->r);
	if (sorting->is_reversed)
		ret = -ret;
	return ret ? ret : by_place(&x->r, &y->r);
}

static int collect(struct cli_trace_stats *s)
{
	const struct wanted *w = s->in.t->own;
	struct ntime_trace_info info = { .size = sizeof(info) };
	int ret = ntime_trace_stat_for_each(s->stat, take_row, s);

	for (uint32_t i = 0; i <= NTIME_TOTAL_THREAD && ret >= 0; i++)
		ret = ntime_trace_stat_totals(s->stat, i, take_total, &s->totals[i]);
	if (ret < 0) {
		cli_say_no_memory();
		return ret;
	}
	if (!ntime_trace_get_info(s->in.trace, &info))
		s->base_ns = info.first_ns;
	sorting = w;
	if (s->rows)
		qsort(s->row, s->rows, sizeof(*s->row), compare_rows);
	s->shown = w->top && w->top < s->rows ? (size_t)w->top : s->rows;
	return 0;
}

static void write_all(struct cli_trace_stats *s, struct cli_output *out)
{
	const struct cli_trace *t = s->in.t;
	struct cli_look look = cli_look_at(out->fd);

	if (t->colour != CLI_TRACE_AUTO)
		look.colour = t->colour == CLI_TRACE_ALWAYS;
	if (t->is_json)
		cli_trace_stat_json(s, out->f);
	else if (t->is_csv)
		cli_trace_stat_csv(s, out->f);
	else
		cli_trace_stat_text(s, out->f, &look);
}

/* Everything between opening and closing. An exit status. */
static int run_with_output(struct cli_trace_stats *s, struct cli_output *out)
{
	int ret = read_all(s);

	/*
	 * What came before a damaged place was counted, and is told; the status says that it is not
	 * all.
	 */
	if (ret < 0 && !s->in.is_told) {
		cli_output_abandon(out);
		return CLI_EXIT_FAILED;
	}
	cli_progress_clear(&s->in.progress.line);
	if (collect(s) < 0 || (ret < 0 && (out->is_whole || !s->rows))) {
		cli_output_abandon(out);
		return CLI_EXIT_FAILED;
	}
	write_all(s, out);
	if (cli_output_close(out))
		return CLI_EXIT_FAILED;
	return cli_trace_input_tell(&s->in) || ret < 0 ? CLI_EXIT_FAILED : 0;
}

static int run_with_input(struct cli_trace_stats *s)
{
	struct cli_trace *t = s->in.t;
	struct wanted *w = t->own;
	struct cli_output out;
	int ret;

	w->options.size = sizeof(w->options);
	ret = ntime_trace_stat_new(t->ctx, &w->options, &s->stat);
	if (ret < 0)
		return cli_trace_say(t->ctx, ret);
	if (cli_output_open(&out, t->output ? t->output : "-", false))
		return CLI_EXIT_FAILED;
	return run_with_output(s, &out);
}

static int run(struct cli_trace *t)
{
	struct cli_trace_stats s = { .rows = 0 };
	const char *path = cli_trace_operand(t, 0);
	int ret = CLI_EXIT_FAILED;

	if (!path || cli_trace_names(t) || cli_trace_input_open(&s.in, t, path, 0))
		return CLI_EXIT_FAILED;
	if (!cli_chips_init(&s.chips, &s.in)) {
		ret = run_with_input(&s);
		cli_chips_fini(&s.chips);
	}
	for (size_t i = 0; i < s.rows; i++)
		if (s.row[i].name != no_name)
			free(s.row[i].name);
	free(s.row);
	for (int i = 0; i <= NTIME_TOTAL_THREAD; i++)
		free(s.totals[i].total);
	ntime_trace_stat_free(s.stat);
	cli_trace_input_close(&s.in);
	return ret;
}

const struct cli_trace_action cli_trace_stat = {
	.name = "stat",
	.usage = "[OPTION...] [FILE]",
	.about = "count the accesses to each register",
	.details = "Of each register: reads and writes, different values, bits that changed, first "
		   "and last value, time between accesses, and totals of devices, regions and "
		   "threads. A terminal shows as many columns as fit; --csv and --json have all.",
	.groups = CLI_TRACE_READS | CLI_TRACE_FOLLOWS | CLI_TRACE_OUTPUT | CLI_TRACE_CSV |
		  CLI_TRACE_JSON | CLI_TRACE_COLOUR,
	.max = 1,
	.options = options,
	.set = set_option,
	.own_bytes = sizeof(struct wanted),
	.run = run,
};
