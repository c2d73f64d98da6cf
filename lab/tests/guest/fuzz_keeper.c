// SPDX-License-Identifier: MIT
/* CPUs and devices that go and come, and a machine that prepares to sleep: the fuzzer's keeper. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "lab/tests/guest/device.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"
#include "lab/tests/guest/fuzz_keeper.h"

#define KEPT 2
/* Devices that may be removed, and their command registers as they were. */
static struct {
	const char *folder;
	uint16_t command;
	bool is_here;
} kept[KEPT] = { { .folder = LAB_TEST_DEVICE },
		 { .folder = "/sys/bus/pci/devices/0000:7f:10.0/" } };

static struct fuzz_shared *shared;
static uint64_t (*roll)(uint64_t sides);

/* Its command register; -errno: the device is not there. */
static int command_register(const char *folder, uint16_t *get, const uint16_t *set)
{
	char path[128];
	ssize_t ret;
	int fd;

	(void)snprintf(path, sizeof(path), "%sconfig", folder);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = set ? pwrite(fd, set, sizeof(*set), 4) : pread(fd, get, sizeof(*get), 4);
	(void)close(fd);
	return ret == sizeof(uint16_t) ? 0 : -EIO;
}

static bool put_back(void)
{
	bool is_good = lab_write("/sys/bus/pci/rescan", "1") == 0;

	for (size_t i = 0; i < KEPT; i++)
		if (kept[i].is_here)
			is_good &= command_register(kept[i].folder, NULL, &kept[i].command) == 0;
	return is_good;
}

static bool keep_cpu(void)
{
	bool is_on = roll(2);

	return lab_cpus() > 1 && lab_cpu_set_online(1, is_on) == 0;
}

static bool keep_device(void)
{
	static const uint16_t commands[] = { 0, 2, 4, 6 };
	size_t i = (size_t)roll(KEPT);
	char path[128];

	if (!kept[i].is_here)
		return false;
	switch (roll(4)) {
	case 0:
		return command_register(kept[i].folder, NULL, &commands[roll(4)]) == 0;
	case 1:
		(void)snprintf(path, sizeof(path), "%sremove", kept[i].folder);
		if (lab_write(path, "1") != 0)
			return false;
		(void)__atomic_add_fetch(&shared->gone, 1, __ATOMIC_RELAXED);
		return true;
	default:
		return put_back();
	}
}

/*
 * As far as the kernel goes without falling asleep (CONFIG_PM_DEBUG): really asleep, nothing in a
 * guest would wake it. Not "platform", where ACPI of the emulated PC is asked to prepare.
 */
static bool keep_asleep(void)
{
	/* Devices need half a minute to wake, so mostly programs alone are frozen. */
	static const char *const levels[] = { "freezer", "freezer", "freezer",	  "freezer",
					      "freezer", "devices", "processors", "core" };
	static const char *const states[] = { "mem", "freeze" };
	bool is_good;

	if (lab_write("/sys/power/pm_test", levels[roll(8)]) != 0)
		return false;
	__atomic_store_n(&shared->is_going_to_sleep, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&shared->slow_now, __ATOMIC_SEQ_CST))
		(void)usleep(10000);
	is_good = lab_write("/sys/power/state", states[roll(2)]) == 0;
	__atomic_store_n(&shared->is_going_to_sleep, 0, __ATOMIC_SEQ_CST);
	(void)lab_write("/sys/power/pm_test", "none");
	if (is_good)
		(void)__atomic_add_fetch(&shared->slept, 1, __ATOMIC_RELAXED);
	return is_good;
}

static bool keep_still(void)
{
	return usleep((useconds_t)roll(256) * 2000) == 0;
}

bool fuzz_keep(struct fuzz_shared *all, uint64_t (*dice)(uint64_t sides))
{
	static bool (*const things[])(void) = { keep_cpu,    keep_cpu,	 keep_device,
						keep_device, keep_still, keep_asleep };

	shared = all;
	roll = dice;
	return things[dice(sizeof(things) / sizeof(things[0]))]();
}

void fuzz_keeper_prepare(void)
{
	for (size_t i = 0; i < KEPT; i++)
		kept[i].is_here = command_register(kept[i].folder, &kept[i].command, NULL) == 0;
	/* Between going to sleep and waking there is nothing to wait for. */
	(void)lab_write("/sys/module/suspend/parameters/pm_test_delay", "0");
}

void fuzz_keeper_end(void)
{
	if (lab_cpus() > 1)
		(void)lab_cpu_set_online(1, true);
	if (kept[0].is_here || kept[1].is_here)
		(void)put_back();
}
