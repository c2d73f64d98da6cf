// SPDX-License-Identifier: MIT
/* The machine that a subcommand looks at. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/list.h>
#include <ntime/session.h>

#include "base/command/command.h"
#include "base/command/confine.h"
#include "count/cli/shared/machine.h"
#include "base/command/signals.h"
#include "base/output/json.h"
#include "base/output/say.h"

static void log_line(void *arg, const char *line)
{
	(void)arg;
	cli_say("%s", line);
}

int cli_machine_say(const struct ntime_ctx *ctx, int ret)
{
	const char *text = ctx ? ntime_error_text(ctx) : "";

	/* The sentence may be that of an earlier error. */
	if (ret == -ENOMEM)
		return cli_say_no_memory();
	if (*text)
		cli_say("%s", text);
	else
		cli_say("%s", strerror(-ret));
	return CLI_EXIT_FAILED;
}

int cli_machine_check(const struct ntime_ctx *ctx, int ret)
{
	if (ret < 0)
		cli_machine_say(ctx, ret);
	return ret < 0 ? ret : 0;
}

static int say_library(void *arg, const struct ntime_problem *problem)
{
	(void)arg;
	cli_say("%s; remedy: %s", problem->reason, problem->remedy);
	return 0;
}

void cli_machine_say_libraries(struct ntime_ctx *ctx)
{
	(void)ntime_problem_of_libraries(ctx, say_library, NULL);
}

__attribute__((weak)) bool cli_machine_recordings_count(void)
{
	return false;
}

/* What is only asked can do without a model that the environment names in vain. */
static int open_without_model(struct ntime_options *options, int why, struct ntime_ctx **ctx)
{
	struct ntime_ctx *without;
	int ret;

	options->model = "";
	ret = ntime_open(&without, options);
	if (ret == 0)
		cli_machine_say(*ctx, why);
	ntime_close(*ctx);
	*ctx = without;
	return ret;
}

int cli_machine_open(const struct cli_machine *m, struct ntime_ctx **ctx)
{
	struct ntime_options options = {
		.size = sizeof(options),
		.flags = (m->no_self_test ? NTIME_NO_SELF_TEST : 0) |
			 (m->tests_anew ? NTIME_SELF_TEST_ANEW : 0),
		.root = m->root,
		.machine = m->recording,
		.metrics = m->metrics,
		.model = m->model,
		.log = m->verbose > 1 ? log_line : NULL,
		.interrupt = cli_signals_interrupted,
	};
	int ret;

	*ctx = NULL;
	if (m->recording && m->model) {
		cli_say("--machine and --model cannot be combined: a recorded machine has no "
			"cards");
		return -EINVAL;
	}
	if (m->recording && m->root) {
		cli_say("--machine and --root cannot be combined: a recording has files of its "
			"own");
		return -EINVAL;
	}
	if (m->recording && m->counts && !cli_machine_recordings_count()) {
		cli_say("a recorded machine counts nothing: it can be asked by list, doctor, reg "
			"and --dry-run");
		return -EOPNOTSUPP;
	}
	if ((m->recording || (m->root && m->root[strspn(m->root, "/")])) && !m->runs_command)
		cli_confine(m->verbose);
	/* Also for its memory: else a recording for which there is none is no JSON, as it seems. */
	ret = m->recording ? cli_json_check() : 0;
	if (ret < 0)
		return ret;
	ret = ntime_open(ctx, &options);
	if (ret < 0 && !m->counts && !m->model && getenv("NTIME_MODEL"))
		ret = open_without_model(&options, ret, ctx);
	if (ret < 0) {
		cli_machine_say(*ctx, ret);
		ntime_close(*ctx);
		*ctx = NULL;
	}
	return ret;
}

const char *cli_via_word(size_t i)
{
	return ntime_via_name((uint32_t)i);
}

int cli_option_via(const char *command, const char *value, uint32_t *via)
{
	for (uint32_t i = 0; ntime_via_name(i); i++) {
		if (strcmp(value, ntime_via_name(i)) == 0) {
			*via = i;
			return 0;
		}
	}
	return cli_misuse(command, "--via takes one of " NTIME_VIA_NAMES ", not '%s'", value);
}
