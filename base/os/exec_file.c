// SPDX-License-Identifier: MIT
/* What file is executed, and what it does to who is allowed to look into the process. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/os/exec_file.h"

/* execvp(3): where the environment has no PATH. */
#define USUAL_PATH "/bin:/usr/bin"

static bool is_executable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

int nti_exec_find(const char *name, char path[PATH_MAX])
{
	const char *at = getenv("PATH");
	int ret = -ENOENT;
	size_t n;

	if (strchr(name, '/')) {
		if ((size_t)snprintf(path, PATH_MAX, "%s", name) >= PATH_MAX)
			return -ENAMETOOLONG;
		return access(path, X_OK) < 0 ? -errno : 0;
	}
	for (at = at ? at : USUAL_PATH; *name; at += n + 1) {
		n = strcspn(at, ":");
		/* An empty entry is the working directory. */
		if ((size_t)snprintf(path, PATH_MAX, "%.*s%s%s", (int)n, at, n ? "/" : "", name) <
		    PATH_MAX) {
			if (is_executable(path))
				return 0;
			if (access(path, F_OK) == 0)
				ret = -EACCES;
			else if (ret == -ENOENT && errno != ENOTDIR && errno != EACCES)
				ret = -errno;
		}
		if (!at[n])
			break;
	}
	return ret;
}

/* Bits and capabilities of a script are those of nobody: its interpreter is executed. */
static bool is_script(const char *path)
{
	char head[2] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && read(fd, head, 2) == 2 && head[0] == '#' && head[1] == '!';

	if (fd >= 0)
		(void)close(fd);
	return is;
}

static bool gives_rights(const char *path)
{
	struct statvfs fs;
	struct stat st;

	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || statvfs(path, &fs) < 0 ||
	    fs.f_flag & ST_NOSUID || stat(path, &st) < 0)
		return false;
	if (st.st_mode & S_ISUID && st.st_uid != getuid())
		return true;
	if ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getgid())
		return true;
	return geteuid() && getxattr(path, "security.capability", NULL, 0) > 0;
}

bool nti_exec_is_protected(const char *name)
{
	char path[PATH_MAX];

	if (nti_exec_find(name, path) < 0 || !is_executable(path) || is_script(path))
		return false;
	/* Only this refusal says that it is closed to reading: after another nothing is known. */
	return (access(path, R_OK) < 0 && errno == EACCES) || gives_rights(path);
}
