// SPDX-License-Identifier: MIT
/*
 * ntime trace diff: what the second of two traces does that the first does not, and the other way
 * round.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/command/options.h"
#include "base/output/file.h"
#include "base/output/say.h"
#include "trace/cli/diff.h"

#define DEFAULT_CONTEXT 3

enum {
	ID_STRICT = CLI_TRACE_OWN,
	ID_IGNORE_VALUES,
	ID_IGNORE_READ_VALUES,
	ID_MINUS_STARTUP,
	ID_MEMORY,
};

static const struct cli_option options[] = {
	{ 'U', "context", "N", "show N accesses around each difference (3; 0 with --csv, --json)" },
	{ ID_STRICT, "strict", NULL, "compare the number of polls too" },
	{ ID_IGNORE_VALUES, "ignore-values", NULL, "ignore values, written or read" },
	{ ID_IGNORE_READ_VALUES, "ignore-read-values", NULL, "ignore values that were read" },
	{ ID_MINUS_STARTUP, "minus-startup", NULL,
	  "show A without the common beginning, and without every access that B has too" },
	{ ID_MEMORY, "memory", "MIB", "use up to MIB MiB of memory for the accesses (1024)" },
	CLI_OPTION_END,
};

/* What is asked for besides the common options. */
struct wanted {
	struct ntime_trace_diff_options options;
	bool has_context, is_minus;
};

static int set_context(struct cli_trace *t, struct wanted *w, const char *value)
{
	uint64_t n;

	if (cli_trace_number(t, "context", value, UINT32_MAX, &n))
		return -EINVAL;
	w->options.context = (uint32_t)n;
	w->has_context = true;
	return 0;
}

static int set_memory(struct cli_trace *t, struct wanted *w, const char *value)
{
	uint64_t n;

	if (cli_trace_number(t, "memory", value, UINT64_MAX >> 20, &n))
		return -EINVAL;
	if (!n) {
		cli_say_misuse(t->self->name, "--memory takes a number from 1 on");
		return -EINVAL;
	}
	w->options.memory_bytes = n << 20;
	return 0;
}

static int set_option(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	struct wanted *w = t->own;

	switch (o->id) {
	case 'U':
		return set_context(t, w, value);
	case ID_MEMORY:
		return set_memory(t, w, value);
	case ID_STRICT:
		w->options.flags |= NTIME_DIFF_STRICT;
		return 0;
	case ID_IGNORE_VALUES:
		w->options.flags |= NTIME_DIFF_IGNORE_VALUES;
		return 0;
	case ID_IGNORE_READ_VALUES:
		w->options.flags |= NTIME_DIFF_IGNORE_READ_VALUES;
		return 0;
	default:
		w->is_minus = true;
		return 0;
	}
}

/* 1, 0 or negative after a sentence. */
static int compare(struct cli_trace_differences *d)
{
	struct cli_trace *t = d->pair.t;
	struct ntime_trace_diff_summary sum = { .size = sizeof(sum) };
	int (*fn)(void *arg, const struct ntime_trace_change *change) =
		t->is_json  ? cli_trace_diff_json
		: t->is_csv ? cli_trace_diff_csv
			    : cli_trace_diff_text;
	int ret;

	cli_trace_diff_begin(d);
	ret = d->is_minus ? ntime_trace_diff_minus(d->pair.diff, fn, d, &sum)
			  : ntime_trace_diff_run(d->pair.diff, fn, d, &sum);
	if (ret >= 0)
		cli_trace_diff_end(d, &sum);
	else if (!ferror(d->f))
		cli_trace_say(t->ctx, ret);
	return ret;
}

static int run_with_output(struct cli_trace_differences *d, struct cli_output *out)
{
	int ret;

	d->f = out->f;
	d->look = cli_look_at(out->fd);
	if (d->pair.t->colour != CLI_TRACE_AUTO)
		d->look.colour = d->pair.t->colour == CLI_TRACE_ALWAYS;
	ret = compare(d);
	/* What could not be written is told when the output is closed. */
	if (ret < 0 && !ferror(out->f)) {
		cli_output_abandon(out);
		return CLI_EXIT_FAILED;
	}
	if (cli_output_close(out) || ret < 0)
		return CLI_EXIT_FAILED;
	cli_pair_tell(&d->pair);
	return ret;
}

static int run(struct cli_trace *t)
{
	struct cli_trace_differences d = { .n = 0 };
	struct wanted *w = t->own;
	struct cli_output out;
	int ret = CLI_EXIT_FAILED;

	w->options.size = sizeof(w->options);
	if (!w->has_context && !t->is_csv && !t->is_json)
		w->options.context = DEFAULT_CONTEXT;
	d.is_minus = w->is_minus;
	if (!cli_pair_read(&d.pair, t, &w->options) &&
	    !cli_output_open(&out, t->output ? t->output : "-", false))
		ret = run_with_output(&d, &out);
	cli_lines_free(d.lines[0]);
	cli_lines_free(d.lines[1]);
	cli_pair_fini(&d.pair);
	return ret;
}

const struct cli_trace_action cli_trace_diff = {
	.name = "diff",
	.usage = "[OPTION...] A B",
	.about = "compare what two traces do",
	.details = "Accesses are the same when device, region, offset, width, direction and value "
		   "are. Lines begin with - (only in A), + (only in B), ~ (the same access in the "
		   "same place with another value, read or written) or a blank (in both); all but "
		   "the last are differences. Polling loops count once. Devices are paired by "
		   "name, by address, or because each trace has only one.\nExit status: 0 no "
		   "difference, 1 differences, 125 when ntime failed.",
	.groups = CLI_TRACE_READS | CLI_TRACE_OUTPUT | CLI_TRACE_CSV | CLI_TRACE_JSON |
		  CLI_TRACE_COLOUR,
	.min = 2,
	.max = 2,
	.options = options,
	.set = set_option,
	.own_bytes = sizeof(struct wanted),
	.run = run,
};
