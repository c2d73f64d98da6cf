// SPDX-License-Identifier: MIT
/* ntime watch: sample counters per socket, core or thread, live. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output/absence.h"
#include "base/output/emulated.h"
#include "count/cli/shared/leftover.h"
#include "count/cli/shared/machine.h"
#include "base/output/say.h"
#include "base/output/stamp.h"
#include "count/cli/stat/per.h"
#include "count/cli/stat/sessions.h"
#include "base/command/signals.h"
#include "base/command/wait.h"
#include "base/output/memory.h"
#include "count/cli/watch/watch.h"
#include "count/cli/watch/log.h"

/*
 * Passes that take turns are looked at so often, as ntime stat does: the library learns how steady
 * the counts are, or ends turns.
 */
#define TURN_NS 100000000u
/* So long after it came a CPU is counted at the latest. */
#define FOLLOW_NS 50000000u
/* Below this, looks between samples cost more than they find. */
#define LEAST_LOOK_NS 1000000u
/* Rates and what is computed are relied on where the period is known to such a part. */
#define UNSURE_SHARE 50
/* Lines wait no longer than this to be seen. */
#define FLUSH_NS 100000000u

/* What --help says first where ncursesw was not there. */
#ifdef CLI_HAS_SCREEN
#define NO_SCREEN ""
#else
#define NO_SCREEN                                                                                  \
	"This ntime was built without ncursesw: it prints lines on terminals too, and the keys "   \
	"below do not work.\n\n"
#endif

static int prepare_session(struct cli_watch *w)
{
	struct ntime_target target = { .size = sizeof(target),
				       .via = w->o.via,
				       .context = w->o.context };
	int ret;

	target.kind = w->o.cpus ? NTIME_TARGET_CPUS : NTIME_TARGET_MACHINE;
	target.cpus = w->o.cpus;
	ret = cli_machine_check(w->ctx, ntime_session_new(w->ctx, &target, &w->session));
	return ret ? ret
		   : cli_watch_items_add(&w->items, w->ctx, w->session, w->o.wish, w->o.wishes);
}

/* -errno without a sentence: while the screen is up there is no place for one. */
static int read_places(struct cli_watch *w, struct ntime_value *out)
{
	int ret = ntime_session_read_where(w->session, out, ntime_session_count(w->session),
					   ntime_session_where_count(w->session));

	return ret < 0 ? ret : 0;
}

/*
 * The same at one end of a period. A recording has a clock of its own, but samples of it are due by
 * this machine's.
 */
static int read_end(struct cli_watch *w, struct ntime_value *out)
{
	int ret = read_places(w, out);

	if (ret)
		return ret;
	if (w->o.machine) {
		w->last_ns = cli_now_ns();
		return 0;
	}
	return ntime_session_read_time(w->session, &w->last_ns, &w->last_unsure_ns);
}

/* Rooms for the values of the CPUs that have come; the old ones stand first. */
static void grow_values(struct cli_watch *w)
{
	size_t items = ntime_session_count(w->session);
	size_t n = items * ntime_session_where_count(w->session);

	if (n == w->values)
		return;
	w->last = cli_realloc(w->last, n + 1, sizeof(*w->last));
	w->now = cli_realloc(w->now, n + 1, sizeof(*w->now));
	w->delta = cli_realloc(w->delta, n + 1, sizeof(*w->delta));
	cli_rows_begin(w->last, w->values, n, items, w->items.item);
	w->values = n;
}

static void say_methods(const struct cli_watch *w)
{
	for (size_t i = 0; i < w->items.n; i++) {
		const struct cli_row_item *item = &w->items.item[i];

		if (!item->is_shown)
			continue;
		if (item->info.is_metric)
			cli_say("%s is computed: %s", item->name, item->info.name);
		else
			cli_say("%s is counted by %s through %s", item->name, item->info.unit,
				*item->info.method ? item->info.method : "nothing");
	}
}

/* What a screen has of its own. */
static void say_what_is_behind(const struct cli_watch *w)
{
	struct cli_look look = cli_look_at(STDERR_FILENO);
	char quota[256];

	cli_watch_quota_text(w, quota, sizeof(quota));
	/*
	 * Numbers of an emulated machine are nowhere without this; other forms have it in each
	 * sample.
	 */
	if (w->o.form != CLI_WATCH_CSV && w->o.form != CLI_WATCH_JSON)
		cli_emulated_put(stderr, &look, w->emulated);
	if (!w->o.is_quiet && w->o.form != CLI_WATCH_JSON)
		cli_watch_items_tell(&w->items, "watch", w->o.verbose);
	if (*quota && !w->o.is_quiet && w->o.form != CLI_WATCH_JSON)
		cli_say("%s", quota);
}

/* How long may pass between two reads. */
static uint64_t look_ns(const struct cli_watch *w)
{
	uint64_t max_read_interval = ntime_session_max_read_interval_ns(w->session);
	uint64_t look = max_read_interval == UINT64_MAX ? UINT64_MAX : max_read_interval / 2;

	if (look < LEAST_LOOK_NS) {
		cli_say("the fastest of these counters may wrap within %llu us, sooner than it can "
			"be read: counts with 'overflowed' are lower bounds",
			(unsigned long long)(max_read_interval / 1000));
		look = LEAST_LOOK_NS;
	}
	if (ntime_session_passes(w->session) > 1 && look > TURN_NS)
		look = TURN_NS;
	return look;
}

/* Where CPUs are; without a topology there is one row for all, unless CPUs are asked for. */
static int find_rows(struct cli_watch *w)
{
	enum cli_per per = w->o.per;
	int ret = cli_rows_init(&w->rows, w->session, w->items.n);

	if (cli_per_is_unknown(w->ctx, per, ret))
		return ret;
	if (per == CLI_PER_CHOSEN)
		per = ret < 0		     ? CLI_PER_NONE
		      : w->items.is_overview ? CLI_PER_SOCKET
					     : cli_rows_choose(w->items.item, w->items.n);
	cli_rows_arrange(&w->rows, per, w->items.item);
	return 0;
}

/* Full screen where somebody looks, lines elsewhere. */
static void choose_view(struct cli_watch *w)
{
	bool is_terminal = !w->o.output && isatty(STDOUT_FILENO) && !w->ends_by_itself;

	if (w->o.form == CLI_WATCH_SCREEN && is_terminal && cli_watch_screen_view)
		w->view = cli_watch_screen_view;
	else if (w->o.form == CLI_WATCH_CSV)
		w->view = w->o.frames ? &cli_watch_wide_view : &cli_watch_csv_view;
	else if (w->o.form == CLI_WATCH_JSON)
		w->view = &cli_watch_json_view;
	else
		w->view = &cli_watch_plain_view;
}

/* Count from here on, and learn what cannot be. */
static int start(struct cli_watch *w)
{
	/* First of all: from then on a CPU that goes is no error. */
	int ret = ntime_session_follow(w->session);

	if (ret >= 0)
		ret = ntime_session_start(w->session);
	grow_values(w);
	if (ret >= 0)
		ret = read_places(w, w->last);
	if (ret >= 0)
		ret = cli_watch_items_describe(&w->items, w->session, w->last,
					       ntime_session_where_count(w->session), w->o.verbose);
	ret = cli_machine_check(w->ctx, ret);
	return ret ? ret : cli_watch_items_check(&w->items, w->items.shown);
}

static int begin_view(struct cli_watch *w)
{
	int ret;

	if (w->view != cli_watch_screen_view) {
		ret = cli_watch_out_open(&w->out, w->o.output, w->o.is_append);
		if (ret)
			return ret;
	}
	ret = w->view->begin ? w->view->begin(w) : 0;
	/* A terminal that cannot be drawn on gets lines. */
	if (ret == -ENOTTY) {
		w->view = &cli_watch_plain_view;
		say_what_is_behind(w);
		ret = cli_watch_out_open(&w->out, NULL, false);
		if (!ret)
			ret = w->view->begin(w);
	}
	if (!ret && w->view->head)
		ret = w->view->head(w);
	if (!ret && w->out.is_append)
		ret = cli_watch_out_put_head(&w->out, w->view->has_head_once);
	/* Who reads along learns at once what is to come. */
	if (!ret && w->out.buffer)
		(void)cli_watch_out_flush(&w->out);
	return ret;
}

/* As is said of a session. */
static void prepare_view(struct cli_watch *w)
{
	choose_view(w);
	if (w->view != cli_watch_screen_view)
		say_what_is_behind(w);
	if (w->o.verbose)
		say_methods(w);
}

static int prepare(struct cli_watch *w)
{
	int ret;

	if (w->o.frames) {
		ret = cli_watch_frames_prepare(w);
		if (!ret)
			ret = cli_watch_items_check(&w->items, w->items.shown);
		if (!ret)
			prepare_view(w);
		return ret;
	}
	ret = prepare_session(w);

	if (!ret && w->o.clears_log)
		ret = cli_watch_log_clear(w->ctx, w->o.cpus, w->o.is_quiet);
	if (!ret)
		ret = cli_sessions_open(w->ctx, &w->session, 1);
	if (ret < 0)
		return ret;
	ret = start(w);
	if (!ret)
		ret = find_rows(w);
	if (ret)
		return ret;
	prepare_view(w);
	if (!w->o.is_quiet && w->o.interval_ns < CLI_WATCH_DEAR_NS)
		cli_say("below 10 ms samples cost more and are less regular");
	return 0;
}

/* Rows as the CPUs are now; one that went has its row once more, where it counted before. */
static int renew_rows(struct cli_watch *w)
{
	enum cli_per per = w->rows.per;
	size_t items = w->rows.items;

	cli_rows_fini(&w->rows);
	if (cli_rows_init(&w->rows, w->session, items) == -ENOMEM)
		return -ENOMEM;
	w->has_other_cpus = cli_rows_keep(&w->rows, w->items.item, w->delta);
	cli_rows_arrange(&w->rows, per, w->items.item);
	return 0;
}

/* CPUs that came are counted from now on; the next sample has other rows. */
static int follow_cpus(struct cli_watch *w)
{
	int ret = ntime_session_follow(w->session);

	if (ret < 0)
		return ret;
	w->has_other_cpus = w->has_other_cpus || ret;
	grow_values(w);
	return 0;
}

/* What happened since the last sample, in rows. */
static int take_sample(struct cli_watch *w, uint64_t missed)
{
	uint64_t before_ns = w->last_ns, unsure_ns = w->last_unsure_ns;
	struct ntime_value *swap;
	size_t n;
	/* Before they are read: a CPU that was away meanwhile is to show it. */
	int ret = follow_cpus(w);

	if (!ret)
		ret = read_end(w, w->now);
	if (ret)
		return ret;
	swap = w->last;
	n = ntime_session_where_count(w->session) * ntime_session_count(w->session);
	for (size_t i = 0; i < n; i++)
		ntime_value_delta(&w->last[i], &w->now[i], &w->delta[i]);
	w->last = w->now;
	w->now = swap;
	cli_watch_sampler_took(&w->sampler, w->last_ns, &missed);
	w->at_ns = w->last_ns - w->sampler.start_ns;
	w->period_ns = w->last_ns - before_ns;
	w->wall_ns = cli_wall_ns() - (cli_now_ns() - w->last_ns);
	w->unsure_ns = unsure_ns + w->last_unsure_ns;
	if (w->has_other_cpus || w->rows.where_count != ntime_session_where_count(w->session))
		ret = renew_rows(w);
	if (ret)
		return ret;
	w->rows.is_unsure = w->unsure_ns > w->period_ns / UNSURE_SHARE;
	w->missed = missed;
	return cli_rows_add_up(&w->rows, w->items.item, w->session, w->delta);
}

/* Also where a row has others that go on. */
static bool has_flag_somewhere(const struct cli_watch *w, size_t i, uint32_t flag)
{
	for (size_t where = 0; where < w->rows.where_count; where++)
		if (w->delta[where * w->rows.items + i].flags & flag)
			return true;
	return false;
}

static bool can_say(const struct cli_watch *w)
{
	return !w->o.is_quiet && w->view != cli_watch_screen_view;
}

/* Devices that went since the last sample are told once. */
static void look_for_gone(struct cli_watch *w)
{
	for (size_t i = 0; i < w->items.n; i++) {
		struct cli_row_item *item = &w->items.item[i];

		if (item->is_gone || !item->is_shown || !has_flag_somewhere(w, i, NTIME_GONE))
			continue;
		cli_watch_items_lose(&w->items, w->session, i);
		if (can_say(w))
			cli_say("%s is gone: %s", item->name, item->info.reason);
	}
}

/*
 * Numbers that cannot be right are told once, with the reason; metrics have it from their events.
 */
static void look_for_implausible(struct cli_watch *w)
{
	for (size_t i = 0; i < w->items.n; i++) {
		struct cli_row_item *item = &w->items.item[i];

		if (item->info.is_metric || !has_flag_somewhere(w, i, NTIME_IMPLAUSIBLE))
			continue;
		(void)ntime_session_item(w->session, i, &item->info);
		if (can_say(w) && !item->is_implausible)
			cli_say("%s is implausible: %s", item->name, item->info.reason);
		item->is_implausible = true;
	}
}

static int show_sample(struct cli_watch *w, uint64_t now_ns, uint64_t missed, uint64_t *flushed_ns)
{
	int ret = take_sample(w, missed);

	if (ret)
		return ret;
	look_for_gone(w);
	look_for_implausible(w);
	ret = w->view->sample(w);
	w->shown++;
	if (!ret && w->out.buffer &&
	    (w->o.interval_ns >= FLUSH_NS || now_ns - *flushed_ns >= FLUSH_NS)) {
		ret = cli_watch_out_flush(&w->out);
		*flushed_ns = now_ns;
	}
	return ret;
}

/* The rows are to be others: the same sample in them. */
static int change_per(struct cli_watch *w)
{
	enum cli_per per =
		w->rows.per == CLI_PER_NONE ? CLI_PER_SOCKET : (enum cli_per)(w->rows.per + 1);
	int ret = 0;

	cli_rows_arrange(&w->rows, per, w->items.item);
	if (w->shown)
		ret = cli_rows_add_up(&w->rows, w->items.item, w->session, w->delta);
	if (w->view->redraw)
		w->view->redraw(w);
	return ret;
}

/* Until the deadline, a key or a signal. 1: there is input; 0: there is none. */
static int wait_until(const struct cli_watch *w, uint64_t deadline_ns)
{
	const struct cli_watch_view *view = w->view;
	struct pollfd p = { .fd = view && view->input ? view->input(w) : -1, .events = POLLIN };
	uint64_t now = cli_now_ns(), left = deadline_ns > now ? deadline_ns - now : 0;
	struct timespec time = { (time_t)(left / 1000000000u), (long)(left % 1000000000u) };
	int n = ppoll(&p, p.fd >= 0, &time, &w->mask);

	/* Another size of the terminal comes as a signal, and is asked for as a key. */
	return (n > 0 || (n < 0 && errno == EINTR)) && view && view->key;
}

/* Where a shell that ends hands the signal on, there is no terminal any more. */
static bool is_hung_up(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		struct pollfd p = { .fd = fd };

		if (isatty(fd) && poll(&p, 1, 0) > 0 && p.revents & POLLHUP)
			return true;
	}
	return false;
}

/*
 * SIGHUP: the file was moved away (logrotate), and the next lines belong into a new one. Where that
 * cannot be, which was said, they go on into the old one.
 */
static void reopen(struct cli_watch *w)
{
	int ret = cli_watch_out_reopen(&w->out);

	if (ret < 0)
		return;
	if (w->view->head && (ret > 0 || w->view->has_head_once))
		(void)w->view->head(w);
	ret = cli_watch_out_put_head(&w->out, w->view->has_head_once);
	cli_watch_out_keep(&w->out, !ret);
}

int cli_watch_pause(struct cli_watch *w, uint64_t deadline_ns)
{
	int ret = 0;

	if (wait_until(w, deadline_ns)) {
		enum cli_watch_wish_of_key wish = w->view->key(w);

		if (wish == CLI_KEY_QUIT)
			return 1;
		if (wish == CLI_KEY_PER && w->session)
			ret = change_per(w);
	}
	if (cli_signals_stop())
		return 1;
	if (cli_signals_took_hangup()) {
		if (is_hung_up())
			return 1;
		reopen(w);
	}
	return ret;
}

/* 0 when it ended as it should, -errno without a sentence. */
static int loop(struct cli_watch *w)
{
	uint64_t flushed_ns = w->sampler.start_ns;
	/* CPUs that come are not to wait for the end of a long interval; in recordings none do. */
	uint64_t follow_ns = w->o.machine ? UINT64_MAX : flushed_ns + FOLLOW_NS;

	while (!cli_signals_stop() && (!w->o.samples || w->shown < w->o.samples)) {
		uint64_t now, missed, next = cli_watch_sampler_next(&w->sampler);
		int ret;

		ret = cli_watch_pause(w, next < follow_ns ? next : follow_ns);
		if (ret)
			return ret < 0 ? ret : 0;
		now = cli_now_ns();
		if (now >= follow_ns) {
			ret = follow_cpus(w);
			follow_ns = now + FOLLOW_NS;
		}
		if (ret)
			return ret;
		switch (cli_watch_sampler_due(&w->sampler, now, &missed)) {
		case CLI_DUE_SAMPLE:
			ret = show_sample(w, now, missed, &flushed_ns);
			break;
		case CLI_DUE_LOOK:
			ret = read_places(w, w->now);
			break;
		case CLI_DUE_NOTHING:
			break;
		}
		if (ret)
			return ret;
	}
	return 0;
}

static void say_end(const struct cli_watch *w)
{
	uint64_t max_read_interval = ntime_session_max_read_interval_ns(w->session);

	/* What wraps sooner was told before the first sample. */
	if (max_read_interval < 2 * LEAST_LOOK_NS)
		max_read_interval = 2 * LEAST_LOOK_NS;
	if (w->sampler.missed && !w->o.is_quiet)
		cli_say("%llu of %llu samples were left out: they were due before the previous "
			"ones were complete",
			(unsigned long long)w->sampler.missed,
			(unsigned long long)w->sampler.number);
	if (max_read_interval != UINT64_MAX && w->sampler.longest_ns > max_read_interval)
		cli_say("counters were once not read for %.3f s, in which the fastest may have "
			"wrapped: counts with 'overflowed' are lower bounds",
			(double)w->sampler.longest_ns / 1e9);
}

/* From the first interval to the last. 0 or -errno without a sentence. */
static int sample(struct cli_watch *w, uint64_t look)
{
	int ret;

	/* What happened while the output was made ready is not of the first interval. */
	ret = read_end(w, w->last);
	if (ret)
		return ret;
	cli_watch_sampler_init(&w->sampler, w->last_ns, w->o.interval_ns, look);
	return loop(w);
}

static int watch(struct cli_watch *w)
{
	uint64_t look;
	int ret, output = 0;

	cli_signals_init();
	cli_signals_block(&w->mask);
	if (w->o.per >= CLI_PER_CGROUP) {
		ret = cli_watch_users_run(w);
		return cli_watch_out_close(&w->out) || (ret && ret != w->out.error)
			       ? CLI_EXIT_FAILED
			       : 0;
	}
	cli_signals_interrupt(true);
	ret = prepare(w);
	cli_signals_interrupt(false);
	if (ret) {
		cli_signals_unblock(&w->mask);
		w->was_stopped = cli_signals_stop();
		return CLI_EXIT_FAILED;
	}
	look = w->session ? look_ns(w) : 0;
	ret = begin_view(w) ? CLI_EXIT_FAILED : 0;
	cli_signals_keep_hangup(w->out.can_be_moved);
	if (!ret) {
		ret = w->session ? sample(w, look) : cli_watch_frames_run(w);
		output = w->out.error;
	}
	if (w->view && w->view->end)
		w->view->end(w);
	/* Closing tells of an output that failed; a reader who has gone has seen enough. */
	if (ret < 0 && ret != output && w->session)
		cli_machine_say(w->ctx, ret);
	else if (ret < 0 && ret == output)
		ret = 0;
	if (cli_watch_out_close(&w->out))
		ret = CLI_EXIT_FAILED;
	if (!ret && w->session)
		say_end(w);
	else if (!ret)
		ret = cli_watch_frames_say_end(w);
	return ret ? CLI_EXIT_FAILED : 0;
}

/* 0, or CLI_EXIT_FAILED after sentences about what was not given back. */
static int watch_fini(struct cli_watch *w)
{
	int ret;

	cli_undo_remove(&w->undo);
	/* Counters are given back here: before anything else can fail. */
	ntime_session_free(w->session);
	ret = cli_leftover_say(w->ctx);
	cli_rows_fini(&w->rows);
	cli_watch_items_fini(&w->items);
	cli_watch_frames_fini(w);
	cli_watch_options_fini(&w->o);
	free(w->last);
	free(w->now);
	free(w->delta);
	ntime_close(w->ctx);
	return ret;
}

/* Without memory: the terminal is as before, and counters are given back. */
static void undo(void *arg)
{
	struct cli_watch *w = arg;

	if (w->view && w->view->end)
		w->view->end(w);
	ntime_session_free(w->session);
}

static int run_watch(const struct cli_command *self, int argc, char **argv)
{
	struct cli_watch w = { .out.fd = -1, .emulated = cli_emulated() };
	struct cli_machine machine;
	int ret = cli_watch_options_parse(&w.o, self, argc, argv), left;

	if (ret < 0) {
		cli_watch_options_fini(&w.o);
		return cli_options_end(ret);
	}
	machine = (struct cli_machine){
		.recording = w.o.machine,
		.model = w.o.model,
		.metrics = w.o.metrics,
		.verbose = w.o.verbose,
		.no_self_test = w.o.no_self_test,
		.counts = !w.o.frames,
	};
	w.undo = (struct cli_undo){ .run = undo, .arg = &w };
	cli_undo_add(&w.undo);
	ret = cli_machine_open(&machine, &w.ctx) ? CLI_EXIT_FAILED : watch(&w);
	left = watch_fini(&w);
	/* Ctrl-C is how it is meant to end. */
	if (w.was_stopped || (!ret && cli_signals_stop() && cli_signals_stop() != SIGINT))
		cli_signals_die(cli_signals_stop());
	return ret ? ret : left;
}

const struct cli_command cli_watch_command = {
	.name = "watch",
	.usage = "watch [OPTION...] [GROUP|METRIC|EVENT...]",
	.about = "sample counters per socket, core or thread, live",
	.details = NO_SCREEN
	"On a terminal the view is updated in place: q quits, p pauses, s goes from sockets to "
	"cores, threads and all, d from rates to counts, arrows scroll. Elsewhere it prints lines. "
	"Without operands it shows an overview. GROUP is a group of metrics of 'ntime list "
	"--metrics', such as throttling, memory or power. TIME is a number of seconds, or a number "
	"with ns, us, ms, s or min.\n\nExit status: 0, also after Ctrl-C; 125 if ntime itself "
	"failed, or none of the requested events can be counted.",
	.options = cli_watch_option_table,
	.foreign = cli_watch_foreign,
	.is_permuting = true,
	.run = run_watch,
};
