// SPDX-License-Identifier: MIT
/* ntime trace cost: how much tracing slowed down what was traced. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/csv.h"
#include "base/output/json.h"
#include "base/output/number.h"
#include "base/command/options.h"
#include "base/output/file.h"
#include "base/output/say.h"
#include "base/command/confine.h"
#include "trace/cli/cost.h"
#include "trace/cli/pair.h"

#define DEFAULT_PAIRS 5

enum {
	ID_WITH = CLI_TRACE_OWN,
	ID_WITHOUT,
	ID_LOG,
	ID_TRACED,
	ID_UNTRACED,
};

static const struct cli_option options[] = {
	{ 'r', "repeat", "N", "run COMMAND N times with tracing and N times without (5)" },
	{ ID_WITH, "with", "ARGS",
	  "arguments that enable tracing; they replace {} in COMMAND, or are appended" },
	{ ID_WITHOUT, "without", "ARGS", "arguments of runs without tracing" },
	{ ID_LOG, "log", "FILE",
	  "trace file of a traced run: its accesses are counted, for the cost of one" },
	{ ID_TRACED, "traced", "TIME,...", "how long runs with tracing took" },
	{ ID_UNTRACED, "untraced", "TIME,...", "how long runs without tracing took" },
	CLI_OPTION_END,
};

/* What is asked for besides the common options. */
struct wanted {
	struct cli_cost_live live;
	bool is_live, is_told;
	struct cli_cost_runs with, without;
};

/* "1.5,1.6,1.55" */
static int set_times(struct cli_trace *t, struct cli_cost_runs *runs, const char *option,
		     const char *value)
{
	char word[64];

	for (const char *p = value;; p++) {
		size_t n = strcspn(p, ",");

		snprintf(word, sizeof(word), "%.*s", (int)n, p);
		if (runs->n == CLI_COST_RUNS) {
			cli_say_misuse(t->self->name, "--%s takes %d times at most", option,
				       CLI_COST_RUNS);
			return -EINVAL;
		}
		if (n >= sizeof(word) || cli_time_parse(word, &runs->ns[runs->n])) {
			cli_say_misuse(
				t->self->name,
				"--%s takes times separated by commas, such as 1.5,1.62s, not '%s'",
				option, value);
			return -EINVAL;
		}
		runs->n++;
		p += n;
		if (!*p)
			return 0;
	}
}

static int set_pairs(struct cli_trace *t, struct wanted *w, const char *value)
{
	uint64_t n = 0;

	if (cli_number_parse(value, 2, CLI_COST_RUNS, &n)) {
		cli_say_misuse(t->self->name,
			       "--repeat takes a number from 2 to %d, not '%s': a single run does "
			       "not show how much runs vary",
			       CLI_COST_RUNS, value);
		return -EINVAL;
	}
	w->live.pairs = (size_t)n;
	w->is_live = true;
	return 0;
}

static int set_option(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	struct wanted *w = t->own;

	switch (o->id) {
	case 'r':
		return set_pairs(t, w, value);
	case ID_WITH:
		w->live.with = value;
		w->is_live = true;
		return 0;
	case ID_WITHOUT:
		w->live.without = value;
		w->is_live = true;
		return 0;
	case ID_LOG:
		w->live.log = value;
		return 0;
	case ID_TRACED:
		w->is_told = true;
		return set_times(t, &w->with, o->name, value);
	default:
		w->is_told = true;
		return set_times(t, &w->without, o->name, value);
	}
}

/* ---- results ---- */

static void put_time(FILE *f, const struct cli_look *look, double ns)
{
	double size = ns < 0 ? -ns : ns;
	const char *unit = "ns";
	struct cli_number number;

	/* One access takes less than what times of runs are told in. */
	if (size < 1000)
		number = cli_number_grouped(size, size < 10 && size > 0 ? 1 : 0);
	else
		number = cli_number_value(size, "ns", look->utf8, &unit);

	fprintf(f, "%s%s %s", ns < 0 ? "-" : "", number.text, unit);
}

static void put_runs(FILE *f, const struct cli_look *look, const char *title, double ns,
		     double spread_ns, uint64_t runs)
{
	fprintf(f, "%-16s ", title);
	put_time(f, look, ns);
	if (runs > 1) {
		fprintf(f, "  (median of %s, spread ", cli_number_count(runs).text);
		put_time(f, look, spread_ns);
		putc(')', f);
	}
	putc('\n', f);
}

static void put_access(FILE *f, const struct cli_look *look, const struct ntime_trace_cost *c)
{
	fprintf(f, "%-16s ", "per access");
	put_time(f, look, c->access_ns);
	fputs("  (", f);
	put_time(f, look, c->access_low_ns);
	fputs(" to ", f);
	put_time(f, look, c->access_high_ns);
	fprintf(f, ", %s more access%s", cli_number_count(c->accesses).text,
		c->accesses == 1 ? "" : "es");
	if (c->pieces)
		fprintf(f, " in %s place%s", cli_number_count(c->pieces).text,
			c->pieces == 1 ? "" : "s");
	fputs(")\n", f);
}

static void write_text(FILE *f, const struct cli_look *look, const struct ntime_trace_cost *c)
{
	put_runs(f, look, "with tracing", c->with_ns, c->with_spread_ns, c->with_runs);
	put_runs(f, look, "without", c->without_ns, c->without_spread_ns, c->without_runs);
	fprintf(f, "%-16s ", "cost");
	put_time(f, look, c->cost_ns);
	if (c->ratio > 0)
		fprintf(f, "  (%s times as long)", cli_number_short(c->ratio).text);
	putc('\n', f);
	if (c->flags & NTIME_COST_PER_ACCESS)
		put_access(f, look, c);
	if (c->flags & NTIME_COST_WITHIN_SPREAD)
		fputs("the difference is within the spread: the cost of tracing is not known\n", f);
}

#define AT(member, kind) CLI_OF(struct ntime_trace_cost, member, kind)
#define ACCESS CLI_IF(struct ntime_trace_cost, flags, NTIME_COST_PER_ACCESS)
#define COST_COLUMNS(X)                                                                            \
	X(WITH_RUNS, "with_runs", "with.runs", AT(with_runs, COUNT))                               \
	X(WITHOUT_RUNS, "without_runs", "without.runs", AT(without_runs, COUNT))                   \
	X(WITH_NS, "with_ns", "with.median_ns", AT(with_ns, NS))                                   \
	X(WITHOUT_NS, "without_ns", "without.median_ns", AT(without_ns, NS))                       \
	X(WITH_SPREAD_NS, "with_spread_ns", "with.spread_ns", AT(with_spread_ns, NS))              \
	X(WITHOUT_SPREAD_NS, "without_spread_ns", "without.spread_ns", AT(without_spread_ns, NS))  \
	X(COST_NS, "cost_ns", AT(cost_ns, NS))                                                     \
	X(RATIO, "ratio", AT(ratio, REAL), .flags = CLI_COLUMN_SET)                                \
	X(ACCESSES, "accesses", AT(accesses, COUNT), .flags = CLI_COLUMN_SET)                      \
	X(ACCESS_NS, "access_ns", AT(access_ns, NS), ACCESS)                                       \
	X(ACCESS_LOW_NS, "access_low_ns", AT(access_low_ns, NS), ACCESS)                           \
	X(ACCESS_HIGH_NS, "access_high_ns", AT(access_high_ns, NS), ACCESS)                        \
	X(WITHIN_SPREAD, "within_spread", AT(flags, BOOL), .if_flag = NTIME_COST_WITHIN_SPREAD)

enum { COST_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { COST_COLUMNS(CLI_COLUMN_ROW) };
static const struct cli_columns cost_columns = {
	.column = columns,
	.n = COLUMNS,
	.has_nulls = true,
};

static void fill(struct cli_cell *cell, const struct ntime_trace_cost *c)
{
	cli_cells_fill(cell, &cost_columns, c);
	/* A single run tells nothing of how much they vary. */
	if (c->with_runs <= 1)
		cell[WITH_SPREAD_NS].kind = CLI_CELL_NONE;
	if (c->without_runs <= 1)
		cell[WITHOUT_SPREAD_NS].kind = CLI_CELL_NONE;
}

static void write_csv(FILE *f, const struct ntime_trace_cost *c)
{
	struct cli_cell cell[COLUMNS];

	fill(cell, c);
	cli_csv_head(f, &cost_columns);
	cli_csv_row(f, &cost_columns, cell);
}

static void write_json(FILE *f, const struct ntime_trace_cost *c)
{
	struct cli_cell cell[COLUMNS];
	json_t *root = cli_json_head(ntime_trace_version());

	fill(cell, c);
	cli_json_put_row(root, &cost_columns, cell);
	cli_json_write(f, root, 1);
}

static int write_cost(struct cli_trace *t, const struct ntime_trace_cost *c)
{
	struct cli_output out;
	struct cli_look look;

	if (cli_output_open(&out, t->output ? t->output : "-", false))
		return CLI_EXIT_FAILED;
	look = cli_look_at(out.fd);
	if (t->is_json)
		write_json(out.f, c);
	else if (t->is_csv)
		write_csv(out.f, c);
	else
		write_text(out.f, &look, c);
	return cli_output_close(&out) ? CLI_EXIT_FAILED : 0;
}

/* ---- the three ways ---- */

static int cost_of_runs(struct cli_trace *t, uint64_t accesses)
{
	struct wanted *w = t->own;
	struct ntime_trace_cost cost = { .size = sizeof(cost) };
	int ret = ntime_trace_cost_runs(t->ctx, w->with.ns, w->with.n, w->without.ns, w->without.n,
					accesses, &cost);

	return ret < 0 ? cli_trace_say(t->ctx, ret) : write_cost(t, &cost);
}

static int run_told(struct cli_trace *t)
{
	struct wanted *w = t->own;
	uint64_t accesses = 0;

	if (t->n)
		return cli_say_misuse(t->self->name,
				      "--traced and --untraced replace traces and a command; for "
				      "the number of accesses use --log FILE");
	if (w->live.log && cli_cost_count(t, w->live.log, &accesses))
		return CLI_EXIT_FAILED;
	return cost_of_runs(t, accesses);
}

static int compare_counts(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *count, size_t n)
{
	qsort(count, n, sizeof(*count), compare_counts);
	return n ? count[n / 2] : 0;
}

static int run_live(struct cli_trace *t)
{
	struct wanted *w = t->own;
	uint64_t with, without;

	if (!t->n)
		return cli_say_misuse(t->self->name, "name the COMMAND to run, after --");
	if (!w->live.with && !w->live.without)
		return cli_say_misuse(t->self->name,
				      "give the arguments that enable tracing with --with ARGS, or "
				      "those that disable it with --without ARGS");
	w->live.command = t->operand;
	if (!w->live.pairs)
		w->live.pairs = DEFAULT_PAIRS;
	if (cli_cost_run(t, &w->live, &w->with, &w->without))
		return CLI_EXIT_FAILED;
	with = median(w->with.accesses, w->with.n);
	without = median(w->without.accesses, w->without.n);
	if (w->live.log && with <= without && !t->is_quiet)
		cli_say("%s has no more accesses with tracing than without, so the cost of one is "
			"not known",
			w->live.log);
	return cost_of_runs(t, with > without ? with - without : 0);
}

static int run_logs(struct cli_trace *t)
{
	struct ntime_trace_diff_options o = {
		.size = sizeof(o), .flags = NTIME_DIFF_STRICT | NTIME_DIFF_IGNORE_READ_VALUES
	};
	struct ntime_trace_cost cost = { .size = sizeof(cost) };
	struct cli_trace_pair pair;
	int ret = CLI_EXIT_FAILED, error;

	cli_confine(t->verbose);
	if (t->n != 2)
		return cli_say_misuse(t->self->name,
				      "'cost' takes two traces with times, or --with ARGS and a "
				      "COMMAND, or --traced and --untraced");
	if (!cli_pair_read(&pair, t, &o)) {
		error = ntime_trace_cost_logs(pair.diff, &cost);
		ret = error < 0 ? cli_trace_say(t->ctx, error) : write_cost(t, &cost);
		if (!ret)
			cli_pair_tell(&pair);
	}
	cli_pair_fini(&pair);
	return ret;
}

static int run(struct cli_trace *t)
{
	const struct wanted *w = t->own;

	if (w->is_live && w->is_told)
		return cli_say_misuse(t->self->name,
				      "--traced and --untraced cannot be combined with runs of a "
				      "command");
	if (w->is_told)
		return run_told(t);
	return w->is_live ? run_live(t) : run_logs(t);
}

const struct cli_trace_action cli_trace_cost = {
	.name = "cost",
	.usage = "[OPTION...] MORE LESS\n"
		 "[OPTION...] --with ARGS [--log FILE] -- COMMAND [ARG...]\n"
		 "[OPTION...] --traced TIME,... --untraced TIME,... [--log FILE]",
	.about = "measure how much tracing slowed down the traced program",
	.details = "Two traces with times of the same work, of which the first has more accesses, "
		   "are aligned: between two accesses of both traces, the additional time of the "
		   "first is the cost of its additional accesses. A COMMAND is run with and "
		   "without tracing, alternately; its output goes to standard error. A difference "
		   "within the spread is reported as such.",
	.groups = CLI_TRACE_READS | CLI_TRACE_OUTPUT | CLI_TRACE_CSV | CLI_TRACE_JSON,
	.max = -1,
	.options = options,
	.set = set_option,
	.uses_machine = true,
	.own_bytes = sizeof(struct wanted),
	.run = run,
};
