// SPDX-License-Identifier: MIT
/*
 * Programs that a subcommand is: found beside the command or where they are installed, and become.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/command/program.h"
#include "base/output/exit.h"
#include "base/output/memory.h"
#include "base/output/say.h"

#define ACCESS_LIST "system.posix_acl_access"

/* Others may be named in it, and then the group's bits of the mode are the most of them. */
static bool has_access_list(const char *path)
{
	return lgetxattr(path, ACCESS_LIST, NULL, 0) >= 0 ||
	       (errno != ENODATA && errno != EOPNOTSUPP);
}

/*
 * What root executes nobody else may write to: @path, absolute and without links, and each folder
 * above it. What is in a sticky folder (/tmp) stays who it belongs to, and root's group is root.
 * Who else may goes to @why, with what ends that; false: nobody.
 */
static bool may_others_write(const char *path, bool is_folder, char *why, size_t bytes)
{
	struct stat st;

	if (lstat(path, &st))
		(void)snprintf(why, bytes, "%s: %s", path, strerror(errno));
	else if (st.st_uid != 0)
		(void)snprintf(why, bytes, "user %u owns %s (chown root)", (unsigned int)st.st_uid,
			       path);
	else if (is_folder && st.st_mode & S_ISVTX)
		return false;
	else if (st.st_mode & S_IWOTH)
		(void)snprintf(why, bytes, "everybody may write to %s (chmod o-w)", path);
	else if (st.st_mode & S_IWGRP && st.st_gid != 0)
		(void)snprintf(why, bytes, "group %u may write to %s (chmod g-w)",
			       (unsigned int)st.st_gid, path);
	else if (st.st_mode & S_IWGRP && has_access_list(path))
		(void)snprintf(why, bytes,
			       "the access list of %s lets others write to it (chmod g-w)", path);
	else
		return false;
	return true;
}

/* Other users trust themselves. */
static int check_roots_alone(const struct cli_program *p, const char *path)
{
	char part[PATH_MAX], why[PATH_MAX + 100];

	(void)snprintf(part, sizeof(part), "%s", path);
	for (bool is_folder = false; geteuid() == 0 && *part; is_folder = true) {
		if (may_others_write(part, is_folder, why, sizeof(why))) {
			cli_say("root does not start %s: %s; change that, run ntime as its owner, "
				"or name another program in the environment variable %s",
				path, why, p->variable);
			return -EPERM;
		}
		*strrchr(part, '/') = '\0';
	}
	return 0;
}

/*
 * @path of what is to be used, which is what was looked at: 0, or -ENOENT, -EPERM after a sentence.
 */
static int resolve(const struct cli_program *p, const char *name, char *path)
{
	if (realpath(name, path))
		return check_roots_alone(p, path);
	cli_say("cannot find %s: %s (the environment variable %s may name another one)", name,
		strerror(errno), p->variable);
	return -ENOENT;
}

/* The name beside this command's own, as the kernel knows it. */
static bool name_beside(const char *file, char *name, size_t bytes)
{
	ssize_t n = readlink("/proc/self/exe", name, bytes - 1);
	size_t room = strlen(file) + 1;
	char *slash;

	if (n < 0)
		return false;
	name[n] = '\0';
	slash = strrchr(name, '/');
	if (!slash || (size_t)(slash + 1 - name) + room > bytes)
		return false;
	memcpy(slash + 1, file, room);
	return true;
}

/*
 * Path of the program that belongs to a command in a build directory: 1; 0 when this command is not
 * in one; -ENOENT, -EPERM after a sentence.
 */
static int find_in_build(const struct cli_program *p, char *path)
{
	char name[PATH_MAX], line[PATH_MAX], *end;
	FILE *f;
	int ret;

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
	ret = resolve(p, line, path);
	return ret ? ret : 1;
}

int cli_program_find(const struct cli_program *p, char *path)
{
	const char *named = getenv(p->variable);
	int found;

	/* sudo -E hands a stranger's environment on. */
	if (named && *named)
		return resolve(p, named, path);
	found = find_in_build(p, path);
	if (found)
		return found < 0 ? found : 0;
	(void)snprintf(path, PATH_MAX, "%s", p->installed);
	if (!access(path, F_OK))
		return 0;
	/* "make static" leaves them in one folder, which may be carried anywhere. */
	if (name_beside(strrchr(p->installed, '/') + 1, path, PATH_MAX) && !access(path, F_OK))
		return check_roots_alone(p, path);
	cli_say("cannot find %s: %s; the package %s has it, or the environment variable %s names "
		"another one",
		p->installed, strerror(ENOENT), p->package, p->variable);
	return -ENOENT;
}

int cli_program_become(const struct cli_program *p, char **argv)
{
	char path[PATH_MAX];

	if (cli_program_find(p, path) < 0)
		return CLI_EXIT_FAILED;
	execv(path, argv);
	cli_say("cannot start %s: %s (the environment variable %s may name another program)", path,
		strerror(errno), p->variable);
	return CLI_EXIT_FAILED;
}

void cli_program_ask(const struct cli_program *p, char **argv)
{
	pid_t pid;
	int nowhere;

	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		/* What is not installed has nothing to say. */
		nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
		(void)dup2(nowhere, STDERR_FILENO);
		_exit(cli_program_become(p, argv));
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
