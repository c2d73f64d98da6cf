// SPDX-License-Identifier: MIT
/*
 * Sessions that count outside of the cores through msr devices and configuration space, on models:
 * counts, wraps, turns, counters that others use or take, CPUs and functions that go away.
 */
#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "base/tests/tt.h"

#include "core/seq/box.h"
#include "count/lib/machine/box_bus.h"
#include "count/lib/access/claim.h"
#include "count/lib/access/handle.h"
#include "count/tests/session/fake_boxes.h"

#define HOUR_NS 3600000000000ull

#define THROTTLED "uncore/event=0x67,umask=0x1/"
#define CORE0 "uncore/event=0x81,umask=0x1/"
#define CLOCKS "uncore/event=0xff/"
#define READS "uncore_imc_0/event=0x04,umask=0x03/"
#define WRITES "uncore_imc_0/event=0x04,umask=0x0c/"
#define ALL_READS "uncore_imc/event=0x04,umask=0x03/"

static void init(struct fake_boxes *f, bool has_uncore)
{
	fake_boxes_init(f, has_uncore);
	fake_boxes_soil(f);
}

/* Made once: all that it is made of is in it. */
static const struct fake_silicon *as_found(void)
{
	static struct fake_silicon silicon;
	static bool is_made;
	struct fake_boxes fresh;

	if (!is_made) {
		init(&fresh, false);
		silicon = fake_silicon_without_flags(&fresh.silicon);
		fake_boxes_fini(&fresh);
		is_made = true;
	}
	return &silicon;
}

/* Padding counts, too: both were made of zeros. */
static bool are_same(const void *one, const void *other, size_t bytes)
{
	return memcmp(one, other, bytes) == 0;
}

static bool is_as_found(struct fake_boxes *f)
{
	const struct fake_silicon now = fake_silicon_without_flags(&f->silicon);
	bool is_same = are_same(&now, as_found(), sizeof(now));

	fake_pci_use(&f->pci);
	return is_same;
}

static void fini(struct fake_boxes *f)
{
	TT_IS(is_as_found(f), 1);
	fake_boxes_fini(f);
}

/* As fini(), of what could not be put back: it is off. */
static void fini_off(struct fake_boxes *f)
{
	TT_IS(fake_silicon_runs(&f->silicon, as_found()), false);
	fake_boxes_fini(f);
}

/* Must succeed. */
static struct ntime_session *session_via(struct fake_boxes *f, const char *cpus, uint32_t via,
					 const char *list)
{
	struct ntime_session *s;

	if (fake_boxes_open(&f->ctx, cpus, 0, via, list, &s) < 0)
		fail_msg("%s", ntime_error_text(&f->ctx));
	return s;
}

static struct ntime_session *session(struct fake_boxes *f, const char *list)
{
	return session_via(f, NULL, NTIME_VIA_AUTO, list);
}

static struct ntime_item item_of(const struct ntime_session *s, size_t i)
{
	struct ntime_item item = { .size = sizeof(item) };

	TT_IS(ntime_session_item(s, i, &item), 0);
	return item;
}

static void start(struct fake_boxes *f, struct ntime_session *s)
{
	if (ntime_session_start(s) < 0)
		fail_msg("%s", ntime_error_text(&f->ctx));
}

static void read_all(struct fake_boxes *f, struct ntime_session *s, struct ntime_value *v)
{
	if (ntime_session_read(s, v, ntime_session_count(s)) < 0)
		fail_msg("%s", ntime_error_text(&f->ctx));
}

/* ---- counts ---- */

TEST(uncore_through_msr)
{
	struct fake_boxes f;
	struct ntime_session *s;
	struct ntime_value v[3];

	init(&f, false);
	s = session(&f, THROTTLED "," CORE0 "," CLOCKS);
	TT_TEXT(item_of(s, 0).reason, "");
	TT_TEXT(item_of(s, 0).method, "msr");
	TT_IS(ntime_session_passes(s), 1);
	/* Before the start and after the stop nothing counts. */
	fake_boxes_work(&f, 0, 99, 9, 9);
	start(&f, s);
	fake_boxes_work(&f, 0, 1000, 300, 20);
	fake_boxes_work(&f, 1, 2000, 5, 0);
	read_all(&f, s, v);
	TT_IS(v[0].count, 305);
	TT_IS(v[1].count, 20);
	TT_IS(v[2].count, 3000);
	TT_IS(v[0].flags | v[1].flags | v[2].flags, 0);
	TT_IS(ntime_session_stop(s), 0);
	fake_boxes_work(&f, 0, 99, 9, 9);
	start(&f, s);
	fake_boxes_work(&f, 1, 10, 10, 0);
	read_all(&f, s, v);
	TT_IS(v[0].count, 315);
	TT_IS(v[2].count, 3010);
	ntime_session_free(s);
	fini(&f);
}

static const char two_metrics[] = "metric one-way\n"
				  "unit 1\n"
				  "group core\n"
				  "formula '" READS "' / '" WRITES "' * real_ns\n"
				  "about Beside the clock all come the same way.\n"
				  "source made up\n"
				  "\n"
				  "metric two-ways\n"
				  "unit 1\n"
				  "group core\n"
				  "formula '" READS "' / '" THROTTLED "'\n"
				  "about Channels through pci, the uncore through msr.\n"
				  "source made up\n";

static const char *method_of(const struct ntime_session *s, const char *name)
{
	size_t i = 0;

	while (strcmp(item_of(s, i).name, name) != 0)
		i++;
	return item_of(s, i).method;
}

TEST(metrics_have_the_method_of_their_events)
{
	struct fake_boxes f;
	struct ntime_session *s;

	init(&f, false);
	TT_IS(nti_metrics_parse("two", two_metrics, strlen(two_metrics), &f.ctx.metrics,
				&f.ctx.error),
	      0);
	s = session(&f, "one-way,two-ways");
	TT_TEXT(method_of(s, "one-way"), "pci");
	TT_TEXT(method_of(s, "two-ways"), "");
	ntime_session_free(s);
	nti_metrics_fini(&f.ctx.metrics);
	fini(&f);
}

TEST(channels_through_pci)
{
	struct fake_boxes f;
	struct ntime_session *s;
	struct ntime_value v[3];

	init(&f, false);
	s = session(&f, READS "," WRITES "," ALL_READS);
	TT_TEXT(item_of(s, 2).reason, "");
	TT_TEXT(item_of(s, 2).method, "pci");
	start(&f, s);
	fake_boxes_move(&f, 0, 0, 1000, 10);
	fake_boxes_move(&f, 1, 0, 200, 0);
	fake_boxes_move(&f, 0, 3, 30, 0);
	fake_boxes_move(&f, 1, 2, 4, 5);
	read_all(&f, s, v);
	TT_IS(v[0].count, 1200);
	TT_IS(v[1].count, 10);
	TT_IS(v[2].count, 1234);
	TT_IS(v[0].flags | v[1].flags | v[2].flags, 0);
	ntime_session_free(s);
	fini(&f);
}

TEST(core_through_msr)
{
	const struct ntm_x86_work done = { .instructions = 1000, .cycles = 2000 };
	struct fake_boxes f;
	struct ntime_session *s;
	struct ntime_value v[2];

	init(&f, false);
	s = session_via(&f, "1", NTIME_VIA_MSR, "instructions:u,cycles," THROTTLED);
	TT_TEXT(item_of(s, 0).reason, "");
	TT_TEXT(item_of(s, 0).method, "msr");
	/* CPU 1 is not the one on which the package is read. */
	TT_HAS(item_of(s, 2).reason, "CPU 0,2 only");
	start(&f, s);
	ntm_x86_pmu_advance(&f.silicon.pmu[1], true, &done);
	ntm_x86_pmu_advance(&f.silicon.pmu[1], false, &done);
	{
		struct ntime_value all[3];

		read_all(&f, s, all);
		memcpy(v, all, sizeof(v));
	}
	TT_IS(v[0].count, 1000);
	TT_IS(v[1].count, 4000);
	ntime_session_free(s);
	fini(&f);
}

/*
 * Through the driver's folders of packages and of functions; nothing is claimed, and what is held
 * nobody else can write.
 */
TEST(through_the_driver)
{
	struct fake_boxes f;
	struct ntime_session *s, *other;
	struct ntime_value v[2];

	init(&f, false);
	f.has_driver = true;
	f.is_user = true;
	s = session(&f, THROTTLED "," READS);
	TT_TEXT(item_of(s, 0).reason, "");
	TT_TEXT(item_of(s, 0).method, "ntimefs");
	TT_TEXT(item_of(s, 1).reason, "");
	TT_TEXT(item_of(s, 1).method, "ntimefs");
	TT_IS(fake_boxes_claims(&f), 0);
	start(&f, s);
	fake_boxes_work(&f, 0, 1000, 300, 0);
	fake_boxes_work(&f, 1, 1000, 5, 0);
	fake_boxes_move(&f, 0, 0, 40, 7);
	fake_boxes_move(&f, 1, 0, 2, 7);
	read_all(&f, s, v);
	TT_IS(v[0].count, 305);
	TT_IS(v[1].count, 42);
	other = session(&f, THROTTLED);
	TT_HAS(item_of(other, 0).reason, "a counter of package 0 is in use by perf");
	ntime_session_free(other);
	ntime_session_free(s);
	fini(&f);
}

/* ---- counters that always run, and states ---- */

#define ENERGY "power/event=2/" /* energy-pkg */
#define HEADROOM "thermal/event=12/"
#define HOT "thermal/event=0/"
#define HOT_LOG "thermal/event=1/"

TEST(energy)
{
	struct fake_boxes f;
	struct ntime_session *s, *other;
	struct ntime_value v;

	init(&f, false);
	/* A domain without energy is not there. */
	fake_boxes_burn(&f, 0, 0xffffff00);
	fake_boxes_burn(&f, 1, 77);
	s = session(&f, ENERGY);
	TT_TEXT(item_of(s, 0).reason, "");
	fake_boxes_burn(&f, 1, 1000);
	start(&f, s);
	fake_boxes_burn(&f, 0, 0x200);
	fake_boxes_burn(&f, 1, 1);
	read_all(&f, s, &v);
	TT_IS(v.count, 0x201);
	TT_IS(v.flags, 0);
	TT_IS(ntime_session_max_read_interval_ns(s) > 20000000000, 1);
	TT_IS(ntime_session_max_read_interval_ns(s) < 40000000000, 1);
	TT_IS(ntime_session_stop(s), 0);
	fake_boxes_burn(&f, 0, 5);
	read_all(&f, s, &v);
	TT_IS(v.count, 0x201);
	start(&f, s);
	fake_boxes_burn(&f, 0, 2);
	/* Anybody may read it at the same time. */
	other = session(&f, ENERGY "," ENERGY);
	TT_TEXT(item_of(other, 0).reason, "");
	ntime_session_free(other);
	read_all(&f, s, &v);
	TT_IS(v.count, 0x203);
	TT_IS(v.flags, 0);
	f.now_ns += 60000000000;
	read_all(&f, s, &v);
	TT_IS(v.flags, NTIME_OVERFLOWED);
	ntime_session_free(s);
	TT_IS(f.writes, 0);
	fake_boxes_fini(&f);
}

static void heat(struct fake_boxes *f, unsigned int cpu, uint32_t now, uint32_t headroom)
{
	struct ntm_x86_core_work w = { .heat = { .now = now, .headroom = headroom } };

	ntm_x86_power_core_advance(&f->silicon.thermal[cpu], &w);
}

TEST(states)
{
	struct fake_boxes f;
	struct ntime_session *s;
	struct ntime_value v[3];
	unsigned int before;

	init(&f, false);
	heat(&f, 1, 0, 40);
	s = session_via(&f, "1", NTIME_VIA_AUTO, HEADROOM "," HOT "," HOT_LOG);
	start(&f, s);
	read_all(&f, s, v);
	TT_IS(v[0].count, 40);
	TT_IS(v[1].count, 0);
	TT_IS(v[2].count, 0);
	heat(&f, 1, NTM_X86_HOT, 3);
	heat(&f, 1, 0, 5);
	before = f.accesses;
	read_all(&f, s, v);
	/* Bits of one register are read with one access. */
	TT_IS(f.accesses - before, 1);
	TT_IS(v[0].count, 5);
	TT_IS(v[1].count, 0);
	TT_IS(v[2].count, 1);
	TT_IS(v[0].flags & NTIME_OVERFLOWED, 0);
	TT_IS(ntime_session_max_read_interval_ns(s) == UINT64_MAX, 1);
	/*
	 * The sensor says that it does not know: that is not 0, and the others are not touched by
	 * it.
	 */
	f.silicon.thermal[1].thermal &= ~(1u << 31);
	read_all(&f, s, v);
	TT_IS(v[0].flags & NTIME_NOT_COUNTED, NTIME_NOT_COUNTED);
	TT_IS(v[2].count, 1);
	TT_IS(v[2].flags & NTIME_NOT_COUNTED, 0);
	ntime_session_free(s);
	TT_IS(f.writes, 0);
	fake_boxes_fini(&f);
}

/* ---- filters ---- */

#define OPCODE(opcode) "uncore_cha_0/event=0x35,umask=0x21,filter_opc0=" opcode "/"

/*
 * Two events that want different values of the register that the counters of the box share take
 * turns.
 */
TEST(filters)
{
	struct fake_boxes f;
	struct ntime_session *s;

	init(&f, false);
	f.silicon.cha[5] = 0x20;
	s = session(&f, OPCODE("0x201") "," OPCODE("0x201") ",uncore_cha_0/event=0x50/");
	TT_TEXT(item_of(s, 0).reason, "");
	TT_IS(ntime_session_passes(s), 1);
	start(&f, s);
	TT_IS(f.silicon.cha[6] >> 9 & 0x3ff, 0x201);
	ntime_session_free(s);
	TT_IS(f.silicon.cha[6], 0);
	s = session(&f, OPCODE("0x201") "," OPCODE("0x202") ",uncore_cha_0/event=0x50/");
	TT_IS(ntime_session_passes(s), 2);
	TT_HAS(ntime_session_plan_text(s, 1),
	       "the second filter of uncore_cha_0 is wanted as 0x40200dffffe3b and as "
	       "0x40400dffffe3b, so uncore_cha_0/event=0x35,umask=0x21,filter_opc0=0x202/ waits");
	start(&f, s);
	{
		struct ntime_value v[3];

		read_all(&f, s, v);
	}
	TT_IS(f.silicon.cha[6] >> 9 & 0x3ff, 0x202);
	ntime_session_free(s);
	TT_IS(f.silicon.cha[6], 0);
	f.silicon.cha[5] = 0;
	fini(&f);
}

/* ---- ways ---- */

static const struct method_row {
	int line;
	uint32_t via;
	bool has_uncore, has_perf, is_user;
	const char *event, *method, *reason;
	int ret;
} method_rows[] = {
	/* the kernel counts what it knows, if it lets us */
	{ __LINE__, NTIME_VIA_AUTO, true, true, false, THROTTLED, "perf", "", 0 },
	{ __LINE__, NTIME_VIA_AUTO, true, false, false, THROTTLED, "msr", "", 0 },
	{ __LINE__, NTIME_VIA_AUTO, false, true, false, THROTTLED, "msr", "", 0 },
	{ __LINE__, NTIME_VIA_AUTO, true, false, false, READS, "pci", "", 0 },
	{ __LINE__, NTIME_VIA_AUTO, false, true, true, THROTTLED, "ntimefs", "not loaded", 0 },
	{ __LINE__, NTIME_VIA_AUTO, false, true, true, READS, "ntimefs", "not loaded", 0 },
	{ __LINE__, NTIME_VIA_AUTO, true, false, true, THROTTLED, "perf", "", -EACCES },
	/* what was asked for, where it reaches */
	{ __LINE__, NTIME_VIA_PERF, true, true, false, THROTTLED, "perf", "", 0 },
	{ __LINE__, NTIME_VIA_PERF, true, false, false, THROTTLED, "perf", "", -EACCES },
	{ __LINE__, NTIME_VIA_PERF, false, true, false, THROTTLED, "msr", "", 0 },
	{ __LINE__, NTIME_VIA_MSR, true, true, false, THROTTLED, "msr", "", 0 },
	{ __LINE__, NTIME_VIA_MSR, true, true, false, READS, "perf", "", 0 },
	{ __LINE__, NTIME_VIA_PCI, true, true, false, READS, "pci", "", 0 },
	{ __LINE__, NTIME_VIA_PCI, true, true, false, THROTTLED, "perf", "", 0 },
	{ __LINE__, NTIME_VIA_MSR, true, true, true, THROTTLED, "msr", "needs root", 0 },
	{ __LINE__, NTIME_VIA_NTIMEFS, true, true, false, THROTTLED, "ntimefs", "not loaded", 0 },
};

TEST(methods)
{
	TT_FOR_EACH_ROW(r, method_rows) {
		struct fake_boxes f;
		struct ntime_session *s;

		init(&f, r->has_uncore);
		f.has_perf = r->has_perf;
		f.is_user = r->is_user;
		TT_EQ(r, fake_boxes_open(&f.ctx, NULL, 0, r->via, r->event, &s), r->ret);
		if (r->ret == 0) {
			TT_STR(r, item_of(s, 0).method, r->method);
			tt_has_(item_of(s, 0).reason, r->reason, "reason", __FILE__, r->line);
			TT_EQ(r, *item_of(s, 0).reason != '\0', *r->reason != '\0');
		}
		ntime_session_free(s);
		fini(&f);
	}
}

TEST(programs_are_not_counted)
{
	const struct ntime_target msr = { .size = sizeof(msr), .via = NTIME_VIA_MSR };
	const struct ntime_target pci = { .size = sizeof(pci), .via = NTIME_VIA_PCI };
	struct ntime_session *s;
	struct fake_boxes f;

	init(&f, false);
	TT_IS(ntime_session_new(&f.ctx, &msr, &s), -EINVAL);
	TT_TEXT(ntime_error_text(&f.ctx), "msr counts CPUs, not programs: add -a or -C CPUS");
	TT_IS(ntime_session_new(&f.ctx, &pci, &s), -EINVAL);
	fini(&f);
}

static const struct absent_row {
	int line;
	const char *event, *reason;
} absent_rows[] = {
	{ __LINE__, "uncore/event=0x67,odd=1/", "bits 0x200000 of config" },
	{ __LINE__, "uncore/event=0x67,more=3/", "bits 0x3 of config1" },
};

TEST(events_that_registers_cannot_count)
{
	TT_FOR_EACH_ROW(r, absent_rows) {
		struct fake_boxes f;
		struct ntime_session *s;
		struct ntime_value v[2];
		char list[128];

		init(&f, false);
		snprintf(list, sizeof(list), "%s," CLOCKS, r->event);
		s = session(&f, list);
		tt_has_(item_of(s, 0).reason, r->reason, "reason", __FILE__, r->line);
		start(&f, s);
		fake_boxes_work(&f, 1, 10, 0, 0);
		read_all(&f, s, v);
		TT_EQ(r, v[0].flags, NTIME_ABSENT);
		TT_EQ(r, v[1].count, 10);
		ntime_session_free(s);
		fini(&f);
	}
}

/* ---- wraps ---- */

static const struct wrap_row {
	int line;
	const char *event;
	uint64_t start,
		work; /* where the counter is put behind the library's back, and what comes then */
	uint64_t pause_ns;
	uint64_t count;
	uint32_t flags;
} wrap_rows[] = {
	/* with a flag: however long it took, until there was time for two */
	{ __LINE__, THROTTLED, 0xffffffffff00, 255, HOUR_NS, 0xffffffffffff, 0 },
	{ __LINE__, THROTTLED, 0xffffffffff00, 1256, 0, 0x10000000003e8, 0 },
	{ __LINE__, THROTTLED, 0xffffffffff00, 1256, HOUR_NS, 0x10000000003e8, NTIME_OVERFLOWED },
	{ __LINE__, CLOCKS, 0xffffffffff00, 1256, 0, 0x10000000003e8, 0 },
	/* without: a smaller number is a wrap, and after the time of a round nothing is sure */
	{ __LINE__, READS, 0xffffffffff00, 255, 0, 0xffffffffffff, 0 },
	{ __LINE__, READS, 0xffffffffff00, 1256, 0, 0x10000000003e8, 0 },
	{ __LINE__, READS, 0xffffffffff00, 1256, HOUR_NS / 2, 0x10000000003e8, 0 },
	{ __LINE__, READS, 0xffffffffff00, 1256, HOUR_NS, 0x10000000003e8, NTIME_OVERFLOWED },
	{ __LINE__, READS, 0, 1000, HOUR_NS, 1000, NTIME_OVERFLOWED },
};

static void put_counter(struct fake_boxes *f, const char *event, uint64_t value)
{
	if (strcmp(event, READS) == 0)
		ntm_pci_config_put(&f->silicon.imc[0][0].config, 0xa0 + 8 * 3, 8, value);
	else if (strcmp(event, CLOCKS) == 0)
		f->silicon.uncore[0].fixed_count = value;
	else
		f->silicon.uncore[0].count[7] = value;
}

/* To @to in so many looks that none sees more than there was time for, nor a whole round. */
static void climb(struct fake_boxes *f, struct ntime_session *s, const char *event, uint64_t to)
{
	struct ntime_value v;
	unsigned int i;

	for (i = 1; i <= 8; i++) {
		put_counter(f, event, i < 8 ? to / 8 * i : to);
		f->now_ns += ntime_session_max_read_interval_ns(s) / 4;
		read_all(f, s, &v);
	}
}

TEST(wraps)
{
	TT_FOR_EACH_ROW(r, wrap_rows) {
		struct fake_boxes f;
		struct ntime_session *s;
		struct ntime_value v;
		int again;

		init(&f, false);
		s = session_via(&f, "0", NTIME_VIA_AUTO, r->event);
		start(&f, s);
		climb(&f, s, r->event, r->start);
		fake_boxes_work(&f, 0, r->work, r->work, 0);
		fake_boxes_move(&f, 0, 0, r->work, 0);
		f.now_ns += r->pause_ns;
		for (again = 0; again < 2; again++) {
			read_all(&f, s, &v);
			TT_EQ(r, v.count, r->count);
			TT_EQ(r, v.flags, r->flags);
		}
		/* The longest time in which that cannot happen is told. */
		TT_EQ(r, ntime_session_max_read_interval_ns(s) > 1000000000, 1);
		TT_EQ(r, ntime_session_max_read_interval_ns(s) < HOUR_NS, 1);
		ntime_session_free(s);
		fini(&f);
	}
}

/* ---- more events than counters ---- */

TEST(turns)
{
	static const char list[] =
		"{" THROTTLED "," CORE0 "}," THROTTLED "," CORE0 "," THROTTLED "," CORE0
		"," THROTTLED "," CORE0 "," THROTTLED "," CORE0 "," THROTTLED "," CORE0;
	struct fake_boxes f;
	struct ntime_session *s;
	struct ntime_value v[12];
	unsigned int turn;
	size_t i;

	init(&f, false);
	s = session_via(&f, "0", NTIME_VIA_AUTO, list);
	TT_IS(ntime_session_passes(s), 2);
	start(&f, s);
	for (turn = 0; turn < 20; turn++) {
		fake_boxes_work(&f, 0, 1000, 500, 7);
		f.now_ns += 10000000;
		read_all(&f, s, v);
	}
	TT_IS(ntime_session_stop(s), 0);
	read_all(&f, s, v);
	for (i = 0; i < 12; i++) {
		TT_IS(v[i].flags, NTIME_SCALED);
		TT_IS(v[i].count, i % 2 ? 70 : 5000);
		TT_IS(fabs(v[i].value - (i % 2 ? 140 : 10000)) < (i % 2 ? 3 : 200), 1);
	}
	ntime_session_free(s);
	fini(&f);
}

/* ---- others ---- */

/* The kernel shows its files of boxes, and has no driver that could switch them. */
static struct ntime_session *session_without_driver(struct fake_boxes *f, const char *list)
{
	const struct ntime_target target = { .size = sizeof(target), .kind = NTIME_TARGET_MACHINE };
	struct ntime_session *s;
	size_t i;
	int ret;

	TT_IS(ntime_session_new(&f->ctx, &target, &s), 0);
	TT_IS(ntime_session_add_list(s, list), 0);
	for (i = 0; i < f->ctx.units.count; i++)
		f->ctx.units.unit[i]->has_sysfs = false;
	ret = ntime_session_open(s);
	for (i = 0; i < f->ctx.units.count; i++)
		f->ctx.units.unit[i]->has_sysfs = true;
	TT_IS(ret, 0);
	return s;
}

/*
 * What to do about an access that failed depends on the method: configuration space has no driver.
 */
static const struct access_row {
	int line;
	enum nti_method method;
	const char *kind;
	int error;
	enum ntime_reason code;
	const char *about, *remedy;
} access_rows[] = {
	{ __LINE__, NTI_METHOD_MSR, "nhm_uncore", -ENOENT, NTIME_REASON_NOT_LOADED,
	  "uncore: No such file or directory", "modprobe msr" },
	{ __LINE__, NTI_METHOD_PCI, "snbep_imc", -ENOENT, NTIME_REASON_OFFLINE,
	  "uncore: No such file or directory", "count what is there: ntime list -v" },
	{ __LINE__, NTI_METHOD_PCI, "snbep_imc", -EPERM, NTIME_REASON_PERMISSION,
	  "uncore: Operation not permitted", NTI_AS_ROOT ", where the kernel is not locked down" },
	{ __LINE__, NTI_METHOD_PCI, "snbep_imc", -EIO, NTIME_REASON_FAILED,
	  "uncore: Input/output error", "dmesg" },
	/* Another cause is another reason, though code and remedy are the same. */
	{ __LINE__, NTI_METHOD_PCI, "snbep_imc", -ENOSPC, NTIME_REASON_FAILED,
	  "uncore: No space left on device", "dmesg" },
};

TEST(accesses_that_failed)
{
	struct nti_handles *handles;
	struct fake_boxes f;

	init(&f, false);
	TT_IS(nti_handles_new(f.ctx.os, &handles), 0);
	TT_FOR_EACH_ROW(r, access_rows) {
		const struct nti_unit_box box = { .kind = nthw_box_kind(r->kind) };
		const struct nti_handle_request what = { .name = "uncore",
							 .scope = NTI_SCOPE_PACKAGE,
							 .method = r->method,
							 .box = &box };
		struct nti_absence why = { 0 };

		TT_EQ(r, nti_handles_explain(handles, &what, r->error, &why), 0);
		TT_EQ(r, why.code, r->code);
		TT_STR(r, why.about, r->about);
		TT_STR(r, why.remedy, r->remedy);
		nti_absence_fini(&why);
	}
	nti_handles_free(handles);
	fini(&f);
}

TEST(handles_that_only_read)
{
	const struct nti_unit_box box = { .kind = nthw_box_kind("nhm_uncore") };
	const struct nti_handle_request what = { .name = "uncore",
						 .scope = NTI_SCOPE_PACKAGE,
						 .method = NTI_METHOD_MSR,
						 .box = &box,
						 .reads_only = true };
	struct nti_handles *handles;
	struct nti_handle *handle;
	struct fake_boxes f;
	struct nthw_io *io;
	uint64_t value;

	init(&f, false);
	TT_IS(nti_handles_new(f.ctx.os, &handles), 0);
	TT_IS(nti_handle_new(handles, &what, &handle), 0);
	io = nti_handle_io(handle);
	f.silicon.uncore[0].select[6] = 0x167;
	TT_IS(io->read(io, NTHW_SPACE_MSR, 0, 0x3c6, &value), 0);
	TT_IS(value, 0x167);
	TT_IS(io->write(io, NTHW_SPACE_MSR, 0, 0x3c6, 0), -EPERM);
	TT_IS(f.silicon.uncore[0].select[6], 0x167);
	f.silicon.uncore[0].select[6] = 0;
	nti_handle_free(handle);
	nti_handles_free(handles);
	fini(&f);
}

/* Where the kernel's driver may be who counts, it would stop and start ours with its own. */
TEST(box_in_use_by_the_kernel)
{
	struct fake_boxes f;
	struct ntime_session *s;

	init(&f, true);
	f.silicon.uncore[0].select[6] = 0x400167;
	s = session_via(&f, NULL, NTIME_VIA_MSR, THROTTLED "," CLOCKS);
	TT_HAS(item_of(s, 0).reason, "counter MSR_UNCORE_PMC6 of package 0 is in use");
	TT_HAS(item_of(s, 0).reason, "the kernel's own unit \"uncore\"");
	TT_HAS(item_of(s, 1).reason, "MSR_UNCORE_PMC6");
	ntime_session_free(s);
	f.silicon.uncore[0].select[6] = 0;
	fini(&f);
}

/*
 * The NMI watchdog holds one counter of each core: perf stops and starts all of them when it looks
 * at it.
 */
TEST(core_in_use_by_the_kernel)
{
	struct fake_boxes f;
	struct ntime_session *s;

	init(&f, true);
	f.silicon.pmu[0].fixed_ctrl = 0xb0;
	s = session_via(&f, "0", NTIME_VIA_MSR, "instructions");
	TT_HAS(item_of(s, 0).reason, "counter IA32_FIXED_CTR1 of CPU 0 is in use");
	TT_HAS(item_of(s, 0).remedy, "nmi_watchdog=0");
	ntime_session_free(s);
	f.silicon.pmu[0].fixed_ctrl = 0;
	fini(&f);
}

/* Counters that somebody uses stay his, the others are ours. */
TEST(counters_in_use)
{
	struct fake_boxes f;
	struct ntime_session *s;
	struct ntime_value v[8];
	unsigned int i;

	init(&f, false);
	for (i = 0; i < 5; i++)
		f.silicon.uncore[0].select[i] = 0x400167;
	s = session_without_driver(&f, THROTTLED "," CORE0 "," CLOCKS);
	TT_IS(ntime_session_passes(s), 1);
	start(&f, s);
	fake_boxes_work(&f, 0, 100, 50, 3);
	read_all(&f, s, v);
	TT_IS(v[0].count, 50);
	TT_IS(v[1].count, 3);
	ntime_session_free(s);
	for (i = 0; i < 5; i++) {
		TT_IS(f.silicon.uncore[0].select[i], 0x400167);
		f.silicon.uncore[0].select[i] = i == 1 ? 0x1040467 : 0;
	}
	/* The first and sixth of the box may have run while somebody's global bits were set. */
	f.silicon.uncore[0].count[0] = 0x123456789abc;
	fini(&f);
}

TEST(all_counters_in_use)
{
	struct fake_boxes f;
	struct ntime_session *s;
	struct ntime_value v[2];
	unsigned int i;

	init(&f, false);
	for (i = 0; i < 8; i++)
		f.silicon.uncore[1].select[i] = 0x400167;
	s = session_without_driver(&f, THROTTLED "," CLOCKS);
	TT_HAS(item_of(s, 0).reason, "counter MSR_UNCORE_PMC0 of package 1 is in use by a program");
	TT_TEXT(item_of(s, 1).reason, "");
	ntime_session_free(s);
	f.silicon.uncore[1].fixed_ctrl = 1;
	s = session(&f, THROTTLED "," CLOCKS);
	TT_HAS(item_of(s, 0).reason, "of package 1 is in use");
	TT_HAS(item_of(s, 1).reason, "of package 1 is in use");
	start(&f, s);
	read_all(&f, s, v);
	TT_IS(v[0].flags, NTIME_ABSENT);
	ntime_session_free(s);
	f.silicon.uncore[1].fixed_ctrl = 0;
	for (i = 0; i < 8; i++)
		f.silicon.uncore[1].select[i] = i == 1 ? 0x1040467 : 0;
	fini(&f);
}

/* Two programs: the second one is told who is there. */
TEST(two_sessions)
{
	struct fake_boxes f;
	struct ntime_session *a, *b;
	struct ntime_ctx other;
	struct ntime_value v;
	char pid[32];

	init(&f, false);
	fake_boxes_second(&f, &other);
	a = session(&f, THROTTLED "," READS);
	TT_IS(fake_boxes_open(&other, NULL, 0, 0, THROTTLED "," READS ",uncore_imc_1/event=0x04/",
			      &b),
	      0);
	snprintf(pid, sizeof(pid), "(pid %d)", (int)getpid());
	/* Nothing counts there yet. */
	TT_HAS(item_of(b, 0).reason, "uncore of package 0 is in use by ");
	TT_HAS(item_of(b, 0).reason, pid);
	TT_HAS(item_of(b, 1).reason, "uncore_imc_0 of package 0");
	TT_HAS(item_of(b, 1).reason, pid);
	TT_TEXT(item_of(b, 2).reason, "");
	ntime_session_free(b);
	start(&f, a);
	TT_IS(fake_boxes_open(&other, NULL, 0, 0, THROTTLED "," READS ",uncore_imc_1/event=0x04/",
			      &b),
	      0);
	TT_HAS(item_of(b, 0).reason, "MSR_UNCORE_PERFEVTSEL7 of package 0 is in use by ");
	TT_HAS(item_of(b, 0).reason, pid);
	TT_HAS(item_of(b, 1).reason, "MC_CH_PCI_PMON_CTL3 of package 0");
	TT_HAS(item_of(b, 1).reason, pid);
	ntime_session_free(b);
	fake_boxes_work(&f, 0, 10, 10, 0);
	{
		struct ntime_value both[2];

		read_all(&f, a, both);
		v = both[0];
	}
	TT_IS(v.count, 10);
	ntime_session_free(a);
	/* Free again. */
	TT_IS(fake_boxes_open(&other, NULL, 0, 0, THROTTLED, &b), 0);
	TT_TEXT(item_of(b, 0).reason, "");
	ntime_session_free(b);
	fake_boxes_fini_context(&other);
	fini(&f);
}

static const struct lost_row {
	int line;
	const char *event;
	bool is_programmed; /* by somebody else, who counts with it; else he stopped it */
} lost_rows[] = {
	{ __LINE__, THROTTLED, false },
	{ __LINE__, THROTTLED, true },
	{ __LINE__, READS, false },
	{ __LINE__, READS, true },
};

static void take_away(struct fake_boxes *f, const struct lost_row *r)
{
	uint32_t value = r->is_programmed ? 0x400981 : 0x67;

	if (strcmp(r->event, READS) == 0)
		ntm_snbep_imc_write(&f->silicon.imc[0][0], 0xd8 + 4 * 3, 4,
				    r->is_programmed ? 0x400c04 : 0x304);
	else
		f->silicon.uncore[0].select[7] = r->is_programmed ? value : 0x167;
}

/*
 * What somebody else does with a counter that is ours is noticed, and what is his now is left to
 * him.
 */
TEST(counters_taken_away)
{
	TT_FOR_EACH_ROW(r, lost_rows) {
		struct fake_boxes f;
		struct ntime_session *s;
		struct ntime_value v;
		uint32_t left;

		init(&f, false);
		s = session_via(&f, "0", NTIME_VIA_AUTO, r->event);
		start(&f, s);
		fake_boxes_work(&f, 0, 100, 40, 0);
		fake_boxes_move(&f, 0, 0, 40, 0);
		read_all(&f, s, &v);
		TT_EQ(r, v.count, 40);
		TT_EQ(r, v.flags, 0);
		take_away(&f, r);
		/* Looked at now and then. */
		f.now_ns += 200000000;
		fake_boxes_work(&f, 0, 100, 40, 0);
		fake_boxes_move(&f, 0, 0, 0, 40);
		read_all(&f, s, &v);
		TT_EQ(r, v.flags, NTIME_LOST);
		TT_EQ(r, v.count, 40);
		(void)ntime_session_stop(s);
		ntime_session_free(s);
		left = strcmp(r->event, READS) == 0
			       ? ntm_snbep_imc_read(&f.silicon.imc[0][0], 0xd8 + 4 * 3, 4)
			       : (uint32_t)f.silicon.uncore[0].select[7];
		if (r->is_programmed)
			TT_EQ(r, left != 0, 1);
		else
			TT_EQ(r, left, 0);
		TT_EQ(r, fake_boxes_open_files(&f), 0);
		TT_EQ(r, fake_boxes_claims(&f), 0);
		fake_boxes_fini(&f);
	}
}

/* Just before the end of counting, between two looks. */
TEST(counters_taken_away_at_last)
{
	struct fake_boxes f;
	struct ntime_session *s;
	struct ntime_value v;

	init(&f, false);
	s = session_via(&f, "0", NTIME_VIA_AUTO, THROTTLED);
	start(&f, s);
	f.silicon.uncore[0].global_ctrl &= ~(1ull << 7);
	TT_IS(ntime_session_stop(s), 0);
	read_all(&f, s, &v);
	TT_IS(v.flags, NTIME_LOST);
	ntime_session_free(s);
	fake_boxes_fini(&f);
}

/* ---- what goes away ---- */

TEST(cpu_of_the_package_goes_off_line)
{
	struct fake_boxes f;
	struct ntime_session *s;
	struct ntime_value v;

	init(&f, false);
	s = session(&f, THROTTLED);
	start(&f, s);
	fake_boxes_work(&f, 1, 100, 40, 0);
	read_all(&f, s, &v);
	f.is_offline[2] = true;
	fake_boxes_work(&f, 1, 100, 2, 0);
	f.now_ns += 200000000;
	read_all(&f, s, &v);
	TT_IS(v.count, 42);
	TT_IS(v.flags, 0);
	/* All of the package. */
	f.is_offline[3] = true;
	TT_IS(ntime_session_read(s, &v, 1) < 0, 1);
	TT_HAS(ntime_error_text(&f.ctx), "CPU 2");
	f.is_offline[3] = false;
	read_all(&f, s, &v);
	TT_IS(v.count, 42);
	TT_IS(ntime_session_stop(s), 0);
	ntime_session_free(s);
	f.is_offline[2] = false;
	fini(&f);
}

/* A package of two dies, each with an uncore of its own. */
#define CPU_TOPOLOGY(cpu, file) "/sys/devices/system/cpu/cpu" cpu "/topology/" file
#define ON_DIE(cpu, id, cpus)                                                                      \
	{ CPU_TOPOLOGY(cpu, "physical_package_id"), "0\n" },                                       \
		{ CPU_TOPOLOGY(cpu, "core_siblings_list"), "0-3\n" },                              \
		{ CPU_TOPOLOGY(cpu, "die_id"), id },                                               \
	{                                                                                          \
		CPU_TOPOLOGY(cpu, "die_cpus_list"), cpus                                           \
	}
static const struct fake_file die_files[] = {
	ON_DIE("0", "0\n", "0-1\n"),
	ON_DIE("1", "0\n", "0-1\n"),
	ON_DIE("2", "1\n", "2-3\n"),
	ON_DIE("3", "1\n", "2-3\n"),
	{ NULL },
};

/* Its files stand before those of the machine of two packages. */
static void hide_packages(struct fake_boxes *f, struct fake_machine *machine)
{
	static struct fake_file all[256];
	const struct fake_file *file;
	size_t n = 0;

	for (file = die_files; file->path; file++)
		all[n++] = *file;
	for (file = f->base.machine->files; file->path; file++) {
		assert_true(n + 1 < NTI_ARRAY_SIZE(all));
		all[n++] = *file;
	}
	all[n] = (struct fake_file){ NULL };
	*machine = *f->base.machine;
	machine->files = all;
	f->base.machine = machine;
}

static void make_dies(struct fake_boxes *f, struct fake_machine *machine)
{
	struct nti_unit *unit = NULL;
	size_t i;

	for (i = 0; i < f->ctx.units.count; i++) {
		if (strcmp(f->ctx.units.unit[i]->name, "uncore") == 0)
			unit = f->ctx.units.unit[i];
	}
	assert_true(unit && unit->boxes == 2);
	for (i = 0; i < 2; i++) {
		unit->box[i].package = 0;
		unit->box[i].has_dies =
			nti_os_die(&f->base.os, unit->box[i].cpu, &unit->box[i].die);
		/* Not known yet: these are the files of two packages. */
		TT_IS(unit->box[i].has_dies, 0);
	}
	hide_packages(f, machine);
	for (i = 0; i < 2; i++) {
		unit->box[i].has_dies =
			nti_os_die(&f->base.os, unit->box[i].cpu, &unit->box[i].die);
		TT_IS(unit->box[i].has_dies, 1);
		TT_IS(unit->box[i].die, i);
	}
}

/*
 * Each die is claimed by itself, and no CPU of the other one stands for a CPU that went off line.
 */
TEST(dies_of_a_package)
{
	struct fake_boxes f;
	struct fake_machine machine;
	struct ntime_session *s, *second;
	struct ntime_value v;

	init(&f, false);
	make_dies(&f, &machine);
	s = session(&f, THROTTLED);
	TT_TEXT(item_of(s, 0).reason, "");
	start(&f, s);
	second = session(&f, THROTTLED);
	TT_HAS(item_of(second, 0).reason, "of package 0, die 0 is in use by");
	ntime_session_free(second);
	fake_boxes_work(&f, 1, 100, 40, 0);
	f.is_offline[2] = true;
	f.now_ns += 200000000;
	read_all(&f, s, &v);
	TT_IS(v.count, 40);
	f.is_offline[3] = true;
	TT_IS(ntime_session_read(s, &v, 1) < 0, 1);
	f.is_offline[2] = f.is_offline[3] = false;
	TT_IS(ntime_session_stop(s), 0);
	ntime_session_free(s);
	fini(&f);
}

static void vanish(struct fake_boxes *f, unsigned int package, bool is_broken)
{
	if (is_broken)
		f->is_broken[package] = true;
	else
		f->is_gone[package] = true;
}

/* What the CPUs 0 and 2, at which the packages are counted, have of item 0. */
static void read_packages(struct fake_boxes *f, struct ntime_session *s, struct ntime_value *v)
{
	struct ntime_value row[FAKE_CPUS];

	TT_IS(ntime_session_where_count(s), FAKE_CPUS);
	if (ntime_session_read_where(s, row, 1, FAKE_CPUS) < 0)
		fail_msg("reading: %s", ntime_error_text(&f->ctx));
	v[0] = row[0];
	v[1] = row[2];
}

/*
 * One channel's device goes: its count stays what it was, the other one's goes on, and with it the
 * session.
 */
static void lose_devices(bool is_broken, const char *why)
{
	struct ntime_value v, before[2], after[2], delta;
	struct ntime_session *s;
	struct fake_boxes f;

	if (!tt_knows_boot())
		TT_SKIP(TT_NO_BOOT);
	init(&f, false);
	s = session(&f, READS);
	start(&f, s);
	fake_boxes_move(&f, 0, 0, 40, 0);
	fake_boxes_move(&f, 1, 0, 50, 0);
	f.now_ns += 1000;
	read_packages(&f, s, before);
	TT_IS(before[1].flags, 0);
	TT_TEXT(item_of(s, 0).reason, "");
	vanish(&f, 1, is_broken);
	for (uint64_t turn = 1; turn <= 3; turn++) {
		fake_boxes_move(&f, 0, 0, 5, 0);
		f.now_ns += 200000000;
		read_packages(&f, s, after);
		TT_IS(after[0].flags, 0);
		TT_IS(after[0].count, 40 + 5 * turn);
		TT_IS(after[1].flags, NTIME_LOST | NTIME_GONE);
		TT_IS(after[1].count, 50);
		/* Of this period nothing is known, from its first on. */
		ntime_value_delta(&before[1], &after[1], &delta);
		TT_IS(delta.flags, NTIME_ABSENT | NTIME_LOST | NTIME_GONE);
		TT_IS(isnan(delta.value), 1);
		TT_HAS(item_of(s, 0).reason, why);
		before[1] = after[1];
		TT_IS(after[1].value == 50, 1);
		/* The fake moves its clock whenever it is asked, by far less. */
		TT_IS(after[1].counted_ns <= before[1].counted_ns + 100000000, 1);
		TT_IS(after[1].wanted_ns, after[1].counted_ns);
		read_all(&f, s, &v);
		TT_IS(v.flags, NTIME_LOST);
		TT_IS(v.value == (double)(90 + 5 * turn), 1);
	}
	/* Nothing counts any more. */
	vanish(&f, 0, is_broken);
	f.now_ns += 200000000;
	TT_IS(ntime_session_read(s, &v, 1), -EIO);
	TT_HAS(ntime_error_text(&f.ctx), why);
	TT_IS(ntime_session_stop(s), 0);
	ntime_session_free(s);
	/* What it had is gone with it; the records of that stay. */
	TT_IS(fake_boxes_claims(&f), 2);
	memset(f.is_gone, 0, sizeof(f.is_gone));
	memset(f.is_broken, 0, sizeof(f.is_broken));
	TT_IS(nti_claim_repair(&f.base.os, "uncore_imc_0-0", 0, NULL, NULL, NULL), 0);
	TT_IS(nti_claim_repair(&f.base.os, "uncore_imc_0-1", 0, NULL, NULL, NULL), 0);
	fini_off(&f);
}

TEST(function_vanishes)
{
	lose_devices(false, "PCI function 0000:");
}

TEST(function_breaks)
{
	lose_devices(true, "of PCI function 0000:");
}

/*
 * Before it was looked at once: there is no number, also not 0. Found out when it is stopped, and
 * nothing keeps the session from that.
 */
TEST(function_vanishes_unseen)
{
	struct ntime_session *s;
	struct ntime_value v[2];
	struct fake_boxes f;

	if (!tt_knows_boot())
		TT_SKIP(TT_NO_BOOT);
	init(&f, false);
	s = session(&f, READS);
	start(&f, s);
	fake_boxes_move(&f, 0, 0, 40, 0);
	f.is_gone[1] = true;
	f.now_ns += 1000;
	TT_IS(ntime_session_stop(s), 0);
	read_packages(&f, s, v);
	TT_IS(v[0].count, 40);
	TT_IS(v[0].flags, 0);
	TT_IS(v[1].flags, NTIME_NOT_COUNTED | NTIME_LOST | NTIME_GONE);
	TT_IS(isnan(v[1].value), 1);
	/* Nor from going on. */
	TT_IS(ntime_session_start(s), 0);
	fake_boxes_move(&f, 0, 0, 2, 0);
	read_packages(&f, s, v);
	TT_IS(v[0].count, 42);
	TT_IS(v[1].flags, NTIME_NOT_COUNTED | NTIME_LOST | NTIME_GONE);
	ntime_session_free(s);
	TT_IS(fake_boxes_claims(&f), 1);
	f.is_gone[1] = false;
	TT_IS(nti_claim_repair(&f.base.os, "uncore_imc_0-1", 0, NULL, NULL, NULL), 0);
	fini_off(&f);
}

/* Events that take turns on it are lost together. */
TEST(function_vanishes_between_turns)
{
	static const char five[] =
		READS "," WRITES
		      ",uncore_imc_0/event=0x01/,uncore_imc_0/event=0x02/,uncore_imc_0/event=0x05/";
	struct ntime_session *s;
	struct ntime_value v[5];
	struct fake_boxes f;
	unsigned int turn;

	init(&f, false);
	s = session(&f, five);
	TT_IS(ntime_session_passes(s) > 1, 1);
	start(&f, s);
	for (turn = 0; turn < 6; turn++) {
		f.now_ns += 200000000;
		read_all(&f, s, v);
		f.is_gone[1] = turn >= 2;
	}
	TT_IS(v[0].flags & NTIME_LOST, NTIME_LOST);
	TT_IS(v[4].flags & NTIME_LOST, NTIME_LOST);
	f.is_gone[0] = true;
	f.now_ns += 200000000;
	TT_IS(ntime_session_read(s, v, 5) < 0 || ntime_session_read(s, v, 5) < 0, 1);
	f.is_gone[0] = false;
	f.is_gone[1] = false;
	ntime_session_free(s);
	fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uncore_through_msr),
		cmocka_unit_test(metrics_have_the_method_of_their_events),
		cmocka_unit_test(channels_through_pci),
		cmocka_unit_test(core_through_msr),
		cmocka_unit_test(through_the_driver),
		cmocka_unit_test(energy),
		cmocka_unit_test(states),
		cmocka_unit_test(filters),
		cmocka_unit_test(methods),
		cmocka_unit_test(programs_are_not_counted),
		cmocka_unit_test(events_that_registers_cannot_count),
		cmocka_unit_test(wraps),
		cmocka_unit_test(turns),
		cmocka_unit_test(accesses_that_failed),
		cmocka_unit_test(handles_that_only_read),
		cmocka_unit_test(box_in_use_by_the_kernel),
		cmocka_unit_test(core_in_use_by_the_kernel),
		cmocka_unit_test(counters_in_use),
		cmocka_unit_test(all_counters_in_use),
		cmocka_unit_test(two_sessions),
		cmocka_unit_test(counters_taken_away),
		cmocka_unit_test(counters_taken_away_at_last),
		cmocka_unit_test(cpu_of_the_package_goes_off_line),
		cmocka_unit_test(dies_of_a_package),
		cmocka_unit_test(function_vanishes),
		cmocka_unit_test(function_breaks),
		cmocka_unit_test(function_vanishes_unseen),
		cmocka_unit_test(function_vanishes_between_turns),
	};

	return TT_RUN(tests);
}
