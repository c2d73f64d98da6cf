// SPDX-License-Identifier: MIT
/*
 * Inside the guest x86-gpu, as root, with the driver and perf: perf counts what the host plays on
 * graphics cards, event by event and chip by chip; who has a card's counters is told and others are
 * refused; whatever ends, registers are as they were found.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/tests/guest/card.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"

#define PMUS "/sys/bus/event_source/devices/"
#define PMU "ntime_gpu0"
#define EVENTS 128
#define LOCK "gpu0/mmio/0x00a740" /* CTR_STOP of domain 0 */

static struct perf_event_attr attr_of(const char *pmu, const char *event)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	char path[192], text[128] = "";
	const char *at;

	snprintf(path, sizeof(path), PMUS "%s/type", pmu);
	lab_line(path, text, sizeof(text));
	attr.type = (uint32_t)strtoul(text, NULL, 10);
	snprintf(path, sizeof(path), PMUS "%s/events/%s", pmu, event);
	lab_line(path, text, sizeof(text));
	if ((at = strstr(text, "config=")))
		attr.config = strtoull(at + strlen("config="), NULL, 16);
	if ((at = strstr(text, "config1=")))
		attr.config1 = strtoull(at + strlen("config1="), NULL, 16);
	if ((at = strstr(text, "config2=")))
		attr.config2 = strtoull(at + strlen("config2="), NULL, 16);
	return attr;
}

static int open_attr(struct perf_event_attr attr, pid_t pid, int cpu, int group)
{
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_event(const char *event, int group)
{
	return open_attr(attr_of(PMU, event), -1, 0, group);
}

static uint64_t get(int fd)
{
	uint64_t value = 0;

	assert_int_equal(read(fd, &value, sizeof(value)), sizeof(value));
	return value;
}

/* False: @fd has ended. */
static bool get_or_end(int fd)
{
	uint64_t value;

	return read(fd, &value, sizeof(value)) != 0;
}

/* Every event of @pmu, which is @card of the host, by its name. */
static size_t count_all(const char *pmu, const char *card)
{
	char path[96];
	struct dirent *entry;
	size_t n = 0;
	DIR *events;

	snprintf(path, sizeof(path), PMUS "%s/events", pmu);
	assert_non_null(events = opendir(path));
	while ((entry = readdir(events))) {
		const char *name = entry->d_name;
		uint64_t is, should;
		int fd;

		/* Clocks are no event of a scene: those of accesses count as well. */
		if (*name == '.' || strstr(name, ".unit") || strncmp(name, "cycles_", 7) == 0)
			continue;
		fd = open_attr(attr_of(pmu, name), -1, 0, -1);
		if (fd < 0)
			fail_msg("%s/%s/: %s", pmu, name, strerror(-fd));
		host_tell("play %s 2", card);
		is = get(fd);
		should = truth(card, name);
		if (is != should)
			fail_msg("%s/%s/ counts %llu, true is %llu", pmu, name,
				 (unsigned long long)is, (unsigned long long)should);
		close(fd);
		n++;
	}
	closedir(events);
	return n;
}

/* The kernel that checks itself takes ten times as long, and has two CPUs. */
static bool is_slow(void)
{
	return lab_cpus() > 1;
}

TEST(all_events_by_name)
{
	volatile uint32_t *bar = map(CARD);
	uint64_t found = sum(bar);

	lab_must("cat " PMUS PMU "/chip " PMUS PMU "/function", 0, "GT218\n" CARD);
	lab_must("cat " PMUS PMU "/cpumask " PMUS PMU "/events/gpu_idle.unit", 0, "0\nclocks");
	assert_true(count_all(PMU, "card") > 20);
	TT_IS(sum(bar), found);
	munmap((void *)(uintptr_t)bar, BAR_BYTES);
}

/* Of the card that is there ntime takes the PMU, and not of one that was in its place. */
static void count_with_ntime(const char *chip)
{
	char command[96], out[LAB_OUTPUT], value[64];

	snprintf(command, sizeof(command), "ntime --json -e gpu1/gpu_idle/ -- /lab/host play %s 5",
		 chip);
	TT_IS(lab_shell(command, out), 0);
	snprintf(value, sizeof(value), "\"value\": %llu,",
		 (unsigned long long)truth(chip, "gpu_idle"));
	TT_HAS(out, value);
}

TEST(every_chip)
{
	size_t n = is_slow() ? 1 : sizeof(chips) / sizeof(chips[0]);

	for (size_t i = 0; i < n; i++) {
		char pmu[32];

		plug(chips[i]);
		lab_set_file(FUNCTIONS PLUGGED "/enable", "1");
		snprintf(pmu, sizeof(pmu), "ntime_gpu%zu", i + 1);
		assert_true(count_all(pmu, chips[i]) > 20);
		count_with_ntime(chips[i]);
		unplug(chips[i]);
	}
}

/* The same place and chip again is the same PMU. */
TEST(card_that_comes_again)
{
	int fd;

	lab_set_file(FUNCTIONS CARD "/remove", "1");
	TT_IS(open_event("gpu_idle", -1), -ENODEV);
	lab_set_file("/sys/bus/pci/rescan", "1");
	wait_for(CARD, true);
	lab_set_file(FUNCTIONS CARD "/enable", "1");
	LAB_GOOD(fd = open_event("gpu_idle", -1));
	host_tell("play card 2");
	TT_IS(get(fd), truth("card", "gpu_idle"));
	close(fd);
}

/* As a person asks. */
TEST(perf_counts)
{
	char out[LAB_OUTPUT], line[64];

	lab_must("perf list --no-desc | grep -c " PMU, 0, "");
	TT_IS(lab_shell("perf stat -x, -a -e '{" PMU "/gpu_idle/," PMU "/geom_busy/}'," PMU
			"/cycles_core_a/ /lab/host play card 5",
			out),
	      0);
	snprintf(line, sizeof(line), "%llu,clocks," PMU "/gpu_idle/",
		 (unsigned long long)truth("card", "gpu_idle"));
	TT_HAS(out, line);
	snprintf(line, sizeof(line), "%llu,clocks," PMU "/geom_busy/",
		 (unsigned long long)truth("card", "geom_busy"));
	TT_HAS(out, line);
}

/*
 * ntime takes the PMU where there is one, beside others who count with it: every event, and those
 * of several passes.
 */
TEST(ntime_counts_through_perf)
{
	char out[LAB_OUTPUT], value[64];
	int fd;

	lab_must("ntime list --units --json | grep -A9 '\"gpu0\"'", 0, "\"perf\"");
	TT_IS(lab_shell("ntime --json -e gpu0/gpu_idle/ -- /lab/host play card 5", out), 0);
	snprintf(value, sizeof(value), "\"value\": %llu,",
		 (unsigned long long)truth("card", "gpu_idle"));
	TT_HAS(out, value);
	LAB_GOOD(fd = open_event("geom_busy", -1));
	TT_IS(lab_shell("ntime --json -e gpu0/gpu_idle/ -- /lab/host play card 5", out), 0);
	TT_HAS(out, value);
	TT_IS(get(fd), truth("card", "geom_busy"));
	close(fd);
	if (!is_slow())
		lab_must("TT_ONLY=card_is_found_and_counted /lab/test_gpu", 0, "ok 1");
}

/* More than fit take turns, as perf has it: each has been on for a part of the time. */
TEST(more_than_fit_take_turns)
{
	static const char *const names[] = { "gpu_idle", "setup_primitive_count",
					     "setup_point_count", "setup_line_count",
					     "setup_triangle_count" };
	uint64_t value[3], on = 0;
	int fd[5];

	for (size_t i = 0; i < 5; i++) {
		struct perf_event_attr attr = attr_of(PMU, names[i]);

		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		LAB_GOOD(fd[i] = open_attr(attr, -1, 0, -1));
	}
	usleep(300000);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(read(fd[i], value, sizeof(value)), sizeof(value));
		assert_true(value[2] > 0 && value[2] <= value[1]);
		on += value[2] * 100 / value[1];
		close(fd[i]);
	}
	assert_true(on < 450);
}

/* @attr is refused now, and "status" says why. */
static void is_refused(struct perf_event_attr attr, pid_t pid, int cpu, int group, const char *why)
{
	char before[64], after[64], said[256];

	assert_int_equal(lab_status("refusals", before, sizeof(before)), 0);
	TT_IS(open_attr(attr, pid, cpu, group), -EINVAL);
	assert_int_equal(lab_status("refusals", after, sizeof(after)), 0);
	assert_string_not_equal(before, after);
	assert_int_equal(lab_status("last refusal", said, sizeof(said)), 0);
	TT_HAS(said, why);
}

/* What cannot be is refused, and "status" says why. */
TEST(refusals)
{
	static const struct {
		uint64_t config, config1, config2;
		int pid, cpu;
		const char *why;
	} rows[] = {
		{ 1ull << 53, 0, 0, 0, -1, "for all programs" },
		{ 1ull << 53, 0, 1 | 0x7ffffffull << 5, -1, 0, "no such domain, signal" },
		{ 1ull << 53, 1, 0, -1, 0, "no such domain, signal" },
		{ 1ull << 53, 0, 31, -1, 0, "not supported" },
		{ 1ull << 53 | 1ull << 48, 0, 0, -1, 0, "not supported" },
		{ 1ull << 53 | 1ull << 59, 0, 0, -1, 0, "no such domain, signal" },
	};
	struct perf_event_attr attr = attr_of(PMU, "gpu_idle");
	int fd, other;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		attr.config = rows[i].config;
		attr.config1 = rows[i].config1;
		attr.config2 = rows[i].config2;
		is_refused(attr, rows[i].pid, rows[i].cpu, -1, rows[i].why);
	}
	attr = attr_of(PMU, "gpu_idle");
	attr.sample_period = 1000;
	assert_true(open_attr(attr, -1, 0, -1) < 0);
	attr.sample_period = 0;
	attr.exclude_kernel = 1;
	is_refused(attr, -1, 0, -1, "no modifiers");
	attr.exclude_kernel = 0;
	LAB_GOOD(other = open_attr((struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
							     .size = sizeof(attr) },
				   -1, 0, -1));
	is_refused(attr, -1, 0, other, "not of the card");
	close(other);
	/* A fifth of one domain. */
	LAB_GOOD(fd = open_event("gpu_idle", -1));
	LAB_GOOD(open_event("setup_point_count", fd));
	LAB_GOOD(open_event("setup_line_count", fd));
	LAB_GOOD(open_event("setup_triangle_count", fd));
	is_refused(attr_of(PMU, "setup_primitive_count"), -1, 0, fd, "at the same time");
	for (int i = fd; i < fd + 4; i++)
		close(i);
}

/* Two can be in one group exactly if the AND of their flags is 0. */
TEST(conflict_flags_say_what_fits)
{
	static struct {
		struct perf_event_attr attr;
		uint64_t flags;
	} e[EVENTS];
	struct dirent *entry;
	size_t n = 0, fit = 0;
	DIR *names;

	assert_non_null(names = opendir(PMUS PMU "/conflicts"));
	while ((entry = readdir(names))) {
		char path[192], text[32];

		if (*entry->d_name == '.')
			continue;
		assert_true(n < EVENTS);
		snprintf(path, sizeof(path), PMUS PMU "/conflicts/%s", entry->d_name);
		lab_line(path, text, sizeof(text));
		e[n].flags = strtoull(text, NULL, 16);
		e[n].attr = attr_of(PMU, entry->d_name);
		e[n++].attr.disabled = 1;
	}
	closedir(names);
	for (size_t a = 0; a < n; a += is_slow() ? 10 : 1) {
		int leader;

		LAB_GOOD(leader = open_attr(e[a].attr, -1, 0, -1));
		for (size_t b = 0; b < a; b++) {
			int fd = open_attr(e[b].attr, -1, 0, leader);

			if ((fd >= 0) != !(e[a].flags & e[b].flags))
				fail_msg("%#llx with %#llx: %d, flags %#llx and %#llx",
					 (unsigned long long)e[a].attr.config,
					 (unsigned long long)e[b].attr.config, fd,
					 (unsigned long long)e[a].flags,
					 (unsigned long long)e[b].flags);
			fit += fd >= 0;
			close(fd);
		}
		close(leader);
	}
	assert_true(n > 60 && fit > n && fit < n * n / 2 - n / 2);
}

TEST(one_user_at_a_time)
{
	char who[256];
	int fd, lock;

	LAB_GOOD(fd = open_event("gpu_idle", -1));
	TT_IS(lab_reg_open(LOCK, O_RDWR | O_CLOEXEC), -EBUSY);
	assert_int_equal(lab_status("last refusal", who, sizeof(who)), 0);
	TT_HAS(who, "perf counts");
	assert_int_equal(lab_status("perf", who, sizeof(who)), 0);
	TT_HAS(who, PMU " pid ");
	LAB_GOOD(lock = lab_reg_open(LOCK, O_RDONLY | O_CLOEXEC));
	close(lock);
	close(fd);
	LAB_GOOD(lock = lab_reg_open(LOCK, O_RDWR | O_CLOEXEC));
	TT_IS(open_event("gpu_idle", -1), -EBUSY);
	assert_int_equal(lab_status("last refusal", who, sizeof(who)), 0);
	TT_HAS(who, "open for writing");
	lab_must("ntime -e gpu0/gpu_idle/ true", 0, "/sys/devices/ntime/status");
	close(lock);
	/* An event alone holds the module. */
	LAB_GOOD(fd = open_event("gpu_idle", -1));
	LAB_GOOD(lab_driver_unmount());
	TT_IS(lab_driver_unload(), -EAGAIN);
	close(fd);
}

/* The events of the CPU that goes are another's, with what they had counted. */
TEST(cpu_that_goes)
{
	int fd;

	if (lab_cpus() < 2)
		TT_SKIP("this guest has one CPU");
	LAB_GOOD(fd = open_event("gpu_idle", -1));
	host_tell("play card 2");
	TT_IS(get(fd), truth("card", "gpu_idle"));
	LAB_GOOD(lab_cpu_set_online(0, false));
	lab_must("cat " PMUS PMU "/cpumask", 0, "1\n");
	TT_IS(get(fd), truth("card", "gpu_idle"));
	host_tell("play card 2");
	TT_IS(get(fd), 2 * truth("card", "gpu_idle"));
	close(fd);
	LAB_GOOD(lab_cpu_set_online(0, true));
}

/* Asleep the card has nothing of ours; awake it counts on with what it had. */
TEST(machine_that_sleeps)
{
	int fd;

	if (lab_write("/sys/power/pm_test", "devices") != 0)
		TT_SKIP("the kernel cannot try to sleep (CONFIG_PM_DEBUG)");
	lab_write("/sys/module/suspend/parameters/pm_test_delay", "0");
	LAB_GOOD(fd = open_event("gpu_idle", -1));
	host_tell("play card 2");
	LAB_GOOD(lab_write("/sys/power/state", "freeze"));
	host_tell("play card 2");
	TT_IS(get(fd), 2 * truth("card", "gpu_idle"));
	close(fd);
	LAB_GOOD(lab_write("/sys/power/pm_test", "none"));
}

/* What perf_event_open(2) is given at random breaks nothing. */
TEST(random_attributes)
{
	volatile uint32_t *bar = map(CARD);
	uint64_t found = sum(bar);
	int calls = is_slow() ? 2000 : 20000;
	int fd[8] = { -1, -1, -1, -1, -1, -1, -1, -1 };
	const struct perf_event_attr base[] = { attr_of(PMU, "gpu_idle"), attr_of(PMU, "geom_busy"),
						attr_of(PMU, "rop_busy"),
						attr_of(PMU, "rasterizer_tiles_in_count") };
	uint64_t bytes[600];
	size_t opened = 0;

	srand(20261129);
	while (calls--) {
		struct perf_event_attr attr = base[rand() % 4];
		__u64 *word[] = { &attr.config, &attr.config1, &attr.config2, &attr.read_format };
		int i = rand() % 8, flips = rand() % 4;

		while (flips--)
			*word[rand() % 4] ^= 1ull << rand() % 64;
		attr.read_format &= 0xf;
		attr.disabled = rand() % 2;
		attr.pinned = rand() % 8 == 0;
		attr.exclusive = rand() % 8 == 0;
		attr.inherit = rand() % 8 == 0;
		attr.sample_period = rand() % 16 == 0;
		close(fd[i]);
		fd[i] = open_attr(attr, rand() % 8 ? -1 : 0, rand() % 3 - 1,
				  rand() % 2 ? fd[rand() % 8] : -1);
		opened += fd[i] >= 0;
		i = rand() % 8;
		(void)!read(fd[i], bytes, sizeof(bytes));
		(void)ioctl(fd[i], rand() % 2 ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_RESET,
			    rand() % 2 ? PERF_IOC_FLAG_GROUP : 0);
	}
	for (size_t i = 0; i < 8; i++)
		close(fd[i]);
	print_message("# %zu events were opened\n", opened);
	assert_true(opened > 30);
	TT_IS(sum(bar), found);
	munmap((void *)(uintptr_t)bar, BAR_BYTES);
}

#define MEMBERS 8
#define READS 20

/* Instructions of reading @fd, which gives @bytes, at least: accesses of the card take none. */
static uint64_t instructions_of(int fd, size_t bytes)
{
	uint64_t least = UINT64_MAX, value[MEMBERS + 1];

	for (size_t i = 0; i < READS; i++) {
		uint64_t begin = lab_now(), took;

		assert_int_equal(read(fd, value, bytes), bytes);
		took = lab_now() - begin;
		least = took < least ? took : least;
	}
	return least;
}

/* The same of the first @n of @attr, as a group where there are several. */
static uint64_t instructions_of_events(const struct perf_event_attr attr[MEMBERS], size_t n)
{
	struct perf_event_attr leader = attr[0];
	uint64_t took;
	int fd[MEMBERS];

	leader.read_format = n > 1 ? PERF_FORMAT_GROUP : 0;
	for (size_t i = 0; i < n; i++)
		LAB_GOOD(fd[i] = open_attr(i ? attr[i] : leader, -1, 0, i ? fd[0] : -1));
	took = instructions_of(fd[0], (n > 1 ? n + 1 : 1) * sizeof(uint64_t));
	for (size_t i = 0; i < n; i++)
		close(fd[i]);
	return took;
}

/* A group is read at one moment: but for what perf takes it costs little more than one event. */
TEST(cost_of_reading)
{
	static const char *const names[MEMBERS] = {
		"gpu_idle",	 "geom_busy",	  "rop_busy",	      "setup_point_count",
		"cycles_core_a", "cycles_core_b", "setup_line_count", "setup_triangle_count",
	};
	struct perf_event_attr ours[MEMBERS], nothing[MEMBERS];
	struct lab_map mapping;
	uint64_t one, group, members, file, load = 0, begin;
	int fd;

	if (!getenv("NTIME_LAB_SHIFT"))
		TT_SKIP("time is no count of instructions in this guest");
	for (size_t i = 0; i < MEMBERS; i++) {
		ours[i] = attr_of(PMU, names[i]);
		nothing[i] = (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
						       .config = PERF_COUNT_SW_DUMMY,
						       .size = sizeof(nothing[i]) };
	}
	one = instructions_of_events(ours, 1);
	group = instructions_of_events(ours, MEMBERS);
	members = instructions_of_events(nothing, MEMBERS) - instructions_of_events(nothing, 1);
	LAB_GOOD(fd = lab_reg_open(LOCK, O_RDONLY | O_CLOEXEC));
	LAB_GOOD(lab_fd_map(fd, 2, &mapping));
	file = instructions_of(fd, sizeof(uint64_t));
	assert_int_equal(mapping.page.type, NTIME_PAGE_MEMORY);
	/* Once to have it in the page table. */
	for (size_t i = 0; i < 2; i++) {
		begin = lab_now();
		(void)*(volatile uint32_t *)(mapping.pages + 4096 + mapping.page.offset);
		load = lab_now() - begin;
	}
	lab_unmap(&mapping);
	close(fd);
	print_message("# instructions of a read: an event of perf's %llu, a group of 8 %llu, of "
		      "which perf takes %llu for seven more; a register by read(2) %llu, by its "
		      "mapping %llu\n",
		      (unsigned long long)one, (unsigned long long)group,
		      (unsigned long long)members, (unsigned long long)file,
		      (unsigned long long)load);
	assert_true((group - members) * 10 <= one * 16);
}

static long count_and_wait(void *arg)
{
	(void)arg;
	if (open_event("rop_busy", -1) < 0 || open_event("rop_waits_for_fb", -1) < 0)
		return -EIO;
	lab_be_ready_and_wait();
}

TEST(ten_thousand_opens_and_a_kill_leave_nothing)
{
	volatile uint32_t *bar = map(CARD);
	uint64_t found = sum(bar);
	const struct perf_event_attr leader[] = { attr_of(PMU, "rop_busy"),
						  attr_of(PMU, "gpu_idle") };
	const struct perf_event_attr member[] = {
		attr_of(PMU, "geom_busy"), attr_of(PMU, "rasterizer_tiles_in_count"),
		attr_of(PMU, "rop_samples_killed_by_latez_count")
	};
	struct lab_process process;

	for (int i = 0; i < (is_slow() ? 300 : 10000); i++) {
		struct perf_event_attr attr = leader[i & 1];
		int a, b, c;

		/* Every twentieth is programmed, which takes the most time. */
		attr.disabled = i % 20 != 0;
		LAB_GOOD(a = open_attr(attr, -1, 0, -1));
		LAB_GOOD(b = open_attr(member[0], -1, 0, a));
		c = open_attr(member[i & 2 ? 1 : 2], -1, 0, a);
		/* PROP has another value. */
		assert_true(i & 2 ? c > 0 : (i & 1) == 0 ? c == -EINVAL : c > 0);
		close(c);
		close(b);
		close(a);
	}
	TT_IS(sum(bar), found);
	LAB_GOOD(lab_spawn(&process, count_and_wait, NULL));
	assert_true(sum(bar) != found);
	lab_kill(&process);
	TT_IS(sum(bar), found);
	munmap((void *)(uintptr_t)bar, BAR_BYTES);
}

/*
 * Soon nothing is read of @fd any more, and until then no count; also when it is switched on again.
 */
static void is_over(int fd)
{
	uint64_t value;

	for (int i = 0; i < 2; i++) {
		for (int n = 0; read(fd, &value, sizeof(value)) != 0; n++) {
			assert_true(n < 1000 && (!i || value == 0));
			usleep(10000);
		}
		(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		(void)ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	}
}

/* Nothing is read of an event that lost something, and others begin anew. */
static void is_lost(const char *request, const char *again)
{
	int fd;

	LAB_GOOD(fd = open_event("gpu_idle", -1));
	host_tell("play card 2");
	TT_IS(get(fd), truth("card", "gpu_idle"));
	host_tell("%s", request);
	if (!again)
		wait_for(CARD, false);
	is_over(fd);
	if (again)
		host_tell("%s", again);
	close(fd);
}

static void trigger(volatile uint32_t *bar)
{
	bar[DEBUG_1 / 4] = bar[DEBUG_1 / 4] | TRIGGER;
}

#define SOURCES 0xa400 /* PRE_SRC to STOP_SRC of a domain, SLOT apart */
#define COUNTS 0xa680  /* CTR_EVENT, START, PRE and STOP */
#define SLOT 0x40

/* Until it is killed. */
static pid_t open_and_close(void)
{
	pid_t pid = fork();

	LAB_GOOD(pid);
	while (!pid)
		close(open_event("gpu_idle", -1));
	return pid;
}

/* Also before perf has a context for them, and of a group. */
TEST(another_program_s_trigger_ends_events)
{
	volatile uint32_t *bar = map(CARD);
	struct perf_event_attr attr = attr_of(PMU, "gpu_idle");
	uint64_t value[3];
	pid_t pid;
	int fd, member;

	LAB_GOOD(fd = open_event("gpu_idle", -1));
	trigger(bar);
	is_over(fd);
	close(fd);
	attr.read_format = PERF_FORMAT_GROUP;
	LAB_GOOD(fd = open_attr(attr, -1, 0, -1));
	LAB_GOOD(member = open_event("geom_busy", fd));
	trigger(bar);
	TT_IS(read(fd, value, sizeof(value)), -1);
	TT_IS(errno, EIO);
	close(member);
	close(fd);
	pid = open_and_close();
	for (int i = 0; i < (is_slow() ? 200 : 50); i++) {
		fd = open_event("gpu_idle", -1);
		trigger(bar);
		(void)!read(fd, value, sizeof(value));
		close(fd);
	}
	kill(pid, SIGKILL);
	TT_IS(waitpid(pid, NULL, 0), pid);
	munmap((void *)(uintptr_t)bar, BAR_BYTES);
}

/*
 * Nobody reads for a second: the timer does, before anything is full, and looks who has set it up.
 */
TEST(timer_ends_periods)
{
	volatile uint32_t *bar = map(CARD);
	uint32_t should, is = 0;
	int fd;

	LAB_GOOD(fd = open_event("gpu_idle", -1));
	host_tell("play card 2");
	should = (uint32_t)truth("card", "gpu_idle");
	for (int i = 0; is != should; i++) {
		assert_true(i < 1000);
		usleep(10000);
		for (uint32_t slot = 0; is != should && slot < 4; slot++)
			is = bar[(COUNTS + SLOT * slot + 4) / 4];
	}
	TT_IS(get(fd), should);
	for (uint32_t slot = 0; slot < 4; slot++)
		bar[(SOURCES + SLOT * slot + 4) / 4] = 0x01010101;
	for (int i = 0; get_or_end(fd); i++) {
		assert_true(i < 1000);
		usleep(10000);
	}
	close(fd);
	munmap((void *)(uintptr_t)bar, BAR_BYTES);
}

TEST(card_that_goes_away)
{
	is_lost("inject card ones", "inject card nothing");
	is_lost("unplug card", NULL);
	TT_IS(open_event("gpu_idle", -1), -ENODEV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_TEST(all_events_by_name),
		LAB_DRIVER_TEST(every_chip),
		LAB_DRIVER_TEST(card_that_comes_again),
		LAB_DRIVER_TEST(perf_counts),
		LAB_DRIVER_TEST(ntime_counts_through_perf),
		LAB_DRIVER_TEST(more_than_fit_take_turns),
		LAB_DRIVER_TEST(refusals),
		LAB_DRIVER_TEST(conflict_flags_say_what_fits),
		LAB_DRIVER_TEST(one_user_at_a_time),
		LAB_DRIVER_TEST(cpu_that_goes),
		LAB_DRIVER_TEST(machine_that_sleeps),
		LAB_DRIVER_TEST(random_attributes),
		LAB_DRIVER_TEST(cost_of_reading),
		LAB_DRIVER_TEST(ten_thousand_opens_and_a_kill_leave_nothing),
		LAB_DRIVER_TEST(another_program_s_trigger_ends_events),
		LAB_DRIVER_TEST(timer_ends_periods),
		LAB_DRIVER_TEST(card_that_goes_away),
	};

	return LAB_DRIVER_RUN(tests);
}
