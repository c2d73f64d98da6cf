// SPDX-License-Identifier: MIT
/* The command line of ntime compare. */
#include "count/cli/compare/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/command/options.h"
#include "count/cli/shared/machine.h"
#include "count/cli/compare/files.h"
#include "count/cli/compare/frames.h"
#include "count/cli/compare/verdict.h"
#include "base/output/json.h"
#include "base/output/memory.h"
#include "base/output/number.h"

#define MAX_ROUNDS 1000000

enum {
	ID_PRECISION = 256,
	ID_FAIL_ABOVE,
	ID_TOLERANCE,
	ID_BY,
	ID_VIA,
	ID_NAME,
	ID_TIMEOUT,
	ID_EXPORT_JSON,
	ID_SHOW_OUTPUT,
};

#define COUNT(member) CLI_COUNT(struct cli_compare_options, member)
#define FLAG(member) CLI_FLAG(struct cli_compare_options, member)
#define TEXT(member) CLI_TEXT(struct cli_compare_options, member)

/* Those that count programs. */
static const char *via_word(size_t i)
{
	return ntime_via_name(i > NTIME_VIA_PERF ? NTIME_VIA_EMULATOR + (uint32_t)i - 2
						 : (uint32_t)i);
}

const struct cli_option cli_compare_option_table[] = {
	{ 'n', "runs", "N", "run each command N times; else until the interval is narrow enough" },
	{ 'r', "repeat", "N", "the same, as stat has it" },
	{ ID_PRECISION, "precision", "PERCENT",
	  "how narrow: plus or minus 1% unless said otherwise" },
	{ ID_FAIL_ABOVE, "fail-above", "PERCENT",
	  "end with status 1 if a command is certainly slower than the first by more than that" },
	{ ID_TOLERANCE, "tolerance", "PERCENT",
	  "of frames: end with status 1 if a counter certainly differs by more than that" },
	{ 'e', "event", "LIST", "events, {groups} and metrics to compare too; may be repeated" },
	{ ID_BY, "by", "METRIC",
	  "what decides: real, user, sys, user+sys, max-rss, an event or a metric" },
	{ ID_VIA, "via", NTIME_VIA_NAMES,
	  "perf or emulator; else by perf, and by the emulator what --by names and only it "
	  "counts",
	  .word = via_word },
	{ 'L', "parameter-list", "VAR LIST",
	  "run a command once for each value of the LIST, with {VAR} replaced; may be repeated" },
	{ ID_NAME, "name", "NAME", "what to call a command; once for each, in their order" },
	{ 'w', "warmup", "N", "first run each command N times, which are in no number" },
	{ 's', "setup", "LINE",
	  "what the shell does before all runs: once for all commands, or one for each" },
	{ 'p', "prepare", "LINE",
	  "what it does before each run: one for all commands or for each" },
	{ 'c', "cleanup", "LINE", "what it does after all runs: one for all commands or for each" },
	{ 'S', "shell", "SHELL",
	  "run each command as SHELL -c COMMAND; without, it is split into words and run "
	  "directly" },
	{ 'i', "ignore-failure", NULL,
	  "go on after a run that failed, which is in no number either way", FLAG(ignore_failure) },
	{ ID_TIMEOUT, "timeout", "TIME", "end a run after TIME: it failed" },
	{ 0, "wait-all", NULL, "a run ends when all processes have ended that it started",
	  FLAG(run.waits_for_all) },
	{ ID_SHOW_OUTPUT, "show-output", NULL, "let the commands read and write as ntime does" },
	{ 'o', "output", "FILE", "write the report to FILE, complete or not at all", TEXT(output) },
	{ 0, "json", NULL, "write JSON, with every number of every run", FLAG(is_json) },
	{ ID_EXPORT_JSON, "export-json", "FILE", "also write JSON as hyperfine does, to FILE" },
	{ 0, "export-csv", "FILE", "also write CSV as hyperfine does, to FILE", TEXT(export_csv) },
	{ 0, "export-markdown", "FILE", "also write a table, to FILE", TEXT(export_markdown) },
	{ 0, "plot", "FILE", "also draw each run and the intervals, as SVG, to FILE", TEXT(plot) },
	{ 'v', "verbose", NULL, "compare everything that was measured", COUNT(verbose) },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

#define HOW_OFTEN "how often is found by --precision, or fixed by -n"
#define IN_ORDER "commands are listed in the order in which they are given, and --json has numbers"
#define NO_CONCLUDE                                                                                \
	"not in ntime: --prepare is done before the next run, and --cleanup after the last"
#define FIRST_COMMAND "the first command is the one that the others are compared with"
#define UNITS "each number has the unit that suits it; --export-csv and --export-json have seconds"
#define NO_CODES "it goes on after any exit status, and takes no list of them"
#define TABLE "a table is --export-markdown FILE, which pandoc converts"

/* What people know from hyperfine. */
const struct cli_foreign cli_compare_foreign[] = {
	{ "N", "commands run without a shell unless --shell is given", "shell", "none" },
	{ "m", HOW_OFTEN },
	{ "min-runs", HOW_OFTEN },
	{ "M", HOW_OFTEN },
	{ "max-runs", HOW_OFTEN },
	{ "min-benchmarking-time", HOW_OFTEN },
	{ "P", "values are listed by -L VAR LIST" },
	{ "parameter-scan", "values are listed by -L VAR LIST" },
	{ "D", "values are listed by -L VAR LIST" },
	{ "parameter-step-size", "values are listed by -L VAR LIST" },
	{ "command-name", "a command is called by --name", "name" },
	{ "C", NO_CONCLUDE },
	{ "conclude", NO_CONCLUDE },
	{ "reference", FIRST_COMMAND },
	{ "reference-name", FIRST_COMMAND ", and --name calls it" },
	{ "sort", IN_ORDER },
	{ "u", UNITS },
	{ "time-unit", UNITS },
	{ "style", "colours are for terminals, and off with NO_COLOR=1 in the environment" },
	{ "export-asciidoc", TABLE },
	{ "export-orgmode", TABLE },
	{ "input", "commands read nothing; a file is --shell=sh with 'COMMAND <FILE'" },
	{ "ignore-failure", NO_CODES },
	{ "=", "the argument of a letter follows it without '='; of -i, " NO_CODES },
	{ "debug-mode", "not in ntime, which always runs the commands" },
	{ "V", "the version is ntime --version" },
	{ "version", "the version is ntime --version" },
	{ NULL, NULL },
};

static int add_word(struct cli_words *w, const char *word)
{
	cli_grow(&w->word, w->n);
	w->word[w->n++] = (char *)word;
	return 0;
}

/* "2%", "0.5 %" or "2"; the part of a hundred in *@share. */
static int set_percent(const char *option, const char *value, double *share)
{
	size_t digits = strspn(value, "0123456789.");
	const char *end = value + digits + strspn(value + digits, " ");
	double percent = strtod(value, NULL);

	if (!digits || percent > 1e6 || (*end && strcmp(end, "%") != 0))
		return cli_compare_misuse("%s '%s' is not a percentage: write 2%% or 0.5%%", option,
					  value);
	*share = percent / 100;
	return 0;
}

static int set_number(const char *option, const char *value, uint64_t least, uint64_t *number)
{
	if (!cli_number_parse(value, least, MAX_ROUNDS, number))
		return 0;
	if (strcmp(option, "-n") == 0 && !isdigit((unsigned char)*value))
		return cli_compare_misuse("-n '%s' is not a number of runs; a name is --name %s",
					  value, value);
	return cli_compare_misuse("%s '%s' is not a number of runs: write %u to %u", option, value,
				  (unsigned int)least, MAX_ROUNDS);
}

static int set_via(struct cli_compare_options *o, const char *value)
{
	int ret = cli_option_via("compare", value, &o->run.via);

	if (ret || o->run.via <= NTIME_VIA_PERF || o->run.via == NTIME_VIA_EMULATOR)
		return ret;
	return cli_compare_misuse("--via %s counts CPUs, not programs: write perf or emulator",
				  value);
}

static int set_option(void *arg, const struct cli_option *option, const char *value)
{
	struct cli_compare_options *o = arg;
	double share;
	int ret;

	if (cli_option_store(option, o, value))
		return 0;
	switch (option->id) {
	case 'n':
	case 'r':
		return set_number("-n", value, 1, &o->rounds);
	case ID_PRECISION:
		ret = set_percent("--precision", value, &share);
		o->precision = ret ? 0 : log1p(share);
		return ret || o->precision > 0
			       ? ret
			       : cli_compare_misuse(
					 "--precision '%s' is no width: write more than 0", value);
	case ID_FAIL_ABOVE:
		ret = set_percent("--fail-above", value, &share);
		o->fail_above = ret ? 0 : 1 + share;
		return ret;
	case ID_TOLERANCE:
		return set_percent("--tolerance", value, &o->tolerance);
	case ID_BY:
		o->by = value;
		if (strpbrk(value, ",{") && !strchr(value, '/'))
			return cli_compare_misuse("--by '%s' is more than one metric", value);
		return 0;
	case ID_VIA:
		return set_via(o, value);
	case 'L':
		return add_word(&o->list, value);
	case ID_NAME:
		return add_word(&o->name, value);
	case 'w':
		return set_number("--warmup", value, 0, &o->warmups);
	case 's':
		return add_word(&o->setup, value);
	case 'p':
		return add_word(&o->prepare, value);
	case 'c':
		return add_word(&o->cleanup, value);
	case 'S':
		o->shell = strcmp(value, "none") == 0	   ? NULL
			   : strcmp(value, "default") == 0 ? "sh"
							   : value;
		return 0;
	case 'e':
		return cli_stat_options_add(&o->run, value);
	case ID_TIMEOUT:
		return cli_option_time("compare", option, value, 1, &o->run.timeout_ns);
	case ID_SHOW_OUTPUT:
		o->run.hides_output = false;
		return 0;
	default:
		o->export_json = value;
		return cli_json_check() < 0 ? -EINVAL : 0;
	}
}

/* Options that say how commands are run. */
static bool has_run_options(const struct cli_compare_options *o)
{
	return o->rounds || o->precision > 0 || o->run.via || o->list.n || o->run.wishes ||
	       o->warmups || o->setup.n || o->prepare.n || o->cleanup.n || o->shell ||
	       o->ignore_failure || o->run.timeout_ns || o->run.waits_for_all ||
	       !o->run.hides_output;
}

static bool is_list_option(const char *word)
{
	return strcmp(word, "-L") == 0 || strcmp(word, "--parameter-list") == 0;
}

/*
 * "-L VAR LIST", as hyperfine has it, is two arguments, which getopt(3) does not know: they become
 * one, "VAR=LIST". The new @argc; @o owns the words.
 */
static int join_lists(struct cli_compare_options *o, int argc, char **argv)
{
	bool is_over = false;
	int to = 1;

	for (int i = 1; i < argc; i++) {
		is_over = is_over || strcmp(argv[i], "--") == 0;
		argv[to++] = argv[i];
		if (is_over || !is_list_option(argv[i]) || i + 2 >= argc ||
		    strchr(argv[i + 1], '='))
			continue;
		cli_grow(&o->joined.word, o->joined.n);
		argv[to] = cli_format("%s=%s", argv[i + 1], argv[i + 2]);
		o->joined.word[o->joined.n++] = argv[to++];
		i += 2;
	}
	argv[to] = NULL;
	return to;
}

/* Words of hyperfine's --output. */
static bool is_place_of_output(const char *word)
{
	return strcmp(word, "pipe") == 0 || strcmp(word, "null") == 0 ||
	       strcmp(word, "inherit") == 0;
}

static bool is_list_of_codes(const char *word)
{
	return *word && !word[strspn(word, "0123456789,")];
}

/*
 * Are the operands files with frames, or folders of such? 1 or 0; -EINVAL where they are mixed with
 * others. A folder beside a command is a command, which cannot be executed.
 */
static int find_frames(int n, char **operand)
{
	const char *frames = NULL, *other = NULL;
	bool has_results = false;
	int folders = 0;

	for (int i = 0; i < n; i++) {
		bool is_folder = cli_operand_is_frame_folder(operand[i]);

		folders += is_folder;
		has_results |= cli_operand_is_file(operand[i]);
		if (is_folder || cli_operand_is_frame_file(operand[i]))
			frames = operand[i];
		else
			other = operand[i];
	}
	if (!frames || (other && folders == n - 1 && !has_results))
		return frames && !other;
	if (other)
		return cli_compare_misuse("%s has frames, which are compared with frames alone; "
					  "'%s' is no existing file that ends in .csv, .stats, "
					  ".txt or .tsv, and no folder with a '/' in its path",
					  frames, other);
	return 1;
}

static int check_frames(const struct cli_compare_options *o)
{
	if (o->file.n < 2)
		return cli_compare_misuse("%s has frames, and there is nothing to compare them "
					  "with: name a second file",
					  o->file.word[0]);
	if (o->name.n && o->name.n != o->file.n)
		return cli_compare_misuse("--name is given %zu times and there are %zu files: "
					  "give it once for each",
					  o->name.n, o->file.n);
	if (has_run_options(o) || o->by || o->fail_above > 0 || o->export_json || o->export_csv ||
	    o->export_markdown || o->plot)
		return cli_compare_misuse("files with frames are not run: of the options take "
					  "--tolerance, --name, --json and --output");
	return 0;
}

int cli_compare_options_parse(struct cli_compare_options *o, const struct cli_command *self,
			      int argc, char **argv)
{
	int ret, frames;

	*o = (struct cli_compare_options){
		.run = { .runs = 1, .has_runs = true, .hides_output = true },
		.tolerance = NAN,
	};
	argc = join_lists(o, argc, argv);
	ret = cli_options_parse(self, argc, argv, set_option, o);
	if (ret < 0)
		return ret;
	frames = find_frames(argc - ret, argv + ret);
	if (frames < 0)
		return frames;
	o->has_frames = frames;
	o->runs_first = ret < argc && !cli_operand_is_file(argv[ret]);
	for (; ret < argc; ret++)
		(void)add_word(frames || cli_operand_is_file(argv[ret]) ? &o->file : &o->operand,
			       argv[ret]);
	if (o->output && is_place_of_output(o->output))
		return cli_compare_misuse("--output is the file of the report, not what '%s' is to "
					  "hyperfine: --show-output shows what commands write, "
					  "without it that goes nowhere; a file is ./%s",
					  o->output, o->output);
	if (o->has_frames)
		return check_frames(o);
	if (!isnan(o->tolerance))
		return cli_compare_misuse("--tolerance is of frames in files, and there is no such "
					  "file");
	if (o->operand.n && is_list_of_codes(o->operand.word[0]) && o->ignore_failure)
		return cli_compare_misuse("'%s' is no command; of --ignore-failure, " NO_CODES,
					  o->operand.word[0]);
	if (o->rounds && o->precision > 0)
		return cli_compare_misuse("-n and --precision cannot be combined: one fixes the "
					  "number of runs, the other finds it");
	if (o->file.n && !o->operand.n)
		return has_run_options(o)
			       ? cli_compare_misuse("files with results are not run: of "
						    "the options take --by, --name, "
						    "--fail-above and those of the output")
			       : 0;
	if (o->by && cli_metric_is_figure(o->by) && o->run.via == NTIME_VIA_EMULATOR)
		return cli_compare_misuse("--by %s: of a command in the emulator it is the "
					  "emulator's, not the command's",
					  o->by);
	/* Behind the user's, who may have named it, too. */
	return o->by && !cli_metric_is_figure(o->by) ? cli_stat_options_add(&o->run, o->by) : 0;
}

void cli_compare_options_fini(struct cli_compare_options *o)
{
	cli_stat_options_fini(&o->run);
	for (size_t i = 0; i < o->joined.n; i++)
		free(o->joined.word[i]);
	free(o->joined.word);
	free(o->list.word);
	for (size_t i = 0; o->text && i < o->file.n; i++)
		free(o->text[i]);
	free(o->text);
	free(o->bytes);
	free(o->operand.word);
	free(o->file.word);
	free(o->name.word);
	free(o->setup.word);
	free(o->prepare.word);
	free(o->cleanup.word);
	*o = (struct cli_compare_options){ 0 };
}
