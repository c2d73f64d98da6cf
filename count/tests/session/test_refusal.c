// SPDX-License-Identifier: MIT
/* count/lib/perf/refusal.h: who refused perf_event_open(2). The kernel is a model of its checks. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "count/lib/perf/perf.h"
#include "count/lib/perf/refusal.h"
#include "count/tests/session/bare_os.h"
#include "base/tests/tt.h"

#define STRANGER 700
#define FD 5

/* What is to be counted. */
static const struct target {
	pid_t pid;
	int cpu;
	uint32_t type;
	bool user_mode; /* only */
} targets[] = {
	{ 0, -1, PERF_TYPE_SOFTWARE, true },
	{ 0, -1, PERF_TYPE_SOFTWARE, false },
	{ 0, -1, PERF_TYPE_RAW, false },
	{ 0, -1, PERF_TYPE_TRACEPOINT, false },
	{ STRANGER, -1, PERF_TYPE_SOFTWARE, true },
	{ -1, 0, PERF_TYPE_SOFTWARE, false },
};

enum whom { CHILD, CHILD_AND_KERNEL, CHILD_RAW, CHILD_TRACEPOINT, OTHER_PROCESS, WHOLE_CPU };

/* What stands between a caller and his counter, and what he is told. */
struct place {
	int line;
	enum whom whom;
	int filter_error;    /* 0: the kernel is asked */
	const char *seccomp; /* line of /proc/self/status, "" where there is none */
	int paranoid;	     /* 99: the file cannot be read */
	enum ntime_reason code;
	const char *about, *reason, *remedy;
	bool has_capability; /* of whatever namespace he is in */
	bool is_namespace;   /* in another one than the first */
	const char *modules; /* of security; NULL: cannot be read */
	bool is_denied;	     /* one of them refuses */
	const char *owner;   /* line of the process's status */
	bool is_protected;   /* ptrace(2) does not allow it */
	bool is_root;	     /* user 0, with or without capabilities */
	const char *caps;    /* line of /proc/self/status */
	bool is_old;	     /* Linux without CAP_PERFMON */
};

struct place_os {
	struct nti_os os; /* first: ops get this pointer */
	struct nti_os_ops ops;
	const struct place *at;
	int open_fds;
};

static const struct place *place_of(struct nti_os *os)
{
	return ((struct place_os *)os)->at;
}

static int put(char *buf, size_t size, const char *text)
{
	return snprintf(buf, size, "%s", text);
}

static int place_text(struct nti_os *os, const char *path, char *buf, size_t size)
{
	const struct place *at = place_of(os);
	char text[128];

	if (strcmp(path, "/proc/sys/kernel/perf_event_paranoid") == 0 && at->paranoid != 99) {
		(void)snprintf(text, sizeof(text), "%d\n", at->paranoid);
		return put(buf, size, text);
	}
	if (strcmp(path, "/proc/self/status") == 0) {
		(void)snprintf(text, sizeof(text), "Name:\tx\nUid:\t%s\n%s%s",
			       at->is_root ? "0\t0" : "1000\t1000", at->caps ? at->caps : "",
			       at->seccomp);
		return put(buf, size, text);
	}
	if (strcmp(path, "/proc/sys/kernel/cap_last_cap") == 0)
		return put(buf, size, at->is_old ? "37\n" : "40\n");
	if (strcmp(path, "/proc/700/status") == 0 && at->owner)
		return put(buf, size, at->owner);
	if (strcmp(path, "/sys/kernel/security/lsm") == 0 && at->modules)
		return put(buf, size, at->modules);
	return -ENOENT;
}

static int place_link(struct nti_os *os, const char *path, char *buf, size_t size)
{
	TT_TEXT(path, "/proc/self/ns/user");
	return put(buf, size,
		   place_of(os)->is_namespace ? "user:[4026532000]" : "user:[4026531837]");
}

static bool place_is_privileged(struct nti_os *os, bool perf)
{
	if (!perf)
		return place_of(os)->is_root;
	return place_of(os)->has_capability && !place_of(os)->is_namespace;
}

/* In the order of Linux 6.1, kernel/events/core.c. */
static int place_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu,
		      int group, unsigned long flags)
{
	const struct place *at = place_of(os);
	bool may_all = place_is_privileged(os, true);

	(void)group;
	if (at->filter_error)
		return at->filter_error;
	if (flags)
		return -EINVAL;
	if (at->is_denied)
		return -EACCES;
	if (!may_all && at->paranoid > 2)
		return -EACCES;
	if (!may_all && !attr->exclude_kernel && at->paranoid > 1)
		return -EACCES;
	if (!may_all && pid == -1 && cpu >= 0 && at->paranoid > 0)
		return -EACCES;
	if (pid == STRANGER && at->is_protected && !may_all)
		return -EACCES;
	((struct place_os *)os)->open_fds++;
	return FD;
}

static void place_close(struct nti_os *os, int fd)
{
	TT_IS(fd, FD);
	((struct place_os *)os)->open_fds--;
}

#define FILTERED "Seccomp:\t2\nSeccomp_filters:\t1\n"
#define FREE "Seccomp:\t0\n"
#define NO_CAPS "CapEff:\t0000000000000000\n"
#define PTRACE "CapEff:\t0000000000080000\n"
#define MINE "Name:\ty\nUid:\t1000\t1000\n"
#define ROOTS "Name:\ty\nUid:\t0\t0\n"

#define FILTER NTIME_REASON_FILTERED, "perf_event_open(2)", "seccomp filter"
#define NO_CALL NTIME_REASON_KERNEL, "perf_event_open(2)", "does not exist here"
#define PARANOID(reason) NTIME_REASON_PARANOID, NTI_PERF_PARANOID, reason
#define PROCESS(reason) NTIME_REASON_PERMISSION, "process 700", reason
#define MODULE(reason) NTIME_REASON_PERMISSION, "/sys/kernel/security/lsm", reason
#define DENIED NTIME_REASON_PERMISSION, "perf_event_open(2)", "Permission denied"

static const struct place places[] = {
	/* a container's filter: to root and to users, for a child, a CPU, a tracepoint */
	{ __LINE__, CHILD, -EPERM, FILTERED, 2, FILTER, "--cap-add PERFMON",
	  .has_capability = true },
	{ __LINE__, OTHER_PROCESS, -EPERM, FILTERED, 2, FILTER, "--cap-add PERFMON",
	  .owner = MINE },
	{ __LINE__, CHILD_RAW, -EACCES, FILTERED, 4, FILTER, "SystemCallFilter" },
	{ __LINE__, WHOLE_CPU, -EPERM, FILTERED, -1, FILTER, "--cap-add PERFMON",
	  .has_capability = true },
	{ __LINE__, CHILD_TRACEPOINT, -EPERM, FILTERED, 2, FILTER, "--cap-add PERFMON",
	  .has_capability = true },
	/* filters with other answers, and where there is none */
	{ __LINE__, CHILD, -ENOSYS, FILTERED, 2, FILTER, "--security-opt seccomp",
	  .has_capability = true },
	{ __LINE__, CHILD, -EINVAL, FILTERED, 2, FILTER, "--security-opt seccomp",
	  .has_capability = true },
	{ __LINE__, CHILD, -EMFILE, FILTERED, 2, FILTER, "--security-opt seccomp",
	  .has_capability = true },
	{ __LINE__, CHILD, -ENOSYS, FILTERED, 99, NO_CALL, "CONFIG_PERF_EVENTS",
	  .has_capability = true },
	{ __LINE__, CHILD, -ENOSYS, FREE, 99, NO_CALL, "CONFIG_PERF_EVENTS",
	  .has_capability = true },
	{ __LINE__, CHILD, -EMFILE, FREE, 2, NTIME_REASON_LIMIT, "open files",
	  "too many open files", "ulimit", .has_capability = true },
	/* a sandbox that is no seccomp filter */
	{ __LINE__, CHILD, -EPERM, FREE, 2, NTIME_REASON_FILTERED, "perf_event_open(2)",
	  "a sandbox", "outside", .has_capability = true },
	/* there is a filter, which lets this through */
	{ __LINE__, CHILD_AND_KERNEL, 0, FILTERED, 2, PARANOID("is 2: an ordinary user"),
	  "paranoid=1" },
	{ __LINE__, CHILD, 0, FREE, 3, PARANOID("is 3: an ordinary user"), "paranoid=2" },
	{ __LINE__, WHOLE_CPU, 0, FREE, 1, PARANOID("whole CPUs"), "paranoid=0" },
	{ __LINE__, CHILD_TRACEPOINT, 0, FREE, 2, PARANOID("in kernel mode"), "paranoid=1" },
	/* root of a container's namespace */
	{ __LINE__, CHILD_AND_KERNEL, 0, FREE, 2, PARANOID("root of a user namespace"),
	  "outside of this", .has_capability = true, .is_namespace = true },
	/* root of a container, which has no or few capabilities */
	{ __LINE__, WHOLE_CPU, 0, FREE, 2,
	  PARANOID("is 2: root without CAP_PERFMON may not count whole CPUs"), "--cap-add PERFMON",
	  .is_root = true, .caps = NO_CAPS },
	{ __LINE__, WHOLE_CPU, 0, FREE, 2, PARANOID("root without CAP_SYS_ADMIN"),
	  "--cap-add SYS_ADMIN", .is_root = true, .caps = NO_CAPS, .is_old = true },
	{ __LINE__, CHILD, 0, FREE, 99, PARANOID("cannot be read: root without CAP_PERFMON"),
	  "--cap-add PERFMON", .is_root = true, .caps = NO_CAPS, .is_denied = true },
	{ __LINE__, OTHER_PROCESS, 0, FREE, 2,
	  PROCESS("protects process 700 from being looked into by root without CAP_SYS_PTRACE"),
	  "--cap-add SYS_PTRACE", .owner = ROOTS, .is_protected = true, .is_root = true,
	  .caps = NO_CAPS },
	{ __LINE__, OTHER_PROCESS, 0, FREE, 2,
	  PROCESS("of another user (user id 1000), and this root lacks CAP_SYS_PTRACE"),
	  "--cap-add SYS_PTRACE", .owner = MINE, .is_protected = true, .is_root = true,
	  .caps = NO_CAPS },
	{ __LINE__, OTHER_PROCESS, 0, FREE, 2, DENIED, "look into the kernel's log (dmesg)",
	  .owner = ROOTS, .is_protected = true, .is_root = true, .caps = PTRACE },
	{ __LINE__, OTHER_PROCESS, 0, FREE, 2, PROCESS("of another user"),
	  "outside of this user namespace", .is_namespace = true, .owner = MINE,
	  .is_protected = true, .is_root = true },
	/* somebody else's, and one's own that is protected */
	{ __LINE__, OTHER_PROCESS, 0, FREE, 2, PROCESS("of another user (user id 0)"),
	  "of your own", .owner = ROOTS, .is_protected = true },
	{ __LINE__, OTHER_PROCESS, 0, FREE, 2, PROCESS("protects process 700"), "run as root",
	  .owner = MINE, .is_protected = true },
	{ __LINE__, OTHER_PROCESS, 0, FREE, -1, PROCESS("protects process 700"), "run as root",
	  .is_protected = true },
	/* security modules: one that can decide is named as one that can */
	{ __LINE__, CHILD, 0, FREE, 2, MODULE("the security module selinux can do that"),
	  "audit log", .has_capability = true, .modules = "lockdown,capability,selinux",
	  .is_denied = true },
	{ __LINE__, OTHER_PROCESS, 0, FREE, -1, MODULE("the security module bpf can do that"),
	  "audit log", .modules = "capability,bpf", .is_denied = true, .owner = ROOTS },
	{ __LINE__, CHILD, 0, FREE, 2, DENIED, "dmesg", .has_capability = true,
	  .modules = "capability,apparmor", .is_denied = true },
	{ __LINE__, CHILD, 0, FREE, 99, DENIED, "dmesg", .has_capability = true,
	  .is_denied = true },
};

static void place_init(struct place_os *p, const struct place *at)
{
	*p = (struct place_os){ .ops = tt_bare_os(), .at = at };
	p->ops.text = place_text;
	p->ops.link = place_link;
	p->ops.is_privileged = place_is_privileged;
	p->ops.perf_open = place_open;
	p->ops.close = place_close;
	p->os.ops = &p->ops;
}

TEST(who_refused)
{
	TT_FOR_EACH_ROW(r, places) {
		const struct target *target = &targets[r->whom];
		const struct nti_unit unit = { .name = "u",
					       .kind = target->type == PERF_TYPE_TRACEPOINT
							       ? NTI_UNIT_TRACEPOINT
							       : NTI_UNIT_SOFTWARE };
		struct perf_event_attr attr = { .type = target->type,
						.exclude_kernel = target->user_mode };
		const struct nti_perf_where where = { target->pid, target->cpu };
		struct nti_absence why = { 0 };
		struct place_os p;
		int error;

		place_init(&p, r);
		error = place_open(&p.os, &attr, target->pid, target->cpu, -1, 0);
		TT_EQ(r, error < 0, 1);
		TT_EQ(r, nti_perf_explain(&p.os, &unit, &attr, where, error, &why), 0);
		TT_EQ(r, why.code, r->code);
		TT_STR(r, why.about, r->about);
		tt_has_(why.reason, r->reason, "reason", __FILE__, r->line);
		tt_has_(why.remedy, r->remedy, "remedy", __FILE__, r->line);
		TT_EQ(r, nti_refusal_is_filtered(&p.os), r->code == NTIME_REASON_FILTERED);
		TT_EQ(r, p.open_fds, 0);
		/* Root is told what he lacks, not to become what he is. */
		TT_EQ(r, r->is_root && strstr(why.reason, "an ordinary user"), 0);
		TT_EQ(r, r->is_root && !r->is_namespace && strstr(why.remedy, "run as root"), 0);
		nti_absence_fini(&why);
	}
}

/* An Intel processor that lacks three events; in the second row it is a guest's. */
static int missing_cpuid(struct nti_os *os, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	bool is_guest = place_of(os)->is_namespace;

	(void)subleaf;
	memset(r, 0, 4 * sizeof(r[0]));
	if (leaf == 0)
		memcpy(r, (uint32_t[]){ 0xa, 0x756e6547, 0x6c65746e, 0x49656e69 }, 16);
	else if (leaf == 1)
		memcpy(r, (uint32_t[]){ 0x000106a5, 0, is_guest ? 1u << 31 : 0, 0x10 }, 16);
	else if (leaf == 0xa)
		memcpy(r, (uint32_t[]){ 0x07300403, 0x58, 0, 0x603 }, 16);
	return 0;
}

static const struct missing_row {
	int line;
	const char *unit;
	bool is_guest;
	uint32_t type;
	uint64_t config;
	enum ntime_reason code;
	const char *reason;
} missing_rows[] = {
	{ __LINE__, "cpu", false, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  NTIME_REASON_NO_HARDWARE, "branches predicted wrongly (CPUID leaf 0xa, EBX bit 6)" },
	{ __LINE__, "cpu", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
	  NTIME_REASON_HYPERVISOR,
	  "as the hypervisor shows it, says that it does not count misses of the last-level "
	  "cache" },
	{ __LINE__, "cpu_core", false, PERF_TYPE_HARDWARE,
	  UINT64_C(4) << 32 | PERF_COUNT_HW_CACHE_REFERENCES, NTIME_REASON_NO_HARDWARE,
	  "EBX bit 3" },
	/* it has this one, and of these nothing is known: the kernel may lack them */
	{ __LINE__, "cpu", false, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
	  NTIME_REASON_KERNEL, "has no event of that generic name" },
	{ __LINE__, "cpu", false, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	  NTIME_REASON_KERNEL, "has no event of that generic name" },
	{ __LINE__, "cpu", false, PERF_TYPE_HW_CACHE, 6, NTIME_REASON_KERNEL,
	  "has no event of that generic name" },
	{ __LINE__, "cpu", false, PERF_TYPE_RAW, PERF_COUNT_HW_BRANCH_MISSES, NTIME_REASON_KERNEL,
	  "does not know this event" },
	{ __LINE__, "armv8_pmuv3_0", false, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES,
	  NTIME_REASON_NO_HARDWARE, "PMCEID0 and PMCEID1 do not name it" },
};

TEST(what_the_processor_lacks)
{
	static const struct nti_perf_where self = { .pid = 0, .cpu = -1 };

	TT_FOR_EACH_ROW(r, missing_rows) {
		const struct place at = { .seccomp = FREE, .is_namespace = r->is_guest };
		struct place_os place;
		const struct nti_unit unit = { .name = (char *)r->unit, .kind = NTI_UNIT_CORE };
		const struct perf_event_attr attr = { .type = r->type, .config = r->config };
		struct nti_absence why = { 0 };

		place_init(&place, &at);
		place.ops.cpuid = missing_cpuid;
		TT_EQ(r, nti_perf_explain(&place.os, &unit, &attr, self, -ENOENT, &why), 0);
		TT_EQ(r, why.code, r->code);
		TT_HAS(why.reason, r->reason);
		TT_HAS(why.remedy, "another");
		nti_absence_fini(&why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_refused),
		cmocka_unit_test(what_the_processor_lacks),
	};

	return TT_RUN(tests);
}
