// SPDX-License-Identifier: MIT
/* ntime gl: run an OpenGL program that finds counters in GL_AMD_performance_monitor. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "cli/base/machine.h"
#include "cli/base/options.h"
#include "cli/gl/gl.h"
#include "cli/output/exit.h"
#include "cli/output/memory.h"
#include "cli/output/say.h"

enum {
	ID_VENDOR = 256,
	ID_PRELOAD,
	ID_ES,
	ID_CSV,
	ID_JSON,
};

#define FLAG(member) CLI_FLAG(struct cli_gl, member)
#define TEXT(member) CLI_TEXT(struct cli_gl, member)

static const struct cli_option options[] = {
	{ 'e', "event", "LIST",
	  "events and metrics that become the group ntime, separated by commas; may be repeated" },
	{ ID_VENDOR, "vendor", "NAME",
	  "the driver whose OpenGL is used where there are several, such as mesa or nvidia",
	  TEXT(vendor) },
	{ ID_PRELOAD, "preload", NULL, "load the counters by LD_PRELOAD: for systems without glvnd",
	  FLAG(is_preload) },
	{ ID_ES, "es", NULL, "list: what a program of OpenGL ES sees", FLAG(is_es) },
	{ ID_CSV, "csv", NULL, "list: write comma-separated values", FLAG(is_csv) },
	{ ID_JSON, "json", NULL, "list: write JSON", FLAG(is_json) },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

static int set_option(void *arg, const struct cli_option *o, const char *value)
{
	struct cli_gl *gl = arg;
	char *all;

	if (cli_option_store(o, gl, value))
		return 0;
	all = gl->events ? cli_format("%s,%s", gl->events, value) : cli_strdup(value);
	free(gl->events);
	gl->events = all;
	return 0;
}

/* What cannot be counted is said here, once, as the program itself stays silent. */
static int say_absent(struct ntime_ctx *ctx, struct ntime_session *s)
{
	size_t n = ntime_session_count(s);
	struct ntime_value *values = cli_calloc(n, sizeof(*values));
	int ret = ntime_session_read(s, values, n);

	if (ret < 0)
		ret = cli_machine_say(ctx, ret);
	for (size_t i = 0; i < n && ret >= 0; i++) {
		struct ntime_item item = { .size = sizeof(item) };

		if (ntime_session_item(s, i, &item) == 0 && !item.is_hidden &&
		    values[i].flags & NTIME_ABSENT)
			cli_say("%s is not counted: %s (%s)", item.name, item.reason, item.remedy);
	}
	free(values);
	return ret < 0 ? CLI_EXIT_FAILED : 0;
}

/* Are they events of a process at all? 0 or an exit status after a sentence. */
static int check_events(const char *list)
{
	const struct cli_machine machine = { .runs_command = true };
	const struct ntime_target self = { .size = sizeof(self),
					   .kind = NTIME_TARGET_PROCESS,
					   .flags = NTIME_CHILDREN,
					   .pid = getpid() };
	struct ntime_session *s = NULL;
	struct ntime_ctx *ctx;
	int ret;

	if (cli_machine_open(&machine, &ctx))
		return CLI_EXIT_FAILED;
	ret = ntime_session_new(ctx, &self, &s);
	if (ret == 0)
		ret = ntime_session_add_list(s, list);
	if (ret == 0)
		ret = ntime_session_open(s);
	ret = ret < 0 ? cli_machine_say(ctx, ret) : say_absent(ctx, s);
	ntime_session_free(s);
	ntime_close(ctx);
	return ret ? CLI_EXIT_FAILED : 0;
}

static int run_program(const struct cli_gl *gl, char **argv)
{
	int ret = gl->events ? check_events(gl->events) : 0;

	if (ret)
		return ret;
	/* Without us the program runs all the same, in the environment that it had. */
	if (cli_gl_check_program(argv[0]))
		(void)cli_gl_prepare(gl);
	execvp(argv[0], argv);
	ret = errno;
	cli_say("cannot start %s: %s", argv[0], strerror(ret));
	return ret == ENOENT ? CLI_EXIT_NOT_FOUND : CLI_EXIT_NOT_EXECUTABLE;
}

/* argv[0] is "list"; options may stand in front of it and behind it. */
static int run_list(const struct cli_command *self, struct cli_gl *gl, int argc, char **argv)
{
	int ret = cli_options_parse(self, argc, argv, set_option, gl);

	if (ret == -ECANCELED)
		return cli_say_stdout_end();
	if (ret < 0)
		return CLI_EXIT_FAILED;
	if (ret < argc)
		return cli_say_misuse(self->name,
				      "list takes no argument, but there is '%s' (a program that "
				      "is called list runs behind --)",
				      argv[ret]);
	if (gl->is_csv && gl->is_json)
		return cli_say_misuse(self->name, "--json and --csv cannot be combined");
	if (gl->is_preload)
		return cli_say_misuse(self->name, "--preload is for programs that ntime runs: use "
						  "ntime gl --preload ntime gl list");
	return cli_gl_prepare(gl) < 0 ? CLI_EXIT_FAILED : cli_gl_list(gl);
}

static const char *action_word(size_t i)
{
	return i ? NULL : "list";
}

static int run(const struct cli_command *self, struct cli_gl *gl, int argc, char **argv)
{
	int first = cli_options_parse(self, argc, argv, set_option, gl);

	if (first == -ECANCELED)
		return cli_say_stdout_end();
	if (first < 0)
		return CLI_EXIT_FAILED;
	if (gl->vendor && !*gl->vendor)
		return cli_say_misuse(self->name, "--vendor needs a name, such as mesa");
	if (first == argc)
		return cli_say_misuse(self->name, "name a program to run, or the action list");
	if (gl->is_preload && gl->vendor)
		return cli_say_misuse(self->name, "--vendor asks glvnd for a driver, and --preload "
						  "is for systems without it");
	if (strcmp(argv[first], action_word(0)) == 0 && strcmp(argv[first - 1], "--") != 0)
		return run_list(self, gl, argc - first, argv + first);
	if (gl->is_es || gl->is_csv || gl->is_json)
		return cli_say_misuse(self->name, "--es, --csv and --json belong to list");
	return run_program(gl, argv + first);
}

static int run_gl(const struct cli_command *self, int argc, char **argv)
{
	struct cli_gl gl = { .events = NULL };
	int ret = run(self, &gl, argc, argv);

	free(gl.events);
	return ret;
}

const struct cli_command cli_gl_command = {
	.name = "gl",
	.usage = "gl [OPTION...] [--] PROGRAM [ARG...]\n"
		 "gl list [OPTION...]",
	.about = "give an OpenGL program counters, in GL_AMD_performance_monitor",
	.details =
		"PROGRAM finds the extension in each context, whatever its driver has, with the "
		"groups cpu (this process), pipeline (the driver's own queries) and ntime (-e). "
		"Nothing else changes for it. list prints the groups and counters that a program "
		"would find, and why others are missing.\nThe exit status is the program's; 125 "
		"if ntime failed, 126 if the program cannot be executed, 127 if it is not found.",
	.options = options,
	.action = action_word,
	.run = run_gl,
};
