// SPDX-License-Identifier: MIT
/* ntime stat: run a command, or look at what runs, and print what was counted. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <ntime/context.h>
#include <ntime/list.h>
#include <ntime/reason.h>

#include "base/command/command.h"
#include "base/command/descendants.h"
#include "base/output/emulated.h"
#include "count/cli/shared/leftover.h"
#include "count/cli/shared/machine.h"
#include "count/cli/stat/measure.h"
#include "base/output/file.h"
#include "base/command/progress.h"
#include "count/cli/stat/plan_notes.h"
#include "base/output/say.h"
#include "base/command/signals.h"
#include "base/output/memory.h"
#include "count/cli/stat/functions.h"
#include "count/cli/stat/options.h"
#include "count/cli/stat/per.h"
#include "count/cli/stat/rusage.h"
#include "count/cli/report/tally.h"

/**
 * struct stat - state of one invocation
 * @tally:	per item, over the rounds that ended well; without -r over the only one
 * @round:	values of one round: of one run, or put together from one run per pass
 * @is_rusage:	per item: its counter is refused, and wait4(2) has it
 * @figure:	of the runs of one round
 * @per:	what --per asks for, of the only run
 * @outcome:	of one round: of its last run, or of the first one that did not end well
 * @left_out:	rounds that did not end well
 * @rounds:	that were run
 * @status:	wait(2)'s, of the last run, or of the first one that failed
 */
struct stat {
	struct cli_stat_options o;
	struct ntime_ctx *ctx;
	struct cli_output output;
	struct cli_style style;
	struct cli_report report;
	struct cli_measure measure;
	struct ntime_launcher *launcher;
	struct cli_notes notes;
	struct cli_tally *tally;
	struct ntime_value *round;
	unsigned int *turns; /* of this round: passes in which a part of an item was counted */
	bool *is_incomplete; /* in some round not all that has a part was */
	bool *is_rusage;
	struct cli_spread figure[CLI_FIGURES];
	struct cli_per_rows per;
	struct cli_outcome outcome;
	struct cli_outcomes left_out;
	size_t rounds;
	char *target;
	int status;
	bool has_begun;	   /* the output */
	bool has_counted;  /* in one of the runs at least */
	bool has_interval; /* one was printed: items have its values */
};

static int begin_output(struct stat *st)
{
	if (!st->has_begun && st->o.writer->begin)
		st->o.writer->begin(st->output.f, &st->style, &st->report);
	st->has_begun = true;
	return 0;
}

/* Of what runs already: is everything refused, and nothing there that stands in for it? */
static int check_attached(const struct stat *st, struct cli_measure *m)
{
	const struct ntime_command_end none = { .size = sizeof(none) };
	const struct cli_item *absent = NULL;
	struct ntime_value value;

	for (size_t i = 0; i < st->report.items; i++)
		if (!*st->report.item[i].reason)
			return 0;
	if (cli_sessions_read(&m->sessions, m->values))
		return CLI_EXIT_FAILED;
	for (size_t i = 0; i < st->report.items; i++) {
		const struct cli_item *item = &st->report.item[i];

		if (!(m->values[i].flags & NTIME_ABSENT) ||
		    cli_rusage_value(item->name, &none, true, &value))
			return 0;
		if (item->reason_code == NTIME_REASON_PERMISSION ||
		    item->reason_code == NTIME_REASON_PARANOID ||
		    item->reason_code == NTIME_REASON_FILTERED)
			absent = item;
	}
	if (!absent)
		return 0;
	cli_say("nothing can be counted on that process: %s; remedy: %s", absent->reason,
		absent->remedy);
	return CLI_EXIT_FAILED;
}

/* Called once per measurement, when the counters are open. */
static int on_open(void *arg, struct cli_measure *m)
{
	struct stat *st = arg;

	if (st->report.item)
		return 0;
	if (st->o.per && st->o.per != CLI_PER_FUNCTION &&
	    cli_per_check(st->ctx, m->sessions.session[0], st->o.per))
		return CLI_EXIT_FAILED;
	if (cli_sessions_describe(&m->sessions, &st->report.item))
		return CLI_EXIT_FAILED;
	st->report.items = m->sessions.items;
	if (st->o.pids && !st->o.dry_run && check_attached(st, m))
		return CLI_EXIT_FAILED;
	st->report.passes = cli_sessions_passes(&m->sessions);
	st->tally = cli_calloc(st->report.items + 1, sizeof(*st->tally));
	st->round = cli_calloc(st->report.items + 1, sizeof(*st->round));
	st->turns = cli_calloc(st->report.items + 1, sizeof(*st->turns));
	st->is_incomplete = cli_calloc(st->report.items + 1, sizeof(*st->is_incomplete));
	st->is_rusage = cli_calloc(st->report.items + 1, sizeof(*st->is_rusage));
	return 0;
}

/*
 * Reasons are final now: the kernel was asked. What cannot be right in one run stays so, whatever
 * later ones say.
 */
static int refresh_items(struct stat *st)
{
	struct cli_item *items;

	if (cli_sessions_describe(&st->measure.sessions, &items))
		return CLI_EXIT_FAILED;
	for (size_t i = 0; i < st->report.items; i++) {
		struct cli_item *old = &st->report.item[i], now = items[i];

		items[i].value = now.value = old->value;
		if (now.reason_code || old->reason_code != NTIME_REASON_IMPLAUSIBLE)
			continue;
		items[i] = *old;
		*old = now;
	}
	cli_items_free(st->report.item, st->report.items);
	st->report.item = items;
	return 0;
}

static bool has_implausible(const struct stat *st, const struct ntime_value *values)
{
	for (size_t i = 0; i < st->report.items; i++)
		if (values[i].flags & NTIME_IMPLAUSIBLE)
			return true;
	return false;
}

/* As cli_item_set_value(), of the interval after the one whose value the item has. */
static void set_next_value(const struct stat *st, struct cli_item *item,
			   const struct ntime_value *value)
{
	struct ntime_value before = item->value;

	cli_item_set_value(item, value, st->o.no_scale);
	item->is_alike = st->has_interval && cli_value_is_known(&before) &&
			 cli_value_is_known(&item->value) && item->value.flags & NTIME_SCALED &&
			 !ntime_value_compare(&before, &item->value);
}

static int on_interval(void *arg, struct cli_measure *m, const struct ntime_value *values,
		       double time_s)
{
	struct stat *st = arg;

	(void)m;
	if (has_implausible(st, values) && refresh_items(st))
		return CLI_EXIT_FAILED;
	for (size_t i = 0; i < st->report.items; i++)
		st->report.is_simulated |= !!(values[i].flags & NTIME_SIMULATED);
	begin_output(st);
	for (size_t i = 0; i < st->report.items; i++)
		set_next_value(st, &st->report.item[i], &values[i]);
	st->has_interval = true;
	st->o.writer->interval(st->output.f, &st->style, &st->report, time_s);
	return cli_output_flush(&st->output) < 0;
}

static void add_figures(struct stat *st, const struct cli_measure *m)
{
	double figure[CLI_FIGURES];
	int known = cli_measure_figures(m, figure);

	st->report.at_most[CLI_MAX_RSS] |= cli_measure_rss_is_at_most(m);
	for (int i = 0; i < known; i++)
		cli_spread_add(&st->figure[i], figure[i]);
}

/*
 * What this user may not count the kernel counts all the same, for the whole command or process:
 * that is no reason to say that nobody knows. 0 or the exit status of ntime after a sentence.
 */
static int fill_from_rusage(struct stat *st, struct cli_measure *m)
{
	const struct ntime_command_end *end = m->is_attached ? &m->attached : &m->end;
	bool has_filled = false;

	if (!m->is_attached &&
	    (!cli_measure_is_of_command(m) || st->o.delay_ns || st->o.no_inherit))
		return 0;
	for (size_t i = 0; i < st->report.items; i++) {
		struct ntime_value *v = &m->values[i];

		if (!(v->flags & NTIME_ABSENT) || st->report.item[i].is_metric ||
		    !cli_rusage_value(st->report.item[i].name, end, m->is_attached, v))
			continue;
		has_filled = st->is_rusage[i] = true;
	}
	return has_filled && cli_sessions_metrics(&m->sessions, m->values) ? CLI_EXIT_FAILED : 0;
}

/* One measurement; its sessions stay in st->measure until the next one or the end. */
static int measure_once(struct stat *st, int pass)
{
	int ret;

	if (st->measure.ctx)
		cli_measure_fini(&st->measure);
	st->measure = (struct cli_measure){
		.ctx = st->ctx,
		.options = &st->o,
		.launcher = st->launcher,
		.pass = pass,
		.on_open = on_open,
		.on_interval = on_interval,
		.arg = st,
	};
	ret = cli_measure_run(&st->measure);
	if (!ret)
		ret = fill_from_rusage(st, &st->measure);
	if (ret)
		return ret;
	add_figures(st, &st->measure);
	if (cli_outcome_is_good(&st->outcome))
		st->outcome = cli_measure_outcome(&st->measure);
	st->report.timed_out = st->report.timed_out || st->measure.timed_out;
	if (st->measure.left > st->report.left)
		st->report.left = st->measure.left;
	/* What a failed run left would be beside the next one. */
	if (st->o.has_runs && !cli_outcome_is_good(&st->outcome))
		cli_descendants_end(CLI_GRACE_NS, NULL);
	st->has_counted = st->has_counted || st->measure.is_counting;
	st->report.is_too_early = !st->has_counted;
	/* The first one that did not end well is told. */
	if (st->measure.command && WIFEXITED(st->status) && WEXITSTATUS(st->status) == 0)
		st->status = st->measure.end.status;
	return 0;
}

static bool has_failed(const struct stat *st)
{
	return !cli_signals_stop() && !cli_outcome_is_good(&st->outcome);
}

/* Fewer runs were made than were asked for. */
static void say_end(const struct stat *st)
{
	char why[128] = "";

	if (has_failed(st))
		snprintf(why, sizeof(why), ", which failed (%s)",
			 cli_outcome_text(&st->outcome).text);
	cli_say("ended after run %zu of %" PRIu64 "%s: %zu run%s in the mean%s%s", st->rounds,
		st->o.runs, why, st->report.runs, st->report.runs == 1 ? " is" : "s are",
		*why && st->o.hides_output ? "; --show-output shows what it says" : "",
		*why ? "; ntime compare --ignore-failure goes on after such runs" : "");
}

static int count_round(struct stat *st)
{
	for (size_t i = 0; i < st->report.items; i++)
		cli_tally_add(&st->tally[i], &st->round[i]);
	for (int i = 0; i < CLI_FIGURES; i++)
		cli_spread_join(&st->report.figure[i], &st->figure[i]);
	return has_implausible(st, st->round) ? refresh_items(st) : 0;
}

/* The round's runs were made. */
static int end_round(struct stat *st)
{
	st->rounds++;
	/* Who asked for one run wants its values, however it ended. */
	if (st->o.has_runs && !cli_outcome_is_good(&st->outcome)) {
		cli_outcomes_add(&st->left_out, &st->outcome);
		return 0;
	}
	st->report.runs++;
	return count_round(st);
}

static void forget_figures(struct cli_spread *figure)
{
	for (int i = 0; i < CLI_FIGURES; i++)
		cli_spread_fini(&figure[i]);
}

/*
 * What the run of @pass had of item @i, into the round: each item has its value in one run, or in
 * all. Parts of a sum that do not fit into one run have theirs in several.
 */
static void put_value(struct stat *st, size_t i, unsigned int pass)
{
	const struct cli_item *item = &st->report.item[i];
	const struct ntime_value *v = &st->measure.values[i];

	if (item->turns > 1 && !item->is_metric && cli_value_is_known(v)) {
		if (st->turns[i]++)
			cli_value_add(&st->round[i], v);
		else
			st->round[i] = *v;
	} else if (!pass || (item->pass == pass && !st->turns[i])) {
		st->round[i] = *v;
	}
}

/* A sum one of whose parts was not counted is a part of what it should be. */
static void note_missing_turns(struct stat *st)
{
	for (size_t i = 0; i < st->report.items; i++) {
		if (!st->turns[i] || st->turns[i] >= st->report.item[i].turns)
			continue;
		st->round[i].flags |= NTIME_PARTIAL;
		st->is_incomplete[i] = true;
	}
}

/*
 * Metrics of @values, which are of several runs of the command, or their means. Where a run for
 * each pass is made, one whose events are of one pass is of that run: also what is in every pass,
 * as clocks that a share is of.
 */
static int metrics_anew(struct stat *st, struct ntime_value *values)
{
	struct ntime_value *own = cli_malloc((st->report.items + 1) * sizeof(*own));
	int ret;

	memcpy(own, values, st->report.items * sizeof(*own));
	ret = cli_sessions_metrics(&st->measure.sessions, values);
	for (size_t i = 0; i < st->report.items; i++)
		if (st->o.by_pass && st->report.item[i].is_metric && st->report.item[i].turns == 1)
			values[i] = own[i];
	free(own);
	return ret;
}

/* One run; with --passes one for each pass, which gives the values of its own items. */
static int run_round(struct stat *st)
{
	unsigned int pass = 0;

	forget_figures(st->figure);
	st->outcome = (struct cli_outcome){ .status = 0 };
	if (st->turns)
		memset(st->turns, 0, st->report.items * sizeof(*st->turns));
	do {
		int ret = measure_once(st, st->o.by_pass ? (int)pass : CLI_ALL_PASSES);

		if (ret)
			return ret;
		for (size_t i = 0; i < st->report.items; i++)
			put_value(st, i, pass);
		if (!st->o.by_pass)
			return end_round(st);
		/* Not for its status: 1 may be what it always ends with. */
		if ((st->outcome.was_interrupted || st->outcome.timed_out ||
		     WIFSIGNALED(st->outcome.status)) &&
		    pass + 1 < st->report.passes) {
			cli_say("ended in pass %u of %u: the events of later passes are missing",
				pass + 1, st->report.passes);
			break;
		}
	} while (++pass < st->report.passes);
	note_missing_turns(st);
	if (metrics_anew(st, st->round))
		return CLI_EXIT_FAILED;
	return end_round(st);
}

/* Runs that were made are not lost because a later one cannot be. */
static int run_rounds(struct stat *st)
{
	struct cli_progress progress;
	int ret;

	cli_progress_init(&progress, "run");
	do {
		ret = run_round(st);
		if (!ret && st->o.hides_output && cli_progress_is_due(&progress))
			cli_progress_show(&progress, st->rounds, st->o.runs, false, NULL);
	} while (!ret && st->rounds < st->o.runs && !cli_signals_stop() && !has_failed(st));
	cli_progress_clear(&progress);
	if (ret && !(cli_signals_stop() && st->rounds))
		return ret;
	if (st->rounds < st->o.runs)
		say_end(st);
	/* A mean of none would show nothing at all; the writers say what this is. */
	return st->report.runs ? 0 : count_round(st);
}

/* --per. 0 or the exit status of ntime after a sentence. */
static int make_rows(struct stat *st)
{
	struct ntime_session *s = st->measure.sessions.session[0];

	if (st->o.per == CLI_PER_FUNCTION)
		return cli_functions_make(&st->per, &st->report, &st->style, st->ctx, s,
					  st->measure.emulator);
	return cli_per_rows_make(&st->per, &st->report, st->ctx, s, &st->o);
}

/* What the command left running is in no number; a reason that an item has already stays. */
static void tell_left(struct cli_report *r)
{
	snprintf(r->left_reason, sizeof(r->left_reason),
		 r->left == 1 ? "%zu process of the command still ran when it ended"
			      : "%zu processes of the command still ran when it ended",
		 r->left);
	for (size_t i = 0; i < r->items; i++) {
		struct cli_item *item = &r->item[i];

		if (!(item->value.flags & NTIME_PARTIAL) || *item->reason)
			continue;
		free((char *)item->reason);
		free((char *)item->remedy);
		item->reason = cli_strdup(r->left_reason);
		item->remedy = cli_strdup(CLI_LEFT_REMEDY);
		item->reason_code = NTIME_REASON_OUTLIVED;
		item->remedy_kind = NTIME_REMEDY_HERE;
	}
}

static int set_results(struct stat *st)
{
	struct ntime_value *mean = st->round;
	uint32_t flags = 0;

	if (refresh_items(st))
		return CLI_EXIT_FAILED;
	for (size_t i = 0; i < st->report.items; i++)
		cli_tally_mean(&st->tally[i], &mean[i]);
	/* A metric of means is not the mean of the metric. */
	if (st->report.runs > 1 && metrics_anew(st, mean))
		return CLI_EXIT_FAILED;
	for (size_t i = 0; i < st->report.items; i++) {
		cli_item_set_value(&st->report.item[i], &mean[i], st->o.no_scale);
		st->report.item[i].is_rusage = st->is_rusage[i];
		st->report.item[i].is_attached = st->is_rusage[i] && st->measure.is_attached;
		st->report.item[i].is_incomplete = st->is_incomplete[i];
		st->report.item[i].is_alike = false;
		st->report.item[i].spread = st->tally[i].spread;
		flags |= mean[i].flags & NTIME_ABSENT ? 0 : mean[i].flags;
	}
	if (st->report.left)
		tell_left(&st->report);
	if (st->o.per && make_rows(st))
		return CLI_EXIT_FAILED;
	st->report.is_simulated |= !!(flags & NTIME_SIMULATED);
	st->report.status = st->status;
	st->report.n_frames = st->measure.frames.n;
	st->report.kept_frames = CLI_FRAMES_DEPTH;
	st->report.has_ended = st->o.argv && st->rounds;
	if (st->o.verbose &&
	    cli_notes_take(&st->notes, st->ctx, st->measure.sessions.session[0], &st->report))
		return cli_say_no_memory();
	return 0;
}

static int write_report(struct stat *st)
{
	st->report.note = (const char *const *)st->notes.line;
	st->report.notes = st->notes.n;
	begin_output(st);
	st->o.writer->summary(st->output.f, &st->style, &st->report);
	return cli_output_close(&st->output) ? CLI_EXIT_FAILED : 0;
}

/* " 12 (sleep)" */
static void put_process(FILE *f, int pid, bool is_here)
{
	char path[64], name[32] = "";
	FILE *comm;

	(void)snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	comm = is_here ? cli_fopen(path, "re") : NULL;
	if (comm && fgets(name, sizeof(name), comm))
		name[strcspn(name, "\n")] = '\0';
	if (comm)
		(void)fclose(comm);
	fprintf(f, *name ? " %d (%s)" : " %d", pid, name);
}

/* What is measured, for people; the caller frees. */
static char *describe_target(const struct cli_stat_options *o)
{
	struct cli_text text;

	cli_text_begin(&text);
	if (o->all_cpus)
		fputs("everything on all CPUs", text.f);
	else if (o->cpus)
		fprintf(text.f, "everything on CPU%s %s", strpbrk(o->cpus, ",-") ? "s" : "",
			o->cpus);
	else if (o->pids)
		fprintf(text.f, "%s%s", o->are_threads ? "thread" : "process",
			o->pids == 1	 ? ""
			: o->are_threads ? "s"
					 : "es");
	for (size_t i = 0; i < o->pids; i++) {
		fputs(i ? "," : "", text.f);
		put_process(text.f, o->pid[i], !o->machine);
	}
	return cli_text_end(&text);
}

/*
 * What would be absent, and what would be counted in part; a reason alone does not say which of the
 * two.
 */
static int plan_values(struct stat *st)
{
	size_t n = st->report.items;
	struct ntime_value *v = cli_calloc(n + 1, sizeof(*v));
	int ret;

	ret = ntime_session_read(st->measure.sessions.session[0], v, n);
	if (ret < 0)
		cli_say("%s", ntime_error_text(st->ctx));
	for (size_t i = 0; i < n && ret >= 0; i++) {
		struct cli_item *item = &st->report.item[i];
		uint32_t part = v[i].flags & NTIME_USER_ONLY;

		item->value = (struct ntime_value){ .value = NAN };
		item->value.flags = *item->reason && !part && !cli_item_is_noted(item)
					    ? NTIME_ABSENT
					    : NTIME_NOT_COUNTED | part;
	}
	free(v);
	return ret < 0 ? CLI_EXIT_FAILED : 0;
}

/*
 * --dry-run: the counters are opened, since only the kernel knows whether they can be, and never
 * started.
 */
static int plan_only(struct stat *st)
{
	int ret;

	if (cli_sessions_new(&st->measure.sessions, st->ctx, &st->o, 0,
			     st->o.by_pass ? 0 : CLI_ALL_PASSES, NULL))
		return CLI_EXIT_FAILED;
	if (cli_sessions_open(st->ctx, st->measure.sessions.session, st->measure.sessions.n))
		return CLI_EXIT_FAILED;
	ret = on_open(st, &st->measure);
	if (!ret)
		ret = plan_values(st);
	if (ret)
		return ret;
	if (cli_notes_take(&st->notes, st->ctx, st->measure.sessions.session[0], &st->report))
		return cli_say_no_memory();
	st->report.argv = st->o.argv;
	st->style.plan_only = true;
	return 0;
}

static int run_all(struct stat *st)
{
	int ret = 0;

	cli_signals_init();
	if (st->o.runs > 1 || st->o.by_pass)
		ret = cli_measure_launcher(st->ctx, &st->o, 1, &st->launcher);
	return ret ? ret : run_rounds(st);
}

/* The header stands once, before all reports. 0, or an exit status after a sentence. */
static int look_at_head(struct stat *st)
{
	struct cli_text head;
	char *text;
	int ret;

	cli_text_begin(&head);
	st->o.writer->begin(head.f, &st->style, &st->report);
	text = cli_text_end(&head);
	ret = cli_output_expect_head(&st->output, text);
	free(text);
	if (ret >= 0)
		return 0;
	cli_say("cannot append to %s: %s", st->o.output,
		ret == -EEXIST ? "it does not begin with the columns of this report; name another "
				 "file"
			       : strerror(-ret));
	return CLI_EXIT_FAILED;
}

static int prepare(struct stat *st)
{
	struct cli_machine machine = {
		.root = st->o.root,
		.recording = st->o.machine,
		.model = st->o.model,
		.metrics = st->o.metrics,
		.verbose = st->o.verbose,
		.no_self_test = st->o.no_self_test,
		.runs_command = st->o.argv && !st->o.dry_run,
		.counts = !st->o.dry_run,
	};

	if (cli_machine_open(&machine, &st->ctx))
		return CLI_EXIT_FAILED;
	st->target = describe_target(&st->o);
	if (cli_output_open(&st->output, st->o.output, st->o.append))
		return CLI_EXIT_FAILED;
	st->style = (struct cli_style){
		.look = cli_look_at(st->output.fd),
		.verbose = st->o.verbose,
		.quiet = st->o.quiet,
		.format = st->o.format,
		.by_interval = st->o.interval_ns,
		.by_run = st->o.has_runs,
		.by_row = st->o.per,
		.by_function = st->o.per == CLI_PER_FUNCTION,
		.brief = !st->o.wishes && !st->o.verbose,
	};
	st->report = (struct cli_report){
		.version = ntime_version(),
		.argv = st->o.argv,
		.target = st->target,
		.by_pass = st->o.by_pass,
		.frames = st->o.frames,
		.is_of_cpus = st->o.all_cpus || st->o.cpus,
		.is_in_emulator = st->o.via == NTIME_VIA_EMULATOR,
		.is_simulated = st->o.machine,
		.is_recording = st->o.machine,
		.emulated = cli_emulated(),
		.left_out = &st->left_out,
	};
	return st->o.append && st->o.writer->has_head ? look_at_head(st) : 0;
}

/* After everything is printed: what ntime itself ends with; without a command that is @left. */
static int end_as_command(const struct stat *st, int left)
{
	if (!st->o.argv) {
		/* Ctrl-C is how such a measurement is meant to end. */
		if (cli_signals_stop() && cli_signals_stop() != SIGINT)
			cli_signals_die(cli_signals_stop());
		return left;
	}
	/* Whatever the last run made of it: further ones were wanted. */
	if ((st->rounds < st->o.runs || st->measure.was_cut) && cli_signals_stop())
		cli_signals_die(cli_signals_stop());
	if (st->report.timed_out)
		return CLI_EXIT_TIMEOUT;
	if (!WIFSIGNALED(st->status))
		return WEXITSTATUS(st->status);
	cli_signals_die(WTERMSIG(st->status));
	return 128 + WTERMSIG(st->status);
}

/* 0, or CLI_EXIT_FAILED after sentences about what was not given back. */
static int stat_fini(struct stat *st)
{
	int ret;

	cli_output_abandon(&st->output);
	cli_per_rows_fini(&st->per);
	cli_items_free(st->report.item, st->report.items);
	cli_measure_fini(&st->measure);
	ntime_launcher_free(st->launcher);
	ret = cli_leftover_say(st->ctx);
	cli_notes_fini(&st->notes);
	cli_outcomes_fini(&st->left_out);
	forget_figures(st->figure);
	forget_figures(st->report.figure);
	for (size_t i = 0; st->tally && i < st->report.items; i++)
		cli_tally_fini(&st->tally[i]);
	free(st->tally);
	free(st->is_rusage);
	free(st->is_incomplete);
	free(st->turns);
	free(st->round);
	free(st->target);
	ntime_close(st->ctx);
	return ret;
}

static int run_stat(const struct cli_command *self, int argc, char **argv)
{
	struct stat st = { .status = 0 };
	int ret = cli_stat_options_parse(&st.o, self, argc, argv), left;
	bool was_stopped;

	if (ret < 0) {
		cli_stat_options_fini(&st.o);
		return cli_options_end(ret);
	}
	ret = prepare(&st);
	if (!ret)
		ret = st.o.dry_run ? plan_only(&st) : run_all(&st);
	if (!ret && !st.o.dry_run)
		ret = set_results(&st);
	if (!ret)
		ret = write_report(&st);
	was_stopped = st.measure.was_stopped;
	left = stat_fini(&st);
	if (was_stopped)
		cli_signals_die(cli_signals_stop());
	if (!ret)
		ret = st.o.dry_run ? left : end_as_command(&st, left);
	cli_stat_options_fini(&st.o);
	return ret;
}

const struct cli_command cli_stat_command = {
	.name = "stat",
	.is_default = true,
	.usage = "[stat] [OPTION...] [--] COMMAND [ARG...]\n"
		 "[stat] [OPTION...] -a|-C LIST|-p PID|-t TID [[--] COMMAND [ARG...]]",
	.about = "run a command, or attach to running programs, and print times and counters",
	.details = "Without -e and -m a default set of events is counted. TIME is a number of "
		   "seconds, or a number with ns, us, ms, s or min. The report goes to "
		   "standard error.\n\nExit status: that of the command; 124 if --timeout ended "
		   "it, 125 if ntime itself failed, 126 if the command cannot be executed, 127 if "
		   "it is not found. If a signal kills the command, ntime ends by the same signal "
		   "after the report.",
	.options = cli_stat_option_table,
	.foreign = cli_stat_foreign,
	.run = run_stat,
};
