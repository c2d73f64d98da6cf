// SPDX-License-Identifier: MIT
/*
 * Inside the guest x86-pci, as root: the PCI devices that our models are. Reached as programs do it
 * without a driver: configuration space, BARs and bus addresses through sysfs and /proc. What
 * happens on the other side (accesses to memory, a device taken away) is asked of the host by
 * /lab/host, and what the device must hold then is known.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lab/tests/guest/file.h"
#include "lab/tests/guest/host.h"

#define DEVICE(address) "/sys/bus/pci/devices/0000:" address "/"
#define TEST_ADDRESS DEVICE("00:05.0")

#define EN 0x400000u
#define CAS_READS (EN | 0x0304u)
#define CAS_WRITES (EN | 0x0c04u)

/* The memory channels' functions, and what the host calls them. */
static const struct channel {
	int line;
	const char *address, *name;
	uint32_t id;
} channels[] = {
	{ __LINE__, DEVICE("7f:10.0"), "16.0", 0x3cb08086 },
	{ __LINE__, DEVICE("7f:10.1"), "16.1", 0x3cb18086 },
	{ __LINE__, DEVICE("7f:10.4"), "16.4", 0x3cb48086 },
	{ __LINE__, DEVICE("7f:10.5"), "16.5", 0x3cb58086 },
};

/* ---- ways to the device ---- */

static int open_file(const char *address, const char *file, int flags)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s%s", address, file);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0) {
		print_error("%s: %s\n", path, strerror(errno));
		fail();
	}
	return fd;
}

static bool has_file(const char *address, const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s", address, file);
	return access(path, F_OK) == 0;
}

static uint32_t get(const char *address, off_t at, size_t bytes)
{
	return lab_config(address, at, bytes, NULL);
}

static void set(const char *address, off_t at, size_t bytes, uint32_t value)
{
	(void)lab_config(address, at, bytes, &value);
}

static uint64_t get_counter(const char *address, off_t at)
{
	return get(address, at, 4) | (uint64_t)get(address, at + 4, 4) << 32;
}

static bool is_gone(void)
{
	char answer[512];

	host_ask("list", answer, sizeof(answer));
	return !has_file(TEST_ADDRESS, "config") && strstr(answer, " test=test:gone") != NULL;
}

/* The file of the BAR is the last one that the kernel makes. */
static bool has_come(void)
{
	return has_file(TEST_ADDRESS, "resource0");
}

static volatile uint8_t *map_bar(void)
{
	int fd = open_file(TEST_ADDRESS, "resource0", O_RDWR);
	void *bar = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(bar, MAP_FAILED);
	close(fd);
	return bar;
}

static uint32_t read32(volatile uint8_t *bar, size_t offset)
{
	return *(volatile uint32_t *)(bar + offset);
}

static void write32(volatile uint8_t *bar, size_t offset, uint32_t value)
{
	*(volatile uint32_t *)(bar + offset) = value;
}

static void write64(volatile uint8_t *bar, size_t offset, uint64_t value)
{
	*(volatile uint64_t *)(bar + offset) = value;
}

/*
 * Bus address of a page that is locked in memory: without an IOMMU the physical one
 * (Documentation/admin-guide/mm/pagemap.rst).
 */
static uint64_t bus_address(const void *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &entry, 8, (off_t)((uintptr_t)page / 4096 * 8)), 8);
	close(fd);
	assert_true(entry >> 63);
	return (entry & ((1ull << 55) - 1)) * 4096;
}

/* ---- tests ---- */

TEST(devices_are_where_they_belong)
{
	TT_FOR_EACH_ROW(r, channels) {
		TT_EQ(r, has_file(r->address, "config"), true);
		TT_EQ(r, get(r->address, 0, 4), r->id);
		TT_EQ(r, get(r->address, 0xa, 2), 0x0880);
		TT_EQ(r, get(r->address, 0xe, 1), 0x80);
	}
	TT_IS(has_file(DEVICE("7f:10.2"), "config"), false);
	TT_IS(get(TEST_ADDRESS, 0, 4), 0x6e741234);
	TT_IS(get(TEST_ADDRESS, 8, 4), 0xff000001);
	TT_IS(get(TEST_ADDRESS, 0x40, 4), 0x00040009);
}

TEST(configuration_space_obeys)
{
	const char *a = channels[2].address;

	/* by byte, word and double word; reserved bits stay 0 (Intel 327043-001, table 2-61) */
	set(a, 0xd8, 4, UINT32_MAX);
	TT_IS(get(a, 0xd8, 4), 0xffc4ffff);
	set(a, 0xd9, 1, 0x5a);
	TT_IS(get(a, 0xd8, 4), 0xffc45aff);
	set(a, 0xda, 2, 0x1234);
	TT_IS(get(a, 0xd8, 4), 0x12045aff);
	TT_IS(get(a, 0xdb, 1), 0x12);
	set(a, 0, 4, 0);
	TT_IS(get(a, 0, 4), 0x3cb48086);
	set(a, 0xd8, 4, 0);
	/* a counter has 48 bits */
	set(a, 0xa8, 4, UINT32_MAX);
	set(a, 0xac, 4, UINT32_MAX);
	TT_IS(get_counter(a, 0xa8), 0xffffffffffff);
}

TEST(channels_count_what_happens)
{
	TT_FOR_EACH_ROW(r, channels) {
		uint32_t number = (uint32_t)(r - channels) + 1;

		/*
		 * reset and unfreeze, reads on counter 0, writes on counter 3, clocks on the fixed
		 * one
		 */
		set(r->address, 0xf4, 4, 0x10003);
		set(r->address, 0xd8, 4, CAS_READS);
		set(r->address, 0xe4, 4, CAS_WRITES);
		set(r->address, 0xf0, 4, EN);
		host_tell("count %s reads %u", r->name, 1000000 * number);
		host_tell("count %s underfills %u", r->name, number);
		host_tell("count %s writes %u", r->name, 500 * number);
		host_tell("count %s clocks %u", r->name, 4000000 * number);
	}
	TT_FOR_EACH_ROW(r, channels) {
		uint32_t number = (uint32_t)(r - channels) + 1;

		TT_EQ(r, get_counter(r->address, 0xa0), 1000001 * number);
		TT_EQ(r, get_counter(r->address, 0xa8), 0);
		TT_EQ(r, get_counter(r->address, 0xb8), 500 * number);
		TT_EQ(r, get_counter(r->address, 0xd0), 4000000 * number);
	}
}

TEST(channels_freeze_and_wrap)
{
	const char *a = channels[0].address;

	set(a, 0xf4, 4, 0x10003);
	set(a, 0xd8, 4, CAS_READS);
	set(a, 0xa0, 4, 0xfffffff0);
	set(a, 0xa4, 4, 0xffff);
	host_tell("count 16.0 reads 15");
	TT_IS(get_counter(a, 0xa0), 0xffffffffffff);
	host_tell("count 16.0 reads 18");
	TT_IS(get_counter(a, 0xa0), 17);
	set(a, 0xf4, 4, 0x10100);
	host_tell("count 16.0 reads 5");
	TT_IS(get_counter(a, 0xa0), 17);
	set(a, 0xf4, 4, 0x10000);
	host_tell("count 16.0 reads 5");
	TT_IS(get_counter(a, 0xa0), 22);
	set(a, 0xf4, 4, 0x10003);
}

TEST(host_knows_the_truth)
{
	char answer[512];

	set(channels[3].address, 0xf4, 4, 0x10003);
	set(channels[3].address, 0xdc, 4, CAS_READS);
	host_tell("count 16.5 reads 77");
	host_ask("truth 16.5", answer, sizeof(answer));
	TT_HAS(answer, "counter1=77 ");
	TT_HAS(answer, "unknown=0");
	set(channels[3].address, 0xdc, 4, EN | 0x99);
	host_tell("count 16.5 reads 77");
	host_ask("truth 16.5", answer, sizeof(answer));
	TT_HAS(answer, "counter1=77 ");
	TT_HAS(answer, "unknown=0x2");
}

TEST(registers_in_memory)
{
	volatile uint8_t *bar;
	uint32_t reads;

	set(TEST_ADDRESS, 4, 2, 2);
	bar = map_bar();
	TT_IS(read32(bar, 0), 0x6d69746e);
	TT_IS(read32(bar, 4), 1);
	write64(bar, 8, 0x1122334455667788);
	bar[9] = 0xab;
	*(volatile uint16_t *)(bar + 12) = 0xcdef;
	TT_IS(*(volatile uint64_t *)(bar + 8), 0x1122cdef5566ab88);
	TT_IS(bar[0xf], 0x11);
	/* read only, and the same again 256 bytes further */
	write32(bar, 0, 5);
	TT_IS(read32(bar, 0x100), 0x6d69746e);
	reads = read32(bar, 0x18);
	TT_IS(read32(bar, 0x18), reads + 1);
	host_tell("count test ticks 12345678901");
	TT_IS(*(volatile uint64_t *)(bar + 0x10), 12345678901);
	munmap((void *)(uintptr_t)bar, 4096);
}

TEST(device_copies_memory)
{
	uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	volatile uint8_t *bar;
	uint64_t source, target;
	size_t i;

	assert_ptr_not_equal(pages, MAP_FAILED);
	for (i = 0; i < 4096; i++)
		pages[i] = (uint8_t)(i * 31 + 5);
	memset(pages + 4096, 0, 4096);
	assert_int_equal(mlock(pages, 8192), 0);
	source = bus_address(pages);
	target = bus_address(pages + 4096);
	set(TEST_ADDRESS, 4, 2, 2);
	bar = map_bar();
	/* no master, no copy */
	write64(bar, 0x40, source);
	write64(bar, 0x48, target);
	write32(bar, 0x50, 4000);
	write32(bar, 0x54, 1);
	TT_IS(read32(bar, 0x58), 2);
	TT_IS(pages[4096], 0);
	set(TEST_ADDRESS, 4, 2, 6);
	write32(bar, 0x54, 1);
	TT_IS(read32(bar, 0x58), 1);
	assert_memory_equal(pages, pages + 4096, 4000);
	TT_IS(pages[4096 + 4000], 0);
	/* where there is no memory */
	write64(bar, 0x48, 0xf00000000000);
	write32(bar, 0x54, 1);
	TT_IS(read32(bar, 0x58), 2);
	munmap((void *)(uintptr_t)bar, 4096);
	munmap(pages, 8192);
}

/*
 * QEMU without KVM passes no interrupt of such a device on (its -device x-pci-proxy-dev): what the
 * device says of it is all there is.
 */
TEST(interrupt_is_pending)
{
	volatile uint8_t *bar;

	set(TEST_ADDRESS, 4, 2, 2);
	bar = map_bar();
	write32(bar, 0x64, UINT32_MAX);
	write32(bar, 0x68, 2);
	TT_IS(get(TEST_ADDRESS, 6, 2) & 8, 0);
	write32(bar, 0x60, 3);
	TT_IS(read32(bar, 0x64), 3);
	TT_IS(get(TEST_ADDRESS, 6, 2) & 8, 8);
	write32(bar, 0x64, 2);
	TT_IS(read32(bar, 0x64), 1);
	TT_IS(get(TEST_ADDRESS, 6, 2) & 8, 0);
	write32(bar, 0x68, 0);
	munmap((void *)(uintptr_t)bar, 4096);
}

TEST(device_goes_and_another_comes)
{
	volatile uint8_t *bar;
	int config = open_file(TEST_ADDRESS, "config", O_RDONLY);
	uint32_t value = 1;

	set(TEST_ADDRESS, 4, 2, 2);
	bar = map_bar();
	write32(bar, 8, 0x5ca1ab1e);
	TT_IS(read32(bar, 8), 0x5ca1ab1e);
	host_tell("unplug test");
	lab_wait_until(is_gone);
	/*
	 * what still holds it: the mapping reads as 0 or all ones (nobody answers there), the file
	 * ends or fails; nothing crashes
	 */
	value = read32(bar, 8);
	assert_true(value == 0 || value == UINT32_MAX);
	write32(bar, 8, 1);
	assert_true(pread(config, &value, 4, 0) <= 0 || value == UINT32_MAX);
	close(config);
	munmap((void *)(uintptr_t)bar, 4096);
	/* the channels are still there */
	TT_IS(get(channels[0].address, 0, 4), 0x3cb08086);
	host_tell("plug test-again");
	lab_wait_until(has_come);
	TT_IS(get(TEST_ADDRESS, 0, 4), 0x6e741234);
	set(TEST_ADDRESS, 4, 2, 2);
	bar = map_bar();
	/* another one: it knows nothing of the first */
	TT_IS(read32(bar, 0), 0x6d69746e);
	TT_IS(read32(bar, 8), 0);
	host_tell("count test-again ticks 3");
	TT_IS(read32(bar, 0x10), 3);
	munmap((void *)(uintptr_t)bar, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_are_where_they_belong),
		cmocka_unit_test(configuration_space_obeys),
		cmocka_unit_test(channels_count_what_happens),
		cmocka_unit_test(channels_freeze_and_wrap),
		cmocka_unit_test(host_knows_the_truth),
		cmocka_unit_test(registers_in_memory),
		cmocka_unit_test(device_copies_memory),
		cmocka_unit_test(interrupt_is_pending),
		cmocka_unit_test(device_goes_and_another_comes),
	};

	if (access("/lab/host", X_OK) != 0)
		return tt_skip_all("runs inside a guest of the lab: ntime lab run x86-pci");
	if (geteuid() != 0)
		return tt_skip_all("needs root for configuration space and BARs");
	return TT_RUN(tests);
}
