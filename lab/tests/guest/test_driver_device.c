// SPDX-License-Identifier: MIT
/*
 * The memory of a device that is switched off, moved, asleep, or bound to a driver while programs
 * have it mapped: nothing is loaded from where nothing answers.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/tests/guest/device.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"
#include "lab/tests/guest/host.h"

#define TRIES 1000 /* of 10 ms, until something has happened; no result depends on it */
#define COMMAND 4
#define BAR 0x10
#define ID 0x6d69746e

static const uint32_t memory_off = 0, memory_on = 2;

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static bool is_asleep(void)
{
	char text[32];

	lab_line(LAB_TEST_DEVICE "power/runtime_status", text, sizeof(text));
	return strncmp(text, "suspended", 9) == 0;
}

/* Or not within so many times 10 ms. */
static bool falls_asleep(int tries)
{
	for (int i = 0; i < tries && !is_asleep(); i++)
		(void)usleep(10000);
	return is_asleep();
}

/* What touches it ends by @signal: children, which have what is in the tables of their parent. */
static bool comes_to(int signal, void *page)
{
	int is = lab_signal(lab_do_load, page);

	for (int i = 0; i < TRIES && is != signal; i++) {
		(void)usleep(10000);
		is = lab_signal(lab_do_load, page);
	}
	return is == signal;
}

/* The identity register, mapped and loaded from. */
static int map_id(struct lab_map *map)
{
	char path[LAB_PATH];
	int fd = LAB_OPEN(lab_of_test_device(0, path), O_RDONLY);

	LAB_GOOD(lab_fd_map(fd, 2, map));
	TT_IS(map->page.type, NTIME_PAGE_MEMORY);
	TT_IS(lab_load(map), ID);
	return fd;
}

/* Bits of configuration space are changed; then all is as it was. */
static void check_page_goes(off_t at, size_t bytes, uint32_t flip)
{
	struct lab_map map;
	uint64_t value;
	int fd = map_id(&map), ret;
	uint32_t bar = lab_config(LAB_TEST_DEVICE, BAR, 4, NULL);
	uint32_t set = lab_config(LAB_TEST_DEVICE, at, bytes, NULL) ^ flip;
	bool goes;

	(void)lab_config(LAB_TEST_DEVICE, at, bytes, &set);
	ret = lab_fd_value(fd, &value);
	goes = comes_to(SIGBUS, map.pages + page_bytes());
	(void)lab_config(LAB_TEST_DEVICE, COMMAND, 2, &memory_off);
	(void)lab_config(LAB_TEST_DEVICE, BAR, 4, &bar);
	(void)lab_config(LAB_TEST_DEVICE, COMMAND, 2, &memory_on);
	TT_IS(ret, -ENXIO);
	TT_IS(goes, true);
	/* It is back. */
	LAB_VALUE_IS(fd, ID);
	TT_IS(lab_load(&map), ID);
	lab_unmap(&map);
}

TEST(page_goes_when_memory_is_switched_off)
{
	check_page_goes(COMMAND, 2, memory_on);
}

/* The kernel still has the old address: what lies there now is unknown. */
TEST(page_goes_when_the_bar_moves)
{
	check_page_goes(BAR, 4, 0x100000);
}

/* A device that sleeps is not woken, and one that is mapped does not fall asleep. */
TEST(mapped_device_stays_awake)
{
	char path[LAB_PATH];
	struct lab_map map;
	uint64_t value;
	int fd;

	(void)lab_of_test_device(0, path);
	LAB_GOOD(lab_write(LAB_TEST_DEVICE "power/control", "auto"));
	TT_IS(falls_asleep(TRIES), true);
	fd = LAB_OPEN(path, O_RDONLY);
	TT_IS(lab_fd_text(fd, &value), -ENXIO);
	TT_IS(is_asleep(), true);
	LAB_GOOD(lab_write(LAB_TEST_DEVICE "power/control", "on"));
	(void)close(fd);
	fd = map_id(&map);
	LAB_GOOD(lab_write(LAB_TEST_DEVICE "power/control", "auto"));
	/* Long enough for what is not held; what is held stays for ever. */
	TT_IS(falls_asleep(50), false);
	LAB_GOOD(lab_fd_value(fd, &value));
	TT_IS(lab_load(&map), ID);
	lab_unmap(&map);
	TT_IS(falls_asleep(TRIES), true);
	LAB_GOOD(lab_write(LAB_TEST_DEVICE "power/control", "on"));
	(void)close(fd);
}

/* Configuration space of a device that sleeps is read as sysfs reads it. */
TEST(configuration_space_needs_nobody_awake)
{
	static const char channel[] = "/sys/bus/pci/devices/0000:7f:10.0/power/control";
	uint64_t value;

	if (!lab_reg_is_here("uncore0/pci/D16:F0/0x0f4"))
		TT_SKIP("this guest has no memory channels");
	LAB_GOOD(lab_write(channel, "auto"));
	LAB_GOOD(lab_reg_get("uncore0/pci/D16:F0/0x0f4", &value));
	LAB_GOOD(lab_write(channel, "on"));
}

/* ---- who may map ---- */

/*
 * 0: a page that is loaded from; 1: it is to be read by read(2), and the device's page alone is no.
 */
static long map_as_member(void *arg)
{
	const char *path = arg;
	int fd = lab_reg_open(path, O_RDONLY), ret;
	struct lab_map map;
	uint64_t value;
	void *page;

	if (fd < 0)
		return fd;
	ret = lab_fd_map(fd, 2, &map);
	if (ret < 0)
		return ret;
	if (map.page.type == NTIME_PAGE_MEMORY)
		return lab_load(&map) == ID ? 0 : -EIO;
	page = mmap(NULL, page_bytes(), PROT_READ, MAP_SHARED, fd, (off_t)page_bytes());
	if (page != MAP_FAILED || errno != EPERM)
		return -ENODATA;
	ret = lab_fd_value(fd, &value);
	return ret < 0 ? ret : value == ID ? 1 : -EIO;
}

TEST(mapping_wants_more_than_reading)
{
	char path[LAB_PATH];
	const char *reg;

	lab_load_anew("", "mode=0444");
	reg = lab_of_test_device(0, path);
	TT_IS(lab_child(&lab_stranger, map_as_member, reg), 1);
	LAB_REFUSED("CAP_SYS_RAWIO");
	TT_IS(lab_child(&lab_root, map_as_member, reg), 0);
	lab_load_anew("device_pages=1", "mode=0444");
	TT_IS(lab_child(&lab_stranger, map_as_member, reg), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(page_goes_when_memory_is_switched_off),
		LAB_DRIVER_TEST(page_goes_when_the_bar_moves),
		LAB_DRIVER_TEST(mapped_device_stays_awake),
		LAB_DRIVER_TEST(configuration_space_needs_nobody_awake),
		LAB_DRIVER_TEST(mapping_wants_more_than_reading),
		LAB_DRIVER_LAST,
	};

	return LAB_DRIVER_RUN(tests);
}
