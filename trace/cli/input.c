// SPDX-License-Identifier: MIT
/*
 * ntime trace: reading a trace with the options of the command line, until its end or until a
 * signal.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output/say.h"
#include "base/command/signals.h"
#include "trace/cli/trace.h"

/* A handler has no other way to know. */
static volatile sig_atomic_t stop_signal, signals_seen, is_opening;
static struct ntime_trace *volatile followed;

/*
 * Until a trace is open there is nothing to be stopped: the signal ends a wait for the first bytes
 * of it by cutting it short. One that comes just before such a wait cuts nothing, so another one
 * follows it each second.
 */
static void cut_short(int sig)
{
	(void)sig;
	if (is_opening)
		(void)alarm(1);
}

static void on_stop(int sig)
{
	stop_signal = sig;
	signals_seen++;
	if (followed)
		ntime_trace_stop(followed);
	cut_short(sig);
}

/*
 * Only where something has to be put in order before the end; else signals do what they always do.
 */
static void take_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on_stop }, again = { .sa_handler = cut_short },
			 old;

	sigemptyset(&action.sa_mask);
	sigemptyset(&again.sa_mask);
	sigaction(SIGALRM, &again, NULL);
	is_opening = 1;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		/* nohup(1) and shells that start jobs in the background have their reasons. */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

bool cli_trace_is_stopped(const struct cli_trace *t)
{
	/* The first ends following, which may leave much to be read; who asks twice means it. */
	return stop_signal && (!t->follows || signals_seen > 1);
}

int cli_trace_signal(void)
{
	return stop_signal;
}

const char *cli_trace_operand(const struct cli_trace *t, int i)
{
	if (i < t->n)
		return t->operand[i];
	if (!isatty(STDIN_FILENO))
		return "-";
	cli_say_misuse(t->self->name, "'%s' needs a FILE, or a trace on standard input",
		       t->action->name);
	return NULL;
}

/* A picture that moves would mix with what is written to the same terminal. */
static bool wants_progress(const struct cli_trace *t)
{
	bool is_free = (t->output && strcmp(t->output, "-") != 0) || !isatty(STDOUT_FILENO);

	return !t->is_quiet && !t->follows && is_free;
}

/*
 * The report would take the place of the trace, by whichever name, or grow what is being read.
 */
static bool is_output(const struct cli_trace *t, const char *path)
{
	const bool is_stdin = strcmp(path, "-") == 0;
	const bool is_stdout = !t->output || strcmp(t->output, "-") == 0;
	struct stat in, out;

	return (is_stdin ? fstat(STDIN_FILENO, &in) : stat(path, &in)) == 0 &&
	       (is_stdout ? fstat(STDOUT_FILENO, &out) : stat(t->output, &out)) == 0 &&
	       S_ISREG(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

int cli_trace_input_open(struct cli_trace_input *in, struct cli_trace *t, const char *path,
			 uint32_t flags)
{
	struct ntime_trace_options options = {
		.size = sizeof(options),
		.form = t->form,
		.flags = flags | (t->follows ? NTIME_TRACE_FOLLOW : 0),
	};
	struct ntime_trace_info info = { .size = sizeof(info) };
	int ret;

	*in = (struct cli_trace_input){ .t = t, .path = path, .flags = flags };
	if (is_output(t, path))
		return cli_say_misuse(t->self->name, "'%s' is read; write to another file",
				      !t->output || strcmp(t->output, "-") == 0 ? "standard output"
										: t->output);
	if (cli_trace_filter(t))
		return CLI_EXIT_FAILED;
	options.filter = t->filter;
	if (t->follows || t->output)
		take_signals();
	ret = ntime_trace_open(t->ctx, path, &options, &in->trace);
	is_opening = 0;
	(void)alarm(0);
	if (ret < 0 && stop_signal && t->follows)
		cli_say("%s: stopped before any trace data arrived", path);
	if (ret < 0)
		return stop_signal ? CLI_EXIT_FAILED : cli_trace_say(t->ctx, ret);
	if (t->follows)
		followed = in->trace;
	/* The signal may have come before there was anything to end. */
	if (stop_signal && followed)
		ntime_trace_stop(in->trace);
	ret = ntime_trace_get_info(in->trace, &info);
	cli_trace_progress_begin(&in->progress, ret ? 0 : info.bytes, wants_progress(t));
	return 0;
}

static bool has_time_term(const struct cli_trace *t)
{
	for (size_t i = 0; i < t->n_terms; i++)
		if (strncmp(t->terms[i].text, "time=", 5) == 0)
			return true;
	return false;
}

int cli_trace_input_check_times(struct cli_trace_input *in, bool is_asked)
{
	struct ntime_trace_info info = { .size = sizeof(info) };

	if (!(is_asked || has_time_term(in->t)) || ntime_trace_get_info(in->trace, &info) ||
	    info.clock != NTIME_CLOCK_NONE || !info.records)
		return 0;
	cli_progress_clear(&in->progress.line);
	cli_say("%s has no times, so --time cannot select records; 'show --number' numbers its "
		"accesses",
		in->path);
	in->is_told = true;
	return -EINVAL;
}

/* Who names the form is believed, so nobody else would notice. */
static int check_form(struct cli_trace_input *in)
{
	struct ntime_trace_info info = { .size = sizeof(info) };

	if (!in->t->form || in->t->follows || ntime_trace_get_info(in->trace, &info) ||
	    !info.lines || info.records > (in->flags & NTIME_TRACE_OTHERS ? info.others : 0))
		return 0;
	cli_progress_clear(&in->progress.line);
	cli_say("%s: none of its %llu lines is of the format %s, which --from names", in->path,
		(unsigned long long)info.lines, cli_trace_form_name(in->t->form));
	in->is_told = true;
	return -EBADMSG;
}

int cli_trace_input_check_end(struct cli_trace_input *in)
{
	int ret = cli_trace_input_check_times(in, false);

	return ret ? ret : check_form(in);
}

int cli_trace_input_next(struct cli_trace_input *in, struct ntime_trace_batch *batch)
{
	int ret;

	batch->size = sizeof(*batch);
	do
		ret = ntime_trace_next(in->trace, batch);
	while (ret == -EINTR && !cli_trace_is_stopped(in->t));
	if (cli_trace_is_stopped(in->t) || ret < 0)
		cli_progress_clear(&in->progress.line);
	if (cli_trace_is_stopped(in->t))
		return -EINTR;
	if (ret < 0) {
		cli_trace_say(in->t->ctx, ret);
		in->is_told = true;
		return ret;
	}
	cli_trace_progress_at(&in->progress, batch->position);
	return batch->n ? 1 : cli_trace_input_check_end(in);
}

int cli_trace_input_progress(void *arg, uint64_t position)
{
	struct cli_trace_input *in = arg;

	cli_trace_progress_at(&in->progress, position);
	return cli_trace_is_stopped(in->t) ? -EINTR : 0;
}

int cli_trace_input_warn(void *arg, const char *sentence, const char *remedy, uint64_t count)
{
	const struct cli_trace_input *in = arg;
	bool is_one = in->t->n < 2;

	cli_say("%s%s%s (%llu time%s)%s%s", is_one ? "" : in->path, is_one ? "" : ": ", sentence,
		(unsigned long long)count, count == 1 ? "" : "s", *remedy ? "; " : "", remedy);
	return 0;
}

static void tell_info(struct cli_trace_input *in)
{
	static const char *const forms[] = { "?",	  "VFIO text",	"QEMU simple",
					     "mmiotrace", "demmt text", "ntime's binary form" };
	struct ntime_trace_info info = { .size = sizeof(info) };

	if (ntime_trace_get_info(in->trace, &info))
		return;
	cli_say("%s: %s%s%s%s%s, %llu records, %llu of them accesses, %llu kept, %llu lines of "
		"other origin",
		in->path, forms[info.form < sizeof(forms) / sizeof(forms[0]) ? info.form : 0],
		*info.style ? ", " : "", info.style, *info.compression ? ", compressed with " : "",
		info.compression, (unsigned long long)info.records,
		(unsigned long long)info.accesses, (unsigned long long)info.kept,
		(unsigned long long)info.others);
}

int cli_trace_input_tell(struct cli_trace_input *in)
{
	struct ntime_trace_info info = { .size = sizeof(info) };

	cli_progress_clear(&in->progress.line);
	(void)ntime_trace_get_info(in->trace, &info);
	if (in->t->is_quiet) {
		if (info.damaged)
			cli_say("%s: %llu lines have an event's name and cannot be read; without "
				"-q a warning names them",
				in->path, (unsigned long long)info.damaged);
		return info.damaged ? CLI_EXIT_FAILED : 0;
	}
	ntime_trace_warnings(in->trace, cli_trace_input_warn, in);
	cli_trace_tell_unused(in);
	if (in->t->verbose)
		tell_info(in);
	return info.damaged ? CLI_EXIT_FAILED : 0;
}

void cli_trace_input_close(struct cli_trace_input *in)
{
	cli_progress_clear(&in->progress.line);
	followed = NULL;
	ntime_trace_close(in->trace);
	in->trace = NULL;
}
