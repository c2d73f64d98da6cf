// SPDX-License-Identifier: MIT
/* The command line of ntime export. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/command/options.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/output/say.h"
#include "count/cli/export/options.h"
#include "count/cli/shared/machine.h"

#define ONCE_NS 1000000000u
#define TEXTFILE_NS 15000000000u
#define MIN_INTERVAL_NS 1000000u
#define MAX_SERIES 50000u

enum { ID_PER = 256, ID_VIA, ID_MAX_SERIES, ID_LISTEN, ID_DEPTH };

#define TEXT(member) CLI_TEXT(struct cli_export_options, member)
#define FLAG(member) CLI_FLAG(struct cli_export_options, member)

const struct cli_option cli_export_option_table[] = {
	{ 'e', "event", "LIST",
	  "events, {groups} and metrics, separated by commas; of metrics their events are "
	  "exported; may be repeated" },
	{ 'm', "metric", "METRIC",
	  "a metric by name, or a new one as NAME=FORMULA, as a gauge for the time since the "
	  "answer before; may be repeated" },
	{ 0, "metrics", "FILE", "read further metrics from FILE", TEXT(metrics) },
	{ ID_LISTEN, "listen", "ADDRESS",
	  "serve at ADDRESS, as in [::1]:9743 or unix:PATH, instead of " CLI_LISTEN_DEFAULT
	  "; may be repeated" },
	{ 0, "textfile", "FILE",
	  "write FILE again and again, for node_exporter; it is removed at the end",
	  TEXT(textfile) },
	{ 'i', "interval", "TIME",
	  "of --textfile the time between two writes, default 15; of --once for how long it "
	  "counts, default 1" },
	{ 0, "once", NULL,
	  "count, print the text once and end; with --textfile write FILE once and leave it",
	  FLAG(is_once) },
	{ 0, "check", NULL, "print what would be exported and what it costs", FLAG(is_check) },
	{ 0, "rules", NULL, "print ntime's metrics as recording rules of Prometheus and end",
	  FLAG(is_rules) },
	{ ID_PER, "per", "WHAT",
	  "sums per socket, core or thread; none: of all; default: as far as each event divides",
	  .word = cli_per_export_word },
	{ 'C', "cpu", "LIST", "count on these CPUs, such as 0-3,8, instead of all", TEXT(cpus) },
	{ ID_VIA, "via", NTIME_VIA_NAMES, "access method", .word = cli_via_word },
	{ 0, "bounds", NULL,
	  "also both ends of the intervals of estimates, as ..._lower_total and ..._upper_total",
	  FLAG(has_bounds) },
	{ 0, "cgroups", "LIST",
	  "also what control groups use, and those below them: paths or patterns below "
	  "/sys/fs/cgroup, such as system.slice; / is all",
	  TEXT(cgroups) },
	{ ID_DEPTH, "depth", "N", "with --cgroups: so many levels below each, default 1" },
	{ ID_MAX_SERIES, "max-series", "N",
	  "refuse more than N series of events and groups, default 50000" },
	{ 0, "machine", "FILE", "a recorded machine instead of this one; it counts nothing",
	  TEXT(machine) },
	{ 0, "no-self-test", NULL, "do not test counters when they are first used on this boot",
	  FLAG(no_self_test) },
	{ 0, "model", "SOCKET",
	  "export a graphics card that is a model too: gpu0; its values are simulated",
	  TEXT(model) },
	{ 0, "context", "NAME",
	  "count events of the card's multiprocessors in this context of a program",
	  TEXT(context) },
	{ 'q', "quiet", NULL, "no explanations", FLAG(is_quiet) },
	{ 'v', "verbose", NULL, "print why events are absent; twice: also the library's decisions",
	  CLI_COUNT(struct cli_export_options, verbose) },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

#define misuse(...) cli_misuse("export", __VA_ARGS__)

static int set_option(void *arg, const struct cli_option *option, const char *value)
{
	struct cli_export_options *o = arg;
	int word;

	if (cli_option_store(option, o, value))
		return 0;
	switch (option->id) {
	case 'e':
		return cli_watch_wish_add("export", &o->wish, &o->wishes, CLI_WISH_LIST, value);
	case 'm':
		return cli_watch_wish_add("export", &o->metric, &o->metric_count, CLI_WISH_METRIC,
					  value);
	case 'i':
		return cli_option_time("export", option, value, MIN_INTERVAL_NS, &o->interval_ns);
	case ID_PER:
		word = cli_option_word("export", option, value);
		o->per = word < 0 ? CLI_PER_CHOSEN : CLI_PER_SOCKET + (enum cli_per)word;
		return word < 0 ? word : 0;
	case ID_LISTEN:
		if (o->listens == CLI_LISTEN_MAX)
			return misuse("--listen may be repeated %d times", CLI_LISTEN_MAX);
		o->listen[o->listens++] = value;
		return 0;
	case ID_VIA:
		return cli_option_via("export", value, &o->via);
	case ID_DEPTH:
		o->has_depth = true;
		if (cli_number_parse(value, 0, 100, &o->depth))
			return misuse("--depth '%s' is not a number of levels: write 0 to 100",
				      value);
		return 0;
	default:
		if (cli_number_parse(value, 1, UINT32_MAX, &o->max_series))
			return misuse("--max-series '%s' is not a number of series: write 1 or "
				      "more",
				      value);
		return 0;
	}
}

static const char *contradiction(const struct cli_export_options *o)
{
	if (o->is_check && (o->is_once || o->textfile || o->listens))
		return "--check exports nothing: leave out --once, --textfile and --listen";
	if (o->is_rules &&
	    (o->is_check || o->is_once || o->textfile || o->listens || o->wishes ||
	     o->metric_count || o->per || o->cgroups || o->cpus || o->via || o->interval_ns ||
	     o->has_bounds || o->context || o->no_self_test || o->max_series != MAX_SERIES))
		return "--rules prints rules for all metrics: of the rest only --metrics, "
		       "--machine and --model go with it";
	if (o->listens && (o->is_once || o->textfile))
		return "--listen serves until it is stopped: leave out --once and --textfile";
	if (o->interval_ns && !o->is_once && !o->textfile)
		return "-i is for --once and --textfile; who collects from a server chooses the "
		       "time";
	if (o->textfile && (!*o->textfile || strcmp(o->textfile, "-") == 0))
		return "--textfile needs the name of a file; standard output is --once";
	if (o->has_depth && !o->cgroups)
		return "--depth is of control groups: add --cgroups LIST";
	if (o->is_quiet && o->verbose)
		return "-q and -v cannot be combined";
	return NULL;
}

int cli_export_options_parse(struct cli_export_options *o, const struct cli_command *self, int argc,
			     char **argv)
{
	const char *wrong;
	int ret, i;

	*o = (struct cli_export_options){ .max_series = MAX_SERIES, .depth = 1 };
	ret = cli_options_parse(self, argc, argv, set_option, o);
	if (ret < 0)
		return ret;
	for (i = ret; i < argc; i++) {
		ret = cli_watch_wish_add("export", &o->wish, &o->wishes, CLI_WISH_OPERAND, argv[i]);
		if (ret < 0)
			return ret;
	}
	wrong = contradiction(o);
	if (wrong)
		return misuse("%s", wrong);
	if (!o->interval_ns)
		o->interval_ns = o->textfile && !o->is_once ? TEXTFILE_NS : ONCE_NS;
	if (!o->listens)
		o->listen[o->listens++] = CLI_LISTEN_DEFAULT;
	return 0;
}

void cli_export_options_fini(struct cli_export_options *o)
{
	free(o->wish);
	free(o->metric);
	*o = (struct cli_export_options){ 0 };
}
