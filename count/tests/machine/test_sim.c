// SPDX-License-Identifier: MIT
/* Simulated perf events: who may open what, what reads return, how groups share counters. */
#include <errno.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "count/tests/sim/sim.h"
#include "count/tests/machine/recorded.h"

#define NO_PID 999999999 /* above the kernel's largest pid_max, 2^22 */

/* %s: privileged, paranoid, then more members of "counting". */
static const char machine[] =
	"{\"format\":\"ntime-machine\",\"version\":1,\"source\":\"test\",\"arch\":\"%s\","
	"\"privileged\":%s,"
	"\"files\":{\"/proc/sys/kernel/perf_event_paranoid\":\"%d\\n\","
	"\"/proc/sys/kernel/perf_event_max_sample_rate\":\"50000\\n\","
	"\"/sys/devices/system/cpu/online\":\"0-2\\n\",\"/sys/devices/system/cpu/"
	"possible\":\"0-3\\n\","
	"\"/sys/bus/event_source/devices/%s/type\":\"4\\n\",\"/sys/bus/event_source/devices/%s/"
	"caps/max_precise\":\"2\\n\","
	"\"/sys/bus/event_source/devices/uncore_imc_{0-1}/type\":\"{n+20}\\n\","
	"\"/sys/bus/event_source/devices/uncore_imc_{0-1}/cpumask\":\"0\\n\","
	"\"/sys/bus/event_source/devices/msr/type\":\"9\\n\",\"/sys/bus/event_source/devices/msr/"
	"events/tsc\":\"event=0x00\\n\","
	"\"/sys/bus/event_source/devices/ibs_op/type\":\"11\\n\","
	"\"/sys/bus/event_source/devices/software/type\":\"1\\n\",\"/sys/bus/event_source/devices/"
	"tracepoint/type\":\"2\\n\","
	"\"/sys/kernel/tracing/events/sched/sched_switch/id\":\"314\\n\"},"
	"\"counting\":{\"clock\":{\"step_ns\":1000000},\"default_rate\":1000000,\"user_permille\":"
	"600,"
	"\"counters\":{\"cpu*\":{\"general\":4,\"fixed\":3},\"uncore_imc_*\":{\"general\":4}},"
	"\"unsupported\":[\"stalled-cycles-frontend\",\"3:0x10004\"],"
	"\"rates\":{\"cycles\":2000000000,\"instructions\":3000000000,\"cpu:0x1c2\":5000000}%s}%s}";

static struct nti_os *os_new(const char *privileged, int paranoid, const char *counting,
			     const char *more)
{
	char text[4096];

	assert_true((size_t)snprintf(text, sizeof(text), machine, "x86_64", privileged, paranoid,
				     "cpu", "cpu", counting, more) < sizeof(text));
	return os_of_text(text);
}

/* The machine of most tests: all is permitted. */
static struct nti_os *os;

static int set_up(void **state)
{
	(void)state;
	os = os_new("true", -1, "", "");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	os->ops->free(os);
	return 0;
}

/* Another one in its place. */
static void become(struct nti_os *other)
{
	os->ops->free(os);
	os = other;
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){ .type = type,
					 .size = sizeof(struct perf_event_attr),
					 .config = config };
}

/* Of this process, on any CPU. */
static int open_attr(struct perf_event_attr *attr, int group)
{
	return os->ops->perf_open(os, attr, 0, -1, group, 0);
}

static int open_event(uint32_t type, uint64_t config, pid_t pid, int cpu, int group)
{
	struct perf_event_attr attr = attr_of(type, config);

	return os->ops->perf_open(os, &attr, pid, cpu, group, 0);
}

/* Let @ns of simulated time pass; the step of these machines is 1 ms. */
static void pass(uint64_t ns)
{
	uint64_t i;

	for (i = 0; i < ns / 1000000; i++)
		(void)os->ops->now_ns(os);
}

/* All words of a read are as @want says, "9 . 7"; a point stands for any. */
#define READS(fd, want) reads((fd), (want), __LINE__)

static void reads(int fd, const char *want, int line)
{
	uint64_t words[16] = { 0 };
	long long n = 0;
	long long bytes = os->ops->read(os, fd, words, sizeof(words));

	for (char *end; *want; want = *end ? end + 1 : end, n++) {
		uint64_t word = strtoull(want, &end, 10);

		if (*want == '.')
			end = (char *)want + 1;
		else
			tt_eq_((long long)words[n], (long long)word, "a word", __FILE__, line);
	}
	tt_eq_(bytes, 8 * n, "read()", __FILE__, line);
}

#define HW PERF_TYPE_HARDWARE
#define SW PERF_TYPE_SOFTWARE
#define TP PERF_TYPE_TRACEPOINT
#define CACHE PERF_TYPE_HW_CACHE
#define IMC 20

static const struct open_row {
	int line;
	uint32_t type;
	uint64_t config;
	int pid; /* 0: this process */
	int cpu;
	int ret; /* 0: a descriptor */
} open_rows[] = {
	{ __LINE__, HW, PERF_COUNT_HW_CPU_CYCLES, 0, -1, 0 },
	{ __LINE__, HW, PERF_COUNT_HW_CPU_CYCLES, -1, 2, 0 },
	{ __LINE__, HW, PERF_COUNT_HW_CPU_CYCLES, 0, 1, 0 },
	{ __LINE__, HW, 4ull << 32 | PERF_COUNT_HW_CPU_CYCLES, 0, -1, 0 },
	{ __LINE__, HW, 20ull << 32 | PERF_COUNT_HW_CPU_CYCLES, 0, -1, -ENOENT },
	{ __LINE__, HW, PERF_COUNT_HW_CPU_CYCLES, -1, -1, -EINVAL },
	{ __LINE__, HW, PERF_COUNT_HW_CPU_CYCLES, -1, 3, -ENODEV },
	{ __LINE__, HW, PERF_COUNT_HW_CPU_CYCLES, -1, 4, -EINVAL },
	{ __LINE__, HW, PERF_COUNT_HW_CPU_CYCLES, -1, -2, -EINVAL },
	{ __LINE__, HW, PERF_COUNT_HW_CPU_CYCLES, NO_PID, -1, -ESRCH },
	{ __LINE__, HW, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0, -1, -ENOENT },
	{ __LINE__, HW, PERF_COUNT_HW_MAX, 0, -1, -EINVAL },
	{ __LINE__, CACHE, 0x10000, 0, -1, 0 },
	{ __LINE__, CACHE, 0x10004, 0, -1, -ENOENT },
	{ __LINE__, CACHE, 0x10007, 0, -1, -EINVAL },
	{ __LINE__, CACHE, 0x00300, 0, -1, -EINVAL },
	{ __LINE__, CACHE, 0x20000, 0, -1, -EINVAL },
	{ __LINE__, PERF_TYPE_RAW, 0x1c2, 0, -1, 0 },
	{ __LINE__, SW, PERF_COUNT_SW_TASK_CLOCK, 0, -1, 0 },
	{ __LINE__, SW, PERF_COUNT_SW_MAX, 0, -1, -ENOENT },
	{ __LINE__, TP, 314, 0, -1, 0 },
	{ __LINE__, TP, 315, 0, -1, -ENOENT },
	{ __LINE__, IMC, 0x304, -1, 0, 0 },
	{ __LINE__, IMC, 0x304, 0, -1, -EINVAL },
	{ __LINE__, IMC, 0x304, 0, 0, -EINVAL },
	{ __LINE__, 9, 0, 0, -1, 0 },
	{ __LINE__, 9, 1, 0, -1, -EINVAL },
	{ __LINE__, 11, 0, 0, -1, -EINVAL },
	{ __LINE__, 11, 0, -1, 0, 0 },
	{ __LINE__, 77, 0, 0, -1, -ENOENT },
};

TEST(opening)
{
	TT_FOR_EACH_ROW(r, open_rows) {
		int fd = open_event(r->type, r->config, r->pid, r->cpu, -1);

		TT_EQ(r, fd < 0 ? fd : 0, r->ret);
		if (fd < 0)
			continue;
		/* cannot be mistaken for a descriptor of this process */
		TT_EQ(r, fd > 1 << 30, 1);
		os->ops->close(os, fd);
	}
}

#define ALL sizeof(struct perf_event_attr)

static const struct attr_row {
	int line;
	struct perf_event_attr attr;
	int ret;
} attr_rows[] = {
	{ __LINE__, { .type = HW, .size = PERF_ATTR_SIZE_VER0 }, 0 },
	{ __LINE__, { .type = HW, .size = 0 }, 0 },
	{ __LINE__, { .type = HW, .size = PERF_ATTR_SIZE_VER0 - 8 }, -E2BIG },
	{ __LINE__, { .type = HW, .size = 5000 }, -E2BIG },
	{ __LINE__, { .type = HW, .size = ALL, .read_format = 1 << 10 }, -EINVAL },
	{ __LINE__, { .type = HW, .size = ALL, .sample_type = 1ull << 40 }, -EINVAL },
	{ __LINE__, { .type = HW, .size = ALL, .__reserved_2 = 1 }, -EINVAL },
	{ __LINE__, { .type = HW, .size = ALL, .freq = 1, .sample_freq = 50001 }, -EINVAL },
	{ __LINE__, { .type = HW, .size = ALL, .freq = 1, .sample_freq = 50000 }, 0 },
	{ __LINE__, { .type = HW, .size = ALL, .sample_period = 1ull << 63 }, -EINVAL },
	{ __LINE__, { .type = HW, .size = ALL, .precise_ip = 2 }, 0 },
	{ __LINE__, { .type = HW, .size = ALL, .precise_ip = 3 }, -EOPNOTSUPP },
	{ __LINE__, { .type = 9, .size = ALL, .exclude_kernel = 1 }, -EINVAL },
	{ __LINE__, { .type = 9, .size = ALL, .sample_period = 1000 }, -EOPNOTSUPP },
};

TEST(attributes)
{
	struct perf_event_attr whole = attr_of(HW, 0);

	TT_FOR_EACH_ROW(r, attr_rows) {
		struct perf_event_attr attr = r->attr;
		int fd = open_attr(&attr, -1);

		TT_EQ(r, fd < 0 ? fd : 0, r->ret);
		if (fd == -E2BIG)
			TT_EQ(r, attr.size, sizeof(attr));
	}
	TT_IS(open_event(HW, 0, 0, -1, 12345), -EBADF);
	TT_IS(os->ops->perf_open(os, &whole, 0, -1, -1, 1 << 20), -EINVAL);
	TT_IS(os->ops->perf_open(os, &whole, 0, -1, -1, PERF_FLAG_PID_CGROUP), -EOPNOTSUPP);
}

/* A size beyond the structure known here is fine as long as the rest is zero, as in the kernel. */
TEST(attributes_of_the_future)
{
	struct {
		struct perf_event_attr attr;
		uint64_t more[2];
	} future = { .attr = attr_of(HW, 0) };

	future.attr.size = sizeof(future);
	assert_true(open_attr(&future.attr, -1) > 0);
	future.attr.size = sizeof(future);
	future.more[1] = 1;
	TT_IS(open_attr(&future.attr, -1), -E2BIG);
}

static const struct permission_row {
	int line;
	const char *privileged;
	int paranoid;
	int user, kernel, cpu; /* :u of a task, everything of a task, :u of a CPU: 0 or the error */
	const char *more;      /* NULL: nothing */
} permission_rows[] = {
	{ __LINE__, "true", 4, 0, 0, 0 },
	{ __LINE__, "\"perfmon\"", 2, 0, 0, 0 },
	{ __LINE__, "\"perfmon\"", 3, -EACCES, -EACCES, -EACCES },
	{ __LINE__, "false", -1, 0, 0, 0 },
	{ __LINE__, "false", 0, 0, 0, 0 },
	{ __LINE__, "false", 1, 0, 0, -EACCES },
	{ __LINE__, "false", 2, 0, -EACCES, -EACCES },
	{ __LINE__, "false", 3, -EACCES, -EACCES, -EACCES },
	{ __LINE__, "false", 4, -EACCES, -EACCES, -EACCES },
	{ __LINE__, "true", -1, -EPERM, -EPERM, -EPERM, ",\"denied_perf\":\"EPERM\"" },
};

static int try_open(bool is_user, pid_t pid, int cpu)
{
	struct perf_event_attr attr = attr_of(HW, PERF_COUNT_HW_CPU_CYCLES);
	int fd;

	attr.exclude_kernel = is_user;
	fd = os->ops->perf_open(os, &attr, pid, cpu, -1, 0);
	return fd < 0 ? fd : 0;
}

TEST(permissions)
{
	TT_FOR_EACH_ROW(r, permission_rows) {
		become(os_new(r->privileged, r->paranoid, "", r->more ? r->more : ""));
		TT_EQ(r, try_open(true, 0, -1), r->user);
		TT_EQ(r, try_open(false, 0, -1), r->kernel);
		TT_EQ(r, try_open(true, -1, 0), r->cpu);
	}
}

static const struct still_row {
	int line;
	const char *privileged;
	int paranoid;
	const char *more;
	/* in user mode, in kernel mode, of a CPU, a tracepoint */
	int user, kernel, cpu, tracepoint;
} still_rows[] = {
	{ __LINE__, "false", -1, "", 0, 0, 0, 0 },
	{ __LINE__, "false", 0, "", 0, 0, 0, 0 },
	{ __LINE__, "false", 1, "", 0, 0, -EACCES, 0 },
	{ __LINE__, "false", 2, "", 0, -EACCES, -EACCES, -EACCES },
	{ __LINE__, "false", 3, "", -EACCES, -EACCES, -EACCES, -EACCES },
	{ __LINE__, "true", 3, "", 0, 0, 0, 0 },
	{ __LINE__, "true", -1, ",\"denied_perf\":\"EPERM\"", -EPERM, -EPERM, -EPERM, -EPERM },
};

/* A recording without "counting", as the library has them: opened for a plan, never counted. */
TEST(recordings_stand_still)
{
	TT_FOR_EACH_ROW(r, still_rows) {
		struct perf_event_attr attr = attr_of(SW, PERF_COUNT_SW_DUMMY);
		char text[512], word[8];

		(void)snprintf(text, sizeof(text),
			       "{\"format\":\"ntime-machine\",\"version\":1,\"source\":\"test\","
			       "\"arch\":\"x86_64\",\"privileged\":%s,\"files\":"
			       "{\"/proc/sys/kernel/perf_event_paranoid\":\"%d\\n\"}%s}",
			       r->privileged, r->paranoid, r->more);
		become(os_of_text(text));
		TT_EQ(r, os->is_still, 1);
		TT_EQ(r, open_event(TP, 314, 0, -1, -1) < 0, r->tracepoint < 0);
		TT_EQ(r, open_event(SW, PERF_COUNT_SW_DUMMY, 0, -1, -1) < 0, r->kernel < 0);
		attr.exclude_kernel = 1;
		TT_EQ(r, os->ops->perf_open(os, &attr, -1, 0, -1, 0) < 0, r->cpu < 0);
		TT_EQ(r, open_attr(&attr, -1) < 0, r->user < 0);
		if (r->user == 0)
			TT_EQ(r, os->ops->read(os, open_attr(&attr, -1), word, sizeof(word)),
			      -EOPNOTSUPP);
	}
}

TEST(reads_have_the_layout_that_was_asked_for)
{
	struct perf_event_attr attr = attr_of(HW, PERF_COUNT_HW_CPU_CYCLES);
	uint64_t words[8], id;
	int plain, full;

	plain = open_attr(&attr, -1);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			   PERF_FORMAT_ID | PERF_FORMAT_LOST;
	full = open_attr(&attr, -1);
	pass(5000000);
	READS(plain, "10000000");
	TT_IS(os->ops->read(os, plain, words, 7), -ENOSPC);
	READS(full, "10000000 5000000 5000000 . 0");
	TT_IS(os->ops->read(os, full, words, sizeof(words)), 40);
	TT_IS(os->ops->ioctl(os, full, PERF_EVENT_IOC_ID, (unsigned long)&id), 0);
	TT_IS(id, words[3]);
	TT_IS(os->ops->read(os, full, words, 39), -ENOSPC);
	TT_IS(os->ops->read(os, 12345, words, 40), -EBADF);
	os->ops->close(os, full);
	TT_IS(os->ops->read(os, full, words, 40), -EBADF);
	TT_IS(os->ops->ioctl(os, full, PERF_EVENT_IOC_ENABLE, 0), -EBADF);
}

TEST(groups_are_read_whole)
{
	struct perf_event_attr attr = attr_of(HW, PERF_COUNT_HW_CPU_CYCLES);
	uint64_t words[16];
	int leader, member, clock;

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = 1;
	leader = open_attr(&attr, -1);
	attr.disabled = 0;
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	member = open_attr(&attr, leader);
	attr.type = SW;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	clock = open_attr(&attr, leader);
	assert_true(leader > 0 && member > 0 && clock > 0);
	pass(3000000);
	READS(leader, "3 0 . 0 . 0 . . .");
	TT_IS(os->ops->ioctl(os, leader, PERF_EVENT_IOC_ENABLE, 0), 0);
	pass(4000000);
	READS(member, ". 4000000 4000000 8000000 . 12000000 . 4000000 .");
	TT_IS(os->ops->read(os, member, words, sizeof(words)), 9 * 8);
	assert_true(words[4] != words[6] && words[6] != words[8]);
	TT_IS(os->ops->read(os, leader, words, 9 * 8 - 1), -ENOSPC);
	/* reset clears counts, not times; without the flag only the one event's */
	TT_IS(os->ops->ioctl(os, leader, PERF_EVENT_IOC_RESET, 0), 0);
	READS(leader, ". 4000000 . 0 . 12000000 . . .");
	TT_IS(os->ops->ioctl(os, member, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP), 0);
	TT_IS(os->ops->ioctl(os, leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP), 0);
	pass(9000000);
	READS(leader, ". 4000000 . . . 0 . 0 .");
	TT_IS(os->ops->ioctl(os, leader, 0x1234, 0), -ENOTTY);
}

TEST(a_group_outlives_its_leader)
{
	int leader = open_event(HW, PERF_COUNT_HW_CPU_CYCLES, 0, -1, -1);
	int member = open_event(HW, PERF_COUNT_HW_INSTRUCTIONS, 0, -1, leader);
	int other = open_event(HW, PERF_COUNT_HW_BRANCH_MISSES, 0, -1, leader);
	uint64_t word;

	pass(1000000);
	os->ops->close(os, leader);
	pass(1000000);
	READS(member, "6000000");
	os->ops->close(os, other);
	TT_IS(os->ops->read(os, member, &word, 8), 8);
	TT_IS(open_event(HW, PERF_COUNT_HW_BRANCH_MISSES, 0, -1, leader), -EBADF);
	assert_true(open_event(HW, PERF_COUNT_HW_BRANCH_MISSES, 0, -1, member) > 0);
}

/*
 * Members that were many go on alone, each with its own place; a group whose read would be too
 * large is refused.
 */
TEST(large_groups)
{
	struct perf_event_attr attr = attr_of(SW, PERF_COUNT_SW_TASK_CLOCK);
	int leader, first = 0, fd, n = 0;
	uint64_t words[2048];

	attr.read_format = PERF_FORMAT_GROUP;
	leader = open_attr(&attr, -1);
	while ((fd = open_attr(&attr, leader)) > 0) {
		first = first ? first : fd;
		n++;
	}
	/* 3 words and one for each event stay below 16 KiB */
	TT_IS(fd, -E2BIG);
	TT_IS(n, 2048 - 3 - 2);
	TT_IS(os->ops->read(os, leader, words, sizeof(words)), (n + 2) * 8);
	os->ops->close(os, leader);
	pass(2000000);
	READS(first, "1 2000000");
}

static const struct group_row {
	int line;
	uint32_t leader_type;
	uint64_t leader_config;
	int leader_pid, leader_cpu;
	uint32_t type;
	uint64_t config;
	int pid, cpu, ret;
} group_rows[] = {
	{ __LINE__, HW, 0, 0, -1, HW, 1, 0, -1, 0 },
	{ __LINE__, HW, 0, 0, -1, SW, 1, 0, -1, 0 },
	{ __LINE__, SW, 1, 0, -1, HW, 0, 0, -1, 0 },
	{ __LINE__, SW, 1, -1, 0, IMC, 0, -1, 0, 0 },
	{ __LINE__, IMC, 0, -1, 0, IMC, 1, -1, 0, 0 },
	{ __LINE__, IMC, 0, -1, 0, IMC + 1, 1, -1, 0, -EINVAL },
	{ __LINE__, HW, 0, -1, 0, IMC, 1, -1, 0, -EINVAL },
	{ __LINE__, HW, 0, -1, 0, HW, 1, -1, 1, -EINVAL },
	{ __LINE__, HW, 0, 0, -1, HW, 1, 1, -1, -EINVAL },
	{ __LINE__, HW, 0, 0, -1, HW, 1, -1, 0, -EINVAL },
};

TEST(group_rules)
{
	TT_FOR_EACH_ROW(r, group_rows) {
		int leader, fd;

		become(os_new("true", -1, "", ""));
		leader = open_event(r->leader_type, r->leader_config, r->leader_pid, r->leader_cpu,
				    -1);
		TT_EQ(r, leader > 0, 1);
		fd = open_event(r->type, r->config, r->pid, r->cpu, leader);
		TT_EQ(r, fd < 0 ? fd : 0, r->ret);
	}
}

TEST(group_rules_of_attributes)
{
	struct perf_event_attr attr = attr_of(HW, 1);
	int leader = open_event(HW, 0, 0, -1, -1), member;

	attr.inherit = 1;
	TT_IS(open_attr(&attr, leader), -EINVAL);
	attr.inherit = 0;
	attr.pinned = 1;
	TT_IS(open_attr(&attr, leader), -EINVAL);
	attr.pinned = 0;
	member = open_attr(&attr, leader);
	assert_true(member > 0);
	TT_IS(open_event(HW, 2, 0, -1, member), -EINVAL);
	/* with NO_GROUP the descriptor says nothing */
	attr.pinned = 1;
	assert_true(os->ops->perf_open(os, &attr, 0, -1, leader, PERF_FLAG_FD_NO_GROUP) > 0);
}

/* 4 general counters, fixed ones for instructions, cycles and reference cycles. */
TEST(a_group_must_fit_the_pmu)
{
	int leader = open_event(PERF_TYPE_RAW, 0x1c2, 0, -1, -1), i;

	for (i = 0; i < 3; i++)
		assert_true(open_event(PERF_TYPE_RAW, 0x1c3, 0, -1, leader) > 0);
	TT_IS(open_event(PERF_TYPE_RAW, 0x1c4, 0, -1, leader), -EINVAL);
	assert_true(open_event(HW, PERF_COUNT_HW_CPU_CYCLES, 0, -1, leader) > 0);
	assert_true(open_event(PERF_TYPE_RAW, 0xc0, 0, -1, leader) > 0);
	assert_true(open_event(HW, PERF_COUNT_HW_REF_CPU_CYCLES, 0, -1, leader) > 0);
	TT_IS(open_event(HW, PERF_COUNT_HW_REF_CPU_CYCLES, 0, -1, leader), -EINVAL);
	TT_IS(open_event(PERF_TYPE_RAW, 0x3c, 0, -1, leader), -EINVAL);
	assert_true(open_event(SW, PERF_COUNT_SW_PAGE_FAULTS, 0, -1, leader) > 0);
}

/* Reference cycles cannot be counted anywhere else, even while general counters are free. */
TEST(reference_cycles_have_one_counter)
{
	int leader = open_event(HW, PERF_COUNT_HW_REF_CPU_CYCLES, 0, -1, -1);

	TT_IS(open_event(PERF_TYPE_RAW, 0x300, 0, -1, leader), -EINVAL);
	assert_true(open_event(HW, PERF_COUNT_HW_INSTRUCTIONS, 0, -1, leader) > 0);
	assert_true(open_event(PERF_TYPE_RAW, 0xc0, 0, -1, leader) > 0);
}

/* Two groups of three on four counters: they take turns, whole. */
TEST(groups_take_turns_whole)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, 0x1c2);
	int leader[2], i, k;

	attr.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (i = 0; i < 2; i++) {
		leader[i] = open_attr(&attr, -1);
		for (k = 0; k < 2; k++)
			assert_true(open_attr(&attr, leader[i]) > 0);
	}
	pass(12000000);
	READS(leader[0], "3 12000000 8000000 40000 40000 40000");
	READS(leader[1], "3 12000000 4000000 20000 20000 20000");
}

/* Five single events on four counters: each runs 4 of 5 slices of 4 ms; over 20 slices exactly. */
TEST(multiplexed_events_get_equal_shares)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, 0x1c2);
	int fd[5], i;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (i = 0; i < 5; i++)
		fd[i] = open_attr(&attr, -1);
	pass(80000000);
	for (i = 0; i < 5; i++)
		READS(fd[i], "320000 80000000 64000000");
	/* one fewer: all fit from now on */
	os->ops->close(os, fd[4]);
	pass(10000000);
	READS(fd[0], "370000 90000000 74000000");
}

/* Reading often or seldom gives the same counts: the result is a function of time alone. */
TEST(looking_does_not_change_counts)
{
	uint64_t words[2][7][3];
	int fd[7], i, k, round;

	for (round = 0; round < 2; round++) {
		struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, 0x1c2);

		become(os_new("true", -1, ",\"wobble\":{\"permille\":300,\"period_ns\":7000000}",
			      ""));
		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		for (i = 0; i < 7; i++)
			fd[i] = open_attr(&attr, -1);
		for (k = 0; k < 53; k++) {
			pass(1000000);
			for (i = 0; round && i < 7; i++)
				os->ops->read(os, fd[i], words[round][i], 24);
		}
		for (i = 0; i < 7; i++)
			TT_IS(os->ops->read(os, fd[i], words[round][i], 24), 24);
	}
	for (i = 0; i < 7; i++)
		TT_IS(words[0][i][0], words[1][i][0]);
}

/*
 * A wobble of 300 permille: +30% in the first half of a period, -30% in the second, nothing over
 * whole periods.
 */
TEST(wobble_changes_rates_over_time)
{
	int fd;

	become(os_new("true", -1, ",\"wobble\":{\"permille\":300,\"period_ns\":8000000}", ""));
	fd = open_event(HW, PERF_COUNT_HW_CPU_CYCLES, 0, -1, -1);
	pass(4000000);
	READS(fd, "10400000");
	pass(4000000);
	READS(fd, "16000000");
}

TEST(user_and_kernel_share_the_rate)
{
	struct perf_event_attr attr = attr_of(HW, PERF_COUNT_HW_CPU_CYCLES);
	int fd[2];

	attr.exclude_kernel = 1;
	fd[0] = open_attr(&attr, -1);
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	fd[1] = open_attr(&attr, -1);
	pass(1000000);
	READS(fd[0], "1200000");
	READS(fd[1], "800000");
}

/*
 * Pinned events come first; one that finds no counter is in error and reads as end of file until it
 * is enabled again.
 */
TEST(pinned_events_fail_loudly)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, 0x1c2);
	uint64_t word;
	int fd[5], i;

	attr.pinned = 1;
	for (i = 0; i < 5; i++)
		fd[i] = open_attr(&attr, -1);
	pass(1000000);
	for (i = 0; i < 4; i++)
		READS(fd[i], "5000");
	TT_IS(os->ops->read(os, fd[4], &word, 8), 0);
	os->ops->close(os, fd[0]);
	TT_IS(os->ops->ioctl(os, fd[4], PERF_EVENT_IOC_ENABLE, 0), 0);
	pass(1000000);
	READS(fd[4], "5000");
}

TEST(exclusive_groups_run_alone)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, 0x1c2);
	int alone, other;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.exclusive = 1;
	alone = open_attr(&attr, -1);
	attr.exclusive = 0;
	other = open_attr(&attr, -1);
	pass(8000000);
	READS(alone, ". . 4000000");
	READS(other, ". . 4000000");
}

TEST(enable_on_exec_enables_at_once)
{
	struct perf_event_attr attr = attr_of(HW, PERF_COUNT_HW_CPU_CYCLES);
	int fd;

	attr.disabled = 1;
	attr.enable_on_exec = 1;
	fd = open_attr(&attr, -1);
	pass(1000000);
	READS(fd, "2000000");
}

/*
 * A core PMU of another architecture: generic types find it under any number, cycles have a counter
 * of their own.
 */
TEST(arm_has_a_cycle_counter)
{
	static const char text[] =
		"{\"format\":\"ntime-machine\",\"version\":1,\"source\":\"test\",\"arch\":"
		"\"aarch64\",\"privileged\":true,"
		"\"files\":{\"/sys/devices/system/cpu/online\":\"0-3\\n\","
		"\"/sys/bus/event_source/devices/armv8_pmuv3_0/type\":\"8\\n\","
		"\"/sys/bus/event_source/devices/armv8_pmuv3_0/cpus\":\"0-1\\n\"},"
		"\"counting\":{\"clock\":{\"step_ns\":1000000},\"counters\":{\"armv8_*\":{"
		"\"general\":1,\"fixed\":1}}}}";
	int leader;

	become(os_of_text(text));
	leader = open_event(HW, PERF_COUNT_HW_INSTRUCTIONS, 0, -1, -1);
	assert_true(leader > 0);
	assert_true(open_event(8, 0x11, 0, -1, leader) > 0);
	TT_IS(open_event(8, 0x8, 0, -1, leader), -EINVAL);
	assert_true(open_event(PERF_TYPE_RAW, 0x8, -1, 1, -1) > 0);
	TT_IS(open_event(PERF_TYPE_RAW, 0x8, -1, 2, -1), -ENOENT);
}

TEST(faults_and_no_mapping)
{
	uint64_t word;
	void *page;
	int fd;

	become(os_new("true", -1, "",
		      ",\"faults\":[{\"call\":\"perf_open\",\"nth\":2,\"errno\":\"EMFILE\"},"
		      "{\"call\":\"read\",\"nth\":1,\"errno\":\"EINTR\"},"
		      "{\"call\":\"ioctl\",\"nth\":1,\"errno\":\"EIO\"}]"));
	fd = open_event(HW, 0, 0, -1, -1);
	TT_IS(open_event(HW, 0, 0, -1, -1), -EMFILE);
	TT_IS(os->ops->read(os, fd, &word, 8), -EINTR);
	TT_IS(os->ops->read(os, fd, &word, 8), 8);
	TT_IS(os->ops->ioctl(os, fd, PERF_EVENT_IOC_DISABLE, 0), -EIO);
	TT_IS(os->ops->ioctl(os, fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	TT_IS(os->ops->map(os, fd, 4096, &page), -ENODEV);
	assert_null(page);
}

TEST(products_may_exceed_64_bits)
{
	const uint64_t unit = UINT64_C(1000000000000000);

	TT_IS(nti_sim_scale(7, 3, 2), 10);
	TT_IS(nti_sim_scale(5, 0, 3), 0);
	TT_IS(nti_sim_scale(UINT64_MAX, unit, unit), UINT64_MAX);
	TT_IS(nti_sim_scale(unit, UINT64_MAX, unit), UINT64_MAX);
	/* (n-1)^2 / n = n - 2 + 1 / n */
	TT_IS(nti_sim_scale(unit - 1, unit - 1, unit), unit - 2);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(opening),
		CASE(attributes),
		CASE(attributes_of_the_future),
		CASE(permissions),
		CASE(recordings_stand_still),
		CASE(reads_have_the_layout_that_was_asked_for),
		CASE(groups_are_read_whole),
		CASE(a_group_outlives_its_leader),
		CASE(large_groups),
		CASE(group_rules),
		CASE(group_rules_of_attributes),
		CASE(a_group_must_fit_the_pmu),
		CASE(reference_cycles_have_one_counter),
		CASE(groups_take_turns_whole),
		CASE(multiplexed_events_get_equal_shares),
		CASE(looking_does_not_change_counts),
		CASE(wobble_changes_rates_over_time),
		CASE(user_and_kernel_share_the_rate),
		CASE(pinned_events_fail_loudly),
		CASE(exclusive_groups_run_alone),
		CASE(enable_on_exec_enables_at_once),
		CASE(arm_has_a_cycle_counter),
		CASE(faults_and_no_mapping),
		CASE(products_may_exceed_64_bits),
	};

	return TT_RUN(tests);
}
