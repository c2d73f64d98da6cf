// SPDX-License-Identifier: MIT
/*
 * One measurement.
 *
 * With a command: it is held just before exec while the counters are attached to it, so that
 * nothing of it is missed and nothing of ntime is counted. Without: counting begins at once and
 * ends with the processes, the time or Ctrl-C.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>

#include "base/command/command.h"
#include "base/command/descendants.h"
#include "count/cli/shared/commands.h"
#include "count/cli/shared/machine.h"
#include "base/command/program.h"
#include "base/command/shell.h"
#include "base/command/silence.h"
#include "count/cli/stat/measure.h"
#include "count/cli/report/outcome.h"
#include "count/cli/stat/rusage.h"
#include "base/output/say.h"
#include "base/command/signals.h"
#include "base/output/memory.h"

#define NEVER UINT64_MAX
/* Where "make install" puts it; meson says. */
#ifndef NTIME_EMULATOR_INSTALLED
#define NTIME_EMULATOR_INSTALLED "/usr/libexec/ntime/ntime-emulator.so"
#endif
/* Counters that may wrap, or be full, are read so often, and twice within what they last. */
#define GLANCE_NS 100000000ull
/* A CPU that comes on line is counted after so long at most. */
#define FOLLOW_NS 50000000ull

static uint64_t min_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void alloc_values(struct cli_measure *m)
{
	size_t n = m->sessions.items + 1;

	m->values = cli_calloc(n, sizeof(*m->values));
	m->last = cli_calloc(n, sizeof(*m->last));
	m->delta = cli_calloc(n, sizeof(*m->delta));
}

static void begin_intervals(struct cli_measure *m, uint64_t now)
{
	m->count_ns = now;
	if (m->options->interval_ns)
		m->interval_at_ns = now + m->options->interval_ns;
}

static int begin_counting(struct cli_measure *m)
{
	/* First of all: from then on a CPU that goes is no error. */
	if (cli_sessions_follow(&m->sessions, m->options))
		return CLI_EXIT_FAILED;
	/*
	 * Read before anything is counted: the first interval is to have all of it, exec included.
	 */
	if (m->options->interval_ns && cli_sessions_read(&m->sessions, m->last))
		return CLI_EXIT_FAILED;
	if (cli_sessions_start(&m->sessions))
		return CLI_EXIT_FAILED;
	m->is_counting = true;
	m->is_attached = cli_rusage_of(m->options->pid, m->options->pids, m->options->are_threads,
				       &m->before);
	m->delay_at_ns = NEVER;
	if (m->options->all_cpus || m->options->cpus)
		m->follow_at_ns = cli_now_ns() + FOLLOW_NS;
	m->glance_ns = min_of(cli_sessions_max_read_interval_ns(&m->sessions) / 2, GLANCE_NS);
	if (cli_sessions_max_read_interval_ns(&m->sessions) != UINT64_MAX)
		m->glance_at_ns = cli_now_ns() + m->glance_ns;
	if (cli_sessions_passes(&m->sessions) > 1 && m->pass == CLI_ALL_PASSES &&
	    !m->options->frames) {
		m->turn_at_ns = 0;
		cli_wait_exactly(true);
	}
	return 0;
}

bool cli_measure_is_of_command(const struct cli_measure *m)
{
	const struct cli_stat_options *o = m->options;

	return m->command && !o->all_cpus && !o->cpus && !o->pids;
}

/* What the command says of its times is what the counters' times are. */
static int take_times(struct cli_measure *m)
{
	if (!cli_measure_is_of_command(m) || !m->is_counting)
		return 0;
	return cli_sessions_take_times(&m->sessions, m->command) ? CLI_EXIT_FAILED : 0;
}

/* What exec failed with; what else can fail has been told as well. */
static int exec_status(int ret)
{
	if (ret == -ECHILD)
		return CLI_EXIT_FAILED;
	return ret == -ENOENT ? CLI_EXIT_NOT_FOUND : CLI_EXIT_NOT_EXECUTABLE;
}

/* What people who know perf, or have read of ntime, type where no such program is. */
static bool say_subcommand_of_others(const char *name)
{
	static const struct {
		const char *name, *hint;
	} known[] = {
		{ "record", "ntime counts and does not sample: perf record" },
		{ "report", "ntime counts and does not sample: perf report" },
		{ "annotate", "ntime counts and does not sample: perf annotate" },
		{ "top", "what the machine does, live: ntime watch" },
		{ "diff", "two programs beside each other: ntime compare 'ONE' 'OTHER'" },
		{ "bench", "two programs beside each other: ntime compare 'ONE' 'OTHER'" },
		{ "monitor", "what the machine does, live: ntime watch" },
		{ "version", "the version is ntime --version" },
		{ "run", "write the command alone: ntime COMMAND" },
		{ "events", "what can be counted is ntime list" },
		{ "check", "what can be counted, and what stands in the way, is ntime doctor" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(name, known[i].name) != 0)
			continue;
		cli_say("%s", known[i].hint);
		return true;
	}
	return false;
}

static int release_command(struct cli_measure *m)
{
	int ret;

	if (!m->command)
		return 0;
	m->was_stopped = cli_signals_stop();
	if (m->was_stopped)
		return CLI_EXIT_FAILED;
	cli_descendants_begin(ntime_command_pid(m->command));
	ret = ntime_command_start(m->command);
	if (!ret) {
		m->is_running = true;
		cli_signals_forward(ntime_command_pid(m->command));
		if (m->options->frames && cli_frames_show(&m->frames))
			m->has_failed = true;
		return take_times(m);
	}
	cli_machine_say(m->ctx, ret);
	if (ret == -ENOENT && cli_is_of_shell(m->options->argv[0]))
		cli_say("that is for a shell: sh -c '%s%s'", m->options->argv[0],
			m->options->argv[1] ? " ..." : "");
	if (ret != -ENOENT || say_subcommand_of_others(m->options->argv[0]))
		return exec_status(ret);
	for (size_t i = 0; cli_commands[i]; i++) {
		const struct cli_command *c = cli_commands[i];

		if (!c->is_hidden && cli_word_is_near(m->options->argv[0], c->name))
			cli_say("did you mean the subcommand '%s'?", c->name);
	}
	return exec_status(ret);
}

/* Fork what gets the standard files of the command. 0, or an exit status after a sentence. */
static int make(struct ntime_ctx *ctx, bool is_silent, char *const *const argv[], size_t n,
		struct ntime_command **command, struct ntime_launcher **launcher)
{
	struct cli_silence silence;
	int ret;

	ret = is_silent ? cli_silence_begin(&silence) : 0;
	if (ret < 0) {
		cli_say("cannot hide what the command writes: %s", strerror(-ret));
		return CLI_EXIT_FAILED;
	}
	ret = launcher ? ntime_launcher_new(ctx, argv, n, launcher)
		       : ntime_command_new(ctx, argv[0], command);
	if (is_silent)
		cli_silence_end(&silence);
	if (launcher && ret == -EOPNOTSUPP)
		return 0;
	return ret < 0 ? cli_machine_say(ctx, ret) : 0;
}

int cli_measure_launcher(struct ntime_ctx *ctx, const struct cli_stat_options *o, size_t n,
			 struct ntime_launcher **out)
{
	char *const **argv;
	int ret;

	*out = NULL;
	cli_descendants_look();
	/* A command of the emulator has an argument of its own in each run. */
	if (!o->argv || o->via == NTIME_VIA_EMULATOR)
		return 0;
	argv = cli_calloc(n, sizeof(*argv));
	for (size_t i = 0; i < n; i++)
		argv[i] = o[i].argv;
	ret = make(ctx, o->hides_output, argv, n, NULL, out);
	free(argv);
	return ret;
}

/* --via emulator: what runs the command. 0, or an exit status after a sentence. */
static int make_emulator(struct cli_measure *m)
{
	static const struct cli_program plugin = {
		.variable = "NTIME_EMULATOR_PLUGIN",
		.file = "emulator-plugin",
		.installed = NTIME_EMULATOR_INSTALLED,
		.package = "ntime-emulator",
	};
	char path[PATH_MAX];
	int ret;

	if (cli_program_find(&plugin, path))
		return CLI_EXIT_FAILED;
	ret = ntime_emulator_new(m->ctx, m->options->argv, path,
				 m->options->per == CLI_PER_FUNCTION ? NTIME_EMULATOR_FUNCTIONS : 0,
				 &m->emulator);
	if (!ret) {
		/* What depends on addresses is alike in all runs, where the kernel lets us ask. */
		(void)personality(ADDR_NO_RANDOMIZE);
		return 0;
	}
	cli_machine_say(m->ctx, ret);
	return ret == -ENOENT			   ? CLI_EXIT_NOT_FOUND
	       : ret == -EACCES || ret == -ENOEXEC ? CLI_EXIT_NOT_EXECUTABLE
						   : CLI_EXIT_FAILED;
}

static int make_command(struct cli_measure *m)
{
	char *const *argv = m->options->argv;
	int ret;

	cli_descendants_look();
	if (m->options->via == NTIME_VIA_EMULATOR) {
		ret = make_emulator(m);
		if (ret)
			return ret;
		argv = ntime_emulator_argv(m->emulator);
	}
	if (!m->launcher)
		return make(m->ctx, m->options->hides_output, &argv, 1, &m->command, NULL);
	ret = ntime_launcher_command(m->launcher, m->launched, &m->command);
	return ret < 0 ? cli_machine_say(m->ctx, ret) : 0;
}

static int prepare(struct cli_measure *m)
{
	int ret;

	if (m->options->frames && cli_frames_init(&m->frames, m->ctx, m->options->frames) < 0)
		return CLI_EXIT_FAILED;
	ret = m->options->argv ? make_command(m) : 0;
	if (ret)
		return ret;
	if (m->is_bare)
		return 0;
	ret = cli_sessions_new(&m->sessions, m->ctx, m->options,
			       m->command ? ntime_command_pid(m->command) : 0, m->pass,
			       m->emulator);
	if (ret < 0)
		return CLI_EXIT_FAILED;
	cli_wait_init(&m->wait, m->options->pid, m->options->pids);
	alloc_values(m);
	return 0;
}

static uint64_t next_deadline(const struct cli_measure *m)
{
	uint64_t next = min_of(m->delay_at_ns, m->timeout_at_ns);

	next = min_of(min_of(next, m->kill_at_ns), min_of(m->interval_at_ns, m->glance_at_ns));
	return min_of(min_of(next, m->follow_at_ns), m->turn_at_ns);
}

/* @ret of waiting, after a sentence if it failed. */
static int say_unless_waited(int ret)
{
	if (ret < 0 && ret != -EINTR)
		cli_say("cannot wait for the end: %s", strerror(-ret));
	return ret;
}

/* The command has ended. Is what it left waited for? */
static bool is_over(struct cli_measure *m)
{
	m->has_ended = true;
	m->left = cli_descendants_left(&m->used);
	/* ^C does not reach those of another group that a shell has started with "&". */
	if (m->left && (m->timed_out ||
			(cli_signals_stop() && (m->options->waits_for_all ||
						kill(-ntime_command_pid(m->command), 0) == 0)))) {
		cli_descendants_end(CLI_GRACE_NS, &m->used);
		m->left = 0;
		m->was_cut = !m->timed_out && m->options->waits_for_all;
	}
	if (!m->left || !m->options->waits_for_all)
		return true;
	m->has_waited = true;
	return false;
}

/* 1 it is over, 0 the deadline is reached, -EINTR, other -errno after a sentence. */
static int wait_until(struct cli_measure *m, uint64_t deadline)
{
	uint64_t now = cli_now_ns(), left = NEVER;
	int ret;

	if (!m->command)
		return say_unless_waited(cli_wait_until(&m->wait, deadline, &m->mask));
	if (deadline != NEVER)
		left = deadline > now ? deadline - now : 0;
	if (m->options->frames) {
		ret = cli_frames_wait(&m->frames, left);
		m->has_failed = m->has_failed || m->frames.has_failed;
		if (ret < 0)
			return say_unless_waited(ret);
		left = 0;
	}
	if (m->has_ended) {
		cli_descendants_wait(left);
		return is_over(m);
	}
	m->end.size = sizeof(m->end);
	ret = ntime_command_wait(m->command, left, &m->end);
	m->is_running = m->is_running && (ret == 0 || ret == -EINTR);
	if (ret < 0 && ret != -EINTR)
		cli_machine_say(m->ctx, ret);
	return ret == 1 ? is_over(m) : ret;
}

/* What is left when the end comes a moment after a beat is no interval of its own. */
static uint64_t remnant_ns(const struct cli_measure *m)
{
	return m->options->interval_ns / 20;
}

static bool has_counted(const struct cli_measure *m)
{
	for (size_t i = 0; i < m->sessions.items; i++)
		if (m->delta[i].count && !(m->delta[i].flags & NTIME_METRIC))
			return true;
	return false;
}

/* The beat was a moment ago, and nothing has happened since. */
static bool is_remnant(const struct cli_measure *m, uint64_t now)
{
	return m->has_beaten && now + m->options->interval_ns < m->interval_at_ns + remnant_ns(m) &&
	       !has_counted(m);
}

static int end_interval(struct cli_measure *m, uint64_t now)
{
	if (cli_sessions_read(&m->sessions, m->values))
		return CLI_EXIT_FAILED;
	for (size_t i = 0; i < m->sessions.items; i++) {
		ntime_value_delta(&m->last[i], &m->values[i], &m->delta[i]);
		m->last[i] = m->values[i];
	}
	if (cli_sessions_metrics(&m->sessions, m->delta))
		return CLI_EXIT_FAILED;
	if (!m->is_output_gone && !is_remnant(m, now))
		m->is_output_gone =
			m->on_interval(m->arg, m, m->delta, (double)(now - m->count_ns) / 1e9);
	return 0;
}

/*
 * The time is over: without a command that is the end, a command is told to end. Returns whether it
 * is over.
 */
static bool end_time(struct cli_measure *m, uint64_t now)
{
	m->timeout_at_ns = NEVER;
	m->timed_out = true;
	if (!m->command)
		return true;
	if (m->has_ended)
		return is_over(m);
	cli_descendants_signal(ntime_command_pid(m->command), SIGTERM);
	/* A stopped process would see the signal only when it goes on. */
	cli_descendants_signal(ntime_command_pid(m->command), SIGCONT);
	m->kill_at_ns = now + CLI_GRACE_NS;
	return false;
}

/*
 * Counting has failed: the command is not to suffer from it, so only its end and the timeout are
 * waited for.
 */
static bool give_up(struct cli_measure *m)
{
	m->has_failed = true;
	m->delay_at_ns = m->interval_at_ns = m->glance_at_ns = m->follow_at_ns = m->turn_at_ns =
		NEVER;
	return !m->command;
}

static int turn(struct cli_measure *m)
{
	uint64_t next_ns;

	if (cli_sessions_turn(&m->sessions, &next_ns))
		return CLI_EXIT_FAILED;
	m->turn_at_ns = next_ns == UINT64_MAX ? NEVER : cli_now_ns() + next_ns;
	return 0;
}

/* The timeout ends an interval as well, now or in a moment. */
static bool is_last_interval(const struct cli_measure *m)
{
	return !m->command && m->timeout_at_ns < m->interval_at_ns + remnant_ns(m);
}

/* Do what is due. Returns whether it is over. */
static bool work_deadlines(struct cli_measure *m)
{
	uint64_t now = cli_now_ns();
	bool is_over = false;

	if (now >= m->delay_at_ns) {
		if (begin_counting(m))
			return give_up(m);
		begin_intervals(m, now);
	}
	/* Before an interval ends as well: a CPU that was away in it is to show it. */
	if (m->follow_at_ns != NEVER && now >= min_of(m->follow_at_ns, m->interval_at_ns)) {
		if (cli_sessions_follow(&m->sessions, m->options))
			return give_up(m);
		m->follow_at_ns = now + FOLLOW_NS;
	}
	if (now >= m->interval_at_ns && is_last_interval(m))
		m->interval_at_ns = NEVER;
	if (now >= m->interval_at_ns) {
		if (end_interval(m, now))
			return give_up(m);
		m->has_beaten = true;
		/* Keep the beat; leave out beats that were missed while the machine was busy. */
		while (m->interval_at_ns <= now)
			m->interval_at_ns += m->options->interval_ns;
		is_over = m->is_output_gone && !m->command;
	}
	if (now >= m->glance_at_ns) {
		if (cli_sessions_read(&m->sessions, m->values))
			return give_up(m);
		m->glance_at_ns = now + m->glance_ns;
	}
	if (now >= m->turn_at_ns && turn(m))
		return give_up(m);
	if (now >= m->kill_at_ns) {
		cli_descendants_signal(ntime_command_pid(m->command), SIGKILL);
		m->kill_at_ns = NEVER;
	}
	if (now >= m->timeout_at_ns)
		is_over = end_time(m, now) || is_over;
	return is_over;
}

static int wait_for_end(struct cli_measure *m)
{
	for (;;) {
		int ret;

		/*
		 * Asked before each wait: it may have come while counters were opened or read, when
		 * it cut no wait short. A command got the signal, or gets it now; its end is what
		 * is waited for.
		 */
		if (!m->command && cli_signals_stop())
			return 0;
		ret = wait_until(m, next_deadline(m));
		if (ret == 1)
			return m->has_failed ? CLI_EXIT_FAILED : 0;
		if (ret == -EINTR)
			continue;
		/*
		 * The command of a launcher: once it runs, exec's errors come with its end. If it
		 * has not ended, waiting failed.
		 */
		if (ret < 0)
			return m->launcher && ntime_command_kill(m->command, 0) == -ESRCH
				       ? exec_status(ret)
				       : CLI_EXIT_FAILED;
		if (work_deadlines(m))
			return m->has_failed ? CLI_EXIT_FAILED : 0;
	}
}

static int begin(struct cli_measure *m)
{
	const struct cli_stat_options *o = m->options;
	int ret = 0;

	m->delay_at_ns = m->interval_at_ns = m->glance_at_ns = m->timeout_at_ns = m->kill_at_ns =
		m->follow_at_ns = m->turn_at_ns = NEVER;
	if (!o->delay_ns && !m->is_bare)
		ret = begin_counting(m);
	cli_signals_interrupt(false);
	if (!ret)
		ret = release_command(m);
	if (ret)
		return ret;
	m->begin_ns = m->command ? ntime_command_began_ns(m->command) : cli_now_ns();
	if (o->timeout_ns)
		m->timeout_at_ns = m->begin_ns + o->timeout_ns;
	if (o->delay_ns)
		m->delay_at_ns = m->begin_ns + o->delay_ns;
	if (m->is_counting)
		begin_intervals(m, m->begin_ns);
	return 0;
}

/*
 * What had its pass in some of the frames alone has a number in each of those, and none of the
 * whole run.
 */
static int forget_turns(struct cli_measure *m)
{
	for (size_t i = 0; i < m->sessions.items; i++) {
		struct ntime_item item = { .size = sizeof(item) };
		int ret = ntime_session_item(m->sessions.session[0], i, &item);

		if (ret < 0)
			return cli_machine_say(m->ctx, ret);
		if (item.is_metric || item.in_every_pass || m->values[i].flags & NTIME_ABSENT)
			continue;
		m->values[i].value = NAN;
		m->values[i].flags |= NTIME_NOT_COUNTED;
	}
	return cli_sessions_metrics(&m->sessions, m->values) ? CLI_EXIT_FAILED : 0;
}

/* What the emulator did not see, of the first run in which there was any. */
static void say_outside(uint32_t n)
{
	static bool was_said;

	if (n && !was_said)
		cli_say("%u program%s ran outside of the emulator and in no count: set-uid, as "
			"another user, of another architecture, or not readable",
			n, n == 1 ? "" : "s");
	was_said |= n > 0;
}

/* Of the first run in which there was any. */
static void say_faults(uint32_t n)
{
	static bool was_said;

	if (n && !was_said)
		cli_say("the command handled %u signal%s of faults (SIGSEGV, SIGBUS, SIGFPE, "
			"SIGILL), each of which can interrupt a block of instructions that the "
			"emulator has counted in full: instructions, branches and taken-branches "
			"are too high by at most %u block%s; QEMU_SINGLESTEP=1 in the environment "
			"(from QEMU 8.1 on QEMU_ONE_INSN_PER_TB=1) makes a block one instruction",
			n, n == 1 ? "" : "s", n, n == 1 ? "" : "s");
	was_said |= n > 0;
}

/* @status: wait(2)'s. By a signal it ends where it cannot make its threads, say. */
static void say_no_plugin(const char *qemu, int status)
{
	struct cli_outcome end = { .status = status };

	if (WIFSIGNALED(status))
		cli_say("%s was %s before it loaded ntime's plugin, and nothing was counted; what "
			"it says itself, if anything, is why",
			qemu, cli_outcome_text(&end).text);
	else
		cli_say("%s did not load ntime's plugin, and nothing was counted: QEMU 7.2 to 10, "
			"built with plugins, is needed (Debian 12's qemu-user is; later ones are "
			"not)",
			qemu);
}

/* How it went in the emulator. 0 or the exit status of ntime after a sentence. */
static int check_emulator(const struct cli_measure *m)
{
	struct ntime_emulator_info info = { .size = sizeof(info) };
	const char *qemu;

	if (!m->emulator || ntime_emulator_get_info(m->emulator, &info))
		return 0;
	qemu = ntime_emulator_argv(m->emulator)[0];
	if (!info.processes && !m->timed_out && !cli_signals_stop()) {
		say_no_plugin(qemu, m->end.status);
		return CLI_EXIT_FAILED;
	}
	say_outside(info.outside);
	say_faults(info.faults);
	if (info.lacking && m->end.status)
		cli_say("%s lacks system call %u, which the command asked for: that may be why it "
			"failed",
			qemu, info.system_call);
	return 0;
}

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

/* What the command left and has ended by now is of the command. */
static void add_used(struct cli_measure *m)
{
	struct ntime_command_end *end = &m->end;
	uint64_t rss = (uint64_t)m->used.ru_maxrss * 1024u;

	if (m->has_waited)
		end->real_ns = cli_now_ns() - ntime_command_began_ns(m->command);
	end->user_ns += ns_of(&m->used.ru_utime);
	end->sys_ns += ns_of(&m->used.ru_stime);
	end->max_rss_bytes = rss > end->max_rss_bytes ? rss : end->max_rss_bytes;
	end->minor_faults += (uint64_t)m->used.ru_minflt;
	end->major_faults += (uint64_t)m->used.ru_majflt;
	end->voluntary_switches += (uint64_t)m->used.ru_nvcsw;
	end->involuntary_switches += (uint64_t)m->used.ru_nivcsw;
	end->in_blocks += (uint64_t)m->used.ru_inblock;
	end->out_blocks += (uint64_t)m->used.ru_oublock;
}

/* Of one that has ended its number may be another's by now. */
static void take_attached(struct cli_measure *m)
{
	struct ntime_command_end now;

	if (!m->is_attached)
		return;
	m->is_attached =
		cli_rusage_of(m->options->pid, m->options->pids, m->options->are_threads, &now) &&
		cli_wait_find_ended(&m->wait) == m->wait.n;
	m->attached = (struct ntime_command_end){
		.user_ns = now.user_ns - m->before.user_ns,
		.sys_ns = now.sys_ns - m->before.sys_ns,
		.minor_faults = now.minor_faults - m->before.minor_faults,
		.major_faults = now.major_faults - m->before.major_faults
	};
}

static int finish(struct cli_measure *m)
{
	uint64_t now;

	cli_signals_forward(0);
	if (!m->has_waited && take_times(m))
		return CLI_EXIT_FAILED;
	add_used(m);
	take_attached(m);
	now = m->command ? m->begin_ns + m->end.real_ns : cli_now_ns();
	/* A CPU that went just now keeps its counts. */
	if (m->is_counting && cli_sessions_follow(&m->sessions, m->options))
		return CLI_EXIT_FAILED;
	if (cli_sessions_stop(&m->sessions))
		return CLI_EXIT_FAILED;
	/* From the command's exec to its end; of what runs beside it how long it was counted. */
	m->real_ns = m->command ? m->end.real_ns : now - m->begin_ns;
	if (m->is_counting && !m->options->delay_ns)
		m->real_ns = cli_sessions_length_ns(&m->sessions);
	if (check_emulator(m))
		return CLI_EXIT_FAILED;
	if (m->is_bare)
		return 0;
	if (m->options->interval_ns && m->is_counting && !m->is_output_gone)
		return end_interval(m, now);
	if (m->options->frames)
		cli_frames_end(&m->frames);
	if (cli_sessions_read(&m->sessions, m->values))
		return CLI_EXIT_FAILED;
	for (size_t i = 0; m->left && cli_measure_is_of_command(m) && i < m->sessions.items; i++)
		if (!(m->values[i].flags & NTIME_ABSENT) && !m->sessions.is_shared[i])
			m->values[i].flags |= NTIME_PARTIAL;
	return m->options->frames && cli_sessions_passes(&m->sessions) > 1 ? forget_turns(m) : 0;
}

/* Without memory: a command that runs is not to suffer from it, and counters are given back. */
static void undo(void *arg)
{
	struct cli_measure *m = arg;
	int ret = -EINTR;

	m->end.size = sizeof(m->end);
	while (m->is_running && ret == -EINTR)
		ret = ntime_command_wait(m->command, UINT64_MAX, &m->end);
	ntime_command_free(m->command);
	cli_frames_fini(&m->frames);
	cli_sessions_free(&m->sessions);
}

static int run_prepared(struct cli_measure *m)
{
	int ret;

	if (!m->command)
		cli_signals_block(&m->mask);
	ret = begin(m);
	if (!ret)
		ret = wait_for_end(m);
	if (!ret)
		ret = finish(m);
	if (!m->command)
		cli_signals_unblock(&m->mask);
	return ret;
}

/*
 * Counters are opened by number. A process that has not ended by then had its number all the time;
 * else they may count a stranger who was given it.
 */
static int check_attached(struct cli_measure *m)
{
	size_t i = cli_wait_find_ended(&m->wait);

	if (i == m->wait.n)
		return 0;
	cli_say("%s %d ended while its counters were opened",
		m->options->are_threads ? "thread" : "process", m->options->pid[i]);
	return CLI_EXIT_FAILED;
}

int cli_measure_run(struct cli_measure *m)
{
	int ret;

	m->undo = (struct cli_undo){ .run = undo, .arg = m };
	cli_undo_add(&m->undo);
	/* Counters of many CPUs take their time, and nothing is lost by then. */
	cli_signals_interrupt(true);
	ret = prepare(m);
	if (!ret && cli_sessions_open(m->ctx, m->sessions.session, m->sessions.n))
		ret = CLI_EXIT_FAILED;
	if (!ret)
		ret = check_attached(m);
	if (!ret && m->on_open && !m->is_bare)
		ret = m->on_open(m->arg, m);
	if (!ret && m->options->frames &&
	    cli_frames_begin(&m->frames, m->sessions.session[0], ntime_command_pid(m->command)) < 0)
		ret = CLI_EXIT_FAILED;
	if (!ret)
		ret = run_prepared(m);
	cli_descendants_finish();
	cli_signals_interrupt(false);
	if (ret && !m->begin_ns)
		m->was_stopped = cli_signals_stop();
	return ret;
}

int cli_measure_figures(const struct cli_measure *m, double *figure)
{
	const struct ntime_command_end *end = &m->end;

	figure[CLI_REAL] = (double)m->real_ns;
	figure[CLI_USER] = (double)end->user_ns;
	figure[CLI_SYS] = (double)end->sys_ns;
	figure[CLI_MAX_RSS] = (double)end->max_rss_bytes;
	figure[CLI_MINOR_FAULTS] = (double)end->minor_faults;
	figure[CLI_MAJOR_FAULTS] = (double)end->major_faults;
	figure[CLI_VOLUNTARY_SWITCHES] = (double)end->voluntary_switches;
	figure[CLI_INVOLUNTARY_SWITCHES] = (double)end->involuntary_switches;
	figure[CLI_IN_BLOCKS] = (double)end->in_blocks;
	figure[CLI_OUT_BLOCKS] = (double)end->out_blocks;
	/* Of what was not started here only the length of the measurement is known. */
	return m->command ? CLI_FIGURES : CLI_REAL + 1;
}

bool cli_measure_rss_is_at_most(const struct cli_measure *m)
{
	uint64_t floor = m->end.max_rss_floor_bytes;

	return m->command && (!floor || m->end.max_rss_bytes <= floor + CLI_MAX_RSS_SLACK_BYTES);
}

struct cli_outcome cli_measure_outcome(const struct cli_measure *m)
{
	if (!m->command)
		return (struct cli_outcome){ .status = 0 };
	return (struct cli_outcome){ .status = m->end.status,
				     .timed_out = m->timed_out,
				     .was_interrupted = cli_signals_stop() != 0 };
}

void cli_measure_fini(struct cli_measure *m)
{
	cli_undo_remove(&m->undo);
	cli_wait_exactly(false);
	cli_signals_forward(0);
	ntime_command_free(m->command);
	cli_frames_fini(&m->frames);
	cli_sessions_free(&m->sessions);
	ntime_emulator_free(m->emulator);
	m->emulator = NULL;
	cli_wait_fini(&m->wait);
	free(m->values);
	free(m->last);
	free(m->delta);
	m->command = NULL;
	m->values = m->last = m->delta = NULL;
}
