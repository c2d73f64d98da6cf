// SPDX-License-Identifier: MIT
/* The real operating system, optionally below another root directory. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "lib/os/clock.h"
#include "lib/os/file.h"
#include "lib/os/os.h"

/*
 * Five seconds in all, or more: longer than a busy machine, or one whose host takes its processors
 * away, lets a child wait for its turn.
 */
#define FORKING_PAUSE_NS 50000
#define FORKING_TRIES 100000

struct linux_os {
	struct nti_os os;
	struct utsname uname;
	char root[PATH_MAX]; /* "" for the real one, else without '/' at the end */
};

static struct linux_os *linux_of(struct nti_os *os)
{
	return (struct linux_os *)os;
}

/* Full path of @path in @full, which has room for PATH_MAX. */
static int full_path(struct nti_os *os, const char *path, char *full)
{
	int n = snprintf(full, PATH_MAX, "%s%s", linux_of(os)->root, path);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* @error as it is, kept if it tells nothing of @path. */
static int keep_shortage(struct nti_os *os, const char *path, int error)
{
	struct nti_os_shortage *s = &os->shortage;

	if (!s->error && (error == -ENOMEM || error == -EMFILE || error == -ENFILE)) {
		s->error = error;
		(void)snprintf(s->path, sizeof(s->path), "%s", path);
	}
	return error;
}

static int linux_open(struct nti_os *os, const char *path, int flags)
{
	char full[PATH_MAX];
	int ret = full_path(os, path, full);
	int fd;

	if (ret < 0)
		return ret;
	fd = open(full, flags | O_CLOEXEC);
	if (fd < 0)
		return keep_shortage(os, path, -errno);
	return fd;
}

static void linux_close(struct nti_os *os, int fd)
{
	(void)os;
	if (fd >= 0)
		(void)close(fd);
}

/*
 * A counter group that is handed on to children cannot be read while one of them is between fork
 * and life, or dies: its group is not whole then, and the kernel answers ECHILD rather than add up
 * what does not belong together (__perf_read_group_add() in kernel/events/core.c, since commit
 * 32671e3799ca of 2023). It is over when that child had its turn: get out of its way.
 */
static bool is_forking(unsigned int tries)
{
	static const struct timespec pause = { .tv_nsec = FORKING_PAUSE_NS };

	if (errno != ECHILD || tries >= FORKING_TRIES)
		return false;
	(void)nanosleep(&pause, NULL);
	return true;
}

static ssize_t linux_read(struct nti_os *os, int fd, void *buf, size_t size)
{
	unsigned int tries = 0;
	ssize_t n;

	(void)os;
	do
		n = read(fd, buf, size);
	while (n < 0 && (errno == EINTR || is_forking(tries++)));
	return n < 0 ? -errno : n;
}

static int linux_text(struct nti_os *os, const char *path, char *buf, size_t size)
{
	int fd = linux_open(os, path, O_RDONLY);
	size_t used = 0;
	ssize_t n = 1;

	if (fd < 0)
		return fd;
	while (n > 0 && used < size) {
		n = linux_read(os, fd, buf + used, size - used);
		if (n > 0)
			used += (size_t)n;
	}
	linux_close(os, fd);
	if (n < 0)
		return keep_shortage(os, path, (int)n);
	if (used >= size)
		return -E2BIG;
	buf[used] = '\0';
	return (int)used;
}

static int linux_list(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		      void *arg)
{
	char full[PATH_MAX];
	int ret = full_path(os, path, full);

	return ret < 0 ? ret : keep_shortage(os, path, nti_file_list(full, fn, arg));
}

static int linux_link(struct nti_os *os, const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];
	int ret = full_path(os, path, full);
	ssize_t n;

	if (ret < 0)
		return ret;
	n = readlink(full, buf, size);
	if (n < 0)
		return -errno;
	if ((size_t)n >= size)
		return -E2BIG;
	buf[n] = '\0';
	return (int)n;
}

static int linux_identity(struct nti_os *os, const char *path, uint64_t *out)
{
	char full[PATH_MAX];
	struct stat st;
	int ret = full_path(os, path, full);

	if (ret < 0)
		return ret;
	if (stat(full, &st) < 0)
		return -errno;
	*out = st.st_ino;
	return 0;
}

static int linux_access(struct nti_os *os, const char *path, int mode)
{
	char full[PATH_MAX];
	int ret = full_path(os, path, full);

	if (ret < 0)
		return ret;
	return faccessat(AT_FDCWD, full, mode, AT_EACCESS) < 0 ? -errno : 0;
}

static int linux_cpuid(struct nti_os *os, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	(void)os;
#if defined(__x86_64__)
	__cpuid_count(leaf, subleaf, r[0], r[1], r[2], r[3]);
	return 0;
#else
	(void)leaf;
	(void)subleaf;
	memset(r, 0, 4 * sizeof(r[0]));
	return -ENOTSUP;
#endif
}

static const char *linux_arch(struct nti_os *os)
{
	return linux_of(os)->uname.machine;
}

/* Effective capability of the calling thread; capget(2) has no wrapper in the C library. */
static bool has_capability(unsigned int number)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	return data[number / 32].effective >> number % 32 & 1;
}

static bool linux_is_privileged(struct nti_os *os, bool perf)
{
	if (perf)
		return (has_capability(NTI_CAP_PERFMON) || has_capability(CAP_SYS_ADMIN)) &&
		       !nti_os_is_in_user_namespace(os);
	return geteuid() == 0;
}

static int linux_tsc(struct nti_os *os, uint64_t *ticks)
{
	(void)os;
	return nti_clock_ticks(ticks);
}

static uint64_t linux_now_ns(struct nti_os *os)
{
	(void)os;
	return nti_clock_ns();
}

static int linux_perf_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu,
			   int group, unsigned long flags)
{
	long fd;

	(void)os;
	do
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, group,
			     flags | PERF_FLAG_FD_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : (int)fd;
}

static ssize_t linux_pread(struct nti_os *os, int fd, void *buf, size_t size, uint64_t offset)
{
	ssize_t n = pread(fd, buf, size, (off_t)offset);

	(void)os;
	return n < 0 ? -errno : n;
}

static ssize_t linux_pwrite(struct nti_os *os, int fd, const void *buf, size_t size,
			    uint64_t offset)
{
	ssize_t n = pwrite(fd, buf, size, (off_t)offset);

	(void)os;
	return n < 0 ? -errno : n;
}

static int linux_ioctl(struct nti_os *os, int fd, unsigned long request, unsigned long arg)
{
	int ret = ioctl(fd, request, arg);

	(void)os;
	return ret < 0 ? -errno : ret;
}

static int linux_map(struct nti_os *os, int fd, size_t bytes, void **out)
{
	void *address = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	(void)os;
	*out = NULL;
	if (address == MAP_FAILED)
		return -errno;
	*out = address;
	return 0;
}

static void linux_unmap(struct nti_os *os, void *address, size_t bytes)
{
	(void)os;
	if (address)
		(void)munmap(address, bytes);
}

static int open_directory(const char *full)
{
	int fd = open(full, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return fd;
}

/* Others may look, whatever the umask says. */
static int make_directory(const char *full)
{
	char parent[PATH_MAX];
	size_t chars = (size_t)(strrchr(full, '/') - full);
	int fd;

	memcpy(parent, full, chars);
	parent[chars] = '\0';
	if (chars && mkdir(parent, 0755) < 0 && errno != EEXIST)
		return -errno;
	if (mkdir(full, 0755) < 0)
		return errno == EEXIST ? open_directory(full) : -errno;
	fd = open_directory(full);
	if (fd >= 0)
		(void)fchmod(fd, 0755);
	return fd;
}

static int linux_directory(struct nti_os *os, const char *path, bool make)
{
	char full[PATH_MAX];
	int ret = full_path(os, path, full);

	if (ret == 0)
		ret = open_directory(full);
	return ret == -ENOENT && make ? make_directory(full) : ret;
}

static void linux_free(struct nti_os *os)
{
	free(linux_of(os));
}

static const struct nti_os_ops linux_ops = {
	.name = "linux",
	.text = linux_text,
	.list = linux_list,
	.link = linux_link,
	.identity = linux_identity,
	.access = linux_access,
	.cpuid = linux_cpuid,
	.arch = linux_arch,
	.is_privileged = linux_is_privileged,
	.tsc = linux_tsc,
	.now_ns = linux_now_ns,
	.perf_open = linux_perf_open,
	.open = linux_open,
	.read = linux_read,
	.pread = linux_pread,
	.pwrite = linux_pwrite,
	.ioctl = linux_ioctl,
	.map = linux_map,
	.unmap = linux_unmap,
	.close = linux_close,
	.directory = linux_directory,
	.free = linux_free,
};

int nti_os_linux_new(const char *root, struct nti_os **out)
{
	struct linux_os *l;
	size_t n;

	*out = NULL;
	n = root ? strlen(root) : 0;
	while (n && root[n - 1] == '/')
		n--;
	if (n >= sizeof(l->root))
		return -ENAMETOOLONG;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->os.ops = &linux_ops;
	l->os.is_elsewhere = n > 0;
	if (n)
		memcpy(l->root, root, n);
	(void)uname(&l->uname);
	*out = &l->os;
	return 0;
}
