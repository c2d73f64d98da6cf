/* SPDX-License-Identifier: MIT */
/* Programs and files that belong to the command: where they are, and how one is started. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

struct cli_program {
	const char *variable; /* of the environment: names another program */
	/* beside a command that was not installed: holds the program's path */
	const char *file;
	const char *installed; /* where "make install" puts it */
	const char *package;   /* of distributions: has it */
};

/*
 * Path of what belongs to this command, PATH_MAX bytes: of its build directory, else the installed
 * one, unless the environment names another; without links but where it is the installed one. After
 * a sentence -ENOENT where nothing is there, -EPERM as root where others can write to it.
 */
int cli_program_find(const struct cli_program *p, char *path);

/*
 * Become this program, which looks at argv[0] too. As root only a program that root alone can write
 * to is started. Returns an exit status after a sentence.
 */
int cli_program_become(const struct cli_program *p, char **argv);

/* Run it, and let it write to standard output. Where it is not, nothing is written. */
void cli_program_ask(const struct cli_program *p, char **argv);

#endif
