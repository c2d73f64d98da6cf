// SPDX-License-Identifier: MIT
/* ntime lab: find the lab's runner, and become it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/help.h"
#include "cli/base/options.h"
#include "cli/output/memory.h"
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
	{ ID_WITH, "with", "PEER", "run, shell: also install perf, papi or programs in the guest" },
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
 * What root executes nobody else may write to: @path, absolute and without links, and each folder
 * above it, but that what is in a sticky one (/tmp) stays who it belongs to. The first that is not
 * so goes to @path. Other users trust themselves.
 */
static bool is_roots_alone(char *path)
{
	struct stat st;
	bool is_folder = false;

	while (geteuid() == 0 && *path) {
		mode_t others = S_IWGRP | S_IWOTH;

		if (lstat(path, &st) || st.st_uid != 0 ||
		    (st.st_mode & others && !(is_folder && st.st_mode & S_ISVTX)))
			return false;
		*strrchr(path, '/') = '\0';
		is_folder = true;
	}
	return true;
}

static int check_roots_alone(const char *path)
{
	char part[PATH_MAX];

	(void)snprintf(part, sizeof(part), "%s", path);
	if (is_roots_alone(part))
		return 0;
	cli_say("root does not start the lab's runner %s: others than root own %s or may write to "
		"it; run ntime lab as its owner, or name a runner in the environment variable "
		"NTIME_LAB",
		path, part);
	return -EPERM;
}

/* The name beside this command's own, as the kernel knows it. */
static bool name_beside(const char *file, char *name, size_t bytes)
{
	ssize_t n = readlink("/proc/self/exe", name, bytes - 1);
	char *slash;

	if (n < 0)
		return false;
	name[n] = '\0';
	slash = strrchr(name, '/');
	if (!slash || (size_t)(slash + 1 - name) + strlen(file) >= bytes)
		return false;
	strcpy(slash + 1, file);
	return true;
}

/*
 * Path of a runner that belongs to a command in a build directory: 1; 0 when this command is not in
 * one; -EPERM after a sentence.
 */
static int find_in_build(char *path)
{
	char name[PATH_MAX], line[PATH_MAX], *end;
	FILE *f;

	if (!name_beside(RUNNER_FILE, name, sizeof(name)) || access(name, F_OK))
		return 0;
	if (check_roots_alone(name))
		return -EPERM;
	f = cli_fopen(name, "re");
	if (!f)
		return 0;
	end = fgets(line, sizeof(line), f);
	fclose(f);
	if (!end)
		return 0;
	line[strcspn(line, "\n")] = '\0';
	/* What is not there is told when it is started. */
	if (!realpath(line, path))
		memcpy(path, line, sizeof(line));
	else if (check_roots_alone(path))
		return -EPERM;
	return 1;
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
	int found;

	if (wants_help(argc, argv)) {
		cli_help_print(stdout, self);
		return cli_say_stdout_end();
	}
	if (argc < 2)
		return cli_say_misuse(self->name, "name an action: list, run, shell, prepare, "
						  "build, module, update or clean");
	if (!runner || !*runner) {
		found = find_in_build(path);
		if (found < 0)
			return CLI_EXIT_FAILED;
		runner = found ? path : NTIME_LAB_INSTALLED;
	}
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
