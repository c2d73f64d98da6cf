// SPDX-License-Identifier: MIT
/*
 * Counters of the core through the driver: who gets the counter's instruction and for how long,
 * that it counts what is known, that perf and the driver never program the same counter, that each
 * CPU and each package answers for itself. Skips what a guest lacks, with the reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"
#include "lab/tests/guest/spin.h"

#define NMI_WATCHDOG "/proc/sys/kernel/nmi_watchdog"
#define RDPMC_POLICY "/sys/bus/event_source/devices/cpu/rdpmc"
#define USER_ACCESS "/proc/sys/kernel/perf_user_access"

#if defined(__x86_64__)
#define TYPE_WITHOUT_INSTRUCTION NTIME_PAGE_MSR
#define SIGNAL_OF_INSTRUCTION SIGSEGV

#else
#define TYPE_WITHOUT_INSTRUCTION NTIME_PAGE_PLAIN
#define SIGNAL_OF_INSTRUCTION SIGILL

#endif

/*
 * The ARM1176 cannot tell modes apart: a loop that is longer than the time between two interrupts
 * of the clock has some in it.
 */
#if defined(__arm__) && __ARM_ARCH < 7
#define COUNTS_ALL_MODES true
#else
#define COUNTS_ALL_MODES false
#endif
#define BESIDE 100000 /* instructions of these interrupts: 2421 were seen */

/* What a program that this one becomes does instead of testing. */
#define TRY_WORD "try-the-instruction"

static const struct lab_pair *need_pmu(void)
{
	const struct lab_pair *pair = lab_need_pair();

	if (!pair->is_core)
		TT_SKIP("no core counter of this guest can be written");
	return pair;
}

/* On arm64 user mode may read counters only when the administrator of perf says so. */
static void allow_instruction(void)
{
	(void)lab_write(USER_ACCESS, "1");
}

/* While it is open, at most until the test ends, the counters of the core are the driver's. */
static int hold_counter(const struct lab_pair *pair)
{
	return LAB_OPEN(pair->control, O_RDWR);
}

static int map_counter(const char *reg, struct lab_map *map)
{
	int fd = LAB_OPEN(reg, O_RDONLY);

	LAB_GOOD(lab_fd_map(fd, 1, map));
	return fd;
}

/* ---- who gets the instruction ---- */

TEST(instruction_is_for_the_pinned)
{
	const struct lab_pair *pair = need_pmu();
	struct ntime_page page;
	struct lab_map map;

	allow_instruction();
	(void)hold_counter(pair);
	LAB_GOOD(lab_reg_describe(pair->counter, &page));
	if (lab_cpus() > 1) {
		TT_IS(page.type, TYPE_WITHOUT_INSTRUCTION);
		LAB_GOOD(lab_pin(1));
		LAB_GOOD(lab_reg_describe(pair->counter, &page));
		TT_IS(page.type, TYPE_WITHOUT_INSTRUCTION);
	}
	LAB_GOOD(lab_pin(0));
	(void)map_counter(pair->counter, &map);
	TT_IS(map.page.type, NTIME_PAGE_PMC);
	TT_IS(map.page.cpu, 0);
	TT_IS(map.page.index, 0);
	assert_true(map.page.width >= 32 && map.page.width <= 64);
	lab_unmap(&map);
	/* What selects is no counter. */
	LAB_GOOD(lab_reg_describe(pair->control, &page));
	TT_IS(page.type, TYPE_WITHOUT_INSTRUCTION);
}

TEST(fixed_counters_have_their_index)
{
	struct lab_map map;

	if (!lab_reg_is_here("core0/pmc/fixed0"))
		TT_SKIP("this guest has no fixed counter");
	allow_instruction();
	LAB_GOOD(lab_pin(0));
	(void)hold_counter(need_pmu());
	(void)map_counter("core0/pmc/fixed0", &map);
	TT_IS(map.page.type, NTIME_PAGE_PMC);
#if defined(__x86_64__)
	TT_IS(map.page.index, 0x40000000);
#else
	TT_IS(map.page.index, 31);
#endif
	(void)lab_pmc_read(map.page.index);
	lab_unmap(&map);
}

/*
 * Is the instruction allowed in the child that this is, which has the mappings of its parent? Its
 * own process: the test survives.
 */
static int signal_of_instruction(uint32_t index)
{
	return lab_signal(lab_do_read_counter, (void *)(uintptr_t)index);
}

/* In a program that begins anew. */
static long try_anew(void *arg)
{
	(void)arg;
	(void)execl("/proc/self/exe", "test_driver_counters", TRY_WORD, (char *)NULL);
	return 1;
}

/*
 * PMUSERENR and its like are the CPU's on 32-bit ARM: who is allowed there is everybody, from
 * loading to unloading.
 */
static bool is_allowed_by_process(void)
{
#if defined(__arm__)
	return false;
#else
	return true;
#endif
}

TEST(instruction_goes_with_the_mapping)
{
	const struct lab_pair *pair = need_pmu();
	struct lab_map map, second;
	int other;

	if (!is_allowed_by_process())
		TT_SKIP("user mode's access is the CPU's here, not the process'");
	allow_instruction();
	LAB_GOOD(lab_pin(0));
	(void)hold_counter(pair);
	TT_IS(signal_of_instruction(0), SIGNAL_OF_INSTRUCTION);
	(void)map_counter(pair->counter, &map);
	TT_IS(map.page.type, NTIME_PAGE_PMC);
	(void)lab_pmc_read(map.page.index);
	other = map_counter(pair->counter, &second);
	(void)lab_pmc_read(map.page.index);
	lab_unmap(&map);
	/* One is left. */
	(void)lab_pmc_read(second.page.index);
	(void)close(other);
	(void)lab_pmc_read(second.page.index);
	lab_unmap(&second);
	/* A child of now has what its parent has: nothing. The descriptor alone is not enough. */
	TT_IS(signal_of_instruction(0), SIGNAL_OF_INSTRUCTION);
}

static long unmap_and_read(void *arg)
{
	struct lab_map *map = arg;

	(void)lab_pmc_read(map->page.index);
	lab_unmap(map);
	(void)lab_pmc_read(map->page.index);
	return 0;
}

static long read_and_go_on(void *arg)
{
	struct lab_map *map = arg;

	(void)lab_pmc_read(map->page.index);
	lab_be_ready_and_wait();
}

/*
 * What a child gives up its parent keeps, and the other way round; a program that begins anew has
 * nothing.
 */
TEST(children_inherit_and_programs_do_not)
{
	const struct lab_pair *pair = need_pmu();
	struct lab_process child;
	struct lab_map map;

#if !defined(__x86_64__)
	TT_SKIP("only x86 allows the instruction to an address space");
#endif
	LAB_GOOD(lab_pin(0));
	(void)hold_counter(pair);
	(void)map_counter(pair->counter, &map);
	TT_IS(map.page.type, NTIME_PAGE_PMC);
	TT_IS(signal_of_instruction(map.page.index), 0);
	TT_IS(lab_signal(unmap_and_read, &map), SIGSEGV);
	(void)lab_pmc_read(map.page.index);
	TT_IS(lab_signal(try_anew, NULL), SIGSEGV);
	LAB_GOOD(lab_spawn(&child, read_and_go_on, &map));
	lab_unmap(&map);
	TT_IS(signal_of_instruction(0), SIGSEGV);
	TT_IS(lab_kill(&child), 128 + SIGKILL);
	TT_IS(lab_signal(try_anew, NULL), SIGSEGV);
}

static int open_instructions(uint64_t read_format)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.read_format = read_format,
	};
	long fd;

#if !defined(__arm__) || __ARM_ARCH >= 7
	attr.exclude_kernel = 1;
#endif
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0ul);
	return fd < 0 ? -errno : (int)fd;
}

/* perf lends the instruction by the same count. */
TEST(perf_keeps_its_own_permission)
{
	struct lab_map map;
	void *page;
	int fd, event;

#if !defined(__x86_64__)
	TT_SKIP("only x86 allows the instruction to an address space");
#endif
	(void)need_pmu();
	lab_perf_begins();
	LAB_GOOD(lab_pin(0));
	event = (int)LAB_GOOD(open_instructions(0));
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	TT_IS(signal_of_instruction(0), 0);
	fd = map_counter(need_pmu()->counter, &map);
	TT_IS(map.page.type, NTIME_PAGE_PMC);
	lab_unmap(&map);
	/* ours is gone, perf's is not */
	TT_IS(signal_of_instruction(0), 0);
	LAB_GOOD(lab_fd_map(fd, 1, &map));
	(void)munmap(page, 4096);
	(void)close(event);
	TT_IS(signal_of_instruction(0), 0);
	lab_unmap(&map);
	TT_IS(signal_of_instruction(0), SIGSEGV);
	(void)close(fd);
	lab_perf_has_ended();
}

static void set_policy(const char *text)
{
	assert_true(lab_write(RDPMC_POLICY, text) == 0 || lab_write(USER_ACCESS, text) == 0);
}

TEST(policy_of_perf_is_respected)
{
	const struct lab_pair *pair = need_pmu();
	struct ntime_page page;
	int hold;

#if defined(__arm__)
	TT_SKIP("perf of 32-bit ARM has no such policy");
#endif
	LAB_GOOD(lab_pin(0));
	set_policy("0");
	hold = hold_counter(pair);
	LAB_GOOD(lab_reg_describe(pair->counter, &page));
	TT_IS(page.type, TYPE_WITHOUT_INSTRUCTION);
	TT_IS(signal_of_instruction(0), SIGNAL_OF_INSTRUCTION);
	(void)close(hold);
	set_policy("1");
	hold = hold_counter(pair);
	LAB_GOOD(lab_reg_describe(pair->counter, &page));
	TT_IS(page.type, NTIME_PAGE_PMC);
}

/* ---- what it counts ---- */

static bool is_exact(void)
{
	return getenv("NTIME_LAB_SHIFT") != NULL;
}

/*
 * The same code around loops of different length: what they differ by is the loop, to the
 * instruction. The least of a few, because some counters count what interrupts do as well.
 */
static uint64_t count_loop(const struct ntime_page *page, unsigned long turns)
{
	uint64_t mask = lab_pmc_mask(page), least = UINT64_MAX;

	for (unsigned int i = 0; i < 5; i++) {
		uint64_t before = lab_pmc_read(page->index), after;

		lab_spin(turns);
		after = lab_pmc_read(page->index);
		if (((after - before) & mask) < least)
			least = (after - before) & mask;
	}
	return least;
}

TEST(instruction_counts_the_truth)
{
	const struct lab_pair *pair = need_pmu();
	struct lab_map map;
	uint64_t none, thousand, million, value;
	int run[3], fd;

	allow_instruction();
	LAB_GOOD(lab_pin(0));
	LAB_GOOD(lab_pair_run(pair, 0, run));
	fd = map_counter(pair->counter, &map);
	TT_IS(map.page.type, NTIME_PAGE_PMC);
	(void)count_loop(&map.page, 10);
	none = count_loop(&map.page, 1);
	thousand = count_loop(&map.page, 1001);
	million = count_loop(&map.page, 1000001);
	print_message("# around one turn %llu, 1000 more %llu, a million more %llu\n",
		      (unsigned long long)none, (unsigned long long)(thousand - none),
		      (unsigned long long)(million - none));
	if (is_exact()) {
		assert_true(none < 100);
		TT_IS(thousand - none, 1000 * LAB_SPIN_INSTRUCTIONS);
		if (COUNTS_ALL_MODES)
			assert_in_range(million - none, 1000000 * LAB_SPIN_INSTRUCTIONS,
					1000000 * LAB_SPIN_INSTRUCTIONS + BESIDE);
		else
			TT_IS(million - none, 1000000 * LAB_SPIN_INSTRUCTIONS);
	} else {
		assert_true(million > none);
	}
	/* read(2) and the instruction tell of the same counter. */
	for (unsigned int i = 0; i < 100; i++) {
		uint64_t mask = lab_pmc_mask(&map.page), before, after;

		before = lab_pmc_read(map.page.index);
		LAB_GOOD(lab_fd_value(fd, &value));
		after = lab_pmc_read(map.page.index);
		assert_true(((value - before) & mask) <= ((after - before) & mask));
	}
	lab_unmap(&map);
	(void)close(fd);
	for (int i = 2; i >= 0; i--)
		(void)close(run[i]);
}

/* A counter that nobody lets run keeps what it was given, for the instruction as for read(2). */
TEST(counters_can_be_set)
{
	const struct lab_pair *pair = need_pmu();
	struct lab_map map;
	int counter;

	allow_instruction();
	LAB_GOOD(lab_pin(0));
	(void)hold_counter(pair);
	counter = LAB_OPEN(pair->counter, O_RDWR);
	LAB_GOOD(lab_fd_set_text(counter, pair->count));
	LAB_TEXT_IS(counter, pair->count);
	LAB_GOOD(lab_fd_map(counter, 1, &map));
	TT_IS(lab_pmc_read(map.page.index), pair->count);
	lab_unmap(&map);
}

/* ---- perf and the driver ---- */

TEST(perf_and_the_driver_exclude_each_other)
{
	const struct lab_pair *pair = need_pmu();
	uint64_t value;
	int event, fd;

	lab_perf_begins();
	event = open_instructions(0);
	if (event < 0)
		TT_SKIP("perf counts no instructions in this guest");
	TT_IS(lab_reg_open(pair->control, O_WRONLY), -EBUSY);
	TT_IS(lab_reg_open(pair->counter, O_RDWR), -EBUSY);
	LAB_REFUSED("perf");
	/* Reading takes nothing from anybody. */
	LAB_GOOD(lab_reg_get(pair->control, &value));
	LAB_GOOD(lab_reg_get(pair->counter, &value));
	TT_IS(read(event, &value, sizeof(value)), sizeof(value));
	(void)close(event);
	fd = hold_counter(pair);
	event = open_instructions(0);
	if (event >= 0) {
		/* An event may be made that cannot be put on a counter: then it has not run. */
		struct {
			uint64_t count, enabled, running;
		} r = { 0 };

		(void)close(event);
		event = (int)LAB_GOOD(open_instructions(PERF_FORMAT_TOTAL_TIME_ENABLED |
							PERF_FORMAT_TOTAL_TIME_RUNNING));
		lab_spin(100000);
		TT_IS(read(event, &r, sizeof(r)), sizeof(r));
		TT_IS(r.running, 0);
		TT_IS(r.count, 0);
		(void)close(event);
#if defined(__x86_64__)
		fail_msg("perf could open an event while the counters are reserved");
#endif
	} else {
		TT_IS(event, -EBUSY);
	}
	(void)close(fd);
	event = (int)LAB_GOOD(open_instructions(0));
	lab_spin(1000);
	TT_IS(read(event, &value, sizeof(value)), sizeof(value));
	assert_true(value >= 1000);
	(void)close(event);
	lab_perf_has_ended();
}

/* Where the watchdog is always a counter's: x86. */
#if defined(__x86_64__)
static const int has_no_buddy = 1;
#else
static const int has_no_buddy;
#endif

TEST(nmi_watchdog_is_a_user_like_others)
{
	const struct lab_pair *pair = need_pmu();
	char text[8];
	int fd;

	if (access(NMI_WATCHDOG, F_OK) != 0)
		TT_SKIP("this guest has no NMI watchdog");
	lab_perf_begins();
	if (lab_write(NMI_WATCHDOG, "1") < 0)
		TT_SKIP("the NMI watchdog of this guest cannot be started");
	lab_line(NMI_WATCHDOG, text, sizeof(text));
	fd = lab_reg_open(pair->control, O_WRONLY);
	if (text[0] != '1' || fd >= 0) {
		(void)lab_write(NMI_WATCHDOG, "0");
		if (fd < 0 || text[0] != '1')
			TT_SKIP("the NMI watchdog of this guest does not start");
		(void)close(fd);
		/*
		 * Since Linux 6.5 it can be another CPU that watches, without a counter
		 * (CONFIG_HARDLOCKUP_DETECTOR_BUDDY).
		 */
		TT_IS(has_no_buddy, 0);
		TT_SKIP("the NMI watchdog of this guest uses no counter");
	}
	TT_IS(fd, -EBUSY);
	LAB_GOOD(lab_write(NMI_WATCHDOG, "0"));
	(void)close(LAB_OPEN(pair->control, O_WRONLY));
	lab_perf_has_ended();
}

/* ---- each CPU, each package ---- */

#if defined(__x86_64__)
/* The kernel's own way to the same register. */
static uint64_t msr(unsigned int cpu, off_t address)
{
	char path[64];
	uint64_t value = 0;
	int fd;

	(void)snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	TT_IS(pread(fd, &value, 8, address), 8);
	(void)close(fd);
	return value;
}

/*
 * Each CPU has its own register behind one number; whoever asks, and from wherever, gets the one he
 * names.
 */
TEST(each_cpu_answers_for_itself)
{
	const struct lab_pair *pair = need_pmu();
	char path[2][LAB_PATH];
	struct ntime_page page;
	int fd[2];

	if (lab_cpus() < 2)
		TT_SKIP("this guest has one CPU");
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		lab_of_cpu(pair->counter, cpu, path[cpu]);
		fd[cpu] = LAB_OPEN(path[cpu], O_RDWR);
		LAB_GOOD(lab_fd_set_text(fd[cpu], 0x1111 * (cpu + 1)));
	}
	LAB_GOOD(lab_reg_describe(pair->counter, &page));
	for (unsigned int from = 0; from < 2; from++) {
		LAB_GOOD(lab_pin(from));
		for (unsigned int cpu = 0; cpu < 2; cpu++) {
			LAB_TEXT_IS(fd[cpu], 0x1111 * (cpu + 1));
			TT_IS(msr(cpu, (off_t)page.address), 0x1111 * (cpu + 1));
		}
	}
	(void)close(fd[0]);
	LAB_REG_IS(path[1], 0x2222);
}

TEST(each_package_answers_for_itself)
{
	/* the first uncore counter of a Nehalem */
	static const char *const reg[2] = { "uncore0/msr/0x3b0", "uncore1/msr/0x3b0" };
	char target[32] = "", path[LAB_FILE];
	int fd[2];

	if (!lab_reg_is_here(reg[1]))
		TT_SKIP("this guest has no second package");
	assert_true(readlink(lab_reg_path("core1/uncore", path), target, sizeof(target) - 1) > 0);
	TT_TEXT(target, "../uncore1");
	for (unsigned int i = 0; i < 2; i++) {
		fd[i] = LAB_OPEN(reg[i], O_RDWR);
		LAB_GOOD(lab_fd_set_text(fd[i], 0x333 * (i + 1)));
	}
	for (unsigned int i = 0; i < 2; i++) {
		LAB_GOOD(lab_pin(i));
		TT_IS(msr(i, 0x3b0), 0x333 * (i + 1));
		LAB_REG_IS(reg[i], 0x333 * (i + 1));
		LAB_REG_IS(reg[!i], 0x333 * (2 - i));
	}
}

/* ---- what perf counts outside of cores ---- */

/* The clock of the uncore of package 0 (event ffh: the fixed counter), counted by perf. */
static int open_uncore_clock(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .config = 0xff };
	FILE *f = fopen("/sys/bus/event_source/devices/uncore/type", "re");

	if (!f)
		return -ENOENT;
	if (fscanf(f, "%u", &attr.type) != 1)
		attr.type = UINT32_MAX;
	(void)fclose(f);
	return (int)LAB_GOOD(syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC));
}

static uint64_t event_value(int event)
{
	uint64_t value;

	TT_IS(read(event, &value, sizeof(value)), sizeof(value));
	return value;
}

/*
 * Nothing in the kernel reserves such a box: while perf counts there none of it can be claimed, and
 * what is open meanwhile disturbs nothing.
 */
TEST(box_that_counts_is_left_alone)
{
	/* A counter, its control, the fixed counter, its control, and the enable of all. */
	static const char *const regs[] = { "uncore0/msr/0x3b0", "uncore0/msr/0x3c0",
					    "uncore0/msr/0x394", "uncore0/msr/0x395",
					    "uncore0/msr/0x391" };
	int event, fd;
	uint64_t before, after, value;

	if (!lab_reg_is_here(regs[0]))
		TT_SKIP("this guest has no uncore");
	lab_perf_begins();
	event = open_uncore_clock();
	if (event < 0)
		TT_SKIP("perf of this guest has no uncore");
	before = event_value(event);
	for (size_t i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		TT_IS(lab_reg_open(regs[i], O_RDWR), -EBUSY);
		LAB_GOOD(lab_reg_get(regs[i], &value));
	}
	after = event_value(event);
	assert_true(after > before);
	(void)close(event);
	/* perf leaves the enable of all set, and counts nothing: it is free. */
	for (size_t i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		(void)close(LAB_OPEN(regs[i], O_RDWR));
	/*
	 * perf begins after another counter was opened: closing that one, which was not written, is
	 * nothing to perf's.
	 */
	fd = LAB_OPEN(regs[0], O_RDWR);
	event = open_uncore_clock();
	(void)usleep(1000);
	LAB_GOOD(lab_reg_get(regs[2], &before));
	(void)close(fd);
	LAB_GOOD(lab_reg_get(regs[2], &after));
	assert_true(after > before);
	(void)close(event);
	lab_perf_has_ended();
}

/* What the driver says is what the kernel's MSR device says, of every register of every CPU. */
TEST(msr_device_agrees)
{
	struct lab_rows rows;
	unsigned int compared = 0;

	if (access("/dev/cpu/0/msr", F_OK) != 0)
		TT_SKIP("this guest has no MSR device");
	LAB_GOOD(lab_rows_take(&rows));
	for (size_t i = 0; i < rows.count; i++) {
		const struct lab_row *r = &rows.rows[i];

		if (strncmp(r->path, "core", 4) != 0 || !strstr(r->path, "/msr/") || r->error ||
		    lab_row_moves(r->name))
			continue;
		TT_IS(r->value, msr((unsigned int)strtoul(r->path + 4, NULL, 10),
				    strtol(strrchr(r->path, '/') + 1, NULL, 16)));
		compared++;
	}
	lab_rows_free(&rows);
	print_message("# %u registers\n", compared);
	if (!compared)
		TT_SKIP("no CPU of this guest has a register with a row");
}

/* The clock is read by its own instruction, whoever is pinned where. */
TEST(clock_has_its_own_instruction)
{
	struct ntime_page page;

	if (!lab_reg_is_here("core0/msr/0x10"))
		TT_SKIP("this guest's clock has no row");
	LAB_GOOD(lab_reg_describe("core0/msr/0x10", &page));
	TT_IS(page.type, NTIME_PAGE_TSC);
	TT_IS(page.width, 64);
	LAB_GOOD(lab_pin(0));
	LAB_GOOD(lab_reg_describe("core0/msr/0x10", &page));
	TT_IS(page.type, NTIME_PAGE_TSC);
}
#else
#define box_that_counts_is_left_alone x86_alone
#define each_cpu_answers_for_itself x86_alone
#define each_package_answers_for_itself x86_alone
#define msr_device_agrees x86_alone
#define clock_has_its_own_instruction x86_alone
TEST(x86_alone)
{
	TT_SKIP("asks for MSRs");
}
#endif

/* ---- afterwards ---- */

static long count_until_killed(void *arg)
{
	const struct lab_pair *pair = arg;
	int run[3], counter, ret = lab_pin(0);
	struct lab_map map;

	if (ret == 0)
		ret = lab_pair_run(pair, 0, run);
	if (ret < 0)
		return ret;
	counter = lab_reg_open(pair->counter, O_RDWR);
	if (counter < 0)
		return counter;
	ret = lab_fd_set_text(counter, 0);
	if (ret == 0)
		ret = lab_fd_map(counter, 1, &map);
	if (ret < 0)
		return ret;
	lab_ready();
	for (;;)
		if (map.page.type == NTIME_PAGE_PMC)
			(void)lab_pmc_read(map.page.index);
}

/*
 * In mid-count, with the instruction allowed. The last test compares all rows; here, that nobody
 * else may use it and perf gets its counters.
 */
TEST(killed_while_counting)
{
	const struct lab_pair *pair = need_pmu();
	struct lab_process p;
	int event;

	allow_instruction();
	for (unsigned int i = 0; i < 5; i++) {
		lab_perf_begins();
		LAB_GOOD(lab_spawn(&p, count_until_killed, pair));
		TT_IS(lab_reg_open(pair->control, O_WRONLY), -EBUSY);
		TT_IS(lab_kill(&p), 128 + SIGKILL);
		lab_perf_begins();
		if (is_allowed_by_process())
			TT_IS(signal_of_instruction(0), SIGNAL_OF_INSTRUCTION);
		event = open_instructions(0);
		if (event >= 0)
			(void)close(event);
		else if (event != -ENOENT && event != -EOPNOTSUPP)
			fail_msg("perf does not get its counters back: %s", strerror(-event));
		lab_perf_has_ended();
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(instruction_is_for_the_pinned),
		LAB_DRIVER_TEST(fixed_counters_have_their_index),
		LAB_DRIVER_TEST(instruction_goes_with_the_mapping),
		LAB_DRIVER_TEST(children_inherit_and_programs_do_not),
		LAB_DRIVER_TEST(perf_keeps_its_own_permission),
		LAB_DRIVER_TEST(policy_of_perf_is_respected),
		LAB_DRIVER_TEST(instruction_counts_the_truth),
		LAB_DRIVER_TEST(counters_can_be_set),
		LAB_DRIVER_TEST(perf_and_the_driver_exclude_each_other),
		LAB_DRIVER_TEST(nmi_watchdog_is_a_user_like_others),
		LAB_DRIVER_TEST(each_cpu_answers_for_itself),
		LAB_DRIVER_TEST(each_package_answers_for_itself),
		LAB_DRIVER_TEST(box_that_counts_is_left_alone),
		LAB_DRIVER_TEST(msr_device_agrees),
		LAB_DRIVER_TEST(clock_has_its_own_instruction),
		LAB_DRIVER_TEST(killed_while_counting),
		LAB_DRIVER_LAST,
	};

	if (argc == 2 && strcmp(argv[1], TRY_WORD) == 0)
		return (int)(lab_pmc_read(0) & 0);
	lab_driver_parameters = LAB_USER_ACCESS;
	return LAB_DRIVER_RUN(tests);
}
