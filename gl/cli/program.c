// SPDX-License-Identifier: MIT
/* Programs that cannot be given libraries: found by their file, before they run. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "gl/cli/gl.h"
#include "base/output/memory.h"
#include "base/output/say.h"

/* As execvp(3) finds it. -1: it is not there, which exec says. */
static int open_program(const char *name, char *path)
{
	const char *folders = getenv("PATH");
	char *copy, *rest, *folder;
	int fd = -1;

	if (strchr(name, '/') || !folders) {
		(void)snprintf(path, PATH_MAX, "%s", name);
		return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	copy = rest = cli_strdup(folders);
	while (fd < 0 && (folder = strsep(&rest, ":")))
		if (snprintf(path, PATH_MAX, "%s/%s", *folder ? folder : ".", name) < PATH_MAX &&
		    access(path, X_OK) == 0)
			fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	free(copy);
	return fd;
}

/* Does the kernel start a loader for it, which reads the environment? */
static bool has_loader(int fd, const Elf64_Ehdr *head)
{
	Elf64_Phdr part;

	for (unsigned int i = 0; i < head->e_phnum; i++) {
		off_t at = (off_t)(head->e_phoff + (Elf64_Off)i * sizeof(part));

		if (pread(fd, &part, sizeof(part), at) != sizeof(part) || part.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static const char *why_not(int fd)
{
	Elf64_Ehdr head;
	struct stat st;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	if (head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return "it is a program of another word size than these libraries";
	if (head.e_ident[EI_CLASS] == ELFCLASS64 && !has_loader(fd, &head))
		return "it is linked statically and loads no libraries";
	if (fstat(fd, &st) == 0 && ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
				    (st.st_mode & S_ISGID && st.st_gid != getegid())))
		return "it is set-uid or set-gid, and the loader ignores what its user sets";
	if (fgetxattr(fd, "security.capability", NULL, 0) > 0 && geteuid() != 0)
		return "it has file capabilities, and the loader ignores what its user sets";
	return NULL;
}

bool cli_gl_check_program(const char *name)
{
	char path[PATH_MAX];
	int fd = open_program(name, path);
	const char *why = fd >= 0 ? why_not(fd) : NULL;

	if (why)
		cli_say("%s runs without counters: %s", path, why);
	if (fd >= 0)
		close(fd);
	return !why;
}
