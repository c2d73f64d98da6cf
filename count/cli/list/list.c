// SPDX-License-Identifier: MIT
/* ntime list: what the machine has and what can be counted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ntime/context.h>

#include "count/cli/list/catalog.h"
#include "base/command/command.h"
#include "base/output/emulated.h"
#include "count/cli/shared/machine.h"
#include "base/command/options.h"
#include "base/command/pager.h"
#include "base/output/memory.h"
#include "base/output/say.h"

enum {
	ID_UNITS = 256,
	ID_EVENTS,
	ID_METRICS,
	ID_METHODS,
	ID_ALL,
	ID_NAMES,
	ID_CSV,
	ID_JSON,
};

enum form { TEXT, NAMES, CSV, JSON };

struct list {
	struct cli_machine machine;
	unsigned int parts;
	unsigned int verbose;
	const char *model;
	enum form form;
	bool is_overview;
	bool in_context;
	bool is_nvpm; /* what NVPerfKit's programs find, and nothing else */
};

#define COUNT(member) CLI_COUNT(struct list, member)
#define TEXT(member) CLI_TEXT(struct list, member)

static const struct cli_option options[] = {
	{ ID_UNITS, "units", NULL, "list units: blocks of counters" },
	{ ID_EVENTS, "events", NULL, "list events, grouped by unit" },
	{ ID_METRICS, "metrics", NULL, "list metrics: formulas over events" },
	{ ID_METHODS, "methods", NULL,
	  "list access methods: what each needs, and what a read costs" },
	{ ID_ALL, "all", NULL, "list all units, events and metrics of this machine" },
	{ 0, "cpu", "MODEL",
	  "list the events of a PMU model of libpfm4, such as skx, on any machine", TEXT(model) },
	{ ID_NAMES, "names", NULL,
	  "print only the names of events, metrics and groups, one per line" },
	{ ID_CSV, "csv", NULL, "write comma-separated values" },
	{ ID_JSON, "json", NULL, "write JSON" },
	{ 0, "metric-file", "FILE", "read further metrics from FILE", TEXT(machine.metrics) },
	{ 0, "machine", "FILE", "look at a recorded machine instead of this one",
	  TEXT(machine.recording) },
	{ 0, "model", "SOCKET", "list a graphics card that is a model too: gpu0 (ntime model run)",
	  TEXT(machine.model) },
	{ 0, "context", NULL,
	  "list the events of a card's multiprocessors alone, which are counted in a context",
	  CLI_FLAG(struct list, in_context) },
	{ 0, "root", "DIR", "look for the system's files below DIR", TEXT(machine.root) },
	{ 'v', "verbose", NULL,
	  "also print formulas, and why an event cannot be counted; twice: also the library's "
	  "decisions",
	  COUNT(verbose) },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

static int set_form(struct list *l, enum form form)
{
	if (l->form != TEXT && l->form != form)
		return cli_misuse("list", "--names, --csv and --json cannot be combined");
	l->form = form;
	return 0;
}

/* Of the options that add parts, or choose a form. */
static const struct {
	unsigned int parts;
	enum form form;
} sets[] = {
	[ID_UNITS - ID_UNITS] = { CLI_UNITS },
	[ID_EVENTS - ID_UNITS] = { CLI_EVENTS },
	[ID_METRICS - ID_UNITS] = { CLI_METRICS },
	[ID_METHODS - ID_UNITS] = { CLI_METHODS },
	[ID_ALL - ID_UNITS] = { CLI_UNITS | CLI_EVENTS | CLI_METRICS },
	[ID_NAMES - ID_UNITS] = { 0, NAMES },
	[ID_CSV - ID_UNITS] = { 0, CSV },
	[ID_JSON - ID_UNITS] = { 0, JSON },
};

static int set_option(void *arg, const struct cli_option *o, const char *value)
{
	struct list *l = arg;

	if (cli_option_store(o, l, value))
		return 0;
	l->parts |= sets[o->id - ID_UNITS].parts;
	return sets[o->id - ID_UNITS].parts ? 0 : set_form(l, sets[o->id - ID_UNITS].form);
}

static void write_list(const struct list *l, const struct cli_catalog *c)
{
	struct cli_catalog_style style = {
		.look = cli_look_at(STDOUT_FILENO),
		.parts = l->parts,
		.verbose = l->verbose,
		.model = l->model,
		.version = ntime_version(),
		.emulated = cli_emulated(),
		.is_simulated = l->machine.recording,
	};

	struct cli_text text;

	switch (l->form) {
	case TEXT:
		cli_text_begin(&text);
		if (l->is_overview)
			cli_catalog_write_overview(text.f, &style, c);
		else
			cli_catalog_write_text(text.f, &style, c);
		cli_text_end(&text);
		cli_pager_write(text.text, text.bytes);
		free(text.text);
		break;
	case NAMES:
		if (l->is_nvpm)
			cli_catalog_write_perfkit(stdout, c);
		else
			cli_catalog_write_names(stdout, c);
		break;
	case CSV:
		cli_catalog_write_csv(stdout, &style, c);
		break;
	case JSON:
		cli_catalog_write_json(stdout, &style, c);
		break;
	}
}

#define WORD "0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

static int skip_part(void *arg, const struct ntime_encoding *part)
{
	(void)arg;
	(void)part;
	return 0;
}

static int list_machine(struct list *l, char *const *patterns, size_t n)
{
	struct cli_catalog catalog;
	struct ntime_ctx *ctx;
	size_t found;
	int ret;

	if (cli_machine_open(&l->machine, &ctx))
		return CLI_EXIT_FAILED;
	/* Titles of events need their units even when units are not asked for. */
	ret = cli_catalog_load(&catalog, ctx, l->parts | (l->model ? 0 : CLI_UNITS), l->model);
	if (ret < 0) {
		ret = cli_machine_say(ctx, ret);
		goto out;
	}
	if (l->in_context)
		cli_catalog_keep_contexts(&catalog);
	found = cli_catalog_choose(&catalog, l->parts, patterns, n);
	write_list(l, &catalog);
	ret = cli_say_stdout_end();
	if (!ret && !found && l->is_nvpm) {
		cli_say("there is no graphics card with counters of NVPerfKit: 'ntime doctor' says "
			"why");
		ret = 1;
	} else if (!ret && !found) {
		if (n)
			cli_say("nothing matches '%s'%s", patterns[0],
				n > 1 ? " or the other patterns" : "");
		/* A word may be an event of other tools, or a processor. */
		if (n == 1 && !patterns[0][strspn(patterns[0], WORD)] &&
		    ntime_event_encode(ctx, patterns[0], skip_part, NULL) == -ENOENT)
			cli_say("%s", ntime_error_text(ctx));
		if (!n)
			cli_say("there is nothing to list");
		cli_machine_say_libraries(ctx);
		ret = 1;
	}
out:
	cli_catalog_fini(&catalog);
	ntime_close(ctx);
	return ret;
}

static int run_list(const struct cli_command *self, int argc, char **argv)
{
	struct list l = { .form = TEXT };
	int ret = cli_options_parse(self, argc, argv, set_option, &l);

	if (ret < 0)
		return cli_options_end(ret);
	if (l.model && (l.parts & ~CLI_EVENTS))
		return cli_say_misuse(self->name, "--cpu lists events only");
	if (l.model || l.in_context)
		l.parts = CLI_EVENTS;
	l.is_nvpm = argc - ret == 1 && strcmp(argv[ret], CLI_NVPM) == 0;
	l.is_overview = !l.parts && !l.verbose && argc == ret;
	if (!l.parts)
		l.parts = CLI_UNITS | CLI_EVENTS | CLI_METRICS;
	l.machine.verbose = l.verbose;
	return list_machine(&l, argv + ret, (size_t)(argc - ret));
}

static int print_model(void *arg, const char *name, const char *desc)
{
	(void)arg;
	printf("%s\t%s\n", name, desc);
	return 0;
}

/* The models of --cpu are the library's. */
static int print_words(const struct cli_command *self, int argc, char **argv)
{
	const struct cli_machine machine = { .root = NULL };
	struct ntime_ctx *ctx;

	(void)self;
	if (argc != 2 || strcmp(argv[1], "--cpu") != 0)
		return 0;
	if (cli_machine_open(&machine, &ctx))
		return CLI_EXIT_FAILED;
	(void)ntime_pmu_model_for_each(ctx, print_model, NULL);
	ntime_close(ctx);
	return cli_say_stdout_end();
}

const struct cli_command cli_list_command = {
	.name = "list",
	.usage = "list [OPTION...] [PATTERN...]",
	.about = "list units, events and metrics, and whether they can be counted here",
	.details = "Without --all, one of the parts, -v and PATTERN: what can be counted, on one "
		   "screen. PATTERN is a part of a name or description, or with *, ? or [] a glob "
		   "over the "
		   "whole name; case does not matter. With several patterns, one must match. The "
		   "exit status is 1 if nothing matches.",
	.options = options,
	.is_permuting = true,
	.words = print_words,
	.run = run_list,
};
