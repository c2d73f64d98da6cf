// SPDX-License-Identifier: MIT
/* Simulated perf events: who may open what, what reads return, how groups share counters. */
#include <errno.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "base/os/replay/machine.h"
#include "count/tests/sim/sim.h"
#include "base/tests/tt.h"

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

static struct nti_os *os_from(const char *text)
{
	struct nti_error e = { 0 };
	struct nti_machine *m;
	struct nti_os *os;

	if (nti_machine_load_text("m", text, strlen(text), &m, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(nti_os_replay_new(m, &os), 0);
	return os;
}

static struct nti_os *os_new(const char *privileged, int paranoid, const char *counting,
			     const char *more)
{
	char text[4096];

	assert_true((size_t)snprintf(text, sizeof(text), machine, "x86_64", privileged, paranoid,
				     "cpu", "cpu", counting, more) < sizeof(text));
	return os_from(text);
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){ .type = type,
					 .size = sizeof(struct perf_event_attr),
					 .config = config };
}

static int open_event(struct nti_os *os, uint32_t type, uint64_t config, pid_t pid, int cpu,
		      int group)
{
	struct perf_event_attr attr = attr_of(type, config);

	return os->ops->perf_open(os, &attr, pid, cpu, group, 0);
}

/* Let @ns of simulated time pass; the step of these machines is 1 ms. */
static void pass(struct nti_os *os, uint64_t ns)
{
	uint64_t i;

	for (i = 0; i < ns / 1000000; i++)
		(void)os->ops->now_ns(os);
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
	struct nti_os *os = os_new("true", -1, "", "");

	TT_FOR_EACH_ROW(r, open_rows) {
		int fd = open_event(os, r->type, r->config, r->pid, r->cpu, -1);

		TT_EQ(r, fd < 0 ? fd : 0, r->ret);
		if (fd < 0)
			continue;
		/* cannot be mistaken for a descriptor of this process */
		TT_EQ(r, fd > 1 << 30, 1);
		os->ops->close(os, fd);
	}
	os->ops->free(os);
}

static const struct attr_row {
	int line;
	struct perf_event_attr attr;
	int ret;
} attr_rows[] = {
	{ __LINE__, { .type = HW, .size = PERF_ATTR_SIZE_VER0 }, 0 },
	{ __LINE__, { .type = HW, .size = 0 }, 0 },
	{ __LINE__, { .type = HW, .size = PERF_ATTR_SIZE_VER0 - 8 }, -E2BIG },
	{ __LINE__, { .type = HW, .size = 5000 }, -E2BIG },
	{ __LINE__,
	  { .type = HW, .size = sizeof(struct perf_event_attr), .read_format = 1 << 10 },
	  -EINVAL },
	{ __LINE__,
	  { .type = HW, .size = sizeof(struct perf_event_attr), .sample_type = 1ull << 40 },
	  -EINVAL },
	{ __LINE__,
	  { .type = HW, .size = sizeof(struct perf_event_attr), .__reserved_2 = 1 },
	  -EINVAL },
	{ __LINE__,
	  { .type = HW, .size = sizeof(struct perf_event_attr), .freq = 1, .sample_freq = 50001 },
	  -EINVAL },
	{ __LINE__,
	  { .type = HW, .size = sizeof(struct perf_event_attr), .freq = 1, .sample_freq = 50000 },
	  0 },
	{ __LINE__,
	  { .type = HW, .size = sizeof(struct perf_event_attr), .sample_period = 1ull << 63 },
	  -EINVAL },
	{ __LINE__, { .type = HW, .size = sizeof(struct perf_event_attr), .precise_ip = 2 }, 0 },
	{ __LINE__,
	  { .type = HW, .size = sizeof(struct perf_event_attr), .precise_ip = 3 },
	  -EOPNOTSUPP },
	{ __LINE__,
	  { .type = 9, .size = sizeof(struct perf_event_attr), .exclude_kernel = 1 },
	  -EINVAL },
	{ __LINE__,
	  { .type = 9, .size = sizeof(struct perf_event_attr), .sample_period = 1000 },
	  -EOPNOTSUPP },
};

TEST(attributes)
{
	struct nti_os *os = os_new("true", 2, "", "");

	TT_FOR_EACH_ROW(r, attr_rows) {
		struct perf_event_attr attr = r->attr;
		int fd = os->ops->perf_open(os, &attr, 0, -1, -1, 0);

		TT_EQ(r, fd < 0 ? fd : 0, r->ret);
		if (fd == -E2BIG)
			TT_EQ(r, attr.size, sizeof(attr));
	}
	TT_IS(open_event(os, HW, 0, 0, -1, 12345), -EBADF);
	{
		struct perf_event_attr attr = attr_of(HW, 0);

		TT_IS(os->ops->perf_open(os, &attr, 0, -1, -1, 1 << 20), -EINVAL);
		TT_IS(os->ops->perf_open(os, &attr, 0, -1, -1, PERF_FLAG_PID_CGROUP), -EOPNOTSUPP);
	}
	os->ops->free(os);
}

/* A size beyond the structure known here is fine as long as the rest is zero, as in the kernel. */
TEST(attributes_of_the_future)
{
	struct nti_os *os = os_new("true", 2, "", "");
	struct {
		struct perf_event_attr attr;
		uint64_t more[2];
	} future = { .attr = attr_of(HW, 0) };

	future.attr.size = sizeof(future);
	assert_true(os->ops->perf_open(os, &future.attr, 0, -1, -1, 0) > 0);
	future.attr.size = sizeof(future);
	future.more[1] = 1;
	TT_IS(os->ops->perf_open(os, &future.attr, 0, -1, -1, 0), -E2BIG);
	os->ops->free(os);
}

static const struct permission_row {
	int line;
	const char *privileged;
	int paranoid;
	int user, kernel, cpu; /* :u of a task, everything of a task, :u of a CPU: 0 or the error */
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
};

static int try_open(struct nti_os *os, bool is_user, pid_t pid, int cpu)
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
		struct nti_os *os = os_new(r->privileged, r->paranoid, "", "");

		TT_EQ(r, try_open(os, true, 0, -1), r->user);
		TT_EQ(r, try_open(os, false, 0, -1), r->kernel);
		TT_EQ(r, try_open(os, true, -1, 0), r->cpu);
		os->ops->free(os);
	}
}

TEST(denied)
{
	struct nti_os *os = os_new("true", -1, "", ",\"denied_perf\":\"EPERM\"");

	TT_IS(open_event(os, HW, 0, 0, -1, -1), -EPERM);
	os->ops->free(os);
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
		struct nti_os *os;
		char text[512], word[8];

		(void)snprintf(text, sizeof(text),
			       "{\"format\":\"ntime-machine\",\"version\":1,\"source\":\"test\","
			       "\"arch\":\"x86_64\",\"privileged\":%s,\"files\":"
			       "{\"/proc/sys/kernel/perf_event_paranoid\":\"%d\\n\"}%s}",
			       r->privileged, r->paranoid, r->more);
		os = os_from(text);
		TT_EQ(r, os->is_still, 1);
		TT_EQ(r, open_event(os, TP, 314, 0, -1, -1) < 0, r->tracepoint < 0);
		TT_EQ(r, open_event(os, SW, PERF_COUNT_SW_DUMMY, 0, -1, -1) < 0, r->kernel < 0);
		attr.exclude_kernel = 1;
		TT_EQ(r, os->ops->perf_open(os, &attr, -1, 0, -1, 0) < 0, r->cpu < 0);
		TT_EQ(r, os->ops->perf_open(os, &attr, 0, -1, -1, 0) < 0, r->user < 0);
		if (r->user == 0)
			TT_EQ(r,
			      os->ops->read(os, os->ops->perf_open(os, &attr, 0, -1, -1, 0), word,
					    sizeof(word)),
			      -EOPNOTSUPP);
		os->ops->free(os);
	}
}

TEST(reads_have_the_layout_that_was_asked_for)
{
	struct nti_os *os = os_new("true", -1, "", "");
	struct perf_event_attr attr = attr_of(HW, PERF_COUNT_HW_CPU_CYCLES);
	uint64_t words[8], id;
	int plain, full;

	plain = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			   PERF_FORMAT_ID | PERF_FORMAT_LOST;
	full = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
	pass(os, 5000000);
	TT_IS(os->ops->read(os, plain, words, sizeof(words)), 8);
	TT_IS(words[0], 10000000);
	TT_IS(os->ops->read(os, plain, words, 7), -ENOSPC);
	TT_IS(os->ops->read(os, full, words, sizeof(words)), 40);
	TT_IS(words[0], 10000000);
	TT_IS(words[1], 5000000);
	TT_IS(words[2], 5000000);
	TT_IS(words[4], 0);
	TT_IS(os->ops->ioctl(os, full, PERF_EVENT_IOC_ID, (unsigned long)&id), 0);
	TT_IS(id, words[3]);
	TT_IS(os->ops->read(os, full, words, 39), -ENOSPC);
	TT_IS(os->ops->read(os, 12345, words, 40), -EBADF);
	os->ops->close(os, full);
	TT_IS(os->ops->read(os, full, words, 40), -EBADF);
	TT_IS(os->ops->ioctl(os, full, PERF_EVENT_IOC_ENABLE, 0), -EBADF);
	os->ops->free(os);
}

TEST(groups_are_read_whole)
{
	struct nti_os *os = os_new("true", -1, "", "");
	struct perf_event_attr attr = attr_of(HW, PERF_COUNT_HW_CPU_CYCLES);
	uint64_t words[16];
	int leader, member, clock;

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = 1;
	leader = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
	attr.disabled = 0;
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	member = os->ops->perf_open(os, &attr, 0, -1, leader, 0);
	attr.type = SW;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	clock = os->ops->perf_open(os, &attr, 0, -1, leader, 0);
	assert_true(leader > 0 && member > 0 && clock > 0);
	pass(os, 3000000);
	TT_IS(os->ops->read(os, leader, words, sizeof(words)), 9 * 8);
	TT_IS(words[0], 3);
	TT_IS(words[1], 0);
	TT_IS(words[3], 0);
	TT_IS(words[5], 0);
	TT_IS(os->ops->ioctl(os, leader, PERF_EVENT_IOC_ENABLE, 0), 0);
	pass(os, 4000000);
	TT_IS(os->ops->read(os, member, words, sizeof(words)), 9 * 8);
	TT_IS(words[1], 4000000);
	TT_IS(words[2], 4000000);
	TT_IS(words[3], 8000000);
	TT_IS(words[5], 12000000);
	TT_IS(words[7], 4000000);
	assert_true(words[4] != words[6] && words[6] != words[8]);
	TT_IS(os->ops->read(os, leader, words, 9 * 8 - 1), -ENOSPC);
	/* reset clears counts, not times; without the flag only the one event's */
	TT_IS(os->ops->ioctl(os, leader, PERF_EVENT_IOC_RESET, 0), 0);
	TT_IS(os->ops->read(os, leader, words, sizeof(words)), 9 * 8);
	TT_IS(words[1], 4000000);
	TT_IS(words[3], 0);
	TT_IS(words[5], 12000000);
	TT_IS(os->ops->ioctl(os, member, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP), 0);
	TT_IS(os->ops->ioctl(os, leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP), 0);
	pass(os, 9000000);
	TT_IS(os->ops->read(os, leader, words, sizeof(words)), 9 * 8);
	TT_IS(words[1], 4000000);
	TT_IS(words[5], 0);
	TT_IS(words[7], 0);
	TT_IS(os->ops->ioctl(os, leader, 0x1234, 0), -ENOTTY);
	os->ops->free(os);
}

TEST(a_group_outlives_its_leader)
{
	struct nti_os *os = os_new("true", -1, "", "");
	int leader = open_event(os, HW, PERF_COUNT_HW_CPU_CYCLES, 0, -1, -1);
	int member = open_event(os, HW, PERF_COUNT_HW_INSTRUCTIONS, 0, -1, leader);
	int other = open_event(os, HW, PERF_COUNT_HW_BRANCH_MISSES, 0, -1, leader);
	uint64_t word;

	pass(os, 1000000);
	os->ops->close(os, leader);
	pass(os, 1000000);
	TT_IS(os->ops->read(os, member, &word, 8), 8);
	TT_IS(word, 6000000);
	os->ops->close(os, other);
	TT_IS(os->ops->read(os, member, &word, 8), 8);
	TT_IS(open_event(os, HW, PERF_COUNT_HW_BRANCH_MISSES, 0, -1, leader), -EBADF);
	assert_true(open_event(os, HW, PERF_COUNT_HW_BRANCH_MISSES, 0, -1, member) > 0);
	os->ops->free(os);
}

/*
 * Members that were many go on alone, each with its own place; a group whose read would be too
 * large is refused.
 */
TEST(large_groups)
{
	struct nti_os *os = os_new("true", -1, "", "");
	struct perf_event_attr attr = attr_of(SW, PERF_COUNT_SW_TASK_CLOCK);
	int leader, first = 0, fd, n = 0;
	uint64_t words[2048];

	attr.read_format = PERF_FORMAT_GROUP;
	leader = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
	while ((fd = os->ops->perf_open(os, &attr, 0, -1, leader, 0)) > 0) {
		first = first ? first : fd;
		n++;
	}
	/* 3 words and one for each event stay below 16 KiB */
	TT_IS(fd, -E2BIG);
	TT_IS(n, 2048 - 3 - 2);
	TT_IS(os->ops->read(os, leader, words, sizeof(words)), (n + 2) * 8);
	os->ops->close(os, leader);
	pass(os, 2000000);
	TT_IS(os->ops->read(os, first, words, sizeof(words)), 16);
	TT_IS(words[0], 1);
	TT_IS(words[1], 2000000);
	os->ops->free(os);
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
		struct nti_os *os = os_new("true", -1, "", "");
		int leader = open_event(os, r->leader_type, r->leader_config, r->leader_pid,
					r->leader_cpu, -1),
		    fd;

		TT_EQ(r, leader > 0, 1);
		fd = open_event(os, r->type, r->config, r->pid, r->cpu, leader);
		TT_EQ(r, fd < 0 ? fd : 0, r->ret);
		os->ops->free(os);
	}
}

TEST(group_rules_of_attributes)
{
	struct nti_os *os = os_new("true", -1, "", "");
	struct perf_event_attr attr = attr_of(HW, 1);
	int leader = open_event(os, HW, 0, 0, -1, -1), member;

	attr.inherit = 1;
	TT_IS(os->ops->perf_open(os, &attr, 0, -1, leader, 0), -EINVAL);
	attr.inherit = 0;
	attr.pinned = 1;
	TT_IS(os->ops->perf_open(os, &attr, 0, -1, leader, 0), -EINVAL);
	attr.pinned = 0;
	member = os->ops->perf_open(os, &attr, 0, -1, leader, 0);
	assert_true(member > 0);
	TT_IS(open_event(os, HW, 2, 0, -1, member), -EINVAL);
	/* with NO_GROUP the descriptor says nothing */
	attr.pinned = 1;
	assert_true(os->ops->perf_open(os, &attr, 0, -1, leader, PERF_FLAG_FD_NO_GROUP) > 0);
	os->ops->free(os);
}

/* 4 general counters, fixed ones for instructions, cycles and reference cycles. */
TEST(a_group_must_fit_the_pmu)
{
	struct nti_os *os = os_new("true", -1, "", "");
	int leader = open_event(os, PERF_TYPE_RAW, 0x1c2, 0, -1, -1), i;

	for (i = 0; i < 3; i++)
		assert_true(open_event(os, PERF_TYPE_RAW, 0x1c3, 0, -1, leader) > 0);
	TT_IS(open_event(os, PERF_TYPE_RAW, 0x1c4, 0, -1, leader), -EINVAL);
	assert_true(open_event(os, HW, PERF_COUNT_HW_CPU_CYCLES, 0, -1, leader) > 0);
	assert_true(open_event(os, PERF_TYPE_RAW, 0xc0, 0, -1, leader) > 0);
	assert_true(open_event(os, HW, PERF_COUNT_HW_REF_CPU_CYCLES, 0, -1, leader) > 0);
	TT_IS(open_event(os, HW, PERF_COUNT_HW_REF_CPU_CYCLES, 0, -1, leader), -EINVAL);
	TT_IS(open_event(os, PERF_TYPE_RAW, 0x3c, 0, -1, leader), -EINVAL);
	assert_true(open_event(os, SW, PERF_COUNT_SW_PAGE_FAULTS, 0, -1, leader) > 0);
	os->ops->free(os);
}

/* Reference cycles cannot be counted anywhere else, even while general counters are free. */
TEST(reference_cycles_have_one_counter)
{
	struct nti_os *os = os_new("true", -1, "", "");
	int leader = open_event(os, HW, PERF_COUNT_HW_REF_CPU_CYCLES, 0, -1, -1);

	TT_IS(open_event(os, PERF_TYPE_RAW, 0x300, 0, -1, leader), -EINVAL);
	assert_true(open_event(os, HW, PERF_COUNT_HW_INSTRUCTIONS, 0, -1, leader) > 0);
	assert_true(open_event(os, PERF_TYPE_RAW, 0xc0, 0, -1, leader) > 0);
	os->ops->free(os);
}

/* Two groups of three on four counters: they take turns, whole. */
TEST(groups_take_turns_whole)
{
	struct nti_os *os = os_new("true", -1, "", "");
	struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, 0x1c2);
	uint64_t words[6];
	int leader[2], i, k;

	attr.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (i = 0; i < 2; i++) {
		leader[i] = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
		for (k = 0; k < 2; k++)
			assert_true(os->ops->perf_open(os, &attr, 0, -1, leader[i], 0) > 0);
	}
	pass(os, 12000000);
	for (i = 0; i < 2; i++) {
		uint64_t running = i ? 4000000 : 8000000;

		TT_IS(os->ops->read(os, leader[i], words, sizeof(words)), 48);
		TT_IS(words[1], 12000000);
		TT_IS(words[2], running);
		for (k = 3; k < 6; k++)
			TT_IS(words[k], running / 200);
	}
	os->ops->free(os);
}

static uint64_t read_times(struct nti_os *os, int fd, uint64_t *enabled, uint64_t *running)
{
	uint64_t words[3];

	assert_int_equal(os->ops->read(os, fd, words, sizeof(words)), sizeof(words));
	*enabled = words[1];
	*running = words[2];
	return words[0];
}

/* Five single events on four counters: each runs 4 of 5 slices of 4 ms; over 20 slices exactly. */
TEST(multiplexed_events_get_equal_shares)
{
	struct nti_os *os = os_new("true", -1, "", "");
	struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, 0x1c2);
	uint64_t enabled, running;
	int fd[5], i;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (i = 0; i < 5; i++)
		fd[i] = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
	pass(os, 80000000);
	for (i = 0; i < 5; i++) {
		TT_IS(read_times(os, fd[i], &enabled, &running), 320000);
		TT_IS(enabled, 80000000);
		TT_IS(running, 64000000);
	}
	/* one fewer: all fit from now on */
	os->ops->close(os, fd[4]);
	pass(os, 10000000);
	TT_IS(read_times(os, fd[0], &enabled, &running), 370000);
	TT_IS(enabled, 90000000);
	TT_IS(running, 74000000);
	os->ops->free(os);
}

/* Reading often or seldom gives the same counts: the result is a function of time alone. */
TEST(looking_does_not_change_counts)
{
	uint64_t count[2][7], enabled, running;
	int fd[7], i, k, round;

	for (round = 0; round < 2; round++) {
		struct nti_os *os = os_new(
			"true", -1, ",\"wobble\":{\"permille\":300,\"period_ns\":7000000}", "");
		struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, 0x1c2);

		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		for (i = 0; i < 7; i++)
			fd[i] = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
		for (k = 0; k < 53; k++) {
			pass(os, 1000000);
			for (i = 0; round && i < 7; i++)
				(void)read_times(os, fd[i], &enabled, &running);
		}
		for (i = 0; i < 7; i++)
			count[round][i] = read_times(os, fd[i], &enabled, &running);
		os->ops->free(os);
	}
	for (i = 0; i < 7; i++)
		TT_IS(count[0][i], count[1][i]);
}

/*
 * A wobble of 300 permille: +30% in the first half of a period, -30% in the second, nothing over
 * whole periods.
 */
TEST(wobble_changes_rates_over_time)
{
	struct nti_os *os =
		os_new("true", -1, ",\"wobble\":{\"permille\":300,\"period_ns\":8000000}", "");
	int fd = open_event(os, HW, PERF_COUNT_HW_CPU_CYCLES, 0, -1, -1);
	uint64_t word;

	pass(os, 4000000);
	os->ops->read(os, fd, &word, 8);
	TT_IS(word, 10400000);
	pass(os, 4000000);
	os->ops->read(os, fd, &word, 8);
	TT_IS(word, 16000000);
	os->ops->free(os);
}

TEST(user_and_kernel_share_the_rate)
{
	struct nti_os *os = os_new("true", -1, "", "");
	struct perf_event_attr attr = attr_of(HW, PERF_COUNT_HW_CPU_CYCLES);
	uint64_t user, kernel;
	int fd[2];

	attr.exclude_kernel = 1;
	fd[0] = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	fd[1] = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
	pass(os, 1000000);
	os->ops->read(os, fd[0], &user, 8);
	os->ops->read(os, fd[1], &kernel, 8);
	TT_IS(user, 1200000);
	TT_IS(kernel, 800000);
	os->ops->free(os);
}

/*
 * Pinned events come first; one that finds no counter is in error and reads as end of file until it
 * is enabled again.
 */
TEST(pinned_events_fail_loudly)
{
	struct nti_os *os = os_new("true", -1, "", "");
	struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, 0x1c2);
	uint64_t word;
	int fd[5], i;

	attr.pinned = 1;
	for (i = 0; i < 5; i++)
		fd[i] = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
	pass(os, 1000000);
	for (i = 0; i < 4; i++) {
		TT_IS(os->ops->read(os, fd[i], &word, 8), 8);
		TT_IS(word, 5000);
	}
	TT_IS(os->ops->read(os, fd[4], &word, 8), 0);
	os->ops->close(os, fd[0]);
	TT_IS(os->ops->ioctl(os, fd[4], PERF_EVENT_IOC_ENABLE, 0), 0);
	pass(os, 1000000);
	TT_IS(os->ops->read(os, fd[4], &word, 8), 8);
	TT_IS(word, 5000);
	os->ops->free(os);
}

TEST(exclusive_groups_run_alone)
{
	struct nti_os *os = os_new("true", -1, "", "");
	struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, 0x1c2);
	uint64_t enabled, running;
	int alone, other;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.exclusive = 1;
	alone = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
	attr.exclusive = 0;
	other = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
	pass(os, 8000000);
	(void)read_times(os, alone, &enabled, &running);
	TT_IS(running, 4000000);
	(void)read_times(os, other, &enabled, &running);
	TT_IS(running, 4000000);
	os->ops->free(os);
}

TEST(enable_on_exec_enables_at_once)
{
	struct nti_os *os = os_new("true", -1, "", "");
	struct perf_event_attr attr = attr_of(HW, PERF_COUNT_HW_CPU_CYCLES);
	uint64_t word;
	int fd;

	attr.disabled = 1;
	attr.enable_on_exec = 1;
	fd = os->ops->perf_open(os, &attr, 0, -1, -1, 0);
	pass(os, 1000000);
	os->ops->read(os, fd, &word, 8);
	TT_IS(word, 2000000);
	os->ops->free(os);
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
	struct nti_os *os = os_from(text);
	int leader = open_event(os, HW, PERF_COUNT_HW_INSTRUCTIONS, 0, -1, -1);

	assert_true(leader > 0);
	assert_true(open_event(os, 8, 0x11, 0, -1, leader) > 0);
	TT_IS(open_event(os, 8, 0x8, 0, -1, leader), -EINVAL);
	assert_true(open_event(os, PERF_TYPE_RAW, 0x8, -1, 1, -1) > 0);
	TT_IS(open_event(os, PERF_TYPE_RAW, 0x8, -1, 2, -1), -ENOENT);
	os->ops->free(os);
}

TEST(faults_and_no_mapping)
{
	struct nti_os *os =
		os_new("true", -1, "",
		       ",\"faults\":[{\"call\":\"perf_open\",\"nth\":2,\"errno\":\"EMFILE\"},"
		       "{\"call\":\"read\",\"nth\":1,\"errno\":\"EINTR\"},"
		       "{\"call\":\"ioctl\",\"nth\":1,\"errno\":\"EIO\"}]");
	int fd = open_event(os, HW, 0, 0, -1, -1);
	uint64_t word;
	void *page;

	TT_IS(open_event(os, HW, 0, 0, -1, -1), -EMFILE);
	TT_IS(os->ops->read(os, fd, &word, 8), -EINTR);
	TT_IS(os->ops->read(os, fd, &word, 8), 8);
	TT_IS(os->ops->ioctl(os, fd, PERF_EVENT_IOC_DISABLE, 0), -EIO);
	TT_IS(os->ops->ioctl(os, fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	TT_IS(os->ops->map(os, fd, 4096, &page), -ENODEV);
	assert_null(page);
	os->ops->free(os);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opening),
		cmocka_unit_test(attributes),
		cmocka_unit_test(attributes_of_the_future),
		cmocka_unit_test(permissions),
		cmocka_unit_test(denied),
		cmocka_unit_test(recordings_stand_still),
		cmocka_unit_test(reads_have_the_layout_that_was_asked_for),
		cmocka_unit_test(groups_are_read_whole),
		cmocka_unit_test(a_group_outlives_its_leader),
		cmocka_unit_test(large_groups),
		cmocka_unit_test(group_rules),
		cmocka_unit_test(group_rules_of_attributes),
		cmocka_unit_test(a_group_must_fit_the_pmu),
		cmocka_unit_test(reference_cycles_have_one_counter),
		cmocka_unit_test(groups_take_turns_whole),
		cmocka_unit_test(multiplexed_events_get_equal_shares),
		cmocka_unit_test(looking_does_not_change_counts),
		cmocka_unit_test(wobble_changes_rates_over_time),
		cmocka_unit_test(user_and_kernel_share_the_rate),
		cmocka_unit_test(pinned_events_fail_loudly),
		cmocka_unit_test(exclusive_groups_run_alone),
		cmocka_unit_test(enable_on_exec_enables_at_once),
		cmocka_unit_test(arm_has_a_cycle_counter),
		cmocka_unit_test(faults_and_no_mapping),
		cmocka_unit_test(products_may_exceed_64_bits),
	};

	return TT_RUN(tests);
}
