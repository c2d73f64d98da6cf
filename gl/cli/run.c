// SPDX-License-Identifier: MIT
/* ntime gl: a program from its start to the report of its frames. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count/cli/shared/machine.h"
#include "base/command/signals.h"
#include "gl/cli/gl.h"
#include "gl/cli/harness.h"
#include "base/output/exit.h"
#include "base/output/file.h"
#include "base/output/json.h"
#include "base/output/say.h"

/* Counted where the user names nothing, or queries of the driver alone. */
#define USUAL_EVENTS "task-clock,page-faults"

/* A file that the user wants, open before the program starts. */
struct report {
	const char *path;
	void (*write)(FILE *f, const struct cli_gl_run *run);
	struct cli_output out;
};

enum { SUMMARY, CSV, JSON, PLOT, REPORTS };

/* errno says why not. */
static bool is_folder(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	if (!S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	return S_ISDIR(st.st_mode) && access(path, W_OK | X_OK) == 0;
}

/* Two outputs of one name: the second would replace the first. */
static int check_names(const struct cli_gl *gl)
{
	const char *name[] = { gl->csv, gl->json, gl->plot, gl->frames };

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		for (size_t k = 0; k < i; k++)
			if (name[i] && name[k] && strcmp(name[i], name[k]) == 0 &&
			    strncmp(name[i], "/dev/", 5) != 0)
				return cli_misuse("gl", "two options name the file %s", name[i]);
	return 0;
}

static int open_reports(struct report *r, const struct cli_gl *gl)
{
	int ret = check_names(gl);

	if (ret)
		return ret;
	if (gl->json && cli_json_check() < 0)
		return -ELIBACC;
	if (gl->hud && ((mkdir(gl->hud, 0777) && errno != EEXIST) || !is_folder(gl->hud))) {
		ret = -errno;
		cli_say("cannot write to the folder %s: %s", gl->hud, strerror(-ret));
	}
	for (size_t i = 0; i < REPORTS && !ret; i++)
		if (r[i].write)
			ret = cli_output_open(&r[i].out, r[i].path, false);
	return ret;
}

static int write_reports(struct report *r, const struct cli_gl *gl, const struct cli_gl_run *run)
{
	int ret = gl->hud ? cli_gl_write_hud(gl->hud, run) : 0;

	for (size_t i = 0; i < REPORTS; i++) {
		if (!r[i].write)
			continue;
		r[i].write(r[i].out.f, run);
		if (cli_output_close(&r[i].out) < 0)
			ret = -EIO;
	}
	return ret;
}

/* From its start to its end. 0 or an exit status after a sentence. */
static int follow(struct cli_gl_run *run, struct ntime_command *command)
{
	int ret = ntime_command_start(command);

	if (ret < 0) {
		cli_machine_say(run->frames.ctx, ret);
		return ret == -ENOENT ? CLI_EXIT_NOT_FOUND : CLI_EXIT_NOT_EXECUTABLE;
	}
	cli_signals_forward(ntime_command_pid(command));
	ret = cli_gl_frames_follow(&run->frames, ntime_command_pid(command));
	run->end.size = sizeof(run->end);
	while (ret >= 0 && ret != 1) {
		ret = ntime_command_wait(command, UINT64_MAX, &run->end);
		if (ret == -EINTR)
			ret = 0;
	}
	cli_signals_forward(0);
	if (ret > 0)
		return 0;
	cli_say("frames are not counted to the end: %s", strerror(-ret));
	return CLI_EXIT_FAILED;
}

/* What the harness runs writes beside its blocks. 0 or an exit status after a sentence. */
static int make_command(const struct cli_gl_run *run, struct ntime_command **command)
{
	int out = run->harness ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1, ret;

	if (out >= 0)
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	ret = ntime_command_new(run->frames.ctx, run->argv, command);
	if (out >= 0) {
		(void)dup2(out, STDOUT_FILENO);
		(void)close(out);
	}
	return ret < 0 ? cli_machine_say(run->frames.ctx, ret) : 0;
}

/* The first @frames, and a sentence where there are fewer. */
static void keep_frames(struct cli_gl_run *run, uint64_t frames)
{
	size_t most = 0;

	for (size_t i = 0; i < run->frames.n; i++) {
		struct cli_gl_series *s = &run->frames.series[i];

		while (s->n && s->frame[s->n - 1].number >= frames)
			s->n--;
		most = s->n > most ? s->n : most;
	}
	if (most < frames)
		cli_say("%s drew %zu frames of %llu", run->name, most, (unsigned long long)frames);
}

static int run_and_write(const struct cli_gl *gl, struct cli_gl_run *run, struct ntime_ctx *ctx)
{
	struct report reports[REPORTS] = {
		[SUMMARY] = { .path = gl->is_harness ? "-" : NULL,
			      .write = gl->is_harness ? cli_gl_harness_write
				       : gl->is_quiet ? NULL
						      : cli_gl_write_text },
		[CSV] = { .path = gl->csv, .write = gl->csv ? cli_gl_write_csv : NULL },
		[JSON] = { .path = gl->json, .write = gl->json ? cli_gl_write_json : NULL },
		[PLOT] = { .path = gl->plot, .write = gl->plot ? cli_gl_write_plot : NULL },
	};
	struct ntime_command *command = NULL;
	int ret = open_reports(reports, gl) ? CLI_EXIT_FAILED : 0;

	if (!ret && cli_gl_frames_begin(&run->frames, ctx) < 0)
		ret = CLI_EXIT_FAILED;
	if (!ret)
		ret = make_command(run, &command);
	if (!ret)
		ret = follow(run, command);
	if (!ret && gl->is_harness)
		keep_frames(run, gl->harness.scene.frames + 1);
	ntime_command_free(command);
	if (!ret && write_reports(reports, gl, run) < 0)
		ret = CLI_EXIT_FAILED;
	for (size_t i = 0; i < REPORTS; i++)
		cli_output_abandon(&reports[i].out);
	return ret;
}

int cli_gl_run(const struct cli_gl *gl, char **argv)
{
	const struct cli_machine machine = { .runs_command = true };
	const char *slash = strrchr(argv[0], '/');
	struct cli_gl_run run = { .name = gl->is_harness && !gl->harness.trace ? "the scene"
					  : slash			       ? slash + 1
									       : argv[0],
				  .argv = argv,
				  .harness = gl->is_harness ? &gl->harness : NULL,
				  .frames = { .path = gl->frames,
					      .hides_events = gl->queries && !gl->events,
					      .socket = -1,
					      .answer = { .queries = gl->queries,
							  .of_machine = gl->of_machine } } };
	const char *events = gl->events ? gl->events : USUAL_EVENTS;
	struct ntime_ctx *ctx;
	int ret;

	(void)snprintf(run.frames.answer.events, sizeof(run.frames.answer.events), "%s", events);
	if (cli_machine_open(&machine, &ctx))
		return CLI_EXIT_FAILED;
	cli_signals_init();
	ret = run_and_write(gl, &run, ctx);
	cli_gl_frames_fini(&run.frames);
	ntime_close(ctx);
	if (ret)
		return ret;
	if (WIFSIGNALED(run.end.status))
		cli_signals_die(WTERMSIG(run.end.status));
	return cli_gl_status(&run);
}
