// SPDX-License-Identifier: MIT
/* ntime driver: its options, and which action is meant. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "count/cli/driver/driver.h"
#include "base/command/help.h"
#include "base/command/options.h"
#include "base/output/say.h"

enum {
	ID_MODULE = 256,
	ID_GID,
	ID_MODE,
	ID_USER_ACCESS,
	ID_JSON,
	ID_ROOT,
};

#define FLAG(member) CLI_FLAG(struct cli_driver, member)
#define TEXT(member) CLI_TEXT(struct cli_driver, member)

static const struct cli_option options[] = {
	{ ID_MODULE, "module", "FILE", "load: this file instead of the module that modprobe finds",
	  TEXT(module) },
	{ ID_GID, "gid", "GROUP", "load: group of the register files (default: ntime if it exists)",
	  TEXT(gid) },
	{ ID_MODE, "mode", "MODE",
	  "load: permissions of the register files, in octal (0440; 0400 without the group)",
	  TEXT(mode) },
	{ ID_USER_ACCESS, "user-access", NULL,
	  "load: on 32-bit ARM let all programs use the performance monitor",
	  FLAG(has_user_access) },
	{ ID_JSON, "json", NULL, "status: write JSON", FLAG(is_json) },
	{ ID_ROOT, "root", "DIR", "status: look for the system's files below DIR", TEXT(root) },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

static const struct action {
	const char *name;
	int (*run)(const struct cli_driver *d);
	int option[4];
} actions[] = {
	{ "load", cli_driver_load, { ID_MODULE, ID_GID, ID_MODE, ID_USER_ACCESS } },
	{ "unload", cli_driver_unload, { 0 } },
	{ "status", cli_driver_status, { ID_JSON, ID_ROOT } },
};

#define ACTIONS (sizeof(actions) / sizeof(actions[0]))

struct parse {
	struct cli_driver *d;
	const struct action *action;
};

static bool is_allowed(const struct action *a, int id)
{
	for (size_t i = 0; i < sizeof(a->option) / sizeof(a->option[0]); i++)
		if (a->option[i] == id)
			return true;
	return false;
}

static int set_option(void *arg, const struct cli_option *o, const char *value)
{
	struct parse *p = arg;

	if (is_allowed(p->action, o->id))
		return cli_option_store(o, p->d, value) ? 0 : -EINVAL;
	cli_say_misuse(p->d->self->name, "'%s' has no option --%s", p->action->name, o->name);
	return -EINVAL;
}

static const char *action_word(size_t i)
{
	return i < ACTIONS ? actions[i].name : NULL;
}

static int run_driver(const struct cli_command *self, int argc, char **argv)
{
	struct cli_driver d = { .self = self };
	struct parse p = { .d = &d };
	int ret = cli_action_find(self, argc, argv);

	if (ret < 0)
		return cli_options_end(ret);
	p.action = &actions[ret];
	ret = cli_options_parse(self, argc - 1, argv + 1, set_option, &p);
	if (ret < 0)
		return cli_options_end(ret);
	if (ret < argc - 1)
		return cli_say_misuse(self->name, "'%s' takes no argument, but there is '%s'",
				      p.action->name, argv[1 + ret]);
	return p.action->run(&d);
}

const struct cli_command cli_driver_command = {
	.name = "driver",
	.usage = "driver load [--module FILE] [--gid GROUP] [--mode MODE] [--user-access]\n"
		 "driver unload\n"
		 "driver status [--json]",
	.about = "load ntime's driver, which shows registers as files",
	.details = "load also mounts " CLI_DRIVER_PATH
		   ", unload unmounts it first.\nExit status: 0; status: 1 if the driver is not "
		   "loaded or not mounted; 125 on failure.",
	.options = options,
	.is_permuting = true,
	.action = action_word,
	.run = run_driver,
};
