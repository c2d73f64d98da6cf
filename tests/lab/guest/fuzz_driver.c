// SPDX-License-Identifier: MIT
/*
 * Random system calls on the files of the driver: fuzz_driver [SECONDS [SEED]], 30 s without.
 * Processes that are root, members of the group that may read, and strangers, all at once, with
 * CPUs that go and come. Some calls are made in user namespaces, some while an allocation fails,
 * where the kernel can do that, and root mounts and unmounts the tree in a second place.
 * What the driver lets root write is harmless in a guest, or it is a bug. At
 * the end strangers must have opened no register and members written none, the driver must unload,
 * and all registers must be as they were. Skipped without the driver; the kernel's log is looked at
 * by the lab.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
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
#include <time.h>
#include <unistd.h>

#include "tests/lab/guest/driver.h"
#include "tests/lab/guest/fail.h"

#define SECONDS 30
#define WORKERS 6
#define FDS 24
#define MAPS 12
#define SLOT_BYTES (8 * 4096ul) /* place for one mapping */
#define PATHS 4096
#define GROUP 77 /* may read */
#define ELSEWHERE "/tmp/fuzz"

enum who { ROOT, MEMBER, STRANGER };

/* What all processes share. */
static struct shared {
	unsigned long calls, good, without_memory; /* armel has no atomic 64 bits */
	unsigned int stranger_in, member_wrote;
} * shared;

/* Files and folders as they were at the beginning; some of them go and come. */
static char (*paths)[LAB_FILE];
static size_t path_count;

/* One process. */
static struct {
	uint64_t random;
	unsigned int step;
	enum who who;
	int fail_nth; /* -1: nothing fails here */
	int fds[FDS];
	struct {
		uint8_t *pages;
		size_t bytes;
	} maps[MAPS];
	uint8_t *area; /* MAPS places */
	uint64_t buffer[8192];
} me;

static sigjmp_buf out_of_it;

static uint64_t dice(uint64_t sides)
{
	return tt_random(&me.random) % sides;
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
		return tt_random(&me.random) >> dice(64);
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
		if (me.who == STRANGER)
			(void)__atomic_add_fetch(&shared->stranger_in, 1, __ATOMIC_RELAXED);
		if (me.who == MEMBER && (flag & O_ACCMODE) != O_RDONLY)
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
	int fd = me.fds[some_slot()];
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
			me.buffer[i] = tt_random(&me.random);
		return some_bytes();
	}
}

static bool do_write(void)
{
	int fd = me.fds[some_slot()];
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
	return lseek(me.fds[some_slot()], (off_t)number(), (int)dice(6)) >= 0;
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
		     me.fds[some_slot()], offset);
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

	if (!pages || sigsetjmp(out_of_it, 1))
		return false;
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
	return true;
}

static bool do_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)do_touch();
		(void)do_read();
		if (dice(4) == 0)
			(void)execl("/bin/true", "true", (char *)NULL);
		if (dice(4) == 0)
			(void)kill(getpid(), SIGKILL);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

static bool do_change(void)
{
	int fd = me.fds[some_slot()];
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
		return chown(path, (uid_t)dice(2), dice(2) ? GROUP : 0) == 0;
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
	int fd = me.fds[some_slot()], pipes[2], watch;
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
		return copy_file_range(fd, NULL, me.fds[some_slot()], NULL, some_bytes(), 0) >= 0;
	default:
		if (pipe2(pipes, O_NONBLOCK) < 0)
			return false;
		if (dice(2)) {
			is_good = splice(fd, NULL, pipes[1], NULL, some_bytes(),
					 SPLICE_F_NONBLOCK) >= 0;
			(void)splice(pipes[0], NULL, me.fds[some_slot()], NULL, some_bytes(),
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
	fd = dup(me.fds[some_slot()]);
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
	int context, ret;

	switch (dice(5)) {
	case 0:
		return lab_driver_mount_at(ELSEWHERE, dice(2) ? MS_RDONLY : 0, "") == 0;
	case 1:
		return lab_driver_mount_at(ELSEWHERE, 0, "mode=0444") == 0;
	case 2:
		return mount(NULL, ELSEWHERE, NULL, MS_REMOUNT | (dice(2) ? MS_RDONLY : 0),
			     dice(2) ? "" : "gid=5") == 0;
	case 3:
		return umount2(ELSEWHERE, dice(2) ? MNT_DETACH : 0) == 0;
	default:
		context = (int)syscall(SYS_fsopen, NTIME_FS_TYPE, 0);
		ret = (int)syscall(SYS_fsconfig, context, 1, "mode", dice(2) ? "0440" : "7777", 0);
		ret |= (int)syscall(SYS_fsconfig, context, 6, NULL, NULL, 0);
		(void)close(context);
		return ret == 0;
	}
}

static bool do_one_more(void)
{
	static bool (*const some[])(void) = { do_open,	do_read, do_write, do_change,
					      do_names, do_look, do_mount };

	return some[dice(sizeof(some) / sizeof(some[0]))]();
}

/* In a user namespace of his own; descriptors of before are there. */
static bool do_elsewhere(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (lab_enter_user_namespace() == 0)
			for (unsigned int i = 0; i < 8; i++)
				(void)do_one_more();
		_exit(0);
	}
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
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

static bool (*const operations[])(void) = {
	do_open,  do_open,	do_open,	   do_close,	     do_read,  do_read, do_read,
	do_write, do_write,	do_write,	   do_seek,	     do_map,   do_map,	do_remap,
	do_touch, do_touch,	do_fork,	   do_change,	     do_names, do_look, do_place,
	do_mount, do_elsewhere, do_without_memory, do_without_memory
};

/* ---- processes ---- */

static void jump_out(int signal_number)
{
	siglongjmp(out_of_it, signal_number);
}

static void become(enum who who)
{
	gid_t group = GROUP;

	if (who == ROOT)
		return;
	if (setgroups(who == MEMBER ? 1 : 0, &group) < 0 || setgid(1000) < 0 || setuid(1000) < 0)
		_exit(1);
}

/*
 * Expected faults are caught where they are expected; any other ends the process, and the parent
 * tells.
 */
static void work(uint64_t seed, enum who who, time_t end)
{
	struct sigaction action = { .sa_handler = jump_out };

	me.random = seed;
	me.who = who;
	me.fail_nth = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	memset(me.fds, 0xff, sizeof(me.fds));
	(void)sigaction(SIGSEGV, &action, NULL);
	(void)sigaction(SIGBUS, &action, NULL);
	(void)sigaction(SIGILL, &action, NULL);
	me.area = mmap(NULL, MAPS * SLOT_BYTES, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (me.area == MAP_FAILED)
		_exit(3);
	become(who);
	while (time(NULL) < end) {
		for (me.step = 0; me.step < 200; me.step++) {
			/* A fault outside of do_touch() would jump where nobody is any more. */
			if (sigsetjmp(out_of_it, 1))
				_exit(2);
			count(operations[dice(sizeof(operations) / sizeof(operations[0]))]());
		}
	}
	_exit(0);
}

static void take_cpus_away(uint64_t seed, time_t end)
{
	me.random = seed;
	while (time(NULL) < end && lab_cpus() > 1) {
		(void)usleep((useconds_t)dice(400000));
		(void)lab_cpu_set_online(1, false);
		(void)usleep((useconds_t)dice(50000));
		(void)lab_cpu_set_online(1, true);
	}
	_exit(0);
}

/* ---- what is fuzzed ---- */

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

static uint64_t seed_of_run;
static unsigned int seconds = SECONDS;

TEST(random_calls_break_nothing)
{
	static const enum who roles[WORKERS] = { ROOT, ROOT, ROOT, MEMBER, MEMBER, STRANGER };
	pid_t workers[WORKERS + 1];
	time_t end = time(NULL) + seconds;
	uint64_t random = seed_of_run;
	unsigned int died = 0;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_ptr_not_equal(shared, MAP_FAILED);
	paths = calloc(PATHS, sizeof(*paths));
	assert_non_null(paths);
	LAB_GOOD(lab_driver_unmount());
	LAB_GOOD(lab_driver_mount("gid=77,mode=0440"));
	collect(NTIME_FS_PATH);
	(void)mkdir(ELSEWHERE, 0755);
	(void)lab_fail_quietly();
	print_message("# %zu paths, %u s, seed %#llx\n", path_count, seconds,
		      (unsigned long long)seed_of_run);
	(void)fflush(NULL);
	for (size_t i = 0; i <= WORKERS; i++) {
		uint64_t seed = tt_random(&random) | 1;

		workers[i] = fork();
		if (workers[i] == 0 && i < WORKERS)
			work(seed, roles[i], end);
		else if (workers[i] == 0)
			take_cpus_away(seed, end);
		assert_true(workers[i] > 0);
	}
	for (size_t i = 0; i <= WORKERS; i++) {
		int status = -1;

		assert_true(waitpid(workers[i], &status, 0) == workers[i]);
		if (status != 0) {
			print_error("process %zu ended with status %#x\n", i, (unsigned int)status);
			died++;
		}
	}
	print_message("# %llu calls, %llu of them did something, in %llu an allocation failed\n",
		      (unsigned long long)shared->calls, (unsigned long long)shared->good,
		      (unsigned long long)shared->without_memory);
	while (umount2(ELSEWHERE, MNT_DETACH) == 0)
		;
	TT_IS(died, 0);
	TT_IS(shared->stranger_in, 0);
	TT_IS(shared->member_wrote, 0);
	/* How many depends on the machine; that it was not only refusals does not. */
	assert_true(shared->good > 100);
	TT_IS(lab_status_number("open"), 0);
	/* Names that were given, permissions that were changed go with the module. */
	LAB_GOOD(lab_driver_stop());
	free(paths);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(random_calls_break_nothing),
		LAB_DRIVER_LAST,
	};

	if (argc > 1)
		seconds = (unsigned int)strtoul(argv[1], NULL, 10);
	seed_of_run = argc > 2 ? strtoull(argv[2], NULL, 0)
			       : tt_seed() ^ (uint64_t)time(NULL) * 0x9e3779b97f4a7c15ull;
	if (!seconds || !seed_of_run) {
		fprintf(stderr, "fuzz_driver [SECONDS [SEED]]: neither may be 0\n");
		return 2;
	}
	return LAB_DRIVER_RUN(tests);
}
