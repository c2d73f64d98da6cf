// SPDX-License-Identifier: MIT
/* The ntime command: find the subcommand and run it. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <ntime/context.h>

#include "cli/base/command.h"
#include "cli/base/help.h"
#include "cli/output/say.h"

const struct cli_command *const cli_commands[] = {
	&cli_stat_command,
	&cli_watch_command,
	&cli_list_command,
	&cli_doctor_command,
	&cli_reg_command,
	&cli_trace_command,
	&cli_driver_command,
	&cli_lab_command,
	&cli_help_command,
	&cli_complete_command,
	NULL,
};

const struct cli_command *cli_command_find(const char *name)
{
	for (size_t i = 0; cli_commands[i]; i++)
		if (strcmp(cli_commands[i]->name, name) == 0)
			return cli_commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct cli_command *c;

	/* Only what characters are: numbers stay as C writes them, in every output form. */
	setlocale(LC_CTYPE, "");
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		cli_help_overview(stdout);
		return cli_say_stdout_end();
	}
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
		printf("ntime %s\n", ntime_version());
		return cli_say_stdout_end();
	}
	c = argc > 1 ? cli_command_find(argv[1]) : NULL;
	if (c)
		return c->run(c, argc - 1, argv + 1);
	/* "ntime PROG" is "ntime stat PROG". */
	return cli_commands[0]->run(cli_commands[0], argc, argv);
}
