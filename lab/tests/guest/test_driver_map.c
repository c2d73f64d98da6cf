// SPDX-License-Identifier: MIT
/*
 * Many mappings of register files: what one costs does not grow with how many there are, memory
 * that they take is charged to who makes them, and a user has a bounded number of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"

#define FEW 4000
#define MANY (4 * FEW)
#define BOUND 64
#define BOUND_TEXT "64"
#define GROUP "/cgroup"

static uint8_t *pages[MANY];

static int map_one(int fd, size_t i)
{
	pages[i] = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	return pages[i] == MAP_FAILED ? -errno : 0;
}

static void unmap_one(size_t i)
{
	(void)munmap(pages[i], (size_t)sysconf(_SC_PAGESIZE));
}

static int map_count(int fd, size_t count)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < count; i++)
		ret = map_one(fd, i);
	return ret;
}

/* A counter of CPU 0 that runs, where there is one, so that its instruction may be used. */
static int open_counter(void)
{
	const struct lab_pair *pair = lab_pair();
	int fds[3];

	LAB_GOOD(lab_pin(0));
	(void)lab_write("/proc/sys/kernel/perf_user_access", "1"); /* 64-bit ARM has it */
	if (!pair || !pair->is_core)
		return LAB_OPEN(lab_any_register(), O_RDONLY);
	LAB_GOOD(lab_pair_run(pair, 0, fds));
	return LAB_OPEN(pair->counter, O_RDONLY);
}

/* ---- work ---- */

/* In guests with one CPU time is instructions, whatever else the host does (-icount). */
static int64_t instruction_time(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int64_t work_of(int fd, size_t count)
{
	int64_t begin = instruction_time();

	LAB_GOOD(map_count(fd, count));
	for (size_t i = 0; i < count; i++)
		unmap_one(i);
	return instruction_time() - begin;
}

TEST(work_grows_with_the_number)
{
	int fd = open_counter();
	int64_t few, many;

	if (lab_cpus() > 1)
		TT_SKIP("time is no count of instructions in a guest with several CPUs");
	(void)work_of(fd, FEW);
	few = work_of(fd, FEW);
	many = work_of(fd, MANY);
	print_message("# %d mappings %lld, %d mappings %lld: %.2f times the work\n", FEW,
		      (long long)few, MANY, (long long)many, (double)many / (double)few);
	/* Linear is 4, quadratic 16. */
	assert_true(many < 6 * few);
}

/* ---- memory ---- */

/* The number after @key in a file of lines "key number". */
static int64_t number_in(const char *path, const char *key)
{
	FILE *file = fopen(path, "re");
	long long number = -ENOENT, value;
	char word[64];

	while (file && fscanf(file, "%63s %lld%*[^\n]", word, &value) == 2)
		if (strcmp(word, key) == 0)
			number = value;
	if (file)
		(void)fclose(file);
	return number;
}

static bool has_groups(void)
{
	(void)mkdir(GROUP, 0755);
	return mount("none", GROUP, "cgroup2", 0, NULL) == 0 &&
	       lab_write(GROUP "/cgroup.subtree_control", "+memory") == 0 &&
	       mkdir(GROUP "/map", 0755) == 0;
}

static int64_t uncharged(void)
{
	return number_in("/proc/meminfo", "Slab:") * 1024 -
	       number_in(GROUP "/map/memory.stat", "slab");
}

static long map_in_group(void *arg)
{
	int fd = *(int *)arg;
	int64_t before;
	int ret = lab_write(GROUP "/map/cgroup.procs", "0");

	if (ret == 0)
		ret = map_one(fd, 0);
	before = uncharged();
	if (ret == 0)
		ret = map_count(fd, MANY);
	return ret < 0 ? ret : uncharged() - before;
}

TEST(memory_is_charged)
{
	int fd = open_counter();
	int64_t bytes;

	if (!has_groups())
		TT_SKIP("this guest's kernel has no control group for memory");
	bytes = lab_child(&lab_root, map_in_group, &fd);
	print_message("# %d mappings: %lld bytes of slab are charged to nobody\n", MANY,
		      (long long)bytes);
	assert_true(bytes > -(1 << 20) && bytes < 128 * MANY);
	(void)rmdir(GROUP "/map");
	(void)umount(GROUP);
}

/* ---- the bound ---- */

static void start_bounded(void)
{
	lab_load_anew("mappings_per_user=" BOUND_TEXT, "mode=0444");
}

/* As many as there may be, and no more. */
static long map_all(void *arg)
{
	int fd = lab_reg_open(arg, O_RDONLY), ret;

	if (fd < 0)
		return fd;
	ret = map_count(fd, BOUND);
	if (ret == 0 && map_one(fd, BOUND) != -EAGAIN)
		return -ENODATA;
	return ret < 0 ? ret : fd;
}

TEST(user_has_a_bounded_number)
{
	const char *reg = lab_any_register();

	start_bounded();
	/* They are given back when he is gone. */
	for (int i = 0; i < 3; i++)
		LAB_GOOD(lab_child(&lab_stranger, map_all, reg));
	LAB_REFUSED("mappings_per_user");
}

static long hold_all(void *arg)
{
	long ret = lab_become(&lab_stranger);

	if (ret == 0)
		ret = map_all(arg);
	if (ret >= 0)
		lab_be_ready_and_wait();
	return ret;
}

static long map_one_of(void *arg)
{
	int fd = lab_reg_open(arg, O_RDONLY);

	return fd < 0 ? fd : map_one(fd, 0);
}

static long map_in_namespace(void *arg)
{
	return unshare(CLONE_NEWUSER) < 0 ? -ENOSYS : map_one_of(arg);
}

static long map_twice_the_bound(void *arg)
{
	int fd = lab_reg_open(arg, O_RDONLY);

	return fd < 0 ? fd : map_count(fd, 2 * BOUND);
}

/* Others have their own, who may have more has more, and a namespace is no way around it. */
TEST(bound_is_the_users)
{
	static const struct lab_user other = { 1001, 1001, -1 };
	const char *reg = lab_any_register();
	struct lab_process holder;
	long inside;

	start_bounded();
	LAB_GOOD(lab_spawn(&holder, hold_all, reg));
	TT_IS(lab_child(&lab_stranger, map_one_of, reg), -EAGAIN);
	LAB_GOOD(lab_child(&other, map_all, reg));
	LAB_GOOD(lab_child(&lab_root, map_twice_the_bound, reg));
	inside = lab_child(&lab_stranger, map_in_namespace, reg);
	if (inside == -ENOSYS)
		print_message("# this guest's kernel gives strangers no namespace\n");
	else
		TT_IS(inside, -EAGAIN);
	(void)lab_kill(&holder);
	LAB_GOOD(lab_child(&lab_stranger, map_one_of, reg));
}

/* A mapping that a child has too is one, and ends with the last of its places. */
static long share_with_child(void *arg)
{
	long fd = map_all(arg), ret = 0;
	int status = -1;
	pid_t pid;

	if (fd < 0)
		return fd;
	pid = fork();
	if (pid == 0) {
		unmap_one(0);
		_exit(map_one((int)fd, 0) == -EAGAIN ? 0 : 1);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		return -ECHILD;
	unmap_one(0);
	ret = map_one((int)fd, 0);
	return ret == 0 && map_one((int)fd, BOUND) == -EAGAIN ? 0 : -ENODATA;
}

TEST(children_share)
{
	const char *reg = lab_any_register();

	start_bounded();
	LAB_GOOD(lab_child(&lab_stranger, share_with_child, reg));
}

/* ---- the instruction, for as long as there is a mapping ---- */

static long map_some_and_unmap_some(void *arg)
{
	int fd = *(int *)arg;
	struct ntime_page page;
	int ret = lab_pin(0);

	if (ret == 0)
		ret = map_count(fd, 8);
	if (ret < 0)
		return ret;
	memcpy(&page, pages[7], sizeof(page));
	if (page.type != NTIME_PAGE_PMC)
		return -EOPNOTSUPP;
	for (size_t i = 7; i > 0; i--) {
		unmap_one(i);
		(void)lab_pmc_read(page.index);
	}
	unmap_one(0);
	(void)lab_pmc_read(page.index);
	return 0;
}

/* Many mappings of one thread are one permission: it goes with the last of them, and not before. */
TEST(instruction_goes_with_the_last)
{
	const struct lab_pair *pair = lab_pair();
	int fd, signal;

	if (!pair || !pair->is_core)
		TT_SKIP("this guest has no counters that an instruction reads");
	fd = open_counter();
	signal = lab_signal(map_some_and_unmap_some, &fd);
#if defined(__arm__)
	print_message("# the monitor is open to all programs: signal %d\n", signal);
#else
	/* It ended in the last read. */
	assert_true(signal == SIGILL || signal == SIGSEGV);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(work_grows_with_the_number),
		LAB_DRIVER_TEST(memory_is_charged),
		LAB_DRIVER_TEST(user_has_a_bounded_number),
		LAB_DRIVER_TEST(bound_is_the_users),
		LAB_DRIVER_TEST(children_share),
		LAB_DRIVER_TEST(instruction_goes_with_the_last),
		LAB_DRIVER_LAST,
	};

	return LAB_DRIVER_RUN(tests);
}
