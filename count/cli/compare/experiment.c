// SPDX-License-Identifier: MIT
/*
 * Run commands in turn. A round is one run of each, in random order: what disturbs the machine for
 * longer than a round disturbs all of them, and what does not disturbs each of them alike often.
 */
#include "count/cli/compare/experiment.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>

#include "base/command/descendants.h"
#include "base/command/hook.h"
#include "base/command/signals.h"
#include "count/cli/compare/verdict.h"
#include "count/cli/compare/words.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "count/cli/report/tally.h"

/* Half of an interval that is narrow enough, as a logarithm of a factor. */
#define PRECISION 0.01

static int add_items(struct cli_experiment *e)
{
	struct cli_results *r = &e->results;
	size_t items = e->measure.sessions.items;
	struct cli_item *item;

	if (cli_sessions_describe(&e->measure.sessions, &item))
		return CLI_EXIT_FAILED;
	for (size_t i = 0; i < items; i++) {
		size_t at =
			cli_results_add_metric(r, item[i].name, item[i].unit_text, item[i].reason);

		/* The last one is ours, and the others are the user's. */
		r->metric[at].is_wanted = i + 1 < items && !item[i].is_hidden;
	}
	cli_items_free(item, items);
	return 0;
}

static void add_figures(const struct cli_measure *m, double *value)
{
	(void)cli_measure_figures(m, value);
	if (cli_measure_rss_is_at_most(m))
		value[CLI_MAX_RSS] = NAN;
	value[CLI_FIGURES] = value[CLI_USER] + value[CLI_SYS];
}

/* What the last run gave, one number per metric, for free(3). */
static double *numbers_of(const struct cli_experiment *e)
{
	const struct cli_measure *m = &e->measure;
	double *value = cli_calloc(e->results.metrics, sizeof(*value));

	for (size_t i = 0; i < e->results.metrics; i++)
		value[i] = NAN;
	if (!m->emulator)
		add_figures(m, value);
	/* Of what the command left running only the time until it did is known. */
	for (size_t i = CLI_REAL + 1; m->left && i <= CLI_FIGURES; i++)
		value[i] = NAN;
	for (size_t i = 0; i < m->sessions.items; i++) {
		const struct ntime_value *v = &m->values[i];
		/* What is partial lacks whole programs then. */
		bool is_right = cli_value_is_known(v) && !(v->flags & NTIME_IMPLAUSIBLE) &&
				!((m->emulator || m->left) && v->flags & NTIME_PARTIAL);

		value[CLI_FIGURES + 1 + i] = is_right ? v->value : NAN;
	}
	return value;
}

static void add_run(struct cli_experiment *e, size_t side, const struct cli_outcome *outcome)
{
	double *value = numbers_of(e);

	if (cli_outcome_is_good(outcome)) {
		e->results.side[side].outlived += e->measure.left > 0;
		cli_results_add_run(&e->results, side, e->rounds, value);
	} else {
		cli_outcomes_add(&e->results.side[side].left_out, outcome);
		if (!outcome->was_interrupted)
			cli_results_add_failed(&e->results, side, e->rounds, outcome, value);
	}
	free(value);
}

/* Nothing can be counted here, so that it need not be tried in each round. */
static bool has_no_counters(const struct cli_results *r)
{
	for (size_t i = CLI_FIGURES + 1; i < r->metrics; i++) {
		if (!*r->metric[i].reason)
			return false;
		/* The reason is of the first run: others had none of it either. */
		for (size_t side = 0; side < r->sides; side++)
			if (cli_side_has_number(r, side, i))
				return false;
	}
	return true;
}

/* One run, which is in no number yet. 0, or an exit status after a sentence. */
static int run_once(struct cli_experiment *e, size_t side)
{
	int ret = cli_hook_run("--prepare", e->commands->of[side].prepare);

	if (ret)
		return ret;
	cli_measure_fini(&e->measure);
	e->measure = (struct cli_measure){
		.ctx = e->ctx,
		.options = &e->run[side],
		.launcher = e->launcher,
		.launched = side,
		.is_bare = e->is_bare,
		.pass = CLI_ALL_PASSES,
	};
	return cli_measure_run(&e->measure);
}

/* What it looks like, of the second command alone: more do not fit. */
static void show_progress(struct cli_experiment *e)
{
	char *text = NULL;
	size_t by;

	if (!cli_progress_is_due(&e->progress))
		return;
	by = cli_results_decider(&e->results);
	if (by != SIZE_MAX && e->results.sides > 1)
		text = cli_compare_short(&e->results, 1, by);
	cli_progress_show(&e->progress, e->rounds + 1, e->stop.plan, !e->stop.is_fixed, text);
	free(text);
}

static int end_at_failure(struct cli_experiment *e, size_t side, const struct cli_outcome *outcome)
{
	cli_progress_clear(&e->progress);
	cli_say("%s failed in round %zu: %s; --ignore-failure goes on, --show-output shows what "
		"it says",
		e->results.side[side].name, e->rounds + 1, cli_outcome_text(outcome).text);
	return CLI_EXIT_FAILED;
}

static int run_and_keep(struct cli_experiment *e, size_t side)
{
	struct cli_outcome outcome;
	int ret;

	ret = run_once(e, side);
	if (!ret && e->results.metrics == CLI_FIGURES + 1)
		ret = add_items(e);
	if (ret)
		return ret;
	outcome = cli_measure_outcome(&e->measure);
	add_run(e, side, &outcome);
	if (cli_outcome_is_good(&outcome))
		return 0;
	cli_descendants_end(CLI_GRACE_NS, NULL);
	if (outcome.was_interrupted)
		return CLI_EXIT_FAILED;
	return e->o->ignore_failure ? 0 : end_at_failure(e, side, &outcome);
}

/*
 * R. A. Fisher's and F. Yates' shuffle. 32 random bits are so many that what is left over matters
 * not.
 */
static int shuffle(size_t *order, size_t n)
{
	for (size_t left = n; left > 1; left--) {
		uint32_t number;
		size_t at, last = order[left - 1];

		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -errno;
		at = number % left;
		order[left - 1] = order[at];
		order[at] = last;
	}
	return 0;
}

static int run_round(struct cli_experiment *e)
{
	int ret;

	if (shuffle(e->order, e->commands->n)) {
		cli_say("no random order: %s", strerror(errno));
		return CLI_EXIT_FAILED;
	}
	for (size_t i = 0; i < e->commands->n; i++) {
		ret = cli_signals_stop() ? CLI_EXIT_FAILED : run_and_keep(e, e->order[i]);
		if (ret)
			return ret;
		show_progress(e);
	}
	e->rounds++;
	if (e->rounds == 1)
		e->is_bare = has_no_counters(&e->results);
	return 0;
}

/* What the user wants to decide by is there or not after a round. */
static int check_decider(struct cli_experiment *e)
{
	const struct cli_results *r = &e->results;
	size_t at = r->by ? cli_results_find_metric(r, r->by) : SIZE_MAX;
	const char *why = "these runs have no number of it";

	if (!r->by || e->rounds != 1 || cli_results_decider(r) != SIZE_MAX ||
	    cli_results_has_silent_side(r))
		return 0;
	for (size_t i = 0; i < r->sides; i++)
		if (r->side[i].outlived)
			why = "processes of a command ran on after its end: --wait-all waits for "
			      "them";
	if (at != SIZE_MAX && *r->metric[at].reason)
		why = r->metric[at].reason;
	cli_progress_clear(&e->progress);
	cli_say("--by %s: %s", r->by, why);
	return CLI_EXIT_FAILED;
}

static int run_rounds(struct cli_experiment *e)
{
	int ret = 0;

	cli_progress_init(&e->progress, "round");
	do {
		ret = run_round(e);
		ret = ret ? ret : check_decider(e);
	} while (!ret && !cli_stop_is_over(&e->stop, &e->results, e->rounds,
					   cli_now_ns() - e->progress.began_ns));
	cli_progress_clear(&e->progress);
	e->results.is_finished = !ret;
	return ret;
}

static int warm_up(struct cli_experiment *e)
{
	for (uint64_t i = 0; i < e->o->warmups; i++) {
		for (size_t side = 0; side < e->commands->n; side++) {
			int ret = cli_signals_stop() ? CLI_EXIT_FAILED : run_once(e, side);

			if (ret)
				return ret;
		}
	}
	return 0;
}

/*
 * Of each command; a line that it shares with the one before is run once. @goes_on: also after one
 * that failed.
 */
static int run_hooks(const struct cli_experiment *e, const char *option, size_t member,
		     bool goes_on)
{
	const char *before = NULL;
	int ret = 0;

	for (size_t i = 0; i < e->commands->n && (!ret || goes_on); i++) {
		const char *line;

		memcpy(&line, (const char *)&e->commands->of[i] + member, sizeof(line));
		if (line && (!before || strcmp(line, before) != 0))
			ret = cli_hook_run(option, line) ? CLI_EXIT_FAILED : ret;
		before = line;
	}
	return ret;
}

static void begin(struct cli_experiment *e)
{
	struct cli_results *r = &e->results;
	double precision = e->o->precision;
	struct utsname machine = { "" };

	(void)uname(&machine);
	r->host = cli_strdup(machine.nodename);
	r->is_interleaved = true;
	r->is_in_emulator = e->o->run.via == NTIME_VIA_EMULATOR;
	r->by = e->o->by ? cli_strdup(e->o->by) : NULL;
	cli_results_add_figures(r);
	e->run = cli_calloc(e->commands->n, sizeof(*e->run));
	e->order = cli_calloc(e->commands->n, sizeof(*e->order));
	for (size_t i = 0; i < e->commands->n; i++) {
		const struct cli_compare_command *of = &e->commands->of[i];

		(void)cli_results_add_side(r, of->name, of->line);
		r->side[i].is_named = e->o->name.n;
		for (size_t k = 0; k < of->parameters; k++)
			cli_results_add_parameter(r, i, of->parameter[k].name,
						  of->parameter[k].value);
		e->run[i] = e->o->run;
		e->run[i].argv = of->argv;
		e->order[i] = i;
	}
	if (!(precision > 0))
		precision = e->o->fail_above > 1 ? fmin(PRECISION, log(e->o->fail_above) / 4)
						 : PRECISION;
	cli_stop_init(&e->stop, r, e->o->rounds, precision, e->o->precision > 0);
}

/* Fewer runs have numbers and no verdict; who asks for one knows so before they are made. */
static int check_rounds(const struct cli_experiment *e)
{
	size_t least = cli_least_rounds(&e->results);

	if (!e->o->rounds || e->o->rounds >= least || e->o->fail_above <= 0)
		return 0;
	(void)cli_compare_misuse("-n %ju is too few for --fail-above: an interval of 95 %% needs "
				 "at least %zu runs of each command",
				 (uintmax_t)e->o->rounds, least);
	return CLI_EXIT_FAILED;
}

int cli_experiment_run(struct cli_experiment *e)
{
	int ret;

	begin(e);
	ret = check_rounds(e);
	if (ret)
		return ret;
	ret = run_hooks(e, "--setup", offsetof(struct cli_compare_command, setup), false);
	if (!ret)
		ret = cli_measure_launcher(e->ctx, e->run, e->commands->n, &e->launcher);
	if (!ret)
		ret = warm_up(e);
	if (!ret)
		ret = run_rounds(e);
	if (run_hooks(e, "--cleanup", offsetof(struct cli_compare_command, cleanup), true))
		ret = ret ? ret : CLI_EXIT_FAILED;
	return ret;
}

void cli_experiment_fini(struct cli_experiment *e)
{
	cli_measure_fini(&e->measure);
	ntime_launcher_free(e->launcher);
	cli_results_fini(&e->results);
	free(e->run);
	free(e->order);
}
