// SPDX-License-Identifier: MIT
/*
 * Inside the guest x86-pci, as root: Linux' own driver of Sandy Bridge-EP's memory channels
 * (intel_uncore), which nobody here wrote, binds to our models and counts on them what the host
 * made happen. A judge of the models, and of the counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/tests/guest/host.h"

#define PMUS "/sys/bus/event_source/devices/"

/* perf's names of the channels, in the order of the kernel's table of PCI ids, and the host's. */
static const char *const channels[] = { "16.0", "16.1", "16.4", "16.5" };

static void read_text(const char *pmu, const char *file, char *text, size_t bytes)
{
	char path[128];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), PMUS "%s/%s", pmu, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		print_error("%s: %s\n", path, strerror(errno));
		fail();
	}
	got = read(fd, text, bytes - 1);
	assert_true(got >= 0);
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	close(fd);
}

static int open_event(unsigned int channel, uint64_t config)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .config = config };
	char pmu[32], text[32];
	int fd;

	snprintf(pmu, sizeof(pmu), "uncore_imc_%u", channel);
	read_text(pmu, "type", text, sizeof(text));
	attr.type = (uint32_t)strtoul(text, NULL, 10);
	attr.disabled = 1;
	/* CPU 0: what the PMU's cpumask says, which pmus_are_there checks. */
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		print_error("%s event %#llx: %s\n", pmu, (unsigned long long)config,
			    strerror(errno));
		fail();
	}
	return fd;
}

static uint64_t get(int fd)
{
	uint64_t count = 0;

	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	return count;
}

static void start(int fd)
{
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
}

static void stop(int fd)
{
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
}

TEST(pmus_are_there)
{
	char text[64];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		char pmu[32];

		snprintf(pmu, sizeof(pmu), "uncore_imc_%u", i);
		read_text(pmu, "cpumask", text, sizeof(text));
		TT_TEXT(text, "0");
		read_text(pmu, "events/cas_count_read", text, sizeof(text));
		TT_TEXT(text, "event=0x04,umask=0x03");
	}
}

TEST(each_channel_counts_its_own)
{
	int reads[4], writes[4], clocks[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		start(reads[i] = open_event(i, 0x0304));
		start(writes[i] = open_event(i, 0x0c04));
		start(clocks[i] = open_event(i, 0xff));
	}
	for (i = 0; i < 4; i++) {
		host_tell("count %s reads %u", channels[i], 1000000 * (i + 1));
		host_tell("count %s underfills %u", channels[i], i);
		host_tell("count %s writes %u", channels[i], 3000 * (i + 1));
		host_tell("count %s minor_writes %u", channels[i], 7);
		host_tell("count %s clocks %u", channels[i], 123456789);
	}
	for (i = 0; i < 4; i++) {
		TT_IS(get(reads[i]), 1000000 * (i + 1) + i);
		TT_IS(get(writes[i]), 3000 * (i + 1) + 7);
		TT_IS(get(clocks[i]), 123456789);
		close(reads[i]);
		close(writes[i]);
		close(clocks[i]);
	}
}

TEST(what_happens_while_it_is_off_does_not_count)
{
	int fd = open_event(1, 0x0304);

	host_tell("count 16.1 reads 5");
	start(fd);
	host_tell("count 16.1 reads 70");
	stop(fd);
	host_tell("count 16.1 reads 900");
	TT_IS(get(fd), 70);
	start(fd);
	host_tell("count 16.1 reads 1");
	TT_IS(get(fd), 71);
	close(fd);
}

/*
 * More than 32 bits, and once around 48: the driver adds differences, so reading in between is part
 * of the protocol.
 */
TEST(wide_counts)
{
	int fd = open_event(2, 0x0104);

	start(fd);
	host_tell("count 16.4 reads 0x123456789a");
	TT_IS(get(fd), 0x123456789a);
	host_tell("count 16.4 reads 0xf00000000000");
	TT_IS(get(fd), 0xf0123456789a);
	host_tell("count 16.4 reads 0x0fedcba98766");
	TT_IS(get(fd), 0x1000000000000);
	host_tell("count 16.4 reads 1");
	TT_IS(get(fd), 0x1000000000001);
	close(fd);
}

/* Four counters and the fixed one; a fifth event finds no place. */
TEST(four_and_a_fixed_one)
{
	static const uint64_t configs[] = { 0x0104, 0x0204, 0x0404, 0x0804, 0x00ff };
	static const char *const what[] = { "reads", "underfills", "writes", "minor_writes",
					    "clocks" };
	int fd[5], leader;
	struct perf_event_attr attr = { .size = sizeof(attr), .config = 0x0304 };
	char text[32];
	unsigned int i;

	for (i = 0; i < 5; i++)
		start(fd[i] = open_event(3, configs[i]));
	for (i = 0; i < 5; i++)
		host_tell("count 16.5 %s %u", what[i], 11 * (i + 1));
	for (i = 0; i < 5; i++)
		TT_IS(get(fd[i]), 11 * (i + 1));
	for (i = 0; i < 5; i++)
		close(fd[i]);
	/* in one group the kernel says so at once */
	leader = open_event(3, 0x0304);
	read_text("uncore_imc_3", "type", text, sizeof(text));
	attr.type = (uint32_t)strtoul(text, NULL, 10);
	for (i = 0; i < 4; i++)
		fd[i] = (int)syscall(SYS_perf_event_open, &attr, -1, 0, leader,
				     PERF_FLAG_FD_CLOEXEC);
	for (i = 0; i < 3; i++) {
		assert_true(fd[i] >= 0);
		close(fd[i]);
	}
	TT_IS(fd[3], -1);
	close(leader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pmus_are_there),
		cmocka_unit_test(each_channel_counts_its_own),
		cmocka_unit_test(what_happens_while_it_is_off_does_not_count),
		cmocka_unit_test(wide_counts),
		cmocka_unit_test(four_and_a_fixed_one),
	};

	if (access("/lab/host", X_OK) != 0)
		return tt_skip_all("runs inside a guest of the lab: ntime lab run x86-pci");
	if (geteuid() != 0)
		return tt_skip_all("needs root to count for a whole socket");
	return TT_RUN(tests);
}
