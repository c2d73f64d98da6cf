// SPDX-License-Identifier: MIT
/*
 * CPUs that come and go, on a kernel that is made up: each CPU has a clock that runs while it is on
 * line, and each event counts so many times it. What went off line is taken apart, as Linux does.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "count/lib/context/context.h"
#include "base/lazy/lazy.h"
#include "count/lib/machine/topology.h"
#include "count/tests/session/bare_os.h"
#include "base/tests/tt.h"

#define CPUS 8
#define EVENTS 64
#define MS 1000000ull

struct event {
	bool is_open, is_enabled, is_apart;
	int cpu, group;
	uint64_t config, enabled_ns; /* without what runs now */
	uint64_t since_ns;
};

struct kernel {
	struct nti_os os; /* first: ops get this pointer */
	struct ntime_ctx ctx;
	struct nti_unit unit, *units[1];
	struct event event[EVENTS];
	bool is_on[CPUS];
	bool tells_events; /* there is a file with .events */
	uint64_t events;
	uint64_t came[CPUS];	  /* how often each CPU came on line */
	int moving_cpu;		  /* the kernel is about to take it on line or off; 0: none */
	int going_cpu;		  /* goes off line when an event is opened there; 0: none does */
	unsigned int refused_cpu; /* perf_event_open(2) fails there; 0: nowhere */
	bool is_broken;		  /* read(2) fails */
	uint64_t now_ns;
};

static struct kernel *kernel_of(struct nti_os *os)
{
	return (struct kernel *)os;
}

static int fake_text(struct nti_os *os, const char *path, char *buf, size_t size)
{
	struct kernel *k = kernel_of(os);
	size_t used = 0;
	int i;

	if (sscanf(path, "/sys/devices/system/cpu/cpu%d/hotplug/state", &i) == 1)
		return snprintf(buf, size, "%d\n", k->moving_cpu == i && i ? 100 : 236);
	if (strcmp(path, "/sys/kernel/uevent_seqnum") == 0 && k->tells_events)
		return snprintf(buf, size, "%llu\n", (unsigned long long)k->events);
	if (strcmp(path, "/sys/devices/system/cpu/online") != 0)
		return -ENOENT;
	for (i = 0; i < CPUS; i++)
		if (k->is_on[i])
			used += (size_t)snprintf(buf + used, size - used, "%s%d", used ? "," : "",
						 i);
	return (int)used;
}

static int fake_identity(struct nti_os *os, const char *path, uint64_t *out)
{
	unsigned int cpu;
	int end = 0;

	if (sscanf(path, "/sys/devices/system/cpu/cpu%u/topology%n", &cpu, &end) != 1 || !end ||
	    cpu >= CPUS || !kernel_of(os)->is_on[cpu])
		return -ENOENT;
	*out = 1000 + kernel_of(os)->came[cpu] * CPUS + cpu;
	return 0;
}

static uint64_t fake_now_ns(struct nti_os *os)
{
	return kernel_of(os)->now_ns;
}

static void switch_cpu(struct kernel *k, int cpu, bool is_on);

static int fake_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		     unsigned long flags)
{
	struct kernel *k = kernel_of(os);
	int fd;

	(void)pid, (void)flags;
	/* Without a CPU the library asks what it may: software events of its own. */
	if (k->going_cpu && k->going_cpu == cpu) {
		k->going_cpu = 0;
		switch_cpu(k, cpu, false);
	}
	if (cpu >= 0 && !k->is_on[cpu])
		return -ENODEV;
	if (k->refused_cpu && (int)k->refused_cpu == cpu)
		return -EBUSY;
	for (fd = 0; fd < EVENTS && k->event[fd].is_open; fd++)
		;
	assert_true(fd < EVENTS);
	k->event[fd] = (struct event){
		.is_open = true, .cpu = cpu, .group = group < 0 ? fd : group, .config = attr->config
	};
	return fd;
}

static uint64_t enabled_ns(const struct kernel *k, const struct event *e)
{
	return e->enabled_ns + (e->is_enabled ? k->now_ns - e->since_ns : 0);
}

/* Events count their config + 1 a nanosecond. */
static uint64_t count_of(const struct kernel *k, const struct event *e)
{
	return enabled_ns(k, e) * (e->config + 1);
}

static ssize_t fake_read(struct nti_os *os, int fd, void *buf, size_t size)
{
	struct kernel *k = kernel_of(os);
	const struct event *e = &k->event[fd];
	uint64_t words[3 + EVENTS] = { 0, enabled_ns(k, e), enabled_ns(k, e) };
	int i;

	assert_true(e->is_open);
	if (k->is_broken)
		return -EIO;
	for (i = 0; i < EVENTS; i++)
		/* Of a group that is whole each member's descriptor shows the group. */
		if (k->event[i].is_open && (e->is_apart ? i == fd : k->event[i].group == e->group))
			words[3 + words[0]++] = count_of(k, &k->event[i]);
	assert_true(size >= (3 + words[0]) * sizeof(words[0]));
	memcpy(buf, words, (3 + words[0]) * sizeof(words[0]));
	return (ssize_t)((3 + words[0]) * sizeof(words[0]));
}

static void set_enabled(struct kernel *k, struct event *e, bool is_enabled)
{
	e->enabled_ns = enabled_ns(k, e);
	e->since_ns = k->now_ns;
	e->is_enabled = is_enabled && !e->is_apart;
}

static int fake_ioctl(struct nti_os *os, int fd, unsigned long request, unsigned long arg)
{
	struct kernel *k = kernel_of(os);
	int i;

	(void)arg;
	for (i = 0; i < EVENTS; i++)
		if (k->event[i].is_open && k->event[i].group == fd)
			set_enabled(k, &k->event[i], request == PERF_EVENT_IOC_ENABLE);
	return 0;
}

static void fake_close(struct nti_os *os, int fd)
{
	TT_IS(kernel_of(os)->event[fd].is_open, true);
	kernel_of(os)->event[fd].is_open = false;
}

static struct nti_os_ops ops;

static void init_ops(void)
{
	ops = tt_bare_os();
	ops.text = fake_text;
	ops.identity = fake_identity;
	ops.now_ns = fake_now_ns;
	ops.perf_open = fake_open;
	ops.read = fake_read;
	ops.ioctl = fake_ioctl;
	ops.close = fake_close;
}

static void switch_cpu(struct kernel *k, int cpu, bool is_on)
{
	int i;

	k->is_on[cpu] = is_on;
	k->events++;
	k->came[cpu] += is_on;
	for (i = 0; i < EVENTS && !is_on; i++) {
		if (!k->event[i].is_open || k->event[i].cpu != cpu)
			continue;
		set_enabled(k, &k->event[i], false);
		k->event[i].is_apart = true;
	}
}

static char software_name[] = "software";

/* Two CPUs, 0 and 1, on which two events of one group are to be counted. */
static struct ntime_session *make(struct kernel *k, uint32_t kind, const char *cpus)
{
	struct ntime_target target = { .size = sizeof(target), .kind = kind, .cpus = cpus };
	struct ntime_session *s;

	memset(k, 0, sizeof(*k));
	init_ops();
	k->os.ops = &ops;
	k->is_on[0] = k->is_on[1] = k->tells_events = true;
	k->unit = (struct nti_unit){ .name = software_name,
				     .kind = NTI_UNIT_SOFTWARE,
				     .method = NTI_METHOD_PERF,
				     .type = PERF_TYPE_SOFTWARE };
	k->units[0] = &k->unit;
	k->ctx.os = &k->os;
	k->ctx.cpus = 2;
	k->ctx.units = (struct nti_units){ .unit = k->units, .count = 1 };
	k->ctx.names = (struct nti_names){ .os = &k->os, .units = &k->ctx.units };
	k->ctx.has_units = true;
	TT_IS(ntime_session_new(&k->ctx, &target, &s), 0);
	/* configs 2 and 3: 3 and 4 a nanosecond */
	TT_IS(ntime_session_add_list(s, "page-faults,context-switches"), 0);
	return s;
}

static struct ntime_session *start(struct kernel *k, uint32_t kind, const char *cpus)
{
	struct ntime_session *s = make(k, kind, cpus);

	TT_IS(ntime_session_start(s), 0);
	return s;
}

static void fini(struct kernel *k, struct ntime_session *s)
{
	int i;

	ntime_session_free(s);
	for (i = 0; i < EVENTS; i++)
		TT_IS(k->event[i].is_open, false);
	nti_topology_free(k->ctx.topology);
}

/*
 * Page faults so far, in ms of one CPU, as both events tell them. At most @missed_ms more a CPU was
 * on line.
 */
static struct ntime_value read_part(struct ntime_session *s, uint64_t ms, uint32_t hotplugs,
				    uint64_t missed_ms)
{
	struct ntime_value v[2];

	TT_IS(ntime_session_read(s, v, 2), 2);
	TT_IS(v[0].count, 3 * ms * MS);
	TT_IS(v[1].count, 4 * ms * MS);
	TT_IS(v[0].wanted_ns, (ms + missed_ms) * MS);
	TT_IS(v[0].counted_ns, ms * MS);
	TT_IS(v[0].hotplugs, hotplugs);
	TT_IS(v[0].flags, (hotplugs ? NTIME_HOTPLUG : 0) |
				  (missed_ms * 100 > ms + missed_ms ? NTIME_PARTIAL : 0));
	return v[0];
}

static struct ntime_value read_ms(struct ntime_session *s, uint64_t ms, uint32_t hotplugs)
{
	return read_part(s, ms, hotplugs, 0);
}

TEST(a_cpu_that_goes_keeps_its_count)
{
	struct ntime_where_info where = { .size = sizeof(where) };
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_value before, after;
	struct ntime_session *s;
	struct kernel k;

	s = start(&k, NTIME_TARGET_MACHINE, NULL);
	TT_IS(ntime_session_follow(s), 0);
	k.now_ns += 100 * MS;
	before = read_ms(s, 200, 0);
	k.now_ns += 50 * MS;
	switch_cpu(&k, 1, false);
	k.now_ns += 1000 * MS;
	/*
	 * What it counted since it was read, too: 150 of CPU 1 and 1,150 of CPU 0. It may have been
	 * back in the second in which nobody looked.
	 */
	after = read_part(s, 1300, 1, 1000);
	ntime_value_delta(&before, &after, &after);
	TT_IS(after.count, 3 * 1100 * MS);
	TT_IS(after.flags, NTIME_HOTPLUG | NTIME_PARTIAL);
	TT_IS(ntime_session_follow(s), 1);
	TT_IS(ntime_session_follow(s), 0);
	TT_IS(ntime_session_item(s, 0, &item), 0);
	TT_IS(item.reason_code, NTIME_REASON_OFFLINE);
	TT_HAS(item.reason, "CPU 1 went off line");
	before = read_part(s, 1300, 1, 1000);
	k.now_ns += 100 * MS;
	TT_IS(ntime_session_follow(s), 0);
	after = read_part(s, 1400, 1, 1000);
	/* The time after it is whole. */
	ntime_value_delta(&before, &after, &after);
	TT_IS(after.flags, 0);
	TT_IS(after.count, 3 * 100 * MS);
	TT_IS(ntime_session_stop(s), 0);
	k.now_ns += 100 * MS;
	(void)read_part(s, 1400, 1, 1000);
	fini(&k, s);
}

TEST(a_cpu_that_comes_back_goes_on)
{
	struct ntime_session *s;
	struct kernel k;

	s = start(&k, NTIME_TARGET_CPUS, "0-1");
	TT_IS(ntime_session_follow(s), 0);
	k.now_ns += 100 * MS;
	switch_cpu(&k, 1, false);
	k.now_ns += 100 * MS;
	TT_IS(ntime_session_follow(s), 1);
	switch_cpu(&k, 1, true);
	/* Nobody has looked yet. */
	k.now_ns += 10 * MS;
	TT_IS(ntime_session_follow(s), 1);
	k.now_ns += 1000 * MS;
	(void)read_part(s, 1210 + 1100, 2, 110);
	/* Another CPU is none of the list. */
	switch_cpu(&k, 2, true);
	TT_IS(ntime_session_follow(s), 0);
	TT_IS(ntime_session_where_count(s), 2);
	fini(&k, s);
}

/* Its counters were taken apart all the same, and the list of CPUs shows nothing. */
static void check_away_between_looks(bool tells_events)
{
	struct ntime_value before, after;
	struct ntime_session *s;
	struct kernel k;

	s = start(&k, NTIME_TARGET_CPUS, "0-1");
	k.tells_events = tells_events;
	k.now_ns += 1000 * MS;
	TT_IS(ntime_session_follow(s), 0);
	k.now_ns += 100 * MS;
	switch_cpu(&k, 1, false);
	k.now_ns += 30 * MS;
	switch_cpu(&k, 1, true);
	k.now_ns += 20 * MS;
	before = read_part(s, 2250, 1, 50);
	TT_IS(ntime_session_follow(s), 1);
	k.now_ns += 1000 * MS;
	after = read_part(s, 2250 + 2000, 2, 50);
	ntime_value_delta(&before, &after, &after);
	TT_IS(after.flags, NTIME_HOTPLUG);
	TT_IS(after.wanted_ns, 2000 * MS);
	TT_IS(after.counted_ns, 2000 * MS);
	TT_IS(ntime_session_follow(s), 0);
	k.now_ns += 1000 * MS;
	(void)read_part(s, 2250 + 4000, 2, 50);
	/* Each time, and with the clock stopped, too. */
	TT_IS(ntime_session_stop(s), 0);
	switch_cpu(&k, 1, false);
	switch_cpu(&k, 1, true);
	TT_IS(ntime_session_follow(s), 1);
	(void)read_part(s, 2250 + 4000, 4, 50);
	fini(&k, s);
}

TEST(a_cpu_that_was_away_between_two_looks_is_counted_again)
{
	check_away_between_looks(true);
	check_away_between_looks(false);
}

/* The kernel tells of a CPU a moment after it is on the list: its counters are well then. */
TEST(a_cpu_that_is_told_of_late_is_counted_once)
{
	struct ntime_session *s;
	struct kernel k;

	s = start(&k, NTIME_TARGET_CPUS, "0-1");
	TT_IS(ntime_session_follow(s), 0);
	switch_cpu(&k, 1, false);
	TT_IS(ntime_session_follow(s), 1);
	switch_cpu(&k, 1, true);
	k.events--;
	TT_IS(ntime_session_follow(s), 1);
	k.now_ns += 2000 * MS;
	TT_IS(ntime_session_follow(s), 0);
	k.events++;
	TT_IS(ntime_session_follow(s), 0);
	k.now_ns += 50 * MS;
	(void)read_ms(s, 4100, 2);
	fini(&k, s);
}

/* A group that is whole when it is lost has its own count for each event. */
TEST(what_is_lost_by_mistake_is_kept)
{
	struct ntime_session *s;
	struct kernel k;

	s = start(&k, NTIME_TARGET_CPUS, "0-1");
	TT_IS(ntime_session_follow(s), 0);
	k.now_ns += 1000 * MS;
	k.came[1]++;
	k.events++;
	TT_IS(ntime_session_follow(s), 1);
	k.now_ns += 1000 * MS;
	(void)read_ms(s, 4000, 2);
	fini(&k, s);
}

/* It is on the list, and what is opened there now would not last. */
TEST(a_cpu_on_its_way_is_left_alone)
{
	struct ntime_session *s;
	struct kernel k;

	s = start(&k, NTIME_TARGET_CPUS, "0-1");
	TT_IS(ntime_session_follow(s), 0);
	switch_cpu(&k, 1, false);
	switch_cpu(&k, 1, true);
	k.moving_cpu = 1;
	TT_IS(ntime_session_follow(s), 1);
	k.now_ns += 100 * MS;
	TT_IS(ntime_session_follow(s), 0);
	(void)read_part(s, 100, 1, 100);
	k.moving_cpu = 0;
	TT_IS(ntime_session_follow(s), 1);
	k.now_ns += 100 * MS;
	(void)read_part(s, 300, 2, 100);
	fini(&k, s);
}

/* While it is off, something happened that may have been a CPU. */
TEST(what_may_have_been_missed_is_told)
{
	struct ntime_session *s;
	struct kernel k;

	s = start(&k, NTIME_TARGET_MACHINE, NULL);
	TT_IS(ntime_session_follow(s), 0);
	switch_cpu(&k, 1, false);
	TT_IS(ntime_session_follow(s), 1);
	k.now_ns += 300 * MS;
	TT_IS(ntime_session_follow(s), 0);
	(void)read_ms(s, 300, 1);
	k.events++;
	k.now_ns += 300 * MS;
	TT_IS(ntime_session_follow(s), 0);
	(void)read_part(s, 600, 1, 300);
	fini(&k, s);
}

TEST(a_new_cpu_is_counted_from_then_on)
{
	struct ntime_value v[3 * 2];
	struct ntime_session *s;
	struct kernel k;

	s = start(&k, NTIME_TARGET_MACHINE, NULL);
	k.now_ns += 100 * MS;
	switch_cpu(&k, 5, true);
	k.refused_cpu = 5;
	TT_IS(ntime_session_follow(s), 0);
	TT_IS(ntime_session_where_count(s), 3);
	k.now_ns += 100 * MS;
	TT_IS(ntime_session_read(s, v, 2), 2);
	TT_IS(v[0].count, 3 * 400 * MS);
	TT_IS(v[0].flags, NTIME_PARTIAL);
	k.refused_cpu = 0;
	TT_IS(ntime_session_follow(s), 1);
	k.now_ns += 500 * MS;
	(void)read_part(s, 1400 + 500, 1, 200);
	fini(&k, s);
}

TEST(a_cpu_may_go_while_counters_are_opened)
{
	struct ntime_session *s;
	struct kernel k;

	s = make(&k, NTIME_TARGET_MACHINE, NULL);
	k.going_cpu = 1;
	TT_IS(ntime_session_start(s), 0);
	TT_IS(ntime_session_where_count(s), 1);
	TT_IS(ntime_session_follow(s), 0);
	k.now_ns += 100 * MS;
	(void)read_ms(s, 100, 0);
	switch_cpu(&k, 1, true);
	TT_IS(ntime_session_follow(s), 1);
	k.now_ns += 100 * MS;
	(void)read_part(s, 300, 1, 100);
	fini(&k, s);
	/* Who asked for it is told. */
	s = make(&k, NTIME_TARGET_CPUS, "0-1");
	k.going_cpu = 1;
	TT_IS(ntime_session_start(s), -ENODEV);
	TT_HAS(ntime_error_text(&k.ctx), "CPU 1 is off line");
	fini(&k, s);
}

TEST(a_place_that_cannot_be_told_is_an_error)
{
	struct ntime_where_info where = { .size = sizeof(where) };
	const char *file = nti_lazy_hwloc.file;
	struct ntime_value v[3 * 2];
	struct ntime_session *s;
	struct kernel k;
	int ret;

	s = start(&k, NTIME_TARGET_MACHINE, NULL);
	ret = ntime_session_where(s, 0, &where);
	switch_cpu(&k, 5, true);
	nti_lazy_hwloc.file = "/absent";
	nti_lazy_hwloc.is_loaded = 0;
	if (ret == 0)
		TT_IS(ntime_session_follow(s), -ELIBACC);
	if (ret == 0)
		TT_IS(ntime_session_where(s, 2, &where), -ELIBACC);
	if (ret == 0)
		TT_IS(ntime_session_read_where(s, v, 2, 3), -ELIBACC);
	nti_lazy_hwloc.file = file;
	if (ret == 0) {
		TT_IS(ntime_session_follow(s), 1);
		TT_IS(ntime_session_where(s, 2, &where), 0);
		TT_IS(where.cpu, 5);
		TT_IS(ntime_session_read_where(s, v, 2, 3), 6);
	}
	fini(&k, s);
	if (ret < 0)
		TT_SKIP("hwloc is not installed");
}

TEST(stopped_sessions_stay_so)
{
	struct ntime_session *s;
	struct kernel k;

	s = start(&k, NTIME_TARGET_MACHINE, NULL);
	TT_IS(ntime_session_follow(s), 0);
	k.now_ns += 100 * MS;
	TT_IS(ntime_session_stop(s), 0);
	switch_cpu(&k, 2, true);
	switch_cpu(&k, 1, false);
	TT_IS(ntime_session_follow(s), 1);
	k.now_ns += 100 * MS;
	/* It may have come before the clock was stopped. */
	(void)read_part(s, 200, 2, 100);
	TT_IS(ntime_session_start(s), 0);
	k.now_ns += 100 * MS;
	(void)read_part(s, 400, 2, 100);
	fini(&k, s);
}

TEST(who_does_not_follow_is_told)
{
	struct ntime_value v[2];
	struct ntime_session *s;
	struct kernel k;

	s = start(&k, NTIME_TARGET_MACHINE, NULL);
	k.now_ns += 100 * MS;
	switch_cpu(&k, 1, false);
	TT_IS(ntime_session_read(s, v, 2), -ESTALE);
	fini(&k, s);
	s = start(&k, NTIME_TARGET_THREAD, NULL);
	TT_IS(ntime_session_follow(s), -EINVAL);
	fini(&k, s);
}

TEST(an_error_is_no_hotplug)
{
	struct ntime_value v[2];
	struct ntime_session *s;
	struct kernel k;

	s = start(&k, NTIME_TARGET_MACHINE, NULL);
	k.now_ns += 100 * MS;
	k.is_broken = true;
	TT_IS(ntime_session_read(s, v, 2), -EIO);
	k.is_broken = false;
	(void)read_ms(s, 200, 0);
	fini(&k, s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_that_goes_keeps_its_count),
		cmocka_unit_test(a_cpu_that_comes_back_goes_on),
		cmocka_unit_test(a_cpu_that_was_away_between_two_looks_is_counted_again),
		cmocka_unit_test(a_cpu_that_is_told_of_late_is_counted_once),
		cmocka_unit_test(what_is_lost_by_mistake_is_kept),
		cmocka_unit_test(a_cpu_on_its_way_is_left_alone),
		cmocka_unit_test(what_may_have_been_missed_is_told),
		cmocka_unit_test(a_new_cpu_is_counted_from_then_on),
		cmocka_unit_test(a_cpu_may_go_while_counters_are_opened),
		cmocka_unit_test(a_place_that_cannot_be_told_is_an_error),
		cmocka_unit_test(stopped_sessions_stay_so),
		cmocka_unit_test(who_does_not_follow_is_told),
		cmocka_unit_test(an_error_is_no_hotplug),
	};

	return TT_RUN(tests);
}
