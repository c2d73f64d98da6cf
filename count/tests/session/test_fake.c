// SPDX-License-Identifier: MIT
/*
 * Sessions on a kernel that is made up: when the core PMU is tried, and what a counter that stood
 * still or reads short means.
 */
#include <errno.h>
#include <linux/perf_event.h>

#include <ntime/ntime.h>

#include "count/lib/context/context.h"
#include "count/tests/session/bare_os.h"
#include "base/tests/tt.h"

#define FD 7
#define MS 1000000ull

struct fake_kernel {
	struct nti_os os; /* first: ops get this pointer */
	struct ntime_ctx ctx;
	struct nti_unit unit[2], *units[2];
	unsigned int core_opens, members; /* of the group that was opened last */
	uint64_t now_ns, enabled_ns, count;
	bool is_apart; /* the members of groups are on their own */
	/*
	 * Of the next reads: how long the CPU is taken away before and behind the counter, which
	 * counts nanoseconds.
	 */
	const uint64_t (*pause_ns)[2];
	unsigned int pauses;
};

static int fake_text(struct nti_os *os, const char *path, char *buf, size_t size)
{
	(void)os;
	if (strcmp(path, "/sys/devices/system/cpu/online") != 0)
		return -ENOENT;
	return snprintf(buf, size, "0\n");
}

static uint64_t fake_now_ns(struct nti_os *os)
{
	return ((struct fake_kernel *)os)->now_ns;
}

static int fake_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		     unsigned long flags)
{
	struct fake_kernel *k = (struct fake_kernel *)os;

	(void)pid, (void)cpu, (void)flags;
	k->core_opens += attr->type == PERF_TYPE_HARDWARE;
	k->members = group < 0 ? 1 : k->members + 1;
	return FD;
}

static ssize_t fake_read(struct nti_os *os, int fd, void *buf, size_t size)
{
	struct fake_kernel *k = (struct fake_kernel *)os;
	uint64_t reading[8] = { k->members, k->enabled_ns, k->enabled_ns };
	size_t bytes = (3 + k->members) * sizeof(reading[0]);

	for (unsigned int i = 0; i < k->members; i++)
		reading[3 + i] = k->count;
	if (k->pauses) {
		k->now_ns += 1000 + (*k->pause_ns)[0];
		reading[1] = reading[2] = reading[3] = k->now_ns;
		k->now_ns += 1000 + (*k->pause_ns)[1];
		k->pause_ns++;
		k->pauses--;
	}
	TT_IS(fd, FD);
	assert_true(size >= bytes);
	memcpy(buf, reading, bytes);
	return (ssize_t)(k->is_apart ? bytes - sizeof(reading[0]) : bytes);
}

static struct nti_os_ops ops;

static void init_ops(void)
{
	ops = tt_bare_os();
	ops.text = fake_text;
	ops.now_ns = fake_now_ns;
	ops.perf_open = fake_open;
	ops.read = fake_read;
}

static char cpu_name[] = "cpu", software_name[] = "software";

static void init(struct fake_kernel *k)
{
	memset(k, 0, sizeof(*k));
	init_ops();
	k->os.ops = &ops;
	k->unit[0] = (struct nti_unit){ .name = cpu_name,
					.kind = NTI_UNIT_CORE,
					.method = NTI_METHOD_PERF,
					.type = PERF_TYPE_RAW };
	k->unit[1] = (struct nti_unit){ .name = software_name,
					.kind = NTI_UNIT_SOFTWARE,
					.method = NTI_METHOD_PERF,
					.type = PERF_TYPE_SOFTWARE,
					.number = 1 };
	k->units[0] = &k->unit[0];
	k->units[1] = &k->unit[1];
	k->ctx.os = &k->os;
	k->ctx.cpus = 1;
	k->ctx.units = (struct nti_units){ .unit = k->units, .count = 2 };
	k->ctx.names = (struct nti_names){ .os = &k->os, .units = &k->ctx.units };
	k->ctx.has_units = true;
	k->enabled_ns = 1000;
}

static const struct ntime_target cpu0 = { .size = sizeof(cpu0),
					  .kind = NTIME_TARGET_CPUS,
					  .cpus = "0" };

/* A session that is started at 1 s. */
static struct ntime_session *start(struct fake_kernel *k, const struct ntime_target *target,
				   const char *list)
{
	struct ntime_session *s;

	init(k);
	k->count = 42;
	k->now_ns = 1000 * MS;
	TT_IS(ntime_session_new(&k->ctx, target, &s), 0);
	TT_IS(ntime_session_add_list(s, list), 0);
	TT_IS(ntime_session_start(s), 0);
	return s;
}

static bool is_absent(struct fake_kernel *k, const char *name)
{
	struct nti_event event;
	bool out;

	TT_IS(nti_context_event(&k->ctx, name, &event, &k->ctx.error), 0);
	out = event.absent.reason != NULL;
	nti_event_fini(&event);
	return out;
}

TEST(core_is_tried_once_and_late)
{
	struct fake_kernel k;
	unsigned int opens;

	init(&k);
	TT_IS(is_absent(&k, "page-faults"), false);
	TT_IS(k.core_opens, 0);
	TT_IS(is_absent(&k, "cycles"), true); /* count 0 */
	opens = k.core_opens;
	assert_true(opens > 0);
	TT_IS(is_absent(&k, "instructions"), true);
	TT_IS(is_absent(&k, "page-faults"), false);
	TT_IS(k.core_opens, opens);
	nti_absence_fini(&k.unit[0].absent);
	init(&k);
	k.count = 20000;
	TT_IS(is_absent(&k, "cycles"), false);
	opens = k.core_opens;
	assert_true(opens > 1); /* with known work as well */
	TT_IS(is_absent(&k, "cycles"), false);
	TT_IS(k.core_opens, opens);
	nti_absence_fini(&k.unit[0].absent);
	init(&k);
	k.ctx.has_no_selftest = true;
	TT_IS(is_absent(&k, "cycles"), false);
	TT_IS(k.core_opens, 0);
}

static const struct late_row {
	int line;
	uint64_t real_ns, enabled_ns;
	int ret;
	uint32_t flags;
} late_rows[] = {
	{ __LINE__, 5000 * MS, 5000 * MS, 1, 0 },
	/* 50 ms and a hundredth */
	{ __LINE__, 5000 * MS, 4900 * MS, 1, 0 },
	{ __LINE__, 5000 * MS, 4899 * MS, 1, NTIME_PARTIAL },
	{ __LINE__, 5000 * MS, 4500 * MS, 1, NTIME_PARTIAL },
	/* 200 ms and a tenth */
	{ __LINE__, 5000 * MS, 4300 * MS, 1, NTIME_PARTIAL },
	{ __LINE__, 5000 * MS, 4299 * MS, -ESTALE, 0 },
	{ __LINE__, 5 * MS, 1, 1, 0 },
};

TEST(late_cpu)
{
	TT_FOR_EACH_ROW(r, late_rows) {
		struct fake_kernel k;
		struct ntime_session *s = start(&k, &cpu0, "page-faults");
		struct ntime_value v;

		k.now_ns += r->real_ns;
		k.enabled_ns = r->enabled_ns;
		/* As long as it counts and its CPU is on line, it may only be late. */
		TT_EQ(r, ntime_session_read(s, &v, 1), 1);
		TT_EQ(r, v.flags, r->ret == 1 ? r->flags : NTIME_PARTIAL);
		TT_EQ(r, ntime_session_stop(s), 0);
		TT_EQ(r, ntime_session_read(s, &v, 1), r->ret);
		if (r->ret == 1) {
			TT_EQ(r, v.flags, r->flags);
			TT_EQ(r, v.count, 42);
		}
		ntime_session_free(s);
	}
}

/* A clock that stands for a while is one that is late; for long, its CPU was away. */
TEST(standing_cpu)
{
	struct fake_kernel k;
	struct ntime_session *s = start(&k, &cpu0, "page-faults");
	struct ntime_value v;

	k.now_ns += 5000 * MS;
	k.enabled_ns = 5000 * MS;
	TT_IS(ntime_session_read(s, &v, 1), 1);
	k.now_ns += 900 * MS;
	TT_IS(ntime_session_read(s, &v, 1), 1);
	TT_IS(v.flags, NTIME_PARTIAL);
	k.enabled_ns += 900 * MS;
	TT_IS(ntime_session_read(s, &v, 1), 1);
	TT_IS(v.flags, 0);
	k.now_ns += 900 * MS;
	TT_IS(ntime_session_read(s, &v, 1), 1);
	k.now_ns += 100 * MS;
	TT_IS(ntime_session_read(s, &v, 1), -ESTALE);
	TT_HAS(ntime_error_text(&k.ctx), "CPU 0");
	ntime_session_free(s);
}

/* The kernel takes groups apart before it takes the CPU off its list. Of a thread it never does. */
TEST(cpu_that_goes)
{
	static const struct ntime_target *const targets[] = { &cpu0, NULL };
	static const char *const words[] = { "CPU 0 went off line while it was counted",
					     "reading the counters of software failed" };
	static const int errors[] = { -ESTALE, -EIO };
	struct fake_kernel k;
	struct ntime_session *s;
	struct ntime_value v;
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(targets); i++) {
		s = start(&k, targets[i], "page-faults");
		TT_IS(ntime_session_read(s, &v, 1), 1);
		k.is_apart = true;
		TT_IS(ntime_session_read(s, &v, 1), errors[i]);
		TT_HAS(ntime_error_text(&k.ctx), words[i]);
		ntime_session_free(s);
	}
}

/* Of a second after a reading without a pause: what the next one does. */
static const struct torn_row {
	int line;
	uint64_t pause_ns[3][2];
	unsigned int reads;
	uint64_t unsure_ns;
} torn_rows[] = {
	{ __LINE__, { { 0, 0 } }, 1, 0 },
	/* Less than a hundredth of the time to either side is let pass. */
	{ __LINE__, { { 0, 20 * MS } }, 1, 10 * MS },
	/* Once more, and it is known. */
	{ __LINE__, { { 500 * MS, 0 } }, 2, 0 },
	{ __LINE__, { { 0, 500 * MS }, { 500 * MS, 0 } }, 3, 0 },
	/* Not for ever: then it is told. */
	{ __LINE__, { { 500 * MS, 0 }, { 0, 500 * MS }, { 500 * MS, 0 } }, 3, 250 * MS },
	{ __LINE__, { { 500 * MS, 0 }, { 0, 500 * MS }, { 0, 800 * MS } }, 3, 400 * MS },
};

/* A count and its time are of the same moment, but for what is told. */
TEST(torn_readings)
{
	static const uint64_t no_pause[3][2];

	TT_FOR_EACH_ROW(r, torn_rows) {
		struct fake_kernel k;
		struct ntime_session *s =
			start(&k, &cpu0, "page-faults,rate=page-faults / real_ns");
		struct ntime_value first[2], v[2];
		uint64_t first_ns, at_ns, unsure_ns, off_ns;

		TT_EQ(r, ntime_session_read_time(s, &at_ns, &unsure_ns), -EINVAL);
		k.pause_ns = no_pause;
		k.pauses = 1;
		TT_EQ(r, ntime_session_read(s, first, 2), 2);
		TT_EQ(r, ntime_session_read_time(s, &first_ns, &unsure_ns), 0);
		TT_EQ(r, unsure_ns, 0);
		k.now_ns += 1000 * MS;
		k.pause_ns = r->pause_ns;
		k.pauses = 3;
		TT_EQ(r, ntime_session_read(s, v, 2), 2);
		TT_EQ(r, 3 - k.pauses, r->reads);
		TT_EQ(r, ntime_session_read_time(s, &at_ns, &unsure_ns), 0);
		TT_EQ(r, unsure_ns, r->unsure_ns);
		off_ns = at_ns > v[0].count ? at_ns - v[0].count : v[0].count - at_ns;
		TT_EQ(r, off_ns <= unsure_ns, true);
		/* The metric's time is that one, too. */
		TT_EQ(r, v[1].wanted_ns - first[1].wanted_ns, at_ns - first_ns);
		ntime_session_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(core_is_tried_once_and_late),
		cmocka_unit_test(late_cpu),
		cmocka_unit_test(standing_cpu),
		cmocka_unit_test(cpu_that_goes),
		cmocka_unit_test(torn_readings),
	};

	return TT_RUN(tests);
}
