// SPDX-License-Identifier: MIT
/* The main() of programs that are one subcommand, and what every main() begins with. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/command/alone.h"
#include "base/command/help.h"
#include "base/command/signals.h"
#include "base/output/say.h"
#include "base/output/term.h"

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

void cli_begin(void)
{
	keep_standard_descriptors();
	cli_signals_limits();
	cli_look_begin();
}

int cli_alone_main(const struct cli_command *c, int argc, char **argv)
{
	cli_begin();
	if (argc == 2 && strcmp(argv[1], CLI_COMPLETE_OPTIONS) == 0) {
		cli_help_options(stdout, c);
		return cli_say_stdout_end();
	}
	if (argc > 1 && strcmp(argv[1], CLI_COMPLETE_WORDS) == 0)
		return cli_help_words(c, argc - 1, argv + 1);
	if (argc == 3 && strcmp(argv[1], CLI_HELP_ACTION) == 0)
		return cli_help_action(c, argv[2]);
	return c->run(c, argc, argv);
}
