// SPDX-License-Identifier: MIT
/* An operating system that has nothing. */
#include <errno.h>

#include "count/tests/session/bare_os.h"

static int bare_text(struct nti_os *os, const char *path, char *buf, size_t size)
{
	(void)os, (void)path, (void)buf, (void)size;
	return -ENOENT;
}

static int bare_list(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		     void *arg)
{
	(void)os, (void)path, (void)fn, (void)arg;
	return -ENOENT;
}

static int bare_link(struct nti_os *os, const char *path, char *buf, size_t size)
{
	(void)os, (void)path, (void)buf, (void)size;
	return -ENOENT;
}

static int bare_identity(struct nti_os *os, const char *path, uint64_t *out)
{
	(void)os, (void)path, (void)out;
	return -ENOENT;
}

static int bare_file(struct nti_os *os, const char *path, int flags)
{
	(void)os, (void)path, (void)flags;
	return -ENOENT;
}

static int bare_access(struct nti_os *os, const char *path, int mode)
{
	(void)os, (void)path, (void)mode;
	return -ENOENT;
}

static int bare_cpuid(struct nti_os *os, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	(void)os, (void)leaf, (void)subleaf, (void)r;
	return -ENOTSUP;
}

static const char *bare_arch(struct nti_os *os)
{
	(void)os;
	return "x86_64";
}

static bool bare_is_privileged(struct nti_os *os, bool perf)
{
	(void)os, (void)perf;
	return true;
}

static int bare_tsc(struct nti_os *os, uint64_t *ticks)
{
	(void)os;
	*ticks = 0;
	return -ENOTSUP;
}

static int bare_ioctl(struct nti_os *os, int fd, unsigned long request, unsigned long arg)
{
	(void)os, (void)fd, (void)request, (void)arg;
	return 0;
}

static int bare_map(struct nti_os *os, int fd, size_t bytes, void **out)
{
	(void)os, (void)fd, (void)bytes;
	*out = NULL;
	return -ENODEV;
}

static void bare_unmap(struct nti_os *os, void *address, size_t bytes)
{
	(void)os, (void)address, (void)bytes;
}

static void bare_close(struct nti_os *os, int fd)
{
	(void)os, (void)fd;
}

struct nti_os_ops tt_bare_os(void)
{
	return (struct nti_os_ops){
		.name = "bare",
		.text = bare_text,
		.list = bare_list,
		.access = bare_access,
		.link = bare_link,
		.identity = bare_identity,
		.open = bare_file,
		.cpuid = bare_cpuid,
		.arch = bare_arch,
		.is_privileged = bare_is_privileged,
		.tsc = bare_tsc,
		.ioctl = bare_ioctl,
		.map = bare_map,
		.unmap = bare_unmap,
		.close = bare_close,
	};
}
