// SPDX-License-Identifier: MIT
/* count/lib/perf/trial.h: which answers of the kernel mean that a PMU does not count. */
#include <errno.h>
#include <linux/perf_event.h>

#include "count/lib/perf/trial.h"
#include "base/tests/tt.h"

#define FD 7

/* What the kernel says, and what it was asked. */
struct selftest_os {
	struct nti_os os; /* first: ops get this pointer */
	int open_ret, ioctl_ret;
	ssize_t read_ret; /* 0: a whole reading */
	uint64_t running_ns, count;
	struct perf_event_attr asked;
	uint64_t next_running_ns, next_count; /* from the second try on; 0 and 0: the same */
	unsigned int tries;
	int open_fds;
};

static int selftest_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu,
			 int group, unsigned long flags)
{
	struct selftest_os *p = (struct selftest_os *)os;

	(void)flags;
	TT_IS(pid, 0);
	TT_IS(cpu, -1);
	/* There is one counter. */
	if (group != -1)
		return -EINVAL;
	if (attr->config != PERF_COUNT_HW_CPU_CYCLES)
		return -ENOENT;
	p->tries++;
	p->asked = *attr;
	if (p->open_ret < 0)
		return p->open_ret;
	p->open_fds++;
	return FD;
}

static int selftest_ioctl(struct nti_os *os, int fd, unsigned long request, unsigned long arg)
{
	(void)request, (void)arg;
	TT_IS(fd, FD);
	return ((struct selftest_os *)os)->ioctl_ret;
}

static ssize_t selftest_read(struct nti_os *os, int fd, void *buf, size_t size)
{
	struct selftest_os *p = (struct selftest_os *)os;
	bool is_next = p->tries > 1 && p->next_running_ns;
	const uint64_t reading[] = { 1, 1000, is_next ? p->next_running_ns : p->running_ns,
				     is_next ? p->next_count : p->count };

	TT_IS(fd, FD);
	if (p->read_ret < 0)
		return p->read_ret;
	assert_true(size >= sizeof(reading));
	memcpy(buf, reading, sizeof(reading));
	return sizeof(reading);
}

static void selftest_close(struct nti_os *os, int fd)
{
	TT_IS(fd, FD);
	((struct selftest_os *)os)->open_fds--;
}

static const struct nti_os_ops ops = { .name = "pulse",
				       .perf_open = selftest_open,
				       .ioctl = selftest_ioctl,
				       .read = selftest_read,
				       .close = selftest_close };

static const struct selftest_row {
	int line;
	int open_ret, ioctl_ret;
	ssize_t read_ret;
	uint64_t running_ns, count;
	bool is_missing;
	uint64_t next_running_ns, next_count;
} selftest_rows[] = {
	{ __LINE__, 0, 0, 0, 1000, 20000, false },
	{ __LINE__, 0, 0, 0, 1000, 1, false },
	/* time passed on the counter, and nothing came */
	{ __LINE__, 0, 0, 0, 1000, 0, true },
	{ __LINE__, 0, 0, 0, 1, 0, true },
	/*
	 * a Raspberry Pi Zero under QEMU 7.2: registers read 0, and the driver began twice at
	 * 0x80000001
	 */
	{ __LINE__, 0, 0, 0, 169000, 4294967294, true },
	/* a short time says little about the rate */
	{ __LINE__, 0, 0, 0, 1, 1000000, false },
	{ __LINE__, 0, 0, 0, 1, 1000001, true },
	/* 100 cycles a ns */
	{ __LINE__, 0, 0, 0, 20000, 2000000, false },
	{ __LINE__, 0, 0, 0, 20000, 2000100, true },
	{ __LINE__, 0, 0, 0, UINT64_MAX, UINT64_MAX, false },
	/* rubbish, once divided by a long time in which the host did something else */
	{ __LINE__, 0, 0, 0, 43000000, 4294967294, true, 169000, 4294967294 },
	{ __LINE__, 0, 0, 0, 22000000, 2147483647, true, 9000, 2147483647 },
	{ __LINE__, 0, 0, 0, 22000000, 2147483647, true, 9000, 0 },
	/* the loop was long, then short: a counter */
	{ __LINE__, 0, 0, 0, 22000000, 60000000, false, 9000, 20000 },
	/* long each time, always credible */
	{ __LINE__, 0, 0, 0, 22000000, 60000000, false },
	/* for a half of the time */
	{ __LINE__, 0, 0, 0, 500, 20000, false },
	/* it never was on a counter: somebody else has them */
	{ __LINE__, 0, 0, 0, 0, 0, false },
	/* what cannot be found out is not held against the PMU */
	{ __LINE__, -EACCES, 0, 0, 0, 0, false },
	{ __LINE__, -ENOENT, 0, 0, 0, 0, false },
	{ __LINE__, -ENOSYS, 0, 0, 0, 0, false },
	{ __LINE__, 0, -EIO, 0, 1000, 0, false },
	{ __LINE__, 0, 0, -EIO, 1000, 0, false },
};

TEST(answers)
{
	TT_FOR_EACH_ROW(r, selftest_rows) {
		const struct nti_unit unit = { .kind = NTI_UNIT_CORE };
		struct selftest_os p = { .os = { .ops = &ops },
					 .open_ret = r->open_ret,
					 .ioctl_ret = r->ioctl_ret,
					 .read_ret = r->read_ret,
					 .running_ns = r->running_ns,
					 .count = r->count,
					 .next_running_ns = r->next_running_ns,
					 .next_count = r->next_count };

		struct nti_trial seen = { 0 };

		(void)nti_trial_run(&p.os, &unit, &seen);
		TT_EQ(r, !!(seen.faults & NTI_TRIAL_MISSING), r->is_missing);
		TT_EQ(r, p.open_fds, 0);
		if (!r->is_missing)
			continue;
		TT_EQ(r, seen.cycles, r->next_running_ns ? r->next_count : r->count);
		TT_EQ(r, seen.ns, r->next_running_ns ? r->next_running_ns : r->running_ns);
	}
}

/* An ordinary user may ask, wherever the driver can leave kernel mode out. */
TEST(asks_for_little)
{
	struct selftest_os p = { .os = { .ops = &ops } };
	struct nti_unit unit = { .kind = NTI_UNIT_CORE };
	struct nti_trial seen;

	(void)nti_trial_run(&p.os, &unit, &seen);
	TT_IS(p.asked.type, PERF_TYPE_HARDWARE);
	TT_IS(p.asked.config, PERF_COUNT_HW_CPU_CYCLES);
	TT_IS(p.asked.exclude_kernel, 1);
	TT_IS(p.asked.exclude_hv, 1);
	unit.is_mode_blind = true;
	(void)nti_trial_run(&p.os, &unit, &seen);
	TT_IS(p.asked.exclude_kernel, 0);
	TT_IS(p.asked.exclude_hv, 0);
	TT_IS(p.asked.exclude_guest, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(asks_for_little),
	};

	return TT_RUN(tests);
}
