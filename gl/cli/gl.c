// SPDX-License-Identifier: MIT
/* ntime gl: run an OpenGL program that finds counters in GL_AMD_performance_monitor. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "base/command/alone.h"
#include "count/cli/shared/machine.h"
#include "base/command/options.h"
#include "gl/cli/gl.h"
#include "base/output/exit.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "gl/extension/wire.h"

#define FLAG(member) CLI_FLAG(struct cli_gl, member)
#define TEXT(member) CLI_TEXT(struct cli_gl, member)

#define OPTION_VENDOR                                                                              \
	0, "vendor", "NAME",                                                                       \
		"the driver whose OpenGL is used where there are several, such as mesa or nvidia", \
		TEXT(vendor)
#define OPTION_EVENT                                                                               \
	'e', "event", "LIST",                                                                      \
		"events, metrics and queries of the driver (samples-passed), separated by "        \
		"commas, that are counted in each frame and become the group ntime; may be "       \
		"repeated"
#define OPTION_PRELOAD                                                                             \
	0, "preload", NULL, "load the counters by LD_PRELOAD: for systems without glvnd",          \
		FLAG(is_preload)
#define OPTIONS_FILES                                                                              \
	{ 0, "csv", "FILE", "write a row a frame, a column a counter", TEXT(csv) },                \
		{ 0, "json", "FILE", "write the frames and their statistics as JSON",              \
		  TEXT(json) },                                                                    \
		{ 0, "hud", "FOLDER", "write a file a counter, as GALLIUM_HUD_DUMP_DIR has them",  \
		  TEXT(hud) },                                                                     \
		{ 0, "plot", "FILE", "draw them as SVG: a strip a counter, a bar a frame",         \
		  TEXT(plot) },                                                                    \
	{                                                                                          \
		0, "frames", "FILE",                                                               \
			"keep the last frames in a ring that ntime watch --frames shows "          \
			"meanwhile",                                                               \
			TEXT(frames)                                                               \
	}

static const struct cli_option options[] = {
	{ OPTION_EVENT },
	{ OPTION_VENDOR },
	{ OPTION_PRELOAD },
	OPTIONS_FILES,
	{ 'q', "quiet", NULL, "print no summary of the frames", FLAG(is_quiet) },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

static const struct cli_option list_options[] = {
	{ OPTION_EVENT },
	{ OPTION_VENDOR },
	{ 0, "es", NULL, "what a program of OpenGL ES sees", FLAG(is_es) },
	{ 0, "csv", NULL, "write comma-separated values", FLAG(is_csv) },
	{ 0, "json", NULL, "write JSON", FLAG(is_json) },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

static const struct cli_option harness_options[] = {
	{ OPTION_EVENT },
	CLI_GL_SCENE_OPTIONS(struct cli_gl),
	{ 0, "trace", "FILE", "replay this recording of apitrace instead of the scene",
	  TEXT(harness.trace) },
	{ OPTION_VENDOR },
	{ OPTION_PRELOAD },
	OPTIONS_FILES,
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

static const struct cli_option scene_options[] = {
	CLI_GL_SCENE_OPTIONS(struct cli_gl),
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

/* The bit of a query of the driver; 0: it is none. */
static uint32_t query_of(const char *name, size_t chars)
{
#define NAME(name, unit, behind, target) name,
	static const char *const names[] = { GLP_QUERIES(NAME) };
#undef NAME

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == chars && memcmp(names[i], name, chars) == 0)
			return 1u << i;
	return 0;
}

static void add_events(struct cli_gl *gl, const char *list)
{
	char *all;

	/* Within a formula or a group commas part what is none of these names. */
	for (size_t n = strcspn(list, ",");; list += n + 1, n = strcspn(list, ",")) {
		uint32_t query = query_of(list, n);

		gl->queries |= query;
		if (!query) {
			all = cli_format("%s%s%.*s", gl->events ? gl->events : "",
					 gl->events ? "," : "", (int)n, list);
			free(gl->events);
			gl->events = all;
		}
		if (!list[n])
			return;
	}
}

static int set_option(void *arg, const struct cli_option *o, const char *value)
{
	if (o->word && cli_option_word("gl", o, value) < 0)
		return -EINVAL;
	if (!cli_option_store(o, arg, value))
		add_events(arg, value);
	return 0;
}

/**
 * struct scopes - what a list counts
 * @wide:	events that count more than a program
 */
struct scopes {
	size_t events, wide;
};

/* What cannot be counted is said here, once, as the program itself stays silent. */
static int look_at_items(struct ntime_ctx *ctx, struct ntime_session *s, struct scopes *of)
{
	size_t n = ntime_session_count(s);
	struct ntime_value *values = cli_calloc(n + 1, sizeof(*values));
	int ret = ntime_session_read(s, values, n);

	if (ret < 0)
		ret = cli_machine_say(ctx, ret);
	for (size_t i = 0; i < n && ret >= 0; i++) {
		struct ntime_item item = { .size = sizeof(item) };

		if (ntime_session_item(s, i, &item) < 0 || item.is_hidden)
			continue;
		of->events++;
		if (!(values[i].flags & NTIME_ABSENT))
			continue;
		of->wide += item.reason_code == NTIME_REASON_SCOPE;
		if (item.reason_code != NTIME_REASON_SCOPE || of->wide < of->events)
			cli_say("%s is not counted: %s (%s)", item.name, item.reason, item.remedy);
	}
	free(values);
	return ret < 0 ? CLI_EXIT_FAILED : 0;
}

static int try_list(struct ntime_ctx *ctx, const char *list, bool of_machine, struct scopes *of)
{
	const struct ntime_target target = { .size = sizeof(target),
					     .kind = of_machine ? NTIME_TARGET_MACHINE
								: NTIME_TARGET_PROCESS,
					     .flags = of_machine ? 0 : NTIME_CHILDREN,
					     .pid = of_machine ? 0 : getpid() };
	struct ntime_session *s = NULL;
	int ret = ntime_session_new(ctx, &target, &s);

	if (ret == 0)
		ret = ntime_session_add_list(s, list);
	if (ret == 0)
		ret = ntime_session_open(s);
	ret = ret < 0 ? cli_machine_say(ctx, ret) : look_at_items(ctx, s, of);
	ntime_session_free(s);
	return ret;
}

/* Are they events at all, of this program or of the machine? 0 or an exit status after a sentence.
 */
static int check_events(struct cli_gl *gl)
{
	const struct cli_machine machine = { .runs_command = true };
	struct scopes of = { 0 };
	struct ntime_ctx *ctx;
	int ret;

	if (strlen(gl->events) >= GLP_WIRE_EVENTS)
		return cli_say_misuse("gl", "-e has %zu characters, and %d are passed on",
				      strlen(gl->events), GLP_WIRE_EVENTS - 1);
	if (cli_machine_open(&machine, &ctx))
		return CLI_EXIT_FAILED;
	ret = try_list(ctx, gl->events, false, &of);
	gl->of_machine = of.wide && of.wide == of.events;
	if (!ret && gl->of_machine)
		ret = try_list(ctx, gl->events, true, &(struct scopes){ 0 });
	ntime_close(ctx);
	return ret;
}

static int run_program(struct cli_gl *gl, char **argv)
{
	int ret = gl->events ? check_events(gl) : 0;
	bool wants_frames = !gl->is_quiet || gl->is_harness || gl->csv || gl->json || gl->hud ||
			    gl->plot || gl->frames;

	if (ret)
		return ret;
	/* Without us the program runs all the same, in the environment that it had. */
	if (cli_gl_check_program(argv[0]))
		(void)cli_gl_prepare(gl);
	if (wants_frames)
		return cli_gl_run(gl, argv);
	execvp(argv[0], argv);
	ret = errno;
	cli_say("cannot start %s: %s", argv[0], strerror(ret));
	return ret == ENOENT ? CLI_EXIT_NOT_FOUND : CLI_EXIT_NOT_EXECUTABLE;
}

static int run_list(struct cli_gl *gl)
{
	if (gl->is_csv && gl->is_json)
		return cli_say_misuse("gl list", "--json and --csv cannot be combined");
	if (gl->is_preload)
		return cli_say_misuse("gl list", "--preload is for programs that ntime runs: use "
						 "ntime gl --preload ntime gl list");
	return cli_gl_prepare(gl) < 0 ? CLI_EXIT_FAILED : cli_gl_list(gl);
}

static int run_harness(struct cli_gl *gl)
{
	const struct cli_gl_scene *s = &gl->harness.scene;
	char **argv;
	int ret;

	if (gl->harness.trace && (s->model || s->mode || s->texture || s->count_text))
		return cli_say_misuse("gl harness", "--trace is another work than that of the "
						    "scene, of which --model, --model-count, "
						    "--render-mode and --texture are");
	if (cli_gl_scene_check(&gl->harness.scene, "gl harness", CLI_GL_MOST_FRAMES))
		return CLI_EXIT_FAILED;
	argv = cli_gl_harness_program(&gl->harness);
	if (!argv)
		return CLI_EXIT_FAILED;
	gl->is_harness = true;
	ret = run_program(gl, argv);
	for (char **word = argv; *word; word++)
		free(*word);
	free(argv);
	return ret;
}

static int run_scene(struct cli_gl *gl)
{
	return cli_gl_scene_check(&gl->harness.scene, "gl scene", CLI_GL_MOST_FRAMES + 1)
		       ? CLI_EXIT_FAILED
		       : cli_gl_scene_draw(&gl->harness.scene);
}

static const struct action {
	struct cli_command command;
	int (*run)(struct cli_gl *gl);
} actions[] = {
	{ { .name = "gl list",
	    .usage = "gl list [OPTION...]",
	    .about = "print the counters that a program finds, and why others are missing",
	    .details = "",
	    .options = list_options },
	  run_list },
	{ { .name = "gl harness",
	    .usage = "gl harness [OPTION...]",
	    .about = "draw the same frames each time and write what was counted in them",
	    .details = "Prints a block of OPTIONS and STATS for each counter, as an SDK sample of "
		       "NVIDIA did, which ntime compare reads. Frame 0 is drawn beside them, and "
		       "is in none.",
	    .options = harness_options },
	  run_harness },
	{ { .name = "gl scene",
	    .usage = "gl scene [OPTION...]",
	    .about = "draw what harness draws, without counting: for recordings and profilers",
	    .details = "",
	    .options = scene_options },
	  run_scene },
};

#define N_ACTIONS (sizeof(actions) / sizeof(actions[0]))

static const char *action_word(size_t i)
{
	return i < N_ACTIONS ? actions[i].command.name + strlen("gl ") : NULL;
}

static int for_each_action(int (*fn)(void *arg, const struct cli_command *action), void *arg)
{
	int ret = 0;

	for (size_t i = 0; i < N_ACTIONS && !ret; i++)
		ret = fn(arg, &actions[i].command);
	return ret;
}

/* argv[0] is its name; -e, --vendor and --preload may stand in front of it. */
static int run_action(const struct action *a, struct cli_gl *gl, int argc, char **argv)
{
	int ret;

	if (gl->csv || gl->json || gl->hud || gl->plot || gl->frames || gl->is_quiet)
		return cli_say_misuse(a->command.name, "its options stand behind '%s'", argv[0]);
	ret = cli_options_parse(&a->command, argc, argv, set_option, gl);
	if (ret < 0)
		return cli_options_end(ret);
	if (ret < argc)
		return cli_say_misuse(a->command.name,
				      "%s takes no argument, but there is '%s' (a program that is "
				      "called %s runs behind --)",
				      argv[0], argv[ret], argv[0]);
	return a->run(gl);
}

static int run(const struct cli_command *self, struct cli_gl *gl, int argc, char **argv)
{
	int first = cli_options_parse(self, argc, argv, set_option, gl);

	if (first < 0)
		return cli_options_end(first);
	if (gl->vendor && !*gl->vendor)
		return cli_say_misuse(self->name, "--vendor needs a name, such as mesa");
	if (first == argc)
		return cli_say_misuse(self->name,
				      "name a program to run, or an action: list, harness, scene");
	if (gl->is_preload && gl->vendor)
		return cli_say_misuse(self->name, "--vendor asks glvnd for a driver, and --preload "
						  "is for systems without it");
	for (size_t i = 0; i < N_ACTIONS && strcmp(argv[first - 1], "--") != 0; i++)
		if (strcmp(argv[first], action_word(i)) == 0)
			return run_action(&actions[i], gl, argc - first, argv + first);
	return run_program(gl, argv + first);
}

static int run_gl(const struct cli_command *self, int argc, char **argv)
{
	struct cli_gl gl = { .events = NULL };
	int ret = run(self, &gl, argc, argv);

	free(gl.events);
	return ret;
}

static const struct cli_command command = {
	.name = "gl",
	.usage = "gl [OPTION...] [--] PROGRAM [ARG...]\n"
		 "gl list [OPTION...]\n"
		 "gl harness [OPTION...]\n"
		 "gl scene [OPTION...]",
	.about = CLI_ABOUT_GL,
	.details =
		"A frame ends where PROGRAM swaps buffers. Without -e its CPU time and page faults "
		"are counted in each.\nPROGRAM finds GL_AMD_performance_monitor in each context, "
		"whatever its driver has, with the groups cpu (this process), pipeline (the "
		"driver's own queries) and ntime (-e). Nothing else changes for it.\nThe exit "
		"status is the program's; 125 if ntime failed, 126 if the program cannot be "
		"executed, 127 if it is not found.",
	.options = options,
	.for_each_action = for_each_action,
	.action = action_word,
	.run = run_gl,
};

int main(int argc, char **argv)
{
	return cli_alone_main(&command, argc, argv);
}
