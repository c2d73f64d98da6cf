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
#include "count/tests/session/scene.h"
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

static struct {
	struct nti_os os;
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
} k;

static int fake_text(struct nti_os *os, const char *path, char *buf, size_t size)
{
	size_t used = 0;
	int i;

	(void)os;
	if (sscanf(path, "/sys/devices/system/cpu/cpu%d/hotplug/state", &i) == 1)
		return snprintf(buf, size, "%d\n", k.moving_cpu == i && i ? 100 : 236);
	if (strcmp(path, "/sys/kernel/uevent_seqnum") == 0 && k.tells_events)
		return snprintf(buf, size, "%llu\n", (unsigned long long)k.events);
	if (strcmp(path, "/sys/devices/system/cpu/online") != 0)
		return -ENOENT;
	for (i = 0; i < CPUS; i++)
		if (k.is_on[i])
			used += (size_t)snprintf(buf + used, size - used, "%s%d", used ? "," : "",
						 i);
	return (int)used;
}

static int fake_identity(struct nti_os *os, const char *path, uint64_t *out)
{
	unsigned int cpu;
	int end = 0;

	(void)os;
	if (sscanf(path, "/sys/devices/system/cpu/cpu%u/topology%n", &cpu, &end) != 1 || !end ||
	    cpu >= CPUS || !k.is_on[cpu])
		return -ENOENT;
	*out = 1000 + k.came[cpu] * CPUS + cpu;
	return 0;
}

static uint64_t fake_now_ns(struct nti_os *os)
{
	(void)os;
	return k.now_ns;
}

static void switch_cpu(int cpu, bool is_on);

static int fake_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		     unsigned long flags)
{
	int fd;

	(void)os, (void)pid, (void)flags;
	/* Without a CPU the library asks what it may: software events of its own. */
	if (k.going_cpu && k.going_cpu == cpu) {
		k.going_cpu = 0;
		switch_cpu(cpu, false);
	}
	if (cpu >= 0 && !k.is_on[cpu])
		return -ENODEV;
	if (k.refused_cpu && (int)k.refused_cpu == cpu)
		return -EBUSY;
	for (fd = 0; fd < EVENTS && k.event[fd].is_open; fd++)
		;
	assert_true(fd < EVENTS);
	k.event[fd] = (struct event){
		.is_open = true, .cpu = cpu, .group = group < 0 ? fd : group, .config = attr->config
	};
	return fd;
}

static uint64_t enabled_ns(const struct event *e)
{
	return e->enabled_ns + (e->is_enabled ? k.now_ns - e->since_ns : 0);
}

/* Events count their config + 1 a nanosecond. */
static uint64_t count_of(const struct event *e)
{
	return enabled_ns(e) * (e->config + 1);
}

static ssize_t fake_read(struct nti_os *os, int fd, void *buf, size_t size)
{
	const struct event *e = &k.event[fd];
	uint64_t words[3 + EVENTS] = { 0, enabled_ns(e), enabled_ns(e) };
	int i;

	(void)os;
	assert_true(e->is_open);
	if (k.is_broken)
		return -EIO;
	for (i = 0; i < EVENTS; i++)
		/* Of a group that is whole each member's descriptor shows the group. */
		if (k.event[i].is_open && (e->is_apart ? i == fd : k.event[i].group == e->group))
			words[3 + words[0]++] = count_of(&k.event[i]);
	assert_true(size >= (3 + words[0]) * sizeof(words[0]));
	memcpy(buf, words, (3 + words[0]) * sizeof(words[0]));
	return (ssize_t)((3 + words[0]) * sizeof(words[0]));
}

static void set_enabled(struct event *e, bool is_enabled)
{
	e->enabled_ns = enabled_ns(e);
	e->since_ns = k.now_ns;
	e->is_enabled = is_enabled && !e->is_apart;
}

static int fake_ioctl(struct nti_os *os, int fd, unsigned long request, unsigned long arg)
{
	int i;

	(void)os, (void)arg;
	for (i = 0; i < EVENTS; i++)
		if (k.event[i].is_open && k.event[i].group == fd)
			set_enabled(&k.event[i], request == PERF_EVENT_IOC_ENABLE);
	return 0;
}

static void fake_close(struct nti_os *os, int fd)
{
	(void)os;
	TT_IS(k.event[fd].is_open, true);
	k.event[fd].is_open = false;
}

static void switch_cpu(int cpu, bool is_on)
{
	int i;

	k.is_on[cpu] = is_on;
	k.events++;
	k.came[cpu] += is_on;
	for (i = 0; i < EVENTS && !is_on; i++) {
		if (!k.event[i].is_open || k.event[i].cpu != cpu)
			continue;
		set_enabled(&k.event[i], false);
		k.event[i].is_apart = true;
	}
}

/* ---- the machine and its verbs ---- */

static char software_name[] = "software";
static struct nti_os_ops ops;
static struct ntime_value kept[2];

/* Two CPUs, 0 and 1. */
static void begin(struct scene *s)
{
	memset(&k, 0, sizeof(k));
	ops = tt_bare_os();
	ops.text = fake_text;
	ops.identity = fake_identity;
	ops.now_ns = fake_now_ns;
	ops.perf_open = fake_open;
	ops.read = fake_read;
	ops.ioctl = fake_ioctl;
	ops.close = fake_close;
	k.os.ops = &ops;
	k.is_on[0] = k.is_on[1] = k.tells_events = true;
	k.unit = (struct nti_unit){ .name = software_name,
				    .kind = NTI_UNIT_SOFTWARE,
				    .method = NTI_METHOD_PERF,
				    .type = PERF_TYPE_SOFTWARE };
	k.units[0] = &k.unit;
	k.ctx.os = &k.os;
	k.ctx.cpus = 2;
	k.ctx.units = (struct nti_units){ .unit = k.units, .count = 1 };
	k.ctx.names = (struct nti_names){ .os = &k.os, .units = &k.ctx.units };
	k.ctx.has_units = true;
	s->ctx = &k.ctx;
	s->now_ns = &k.now_ns;
}

static void end(struct scene *s)
{
	int i;

	for (i = 0; i < EVENTS; i++)
		SCENE_IS(s, k.event[i].is_open, false);
	nti_topology_free(k.ctx.topology);
}

/* on CPU, off CPU */
SCENE_STEP(on)
{
	switch_cpu((int)n[0], true);
}

SCENE_STEP(off)
{
	switch_cpu((int)n[0], false);
}

/* follow [ERROR]: nothing has changed; follow_change: something has. */
SCENE_STEP(follow)
{
	SCENE_IS(s, ntime_session_follow(scene_session(s)), scene_error(s, rest));
}

SCENE_STEP(follow_change)
{
	SCENE_IS(s, ntime_session_follow(scene_session(s)), 1);
}

/*
 * Page faults and switches tell of so many ms of one CPU. At most @missed_ms more a CPU was on
 * line.
 */
static void check_part(struct scene *s, const struct ntime_value v[2], uint64_t ms,
		       uint64_t hotplugs, uint64_t missed_ms)
{
	SCENE_IS(s, v[0].count, 3 * ms * MS);
	SCENE_IS(s, v[1].count, 4 * ms * MS);
	SCENE_IS(s, v[0].wanted_ns, (ms + missed_ms) * MS);
	SCENE_IS(s, v[0].counted_ns, ms * MS);
	SCENE_IS(s, v[0].hotplugs, hotplugs);
	SCENE_IS(s, v[0].flags,
		 (hotplugs ? NTIME_HOTPLUG : 0) |
			 (missed_ms * 100 > ms + missed_ms ? NTIME_PARTIAL : 0));
}

/* part MS [HOTPLUGS [MISSED_MS]]: there were so far, see check_part(). */
SCENE_STEP(part)
{
	SCENE_IS(s, ntime_session_read(scene_session(s), s->v, 2), 2);
	check_part(s, s->v, n[0], n[1], n[2]);
}

/* keep; ...; part ...; since MS [HOTPLUGS [MISSED_MS]]: between the two readings there were */
SCENE_STEP(keep)
{
	memcpy(kept, s->v, sizeof(kept));
}

SCENE_STEP(since)
{
	struct ntime_value delta[2];
	size_t i;

	for (i = 0; i < 2; i++)
		ntime_value_delta(&kept[i], &s->v[i], &delta[i]);
	check_part(s, delta, n[0], n[1], n[2]);
}

/* cpus NUMBER: so many have counters, or had */
SCENE_STEP(cpus)
{
	SCENE_IS(s, ntime_session_where_count(scene_session(s)), n[0]);
}

SCENE_STEP(is_off_line)
{
	SCENE_IS(s, scene_item(s, 0).reason_code, NTIME_REASON_OFFLINE);
}

static const struct scene_verb verbs[] = {
	{ "cpus", 1, step_cpus },
	{ "follow", 0, step_follow },
	{ "follow_change", 0, step_follow_change },
	{ "is_off_line", 0, step_is_off_line },
	{ "keep", 0, step_keep },
	{ "off", 1, step_off },
	{ "on", 1, step_on },
	{ "part", 3, step_part },
	{ "since", 3, step_since },
	{ NULL, 0, NULL },
};

static const struct scene_field fields[] = {
	SCENE_FIELD("broken", k.is_broken),
	SCENE_FIELDS("came", k.came[0], k.came[0]),
	SCENE_FIELD("events", k.events),
	SCENE_FIELD("going", k.going_cpu),
	SCENE_FIELD("moving", k.moving_cpu),
	SCENE_FIELD("refused", k.refused_cpu),
	SCENE_FIELD("tells_events", k.tells_events),
	{ NULL, NULL, 0, 0, 0 },
};

static const struct scene_machine hotplug = { verbs, fields, begin, end };

/* ---- scenarios ---- */

/* One group of configs 2 and 3: 3 and 4 a nanosecond. */
#define PAIR "page-faults,context-switches;"
#define ALL "open unopened " PAIR "start;"
#define TWO "open unopened cpus=0-1 " PAIR "start;"

/*
 * Its counters were taken apart all the same, and the list of CPUs shows nothing. It is noticed
 * each time, and with the clock stopped, too.
 */
#define AWAY(tells)                                                                                \
	TWO "set tells_events " tells                                                              \
	    "; pause 1s; follow; pause 100ms; off 1; pause 30ms; on 1; pause 20ms;"                \
	    "part 2250 1 50; keep; follow_change; pause 1s; part 4250 2 50; since 2000 1; follow;" \
	    "pause 1s; part 6250 2 50; stop; off 1; on 1; follow_change; part 6250 4 50"

static const struct scenario scenarios[] = {
	/*
	 * What it counted since it was read, too: 150 of CPU 1 and 1,150 of CPU 0. It may have been
	 * back in the second in which nobody looked. The time after it is whole.
	 */
	{ __LINE__, "a CPU that goes keeps its count",
	  ALL "follow; pause 100ms; part 200; keep; pause 50ms; off 1; pause 1s; part 1300 1 1000;"
	      "since 1100 1 1000; follow_change; follow; is_off_line; reason 0 CPU 1 went off line;"
	      "part 1300 1 1000; keep; pause 100ms; follow; part 1400 1 1000; since 100; stop;"
	      "pause 100ms; part 1400 1 1000" },
	/* For 10 ms nobody has looked. Another CPU is none of the list. */
	{ __LINE__, "a CPU that comes back goes on",
	  TWO "follow; pause 100ms; off 1; pause 100ms; follow_change; on 1; pause 10ms;"
	      "follow_change; pause 1s; part 2310 2 110; on 2; follow; cpus 2" },
	{ __LINE__, "a CPU that was away between two looks is counted again", AWAY("1") },
	{ __LINE__, "the same where the kernel tells of no events", AWAY("0") },
	/* The kernel tells of a CPU a moment after it is listed: its counters are well then. */
	{ __LINE__, "a CPU that is told of late is counted once",
	  TWO "follow; off 1; follow_change; on 1; set events 1; follow_change; pause 2s; follow;"
	      "set events 2; follow; pause 50ms; part 4100 2" },
	/* A group that is whole when it is lost has its own count for each event. */
	{ __LINE__, "what is lost by mistake is kept",
	  TWO "follow; pause 1s; set came.1; set events 1; follow_change; pause 1s; part 4000 2" },
	/* It is on the list, and what is opened there now would not last. */
	{ __LINE__, "a CPU on its way is left alone",
	  TWO "follow; off 1; on 1; set moving 1; follow_change; pause 100ms; follow;"
	      "part 100 1 100; set moving 0; follow_change; pause 100ms; part 300 2 100" },
	/* While it is off, something happened that may have been a CPU. */
	{ __LINE__, "what may have been missed is told",
	  ALL "follow; off 1; follow_change; pause 300ms; follow; part 300 1; set events 2;"
	      "pause 300ms; follow; part 600 1 300" },
	{ __LINE__, "a new CPU is counted from then on",
	  ALL "pause 100ms; on 5; set refused 5; follow; cpus 3; pause 100ms;"
	      "read 1200000000/partial; set refused 0; follow_change; pause 500ms;"
	      "part 1900 1 200" },
	{ __LINE__, "a CPU may go while counters are opened",
	  "open unopened " PAIR "set going 1; start; cpus 1; follow; pause 100ms; part 100; on 1;"
	  "follow_change; pause 100ms; part 300 1 100" },
	{ __LINE__, "who asked for the CPU that goes is told",
	  "open unopened cpus=0-1 " PAIR "set going 1; start ENODEV; error CPU 1 is off line" },
	/* It may have come before the clock was stopped. */
	{ __LINE__, "stopped sessions stay so",
	  ALL "follow; pause 100ms; stop; on 2; off 1; follow_change; pause 100ms; part 200 2 100;"
	      "start; pause 100ms; part 400 2 100" },
	{ __LINE__, "who does not follow is told", ALL "pause 100ms; off 1; fails ESTALE" },
	{ __LINE__, "threads do not follow", "open unopened thread " PAIR "start; follow EINVAL" },
	{ __LINE__, "an error is no hotplug",
	  ALL "pause 100ms; set broken; fails EIO; set broken 0; part 200" },
};

/* ---- what a scenario cannot say ---- */

TEST(a_place_that_cannot_be_told_is_an_error)
{
	struct ntime_where_info where = { .size = sizeof(where) };
	const char *file = nti_lazy_hwloc.file;
	struct ntime_session *session;
	struct scene s;

	scene_begin(&s, &hotplug);
	SCENE(&s, ALL);
	session = scene_session(&s);
	if (ntime_session_where(session, 0, &where) < 0) {
		scene_end(&s);
		TT_SKIP("hwloc is not installed");
	}
	nti_lazy_hwloc.file = "/absent";
	nti_lazy_hwloc.is_loaded = 0;
	SCENE(&s, "on 5; follow ELIBACC");
	TT_IS(ntime_session_where(session, 2, &where), -ELIBACC);
	TT_IS(ntime_session_read_where(session, s.v, 2, 3), -ELIBACC);
	nti_lazy_hwloc.file = file;
	SCENE(&s, "follow_change");
	TT_IS(ntime_session_where(session, 2, &where), 0);
	TT_IS(where.cpu, 5);
	TT_IS(ntime_session_read_where(session, s.v, 2, 3), 6);
	scene_end(&s);
}

int main(void)
{
	static const struct CMUnitTest functions[] = {
		cmocka_unit_test(a_place_that_cannot_be_told_is_an_error),
	};

	return SCENE_RUN(&hotplug, scenarios, functions);
}
