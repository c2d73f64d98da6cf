// SPDX-License-Identifier: MIT
/* ntime lab: find the lab's runner, and become it. */
#include <stddef.h>

#include "cli/base/options.h"
#include "cli/base/program.h"

/* Where "make install" puts the runner; meson says. */
#ifndef NTIME_LAB_INSTALLED
#define NTIME_LAB_INSTALLED "/usr/libexec/ntime/lab/ntime-lab"
#endif

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
	{ ID_WITH, "with", "PEER", "run, shell: also install perf, papi or programs in the guest" },
	{ ID_DRIVER, "driver", NULL,
	  "run, shell: build the driver for the guest and copy it to /lab/ntime.ko" },
	{ ID_FILE, "file", "FILE",
	  "run, shell: copy FILE into the guest, as /lab/NAME or to the path after a colon" },
	{ ID_USER, "user", NULL, "run, shell: run as an ordinary user (uid 1000), not as root" },
	{ ID_STDIN, "stdin", NULL, "run: pass standard input to the command" },
	{ ID_TIMEOUT, "timeout", "TIME",
	  "run, shell: kill the guest if the command takes longer (seconds, or with ms, min)" },
	{ ID_APPEND, "append", "WORDS", "run, shell: add words to the kernel's command line" },
	{ ID_CONSOLE, "console", NULL, "run, shell: show the guest's console on stderr" },
	{ ID_GDB, "gdb", "PORT",
	  "run, shell: wait for gdb at TCP port PORT before the first instruction" },
	{ ID_JSON, "json", NULL, "list: write JSON" },
	{ 'v', "verbose", NULL, "print how long each part took; twice: also QEMU's command line" },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

static int run_lab(const struct cli_command *self, int argc, char **argv)
{
	static const struct cli_program runner = {
		.variable = "NTIME_LAB",
		.file = "lab-runner",
		.installed = NTIME_LAB_INSTALLED,
		.package = "ntime-lab",
		.actions = "list, run, shell, prepare, build, module, update or clean",
	};

	return cli_program_run(self, &runner, argc, argv);
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
	.words = run_lab,
	.run = run_lab,
};
