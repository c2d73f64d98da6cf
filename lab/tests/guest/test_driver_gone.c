// SPDX-License-Identifier: MIT
/*
 * CPUs, packages and PCI devices that go while their registers are open, read, written and mapped,
 * and come again. Nothing hangs, what was open fails with ENODEV for ever, what is opened anew
 * works, with the permissions of before.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/tests/guest/device.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/host.h"

#define CHANNEL "/sys/bus/pci/devices/0000:7f:10.0/"
#define BOX "uncore0/pci/D16:F0/"

/* ---- CPUs ---- */

TEST(cpu_goes_and_comes)
{
	const char *reg = lab_need_cpu1();
	int fd = LAB_OPEN(reg, O_RDONLY);
	int binary = LAB_OPEN(reg, O_RDONLY);
	char file[LAB_FILE];
	struct ntime_page page;
	struct stat st, before;
	uint64_t value;

	LAB_GOOD(lab_fd_text(fd, &value));
	LAB_GOOD(lab_fd_describe(binary, &page));
	LAB_GOOD(stat(lab_reg_path(reg, file), &before));
	LAB_GOOD(chmod(file, 0440));
	LAB_GOOD(chown(file, 0, 77));
	for (unsigned int round = 0; round < 3; round++) {
		LAB_GOOD(lab_cpu_set_online(1, false));
		TT_IS(lab_reg_is_here("core1"), false);
		TT_IS(lab_fd_text(fd, &value), -ENODEV);
		TT_IS(lab_fd_value(binary, &value), -ENODEV);
		TT_IS(lab_fd_describe(fd, &page), -ENODEV);
		TT_IS(lab_reg_open(reg, O_RDONLY), -ENOENT);
		LAB_GOOD(lab_cpu_set_online(1, true));
		TT_IS(lab_reg_is_here("core1"), true);
		/* It is another generation. */
		TT_IS(lab_fd_text(fd, &value), -ENODEV);
		TT_IS(lab_fd_value(binary, &value), -ENODEV);
		LAB_GOOD(lab_reg_get(reg, &value));
		LAB_GOOD(stat(lab_reg_path(reg, file), &st));
		TT_IS(st.st_mode & 0777, 0440);
		TT_IS(st.st_gid, 77);
	}
	/* CPU 0 has not noticed. */
	LAB_GOOD(lab_reg_get(lab_any_register(), &value));
	LAB_GOOD(chmod(file, before.st_mode & 07777));
	LAB_GOOD(chown(file, before.st_uid, before.st_gid));
}

TEST(writer_loses_its_cpu)
{
	const struct lab_pair *pair = lab_need_pair();
	char control[LAB_PATH];
	uint64_t before, value;
	int fd;

	(void)lab_need_cpu1();
	lab_of_cpu(pair->control, 1, control);
	fd = (int)LAB_GOOD(lab_reg_flip(control, pair->flip, &before));
	LAB_GOOD(lab_fd_text(fd, &value));
	if (value == before) {
		(void)close(fd);
		TT_SKIP("this guest's emulator swallows what is written");
	}
	LAB_GOOD(lab_cpu_set_online(1, false));
	TT_IS(lab_fd_set_text(fd, before), -ENODEV);
	LAB_GOOD(lab_cpu_set_online(1, true));
	TT_IS(lab_fd_set_text(fd, before), -ENODEV);
	/* It was given back while it could be reached. */
	LAB_REG_IS(control, before);
	(void)close(fd);
	LAB_REG_IS(control, before);
	fd = (int)LAB_GOOD(lab_reg_flip(control, pair->flip, &value));
	TT_IS(value, before);
	LAB_TEXT_IS(fd, before ^ pair->flip);
}

static long read_until_it_is_gone(void *arg)
{
	const char *reg = arg;
	int fd = lab_reg_open(reg, O_RDONLY), ret;
	struct lab_map map;
	uint64_t value;

	if (fd < 0)
		return fd;
	ret = lab_pin(1);
	if (ret == 0)
		ret = lab_fd_map(fd, 1, &map);
	if (ret < 0)
		return ret;
	lab_ready();
	/*
	 * The kernel moves this thread when CPU 1 goes; the instruction then reads another CPU's,
	 * which is why nobody relies on it.
	 */
	do {
		if (map.page.type == NTIME_PAGE_PMC)
			(void)lab_pmc_read(map.page.index);
		ret = lab_fd_value(fd, &value);
	} while (ret == 0);
	return ret == -ENODEV ? 0 : 1;
}

TEST(readers_see_their_cpu_go)
{
	const struct lab_pair *pair = lab_pair();
	const char *reg = lab_need_cpu1();
	struct lab_process p[3];
	char counter[LAB_PATH];

	if (pair)
		lab_of_cpu(pair->counter, 1, counter);
	for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++)
		LAB_GOOD(lab_spawn(&p[i], read_until_it_is_gone,
				   pair && pair->is_core ? counter : reg));
	LAB_GOOD(lab_cpu_set_online(1, false));
	for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++)
		TT_IS(lab_wait(&p[i]), 0);
	LAB_GOOD(lab_cpu_set_online(1, true));
}

/* A package is there while one of its CPUs is. */
TEST(package_goes_with_its_last_cpu)
{
	const char *reg = "uncore1/msr/0x3b0", *other = "uncore0/msr/0x3b0";
	uint64_t value;
	int fd;

	if (!lab_reg_is_here(reg))
		TT_SKIP("this guest has no second package");
	fd = LAB_OPEN(reg, O_RDWR);
	LAB_GOOD(lab_fd_set_text(fd, 0x5a5a));
	LAB_GOOD(lab_cpu_set_online(1, false));
	TT_IS(lab_reg_is_here("uncore1"), false);
	TT_IS(lab_fd_text(fd, &value), -ENODEV);
	LAB_GOOD(lab_reg_get(other, &value));
	LAB_GOOD(lab_cpu_set_online(1, true));
	TT_IS(lab_fd_text(fd, &value), -ENODEV);
	(void)close(fd);
	LAB_GOOD(lab_reg_get(reg, &value));
	assert_true(value != 0x5a5a);
}

/* Names of a folder by a buffer for few of them; how often @name is among them. */
static unsigned int list_some(int fd, const char *name, unsigned int *count)
{
	_Alignas(8) char buffer[1024];
	long bytes = syscall(SYS_getdents64, fd, buffer, 96);
	unsigned int found = 0;

	*count = 0;
	for (long at = 0; at < bytes; (*count)++) {
		const struct dirent64 *entry = (const struct dirent64 *)(buffer + at);

		found += strcmp(entry->d_name, name) == 0;
		at += entry->d_reclen;
	}
	return found;
}

/* What stays is listed once, whatever comes and goes meanwhile. */
TEST(listing_goes_on)
{
	unsigned int count, cpu0 = 0, status = 0, all = 0;
	off_t begin;
	int fd;

	(void)lab_need_cpu1();
	for (unsigned int turn = 0; turn < 2; turn++) {
		const char *name = turn ? "status" : "core0";
		unsigned int *seen = turn ? &status : &cpu0;

		fd = open(NTIME_FS_PATH, O_RDONLY | O_DIRECTORY);
		assert_true(fd >= 0);
		do {
			*seen += list_some(fd, name, &count);
			all += count;
			LAB_GOOD(lab_cpu_set_online(1, false));
			LAB_GOOD(lab_cpu_set_online(1, true));
		} while (count);
		begin = lseek(fd, 0, SEEK_SET);
		TT_IS(begin, 0);
		(void)list_some(fd, name, &count);
		assert_true(count > 0);
		(void)close(fd);
	}
	TT_IS(cpu0, 1);
	TT_IS(status, 1);
	assert_true(all >= 8); /* ".", "..", "status" and a CPU, twice */
}

/* Whoever is in the folder of a CPU is in it again when it comes back. */
TEST(folder_is_the_same_when_it_comes_back)
{
	const char *reg = strchr(lab_need_cpu1(), '/') + 1;
	char place[LAB_FILE], again[LAB_FILE];
	struct stat before, after;
	int fd;

	LAB_CALL(chdir(lab_reg_path("core1", place)));
	LAB_GOOD(stat(".", &before));
	for (unsigned int round = 0; round < 3; round++) {
		LAB_GOOD(lab_cpu_set_online(1, false));
		assert_true(open(reg, O_RDONLY) < 0 && errno == ENOENT);
		assert_true(access(place, F_OK) < 0 && errno == ENOENT);
		assert_true(symlink("x", "local/NEW") < 0 && errno == ENOENT);
		fd = open(".", O_RDONLY | O_DIRECTORY);
		assert_true(fd >= 0);
		assert_true(syscall(SYS_getdents64, fd, again, sizeof(again)) < 0 &&
			    errno == ENOENT);
		LAB_GOOD(lab_cpu_set_online(1, true));
		assert_true(syscall(SYS_getdents64, fd, again, sizeof(again)) > 0);
		(void)close(fd);
		fd = open(reg, O_RDONLY);
		assert_true(fd >= 0);
		(void)close(fd);
		LAB_GOOD(stat(place, &after));
		TT_IS(after.st_ino, before.st_ino);
		assert_non_null(getcwd(again, sizeof(again)));
		TT_TEXT(again, place);
	}
	LAB_CALL(chdir("/"));
}

/* The module may be loaded while a CPU is away, and go while one is. */
TEST(module_comes_and_goes_without_a_cpu)
{
	uint64_t value;
	const char *reg = lab_need_cpu1();

	LAB_GOOD(lab_driver_stop());
	LAB_GOOD(lab_cpu_set_online(1, false));
	LAB_GOOD(lab_driver_start(""));
	TT_IS(lab_reg_is_here("core1"), false);
	LAB_GOOD(lab_cpu_set_online(1, true));
	LAB_GOOD(lab_reg_get(reg, &value));
	LAB_GOOD(lab_cpu_set_online(1, false));
	LAB_GOOD(lab_driver_stop());
	LAB_GOOD(lab_cpu_set_online(1, true));
	LAB_GOOD(lab_driver_start(""));
	LAB_GOOD(lab_reg_get(reg, &value));
	/* Not mounted, a CPU goes and comes all the same. */
	LAB_GOOD(lab_driver_unmount());
	LAB_GOOD(lab_cpu_set_online(1, false));
	LAB_GOOD(lab_driver_mount(""));
	TT_IS(lab_reg_is_here("core1"), false);
	LAB_GOOD(lab_cpu_set_online(1, true));
	LAB_GOOD(lab_reg_get(reg, &value));
}

/* ---- PCI devices ---- */

TEST(registers_in_memory_are_loaded)
{
	char path[LAB_PATH];
	struct lab_map map, alone;
	uint64_t value;
	void *page;
	int fd = LAB_OPEN(lab_of_test_device(0x10, path), O_RDONLY);

	LAB_GOOD(lab_fd_map(fd, 2, &map));
	TT_IS(map.page.type, NTIME_PAGE_MEMORY);
	TT_IS(map.page.device, sysconf(_SC_PAGESIZE));
	TT_IS(map.page.offset, 0x10);
	TT_IS(map.page.address, 0x10);
	assert_true(map.page.load_bytes == 4 || map.page.load_bytes == 8);
	TT_TEXT(map.page.name, "TEST_COUNTER");
	host_tell("count test ticks 12345678");
	LAB_GOOD(lab_fd_value(fd, &value));
	assert_true(value >= 12345678);
	TT_IS(lab_load(&map), map.page.load_bytes == 8 ? value : value & UINT32_MAX);
	host_tell("count test ticks 1000");
	TT_IS(lab_load(&map), (map.page.load_bytes == 8 ? value : value & UINT32_MAX) + 1000);
	/* The device's page alone, without the description. */
	page = mmap(NULL, (size_t)map.page.device, PROT_READ, MAP_SHARED, fd,
		    (off_t)map.page.device);
	assert_ptr_not_equal(page, MAP_FAILED);
	alone = map;
	alone.pages = (uint8_t *)page - map.page.device;
	TT_IS(lab_load(&alone), lab_load(&map));
	/* The description may go, the device's page stays. */
	(void)munmap(map.pages, (size_t)map.page.device);
	TT_IS(lab_load(&map), lab_load(&alone));
	(void)munmap(map.pages + map.page.device, (size_t)map.page.device);
	(void)munmap(page, (size_t)map.page.device);
}

TEST(memory_of_devices_cannot_be_written)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char path[LAB_PATH];
	struct lab_map map;
	uint64_t before;
	int fd = LAB_OPEN(lab_of_test_device(8, path), O_RDWR);

	LAB_GOOD(lab_fd_text(fd, &before));
	LAB_GOOD(lab_fd_set_text(fd, 0x1122334455667788));
	LAB_GOOD(lab_fd_map(fd, 2, &map));
	TT_IS(lab_signal(lab_do_load, map.pages + page + 8), 0);
	TT_IS(lab_signal(lab_do_store, map.pages + page + 8), SIGSEGV);
	assert_true(mprotect(map.pages + page, page, PROT_READ | PROT_WRITE) < 0 &&
		    errno == EACCES);
	assert_ptr_equal(mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)page),
			 MAP_FAILED);
	assert_ptr_equal(mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, (off_t)page),
			 MAP_FAILED);
	LAB_VALUE_IS(fd, 0x1122334455667788);
	lab_unmap(&map);
	(void)close(fd);
	LAB_REG_IS(path, before);
}

static bool is_gone(void)
{
	return access(LAB_TEST_DEVICE "config", F_OK) != 0;
}

static bool is_whole(void)
{
	return access(LAB_TEST_DEVICE "resource0", F_OK) == 0;
}

static char reg_of_again[LAB_PATH];

static bool is_shown(void)
{
	return lab_reg_is_here(reg_of_again);
}

/* Once in a run of the guest: a device that has gone is not plugged a second time. */
TEST(device_goes_while_mapped)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char file[LAB_FILE];
	struct lab_map map;
	struct stat st;
	uint64_t value;
	uint32_t memory = 2;
	int fd, text, writer;

	lab_of_test_device(8, reg_of_again);
	LAB_GOOD(chmod(lab_reg_path(reg_of_again, file), 0640));
	fd = LAB_OPEN(reg_of_again, O_RDONLY);
	text = LAB_OPEN(reg_of_again, O_RDONLY);
	writer = LAB_OPEN(reg_of_again, O_RDWR);
	LAB_GOOD(lab_fd_set_text(writer, 0x77));
	LAB_GOOD(lab_fd_map(fd, 2, &map));
	TT_IS(lab_load(&map), 0x77);
	host_tell("unplug test");
	lab_wait_until(is_gone);
	TT_IS(lab_reg_is_here(reg_of_again), false);
	TT_IS(lab_signal(lab_do_load, map.pages + page + 8), SIGBUS);
	TT_IS(lab_signal(lab_do_load, map.pages), 0);
	TT_IS(lab_fd_value(fd, &value), -ENODEV);
	TT_IS(lab_fd_text(text, &value), -ENODEV);
	TT_IS(lab_fd_set_text(writer, 1), -ENODEV);
	host_tell("plug test-again");
	lab_wait_until(is_whole);
	(void)lab_config(LAB_TEST_DEVICE, 4, 2, &memory);
	lab_wait_until(is_shown);
	/* Another device: the mapping of the first does not show it. */
	TT_IS(lab_signal(lab_do_load, map.pages + page + 8), SIGBUS);
	TT_IS(lab_fd_value(fd, &value), -ENODEV);
	TT_IS(lab_fd_set_text(writer, 1), -ENODEV);
	LAB_GOOD(stat(lab_reg_path(reg_of_again, file), &st));
	TT_IS(st.st_mode & 0777, 0640);
	LAB_REG_IS(reg_of_again, 0);
	(void)close(writer);
	LAB_REG_IS(reg_of_again, 0);
	lab_unmap(&map);
	(void)close(fd);
	fd = LAB_OPEN(reg_of_again, O_RDWR);
	LAB_GOOD(lab_fd_set_text(fd, 0x99));
	LAB_GOOD(lab_fd_map(fd, 2, &map));
	TT_IS(lab_load(&map), 0x99);
	lab_unmap(&map);
	LAB_GOOD(chmod(file, 0600));
}

/* ---- a memory channel in configuration space ---- */

TEST(channel_counts_through_files)
{
	int fd[3];

	if (access(CHANNEL "config", F_OK) != 0)
		TT_SKIP("this guest has no memory channels");
	fd[0] = LAB_OPEN(BOX "0x0f4", O_RDWR);
	fd[1] = LAB_OPEN(BOX "0x0a0", O_RDWR);
	fd[2] = LAB_OPEN(BOX "0x0d8", O_RDWR);
	LAB_GOOD(lab_fd_set_text(fd[0], 0x10000));
	LAB_GOOD(lab_fd_set_text(fd[1], 0x123456789ab));
	TT_IS(lab_config(CHANNEL, 0xa0, 4, NULL), 0x456789ab);
	TT_IS(lab_config(CHANNEL, 0xa4, 4, NULL), 0x123);
	/* CAS commands of reads, enabled (core/regs/snbep_imc.c) */
	LAB_GOOD(lab_fd_set_text(fd[2], 0x400304));
	host_tell("count 16.0 reads 1000");
	LAB_TEXT_IS(fd[1], 0x123456789ab + 1000);
	for (int i = 2; i >= 0; i--)
		(void)close(fd[i]);
	host_tell("count 16.0 reads 1000");
	TT_IS(lab_config(CHANNEL, 0xd8, 4, NULL) & 0x400000, 0);
}

/* Nothing in the kernel reserves such a box: that it runs says that it is somebody's. */
TEST(running_channel_is_somebody_elses)
{
	const char *control = "uncore0/pci/D16:F1/0x0d8";
	uint32_t run = 0x400304, off = 0;

	if (access(CHANNEL "config", F_OK) != 0)
		TT_SKIP("this guest has no memory channels");
	(void)lab_config("/sys/bus/pci/devices/0000:7f:10.1/", 0xd8, 4, &run);
	TT_IS(lab_reg_open(control, O_RDWR), -EBUSY);
	LAB_REFUSED("");
	LAB_REG_IS(control, run);
	(void)lab_config("/sys/bus/pci/devices/0000:7f:10.1/", 0xd8, 4, &off);
	(void)close(LAB_OPEN(control, O_RDWR));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(cpu_goes_and_comes),
		LAB_DRIVER_TEST(writer_loses_its_cpu),
		LAB_DRIVER_TEST(readers_see_their_cpu_go),
		LAB_DRIVER_TEST(package_goes_with_its_last_cpu),
		LAB_DRIVER_TEST(listing_goes_on),
		LAB_DRIVER_TEST(folder_is_the_same_when_it_comes_back),
		LAB_DRIVER_TEST(module_comes_and_goes_without_a_cpu),
		LAB_DRIVER_TEST(registers_in_memory_are_loaded),
		LAB_DRIVER_TEST(memory_of_devices_cannot_be_written),
		LAB_DRIVER_TEST(channel_counts_through_files),
		LAB_DRIVER_TEST(running_channel_is_somebody_elses),
		LAB_DRIVER_LAST,
		/* After it other registers are there. */
		LAB_DRIVER_TEST(device_goes_while_mapped),
	};

	return LAB_DRIVER_RUN(tests);
}
