// SPDX-License-Identifier: MIT
/* The command line of ntime stat. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/session.h>

#include "base/output/number.h"
#include "base/command/options.h"
#include "count/cli/shared/machine.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "count/cli/report/format.h"
#include "count/cli/stat/options.h"

#define MAX_RUNS 1000000
#define MAX_PIDS 1024
#define MIN_INTERVAL_NS 1000000u

enum {
	ID_SHOW_OUTPUT = 256,
	ID_CSV,
	ID_JSON,
	ID_TIMEOUT,
	ID_DELAY,
	ID_VIA,
	ID_PER,
};

#define COUNT(member) CLI_COUNT(struct cli_stat_options, member)
#define FLAG(member) CLI_FLAG(struct cli_stat_options, member)
#define TEXT(member) CLI_TEXT(struct cli_stat_options, member)

const struct cli_option cli_stat_option_table[] = {
	{ 'e', "event", "LIST",
	  "events, {groups} and metrics to count, separated by commas; may be repeated" },
	{ 'm', "metric", "METRIC",
	  "a metric by name, or a new one as NAME=FORMULA or NAME[unit]=FORMULA; may be repeated" },
	{ 0, "metrics", "FILE", "read further metrics from FILE", TEXT(metrics) },
	{ 'r', "repeat", "N",
	  "run the command N times; print mean, median, range and the mean's 95 % interval" },
	{ ID_SHOW_OUTPUT, "show-output", NULL,
	  "with -r: let the command read and write as ntime does, in each run" },
	{ 'I', "interval", "TIME", "also print the counts of each interval of TIME, live" },
	{ 'a', "all-cpus", NULL, "count everything on all CPUs", FLAG(all_cpus) },
	{ 'C', "cpu", "LIST", "count everything on these CPUs, such as 0-3,8", TEXT(cpus) },
	{ ID_PER, "per", "socket|core|thread|function",
	  "with -a or -C: also print what each socket, core or CPU counted; with --via emulator: "
	  "each function",
	  .word = cli_per_stat_word },
	{ 'p', "pid", "PID[,PID...]", "attach to all threads of running processes" },
	{ 't', "tid", "TID[,TID...]", "attach to running threads" },
	{ 'i', "no-inherit", NULL, "do not count threads and processes that are started later",
	  FLAG(no_inherit) },
	{ 'o', "output", "FILE",
	  "write the report to FILE, complete or not at all; - is standard output", TEXT(output) },
	{ 0, "append", NULL, "with -o: add to the end of FILE", FLAG(append) },
	{ ID_CSV, "csv", NULL, "write comma-separated values" },
	{ ID_JSON, "json", NULL, "write JSON; with -I one object per line" },
	{ 'f', "format", "FORMAT",
	  "write one line as time(1) does, %e %U %M ...; also %{EVENT} and %{METRIC}" },
	{ 0, "no-scale", NULL, "print raw counts; do not extrapolate multiplexed events",
	  FLAG(no_scale) },
	{ ID_TIMEOUT, "timeout", "TIME",
	  "end the measurement, and the command with it, after TIME" },
	{ 0, "wait-all", NULL,
	  "also wait for processes that the command started and that outlive it",
	  FLAG(waits_for_all) },
	{ ID_DELAY, "delay", "TIME", "start to count TIME after the command" },
	{ 0, "passes", NULL,
	  "if the events exceed the counters, run the command once per pass instead of rotating",
	  FLAG(by_pass) },
	{ 0, "frames", "FILE",
	  "count each frame of the command by itself, into a ring that ntime watch --frames shows",
	  TEXT(frames) },
	{ ID_VIA, "via", NTIME_VIA_NAMES, "access method; all but perf and emulator need -a or -C",
	  .word = cli_via_word },
	{ 0, "no-self-test", NULL, "do not test counters when they are first used on this boot",
	  FLAG(no_self_test) },
	{ 0, "machine", "FILE", "with --dry-run: plan for a recorded machine instead of this one",
	  TEXT(machine) },
	{ 0, "model", "SOCKET",
	  "count on a graphics card that is a model too: gpu0; its values are simulated",
	  TEXT(model) },
	{ 0, "context", "NAME",
	  "count events of the card's multiprocessors in this context of a program",
	  TEXT(context) },
	{ 0, "root", "DIR", "with --dry-run: look for the system's files below DIR", TEXT(root) },
	{ 0, "dry-run", NULL, "print what would be counted and how; run nothing", FLAG(dry_run) },
	{ 'q', "quiet", NULL,
	  "print the counters and the names of absent events, no times and no explanations",
	  FLAG(quiet) },
	{ 'v', "verbose", NULL,
	  "print how each number was counted; twice: also the library's decisions",
	  COUNT(verbose) },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

#define NO_CGROUPS "not in ntime, which counts commands, processes (-p), CPUs (-C) and no cgroups"
#define NO_BPF "not in ntime, which counts commands, processes, CPUs and no BPF programs"
#define METRICS "a metric is -m METRIC; ntime list --metrics shows which there are"
#define WHAT "what to count is -e LIST; ntime list shows what there is"
#define PLACES "--per takes socket, core or thread"
#define ROTATION                                                                                   \
	"a group is {EVENT,EVENT} in -e; others rotate, or --passes runs the command once for "    \
	"each"
#define MERGE "not in ntime: PMUs are counted each by itself, with PMU/EVENT/"
#define PREPARE "what is done before each run is ntime compare --prepare LINE 'COMMAND'"
#define WHOLE "what is counted in the whole time follows the intervals of -I"

/* What people know from perf stat. */
const struct cli_foreign cli_stat_foreign[] = {
	{ "x", "comma-separated values are --csv", "csv", .mark = "," },
	{ "field-separator", "comma-separated values are --csv", "csv", .mark = "," },
	{ "j", "JSON is --json", "json" },
	{ "json-output", "JSON is --json" },
	{ "A", "CPU by CPU is --per thread", "per", "thread" },
	{ "no-aggr", "CPU by CPU is --per thread", "per", "thread" },
	{ "per-core", "core by core is --per core", "per", "core" },
	{ "per-socket", "socket by socket is --per socket", "per", "socket" },
	{ "D", "to count later is --delay TIME, such as --delay 100ms" },
	{ "M", "a metric is -m METRIC", "metric" },
	{ "d", WHAT },
	{ "detailed", WHAT },
	{ "n", "to repeat is -r N; times alone are -f '%e %U %S'" },
	{ "null", "times alone are -f '%e %U %S'" },
	{ "S", PREPARE },
	{ "sync", PREPARE },
	{ "pre", PREPARE },
	{ "post", "what is done after all runs is ntime compare --cleanup LINE 'COMMAND'" },
	{ "prepare", PREPARE },
	{ "setup", "what is done before all runs is ntime compare --setup LINE 'COMMAND'" },
	{ "cleanup", "what is done after all runs is ntime compare --cleanup LINE 'COMMAND'" },
	{ "warmup", "runs that are in no number are ntime compare --warmup N 'COMMAND'" },
	{ "ignore-failure",
	  "to go on after a failure is ntime compare --ignore-failure 'COMMAND'" },
	{ "portability", "what time -p writes: -f 'real %e\\nuser %U\\nsys %S'" },
	{ "runs", "to repeat is -r N" },
	{ "interval-print", "counts of each interval are -I TIME, such as -I 100ms" },
	{ "per-thread", "counts of running threads are -t TID,TID...; of each CPU --per thread" },
	{ "B", "numbers have separators", "" },
	{ "big-num", "numbers have separators", "" },
	{ "no-big-num", "numbers without separators are in --csv and --json" },
	{ "scale", "multiplexed events are extrapolated", "" },
	{ "G", NO_CGROUPS },
	{ "cgroup", NO_CGROUPS },
	{ "for-each-cgroup", NO_CGROUPS },
	{ "b", NO_BPF },
	{ "bpf-prog", NO_BPF },
	{ "bpf-counters", NO_BPF },
	{ "bpf-attr-map", NO_BPF },
	{ "topdown", METRICS },
	{ "td-level", METRICS },
	{ "metric-only", "metrics alone, in a line, are -f '%{METRIC} %{METRIC}'" },
	{ "T", WHAT },
	{ "transaction", WHAT },
	{ "smi-cost", "SMIs are -a -e msr/smi/, where the kernel counts them" },
	{ "iostat", WHAT },
	{ "all-kernel", "kernel mode alone is EVENT:k in -e" },
	{ "all-user", "user mode alone is EVENT:u in -e" },
	{ "filter", "not in ntime, which counts every hit of a tracepoint" },
	{ "cputype", MERGE },
	{ "hybrid-merge", MERGE },
	{ "no-merge", MERGE },
	{ "percore-show-thread", "core by core is -a --per core" },
	{ "per-die", PLACES },
	{ "per-node", PLACES },
	{ "per-cluster", PLACES },
	{ "per-cache", PLACES },
	{ "g", ROTATION },
	{ "group", ROTATION },
	{ "metric-no-group", ROTATION },
	{ "metric-no-merge", ROTATION },
	{ "table", "the numbers of each run are in --json, with -r" },
	{ "control", "not in ntime: a program counts a part of itself with libntime" },
	{ "interval-count", "the end is --timeout TIME, with -I" },
	{ "interval-clear", "a screen that is drawn anew is ntime watch" },
	{ "summary", WHOLE },
	{ "no-csv-summary", WHOLE },
	{ "log-fd", "a report to a file is -o FILE, which may be /dev/fd/N" },
	{ NULL, NULL },
};

/* "ntime --help" has these options, so that is where help is. */
#define misuse(...) cli_misuse("", __VA_ARGS__)

static int add_wish(struct cli_stat_options *o, const char *text, bool is_formula)
{
	if (!*text)
		return misuse("an event or metric is missing in '%s'", text);
	cli_grow(&o->wish, o->wishes);
	o->wish[o->wishes++] = (struct cli_wish){ text, is_formula };
	return 0;
}

int cli_stat_options_add(struct cli_stat_options *o, const char *list)
{
	return add_wish(o, list, false);
}

static int add_pid(struct cli_stat_options *o, const char *text)
{
	uint64_t pid;

	if (cli_number_parse(text, 1, INT_MAX, &pid))
		return misuse("'%s' is not a process or thread id (for what time -p writes: "
			      "-f 'real %%e\\nuser %%U\\nsys %%S')",
			      text);
	for (size_t i = 0; i < o->pids; i++)
		if (o->pid[i] == (int)pid)
			return 0;
	if (o->pids == MAX_PIDS)
		return misuse("too many ids, at '%s'", text);
	cli_grow(&o->pid, o->pids);
	o->pid[o->pids++] = (int)pid;
	return 0;
}

static int add_pids(struct cli_stat_options *o, const char *value, bool are_threads)
{
	int ret = 0;

	if (o->pids && o->are_threads != are_threads)
		return misuse("-p and -t cannot be combined");
	o->are_threads = are_threads;
	/* Also takes blanks, as pgrep and pidof print lists with either. */
	for (const char *at = value; !ret; at++) {
		char one[32];
		size_t chars = strcspn(at, ", ");

		snprintf(one, sizeof(one), "%.*s", (int)chars, at);
		ret = add_pid(o, one);
		at += chars;
		if (!*at)
			break;
	}
	return ret;
}

static int set_writer(struct cli_stat_options *o, const struct cli_writer *writer)
{
	if (o->writer != &cli_text_writer && o->writer != writer)
		return misuse("--csv, --json and --format cannot be combined");
	o->writer = writer;
	return 0;
}

static void add_name(void *arg, const char *event, size_t chars)
{
	struct cli_stat_options *o = arg;

	cli_grow(&o->names, o->n_names);
	o->names[o->n_names++] = cli_strndup(event, chars);
	(void)add_wish(o, o->names[o->n_names - 1], false);
}

static int set_format(struct cli_stat_options *o, const char *format)
{
	const char *bad;

	if (o->format)
		return misuse("--format is given twice");
	o->format = format;
	bad = cli_format_check(format, add_name, o);
	if (bad)
		return misuse("--format: '%.12s' is no sequence of it: see ntime(1), \"Format\"",
			      bad);
	return set_writer(o, &cli_format_writer);
}

static int set_runs(struct cli_stat_options *o, const char *value)
{
	if (cli_number_parse(value, 1, MAX_RUNS, &o->runs))
		return misuse("-r '%s' is not a number of runs: write 1 to 1000000", value);
	o->has_runs = true;
	return 0;
}

/* perf stat takes milliseconds here. */
#define MANY_SECONDS_NS 100000000000u

static int set_time(const struct cli_option *option, const char *value, uint64_t least_ns,
		    uint64_t *ns)
{
	int ret = cli_option_time("", option, value, least_ns, ns);

	if (!ret && *ns >= MANY_SECONDS_NS && !value[strspn(value, "0123456789")])
		cli_say("--%s %s is %s seconds; milliseconds are %sms", option->name, value, value,
			value);
	return ret;
}

static int set_option(void *arg, const struct cli_option *option, const char *value)
{
	struct cli_stat_options *o = arg;
	int word;

	if (cli_option_store(option, o, value))
		return 0;
	switch (option->id) {
	case 'e':
		return add_wish(o, value, false);
	case 'm':
		return add_wish(o, value, strchr(value, '=') != NULL);
	case ID_SHOW_OUTPUT:
		o->shows_output = true;
		return 0;
	case 'r':
		return set_runs(o, value);
	case 'I':
		return set_time(option, value, MIN_INTERVAL_NS, &o->interval_ns);
	case ID_TIMEOUT:
		return cli_option_time("", option, value, 1, &o->timeout_ns);
	case ID_DELAY:
		return set_time(option, value, 0, &o->delay_ns);
	case 'p':
	case 't':
		return add_pids(o, value, option->id == 't');
	case 'f':
		return set_format(o, value);
	case ID_VIA:
		return cli_option_via("stat", value, &o->via);
	case ID_PER:
		word = cli_option_word("", option, value);
		if (word < 0)
			return word;
		o->per = CLI_PER_SOCKET + (enum cli_per)word;
		if (o->per == CLI_PER_NONE)
			o->per = CLI_PER_FUNCTION;
		return 0;
	case ID_CSV:
		return set_writer(o, &cli_csv_writer);
	default:
		return set_writer(o, &cli_json_writer);
	}
}

/* Options that contradict each other, in the order in which they are looked at. */
static const char *contradiction(const struct cli_stat_options *o)
{
	bool attaches = o->all_cpus || o->cpus || o->pids;

	if (o->all_cpus && o->cpus)
		return "-a and -C cannot be combined: -a means every CPU";
	if (o->pids && (o->all_cpus || o->cpus))
		return "-p and -t cannot be combined with -a or -C";
	if (o->via == NTIME_VIA_EMULATOR && (attaches || !o->argv || o->delay_ns || o->dry_run))
		return "--via emulator counts a command that it runs, all of it: no -a, -C, -p, "
		       "-t, "
		       "--delay or --dry-run";
	if (o->via > NTIME_VIA_PERF && o->via != NTIME_VIA_EMULATOR && !o->all_cpus && !o->cpus)
		return "--via counts CPUs, not programs, by all methods but perf: add -a or -C "
		       "CPUS";
	if (o->per == CLI_PER_FUNCTION && o->via != NTIME_VIA_EMULATOR)
		return "--per function needs --via emulator, which alone knows of functions";
	if (o->per && o->per != CLI_PER_FUNCTION && !o->all_cpus && !o->cpus)
		return "--per is for counts of CPUs: add -a or -C CPUS";
	if (o->per && (o->has_runs || o->by_pass || o->interval_ns || o->format))
		return "--per cannot be combined with -r, --passes, -I or --format; ntime watch "
		       "--per has intervals";
	if (o->append && (!o->output || strcmp(o->output, "-") == 0))
		return "--append needs -o FILE";
	if (o->root && !o->dry_run)
		return "--root is for --dry-run: what is counted is this machine";
	if (!o->argv && !attaches && !o->dry_run)
		return "no command to run";
	if (!o->argv && o->has_runs)
		return "-r needs a command to run";
	if (!o->argv && o->by_pass && !o->dry_run)
		return "--passes needs a command to run";
	if (!o->has_runs && o->shows_output)
		return "--show-output goes with -r: what one run writes is shown";
	if (o->interval_ns && o->has_runs)
		return "-I and -r cannot be combined: intervals of different runs have no mean";
	if (o->interval_ns && o->by_pass)
		return "-I and --passes cannot be combined: one interval would be several runs";
	if (o->frames && (!o->argv || o->pids))
		return "--frames needs a command, which says where its frames end, and no -p or -t";
	if (o->frames &&
	    (o->has_runs || o->by_pass || o->interval_ns || o->delay_ns || o->per || o->dry_run))
		return "--frames cannot be combined with -r, --passes, -I, --delay, --per or "
		       "--dry-run";
	if (o->frames && o->output && strcmp(o->frames, o->output) == 0)
		return "--frames and -o name the same file: the report would replace the ring";
	if (o->dry_run && o->writer != &cli_text_writer)
		return "--dry-run prints text only: leave out --csv, --json or --format";
	if (o->format && o->interval_ns)
		return "-I and --format cannot be combined: a line is written at the end";
	if (o->quiet && o->verbose)
		return "-q and -v cannot be combined";
	return NULL;
}

int cli_stat_options_parse(struct cli_stat_options *o, const struct cli_command *self, int argc,
			   char **argv)
{
	const char *wrong;
	int ret;

	*o = (struct cli_stat_options){ .runs = 1, .writer = &cli_text_writer };
	ret = cli_options_parse(self, argc, argv, set_option, o);
	if (ret < 0)
		return ret;
	if (ret < argc)
		o->argv = argv + ret;
	o->hides_output = o->has_runs && !o->shows_output;
	wrong = contradiction(o);
	return wrong ? misuse("%s", wrong) : 0;
}

void cli_stat_options_fini(struct cli_stat_options *o)
{
	for (size_t i = 0; i < o->n_names; i++)
		free(o->names[i]);
	free(o->names);
	free(o->wish);
	free(o->pid);
	*o = (struct cli_stat_options){ 0 };
}
