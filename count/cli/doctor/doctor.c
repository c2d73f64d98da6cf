// SPDX-License-Identifier: MIT
/* ntime doctor: what this machine could count, and what stands in the way. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ntime/context.h>
#include <ntime/machine.h>
#include <ntime/topology.h>

#include "base/command/command.h"
#include "count/cli/doctor/repair.h"
#include "count/cli/doctor/report.h"
#include "count/cli/doctor/selftest.h"
#include "base/output/emulated.h"
#include "base/output/file.h"
#include "count/cli/shared/machine.h"
#include "base/command/options.h"
#include "base/output/memory.h"
#include "base/output/say.h"

struct doctor {
	struct cli_machine machine;
	const char *record;
	bool is_json, is_csv, is_repair, is_sure, is_selftest;
};

#define COUNT(member) CLI_COUNT(struct doctor, member)
#define FLAG(member) CLI_FLAG(struct doctor, member)
#define TEXT(member) CLI_TEXT(struct doctor, member)

static const struct cli_option options[] = {
	{ 0, "self-test", NULL,
	  "test every counter that this user may read, on each CPU, and print what was found",
	  FLAG(is_selftest) },
	{ 0, "csv", NULL, "with --self-test: write comma-separated values", FLAG(is_csv) },
	{ 0, "json", NULL, "write JSON", FLAG(is_json) },
	{ 0, "record", "FILE", "record this machine to FILE, for --machine on any machine",
	  TEXT(record) },
	{ 0, "repair", NULL, "restore registers that killed programs left changed; asks first",
	  FLAG(is_repair) },
	{ 0, "yes", NULL, "with --repair: do not ask; required without a terminal", FLAG(is_sure) },
	{ 0, "machine", "FILE", "look at a recorded machine instead of this one",
	  TEXT(machine.recording) },
	{ 0, "root", "DIR", "look for the system's files below DIR", TEXT(machine.root) },
	{ 'v', "verbose", NULL,
	  "also list access methods and units; twice: also the library's decisions",
	  COUNT(machine.verbose) },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

static int set_option(void *arg, const struct cli_option *o, const char *value)
{
	return cli_option_store(o, arg, value) ? 0 : -EINVAL;
}

/* That it failed is found out at the end, with why. */
static int write_bytes(void *arg, const void *bytes, size_t n)
{
	struct cli_output *o = arg;

	(void)fwrite(bytes, 1, n, o->f);
	return 0;
}

static int record(struct ntime_ctx *ctx, const char *path)
{
	struct cli_output out;
	int ret;

	if (cli_output_open(&out, path, false))
		return CLI_EXIT_FAILED;
	ret = ntime_machine_record(ctx, write_bytes, &out);
	if (ret < 0) {
		cli_output_abandon(&out);
		return cli_machine_say(ctx, ret);
	}
	if (cli_output_close(&out))
		return CLI_EXIT_FAILED;
	cli_say("this machine was recorded to %s", path);
	return 0;
}

static int examine(const struct doctor *d, struct ntime_ctx *ctx)
{
	struct cli_doctor_style style = {
		.look = cli_look_at(STDOUT_FILENO),
		.verbose = d->machine.verbose,
		.version = ntime_version(),
		.emulated = cli_emulated(),
		.is_simulated = d->machine.recording,
		.topology = { .size = sizeof(style.topology) },
	};
	struct cli_catalog catalog;
	size_t problems;
	int ret = cli_catalog_load(&catalog, ctx,
				   CLI_METHODS | CLI_UNITS | CLI_EVENTS | CLI_PROBLEMS, NULL);

	if (ret < 0) {
		cli_catalog_fini(&catalog);
		return cli_machine_say(ctx, ret);
	}
	/*
	 * Counting does not need it: without hwloc's picture that line is left out, but for a tree.
	 */
	ret = ntime_topology_get(ctx, &style.topology);
	if (ret == -ENOMEM)
		cli_memory_end();
	style.has_topology = ret == 0;
	style.why_no_topology = ret < 0 && d->machine.root ? ntime_error_text(ctx) : NULL;
	if (d->is_json)
		cli_doctor_write_json(stdout, &style, &catalog);
	else
		cli_doctor_write_text(stdout, &style, &catalog);
	problems = catalog.problems;
	cli_catalog_fini(&catalog);
	ret = cli_say_stdout_end();
	return ret ? ret : problems > 0;
}

static int check_options(const struct cli_command *self, const struct doctor *d)
{
	if (d->record && d->machine.recording)
		return cli_say_misuse(self->name, "--record and --machine cannot be combined");
	if (d->is_repair && (d->record || d->machine.recording || d->is_json))
		return cli_say_misuse(self->name, "--repair and %s cannot be combined",
				      d->record		     ? "--record"
				      : d->machine.recording ? "--machine"
							     : "--json");
	if (d->is_selftest && (d->record || d->machine.recording || d->is_repair))
		return cli_say_misuse(self->name, "--self-test and %s cannot be combined",
				      d->record		     ? "--record"
				      : d->machine.recording ? "--machine"
							     : "--repair");
	if (d->is_csv && !d->is_selftest)
		return cli_say_misuse(self->name, "--csv needs --self-test");
	if (d->is_csv && d->is_json)
		return cli_say_misuse(self->name, "--csv and --json cannot be combined");
	if (d->is_sure && !d->is_repair)
		return cli_say_misuse(self->name, "--yes needs --repair");
	return 0;
}

static int run_doctor(const struct cli_command *self, int argc, char **argv)
{
	struct doctor d = { .record = NULL };
	struct ntime_ctx *ctx;
	int ret = cli_options_parse(self, argc, argv, set_option, &d);

	if (ret < 0)
		return cli_options_end(ret);
	if (ret < argc)
		return cli_say_misuse(self->name, "doctor takes no argument, but there is '%s'",
				      argv[ret]);
	if (check_options(self, &d))
		return CLI_EXIT_FAILED;
	if (d.is_selftest)
		return cli_doctor_selftest(&d.machine, d.is_csv	   ? CLI_SELFTEST_CSV
						       : d.is_json ? CLI_SELFTEST_JSON
								   : CLI_SELFTEST_TEXT);
	if (cli_machine_open(&d.machine, &ctx))
		return CLI_EXIT_FAILED;
	if (d.is_repair)
		ret = cli_doctor_repair(ctx, d.is_sure);
	else
		ret = d.record ? record(ctx, d.record) : 0;
	if (!ret && !d.is_repair && (!d.record || d.is_json))
		ret = examine(&d, ctx);
	ntime_close(ctx);
	return ret;
}

const struct cli_command cli_doctor_command = {
	.name = "doctor",
	.usage = "doctor [OPTION...]",
	.about = "list what this machine can count, and each problem with its remedy",
	.details = "The exit status is 0 if there is no problem, 1 if there is one, 125 if ntime "
		   "itself failed. With --repair it is 0 if everything was restored or there was "
		   "nothing to do, else 125. With --self-test it is 0 if no counter was found to "
		   "lie, 1 if one was, 125 if ntime itself failed.",
	.options = options,
	.is_permuting = true,
	.run = run_doctor,
};
