// SPDX-License-Identifier: MIT
/* ntime trace: which action is meant, and the table of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command/alone.h"
#include "base/command/confine.h"
#include "base/command/help.h"
#include "base/command/options.h"
#include "base/output/say.h"
#include "base/command/signals.h"
#include "base/output/memory.h"
#include "trace/cli/trace.h"

/* One line an action, and one in count/cli/meson.build for its file. */
const struct cli_trace_action *const cli_trace_actions[] = {
	&cli_trace_info,
	&cli_trace_convert,
	&cli_trace_show,
	&cli_trace_lookup,
	&cli_trace_stat,
	&cli_trace_diff,
	&cli_trace_state,
	&cli_trace_derive,
	&cli_trace_cost,
	&cli_trace_doctor,
	&cli_trace_bind,
	&cli_trace_unbind,
	NULL,
};

/*
 * An action with all of its options, as a command of its own: for help, for completion and for
 * parsing.
 */
struct composed {
	struct cli_command command;
	struct cli_option options[CLI_OPTIONS_MAX + 1];
	char name[48];
	char usage[1024];
};

static void compose_usage(struct composed *c, const struct cli_trace_action *a)
{
	size_t used = 0;

	for (const char *line = a->usage; line && used < sizeof(c->usage);) {
		size_t bytes = strcspn(line, "\n");

		used += (size_t)snprintf(c->usage + used, sizeof(c->usage) - used,
					 "%strace %s %.*s", used ? "\n" : "", a->name, (int)bytes,
					 line);
		line = line[bytes] ? line + bytes + 1 : NULL;
	}
}

/* What people know from make(1) and xz(1). */
static const struct cli_foreign foreign[] = {
	{ "j", "one thread reads 1 to 2 GB/s" },
	{ "jobs", "one thread reads 1 to 2 GB/s" },
	{ NULL, NULL },
};

static void compose(struct composed *c, const struct cli_trace_action *a)
{
	snprintf(c->name, sizeof(c->name), "trace %s", a->name);
	compose_usage(c, a);
	cli_trace_options(a, c->options);
	c->command = (struct cli_command){
		.name = c->name,
		.usage = c->usage,
		.about = a->about,
		.details = a->details,
		.options = c->options,
		.foreign = a->groups & CLI_TRACE_FORMS ? foreign : NULL,
		.is_permuting = true,
	};
}

static int for_each_action(int (*fn)(void *arg, const struct cli_command *action), void *arg)
{
	struct composed c;
	int ret = 0;

	for (size_t i = 0; cli_trace_actions[i] && !ret; i++) {
		compose(&c, cli_trace_actions[i]);
		ret = fn(arg, &c.command);
	}
	return ret;
}

static const char *action_word(size_t i)
{
	return cli_trace_actions[i] ? cli_trace_actions[i]->name : NULL;
}

static int set_option(void *arg, const struct cli_option *o, const char *value)
{
	return cli_trace_set(arg, o, value);
}

static int check_operands(const struct cli_trace *t)
{
	const struct cli_trace_action *a = t->action;

	if (t->n >= a->min && (a->max < 0 || t->n <= a->max))
		return 0;
	if (a->max < 0)
		return cli_say_misuse(t->self->name, "'%s' takes at least %d argument%s, not %d",
				      a->name, a->min, a->min == 1 ? "" : "s", t->n);
	if (!a->min && a->max == 1)
		return cli_say_misuse(t->self->name, "'%s' takes one FILE, not %d", a->name, t->n);
	if (a->min == a->max)
		return cli_say_misuse(t->self->name, "'%s' takes %d argument%s, not %d", a->name,
				      a->max, a->max == 1 ? "" : "s", t->n);
	return cli_say_misuse(t->self->name, "'%s' takes %d to %d arguments, not %d", a->name,
			      a->min, a->max, t->n);
}

int cli_trace_say(const struct ntime_trace_ctx *ctx, int ret)
{
	const char *text = ctx ? ntime_trace_error_text(ctx) : "";

	/* The sentence may be that of an earlier error. */
	if (ret == -ENOMEM)
		return cli_say_no_memory();
	cli_say("%s", *text ? text : strerror(-ret));
	return CLI_EXIT_FAILED;
}

/* Warnings are for all, unless there are too many to be read. */
static void log_line(void *arg, const char *line)
{
	static const char mark[] = "warning: ";
	struct cli_trace *t = arg;
	bool is_warning = strncmp(line, mark, sizeof(mark) - 1) == 0;

	if (t->verbose > 1)
		cli_say("%s", line);
	else if (is_warning && !t->is_quiet && ++t->warnings <= CLI_TRACE_WARNINGS)
		cli_say("%s", line + sizeof(mark) - 1);
}

/* No machine is opened: logs and databases are all that most actions look at. */
static int make_context(struct cli_trace *t)
{
	const struct ntime_trace_ctx_options options = {
		.size = sizeof(options),
		.root = t->root,
		.log = log_line,
		.log_arg = t,
	};

	return ntime_trace_ctx_new(&t->ctx, &options);
}

static int run_action(struct cli_trace *t, int argc, char **argv)
{
	int ret = cli_options_parse(t->self, argc, argv, set_option, t);

	if (ret < 0)
		return cli_options_end(ret);
	t->operand = argv + ret;
	t->n = argc - ret;
	if (check_operands(t) || cli_trace_check(t))
		return CLI_EXIT_FAILED;
	if (!t->action->uses_machine)
		cli_confine(t->verbose);
	ret = make_context(t);
	if (ret < 0)
		return cli_trace_say(t->ctx, ret);
	return t->action->run(t);
}

static int run_trace(const struct cli_command *self, int argc, char **argv)
{
	const struct cli_trace_action *a;
	struct composed composed;
	struct cli_trace *t;
	int ret, sig, action = cli_action_find(self, argc, argv);

	if (action < 0)
		return cli_options_end(action);
	a = cli_trace_actions[action];
	compose(&composed, a);
	t = cli_calloc(1, sizeof(*t) + a->own_bytes);
	t->action = a;
	t->self = &composed.command;
	t->own = t + 1;
	ret = run_action(t, argc - 1, argv + 1);
	sig = cli_trace_is_stopped(t) ? cli_trace_signal() : 0;
	cli_trace_fini(t);
	free(t);
	/* Everything is in order now: end as without a handler. */
	if (sig)
		cli_signals_die(sig);
	return ret;
}

static const struct cli_option options[] = {
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

static const struct cli_command command = {
	.name = "trace",
	.usage = "trace ACTION [OPTION...] [FILE]",
	.about = CLI_ABOUT_TRACE,
	.details = "A trace is text of QEMU's VFIO events, a file of QEMU's simple backend, "
		   "mmiotrace of Linux, register operations as demmt prints them, or ntime's own "
		   "form; plain or compressed with gzip, xz or zstd; a file, or standard input. "
		   "The format is detected automatically.\n'ntime help trace ACTION' prints the "
		   "options of an action; the manual page is ntime-trace(1).",
	.options = options,
	.for_each_action = for_each_action,
	.action = action_word,
	.run = run_trace,
};

int main(int argc, char **argv)
{
	return cli_alone_main(&command, argc, argv);
}
