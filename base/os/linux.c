// SPDX-License-Identifier: MIT
/* The real operating system, optionally below another root directory. */
#include <dirent.h>
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

#include "base/os/clock.h"
#include "base/os/cpuinfo.h"
#include "base/os/file.h"
#include "base/os/os.h"

/*
 * Five seconds in all, or more: longer than a busy machine, or one whose host takes its processors
 * away, lets a child wait for its turn.
 */
#define FORKING_PAUSE_NS 50000
#define FORKING_TRIES 100000

/* Of a directory of another root; the largest that a kernel's own files have is far below. */
#define MOST_NAMES 100000

struct linux_os {
	struct nti_os os;
	struct utsname uname;
	const char *arch;
	char *cpuinfo; /* of the tree; NULL of this machine */
	/* below which all is looked for, where the os is elsewhere; -errno: there is none */
	int root;
};

static struct linux_os *linux_of(struct nti_os *os)
{
	return (struct linux_os *)os;
}

/*
 * As open(2). Below another root nothing leads out of it, whatever links and ".." say: the tree may
 * be a stranger's.
 */
static int open_any(struct nti_os *os, const char *path, int flags)
{
	int fd;

	if (os->is_elsewhere) {
		fd = linux_of(os)->root;
		return fd < 0 ? fd : nti_file_open_in_root(fd, path, flags);
	}
	fd = open(path, flags | O_CLOEXEC);
	// cppcheck-suppress resourceLeak ; the caller closes it
	return fd < 0 ? -errno : fd;
}

/* Where the kernel shows the file of descriptor @fd, whatever has its name by now. */
static void name_of(int fd, char self[32])
{
	(void)snprintf(self, 32, "/proc/self/fd/%d", fd);
}

/*
 * A pipe would be waited for, and to open a device may do something: in a tree neither is opened.
 */
static int open_regular(struct nti_os *os, const char *path, int flags)
{
	int found = open_any(os, path, O_PATH), fd;
	struct stat st;
	char self[32];

	if (found < 0)
		return found;
	fd = fstat(found, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (fd == -EINVAL && S_ISDIR(st.st_mode))
		fd = -EISDIR;
	if (fd == 0) {
		name_of(found, self);
		fd = open(self, flags | O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
	}
	nti_file_close(found);
	return fd;
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
	int fd = os->is_elsewhere ? open_regular(os, path, flags) : open_any(os, path, flags);

	return fd < 0 ? keep_shortage(os, path, fd) : fd;
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

/* 0, or -E2BIG before all of a folder's names are held in memory. */
static int check_names(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	size_t names = 0;
	int error = errno;

	if (!dir) {
		nti_file_close(fd);
		return -error;
	}
	while (names <= MOST_NAMES && readdir(dir))
		names++;
	(void)closedir(dir);
	return names > MOST_NAMES ? -E2BIG : 0;
}

static int linux_list(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		      void *arg)
{
	int fd, ret;

	if (!os->is_elsewhere)
		return keep_shortage(os, path, nti_file_list(AT_FDCWD, path, fn, arg));
	fd = open_any(os, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return keep_shortage(os, path, fd);
	ret = check_names(fd);
	if (ret == 0)
		ret = nti_file_list(fd, ".", fn, arg);
	nti_file_close(fd);
	return keep_shortage(os, path, ret);
}

static int linux_link(struct nti_os *os, const char *path, char *buf, size_t size)
{
	ssize_t n;
	int fd;

	if (os->is_elsewhere) {
		fd = open_any(os, path, O_PATH | O_NOFOLLOW);
		if (fd < 0)
			return fd;
		n = readlinkat(fd, "", buf, size);
		/* Of what is no link readlink(2) says EINVAL, and of a descriptor ENOENT. */
		if (n < 0)
			n = errno == ENOENT ? -EINVAL : -errno;
		nti_file_close(fd);
	} else {
		n = readlink(path, buf, size);
		n = n < 0 ? -errno : n;
	}
	if (n < 0)
		return (int)n;
	if ((size_t)n >= size)
		return -E2BIG;
	buf[n] = '\0';
	return (int)n;
}

static int linux_identity(struct nti_os *os, const char *path, uint64_t *out)
{
	struct stat st;

	if (os->is_elsewhere)
		return -EOPNOTSUPP;
	if (stat(path, &st) < 0)
		return -errno;
	*out = st.st_ino;
	return 0;
}

static int linux_access(struct nti_os *os, const char *path, int mode)
{
	char self[32];
	int fd, ret = 0;

	if (!os->is_elsewhere) {
		ret = faccessat(AT_FDCWD, path, mode, AT_EACCESS) < 0 ? -errno : 0;
		return keep_shortage(os, path, ret);
	}
	fd = open_any(os, path, O_PATH);
	if (fd < 0)
		return keep_shortage(os, path, fd);
	/* Of a descriptor alone only Linux 5.8 and later tell it. */
	name_of(fd, self);
	if (mode != F_OK && faccessat(AT_FDCWD, self, mode, AT_EACCESS) < 0)
		ret = -errno;
	nti_file_close(fd);
	return ret;
}

static int linux_cpuid(struct nti_os *os, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	if (os->is_elsewhere)
		return nti_cpuinfo_cpuid(linux_of(os)->cpuinfo, leaf, r);
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
	return linux_of(os)->arch;
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

/* What root may do in a tree, root has given up before a stranger's is read. */
static bool linux_is_privileged(struct nti_os *os, bool perf)
{
	if (perf && !os->is_elsewhere)
		return (has_capability(NTI_CAP_PERFMON) || has_capability(CAP_SYS_ADMIN)) &&
		       !nti_os_is_in_user_namespace(os);
	return geteuid() == 0;
}

static int linux_tsc(struct nti_os *os, uint64_t *ticks)
{
	return os->is_elsewhere ? -ENOTSUP : nti_clock_ticks(ticks);
}

static uint64_t linux_now_ns(struct nti_os *os)
{
	(void)os;
	return nti_clock_ns();
}

/*
 * Of another machine nothing is counted here: what stands for an event is a descriptor of nothing.
 */
static int linux_perf_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu,
			   int group, unsigned long flags)
{
	long fd;

	if (os->is_elsewhere) {
		fd = nti_os_perf_refusal(os, attr, pid);
		return fd < 0 ? (int)fd : open_any(os, "/", O_PATH);
	}
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

/* Others may look, whatever the umask says. @parents: how many of them are made as well. */
static int make_directory(struct nti_os *os, const char *path, unsigned int parents)
{
	char parent[PATH_MAX];
	const char *name = strrchr(path, '/') + 1;
	int above, ret;
	bool is_new;

	if ((size_t)(name - path) >= sizeof(parent))
		return -ENAMETOOLONG;
	(void)snprintf(parent, sizeof(parent), "%.*s", name - path > 1 ? (int)(name - path - 1) : 1,
		       path);
	above = open_any(os, parent, O_PATH | O_DIRECTORY);
	if (above == -ENOENT && parents)
		above = make_directory(os, parent, parents - 1);
	if (above < 0)
		return above;
	ret = mkdirat(above, name, 0755) < 0 ? -errno : 0;
	is_new = ret == 0;
	if (is_new || ret == -EEXIST) {
		ret = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		ret = ret < 0 ? -errno : ret;
	}
	nti_file_close(above);
	if (ret >= 0 && is_new)
		(void)fchmod(ret, 0755);
	return ret;
}

static int linux_directory(struct nti_os *os, const char *path, bool make)
{
	int fd = open_any(os, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);

	return fd == -ENOENT && make ? make_directory(os, path, 1) : fd;
}

static void linux_free(struct nti_os *os)
{
	nti_file_close(linux_of(os)->root);
	free(linux_of(os)->cpuinfo);
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

int nti_os_linux_root(struct nti_os *os)
{
	return os->ops == &linux_ops ? linux_of(os)->root : -ENOENT;
}

int nti_os_linux_new(const char *root, struct nti_os **out)
{
	struct linux_os *l = calloc(1, sizeof(*l));

	*out = NULL;
	if (!l)
		return -ENOMEM;
	l->os.ops = &linux_ops;
	l->os.is_elsewhere = root && root[strspn(root, "/")];
	l->root = -ENOENT;
	if (l->os.is_elsewhere) {
		l->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		l->root = l->root < 0 ? -errno : l->root;
	}
	if (l->root == -ENAMETOOLONG) {
		free(l);
		return -ENAMETOOLONG;
	}
	(void)uname(&l->uname);
	l->arch = l->uname.machine;
	if (l->os.is_elsewhere) {
		l->cpuinfo = nti_cpuinfo_read(&l->os);
		if (!l->cpuinfo) {
			linux_free(&l->os);
			return -ENOMEM;
		}
		l->arch = nti_cpuinfo_arch(&l->os, l->cpuinfo);
	}
	*out = &l->os;
	return 0;
}
