/* SPDX-License-Identifier: MIT */
/* Subcommands that are programs of their own. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "cli/base/command.h"

struct cli_program {
	const char *variable; /* of the environment: names another program */
	/* beside a command that was not installed: holds the program's path */
	const char *file;
	const char *installed; /* where "make install" puts it */
	const char *package;   /* of distributions: has it */
	const char *actions;   /* "list, run or clean" */
};

/*
 * Path of what belongs to this command, PATH_MAX bytes: of its build directory, else the installed
 * one, unless the environment names another. After a sentence -ENOENT where nothing is installed,
 * -EPERM as root where others can write to it.
 */
int cli_program_find(const struct cli_program *p, char *path);

/*
 * Become the program of @self, or print its help. As root only a program that root alone can write
 * to is started, unless the environment names it. Returns an exit status after a sentence.
 */
int cli_program_run(const struct cli_command *self, const struct cli_program *p, int argc,
		    char **argv);

#endif
