// SPDX-License-Identifier: MIT
/*
 * CPU 1 is isolated (isolcpus=domain,1): with spare_isolated its registers, and those of its
 * package, are for who runs on it, and nobody else's reads interrupt it. Given back they are in any
 * case.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"

#define READS 1000
#define SPARE "/sys/module/ntime/parameters/spare_isolated"
#define UNCORE "uncore1/msr/0x3b0"

static void spare(bool is_spared)
{
	lab_set_file(SPARE, is_spared ? "1" : "0");
}

/* Calls of functions that CPU 1 was interrupted for: the second number of the line CAL. */
static long calls_of_cpu1(void)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char line[256];
	long first, second = -ENOENT;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " CAL: %ld %ld", &first, &second) == 2)
			break;
	(void)fclose(file);
	return LAB_GOOD(second);
}

/* Interruptions of CPU 1 by so many reads of its register from here, each with result @expected. */
static long interruptions(int expected)
{
	int fd = LAB_OPEN(lab_need_cpu1(), O_RDONLY);
	long before = calls_of_cpu1(), after;
	uint64_t value;

	for (int i = 0; i < READS; i++)
		TT_IS(lab_fd_text(fd, &value), expected);
	after = calls_of_cpu1();
	(void)close(fd);
	return after - before;
}

TEST(isolated_cpu_is_not_interrupted)
{
	long with, without;

	LAB_GOOD(lab_pin(0));
	without = interruptions(0);
	spare(true);
	with = interruptions(-EBUSY);
	print_message("# %d reads interrupt CPU 1 %ld times, %ld when it is spared\n", READS,
		      without, with);
	/* A CPU that happens to be awake in its idle loop is told without an interrupt. */
	assert_true(without >= READS / 2);
	assert_true(with < READS / 10);
}

TEST(who_runs_there_is_served)
{
	uint64_t value;

	spare(true);
	LAB_GOOD(lab_pin(0));
	TT_IS(lab_reg_get(lab_need_cpu1(), &value), -EBUSY);
	LAB_REFUSED("isolated");
	LAB_GOOD(lab_reg_get(lab_any_register(), &value));
	LAB_GOOD(lab_pin(1));
	LAB_GOOD(lab_reg_get(lab_need_cpu1(), &value));
	/* CPU 0 is not isolated. */
	LAB_GOOD(lab_reg_get(lab_any_register(), &value));
	LAB_GOOD(lab_pin(0));
	spare(false);
	LAB_GOOD(lab_reg_get(lab_need_cpu1(), &value));
}

TEST(package_of_isolated_cpus_too)
{
	uint64_t value;

	if (!lab_reg_is_here(UNCORE))
		TT_SKIP("this guest has no second package with registers");
	spare(true);
	LAB_GOOD(lab_pin(0));
	TT_IS(lab_reg_get(UNCORE, &value), -EBUSY);
	LAB_GOOD(lab_pin(1));
	LAB_GOOD(lab_reg_get(UNCORE, &value));
}

TEST(what_was_written_is_put_back)
{
	const struct lab_pair *pair = lab_need_pair();
	char control[LAB_PATH];
	uint64_t before;
	int fd;

	lab_of_cpu(pair->control, 1, control);
	LAB_GOOD(lab_reg_get(control, &before));
	spare(true);
	LAB_GOOD(lab_pin(0));
	TT_IS(lab_reg_open(control, O_RDWR), -EBUSY);
	LAB_GOOD(lab_pin(1));
	fd = LAB_OPEN(control, O_RDWR);
	LAB_GOOD(lab_fd_set_text(fd, before ^ pair->flip));
	LAB_GOOD(lab_pin(0));
	TT_IS(lab_fd_set_text(fd, before), -EBUSY);
	LAB_GOOD(lab_pin(1));
	LAB_TEXT_IS(fd, before ^ pair->flip);
	/* From CPU 0: it is put back all the same. */
	LAB_GOOD(lab_pin(0));
	(void)close(fd);
	LAB_GOOD(lab_pin(1));
	LAB_REG_IS(control, before);
}

static bool is_isolated(void)
{
	char text[32];

	lab_line("/sys/devices/system/cpu/isolated", text, sizeof(text));
	return strcmp(text, "1") == 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(isolated_cpu_is_not_interrupted),
		LAB_DRIVER_TEST(who_runs_there_is_served),
		LAB_DRIVER_TEST(package_of_isolated_cpus_too),
		LAB_DRIVER_TEST(what_was_written_is_put_back),
		LAB_DRIVER_LAST,
	};

	if (!is_isolated())
		return tt_skip_all("CPU 1 is not isolated: lab/test-guest --driver --append "
				   "isolcpus=domain,1 x86-2s driver_isolated");
	return LAB_DRIVER_RUN(tests);
}
