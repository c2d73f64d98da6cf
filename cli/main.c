// SPDX-License-Identifier: MIT
/* The ntime command: find the subcommand and run it. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ntime/context.h>

#include "cli/base/command.h"
#include "cli/base/help.h"
#include "cli/output/say.h"
#include "cli/subcommands.h" /* made by cli/meson.build */

/* Not shown to people. */
#define HIDDEN(X) X(complete_subcommands) X(complete_options)

#define DECLARE(name) extern const struct cli_command cli_##name##_command;
#define POINTER(name) &cli_##name##_command,

// cppcheck-suppress unknownMacro ; of the header that meson makes
CLI_SUBCOMMANDS(DECLARE)
HIDDEN(DECLARE)

const struct cli_command *const cli_commands[] = { CLI_SUBCOMMANDS(POINTER) HIDDEN(POINTER) NULL };

const struct cli_command *cli_command_find(const char *name)
{
	for (size_t i = 0; cli_commands[i]; i++)
		if (strcmp(cli_commands[i]->name, name) == 0)
			return cli_commands[i];
	return NULL;
}

/*
 * A standard descriptor that is closed would be the first file that we open: messages would stand
 * in a report or a recording. It becomes one that can be neither read nor written, as a closed one;
 * the measured command gets it closed.
 */
static void keep_standard_descriptors(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null",
				   (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/*
 * "ntime --model SOCKET list" is "ntime list --model SOCKET": what machine it is may stand before
 * the subcommand. Without one it is the default subcommand's option as it stands.
 */
static void put_subcommand_first(int argc, char **argv)
{
	static const char *const options[] = { "--model", "--machine" };
	char *name;
	int at = 1;

	while (at < argc) {
		int words = 0;

		for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
			size_t length = strlen(options[i]);

			if (strcmp(argv[at], options[i]) == 0)
				words = 2;
			else if (strncmp(argv[at], options[i], length) == 0 &&
				 argv[at][length] == '=')
				words = 1;
		}
		if (!words)
			break;
		at += words;
	}
	if (at == 1 || at >= argc || !cli_command_find(argv[at]))
		return;
	name = argv[at];
	memmove(&argv[2], &argv[1], (size_t)(at - 1) * sizeof(*argv));
	argv[1] = name;
}

int main(int argc, char **argv)
{
	const struct cli_command *c;

	keep_standard_descriptors();
	put_subcommand_first(argc, argv);
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
