// SPDX-License-Identifier: MIT
/* An operating system made of a table of files and CPUID leaves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/tests/event/fake_os.h"

static const struct fake_machine *machine_of(struct nti_os *os)
{
	return ((struct fake_os *)os)->machine;
}

/* -EACCES when @path lies in a directory that is closed. */
static int check_directories(const struct fake_machine *machine, const char *path)
{
	const struct fake_file *f;

	for (f = machine->files; f->path; f++) {
		size_t length = strlen(f->path);

		if (f->path[length - 1] == '/' &&
		    (strncmp(path, f->path, length) == 0 ||
		     (strlen(path) == length - 1 && strncmp(path, f->path, length - 1) == 0)))
			return -EACCES;
	}
	return 0;
}

static int fake_text(struct nti_os *os, const char *path, char *buf, size_t size)
{
	const struct fake_machine *machine = machine_of(os);
	const struct fake_file *f;
	int ret = check_directories(machine, path);

	for (f = machine->files; ret == 0 && f->path; f++) {
		if (strcmp(f->path, path) != 0)
			continue;
		if (!f->text)
			return -EACCES;
		if (strlen(f->text) + 1 > size)
			return -E2BIG;
		strcpy(buf, f->text);
		return (int)strlen(buf);
	}
	return ret ? ret : -ENOENT;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

#define NAMES_MAX 512

static int fake_list(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		     void *arg)
{
	const struct fake_machine *machine = machine_of(os);
	size_t length = strlen(path), n = 0, i;
	char *names[NAMES_MAX];
	const struct fake_file *f;
	int ret = check_directories(machine, path);

	if (ret)
		return ret;
	for (f = machine->files; f->path; f++) {
		const char *name = f->path + length + 1;

		if (strcmp(f->path, path) == 0)
			return -ENOTDIR;
		if (strncmp(f->path, path, length) != 0 || f->path[length] != '/' || !*name ||
		    n == NAMES_MAX)
			continue;
		names[n++] = strndup(name, strcspn(name, "/"));
	}
	qsort(names, n, sizeof(names[0]), compare_texts);
	for (i = 0; i < n; i++)
		if (ret == 0 && (i == 0 || strcmp(names[i], names[i - 1]) != 0))
			ret = fn(arg, names[i]);
	for (i = 0; i < n; i++)
		free(names[i]);
	return n ? ret : -ENOENT;
}

static int fake_access(struct nti_os *os, const char *path, int mode)
{
	char buf[NTI_OS_TEXT_BYTES];
	int ret = fake_text(os, path, buf, sizeof(buf));

	(void)mode;
	/* All of them can load modules. */
	if (strcmp(path, "/proc/modules") == 0)
		return 0;
	return ret < 0 ? ret : 0;
}

static int fake_cpuid(struct nti_os *os, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	const struct fake_machine *machine = machine_of(os);
	size_t i;

	(void)subleaf;
	if (!machine->leaf_count)
		return -ENOTSUP;
	memset(r, 0, 4 * sizeof(r[0]));
	for (i = 0; i < machine->leaf_count; i++)
		if (machine->leaves[i].leaf == leaf)
			memcpy(r, machine->leaves[i].r, 4 * sizeof(r[0]));
	return 0;
}

static const char *fake_arch(struct nti_os *os)
{
	return machine_of(os)->arch;
}

static bool fake_is_privileged(struct nti_os *os, bool perf)
{
	(void)os;
	(void)perf;
	return false;
}

static int fake_identity(struct nti_os *os, const char *path, uint64_t *out)
{
	(void)os, (void)path, (void)out;
	return -ENOENT;
}

static int fake_link(struct nti_os *os, const char *path, char *buf, size_t size)
{
	(void)os;
	(void)path;
	(void)buf;
	(void)size;
	return -ENOENT;
}

static void fake_free(struct nti_os *os)
{
	(void)os;
}

/*
 * Descriptors and clocks are not set: whoever calls them crashes the test, as resolving names must
 * not need them.
 */
static const struct nti_os_ops fake_ops = {
	.name = "fake",
	.text = fake_text,
	.list = fake_list,
	.link = fake_link,
	.identity = fake_identity,
	.access = fake_access,
	.cpuid = fake_cpuid,
	.arch = fake_arch,
	.is_privileged = fake_is_privileged,
	.free = fake_free,
};

void fake_os_init(struct fake_os *fake, const struct fake_machine *machine)
{
	memset(fake, 0, sizeof(*fake));
	fake->os.ops = &fake_ops;
	fake->machine = machine;
}
