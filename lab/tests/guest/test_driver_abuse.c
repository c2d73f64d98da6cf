// SPDX-License-Identifier: MIT
/*
 * Everything at once, again and again, and the driver still keeps its word: one writer at a time,
 * what was changed is restored, nothing hangs, nothing is left. Bounded by counts of operations, so
 * that a slow machine does the same; the kernel's log is looked at by the lab.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/tests/guest/device.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/host.h"
#include "lab/tests/guest/spin.h"

#define RACE_ROUNDS 1500
#define OPENS 10000
#define OPENS_AT_ONCE 1000
#define MAPPERS 4
#define MAP_ROUNDS 60
#define HOTPLUG_ROUNDS 12
#define UNLOAD_ROUNDS 300
#define RELOAD_ROUNDS 12
#define KILL_ROUNDS 30

/* ---- two writers ---- */

struct race {
	const struct lab_pair *pair;
	uint64_t value;
};

/*
 * Whoever has the register finds in it what he wrote. How often he had it, or the line in which it
 * was not so.
 */
static long write_what_is_mine(void *arg)
{
	const struct race *r = arg;
	long had = 0;

	for (unsigned int i = 0; i < RACE_ROUNDS; i++) {
		int fd = lab_reg_open(r->pair->control, O_RDWR);
		uint64_t value;

		if (fd == -EBUSY)
			continue;
		if (fd < 0)
			return fd;
		if (lab_fd_set_text(fd, r->value) < 0)
			return -__LINE__;
		if (lab_fd_text(fd, &value) < 0 || value != r->value)
			return -__LINE__;
		(void)close(fd);
		had++;
	}
	return had > 0 ? had : -ENODATA;
}

static long race_of_others(void *arg)
{
	struct race *r = arg;

	lab_ready();
	return write_what_is_mine(r) < 0 ? 1 : 0;
}

TEST(two_writers_race)
{
	const struct lab_pair *pair = lab_need_pair();
	struct lab_process other[2];
	struct race one, two, three;
	uint64_t before;

	LAB_GOOD(lab_reg_get(pair->control, &before));
	one = (struct race){ pair, before & ~pair->flip };
	two = (struct race){ pair, before | pair->flip };
	three = one;
	LAB_GOOD(lab_spawn(&other[0], race_of_others, &two));
	LAB_GOOD(lab_spawn(&other[1], race_of_others, &one));
	LAB_GOOD(write_what_is_mine(&three));
	TT_IS(lab_wait(&other[0]), 0);
	TT_IS(lab_wait(&other[1]), 0);
	LAB_REG_IS(pair->control, before);
}

/* ---- many files ---- */

TEST(ten_thousand_opens)
{
	const char *reg = lab_any_register();
	struct rlimit limit = { OPENS_AT_ONCE + 64, OPENS_AT_ONCE + 64 };
	static int fds[OPENS_AT_ONCE];
	int64_t before = lab_status_number("open");
	uint64_t value;

	LAB_GOOD(setrlimit(RLIMIT_NOFILE, &limit));
	for (unsigned int i = 0; i < OPENS - OPENS_AT_ONCE; i++) {
		int fd = LAB_OPEN(reg, O_RDONLY);

		if (i % 100 == 0)
			LAB_GOOD(lab_fd_text(fd, &value));
		(void)close(fd);
	}
	for (unsigned int i = 0; i < OPENS_AT_ONCE; i++)
		fds[i] = LAB_OPEN(reg, O_RDONLY);
	LAB_GOOD(before);
	TT_IS(lab_status_number("open"), before + OPENS_AT_ONCE);
	for (unsigned int i = 0; i < OPENS_AT_ONCE; i++) {
		LAB_GOOD(lab_fd_text(fds[i], &value));
		(void)close(fds[i]);
	}
	TT_IS(lab_status_number("open"), before);
}

/* ---- mappings, children, programs ---- */

static sigjmp_buf refused;

static void jump_out(int number)
{
	siglongjmp(refused, number);
}

/* The counter's instruction, which may be refused at any time. */
static bool try_instruction(uint32_t index)
{
	bool is_allowed = sigsetjmp(refused, 1) == 0;

	if (is_allowed)
		(void)lab_pmc_read(index);
	return is_allowed;
}

static void catch_refusals(void)
{
	struct sigaction action = { .sa_handler = jump_out };

	(void)sigaction(SIGSEGV, &action, NULL);
	(void)sigaction(SIGBUS, &action, NULL);
	(void)sigaction(SIGILL, &action, NULL);
}

static long wait_for_good(pid_t pid)
{
	int status = -1;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -ECHILD;
	return status == 0 ? 0 : -EPROTO;
}

static long map_fork_unmap(const char *reg, unsigned int round)
{
	int fd = lab_reg_open(reg, O_RDONLY), ret;
	struct lab_map map, again;
	pid_t pid;

	if (fd < 0)
		return fd;
	ret = lab_fd_map(fd, 1, &map);
	if (ret == 0)
		ret = lab_fd_map(fd, 2, &again);
	if (ret < 0)
		return ret;
	(void)try_instruction(map.page.index);
	pid = fork();
	if (pid == 0) {
		if (round % 3 == 0)
			(void)execl("/bin/true", "true", (char *)NULL);
		if (round % 3 == 1)
			lab_unmap(&again);
		(void)try_instruction(map.page.index);
		_exit(0);
	}
	/* In any order with what the child does. */
	if (round % 2)
		lab_unmap(&map);
	(void)try_instruction(again.page.index);
	/* The first page alone, so that the mapping is cut. */
	(void)munmap(again.pages, again.bytes / 2);
	(void)munmap(again.pages + again.bytes / 2, again.bytes / 2);
	if (round % 2 == 0)
		lab_unmap(&map);
	(void)close(fd);
	return wait_for_good(pid);
}

static long map_again_and_again(void *arg)
{
	long ret = 0;

	catch_refusals();
	(void)lab_pin(0);
	lab_ready();
	for (unsigned int i = 0; i < MAP_ROUNDS && ret == 0; i++)
		ret = map_fork_unmap(arg, i);
	return ret < 0 ? 1 : 0;
}

TEST(mappings_come_and_go)
{
	const struct lab_pair *pair = lab_pair();
	const char *reg = pair ? pair->counter : lab_any_register();
	struct lab_process p[MAPPERS];

	for (size_t i = 0; i < MAPPERS; i++)
		LAB_GOOD(lab_spawn(&p[i], map_again_and_again, reg));
	for (size_t i = 0; i < MAPPERS; i++)
		TT_IS(lab_wait(&p[i]), 0);
#if defined(__x86_64__)
	/* Nobody may use the instruction now. */
	assert_true(lab_signal(lab_do_read_counter, NULL) != 0);
#endif
}

/* ---- CPUs ---- */

static bool is_allowed_error(long ret)
{
	return ret >= 0 || ret == -ENODEV || ret == -ENOENT || ret == -EBUSY;
}

/* Until killed; ends by itself when something is wrong. */
static long go_on(long (*fn)(const char *reg), const char *reg)
{
	lab_ready();
	while (is_allowed_error(fn(reg)))
		;
	return 1;
}

static long read_often(const char *reg)
{
	int fd = lab_reg_open(reg, O_RDONLY);
	uint64_t value;
	long ret = fd;

	for (unsigned int i = 0; ret >= 0 && i < 50; i++)
		ret = lab_fd_text(fd, &value);
	if (fd >= 0)
		(void)close(fd);
	return ret;
}

static long read_whatever_happens(void *reg)
{
	return go_on(read_often, reg);
}

static long write_often(const char *reg)
{
	int fd = lab_reg_open(reg, O_RDWR);
	uint64_t value;
	long ret = fd;

	if (ret >= 0)
		ret = lab_fd_text(fd, &value);
	for (unsigned int i = 0; ret >= 0 && i < 20; i++)
		ret = lab_fd_set_text(fd, value);
	if (fd >= 0)
		(void)close(fd);
	return ret;
}

static long write_whatever_happens(void *reg)
{
	return go_on(write_often, reg);
}

static long map_often(const char *reg)
{
	int fd = lab_reg_open(reg, O_RDONLY);
	struct lab_map map;
	long ret = fd;

	(void)lab_pin(1);
	if (fd >= 0)
		ret = lab_fd_map(fd, 1, &map);
	for (unsigned int i = 0; ret == 0 && i < 50; i++)
		(void)try_instruction(map.page.index);
	if (ret == 0)
		lab_unmap(&map);
	if (fd >= 0)
		(void)close(fd);
	(void)lab_unpin();
	return ret;
}

static long map_whatever_happens(void *reg)
{
	catch_refusals();
	return go_on(map_often, reg);
}

TEST(cpu_goes_under_everybody)
{
	const struct lab_pair *pair = lab_pair();
	char control[LAB_PATH], counter[LAB_PATH];
	struct lab_process p[4];
	uint64_t value;

	if (lab_cpus() < 2 || !lab_reg_is_here("core1"))
		TT_SKIP("this guest has no second CPU with registers");
	lab_of_cpu(pair ? pair->counter : lab_any_register(), 1, counter);
	lab_of_cpu(pair ? pair->control : lab_any_register(), 1, control);
	LAB_GOOD(lab_spawn(&p[0], read_whatever_happens, counter));
	LAB_GOOD(lab_spawn(&p[1], read_whatever_happens, control));
	LAB_GOOD(lab_spawn(&p[2], map_whatever_happens, counter));
	LAB_GOOD(lab_spawn(&p[3], pair ? write_whatever_happens : read_whatever_happens, control));
	for (unsigned int i = 0; i < HOTPLUG_ROUNDS; i++) {
		LAB_GOOD(lab_cpu_set_online(1, false));
		TT_IS(lab_reg_is_here("core1"), false);
		LAB_GOOD(lab_cpu_set_online(1, true));
		TT_IS(lab_reg_is_here("core1"), true);
		(void)usleep(20000);
	}
	for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++)
		TT_IS(lab_kill(&p[i]), 128 + SIGKILL);
	LAB_GOOD(lab_reg_get(counter, &value));
	LAB_GOOD(lab_reg_get(control, &value));
}

/* ---- loading and unloading ---- */

TEST(unloading_is_refused_all_the_time)
{
	struct lab_process p[2];
	unsigned int unmounted = 0;

	for (size_t i = 0; i < 2; i++)
		LAB_GOOD(lab_spawn(&p[i], read_whatever_happens, lab_any_register()));
	for (unsigned int i = 0; i < UNLOAD_ROUNDS; i++) {
		/* Mounted: never. */
		if (lab_driver_unload() == 0)
			fail_msg("the driver was unloaded while it was mounted");
		/* Unmounting is possible in the moments in which no file is open. */
		if (lab_driver_unmount() == 0) {
			unmounted++;
			LAB_GOOD(lab_driver_mount(""));
		}
	}
	print_message("# unmounted %u of %u times\n", unmounted, UNLOAD_ROUNDS);
	for (size_t i = 0; i < 2; i++)
		TT_IS(lab_kill(&p[i]), 128 + SIGKILL);
}

/* Under readers that come at any moment. */
TEST(driver_comes_and_goes)
{
	struct lab_process p[2];
	unsigned int unloaded = 0;

	for (size_t i = 0; i < 2; i++)
		LAB_GOOD(lab_spawn(&p[i], read_whatever_happens, lab_any_register()));
	for (unsigned int i = 0; i < RELOAD_ROUNDS; i++) {
		while (umount2(NTIME_FS_PATH, MNT_DETACH) == 0)
			;
		/* Whoever still has a file open closes it in a moment. */
		for (unsigned int tries = 0; tries < 1000 && lab_driver_unload() < 0; tries++)
			(void)usleep(1000);
		unloaded += !lab_driver_is_loaded();
		if (!lab_driver_is_loaded())
			LAB_GOOD(lab_driver_load(""));
		LAB_GOOD(lab_driver_mount(""));
	}
	for (size_t i = 0; i < 2; i++)
		TT_IS(lab_kill(&p[i]), 128 + SIGKILL);
	TT_IS(unloaded, RELOAD_ROUNDS);
}

/* ---- killing ---- */

static long change_all_the_time(void *arg)
{
	const struct lab_pair *pair = arg;
	int control = lab_reg_open(pair->control, O_RDWR);
	int counter = lab_reg_open(pair->counter, O_RDWR);
	struct lab_map map;
	uint64_t value;

	if (control < 0 || counter < 0)
		return control < 0 ? control : counter;
	(void)lab_pin(0);
	catch_refusals();
	if (lab_fd_text(control, &value) < 0 || lab_fd_map(counter, 1, &map) < 0)
		return -EIO;
	lab_ready();
	for (;;) {
		if (lab_fd_set_text(control, value ^ pair->flip) < 0 ||
		    lab_fd_set_value(counter, pair->count) < 0)
			return 1;
		(void)try_instruction(map.page.index);
	}
}

TEST(killed_again_and_again)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t control, counter, random = tt_seed();
	struct lab_process p;

	LAB_GOOD(lab_reg_get(pair->control, &control));
	LAB_GOOD(lab_reg_get(pair->counter, &counter));
	for (unsigned int i = 0; i < KILL_ROUNDS; i++) {
		LAB_GOOD(lab_spawn(&p, change_all_the_time, pair));
		lab_spin(tt_random(&random) % 300000);
		TT_IS(lab_kill(&p), 128 + SIGKILL);
		LAB_REG_IS(pair->control, control);
		LAB_REG_IS(pair->counter, counter);
	}
}

/* ---- a device ---- */

static char scratch[LAB_PATH];

/* Loads until it may not any more, and reads until the device has gone. */
static long load_until_it_is_gone(void *arg)
{
	int fd = lab_reg_open(scratch, O_RDONLY), ret;
	volatile uint32_t *at;
	struct lab_map map;
	uint64_t value;

	(void)arg;
	if (fd < 0)
		return fd;
	ret = lab_fd_map(fd, 2, &map);
	if (ret < 0)
		return ret;
	at = (volatile uint32_t *)(void *)(map.pages + map.page.device + map.page.offset);
	catch_refusals();
	lab_ready();
	if (sigsetjmp(refused, 1) == 0)
		for (;;)
			(void)*at;
	do
		ret = lab_fd_value(fd, &value);
	while (ret == 0);
	lab_unmap(&map);
	return ret == -ENODEV ? 0 : 1;
}

static bool is_gone(void)
{
	return access(LAB_TEST_DEVICE "config", F_OK) != 0;
}

/*
 * After it the device is not there any more; so it is the last, and the rows of before cannot be
 * asked for.
 */
TEST(device_goes_under_everybody)
{
	struct lab_process p[4], writer;
	char answer[512];

	lab_of_test_device(8, scratch);
	for (size_t i = 0; i < 4; i++)
		LAB_GOOD(lab_spawn(&p[i], load_until_it_is_gone, NULL));
	LAB_GOOD(lab_spawn(&writer, write_whatever_happens, scratch));
	host_ask("list", answer, sizeof(answer));
	host_tell("unplug %s", strstr(answer, " test=test:gone") ? "test-again" : "test");
	for (size_t i = 0; i < 4; i++)
		TT_IS(lab_wait(&p[i]), 0);
	lab_wait_until(is_gone);
	TT_IS(lab_kill(&writer), 128 + SIGKILL);
	TT_IS(lab_reg_is_here(scratch), false);
	LAB_GOOD(lab_driver_stop());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(two_writers_race),
		LAB_DRIVER_TEST(ten_thousand_opens),
		LAB_DRIVER_TEST(mappings_come_and_go),
		LAB_DRIVER_TEST(cpu_goes_under_everybody),
		LAB_DRIVER_TEST(unloading_is_refused_all_the_time),
		LAB_DRIVER_TEST(driver_comes_and_goes),
		LAB_DRIVER_TEST(killed_again_and_again),
		LAB_DRIVER_LAST,
		LAB_DRIVER_TEST(device_goes_under_everybody),
	};

	return LAB_DRIVER_RUN(tests);
}
