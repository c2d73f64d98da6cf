// SPDX-License-Identifier: MIT
/* The command line of ntime watch. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/session.h>

#include "base/output/number.h"
#include "base/command/options.h"
#include "count/cli/shared/machine.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "count/cli/watch/options.h"

#define INTERVAL_NS 1000000000u
/* A ring of 1024 frames is looked at before it has turned round, up to 10,000 frames a second. */
#define FRAMES_INTERVAL_NS 100000000u
#define MIN_INTERVAL_NS 1000000u
#define MAX_SAMPLES 1000000000000u

enum {
	ID_METRICS = 256,
	ID_PER,
	ID_VIA,
	ID_PLAIN,
	ID_CSV,
	ID_JSON,
	ID_MACHINE,
	ID_MODEL,
};

#define TEXT(member) CLI_TEXT(struct cli_watch_options, member)
#define COUNT(member) CLI_COUNT(struct cli_watch_options, member)
#define FLAG(member) CLI_FLAG(struct cli_watch_options, member)

/* What people know from watch(1) and perf stat. */
const struct cli_foreign cli_watch_foreign[] = {
	{ "I", "the time between samples is -i TIME, such as -i 100ms" },
	{ "A", "CPU by CPU is --per thread", "per", "thread" },
	{ "no-aggr", "CPU by CPU is --per thread", "per", "thread" },
	{ "a", "all CPUs are watched; one row for all is --per none" },
	{ "d", "counts instead of rates: the key d" },
	{ NULL, NULL },
};

const struct cli_option cli_watch_option_table[] = {
	{ 'e', "event", "LIST",
	  "events, {groups} and metrics to watch, separated by commas; may be repeated" },
	{ 'm', "metric", "METRIC",
	  "a metric by name, or a new one as NAME=FORMULA or NAME[unit]=FORMULA; may be repeated" },
	{ ID_METRICS, "metrics", "FILE", "read further metrics from FILE", TEXT(metrics) },
	{ 'i', "interval", "TIME",
	  "seconds between samples, or as in 10ms; at least 1ms, default 1; with --frames 0.1" },
	{ 'n', "samples", "N", "end after N samples" },
	{ ID_PER, "per", "WHAT",
	  "a row per socket, core or thread; none: one row for all; cgroup, unit, process: who "
	  "uses "
	  "the machine",
	  .word = cli_per_watch_word },
	{ 'C', "cpu", "LIST", "watch these CPUs, such as 0-3,8, instead of all", TEXT(cpus) },
	{ ID_VIA, "via", NTIME_VIA_NAMES, "access method", .word = cli_via_word },
	{ ID_PLAIN, "plain", NULL, "print lines, also on a terminal" },
	{ ID_CSV, "csv", NULL, "write comma-separated values" },
	{ ID_JSON, "json", NULL, "write JSON, one object per line" },
	{ 'o', "output", "FILE", "write to FILE, each line without delay; SIGHUP opens it anew",
	  TEXT(output) },
	{ 0, "append", NULL, "with -o: add to the end of FILE", FLAG(is_append) },
	{ 0, "clear-log", NULL, "first clear the log bits of the thermal status registers",
	  FLAG(clears_log) },
	{ 0, "no-self-test", NULL, "do not test counters when they are first used on this boot",
	  FLAG(no_self_test) },
	{ 0, "frames", "FILE",
	  "show the frames that another process stores there, as ntime stat --frames does",
	  TEXT(frames) },
	{ ID_MACHINE, "machine", "FILE",
	  "a recorded machine instead of this one; it counts nothing", TEXT(machine) },
	{ ID_MODEL, "model", "SOCKET",
	  "watch a graphics card that is a model too: gpu0; its values are simulated",
	  TEXT(model) },
	{ 0, "context", "NAME",
	  "count events of the card's multiprocessors in this context of a program",
	  TEXT(context) },
	{ 'q', "quiet", NULL, "no explanations", FLAG(is_quiet) },
	{ 'v', "verbose", NULL,
	  "print how each item is counted, and why others are not; twice: also the library's "
	  "decisions",
	  COUNT(verbose) },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

#define misuse(...) cli_misuse("watch", __VA_ARGS__)

int cli_watch_wish_add(const char *command, struct cli_watch_wish **wish, size_t *n, int kind,
		       const char *text)
{
	if (!*text)
		return cli_misuse(command, "an event, metric or group is missing in '%s'", text);
	cli_grow(wish, *n);
	(*wish)[*n].kind = kind;
	(*wish)[(*n)++].text = text;
	return 0;
}

static int set_per(struct cli_watch_options *o, const struct cli_option *option, const char *value)
{
	int word = cli_option_word("watch", option, value);

	o->per = word < 0 ? CLI_PER_CHOSEN : CLI_PER_SOCKET + (enum cli_per)word;
	return word < 0 ? word : 0;
}

static int set_form(struct cli_watch_options *o, enum cli_watch_form form)
{
	if (o->form != CLI_WATCH_SCREEN && o->form != form)
		return misuse("--plain, --csv and --json cannot be combined");
	o->form = form;
	return 0;
}

static int set_option(void *arg, const struct cli_option *option, const char *value)
{
	struct cli_watch_options *o = arg;

	if (cli_option_store(option, o, value))
		return 0;
	switch (option->id) {
	case 'e':
		return cli_watch_wish_add("watch", &o->wish, &o->wishes, CLI_WISH_LIST, value);
	case 'm':
		return cli_watch_wish_add("watch", &o->wish, &o->wishes, CLI_WISH_METRIC, value);
	case 'i':
		return cli_option_time("watch", option, value, MIN_INTERVAL_NS, &o->interval_ns);
	case 'n':
		if (cli_number_parse(value, 1, MAX_SAMPLES, &o->samples))
			return misuse("-n '%s' is not a number of samples: write 1 or more (the "
				      "time between them is -i)",
				      value);
		return 0;
	case ID_PER:
		return set_per(o, option, value);
	case ID_VIA:
		return cli_option_via("watch", value, &o->via);
	case ID_PLAIN:
		return set_form(o, CLI_WATCH_PLAIN);
	case ID_CSV:
		return set_form(o, CLI_WATCH_CSV);
	default:
		return set_form(o, CLI_WATCH_JSON);
	}
}

/* Options that contradict each other. */
static const char *contradiction(const struct cli_watch_options *o)
{
	if (o->frames && (o->wishes || o->cpus || o->per || o->via || o->machine || o->model ||
			  o->context || o->metrics || o->clears_log || o->no_self_test))
		return "--frames shows what its ring has: leave out what is to be counted, and how";
	if (o->per >= CLI_PER_CGROUP && (o->wishes || o->cpus || o->via || o->machine || o->model ||
					 o->context || o->metrics || o->clears_log))
		return "--per cgroup, unit and process show what the kernel tells of each: leave "
		       "out what is to be counted, and how";
	if (o->output && !*o->output)
		return "-o needs the name of a file";
	if (o->is_append && (!o->output || strcmp(o->output, "-") == 0))
		return "--append needs -o FILE";
	if (o->is_quiet && o->verbose)
		return "-q and -v cannot be combined";
	if (o->clears_log && o->machine)
		return "--clear-log clears registers of this machine: leave out --machine";
	return NULL;
}

int cli_watch_options_parse(struct cli_watch_options *o, const struct cli_command *self, int argc,
			    char **argv)
{
	const char *wrong;
	int ret, i;

	*o = (struct cli_watch_options){ .interval_ns = 0 };
	ret = cli_options_parse(self, argc, argv, set_option, o);
	if (ret < 0)
		return ret;
	for (i = ret; i < argc; i++) {
		ret = cli_watch_wish_add("watch", &o->wish, &o->wishes, CLI_WISH_OPERAND, argv[i]);
		if (ret < 0)
			return ret;
	}
	if (!o->interval_ns)
		o->interval_ns = o->frames ? FRAMES_INTERVAL_NS : INTERVAL_NS;
	wrong = contradiction(o);
	return wrong ? misuse("%s", wrong) : 0;
}

void cli_watch_options_fini(struct cli_watch_options *o)
{
	free(o->wish);
	*o = (struct cli_watch_options){ 0 };
}
