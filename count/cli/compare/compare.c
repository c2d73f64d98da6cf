// SPDX-License-Identifier: MIT
/* ntime compare: which of several commands is faster, and by how much. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ntime/emulator.h>
#include <ntime/session.h>

#include "base/command/command.h"
#include "base/command/confine.h"
#include "count/cli/shared/machine.h"
#include "base/command/signals.h"
#include "count/cli/compare/comparison.h"
#include "count/cli/compare/experiment.h"
#include "count/cli/compare/export.h"
#include "count/cli/compare/files.h"
#include "count/cli/compare/frames.h"
#include "count/cli/compare/json.h"
#include "count/cli/compare/plot.h"
#include "count/cli/compare/text.h"
#include "count/cli/compare/verdict.h"
#include "base/output/file.h"
#include "base/output/say.h"

/* A command is slower than the first one by more than it may be. */
#define EXIT_TOO_SLOW 1

/*
 * What is said of a command that --fail-above is asked about; 0, EXIT_TOO_SLOW or CLI_EXIT_FAILED.
 */
static int judge_side(const struct cli_compare_options *o, const struct cli_comparison *c,
		      size_t side)
{
	const struct cli_results *r = c->results;
	const char *name = r->side[side].name;
	struct cli_change change = { .factor.is_known = false };
	const char *metric, *other, *is;

	if (c->by != SIZE_MAX)
		change = cli_change_of(r, side, c->by);
	if (!change.factor.is_known) {
		cli_say("--fail-above: there is no verdict of %s", name);
		return CLI_EXIT_FAILED;
	}
	if (change.factor.high <= o->fail_above)
		return 0;
	metric = r->metric[c->by].name;
	other = r->side[r->side[side].reference].name;
	is = cli_metric_is_speed(metric) ? "be slower" : "have more";
	if (change.factor.low <= o->fail_above) {
		cli_say("%s may %s than %s by more than --fail-above allows: up to %.3g %%, by %s; "
			"more runs would tell",
			name, is, other, (change.factor.high - 1) * 100, metric);
		return 0;
	}
	cli_say("%s %s than %s by more than --fail-above allows: %.3g %% at least, by %s", name,
		cli_metric_is_speed(metric) ? "is slower" : "has more", other,
		(change.factor.low - 1) * 100, metric);
	return EXIT_TOO_SLOW;
}

/* That nothing is known of a command is worse than that it is too slow. */
static int judge(const struct cli_compare_options *o, const struct cli_comparison *c)
{
	int ret = 0;

	if (o->fail_above > 0 && c->results->sides == 1) {
		cli_say(CLI_NO_SECOND);
		return CLI_EXIT_FAILED;
	}
	for (size_t i = 0; i < c->results->sides && o->fail_above > 0; i++) {
		int of = c->results->side[i].reference == SIZE_MAX ? 0 : judge_side(o, c, i);

		ret = of > ret ? of : ret;
	}
	return ret;
}

/* What is written beside the report. */
static const struct {
	size_t option; /* where its file is, in struct cli_compare_options */
	void (*write)(FILE *f, const struct cli_comparison *c);
} exports[] = {
	{ offsetof(struct cli_compare_options, export_json), cli_compare_export_json },
	{ offsetof(struct cli_compare_options, export_csv), cli_compare_export_csv },
	{ offsetof(struct cli_compare_options, export_markdown), cli_compare_export_markdown },
	{ offsetof(struct cli_compare_options, plot), cli_compare_plot },
};
#define EXPORTS (sizeof(exports) / sizeof(exports[0]))

/* All files, opened before anything is run: the report's, then those of @exports. */
struct outputs {
	struct cli_output of[1 + EXPORTS];
};

static const char *export_of(const struct cli_compare_options *o, size_t i)
{
	const char *path;

	memcpy(&path, (const char *)o + exports[i].option, sizeof(path));
	return path;
}

/* Two reports in one file: the last would be all that is left. */
static int check_outputs(const struct cli_compare_options *o)
{
	for (size_t i = 0; i < EXPORTS; i++) {
		const char *path = export_of(o, i);

		for (size_t k = 0; k <= i && path; k++) {
			const char *other = k ? export_of(o, k - 1) : o->output;

			if (other && strcmp(path, other) == 0 && strncmp(path, "/dev/", 5) != 0)
				return cli_compare_misuse("two reports cannot be in one file, %s",
							  path);
		}
	}
	return 0;
}

static int open_outputs(struct outputs *out, const struct cli_compare_options *o)
{
	int ret = check_outputs(o);

	if (!ret)
		ret = cli_output_open(&out->of[0], o->output ? o->output : "-", false);
	for (size_t i = 0; i < EXPORTS && !ret; i++)
		if (export_of(o, i))
			ret = cli_output_open(&out->of[1 + i], export_of(o, i), false);
	return ret;
}

static void abandon_outputs(struct outputs *out)
{
	for (size_t i = 0; i < 1 + EXPORTS; i++)
		cli_output_abandon(&out->of[i]);
}

static int report(const struct cli_compare_options *o, struct outputs *out,
		  const struct cli_results *r)
{
	struct cli_look look = cli_look_at(out->of[0].fd);
	struct cli_comparison c = {
		.results = r,
		.by = cli_results_decider(r),
		.is_verbose = o->verbose,
	};
	bool has_failed;

	if (o->is_json)
		cli_compare_write_json(out->of[0].f, &c);
	else
		cli_compare_write_text(out->of[0].f, &look, &c);
	has_failed = cli_output_close(&out->of[0]);
	for (size_t i = 0; i < EXPORTS; i++) {
		if (!export_of(o, i))
			continue;
		exports[i].write(out->of[1 + i].f, &c);
		has_failed |= cli_output_close(&out->of[1 + i]) != 0;
	}
	return has_failed ? CLI_EXIT_FAILED : judge(o, &c);
}

/* @now, which is emptied, beside what the files have. */
static int report_beside_files(const struct cli_compare_options *o, struct outputs *out,
			       struct cli_results *now)
{
	struct cli_results r;
	int ret;

	cli_confine(o->verbose);
	ret = cli_results_of_files(&r, o, now) ? CLI_EXIT_FAILED : report(o, out, &r);
	cli_results_fini(&r);
	return ret;
}

static int measure(const struct cli_compare_options *o, const struct cli_compare_commands *commands,
		   struct ntime_ctx *ctx)
{
	struct cli_experiment e = { .ctx = ctx, .o = o, .commands = commands };
	struct outputs out = { 0 };
	int ret, reported = 0;

	if (open_outputs(&out, o)) {
		abandon_outputs(&out);
		return CLI_EXIT_FAILED;
	}
	cli_signals_init();
	ret = cli_experiment_run(&e);
	/* Rounds that were made are not lost, if they tell anything. */
	if (e.rounds && !(ret && cli_results_decider(&e.results) == SIZE_MAX))
		reported = o->file.n ? report_beside_files(o, &out, &e.results)
				     : report(o, &out, &e.results);
	abandon_outputs(&out);
	cli_experiment_fini(&e);
	return ret ? ret : reported;
}

/* Can event @name be counted of a program, without the emulator? 1, 0 or -errno. */
static int is_counted_here(struct ntime_ctx *ctx, const char *name)
{
	struct ntime_target target = { .size = sizeof(target), .kind = NTIME_TARGET_THREAD };
	struct ntime_session *s = NULL;
	struct ntime_value value;
	int ret = ntime_session_new(ctx, &target, &s);

	if (ret >= 0)
		ret = ntime_session_add(s, name, NULL);
	if (ret >= 0)
		ret = ntime_session_start(s);
	if (ret >= 0)
		ret = ntime_session_read(s, &value, 1);
	ntime_session_free(s);
	return ret == -ENOENT ? 0 : ret < 0 ? ret : !(value.flags & NTIME_ABSENT);
}

/* Is what the emulator runs programs with installed? */
static bool has_emulator(struct ntime_ctx *ctx)
{
	static char program[] = "true";
	char *const argv[] = { program, NULL };
	struct ntime_emulator *emulator;
	bool has = ntime_emulator_new(ctx, argv, "", 0, &emulator) == 0;

	ntime_emulator_free(emulator);
	return has;
}

/*
 * What --by names is counted by the emulator where that is the only way, and what is steadier than
 * time beside it. 0 or -EINVAL.
 */
static int choose_method(struct cli_compare_options *o, struct ntime_ctx *ctx)
{
	if (!o->run.via && o->by && ntime_emulator_event(o->by) >= 0 &&
	    is_counted_here(ctx, o->by) == 0 && has_emulator(ctx))
		o->run.via = NTIME_VIA_EMULATOR;
	if (o->run.via != NTIME_VIA_EMULATOR)
		return cli_stat_options_add(&o->run, CLI_METRIC_INSTRUCTIONS);
	if (o->export_json || o->export_csv)
		return cli_compare_misuse("--export-json and --export-csv are of times, and those "
					  "of commands in the emulator are not theirs");
	if (!o->by)
		o->by = CLI_METRIC_EMULATED;
	/* By whatever name it was asked for. */
	if (ntime_emulator_event(o->by) == ntime_emulator_event(CLI_METRIC_EMULATED))
		return cli_stat_options_add(&o->run, o->by);
	return cli_stat_options_add(&o->run, CLI_METRIC_EMULATED);
}

/* As the files were counted. 0 or -EINVAL. */
static int choose_by_files(struct cli_compare_options *o, const struct cli_compare_commands *c)
{
	int ret = cli_files_load(o);

	if (!ret)
		ret = cli_files_check(o, c);
	if (ret < 0)
		return ret;
	if (o->run.via && (o->run.via == NTIME_VIA_EMULATOR) != (ret > 0))
		return cli_compare_misuse("%s was %scounted in the emulator, which counts other "
					  "instructions: leave out --via",
					  o->file.word[0], ret ? "" : "not ");
	o->run.via = ret ? NTIME_VIA_EMULATOR : NTIME_VIA_PERF;
	return 0;
}

static int run_commands(struct cli_compare_options *o)
{
	struct cli_compare_commands commands;
	struct ntime_ctx *ctx = NULL;
	struct cli_machine machine = { .runs_command = true, .counts = true };
	int ret;

	ret = cli_compare_commands_make(&commands, o);
	if (!ret && o->file.n)
		ret = choose_by_files(o, &commands);
	if (!ret)
		ret = cli_machine_open(&machine, &ctx);
	if (!ret)
		ret = choose_method(o, ctx);
	ret = ret ? CLI_EXIT_FAILED : measure(o, &commands, ctx);
	ntime_close(ctx);
	cli_compare_commands_fini(&commands);
	return ret;
}

static int compare_files(struct cli_compare_options *o)
{
	struct outputs out = { 0 };
	struct cli_results r;
	int ret = CLI_EXIT_FAILED;

	if (cli_files_load(o))
		return ret;
	cli_confine(o->verbose);
	if (!cli_results_of_files(&r, o, NULL) && !open_outputs(&out, o))
		ret = report(o, &out, &r);
	abandon_outputs(&out);
	cli_results_fini(&r);
	return ret;
}

static int run_compare(const struct cli_command *self, int argc, char **argv)
{
	struct cli_compare_options o;
	int ret = cli_compare_options_parse(&o, self, argc, argv);

	if (ret < 0)
		ret = cli_options_end(ret);
	else if (o.has_frames)
		ret = cli_compare_frames(&o);
	else
		ret = o.file.n && !o.operand.n ? compare_files(&o) : run_commands(&o);
	cli_compare_options_fini(&o);
	if (cli_signals_stop())
		cli_signals_die(cli_signals_stop());
	return ret;
}

const struct cli_command cli_compare_command = {
	.name = "compare",
	.usage = "compare [OPTION...] COMMAND...\n"
		 "compare [OPTION...] FILE.json... [COMMAND...]\n"
		 "compare [OPTION...] FRAMES FRAMES...",
	.about = "run commands in turn and tell which is faster, and how sure that is",
	.details =
		"Each COMMAND is one argument: quote it. The first one is what the others are "
		"compared with. FILE.json is what --json of compare, stat -r or hyperfine "
		"--export-json wrote. FRAMES is what gl --csv or glretrace --pframes wrote, "
		"or a folder of Mesa's HUD. The report goes to standard output.\n\n"
		"Exit status: 0; 1 if a command is slower than --fail-above allows, or a counter "
		"beyond --tolerance; 125 if "
		"ntime itself or a run "
		"failed, 126 if a command cannot be executed, 127 if it is not found.",
	.options = cli_compare_option_table,
	.foreign = cli_compare_foreign,
	.is_permuting = true,
	.run = run_compare,
};
