// SPDX-License-Identifier: MIT
/*
 * Sessions through ntimefs, on the model of a PMU behind a made-up driver: counts, turns, wraps,
 * refusals, and every call failing once.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "base/tests/tt.h"

#include "core/regs/regs.h"
#include "count/lib/access/ntimefs.h"
#include "base/common/text.h"
#include "count/tests/session/fake_ntimefs.h"

#define ITEMS 9
#define HOUR_NS 3600000000000ull

/*
 * A session that is given up again leaves the registers as they were; what other users left there
 * shows it.
 */
static void soil(struct fake_ntimefs *f)
{
	unsigned int cpu;

	for (cpu = 0; cpu < FAKE_CPUS; cpu++) {
		TT_IS(ntm_x86_pmu_wrmsr(&f->pmu[cpu], 0xc1, 0x1234), 0);
		TT_IS(ntm_x86_pmu_wrmsr(&f->pmu[cpu], 0x30a, 0x777777777), 0);
		TT_IS(ntm_x86_pmu_wrmsr(&f->pmu[cpu], 0x187, 0x300c0), 0);
		TT_IS(ntm_x86_pmu_wrmsr(&f->pmu[cpu], 0x38f, 0x70000000f), 0);
	}
}

static void init(struct fake_ntimefs *f)
{
	fake_ntimefs_init(f);
	soil(f);
}

/* Every register of the model, as software sees it. */
static void must_agree(const struct ntm_x86_pmu *a, const struct ntm_x86_pmu *b)
{
	const struct nthw_reg *row;
	uint64_t in_a, in_b;
	size_t i;
	uint32_t k;

	for (i = 0; i < nthw_x86.count; i++) {
		row = nthw_x86.regs[i];
		for (k = 0; k < row->count; k++) {
			in_a = in_b = 0;
			TT_IS(ntm_x86_pmu_rdmsr(a, nthw_reg_addr(row, k), &in_a),
			      ntm_x86_pmu_rdmsr(b, nthw_reg_addr(row, k), &in_b));
			TT_IS(in_a, in_b);
		}
	}
}

static void must_be_clean(struct fake_ntimefs *f)
{
	struct fake_ntimefs fresh;

	init(&fresh);
	TT_IS(fake_ntimefs_open_files(f), 0);
	TT_IS(f->maps, 0);
	/* Flags of overflow cannot be restored. */
	f->pmu[0].global_status = f->pmu[1].global_status = 0;
	f->pmu[0].pmi = f->pmu[1].pmi = false;
	must_agree(&f->pmu[0], &fresh.pmu[0]);
	must_agree(&f->pmu[1], &fresh.pmu[1]);
	fake_ntimefs_fini(&fresh);
}

static void fini(struct fake_ntimefs *f)
{
	must_be_clean(f);
	fake_ntimefs_fini(f);
}

static int open_session(struct fake_ntimefs *f, const char *cpus, uint32_t flags, uint32_t via,
			const char *list, struct ntime_session **s)
{
	const struct ntime_target target = { .size = sizeof(target),
					     .kind = cpus ? NTIME_TARGET_CPUS
							  : NTIME_TARGET_MACHINE,
					     .cpus = cpus,
					     .flags = flags,
					     .via = via };
	int ret = ntime_session_new(&f->ctx, &target, s);

	if (ret == 0)
		ret = ntime_session_add_list(*s, list);
	return ret == 0 ? ntime_session_open(*s) : ret;
}

/* Must succeed. */
static struct ntime_session *session(struct fake_ntimefs *f, const char *cpus, uint32_t flags,
				     const char *list)
{
	struct ntime_session *s;

	if (open_session(f, cpus, flags, NTIME_VIA_NTIMEFS, list, &s) < 0)
		fail_msg("%s", ntime_error_text(&f->ctx));
	return s;
}

static struct ntime_item item_of(const struct ntime_session *s, size_t i)
{
	struct ntime_item item = { .size = sizeof(item) };

	TT_IS(ntime_session_item(s, i, &item), 0);
	return item;
}

static void read_all(struct fake_ntimefs *f, struct ntime_session *s, struct ntime_value *v)
{
	if (ntime_session_read(s, v, ntime_session_count(s)) < 0)
		fail_msg("%s", ntime_error_text(&f->ctx));
}

static const struct count_row {
	int line;
	const char *event;
	uint64_t user, kernel; /* what 1000 instructions in each mode count */
} count_rows[] = {
	{ __LINE__, "instructions", 1000, 1000 },
	{ __LINE__, "instructions:u", 1000, 0 },
	{ __LINE__, "instructions:k", 0, 1000 },
	{ __LINE__, "cycles", 2000, 2000 },
	{ __LINE__, "cycles:u", 2000, 0 },
	{ __LINE__, "ref-cycles:k", 0, 1000 },
	{ __LINE__, "r00c0:u", 1000, 0 },
	{ __LINE__, "cpu/event=0x3c/k", 0, 2000 },
	/* cmask needs a general counter, where the model's stands still */
	{ __LINE__, "cpu/event=0xc0,cmask=1/", 0, 0 },
};

TEST(counts)
{
	TT_FOR_EACH_ROW(r, count_rows) {
		struct fake_ntimefs f;
		struct ntime_session *s;
		struct ntime_value v;

		init(&f);
		s = session(&f, NULL, 0, r->event);
		TT_STR(r, item_of(s, 0).reason, "");
		TT_STR(r, item_of(s, 0).method, "ntimefs");
		/* Before the start and after the stop nothing counts. */
		fake_ntimefs_work(&f, 0, true, 77);
		TT_EQ(r, ntime_session_start(s), 0);
		fake_ntimefs_work(&f, 0, true, 1000);
		fake_ntimefs_work(&f, 1, false, 1000);
		read_all(&f, s, &v);
		TT_EQ(r, v.count, r->user + r->kernel);
		TT_EQ(r, v.flags, 0);
		TT_EQ(r, ntime_session_stop(s), 0);
		fake_ntimefs_work(&f, 0, true, 77);
		read_all(&f, s, &v);
		TT_EQ(r, v.count, r->user + r->kernel);
		TT_EQ(r, ntime_session_start(s), 0);
		fake_ntimefs_work(&f, 1, true, 1000);
		read_all(&f, s, &v);
		TT_EQ(r, v.count, 2 * r->user + r->kernel);
		TT_EQ(r, v.wanted_ns, v.counted_ns);
		ntime_session_free(s);
		fini(&f);
	}
}

/* One CPU, all seven counters at once. */
TEST(all_counters)
{
	struct fake_ntimefs f;
	struct ntime_session *s;
	static const uint64_t wanted[7] = { 320, 640, 320, 300, 600, 20, 40 };
	struct ntime_value v[7];
	size_t i;

	init(&f);
	s = session(
		&f, "1", 0,
		"instructions,cycles,ref-cycles,instructions:u,cycles:u,instructions:k,cycles:k");
	TT_IS(ntime_session_passes(s), 1);
	TT_IS(ntime_session_start(s), 0);
	fake_ntimefs_work(&f, 0, true, 999);
	fake_ntimefs_work(&f, 1, true, 300);
	fake_ntimefs_work(&f, 1, false, 20);
	read_all(&f, s, v);
	for (i = 0; i < 7; i++)
		TT_IS(v[i].count, wanted[i]);
	ntime_session_free(s);
	fini(&f);
}

static const char many[] = "instructions,instructions:u,instructions:k,instructions,instructions:u,"
			   "instructions:k,instructions,instructions:u,instructions:k";

/* Nine events of which five fit: turns end when the session is read. */
TEST(turns)
{
	struct fake_ntimefs f;
	struct ntime_session *s;
	struct ntime_value v[ITEMS];
	unsigned int turn, passes;
	size_t i;

	init(&f);
	s = session(&f, "0", 0, many);
	passes = ntime_session_passes(s);
	TT_IS(passes, 2);
	TT_IS(ntime_session_start(s), 0);
	for (turn = 0; turn < 10 * passes; turn++) {
		fake_ntimefs_work(&f, 0, true, 1000);
		f.now_ns += 1000000;
		read_all(&f, s, v);
	}
	TT_IS(ntime_session_stop(s), 0);
	read_all(&f, s, v);
	for (i = 0; i < ITEMS; i++) {
		TT_IS(v[i].flags, NTIME_SCALED);
		TT_IS(v[i].count, i % 3 == 2 ? 0 : 10000);
		/* Half the time, but for what the calls took. */
		TT_IS(fabs(v[i].value - (i % 3 == 2 ? 0 : 20000)) < 400, 1);
	}
	ntime_session_free(s);
	fini(&f);
}

/* A pass that had no turn yet has no number. */
TEST(first_turn)
{
	struct fake_ntimefs f;
	struct ntime_session *s;
	struct ntime_value v[ITEMS];
	size_t i;

	init(&f);
	s = session(&f, "0", 0, many);
	TT_IS(ntime_session_start(s), 0);
	fake_ntimefs_work(&f, 0, true, 1000);
	read_all(&f, s, v);
	for (i = 0; i < ITEMS; i++) {
		bool is_second = item_of(s, i).pass == 1;

		TT_IS(v[i].flags, is_second ? NTIME_NOT_COUNTED : 0);
		if (!is_second)
			TT_IS(v[i].count, i % 3 == 2 ? 0 : 1000);
	}
	ntime_session_free(s);
	fini(&f);
}

TEST(by_pass)
{
	struct fake_ntimefs f;
	struct ntime_session *s;
	struct ntime_value v[ITEMS];
	size_t i;
	int ret;

	init(&f);
	s = session(&f, "0", NTIME_BY_PASS, many);
	TT_IS(ntime_session_start(s), 0);
	do {
		fake_ntimefs_work(&f, 0, true, 1000);
		ret = ntime_session_next_pass(s);
	} while (ret >= 0);
	TT_IS(ret, -ENODATA);
	read_all(&f, s, v);
	for (i = 0; i < ITEMS; i++) {
		TT_IS(v[i].flags, 0);
		TT_IS(v[i].count, i % 3 == 2 ? 0 : 1000);
	}
	ntime_session_free(s);
	fini(&f);
}

static const struct wrap_row {
	int line;
	uint64_t start,
		/* where the counter is put behind the library's back, and what it counts then */
		work;
	uint64_t pause_ns;
	uint64_t more; /* by the counter, wraps included */
	uint32_t flags;
} wrap_rows[] = {
	{ __LINE__, 0, 1000, 0, 1000, 0 },
	/* to the last number, over it, and once around */
	{ __LINE__, 0xffffffffff00, 255, 3 * HOUR_NS, 0xffffffffffff, 0 },
	{ __LINE__, 0xffffffffff00, 256, 3 * HOUR_NS, 0x1000000000000, 0 },
	{ __LINE__, 0xffffffffff00, 1256, 3 * HOUR_NS, 0x10000000003e8, 0 },
	/* flag clear: however long it took */
	{ __LINE__, 0, 1000, 1000 * HOUR_NS, 1000, 0 },
	/* flag set, and time for a second wrap */
	{ __LINE__, 0xffffffffff00, 1256, 1000 * HOUR_NS, 0x10000000003e8, NTIME_OVERFLOWED },
	{ __LINE__, 0xffffffffff00, 1256, 4 * HOUR_NS, 0x10000000003e8, 0 },
	{ __LINE__, 0xffffffffff00, 1256, 5 * HOUR_NS, 0x10000000003e8, NTIME_OVERFLOWED },
};

TEST(wraps)
{
	TT_FOR_EACH_ROW(r, wrap_rows) {
		struct fake_ntimefs f;
		struct ntime_session *s;
		struct ntime_value v;
		int again;

		init(&f);
		s = session(&f, "0", 0, "instructions:u");
		TT_EQ(r, ntime_session_start(s), 0);
		/* Fixed counter 0 counts it, as with perf. */
		f.pmu[0].fixed_count[0] = r->start;
		fake_ntimefs_work(&f, 0, true, r->work);
		f.now_ns += r->pause_ns;
		for (again = 0; again < 2; again++) {
			read_all(&f, s, &v);
			TT_EQ(r, v.count, r->more);
			TT_EQ(r, v.flags, r->flags);
		}
		/* Stopping and going on forgets no wrap. */
		f.pmu[0].fixed_count[0] = 0xfffffffffff0;
		f.now_ns += 3 * HOUR_NS;
		fake_ntimefs_work(&f, 0, true, 32);
		TT_EQ(r, ntime_session_stop(s), 0);
		TT_EQ(r, ntime_session_start(s), 0);
		fake_ntimefs_work(&f, 0, true, 5);
		read_all(&f, s, &v);
		TT_EQ(r, v.count, (r->more >> 48 << 48) + 0x1000000000000 + 16 + 5);
		ntime_session_free(s);
		fini(&f);
	}
}

static const struct refusal_row {
	int line;
	enum fake_driver driver;
	bool is_taken;
	int probe;
	const char *reason, *remedy;
} refusal_rows[] = {
	{ __LINE__, FAKE_ABSENT, false, -ENOENT, "not loaded", "ntime driver load" },
	{ __LINE__, FAKE_LOADED, false, -ENOENT, "not mounted", "mount -t ntime" },
	{ __LINE__, FAKE_LOCKED, false, -EACCES, "may not", "" },
	{ __LINE__, FAKE_UNREADABLE, false, -EACCES, "may not", "" },
	{ __LINE__, FAKE_MOUNTED, true, 0, "is in use by perf", "nmi_watchdog" },
};

TEST(refusals)
{
	TT_FOR_EACH_ROW(r, refusal_rows) {
		const struct nti_why *why;
		struct fake_ntimefs f;
		struct ntime_session *s;
		struct ntime_value v;

		init(&f);
		f.driver = r->driver;
		f.is_taken = r->is_taken;
		TT_EQ(r, nti_ntimefs_probe(&f.base.os, &why), r->probe);
		TT_EQ(r, *why->reason != '\0', r->probe != 0);
		TT_EQ(r, open_session(&f, NULL, 0, NTIME_VIA_NTIMEFS, "instructions:u", &s), 0);
		tt_has_(item_of(s, 0).reason, r->reason, "reason", __FILE__, r->line);
		tt_has_(item_of(s, 0).remedy, r->remedy, "remedy", __FILE__, r->line);
		TT_EQ(r, ntime_session_start(s), 0);
		read_all(&f, s, &v);
		TT_EQ(r, v.flags, NTIME_ABSENT);
		ntime_session_free(s);
		/* Free again: the same session can be had. */
		f.driver = FAKE_MOUNTED;
		f.is_taken = false;
		s = session(&f, NULL, 0, "instructions:u");
		TT_STR(r, item_of(s, 0).reason, "");
		ntime_session_free(s);
		fini(&f);
	}
}

static const struct method_row {
	int line;
	uint32_t via;
	bool has_perf;
	enum fake_driver driver;
	const char *method;
	int ret;
} method_rows[] = {
	{ __LINE__, NTIME_VIA_AUTO, true, FAKE_MOUNTED, "perf", 0 },
	{ __LINE__, NTIME_VIA_AUTO, false, FAKE_MOUNTED, "ntimefs", 0 },
	{ __LINE__, NTIME_VIA_AUTO, false, FAKE_ABSENT, "perf", -EACCES },
	{ __LINE__, NTIME_VIA_PERF, true, FAKE_MOUNTED, "perf", 0 },
	{ __LINE__, NTIME_VIA_PERF, false, FAKE_MOUNTED, "perf", -EACCES },
	{ __LINE__, NTIME_VIA_NTIMEFS, true, FAKE_MOUNTED, "ntimefs", 0 },
};

TEST(methods)
{
	TT_FOR_EACH_ROW(r, method_rows) {
		struct fake_ntimefs f;
		struct ntime_session *s;

		init(&f);
		f.has_perf = r->has_perf;
		f.driver = r->driver;
		TT_EQ(r, open_session(&f, "0", 0, r->via, "instructions:u", &s), r->ret);
		if (r->ret == 0)
			TT_STR(r, item_of(s, 0).method, r->method);
		if (r->via == NTIME_VIA_AUTO && !r->has_perf)
			tt_has_(f.log, "ntimefs: c", "log", __FILE__, r->line);
		ntime_session_free(s);
		fini(&f);
	}
}

/* The header has the names for help texts, the table for everything else. */
TEST(names_stand_in_the_header)
{
	char names[sizeof(NTIME_VIA_NAMES) + 32] = "";
	uint32_t i;

	for (i = 0; ntime_via_name(i); i++) {
		(void)nti_text_append(names, sizeof(names), i ? "|" : "");
		(void)nti_text_append(names, sizeof(names), ntime_via_name(i));
	}
	TT_TEXT(names, NTIME_VIA_NAMES);
}

TEST(programs_are_not_counted)
{
	const struct ntime_target target = { .size = sizeof(target), .via = NTIME_VIA_NTIMEFS };
	const struct ntime_target unknown = { .size = sizeof(target), .via = 3 };
	struct ntime_session *s;
	struct fake_ntimefs f;

	init(&f);
	TT_IS(ntime_session_new(&f.ctx, &target, &s), -EINVAL);
	TT_TEXT(ntime_error_text(&f.ctx), "ntimefs counts CPUs, not programs: add -a or -C CPUS");
	TT_IS(ntime_session_new(&f.ctx, &unknown, &s), -EINVAL);
	fini(&f);
}

static const struct absent_row {
	int line;
	const char *event, *reason;
} absent_rows[] = {
	{ __LINE__, "cpu/event=0xb7,umask=0x1,offcore_rsp=0x3/", "register beside its counter" },
	{ __LINE__, "LLC-loads", "does not show what perf counts" },
	{ __LINE__, "branch-misses", "does not show what perf counts" },
	{ __LINE__, "instructions:pp", "sampled by the processor" },
	{ __LINE__, "instructions:G", "in guests alone" },
};

TEST(events_beyond_a_selector)
{
	TT_FOR_EACH_ROW(r, absent_rows) {
		struct fake_ntimefs f;
		struct ntime_session *s;
		struct ntime_value v[2];
		char list[128];

		init(&f);
		snprintf(list, sizeof(list), "%s,cycles", r->event);
		s = session(&f, NULL, 0, list);
		tt_has_(item_of(s, 0).reason, r->reason, "reason", __FILE__, r->line);
		TT_EQ(r, ntime_session_start(s), 0);
		fake_ntimefs_work(&f, 1, true, 10);
		read_all(&f, s, v);
		TT_EQ(r, v[0].flags, NTIME_ABSENT);
		TT_EQ(r, v[1].count, 20);
		ntime_session_free(s);
		fini(&f);
	}
}

static const struct page_row {
	int line;
	struct ntime_page page;
	const char *reason; /* "": it counts */
} page_rows[] = {
	/* of an older driver, of a newer one, of a type to come */
	{ __LINE__, { .size = 12, .type = NTIME_PAGE_MSR, .width = 48 }, "" },
	{ __LINE__, { .size = 400, .type = NTIME_PAGE_MSR, .width = 48 }, "" },
	{ __LINE__, { .size = sizeof(struct ntime_page), .type = 77, .width = 48 }, "" },
	{ __LINE__, { .size = 4, .type = NTIME_PAGE_MSR, .width = 48 }, "error" },
	{ __LINE__, { .size = 1u << 30, .type = NTIME_PAGE_MSR, .width = 48 }, "error" },
	{ __LINE__, { .size = sizeof(struct ntime_page), .type = NTIME_PAGE_MSR }, "error" },
	{ __LINE__, { .size = sizeof(struct ntime_page), .width = 65 }, "program" },
	/* the driver grants another CPU's: not used, but counted all the same */
	{ __LINE__,
	  { .size = sizeof(struct ntime_page), .type = NTIME_PAGE_PMC, .width = 48, .cpu = 1 },
	  "" },
};

TEST(odd_pages)
{
	TT_FOR_EACH_ROW(r, page_rows) {
		struct ntime_reader reader = { .size = sizeof(reader) };
		struct fake_ntimefs f;
		struct ntime_session *s;
		struct ntime_value v;

		init(&f);
		f.page = r->page;
		s = session(&f, "0", 0, "instructions");
		tt_has_(item_of(s, 0).reason, r->reason, "reason", __FILE__, r->line);
		TT_EQ(r, *item_of(s, 0).reason != '\0', *r->reason != '\0');
		TT_EQ(r, ntime_session_start(s), 0);
		fake_ntimefs_work(&f, 0, true, 1000);
		read_all(&f, s, &v);
		TT_EQ(r, v.flags, *r->reason ? NTIME_ABSENT : 0);
		if (!*r->reason) {
			TT_EQ(r, v.count, 1000);
			TT_EQ(r, ntime_get_reader(s, 0, &reader), 0);
			TT_EQ(r, reader.state->type, NTIME_READER_CALL);
		}
		ntime_session_free(s);
		fini(&f);
	}
}

TEST(short_reads)
{
	struct fake_ntimefs f;
	struct ntime_session *s;
	struct ntime_value v;

	init(&f);
	s = session(&f, "0", 0, "instructions");
	TT_IS(ntime_session_start(s), 0);
	f.is_short = true;
	TT_IS(ntime_session_read(s, &v, 1), -EIO);
	f.is_short = false;
	fake_ntimefs_work(&f, 0, true, 5);
	read_all(&f, s, &v);
	TT_IS(v.count, 5);
	ntime_session_free(s);
	fini(&f);
}

TEST(cpu_goes_away)
{
	struct ntime_reader reader = { .size = sizeof(reader) };
	struct fake_ntimefs f;
	struct ntime_session *s;
	struct ntime_value v;
	uint64_t count;

	init(&f);
	s = session(&f, "1", 0, "instructions");
	TT_IS(ntime_session_start(s), 0);
	TT_IS(ntime_get_reader(s, 0, &reader), 0);
	f.is_gone = true;
	TT_IS(ntime_session_read(s, &v, 1), -ESTALE);
	TT_HAS(ntime_error_text(&f.ctx), "CPU 1");
	TT_IS(ntime_read(&reader, &count), -EIO);
	TT_IS(ntime_session_stop(s), -EIO);
	ntime_session_free(s);
	fini(&f);
}

/* A second session on the same CPU is told who is there. */
TEST(two_sessions)
{
	struct ntime_session *a, *b;
	struct fake_ntimefs f;

	init(&f);
	a = session(&f, "0", 0, "instructions");
	b = session(&f, "1", 0, "instructions");
	ntime_session_free(b);
	b = session(&f, NULL, 0, "instructions");
	TT_HAS(item_of(b, 0).reason, "another ntime");
	TT_IS(ntime_session_start(a), 0);
	ntime_session_free(b);
	ntime_session_free(a);
	fini(&f);
}

static bool may_run_on(unsigned int cpu)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_ISSET(cpu, &set);
}

static int cpus_of_thread(void)
{
	cpu_set_t set;

	TT_IS(sched_getaffinity(0, sizeof(set), &set), 0);
	return CPU_COUNT(&set);
}

/* Somebody may forbid the instruction; who asked for calls is not ended by that, nor pinned. */
TEST(readers_by_call)
{
	struct ntime_reader reader = { .size = sizeof(reader) };
	int cpus = cpus_of_thread();
	struct fake_ntimefs f;
	struct ntime_session *s;
	uint64_t count;

	init(&f);
	f.is_granted = true;
	s = session(&f, "0", NTIME_READ_BY_CALL, "instructions");
	TT_IS(ntime_session_start(s), 0);
	TT_IS(ntime_get_reader(s, 0, &reader), 0);
	TT_IS(reader.state->type, NTIME_READER_CALL);
	TT_HAS(ntime_reader_why(&reader), "made with NTIME_READ_BY_CALL");
	TT_IS(cpus_of_thread(), cpus);
	fake_ntimefs_work(&f, 0, false, 12);
	TT_IS(ntime_read(&reader, &count), 0);
	TT_IS(count, 12);
	ntime_session_free(s);
	fini(&f);
}

/*
 * Whether a reader is given; that it reads right is shown in the lab, where there is something to
 * read.
 */
TEST(readers)
{
	struct ntime_reader reader = { .size = sizeof(reader) };
	int cpus = cpus_of_thread();
	struct fake_ntimefs f;
	struct ntime_session *s;
	cpu_set_t before;
	uint64_t count;
	int status;
	pid_t pid;

	if (!may_run_on(0))
		TT_SKIP("this process may not run on CPU 0");
	TT_IS(sched_getaffinity(0, sizeof(before), &before), 0);
	init(&f);
	s = session(&f, "0", 0, "instructions");
	TT_IS(ntime_get_reader(s, 0, &reader), 0);
	TT_IS(reader.state->type, NTIME_READER_CALL);
	TT_HAS(ntime_reader_why(&reader), "when the session was started");
	TT_IS(ntime_session_start(s), 0);
	TT_IS(ntime_get_reader(s, 0, &reader), 0);
	TT_IS(reader.state->type, NTIME_READER_CALL);
	TT_IS(cpus_of_thread(), cpus); /* not granted: not pinned either */
	fake_ntimefs_work(&f, 0, false, 12);
	TT_IS(ntime_read(&reader, &count), 0);
	TT_IS(count, 12);
#ifdef __x86_64__
	f.is_granted = true;
	TT_IS(ntime_get_reader(s, 0, &reader), 0);
	TT_IS(reader.state->type, NTIME_READER_CORE);
	TT_IS(reader.state->index, 0x40000000);
	TT_IS(cpus_of_thread(), 1);
	TT_HAS(ntime_reader_why(&reader), "pinned");
	TT_IS(ntime_read_call(&reader, &count), 0);
	TT_IS(count, 12);
	/* A child makes the call: an instruction that faults would end it by a signal. */
	pid = fork();
	if (pid == 0)
		_exit(reader.state->type != NTIME_READER_CALL || ntime_read(&reader, &count) ||
		      count != 12);
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(status, 0);
	/* It can do no harm to the parent's count: neither by asking nor by freeing. */
	pid = fork();
	if (pid == 0) {
		struct ntime_value v;
		unsigned int calls, maps = f.maps;
		int ret = ntime_session_read(s, &v, 1) != 1 || v.count != 12 ||
			  ntime_session_stop(s) != -EIO;

		/*
		 * It closes what it has, and writes nothing; what the parent mapped may be
		 * something else here.
		 */
		calls = f.calls;
		ntime_session_free(s);
		_exit(ret || f.calls != calls || f.maps != maps || fake_ntimefs_open_files(&f));
	}
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(status, 0);
	/*
	 * From the highest bit on the instruction is not believed any more, and that ends it for
	 * good.
	 */
	f.pmu[0].fixed_count[0] = 1ull << 47;
	f.now_ns += 2 * HOUR_NS;
	TT_IS(ntime_read_call(&reader, &count), 0);
	TT_IS(count, 1ull << 47);
	TT_IS(reader.state->pinned, 0);
	f.pmu[0].fixed_count[0] = 0xffffffffffff;
	f.now_ns += 2 * HOUR_NS;
	fake_ntimefs_work(&f, 0, false, 3);
	TT_IS(ntime_read(&reader, &count), 0);
	TT_IS(count, (1ull << 48) + 2);
#else
	(void)status, (void)pid;
#endif
	ntime_session_free(s);
	TT_IS(sched_setaffinity(0, sizeof(before), &before), 0);
	fini(&f);
}

/* Two CPUs, or turns: a call. */
TEST(no_readers)
{
	struct ntime_reader reader = { .size = sizeof(reader) };
	int cpus = cpus_of_thread();
	struct fake_ntimefs f;
	struct ntime_session *s;

	init(&f);
	f.is_granted = true;
	s = session(&f, NULL, 0, "instructions");
	TT_IS(ntime_session_start(s), 0);
	TT_IS(ntime_get_reader(s, 0, &reader), 0);
	TT_IS(reader.state->type, NTIME_READER_CALL);
	TT_HAS(ntime_reader_why(&reader), "several CPUs");
	ntime_session_free(s);
	s = session(&f, "0", 0, many);
	TT_IS(ntime_session_start(s), 0);
	TT_IS(ntime_get_reader(s, 0, &reader), 0);
	TT_IS(reader.state->type, NTIME_READER_CALL);
	TT_HAS(ntime_reader_why(&reader), "turns");
	ntime_session_free(s);
	TT_IS(cpus_of_thread(), cpus);
	fini(&f);
}

/* The whole life of a session; each number is right, or there is none. */
static void live(struct fake_ntimefs *f)
{
	struct ntime_value v[ITEMS];
	struct ntime_session *s;
	unsigned int done = 0;
	int turn, ret;
	size_t i;

	ret = open_session(f, NULL, 0, NTIME_VIA_NTIMEFS, many, &s);
	for (turn = 0; ret >= 0 && turn < 4; turn++) {
		ret = ntime_session_start(s);
		if (ret < 0)
			break;
		fake_ntimefs_work(f, 0, true, 1000);
		fake_ntimefs_work(f, 1, true, 1000);
		done += 2000;
		ret = ntime_session_read(s, v, ITEMS);
		for (i = 0; ret >= 0 && i < ITEMS; i++) {
			if (v[i].flags & (NTIME_ABSENT | NTIME_NOT_COUNTED))
				continue;
			TT_IS(v[i].count <= done, 1);
			if (!v[i].flags)
				TT_IS(v[i].count, i % 3 == 2 ? 0 : done);
		}
		if (ret >= 0)
			ret = ntime_session_stop(s);
	}
	ntime_session_free(s);
}

TEST(every_call_fails_once)
{
	static const int errors[] = { -EIO,    -EACCES, -EBUSY, -ENODEV,
				      -EMFILE, -EAGAIN, -EPERM, -EINTR };
	unsigned int calls, at;
	struct fake_ntimefs f;
	size_t e;

	init(&f);
	live(&f);
	calls = f.calls;
	fini(&f);
	print_message("# %u calls, %zu errors\n", calls, sizeof(errors) / sizeof(errors[0]));
	TT_IS(calls > 50, 1);
	for (e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
		for (at = 1; at <= calls; at++) {
			init(&f);
			f.fail_at = at;
			f.fail_with = errors[e];
			live(&f);
			fini(&f);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(all_counters),
		cmocka_unit_test(turns),
		cmocka_unit_test(first_turn),
		cmocka_unit_test(by_pass),
		cmocka_unit_test(wraps),
		cmocka_unit_test(refusals),
		cmocka_unit_test(methods),
		cmocka_unit_test(names_stand_in_the_header),
		cmocka_unit_test(programs_are_not_counted),
		cmocka_unit_test(events_beyond_a_selector),
		cmocka_unit_test(odd_pages),
		cmocka_unit_test(short_reads),
		cmocka_unit_test(cpu_goes_away),
		cmocka_unit_test(two_sessions),
		cmocka_unit_test(readers_by_call),
		cmocka_unit_test(readers),
		cmocka_unit_test(no_readers),
		cmocka_unit_test(every_call_fails_once),
	};

	return TT_RUN(tests);
}
