// SPDX-License-Identifier: MIT
/* ntime lab: find the lab's runner, and become it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/help.h"
#include "cli/base/options.h"
#include "cli/output/say.h"

/* Where "make install" puts the runner; meson says. */
#ifndef NTIME_LAB_INSTALLED
#define NTIME_LAB_INSTALLED "/usr/libexec/ntime/lab/ntime-lab"
#endif

/*
 * Beside a command that was not installed meson leaves a file that names the runner of its source
 * tree.
 */
#define RUNNER_FILE "lab-runner"

enum {
	ID_WITH = 256,
	ID_DRIVER,
	ID_FILE,
	ID_USER,
	ID_STDIN,
	ID_TIMEOUT,
	ID_APPEND,
	ID_CONSOLE,
	ID_GDB,
	ID_JSON,
};

/*
 * For help and completion; the runner (lab/options.py) parses them, and tests/lab compares the two
 * lists.
 */
static const struct cli_option options[] = {
	{ ID_WITH, "with", "PEER", "run, shell: also install perf or papi in the guest" },
	{ ID_DRIVER, "driver", NULL,
	  "run, shell: build the driver for the guest and copy it to /lab/ntime.ko" },
	{ ID_FILE, "file", "FILE",
	  "run, shell: copy FILE into the guest, as /lab/NAME or to the path after a colon" },
	{ ID_USER, "user", NULL, "run, shell: run as an ordinary user (uid 1000), not as root" },
	{ ID_STDIN, "stdin", NULL, "run: pass standard input to the command" },
	{ ID_TIMEOUT, "timeout", "SECONDS",
	  "run, shell: kill the guest if the command takes longer" },
	{ ID_APPEND, "append", "WORDS", "run, shell: add words to the kernel's command line" },
	{ ID_CONSOLE, "console", NULL, "run, shell: show the guest's console on stderr" },
	{ ID_GDB, "gdb", "PORT",
	  "run, shell: wait for gdb at TCP port PORT before the first instruction" },
	{ ID_JSON, "json", NULL, "list: write JSON" },
	{ 'v', "verbose", NULL, "print how long each part took; twice: also QEMU's command line" },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

/*
 * Path of a runner that belongs to a command in a build directory; false when this command is not
 * in one.
 */
static bool find_in_build(char *path, size_t bytes)
{
	char name[PATH_MAX + sizeof(RUNNER_FILE)];
	ssize_t n = readlink("/proc/self/exe", name, PATH_MAX - 1);
	char *slash, *end;
	FILE *f;

	if (n < 0)
		return false;
	name[n] = '\0';
	slash = strrchr(name, '/');
	if (!slash)
		return false;
	memcpy(slash + 1, RUNNER_FILE, sizeof(RUNNER_FILE));
	f = fopen(name, "re");
	if (!f)
		return false;
	end = fgets(path, (int)bytes, f);
	fclose(f);
	if (!end)
		return false;
	path[strcspn(path, "\n")] = '\0';
	return true;
}

static bool wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

static int run_lab(const struct cli_command *self, int argc, char **argv)
{
	const char *runner = getenv("NTIME_LAB");
	char path[PATH_MAX];

	if (wants_help(argc, argv)) {
		cli_help_print(stdout, self);
		return cli_say_stdout_end();
	}
	if (argc < 2)
		return cli_say_misuse(self->name, "name an action: list, run, shell, prepare, "
						  "build, module, update or clean");
	if (!runner || !*runner)
		runner = find_in_build(path, sizeof(path)) ? path : NTIME_LAB_INSTALLED;
	execv(runner, argv);
	cli_say("cannot start the lab's runner %s: %s%s", runner, strerror(errno),
		errno == ENOENT ? " (a Python program; the environment variable NTIME_LAB may name "
				  "another one)"
				: "");
	return CLI_EXIT_FAILED;
}

const struct cli_command cli_lab_command = {
	.name = "lab",
	.usage = "lab list [--json] [-v]\n"
		 "lab run GUEST [OPTION...] -- COMMAND [ARG...]\n"
		 "lab shell GUEST [OPTION...]\n"
		 "lab prepare [GUEST...]\n"
		 "lab module FLAVOUR|GUEST\n"
		 "lab build\n"
		 "lab update\n"
		 "lab clean",
	.about = "run commands in emulated machines whose true counts are known",
	.details = "list prints what each guest emulates, what is exact in it and what is not. run "
		   "fetches and builds what is missing, boots the guest, runs the command and "
		   "passes on its output and exit status; files that the command names are copied "
		   "into the guest. shell is a prompt inside, or runs the script on standard "
		   "input. prepare makes guests ready to boot without network, build builds what "
		   "runs in this machine's own guests, module builds the driver for the kernel of "
		   "a guest, update looks for newer packages, clean removes the cache: everything "
		   "fetched, and the emulators.\nThe exit status is the command's; 125 if the run "
		   "itself failed: the guest hung or died, or its kernel reported a bug; 77 if the "
		   "guest is not available on this machine.",
	.options = options,
	.run = run_lab,
};
