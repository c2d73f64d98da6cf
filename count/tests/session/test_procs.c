// SPDX-License-Identifier: MIT
/* What the kernel's text files tell, on a machine of four CPUs whose files are the test's own. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include <ntime/context.h>
#include <ntime/list.h>
#include <ntime/session.h>

#include "base/tests/tt.h"

static char folder[] = "/tmp/ntime-procs-XXXXXX";

/* Folders on the way are made; NULL takes the file away. */
static void put(const char *path, const char *text)
{
	char whole[256];
	FILE *f;

	(void)snprintf(whole, sizeof(whole), "%s%s", folder, path);
	if (!text) {
		(void)unlink(whole);
		return;
	}
	for (char *at = strchr(whole + sizeof(folder), '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		(void)mkdir(whole, 0700);
		*at = '/';
	}
	f = fopen(whole, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

#define STAT_REST                                                                                  \
	"intr 5000 1 2 3\nctxt %d\nbtime 1700000000\nprocesses 77\nprocs_running %d\n"             \
	"procs_blocked 1\nsoftirq 1 2 3\n"

/* @ticks more than at the beginning: user of CPU N is N times that, its idle time the same. */
static void put_stat(int ticks, bool has_third)
{
	char text[2048];
	size_t used = (size_t)snprintf(text, sizeof(text), "cpu  1 2 3 4 5 6 7 8 9 10\n");

	for (int cpu = 0; cpu < 4; cpu++)
		if (cpu != 2 || has_third)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "cpu%d %d 20 30 %d 50 60 70 80 90 100\n", cpu,
						 10 + cpu * ticks, 40 + ticks);
	(void)snprintf(text + used, sizeof(text) - used, STAT_REST, 1000 + ticks, 3 + ticks);
	put("/proc/stat", text);
}

static void put_cpu(unsigned int cpu, const char *file, const char *text)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/%s", cpu, file);
	put(path, text);
}

static void put_machine(void)
{
	put("/sys/devices/system/cpu/online", "0-3\n");
	put("/sys/devices/system/cpu/possible", "0-7\n");
	put("/sys/devices/system/cpu/present", "0-3\n");
	put("/sys/bus/event_source/devices/software/type", "1\n");
	put_stat(0, true);
	put("/proc/vmstat", "nr_free_pages 1\npgfault 500\npgmajfault 5\npswpin 0\n");
	put("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n"
				  "full avg10=0.00 avg60=0.00 avg300=0.00 total=9\n");
	put("/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=2000\n"
				 "full avg10=0.00 avg60=0.00 avg300=0.00 total=100\n");
	put("/proc/meminfo", "MemTotal:  8000 kB\nMemFree: 10 kB\nMemAvailable:    4000 kB\n");
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		put_cpu(cpu, "topology/physical_package_id", "0\n");
		put_cpu(cpu, "topology/core_siblings", "f\n");
		put_cpu(cpu, "cpufreq/scaling_cur_freq", cpu == 1 ? "3500000\n" : "1200000\n");
		put_cpu(cpu, "thermal_throttle/core_throttle_count", "7\n");
	}
	put("/sys/class/hwmon/hwmon0/name", "nvme\n");
	put("/sys/class/hwmon/hwmon0/temp1_input", "99000\n");
	put("/sys/class/hwmon/hwmon1/name", "coretemp\n");
	put("/sys/class/hwmon/hwmon1/temp1_input", "51000\n");
	put("/sys/class/hwmon/hwmon1/temp2_input", "64500\n");
	put("/sys/class/hwmon/hwmon1/temp2_label", "Core 0\n");
}

struct rig {
	struct ntime_ctx *ctx;
	struct ntime_session *s;
};

/* @target: NULL: this thread. */
static void prepare_on(struct rig *rig, const struct ntime_target *target, const char *list)
{
	struct ntime_options options = { .size = sizeof(options), .root = folder };

	TT_IS(ntime_open(&rig->ctx, &options), 0);
	TT_IS(ntime_session_new(rig->ctx, target, &rig->s), 0);
	TT_IS(ntime_session_add_list(rig->s, list), 0);
}

static void prepare(struct rig *rig, const char *cpus, const char *list)
{
	struct ntime_target target = { .size = sizeof(target),
				       .kind = cpus ? NTIME_TARGET_CPUS : NTIME_TARGET_MACHINE,
				       .cpus = cpus };

	prepare_on(rig, &target, list);
}

static void init(struct rig *rig, const char *cpus, const char *list)
{
	prepare(rig, cpus, list);
	TT_IS(ntime_session_start(rig->s), 0);
}

static void fini(struct rig *rig)
{
	ntime_session_free(rig->s);
	ntime_close(rig->ctx);
}

#define MOST 32

/* A row a kind of file: what it is after user time of CPU N grew by N * 10 ticks, and all else by
 * what change() does. */
static const struct row {
	int line;
	const char *event;
	double value;
	double at[4]; /* NAN: it has no number there */
	uint32_t flags;
} rows[] = {
	{ __LINE__, "proc/user/", 600e6, { 0, 100e6, 200e6, 300e6 }, 0 },
	{ __LINE__, "proc/idle/", 400e6, { 100e6, 100e6, 100e6, 100e6 }, 0 },
	{ __LINE__, "proc/steal/", 0, { 0, 0, 0, 0 }, 0 },
	{ __LINE__, "proc/guest-nice/", 0, { 0, 0, 0, 0 }, 0 },
	{ __LINE__, "proc/context-switches/", 10, { 10, NAN, NAN, NAN }, 0 },
	{ __LINE__, "proc/interrupts/", 0, { 0, NAN, NAN, NAN }, 0 },
	{ __LINE__, "proc/forks/", 0, { 0, NAN, NAN, NAN }, 0 },
	{ __LINE__, "proc/running/", 13, { 13, NAN, NAN, NAN }, NTIME_STATE },
	{ __LINE__, "proc/page-faults/", 123, { 123, NAN, NAN, NAN }, 0 },
	{ __LINE__, "proc/major-faults/", 2, { 2, NAN, NAN, NAN }, 0 },
	{ __LINE__, "proc/available/", 3000 * 1024., { 3000 * 1024., NAN, NAN, NAN }, NTIME_STATE },
	{ __LINE__, "proc/pressure-cpu/", 500e3, { 500e3, NAN, NAN, NAN }, 0 },
	{ __LINE__, "proc/pressure-io-full/", 1e3, { 1e3, NAN, NAN, NAN }, 0 },
	{ __LINE__, "proc/frequency/", 3.6, { 1.2, 3.6, 1.2, 1.2 }, NTIME_STATE },
	{ __LINE__, "proc/core-throttles/", 3, { 0, 0, 0, 3 }, 0 },
	{ __LINE__, "proc/temperature/", 70.5, { 70.5, NAN, NAN, NAN }, NTIME_STATE },
};

static void change(void)
{
	put_stat(10, true);
	put("/proc/vmstat", "nr_free_pages 1\npgfault 623\npgmajfault 7\npswpin 0\n");
	put("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500\n");
	put("/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=2000\n"
				 "full avg10=0.00 avg60=0.00 avg300=0.00 total=101\n");
	put("/proc/meminfo", "MemAvailable:    3000 kB\n");
	put_cpu(1, "cpufreq/scaling_cur_freq", "3600000\n");
	put_cpu(3, "thermal_throttle/core_throttle_count", "10\n");
	put("/sys/class/hwmon/hwmon1/temp1_input", "70500\n");
}

static void check(const struct row *r, const struct ntime_value *v, double want)
{
	if (isnan(want)) {
		TT_EQ(r, v->flags & (NTIME_ELSEWHERE | NTIME_ABSENT | NTIME_NOT_COUNTED) ? 1 : 0,
		      1);
		return;
	}
	TT_EQ(r, v->flags, r->flags | NTIME_PROC);
	if (!(fabs(v->value - want) <= fabs(want) * 1e-9))
		fail_msg("%s:%d: %s is %g, expected %g", __FILE__, r->line, r->event, v->value,
			 want);
}

TEST(each_file_tells_what_it_says)
{
	size_t n = sizeof(rows) / sizeof(rows[0]);
	struct ntime_value value[MOST], row[MOST * 4];
	struct rig rig;
	char list[1024] = "";

	put_machine();
	TT_FOR_EACH_ROW(r, rows)
		(void)snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
			       *list ? "," : "", r->event);
	init(&rig, NULL, list);
	change();
	TT_IS(ntime_session_read(rig.s, value, n), (int)n);
	TT_IS(ntime_session_read_where(rig.s, row, n, 4), (int)(4 * n));
	for (size_t i = 0; i < n; i++) {
		check(&rows[i], &value[i], rows[i].value);
		for (size_t at = 0; at < 4; at++)
			check(&rows[i], &row[at * n + i], rows[i].at[at]);
	}
	/* What happens while it is stopped is not counted; then it goes on from there. */
	TT_IS(ntime_session_stop(rig.s), 0);
	put_stat(1000, true);
	TT_IS(ntime_session_read(rig.s, value, n), (int)n);
	check(&rows[0], &value[0], 600e6);
	TT_IS(ntime_session_start(rig.s), 0);
	put_stat(1001, true);
	TT_IS(ntime_session_read(rig.s, value, n), (int)n);
	check(&rows[0], &value[0], 660e6);
	fini(&rig);
}

/* A CPU that is off line keeps what was counted, and is read again when it is back. */
TEST(cpus_come_and_go)
{
	struct ntime_value value[1];
	struct rig rig;

	put_machine();
	init(&rig, NULL, "proc/user/");
	put_stat(10, true);
	TT_IS(ntime_session_read(rig.s, value, 1), 1);
	check(&rows[0], &value[0], 600e6);
	put_stat(20, false);
	TT_IS(ntime_session_read(rig.s, value, 1), 1);
	check(&rows[0], &value[0], 200e6 + 200e6 + 600e6);
	put_stat(30, true);
	TT_IS(ntime_session_read(rig.s, value, 1), 1);
	check(&rows[0], &value[0], 1800e6);
	fini(&rig);
}

#define TOO_BIG "99999999999999999999999"
#define NO_NUMBER "negative, too large or no number"
#define THROTTLES "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"

/* What the file says at the start and at three reads, and the three steps; NAN: it has no number.
 */
static const struct lost_row {
	int line;
	const char *list, *path, *format, *text[4];
	double step[3];
	const char *reason;
} lost_rows[] = {
#define ROW(list, path, format, a, b, c, d, x, y, z, reason)                                       \
	{                                                                                          \
		__LINE__, list, path, format, { a, b, c, d }, { x, y, z }, reason                  \
	}
	ROW("proc/context-switches/", "/proc/stat", "ctxt %s", "1000", "400", "450", "2000", NAN,
	    50, 1550, "went back, from 1000 to 400"),
	ROW("proc/forks/", "/proc/stat", "processes %s", "9", "12", "11", "11", 3, NAN, 0,
	    "went back, from 12 to 11"),
	ROW("proc/idle/", "/proc/stat", "cpu0 1 2 3 %s 5", "40", "41", "39", "42", 10e6, NAN, 30e6,
	    "went back, from 41 to 39"),
	ROW("proc/iowait/", "/proc/stat", "cpu0 1 2 3 4 %s", "50", "49", "48", "49", NAN, NAN, 10e6,
	    "went back, from 49 to 48"),
	ROW("proc/page-faults/", "/proc/vmstat", "pgfault %s", "500", "1", "600", "601", NAN, 599,
	    1, "went back, from 500 to 1"),
	ROW("proc/pressure-io/,IO-pressure", "/proc/pressure/io", "some avg10=0.00 total=%s",
	    "2000", "2001", "0", "7", 1e3, NAN, 7e3, "went back, from 2001 to 0"),
	ROW("proc/core-throttles/", THROTTLES, "%s", "7", "6", "6", "8", NAN, 0, 2,
	    "went back, from 7 to 6"),
	ROW("proc/interrupts/", "/proc/stat", "intr %s 1", "5", "-5", "9", "10", NAN, NAN, 1,
	    NO_NUMBER),
	ROW("proc/idle/", "/proc/stat", "cpu0 1 2 3 %s 5", "40", "-1", "39", "42", NAN, NAN, 30e6,
	    NO_NUMBER),
	ROW("proc/iowait/", "/proc/stat", "cpu0 1 2 3 x %s", "50", "52", "18446744073709551615",
	    TOO_BIG, 20e6, NAN, NAN, NO_NUMBER),
	ROW("proc/page-faults/", "/proc/vmstat", "pg%s", "fault 500", "fault 501", "in 1",
	    "fault 510", 1, NAN, NAN, NO_NUMBER),
};

static void check_lost(const struct lost_row *r, const struct ntime_value *v, double want)
{
	uint32_t partial = v->flags & NTIME_PARTIAL; /* CPUs that /proc/stat lacks */

	TT_EQ(r, v->flags & ~partial,
	      NTIME_PROC | (isnan(want) ? NTIME_IMPLAUSIBLE | NTIME_NOT_COUNTED : 0));
	if (isnan(want) ? !isnan(v->value) : !(fabs(v->value - want) <= want * 1e-9))
		fail_msg("%s:%d: %s is %g, expected %g", __FILE__, r->line, r->list, v->value,
			 want);
}

static void put_as(const struct lost_row *r, int k)
{
	char text[128], *at;

	(void)snprintf(text, sizeof(text), "%s", r->format);
	at = strstr(text, "%s");
	(void)snprintf(at, sizeof(text) - (size_t)(at - text), "%s%s", r->text[k],
		       strstr(r->format, "%s") + 2);
	put(r->path, text);
}

TEST(what_went_back_has_no_number)
{
	TT_FOR_EACH_ROW(r, lost_rows) {
		struct ntime_value now[MOST * 4], then[MOST] = { { 0 } }, step[MOST], sum[MOST];
		struct ntime_item item = { .size = sizeof(item) };
		double all = 0;
		struct rig rig;
		size_t n;

		put_machine();
		put_as(r, 0);
		init(&rig, NULL, r->list);
		n = ntime_session_count(rig.s);
		for (int k = 0; k < 3; k++) {
			put_as(r, k + 1);
			TT_EQ(r, ntime_session_read_where(rig.s, now, n, 4), (int)(4 * n));
			for (size_t i = 0; i < n; i++)
				ntime_value_delta(&then[i], &now[i], &step[i]);
			memcpy(then, now, sizeof(then));
			check_lost(r, &step[0], r->step[k]);
			TT_EQ(r, ntime_session_metrics(rig.s, step, n), 0);
			if (strchr(r->list, ','))
				TT_EQ(r, isnan(step[1].value), isnan(r->step[k]));
			all += r->step[k];
		}
		TT_EQ(r, ntime_session_stop(rig.s), 0);
		TT_EQ(r, ntime_session_read(rig.s, sum, n), (int)n);
		check_lost(r, &sum[0], all);
		/* There is one CPU of four. */
		if (strncmp(r->format, "cpu0 ", 5) == 0)
			TT_EQ(r, !!(sum[0].flags & NTIME_PARTIAL), 1);
		TT_EQ(r, ntime_session_item(rig.s, 0, &item), 0);
		TT_EQ(r, item.reason_code, NTIME_REASON_IMPLAUSIBLE);
		TT_HAS(item.reason, r->reason);
		fini(&rig);
	}
}

/* No count stands still because its file cannot be read; one of several sensors may go. */
TEST(files_may_go_meanwhile)
{
	struct ntime_value value[2];
	struct rig rig;

	put_machine();
	init(&rig, NULL, "proc/page-faults/,proc/temperature/");
	put("/sys/class/hwmon/hwmon1/temp1_input", "");
	put("/sys/class/hwmon/hwmon1/temp2_input", "");
	TT_IS(ntime_session_read(rig.s, value, 2), 2);
	TT_IS(value[0].flags, NTIME_PROC);
	TT_IS(value[1].flags & NTIME_NOT_COUNTED, NTIME_NOT_COUNTED);
	fini(&rig);
	put_machine();
	prepare(&rig, NULL, "proc/page-faults/");
	put("/proc/vmstat", NULL);
	TT_IS(ntime_session_start(rig.s), -ENOENT);
	TT_HAS(ntime_error_text(rig.ctx), "cannot read /proc/vmstat: No such file");
	fini(&rig);
}

/*
 * What is not there has a reason, and what counts more than the target as well. A file that says
 * what is no count is there: the reason tells that.
 */
static const struct absent {
	int line;
	const char *event, *file, *text; /* NULL: the file is taken away */
	uint32_t code;
	const char *reason, *cpus;
} absents[] = {
	{ __LINE__, "proc/pressure-memory/", .code = NTIME_REASON_KERNEL },
	{ __LINE__, "proc/package-throttles/", .code = NTIME_REASON_NO_HARDWARE },
	{ __LINE__, "proc/swap-out/", .code = NTIME_REASON_KERNEL },
	{ __LINE__, "proc/temperature/", "/sys/class/hwmon/hwmon1/name",
	  .code = NTIME_REASON_KERNEL },
	{ __LINE__, "proc/page-faults/", "/proc/vmstat", .code = NTIME_REASON_KERNEL },
	{ __LINE__, "proc/forks/", .code = NTIME_REASON_SCOPE, .cpus = "0-1" },
	{ __LINE__, "proc/user/", .cpus = "0-1" },
	{ __LINE__, "proc/forks/", "/proc/stat", "processes -3", NTIME_REASON_FAILED,
	  "what /proc/stat says of forks is " NO_NUMBER },
	{ __LINE__, "proc/forks/", "/proc/stat", "processes", NTIME_REASON_KERNEL,
	  "/proc/stat says nothing of forks" },
	{ __LINE__, "proc/idle/", "/proc/stat", "cpu0 1 2 3 4x", NTIME_REASON_FAILED,
	  "what /proc/stat says of idle is " NO_NUMBER },
	{ __LINE__, "proc/available/", "/proc/meminfo", "MemAvailable: " TOO_BIG " kB",
	  NTIME_REASON_FAILED, "what /proc/meminfo says of available is " NO_NUMBER },
	{ __LINE__, "proc/core-throttles/", THROTTLES, "-1", NTIME_REASON_FAILED,
	  "of core-throttles is " NO_NUMBER },
};

TEST(what_is_missing_has_a_reason)
{
	TT_FOR_EACH_ROW(r, absents) {
		struct ntime_item item = { .size = sizeof(item) };
		struct rig rig;

		put_machine();
		if (r->file)
			put(r->file, r->text);
		init(&rig, r->cpus, r->event);
		TT_IS(ntime_session_item(rig.s, 0, &item), 0);
		TT_EQ(r, item.reason_code, r->code);
		TT_STR(r, item.method, "proc");
		TT_EQ(r, item.reason_code && !*item.remedy, 0);
		TT_HAS(item.reason, r->reason ? r->reason : "");
		fini(&rig);
	}
}

TEST(programs_are_not_what_it_tells_of)
{
	struct ntime_item item = { .size = sizeof(item) };
	struct rig rig;

	put_machine();
	prepare_on(&rig, NULL, "proc/user/");
	TT_IS(ntime_session_add(rig.s, "proc/usr/", NULL), -ENOENT);
	TT_HAS(ntime_error_text(rig.ctx), "did you mean user?");
	TT_IS(ntime_session_add(rig.s, "proc/user/u", NULL), -EINVAL);
	TT_IS(ntime_session_open(rig.s), 0);
	TT_IS(ntime_session_item(rig.s, 0, &item), 0);
	TT_IS(item.reason_code, NTIME_REASON_SCOPE);
	TT_IS(ntime_session_add_list(rig.s, "x"), -EBUSY);
	fini(&rig);
}

/* Clocks differ a little; what they do not explain is left, and flagged. */
TEST(shares_end_at_100)
{
	static const double ns[] = { 0.999e9, 1.004e9, 1.02e9 }, shares[] = { 99.9, 100, 102 };
	struct rig rig;

	put_machine();
	init(&rig, NULL, "proc/pressure-cpu/,CPU-pressure");
	for (size_t i = 0; i < 3; i++) {
		struct ntime_value v[2] = { { .value = ns[i] }, { .wanted_ns = 1000000000 } };

		TT_IS(ntime_session_metrics(rig.s, v, 2), 0);
		assert_true(fabs(v[1].value - shares[i]) < 1e-9);
		TT_IS(!!(v[1].flags & NTIME_IMPLAUSIBLE), i == 2);
	}
	fini(&rig);
}

#define GROUPS "/sys/fs/cgroup"
#define V1 "4:cpu,cpuacct:"

/* Where a quota was found; NULL: nowhere, for @reason. What counts there grows by 5 ms and 2 us. */
static const struct group_row {
	int line;
	const char *groups, *files /* "/PATH=TEXT;..." */, *at;
	double quota;
	const char *reason;
} group_rows[] = {
#define NONE "no CPU quota limits"
#define NO_GROUPS "no control groups"
#define BROKEN "what " GROUPS "/a says of cgroup-quota is " NO_NUMBER
	{ __LINE__, "0::/a/b\n", "/a/b/cpu.max=50000 100000", "/a/b", 0.5, NULL },
	/* the tightest: above, below, of two */
	{ __LINE__, "0::/a/b\n", "/a/b/cpu.max=max 9;/a/cpu.max=15 10", "/a", 1.5, NULL },
	{ __LINE__, "0::/a/b\n", "/a/b/cpu.max=20 10;/a/cpu.max=30 10", "/a/b", 2, NULL },
	{ __LINE__, "0::/a/b\n", "/a/b/cpu.max=20 10;/a/cpu.max=10 10", "/a", 1, NULL },
	/* a container: the mount's root, whatever the group's name is outside */
	{ __LINE__, "0::/\n", "/cpu.max=25000 100000", "", 0.25, NULL },
	{ __LINE__, "0::/../x\n", "/cpu.max=25000 100000", "", 0.25, NULL },
	{ __LINE__, "1:name=systemd:/\n" V1 "/docker/12\n0::/\n",
	  "/cpu/cpu.cfs_quota_us=40;/cpu/cpu.cfs_period_us=20", "/cpu", 2, NULL },
	{ __LINE__, V1 "/a\n",
	  "/cpu/a/cpu.cfs_quota_us=4;/cpu/a/cpu.cfs_period_us=8;/cpu/cpu.cfs_quota_us=-1", "/cpu/a",
	  0.5, NULL },
	/* v2 has the CPUs although v1 has others */
	{ __LINE__, "1:memory:/\n0::/a\n", "/unified/a/cpu.max=1 2", "/unified/a", 0.5, NULL },
	{ __LINE__, "0::/a\n", "/a/cpu.max=max 100000", NULL, 0, NONE },
	{ __LINE__, "0::/a\n", "/x=", NULL, 0, NONE },
	{ __LINE__, V1 "/a\n", "/cpu/a/cpu.cfs_quota_us=-1", NULL, 0, NONE },
	{ __LINE__, "0::/a\n", "", NULL, 0, NO_GROUPS },
	{ __LINE__, "rubbish\n:\n5:cpuset:/\n", "/x=", NULL, 0, NO_GROUPS },
	{ __LINE__, "0::/a\n", "/a/cpu.max=1000 0", NULL, 0, BROKEN },
	{ __LINE__, "0::/a\n", "/a/cpu.max=-5 1000;/cpu.max=1 1000", NULL, 0, BROKEN },
	{ __LINE__, "0::/a\n", "/a/cpu.max=100", NULL, 0, BROKEN },
};

static void put_group(const struct group_row *r, int use_us, int throttled_us)
{
	bool is_v1 = r->at && strncmp(r->at, "/cpu", 4) == 0;
	char path[128], text[128];

	(void)snprintf(path, sizeof(path), GROUPS "%s/cpu.stat", r->at);
	(void)snprintf(text, sizeof(text),
		       is_v1 ? "throttled_time %d000\n" : "throttled_usec %d\nusage_usec %d\n",
		       throttled_us, use_us);
	put(path, text);
	(void)snprintf(path, sizeof(path), GROUPS "/cpuacct%s/cpuacct.usage",
		       r->at + (is_v1 ? 4 : 0));
	(void)snprintf(text, sizeof(text), "%d000\n", use_us);
	if (is_v1)
		put(path, text);
}

TEST(groups_with_a_quota_are_found)
{
	TT_FOR_EACH_ROW(r, group_rows) {
		static const double steps[] = { 5e6, 2e3 };
		struct ntime_item item = { .size = sizeof(item) };
		struct ntime_value v[4];
		char path[128], files[128], *file, *save, *text;
		struct rig rig;

		(void)snprintf(path, sizeof(path), "rm -rf %s" GROUPS, folder);
		TT_EQ(r, system(path), 0);
		put_machine();
		put("/proc/self/cgroup", r->groups);
		(void)snprintf(files, sizeof(files), "%s", r->files);
		for (file = strtok_r(files, ";", &save); file; file = strtok_r(NULL, ";", &save)) {
			text = strchr(file, '=');
			*text++ = '\0';
			(void)snprintf(path, sizeof(path), GROUPS "%s", file);
			put(path, text);
		}
		if (r->at)
			put_group(r, 1000, 10);
		init(&rig, NULL,
		     "proc/cgroup-quota/,proc/cgroup-cpu/,proc/cgroup-throttled/,"
		     "proc/cgroup-periods/");
		if (r->at)
			put_group(r, 6000, 12);
		TT_EQ(r, ntime_session_read(rig.s, v, 4), 4);
		for (size_t i = 0; i < 2 && r->at; i++)
			TT_EQ(r, fabs(v[i + 1].value - steps[i]) < 1e-3, 1);
		TT_EQ(r, r->at ? fabs(v[0].value - r->quota) < 1e-9 : isnan(v[0].value), 1);
		/* The files lack it. */
		TT_EQ(r, v[3].flags & NTIME_ABSENT, NTIME_ABSENT);
		TT_EQ(r, ntime_session_item(rig.s, 0, &item), 0);
		TT_HAS(item.reason, r->reason ? r->reason : "");
		fini(&rig);
	}
}

static int enter(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
	char line[64];

	(void)state;
	(void)snprintf(line, sizeof(line), "rm -rf %s", folder);
	return system(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_tells_what_it_says),
		cmocka_unit_test(cpus_come_and_go),
		cmocka_unit_test(what_went_back_has_no_number),
		cmocka_unit_test(files_may_go_meanwhile),
		cmocka_unit_test(what_is_missing_has_a_reason),
		cmocka_unit_test(programs_are_not_what_it_tells_of),
		cmocka_unit_test(shares_end_at_100),
		cmocka_unit_test(groups_with_a_quota_are_found),
	};

	return cmocka_run_group_tests(tests, enter, leave) ? 1 : 0;
}
