// SPDX-License-Identifier: MIT
/*
 * Programs that a subcommand is: found beside the command or where they are installed, and become.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/help.h"
#include "cli/base/program.h"
#include "cli/output/memory.h"
#include "cli/output/say.h"

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

static int check_roots_alone(const struct cli_program *p, const char *path)
{
	char part[PATH_MAX];

	(void)snprintf(part, sizeof(part), "%s", path);
	if (is_roots_alone(part))
		return 0;
	cli_say("root does not start %s: others than root own %s or may write to it; run ntime as "
		"its owner, or name another program in the environment variable %s",
		path, part, p->variable);
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
 * Path of the program that belongs to a command in a build directory: 1; 0 when this command is not
 * in one; -EPERM after a sentence.
 */
static int find_in_build(const struct cli_program *p, char *path)
{
	char name[PATH_MAX], line[PATH_MAX], *end;
	FILE *f;

	if (!name_beside(p->file, name, sizeof(name)) || access(name, F_OK))
		return 0;
	if (check_roots_alone(p, name))
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
	else if (check_roots_alone(p, path))
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

int cli_program_run(const struct cli_command *self, const struct cli_program *p, int argc,
		    char **argv)
{
	const char *program = getenv(p->variable);
	char path[PATH_MAX];
	int found;

	if (wants_help(argc, argv)) {
		cli_help_print(stdout, self);
		return cli_say_stdout_end();
	}
	if (argc < 2)
		return cli_say_misuse(self->name, "name an action: %s", p->actions);
	if (!program || !*program) {
		found = find_in_build(p, path);
		if (found < 0)
			return CLI_EXIT_FAILED;
		program = found ? path : p->installed;
	}
	execv(program, argv);
	cli_say("cannot start %s: %s (the environment variable %s may name another program)",
		program, strerror(errno), p->variable);
	return CLI_EXIT_FAILED;
}
