// SPDX-License-Identifier: MIT
/* The system calls of the driver's fuzzer, each with arguments that the program's bytes choose. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/fail.h"
#include "lab/tests/guest/file.h"
#include "lab/tests/guest/fuzz_calls.h"
#include "lab/tests/guest/fuzz_keeper.h"
#include "lab/tests/guest/kcov.h"
#include "lab/tests/guest/stall.h"

#define FDS 8
#define MAPS 4
#define SLOT_BYTES (8 * 4096ul) /* place for one mapping */
#define PATHS 4096
#define PERFS 3

static struct fuzz_shared *shared;

/* Files and folders as they were at the beginning; some of them go and come. */
static char (*paths)[LAB_FILE];
static size_t path_count;

/* One process. */
static struct {
	const struct fuzz_program *program;
	size_t at; /* its next byte */
	enum fuzz_who who;
	int fail_nth, make_it_fail; /* -1: nothing fails here */
	volatile sig_atomic_t is_touching;
	int perf[PERFS];
	int fds[FDS];
	struct {
		uint8_t *pages;
		size_t bytes;
	} maps[MAPS];
	uint8_t *area; /* MAPS places */
	uint64_t buffer[8192];
} me;

static sigjmp_buf out_of_it;
static int slow_file = -1; /* lab_stall_lend() */
static bool with_perf;

/* Behind the end of a program there are zeros. */
static uint64_t next_bytes(unsigned int count)
{
	uint64_t value = 0;

	while (count-- > 0) {
		value <<= 8;
		if (me.at < me.program->bytes)
			value |= me.program->byte[me.at];
		me.at++;
	}
	return value;
}

static uint64_t dice(uint64_t sides)
{
	return next_bytes(sides <= 256 ? 1 : sides <= 65536 ? 2 : 8) % sides;
}

/* Mostly small, sometimes at an edge. */
static uint64_t number(void)
{
	static const uint64_t edges[] = { 0,	    1,		7,	   8,	       9,
					  18,	    19,		20,	   63,	       64,
					  4095,	    4096,	4097,	   8192,       0x7fffffff,
					  1u << 31, UINT32_MAX, INT64_MAX, UINT64_MAX, 1ull << 63 };

	switch (dice(3)) {
	case 0:
		return edges[dice(sizeof(edges) / sizeof(edges[0]))];
	case 1:
		return dice(32);
	default:
		return next_bytes(8) >> dice(64);
	}
}

static size_t some_bytes(void)
{
	uint64_t n = number();

	return n < sizeof(me.buffer) ? (size_t)n : (size_t)(n % sizeof(me.buffer));
}

static const char *some_path(void)
{
	return paths[dice(path_count)];
}

static size_t some_slot(void)
{
	return (size_t)dice(FDS);
}

/* One that is open, while there is any; else -1. */
static int some_fd(void)
{
	size_t slot = some_slot();

	for (size_t i = 0; i < FDS; i++)
		if (me.fds[(slot + i) % FDS] >= 0)
			return me.fds[(slot + i) % FDS];
	return -1;
}

static void count(bool is_good)
{
	(void)__atomic_add_fetch(&shared->calls, 1, __ATOMIC_RELAXED);
	if (is_good)
		(void)__atomic_add_fetch(&shared->good, 1, __ATOMIC_RELAXED);
}

/* Addresses that are none, of several kinds. */
static void *nowhere(void)
{
	switch (dice(3)) {
	case 0:
		return NULL;
	case 1:
		return (void *)(uintptr_t)-4096;
	default:
		return lab_nowhere();
	}
}

/* ---- operations; each says whether the call did something ---- */

static bool is_register(const char *path)
{
	return strstr(path, "/0x") != NULL || strstr(path, "/pmc/") != NULL;
}

static bool do_open(void)
{
	static const int flags[] = { O_RDONLY,
				     O_RDONLY,
				     O_RDONLY,
				     O_RDWR,
				     O_RDWR,
				     O_WRONLY,
				     O_RDWR | O_NONBLOCK,
				     O_RDONLY | O_DIRECT,
				     O_RDWR | O_APPEND,
				     O_RDWR | O_TRUNC,
				     O_PATH,
				     O_RDONLY | O_DIRECTORY,
				     O_RDWR | O_CREAT,
				     O_RDWR | O_SYNC,
				     O_RDONLY | O_NOFOLLOW };
	size_t slot = some_slot();
	const char *path = some_path();
	int flag = flags[dice(sizeof(flags) / sizeof(flags[0]))], fd = open(path, flag, 0600);

	if (fd < 0)
		return false;
	if (is_register(path) && flag != O_PATH) {
		if (me.who == FUZZ_STRANGER)
			(void)__atomic_add_fetch(&shared->stranger_in, 1, __ATOMIC_RELAXED);
		if (me.who == FUZZ_MEMBER && (flag & O_ACCMODE) != O_RDONLY)
			(void)__atomic_add_fetch(&shared->member_wrote, 1, __ATOMIC_RELAXED);
	}
	if (me.fds[slot] >= 0)
		(void)close(me.fds[slot]);
	me.fds[slot] = fd;
	return true;
}

static bool do_close(void)
{
	size_t slot = some_slot();
	int ret = close(me.fds[slot]);

	me.fds[slot] = -1;
	return ret == 0;
}

static bool do_read(void)
{
	int fd = some_fd();
	struct iovec v[3] = { { me.buffer, some_bytes() % 100 },
			      { me.buffer + 100, some_bytes() % 9 },
			      { me.buffer + 200, some_bytes() } };

	switch (dice(5)) {
	case 0:
		return read(fd, me.buffer, some_bytes()) >= 0;
	case 1:
		return pread(fd, me.buffer, some_bytes(), (off_t)number()) >= 0;
	case 2:
		return readv(fd, v, (int)dice(4)) >= 0;
	case 3:
		return preadv(fd, v, (int)dice(4), (off_t)number()) >= 0;
	default:
		return read(fd, nowhere(), some_bytes()) >= 0;
	}
}

/* Text that a driver may understand, or bytes. */
static size_t fill(void)
{
	char *text = (char *)me.buffer;

	switch (dice(5)) {
	case 0:
		return (size_t)sprintf(text, "%#llx\n", (unsigned long long)number());
	case 1:
		return (size_t)sprintf(text, "%llu", (unsigned long long)number());
	case 2:
		me.buffer[0] = number();
		return 8;
	case 3:
		return (size_t)sprintf(text, "%lld\n\n", (long long)number());
	default:
		for (size_t i = 0; i < 64; i++)
			me.buffer[i] = next_bytes(1) * 0x0101010101010101ull;
		return some_bytes();
	}
}

static bool do_write(void)
{
	int fd = some_fd();
	size_t bytes = fill();
	struct iovec v[2] = { { me.buffer, bytes / 2 }, { (char *)me.buffer + bytes / 2, bytes } };

	switch (dice(5)) {
	case 0:
		return pwrite(fd, me.buffer, bytes, (off_t)number()) >= 0;
	case 1:
		return writev(fd, v, (int)dice(3)) >= 0;
	case 2:
		return write(fd, nowhere(), some_bytes()) >= 0;
	default:
		return write(fd, me.buffer, bytes) >= 0;
	}
}

static bool do_seek(void)
{
	return lseek(some_fd(), (off_t)number(), (int)dice(6)) >= 0;
}

/*
 * Mappings lie in places of their own, which are never left to anybody else: what is cut out of
 * one, moved away or unmapped is filled with nothing at once, so that no operation meets the memory
 * of the fuzzer itself.
 */
static uint8_t *slot_pages(size_t slot)
{
	return me.area + slot * SLOT_BYTES;
}

static void fill_with_nothing(uint8_t *pages, size_t bytes)
{
	if (mmap(pages, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
		 -1, 0) == MAP_FAILED)
		_exit(3);
}

static void clear_slot(size_t slot)
{
	fill_with_nothing(slot_pages(slot), SLOT_BYTES);
	me.maps[slot].pages = NULL;
}

static bool do_map(void)
{
	static const int protections[] = { PROT_READ,
					   PROT_READ,
					   PROT_READ,
					   PROT_NONE,
					   PROT_READ | PROT_WRITE,
					   PROT_WRITE,
					   PROT_READ | PROT_EXEC };
	static const int kinds[] = { MAP_SHARED, MAP_SHARED, MAP_PRIVATE, MAP_SHARED | MAP_POPULATE,
				     MAP_SHARED | MAP_LOCKED };
	size_t slot = (size_t)dice(MAPS), bytes = (size_t)(1 + dice(4)) * 4096 - dice(2);
	off_t offset = (off_t)(dice(8) ? dice(3) * 4096 : number());
	uint8_t *pages;

	clear_slot(slot);
	pages = mmap(slot_pages(slot), bytes, protections[dice(7)], kinds[dice(5)] | MAP_FIXED,
		     some_fd(), offset);
	if (pages == MAP_FAILED) {
		clear_slot(slot);
		return false;
	}
	me.maps[slot].pages = pages;
	me.maps[slot].bytes = bytes;
	return true;
}

static bool do_remap(void)
{
	size_t slot = (size_t)dice(MAPS), other = (size_t)dice(MAPS), size;
	uint8_t *pages = me.maps[slot].pages;
	size_t bytes = me.maps[slot].bytes;

	if (!pages)
		return false;
	switch (dice(7)) {
	case 0:
		return mprotect(pages, bytes, (int)dice(8)) == 0;
	case 1:
		return madvise(pages, bytes, (int)dice(25)) == 0;
	case 2:
		return msync(pages, bytes, MS_SYNC) == 0;
	case 3:
		return mlock(pages, bytes) == 0 && munlock(pages, bytes) == 0;
	case 4:
		/* a hole, so that the mapping is cut */
		fill_with_nothing(pages + dice(4) * 4096, 4096);
		return true;
	case 5:
		if (other == slot)
			return false;
		clear_slot(other);
		size = (size_t)(1 + dice(3)) * 4096;
		if (mremap(pages, bytes, size, MREMAP_MAYMOVE | MREMAP_FIXED, slot_pages(other)) ==
		    MAP_FAILED) {
			clear_slot(other);
			return false;
		}
		clear_slot(slot);
		me.maps[other].pages = slot_pages(other);
		me.maps[other].bytes = size;
		return true;
	default:
		clear_slot(slot);
		return true;
	}
}

/* What the pages say, and the instruction they may have allowed. Faults are expected. */
static bool do_touch(void)
{
	size_t slot = (size_t)dice(MAPS);
	volatile uint8_t *pages = me.maps[slot].pages;

	if (!pages)
		return false;
	me.is_touching = 1;
	if (sigsetjmp(out_of_it, 1)) {
		me.is_touching = 0;
		return false;
	}
	switch (dice(4)) {
	case 0:
		pages[dice(4) * 4096 + dice(4096)] = 1;
		break;
	case 1:
		(void)lab_pmc_read((uint32_t)dice(4));
		break;
	default:
		(void)pages[dice(4) * 4096 + dice(4096)];
	}
	me.is_touching = 0;
	return true;
}

/* What a child reaches is noted as what its parent does, who waits for it in join(). */
static pid_t split(void)
{
	pid_t pid;

	lab_kcov_disable();
	pid = fork();
	if (pid == 0)
		lab_kcov_enable(false);
	return pid;
}

static bool join(pid_t pid)
{
	bool has_ended = pid > 0 && waitpid(pid, NULL, 0) == pid;

	lab_kcov_enable(false);
	return has_ended;
}

static bool do_fork(void)
{
	pid_t pid = split();

	if (pid == 0) {
		(void)do_touch();
		(void)do_read();
		if (dice(4) == 0)
			(void)execl("/bin/true", "true", (char *)NULL);
		if (dice(4) == 0)
			(void)kill(getpid(), SIGKILL);
		_exit(0);
	}
	return join(pid);
}

static bool do_change(void)
{
	int fd = some_fd();
	const char *path = some_path();
	struct timespec times[2] = { { 1, 1 }, { 1, 1 } };

	switch (dice(9)) {
	case 0:
		return ftruncate(fd, (off_t)number()) == 0;
	case 1:
		return fallocate(fd, (int)dice(64), (off_t)number(), (off_t)number()) == 0;
	case 2:
		return fsync(fd) == 0;
	case 3:
		return ioctl(fd, (unsigned long)number(), me.buffer) == 0;
	/* never for others, who must stay outside, nor writing for the group */
	case 4:
		return chmod(path, (mode_t)(dice(64) << 3 & 0750)) == 0;
	case 5:
		return chown(path, (uid_t)dice(2), dice(2) ? FUZZ_GROUP : 0) == 0;
	case 6:
		return utimensat(AT_FDCWD, path, times, 0) == 0;
	case 7:
		return setxattr(path, "user.x", "y", 1, 0) == 0;
	default:
		return truncate(path, (off_t)number()) == 0;
	}
}

static bool do_names(void)
{
	char name[LAB_FILE + 16];
	const char *path = some_path(), *other = some_path();

	(void)snprintf(name, sizeof(name), "%s/f%u", path, (unsigned int)dice(4));
	switch (dice(9)) {
	case 0:
		return symlink(other, name) == 0;
	case 1:
		return symlink("../status", name) == 0;
	case 2:
		return unlink(dice(8) ? name : path) == 0;
	case 3:
		return rename(name, other) == 0;
	case 4:
		return rename(name, strcat(name, "2")) == 0;
	case 5:
		return link(path, name) == 0;
	case 6:
		return mkdir(name, 0700) == 0;
	case 7:
		return rmdir(dice(2) ? name : path) == 0;
	default:
		return mknod(name, (mode_t)(S_IFCHR | 0600), 0x103) == 0;
	}
}

static bool do_look(void)
{
	int fd = some_fd(), pipes[2], watch;
	const char *path = some_path();
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	struct statfs fs;
	struct stat st;
	bool is_good;
	DIR *dir;

	switch (dice(10)) {
	case 0:
		return poll(&p, 1, 0) >= 0;
	case 1:
		return fstat(fd, &st) == 0 && fstatfs(fd, &fs) == 0;
	case 2:
		return lstat(path, &st) == 0 && readlink(path, (char *)me.buffer, 64) > 0;
	case 3:
		dir = opendir(path);
		while (dir && readdir(dir) && dice(16))
			;
		if (dir)
			(void)closedir(dir);
		return dir != NULL;
	case 4:
		return getxattr(path, "security.selinux", me.buffer, 64) >= 0;
	case 5:
		return fcntl(fd, F_SETFL, (int)number()) == 0;
	case 6:
		return flock(fd, LOCK_SH | LOCK_NB) == 0;
	case 7:
		watch = inotify_init1(IN_NONBLOCK);
		is_good = inotify_add_watch(watch, path, IN_ALL_EVENTS) >= 0;
		(void)close(watch);
		return is_good;
	case 8:
		return copy_file_range(fd, NULL, some_fd(), NULL, some_bytes(), 0) >= 0;
	default:
		if (pipe2(pipes, O_NONBLOCK) < 0)
			return false;
		if (dice(2)) {
			is_good = splice(fd, NULL, pipes[1], NULL, some_bytes(),
					 SPLICE_F_NONBLOCK) >= 0;
			(void)splice(pipes[0], NULL, some_fd(), NULL, some_bytes(),
				     SPLICE_F_NONBLOCK);
		} else {
			is_good = sendfile(pipes[1], fd, NULL, some_bytes()) >= 0;
		}
		(void)close(pipes[0]);
		(void)close(pipes[1]);
		return is_good;
	}
}

static bool do_place(void)
{
	size_t slot = some_slot();
	int fd;

	if (dice(3))
		return dice(2) ? lab_pin((unsigned int)dice(lab_cpus())) == 0 : lab_unpin() == 0;
	fd = dup(some_fd());
	if (fd < 0)
		return false;
	if (me.fds[slot] >= 0)
		(void)close(me.fds[slot]);
	me.fds[slot] = fd;
	return true;
}

/* A second place of the tree, as often as not with options that the first has not. */
static bool do_mount(void)
{
	switch (dice(4)) {
	case 0:
		return lab_driver_mount_at(FUZZ_ELSEWHERE, dice(2) ? MS_RDONLY : 0, "") == 0;
	case 1:
		return lab_driver_mount_at(FUZZ_ELSEWHERE, 0, "mode=0444") == 0;
	case 2:
		return mount(NULL, FUZZ_ELSEWHERE, NULL, MS_REMOUNT | (dice(2) ? MS_RDONLY : 0),
			     dice(2) ? "" : "gid=5") == 0;
	default:
		return umount2(FUZZ_ELSEWHERE, dice(2) ? MNT_DETACH : 0) == 0;
	}
}

/*
 * The same step by step: a context, some options, perhaps a tree and a mount, perhaps again.
 * Numbers are those of linux/mount.h, which cannot be included beside sys/mount.h.
 */
static void configure(int context)
{
	static const char *const keys[] = { "mode", "gid", "uid", "source", "ro", "what" };
	static const char *const values[] = { "0440", "77", "7777", "0", "", "-1" };
	const char *key = keys[dice(6)];

	switch (dice(4)) {
	case 0: /* FSCONFIG_SET_FLAG */
		(void)syscall(SYS_fsconfig, context, 0, key, NULL, 0);
		break;
	case 1: /* any command, with what may not be there */
		(void)syscall(SYS_fsconfig, context, dice(9), dice(2) ? key : NULL,
			      dice(2) ? me.buffer : NULL, dice(8));
		break;
	default: /* FSCONFIG_SET_STRING */
		(void)syscall(SYS_fsconfig, context, 1, key, values[dice(6)], 0);
	}
}

static bool do_fsopen(void)
{
	int context = (int)syscall(SYS_fsopen, NTIME_FS_TYPE, dice(2)), mounted = -1, fd;

	if (context < 0)
		return false;
	for (uint64_t i = dice(4); i-- > 0;)
		configure(context);
	if (dice(8))
		(void)syscall(SYS_fsconfig, context, 6, NULL, NULL, 0); /* FSCONFIG_CMD_CREATE */
	if (dice(4))
		mounted = (int)syscall(SYS_fsmount, context, dice(2), dice(2));
	if (mounted >= 0) {
		(void)__atomic_add_fetch(&shared->mounted, 1, __ATOMIC_RELAXED);
		fd = openat(mounted, some_path() + strlen(NTIME_FS_PATH) + 1, O_RDWR);
		if (fd >= 0)
			(void)close(fd);
		if (dice(2)) /* MOVE_MOUNT_F_EMPTY_PATH */
			(void)syscall(SYS_move_mount, mounted, "", AT_FDCWD, FUZZ_ELSEWHERE, 4);
		if (dice(4) == 0) /* FSCONFIG_CMD_RECONFIGURE */
			(void)syscall(SYS_fsconfig, context, 7, NULL, NULL, 0);
		(void)close(mounted);
	}
	(void)read(context, me.buffer, 256);
	(void)close(context);
	return true;
}

/* ---- memory that comes late ---- */

static long list_slowly(void *page)
{
	int folder = open(some_path(), O_RDONLY | O_DIRECTORY);
	long ret = syscall(SYS_getdents64, folder, page, 4096);

	if (folder >= 0)
		(void)close(folder);
	return ret;
}

static bool use_slowly(void *page)
{
	int fd = some_fd();

	switch (dice(6)) {
	case 0:
		return list_slowly(page) >= 0;
	case 1:
		return read(fd, page, dice(64)) >= 0;
	case 2:
		return write(fd, page, dice(64)) >= 0;
	case 3:
		return mount("none", FUZZ_ELSEWHERE, NTIME_FS_TYPE, 0, page) == 0;
	case 4:
		return getxattr(some_path(), "user.x", page, 64) >= 0;
	default:
		return symlink(page, some_path()) == 0 || readlink(some_path(), page, 64) >= 0;
	}
}

/* Whoever is held there cannot be frozen, so nobody is while the machine is to fall asleep. */
static bool may_be_slow(void)
{
	(void)__atomic_add_fetch(&shared->slow_now, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&shared->is_going_to_sleep, __ATOMIC_SEQ_CST))
		return true;
	(void)__atomic_sub_fetch(&shared->slow_now, 1, __ATOMIC_SEQ_CST);
	return false;
}

static bool do_slowly(void)
{
	off_t at = (off_t)(dice(LAB_STALLS) * 4096);
	bool is_good;
	void *page;

	if (slow_file < 0 || !may_be_slow())
		return false;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, slow_file, at);
	is_good = page != MAP_FAILED && madvise(page, 4096, MADV_RANDOM) == 0 && use_slowly(page);
	if (page != MAP_FAILED)
		(void)munmap(page, 4096);
	/* The next touch is to ask again. */
	(void)posix_fadvise(slow_file, at, 4096, POSIX_FADV_DONTNEED);
	(void)__atomic_sub_fetch(&shared->slow_now, 1, __ATOMIC_SEQ_CST);
	if (is_good)
		(void)__atomic_add_fetch(&shared->slow, 1, __ATOMIC_RELAXED);
	return is_good;
}

/* ---- perf on the same PMU ---- */

static int perf_open(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = dice(2) ? PERF_TYPE_RAW : PERF_TYPE_HARDWARE,
					.config = dice(8),
					.disabled = dice(2),
					.pinned = dice(2),
					.exclude_kernel = dice(2) };
	uint64_t on_cpu = dice(3);

	if (dice(4) == 0)
		attr.config = number();
	return (int)syscall(SYS_perf_event_open, &attr, on_cpu ? -1 : 0,
			    on_cpu ? (int)on_cpu - 1 : -1, -1, 0);
}

static bool do_perf(void)
{
	int *fd = &me.perf[dice(PERFS)];

	if (!with_perf)
		return false;
	switch (dice(4)) {
	case 0:
		return ioctl(*fd, dice(2) ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) == 0;
	case 1:
		return read(*fd, me.buffer, 64) >= 0;
	default:
		if (*fd >= 0)
			(void)close(*fd);
		*fd = perf_open();
		if (*fd >= 0)
			(void)__atomic_add_fetch(&shared->perf, 1, __ATOMIC_RELAXED);
		return *fd >= 0;
	}
}

static bool do_one_more(void)
{
	static bool (*const some[])(void) = { do_open,	do_read, do_write, do_change,
					      do_names, do_look, do_mount, do_fsopen };

	return some[dice(sizeof(some) / sizeof(some[0]))]();
}

/* In a user namespace of his own; descriptors of before are there. */
static bool do_elsewhere(void)
{
	pid_t pid = split();

	if (pid == 0) {
		if (lab_enter_user_namespace() == 0)
			for (unsigned int i = 0; i < 8; i++)
				(void)do_one_more();
		_exit(0);
	}
	return join(pid);
}

/* One allocation, or copy from or to this program, fails. */
static bool do_without_memory(void)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", 1 + (unsigned int)dice(40));

	if (me.fail_nth < 0 || pwrite(me.fail_nth, text, (size_t)length, 0) != length)
		return false;
	(void)do_one_more();
	(void)!pread(me.fail_nth, text, sizeof(text), 0);
	if (text[0] == '0')
		(void)__atomic_add_fetch(&shared->without_memory, 1, __ATOMIC_RELAXED);
	while (pwrite(me.fail_nth, "0", 1, 0) < 0)
		;
	return true;
}

/*
 * Each allocation fails with the probability that is set for all (fuzz_prepare()). Root alone may.
 */
static bool do_with_little_memory(void)
{
	if (me.make_it_fail < 0 || pwrite(me.make_it_fail, "1", 1, 0) != 1)
		return false;
	for (uint64_t i = 0; i < 4; i++)
		(void)do_one_more();
	while (pwrite(me.make_it_fail, "0", 1, 0) < 0)
		;
	(void)__atomic_add_fetch(&shared->without_memory, 1, __ATOMIC_RELAXED);
	return true;
}

static bool (*const operations[])(void) = { do_open,
					    do_open,
					    do_open,
					    do_close,
					    do_read,
					    do_read,
					    do_read,
					    do_write,
					    do_write,
					    do_write,
					    do_seek,
					    do_map,
					    do_map,
					    do_remap,
					    do_touch,
					    do_touch,
					    do_fork,
					    do_change,
					    do_names,
					    do_look,
					    do_place,
					    do_mount,
					    do_fsopen,
					    do_elsewhere,
					    do_without_memory,
					    do_perf,
					    do_perf,
					    do_slowly,
					    do_with_little_memory,
					    do_without_memory };

/* ---- a process ---- */

static void jump_out(int signal_number)
{
	/* A fault anywhere else would jump where nobody is any more: the parent tells of it. */
	if (!me.is_touching)
		_exit(2);
	siglongjmp(out_of_it, signal_number);
}

static void become(enum fuzz_who who)
{
	static const struct lab_user member = { 1000, 1000, FUZZ_GROUP };

	if ((who == FUZZ_MEMBER && lab_become(&member) < 0) ||
	    (who == FUZZ_STRANGER && lab_become(&lab_stranger) < 0))
		_exit(1);
}

void fuzz_begin(enum fuzz_who who)
{
	struct sigaction action = { .sa_handler = jump_out };

	me.who = who;
	me.fail_nth = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	me.make_it_fail = open("/proc/self/make-it-fail", O_RDWR | O_CLOEXEC);
	memset(me.fds, 0xff, sizeof(me.fds));
	memset(me.perf, 0xff, sizeof(me.perf));
	(void)sigaction(SIGSEGV, &action, NULL);
	(void)sigaction(SIGBUS, &action, NULL);
	(void)sigaction(SIGILL, &action, NULL);
	me.area = mmap(NULL, MAPS * SLOT_BYTES, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (me.area == MAP_FAILED || lab_kcov_attach() < 0)
		_exit(3);
	become(who);
}

static void let_go(int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (fds[i] >= 0)
			(void)close(fds[i]);
		fds[i] = -1;
	}
}

void fuzz_run(const struct fuzz_program *program)
{
	me.program = program;
	me.at = 0;
	while (me.at < program->bytes) {
		if (me.who == FUZZ_KEEPER)
			count(fuzz_keep(shared, dice));
		else
			count(operations[dice(sizeof(operations) / sizeof(operations[0]))]());
	}
	for (size_t i = 0; i < MAPS; i++)
		if (me.maps[i].pages)
			clear_slot(i);
	let_go(me.fds, FDS);
	let_go(me.perf, PERFS);
	(void)lab_unpin();
}

/* ---- all of them ---- */

static void collect(const char *folder)
{
	struct dirent *entry;
	DIR *dir = opendir(folder);

	if (!dir || path_count == PATHS)
		return;
	(void)snprintf(paths[path_count++], LAB_FILE, "%s", folder);
	while (path_count < PATHS && (entry = readdir(dir))) {
		char path[2 * LAB_FILE];

		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (strlen(path) >= LAB_FILE)
			continue;
		if (entry->d_type == DT_DIR)
			collect(path);
		else
			strcpy(paths[path_count++], path);
	}
	(void)closedir(dir);
}

/* One allocation in 20 of who asks for it; nobody else's. */
static void set_probability(void)
{
	static const char *const settings[][2] = { { "task-filter", "Y" },
						   { "probability", "5" },
						   { "times", "-1" } };
	char path[64];

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		(void)snprintf(path, sizeof(path), "/sys/kernel/debug/failslab/%s", settings[i][0]);
		(void)lab_write(path, settings[i][1]);
	}
}

size_t fuzz_prepare(struct fuzz_shared *all, int file, bool has_perf)
{
	shared = all;
	slow_file = file;
	with_perf = has_perf;
	path_count = 0;
	if (!paths)
		paths = calloc(PATHS, sizeof(*paths));
	if (!paths)
		return 0;
	collect(NTIME_FS_PATH);
	(void)mkdir(FUZZ_ELSEWHERE, 0755);
	fuzz_keeper_prepare();
	if (lab_fail_quietly())
		set_probability();
	return path_count;
}

void fuzz_end(void)
{
	(void)lab_write("/sys/kernel/debug/failslab/probability", "0");
	fuzz_keeper_end();
	while (umount2(FUZZ_ELSEWHERE, MNT_DETACH) == 0)
		;
	free(paths);
	paths = NULL;
}
