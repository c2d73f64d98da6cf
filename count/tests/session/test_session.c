// SPDX-License-Identifier: MIT
/*
 * Sessions on a simulated machine whose counts follow from its clock: plan, open, read, scale,
 * passes, refusals.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "count/lib/perf/perf.h"
#include "count/tests/session/scene.h"
#include "base/tests/tt.h"

#define MODEL4 "count/tests/session/model4.json"
#define MAX_ITEMS 32

/* One opened machine and one session on it, closed by fini(). */
struct rig {
	struct ntime_ctx *ctx;
	struct ntime_session *s;
	struct ntime_value v[MAX_ITEMS];
};

static void open_machine(struct rig *rig, const char *machine)
{
	struct ntime_options options = { .size = sizeof(options), .machine = machine };
	int ret = ntime_open(&rig->ctx, &options);

	if (ret < 0)
		print_error("%s\n", rig->ctx ? ntime_error_text(rig->ctx) : "no context");
	TT_IS(ret, 0);
}

/* @target: NULL: this thread. */
static void init_on(struct rig *rig, const char *machine, const struct ntime_target *target,
		    const char *list)
{
	memset(rig, 0, sizeof(*rig));
	open_machine(rig, machine);
	TT_IS(ntime_session_new(rig->ctx, target, &rig->s), 0);
	TT_IS(ntime_session_add_list(rig->s, list), 0);
}

static void init(struct rig *rig, uint32_t kind, uint32_t flags, const char *cpus, const char *list)
{
	const struct ntime_target target = {
		.size = sizeof(target), .kind = kind, .flags = flags, .cpus = cpus
	};

	init_on(rig, MODEL4, &target, list);
}

static void start(struct rig *rig, uint32_t kind, uint32_t flags, const char *cpus,
		  const char *list)
{
	init(rig, kind, flags, cpus, list);
	TT_IS(ntime_session_start(rig->s), 0);
}

static void fini(struct rig *rig)
{
	ntime_session_free(rig->s);
	ntime_close(rig->ctx);
}

static void read_all(struct rig *rig)
{
	size_t n = ntime_session_count(rig->s);

	assert_true(n <= MAX_ITEMS);
	TT_IS(ntime_session_read(rig->s, rig->v, n), n);
}

static struct ntime_item item(const struct rig *rig, size_t i)
{
	struct ntime_item out = { .size = sizeof(out) };

	TT_IS(ntime_session_item(rig->s, i, &out), 0);
	return out;
}

/* @got must be within @permille of @want. */
static void near(double got, double want, double permille)
{
	if (fabs(got - want) <= fabs(want) * permille / 1000)
		return;
	print_error("%g is not within %g permille of %g\n", got, permille, want);
	fail();
}

TEST(everything_fits)
{
	struct rig rig;
	size_t i;

	start(&rig, NTIME_TARGET_THREAD, 0, NULL,
	      "cycles,instructions,branches,branch-misses,cache-references,cache-misses,"
	      "task-clock");
	TT_IS(ntime_session_passes(rig.s), 1);
	read_all(&rig);
	for (i = 0; i < 7; i++) {
		TT_IS(rig.v[i].flags, NTIME_SIMULATED);
		TT_IS(rig.v[i].counted_ns, rig.v[i].wanted_ns);
		assert_true(rig.v[i].error == 0);
	}
	assert_true(rig.v[0].wanted_ns > 0);
	/* One cycle and two instructions a ns. */
	TT_IS(rig.v[0].count, rig.v[0].wanted_ns);
	TT_IS(rig.v[1].count, 2 * rig.v[0].count);
	TT_TEXT(item(&rig, 0).unit, "cpu");
	TT_TEXT(item(&rig, 6).unit, "software");
	TT_TEXT(item(&rig, 6).unit_text, "ns");
	TT_TEXT(item(&rig, 0).method, "replay");
	fini(&rig);
}

/* The sentence says which struct it is: a size is forgotten easily. */
TEST(sizes_are_checked)
{
	struct ntime_item old = { .size = 8 }, none = { .size = 0 };
	struct ntime_where_info where = { .size = 0 };
	struct ntime_reader reader = { .size = 0 };
	struct rig rig;

	init(&rig, NTIME_TARGET_THREAD, 0, NULL, "cycles");
	TT_IS(ntime_session_item(rig.s, 0, &none), -EINVAL);
	TT_HAS(ntime_error_text(rig.ctx), "struct ntime_item.size is 0: set it to");
	TT_IS(ntime_session_item(rig.s, 0, &old), -EINVAL);
	TT_HAS(ntime_error_text(rig.ctx), "struct ntime_item has 8 bytes, and ");
	none.size = sizeof(none);
	TT_IS(ntime_session_item(rig.s, 1, &none), -EINVAL);
	TT_HAS(ntime_error_text(rig.ctx), "there is no item 1; the session has 1");
	TT_IS(ntime_session_where(rig.s, 0, &where), -EINVAL);
	TT_HAS(ntime_error_text(rig.ctx), "struct ntime_where_info.size is 0");
	TT_IS(ntime_get_reader(rig.s, 0, &reader), -EINVAL);
	TT_HAS(ntime_error_text(rig.ctx), "struct ntime_reader.size is 0");
	fini(&rig);
}

static const struct share_row {
	int line;
	const char *metric;
	uint64_t misses; /* of 1000 branches */
	double below;
	uint32_t flags;
} share_rows[] = {
	{ __LINE__, "branch-miss-ratio", 1000, 0, 0 },
	{ __LINE__, "branch-miss-ratio", 1005, 0, 0 },
	{ __LINE__, "branch-miss-ratio", 1020, 0, NTIME_IMPLAUSIBLE },
	{ __LINE__, "branch-miss-ratio", 1020, 15, 0 },
	{ __LINE__, "mine[%]=branch-misses / branches * 100", 1020, 0, 0 },
};

/* Also of few counts, of which the limits of events let some pass. */
TEST(no_share_is_more_than_all)
{
	TT_FOR_EACH_ROW(r, share_rows) {
		struct rig rig;

		init(&rig, NTIME_TARGET_THREAD, 0, NULL, "branch-misses,branches");
		TT_EQ(r, ntime_session_add(rig.s, r->metric, NULL), 0);
		TT_EQ(r, ntime_session_start(rig.s), 0);
		read_all(&rig);
		rig.v[0].value = (double)r->misses;
		rig.v[0].below = r->below;
		rig.v[1].value = 1000;
		TT_EQ(r, ntime_session_metrics(rig.s, rig.v, 3), 0);
		TT_EQ(r, rig.v[2].flags & NTIME_IMPLAUSIBLE, r->flags);
		fini(&rig);
	}
}

#define TWELVE                                                                                     \
	"cycles,instructions,cpu/event=1/,cpu/event=2/,cpu/event=3/,cpu/event=4/,cpu/event=5/,"    \
	"cpu/event=6/,cpu/event=7/,cpu/event=8/,cpu/event=9/,cpu/event=10/"

TEST(rotation_scales)
{
	struct rig rig;
	size_t i;

	init(&rig, NTIME_TARGET_THREAD, 0, NULL, TWELVE);
	TT_IS(ntime_session_start(rig.s), 0);
	TT_IS(ntime_session_passes(rig.s), 3); /* ten events on four counters */
	TT_TEXT(ntime_session_plan_text(rig.s, 0), "");
	TT_HAS(ntime_session_plan_text(rig.s, 1), "cpu");
	TT_HAS(ntime_session_plan_text(rig.s, 2), "cpu");
	TT_TEXT(ntime_session_plan_text(rig.s, 3), "");
	for (i = 0; i < 200; i++)
		read_all(&rig);
	for (i = 0; i < 12; i++) {
		TT_IS(rig.v[i].flags, NTIME_SIMULATED | NTIME_SCALED | NTIME_BOUNDED);
		assert_true(rig.v[i].counted_ns < rig.v[i].wanted_ns);
		assert_true(rig.v[i].error >= 0);
		near(rig.v[i].value,
		     (double)rig.v[i].wanted_ns * (i == 0   ? 1
						   : i == 1 ? 2
							    : 0.005),
		     5);
	}
	fini(&rig);
}

TEST(passes_one_by_one)
{
	struct rig rig;
	size_t i;
	int pass;

	start(&rig, NTIME_TARGET_THREAD, NTIME_BY_PASS, NULL, TWELVE ",task-clock");
	for (pass = 0; pass >= 0; pass = ntime_session_next_pass(rig.s)) {
		read_all(&rig);
		for (i = 0; i < 12; i++) {
			if ((int)item(&rig, i).pass == pass)
				TT_IS(rig.v[i].flags, NTIME_SIMULATED);
		}
	}
	TT_IS(pass, -ENODATA);
	read_all(&rig);
	for (i = 0; i < 12; i++) {
		TT_IS(rig.v[i].flags, NTIME_SIMULATED);
		TT_IS(rig.v[i].counted_ns, rig.v[i].wanted_ns);
		assert_true(rig.v[i].count > 0);
	}
	TT_IS(ntime_session_next_pass(rig.s), -EINVAL);
	fini(&rig);
}

TEST(pass_alone_counts_only_its_own)
{
	const struct ntime_target target = { .size = sizeof(target),
					     .flags = NTIME_PASS_ALONE,
					     .pass = 1 };
	struct rig rig;
	size_t i;

	init_on(&rig, MODEL4, &target, TWELVE ",task-clock");
	TT_IS(ntime_session_start(rig.s), 0);
	read_all(&rig);
	for (i = 0; i < 12; i++)
		TT_IS(rig.v[i].flags & (NTIME_NOT_COUNTED | NTIME_SCALED),
		      item(&rig, i).pass == 1 ? 0 : NTIME_NOT_COUNTED);
	TT_IS(rig.v[12].flags, NTIME_SIMULATED);
	fini(&rig);
}

TEST(uncore_is_summed_over_boxes_and_sockets)
{
	struct rig rig;
	double seconds;

	start(&rig, NTIME_TARGET_MACHINE, 0, NULL, "uncore_imc/reads/");
	read_all(&rig);
	/*
	 * Two boxes of 2e6 and 4e6 a second on two sockets each; .wanted_ns is the sum of the four.
	 */
	seconds = (double)rig.v[0].wanted_ns / 4 / 1e9;
	near((double)rig.v[0].count, 12e6 * seconds, 100);
	near(rig.v[0].value, (double)rig.v[0].count * 0.5, 0);
	TT_TEXT(item(&rig, 0).unit_text, "KiB");
	fini(&rig);
}

TEST(stop_and_go_on)
{
	struct ntime_value stopped[2];
	struct rig rig;

	start(&rig, NTIME_TARGET_THREAD, 0, NULL, "cycles,tsc");
	TT_IS(ntime_session_stop(rig.s), 0);
	TT_IS(ntime_session_stop(rig.s), 0);
	read_all(&rig);
	memcpy(stopped, rig.v, sizeof(stopped));
	read_all(&rig);
	TT_IS(rig.v[0].count, stopped[0].count);
	TT_IS(rig.v[1].count, stopped[1].count);
	TT_IS(ntime_session_start(rig.s), 0);
	read_all(&rig);
	assert_true(rig.v[0].count > stopped[0].count);
	assert_true(rig.v[1].count > stopped[1].count);
	fini(&rig);
}

TEST(deltas)
{
	struct ntime_value first, delta;
	struct rig rig;
	int i;

	start(&rig, NTIME_TARGET_THREAD, 0, NULL, TWELVE);
	for (i = 0; i < 50; i++)
		read_all(&rig);
	first = rig.v[0];
	for (i = 0; i < 50; i++)
		read_all(&rig);
	ntime_value_delta(&first, &rig.v[0], &delta);
	TT_IS(delta.count, rig.v[0].count - first.count);
	TT_IS(delta.wanted_ns, rig.v[0].wanted_ns - first.wanted_ns);
	TT_IS(delta.flags, NTIME_SIMULATED | NTIME_SCALED | NTIME_BOUNDED);
	near(delta.value, (double)delta.wanted_ns, 50);
	fini(&rig);
}

static const struct refusal_row {
	int line;
	uint32_t kind;
	const char *cpus;
	int32_t pid;
	int ret;
	const char *text;
} refusal_rows[] = {
	{ __LINE__, NTIME_TARGET_CPUS, "4", 0, -ENODEV, "CPU 4 is off line" },
	{ __LINE__, NTIME_TARGET_CPUS, "7", 0, -ENODEV, "there is no CPU 7 (on line: 0-3)" },
	{ __LINE__, NTIME_TARGET_CPUS, "a", 0, -EINVAL, "not a CPU list" },
	{ __LINE__, NTIME_TARGET_CPUS, "", 0, -EINVAL, "the CPU list is empty" },
	{ __LINE__, NTIME_TARGET_CPUS, NULL, 0, -EINVAL, "the CPU list is empty" },
	{ __LINE__, NTIME_TARGET_THREAD, NULL, -3, -EINVAL, "is not a thread id" },
	{ __LINE__, 9, NULL, 0, -EINVAL, "unknown kind" },
};

TEST(refusals)
{
	TT_FOR_EACH_ROW(r, refusal_rows) {
		struct ntime_target target = {
			.size = sizeof(target), .kind = r->kind, .pid = r->pid, .cpus = r->cpus
		};
		struct rig rig = { 0 };

		open_machine(&rig, MODEL4);
		TT_EQ(r, ntime_session_new(rig.ctx, &target, &rig.s), r->ret);
		TT_HAS(ntime_error_text(rig.ctx), r->text);
		fini(&rig);
	}
}

/* The kernel refuses for several causes that have no words of ours: each is a reason of its own. */
TEST(causes_are_told_apart)
{
	static const struct nti_unit unit = { .name = "core" };
	static const struct perf_event_attr attr = { .type = PERF_TYPE_RAW };
	static const struct nti_perf_where self = { .pid = 0, .cpu = -1 };
	struct nti_os os = { .is_simulated = true };
	struct nti_absence why[3] = { 0 };
	static const int error[] = { -EIO, -ENOSPC, -EIO };
	size_t i;

	for (i = 0; i < 3; i++)
		TT_IS(nti_perf_explain(&os, &unit, &attr, self, error[i], &why[i]), 0);
	TT_TEXT(why[0].about, "core: Input/output error");
	TT_TEXT(why[1].about, "core: No space left on device");
	TT_TEXT(why[2].about, why[0].about);
	TT_IS(why[0].code, why[1].code);
	TT_TEXT(why[0].remedy, why[1].remedy);
	for (i = 0; i < 3; i++)
		nti_absence_fini(&why[i]);
}

static const struct add_row {
	int line;
	const char *list;
	int ret;
	const char *text;
} add_rows[] = {
	{ __LINE__, "cylces", -ENOENT, "did you mean cycles" },
	{ __LINE__, "cycles,{instructions", -EINVAL, "" },
	{ __LINE__, "bad=cycles +", -EINVAL, "column" },
	{ __LINE__, "bad=cycles / no-such-event", -ENOENT, "no-such-event" },
	{ __LINE__, "", -EINVAL, "" },
	{ __LINE__, "context-switches:u", -EINVAL, "in the kernel alone" },
	{ __LINE__, "page-faults:G", -EINVAL, "never for guests" },
	{ __LINE__, "IPCC", -ENOENT, "the nearest metric is IPC" },
	{ __LINE__, "thortling", -ENOENT, "the nearest metric group is throttling" },
	{ __LINE__, "=3", -ENOENT, "no event '=3' ('ntime list' shows all)" },
	{ __LINE__, "cyclez", -ENOENT, "? ('ntime list' shows all)" },
	/* a group that can be added, and then something that cannot */
	{ __LINE__, "core,thermal,cylces", -ENOENT, "" },
};

TEST(nothing_is_added_on_failure)
{
	TT_FOR_EACH_ROW(r, add_rows) {
		struct rig rig;

		init(&rig, NTIME_TARGET_THREAD, 0, NULL, "task-clock");
		TT_EQ(r, ntime_session_add_list(rig.s, r->list), r->ret);
		TT_HAS(ntime_error_text(rig.ctx), r->text);
		TT_EQ(r, ntime_session_count(rig.s), 1);
		fini(&rig);
	}
}

/* perf prints such names; the number is that of the clock. */
TEST(clocks_have_no_modes)
{
	struct rig rig;

	init(&rig, NTIME_TARGET_THREAD, 0, NULL, "task-clock,task-clock:u,cpu-clock:kh");
	TT_IS(ntime_session_start(rig.s), 0);
	read_all(&rig);
	for (size_t i = 0; i < 3; i++) {
		TT_IS(rig.v[i].flags, NTIME_SIMULATED);
		TT_IS(rig.v[i].count == rig.v[0].count, 1);
	}
	fini(&rig);
}

TEST(cpus_are_counted_once)
{
	struct rig rig;

	start(&rig, NTIME_TARGET_CPUS, 0, "0,0,0-1", "cycles");
	read_all(&rig);
	near((double)rig.v[0].count, (double)rig.v[0].wanted_ns, 1);
	TT_IS(item(&rig, 0).pass, 0);
	fini(&rig);
}

TEST(readers_fall_back)
{
	struct ntime_reader reader = { .size = sizeof(reader) };
	uint64_t first, second;
	struct rig rig;

	init(&rig, NTIME_TARGET_THREAD, 0, NULL, "cycles,tsc,IPC");
	TT_IS(ntime_get_reader(rig.s, 0, &reader), -EINVAL);
	TT_IS(ntime_session_start(rig.s), 0);
	TT_IS(ntime_get_reader(rig.s, 0, &reader), 0);
	TT_HAS(ntime_reader_why(&reader), "recording");
	TT_IS(ntime_read(&reader, &first), NTIME_SIMULATED);
	read_all(&rig); /* the simulated clock moves when it is looked at */
	TT_IS(ntime_read(&reader, &second), NTIME_SIMULATED);
	assert_true(second > first);
	TT_IS(ntime_get_reader(rig.s, 1, &reader), 0);
	TT_IS(ntime_read(&reader, &first), NTIME_SIMULATED);
	TT_IS(ntime_get_reader(rig.s, 3, &reader), -ENOTSUP);
	fini(&rig);
}

TEST(cpus_of_the_machine)
{
	struct ntime_topology t = { .size = sizeof(t) };
	struct rig rig = { 0 };

	open_machine(&rig, MODEL4);
	TT_IS(ntime_topology_get(rig.ctx, &t), 0);
	TT_IS(t.packages, 2);
	TT_IS(t.cores, 4);
	TT_IS(t.online_cpus, 4);
	fini(&rig);
}

TEST(passes_not_reached_have_no_count)
{
	struct ntime_reader reader = { .size = sizeof(reader) };
	struct rig rig;
	uint64_t count;
	size_t i;

	start(&rig, NTIME_TARGET_THREAD, NTIME_BY_PASS, NULL, TWELVE);
	read_all(&rig);
	for (i = 0; i < 12; i++) {
		bool is_first = item(&rig, i).pass == 0;

		TT_IS(rig.v[i].flags, NTIME_SIMULATED | (is_first ? 0 : NTIME_NOT_COUNTED));
		TT_IS(ntime_get_reader(rig.s, i, &reader), 0);
		TT_IS(ntime_read(&reader, &count), is_first ? (int)NTIME_SIMULATED : -ENODATA);
	}
	TT_IS(ntime_session_next_pass(rig.s), 1);
	read_all(&rig);
	TT_IS(ntime_get_reader(rig.s, 0, &reader), 0);
	TT_IS(ntime_read(&reader, &count), NTIME_SIMULATED);
	fini(&rig);
}

TEST(delta_of_what_was_not_counted)
{
	struct ntime_value nothing = { .value = NAN, .scale = 1, .flags = NTIME_NOT_COUNTED };
	struct ntime_value delta;

	ntime_value_delta(&nothing, &nothing, &delta);
	TT_IS(delta.flags, NTIME_NOT_COUNTED);
	assert_true(isnan(delta.value));
}

static const struct interval_row {
	int line;
	/* so much was counted in a third of the time, with such an interval, before and in all */
	double earlier_s, later_s;
	uint64_t earlier, later;
	double earlier_side, later_side;
	double below, above; /* of the difference */
} interval_rows[] = {
	/* the scatter of the whole run, as long as it was the same */
	{ __LINE__, 50, 100, 50000, 100000, 7071, 10000, 7071, 7071.1 },
	/* all of it in the last part */
	{ __LINE__, 90, 100, 90000, 100000, 0, 10000, 10000, 10000 },
	/* none seen in a short part: not less than one can miss of chance */
	{ __LINE__, 100, 100.01, 100, 100, 42.9, 42.9, 0, 7.38 },
	/* nor can what was counted be less */
	{ __LINE__, 99, 100, 1000, 1003, 60, 100, 6, 80 },
};

static struct ntime_value third_of(double s, uint64_t count, double side)
{
	return (struct ntime_value){ .count = count,
				     .value = 3 * (double)count,
				     .scale = 1,
				     .wanted_ns = (uint64_t)(s * 1e9),
				     .counted_ns = (uint64_t)(s * 1e9 / 3),
				     .below = side,
				     .above = side,
				     .flags = NTIME_SCALED };
}

TEST(intervals_of_deltas)
{
	TT_FOR_EACH_ROW(r, interval_rows) {
		struct ntime_value earlier = third_of(r->earlier_s, r->earlier, r->earlier_side);
		struct ntime_value later = third_of(r->later_s, r->later, r->later_side), delta;

		ntime_value_delta(&earlier, &later, &delta);
		TT_EQ(r, (int)round(delta.below), (int)round(r->below));
		TT_EQ(r, (int)round(delta.above * 10), (int)round(r->above * 10));
		TT_EQ(r, delta.error == fmax(delta.below, delta.above), 1);
	}
}

static const struct bounds_row {
	int line;
	/* as above; at most so many more a second that was not looked at, of the whole run */
	double earlier_s, later_s;
	uint64_t earlier, later;
	double earlier_rate, later_rate;
	double value, below, above; /* of the difference */
} bounds_rows[] = {
	/* as the same seconds at the begin, however long ago that is */
	{ __LINE__, 0, 3, 0, 30000, 0, 60000, 90000, 60000, 80000 },
	{ __LINE__, 900, 903, 9e6, 9030000, 60000, 60000, 90000, 60000, 60000 },
	/* counts beside it were the limit, and grew by less than that; or than the estimate */
	{ __LINE__, 900, 903, 9e6, 9030000, 40000, 39900, 69800, 39800, 0 },
	/* and not before: no more than what they may have been read apart */
	{ __LINE__, 900, 903, 9e6, 9030000, 60000, 40000, 50000, 20000, 0 },
	/* unknown */
	{ __LINE__, 900, 903, 9e6, 9030000, INFINITY, INFINITY, 90000, 60000, INFINITY },
};

static struct ntime_value bounded(double s, uint64_t count, double rate)
{
	struct ntime_value v = third_of(s, count, 0);

	v.above = (double)count + s * 2 / 3 * rate - v.value;
	v.flags |= NTIME_BOUNDED;
	return v;
}

TEST(bounds_of_deltas)
{
	TT_FOR_EACH_ROW(r, bounds_rows) {
		struct ntime_value earlier = bounded(r->earlier_s, r->earlier, r->earlier_rate);
		struct ntime_value later = bounded(r->later_s, r->later, r->later_rate), delta;

		ntime_value_delta(&earlier, &later, &delta);
		TT_EQ(r, delta.flags, NTIME_SCALED | NTIME_BOUNDED);
		TT_EQ(r, fabs(delta.value - r->value) < 1e-6, 1);
		TT_EQ(r, fabs(delta.below - r->below) < 1e-6, 1);
		TT_EQ(r, delta.above == r->above || fabs(delta.above - r->above) < 1e-6, 1);
	}
}

static size_t count_items(const struct rig *rig, const char *name)
{
	size_t i, found = 0;

	for (i = 0; i < ntime_session_count(rig->s); i++)
		found += strcmp(item(rig, i).name, name) == 0;
	return found;
}

/* A group is all of its metrics, each once, in whatever order one asks. */
TEST(group_of_metrics)
{
	struct rig rig;
	size_t n, i;
	int index = -1;

	init(&rig, NTIME_TARGET_THREAD, 0, NULL, "IPC,task-clock");
	TT_IS(ntime_session_add(rig.s, "Core", &index), 0);
	n = ntime_session_count(rig.s);
	TT_IS(index, n - 1);
	assert_true(n <= MAX_ITEMS);
	TT_IS(count_items(&rig, "IPC"), 1);
	TT_IS(count_items(&rig, "CPI"), 1);
	TT_IS(count_items(&rig, "kernel-cycle-share"), 1);
	TT_IS(count_items(&rig, "branch-miss-ratio"), 0);
	for (i = 0; i < n; i++)
		TT_IS(count_items(&rig, item(&rig, i).name), 1);
	TT_IS(ntime_session_add(rig.s, "core", &index), 0);
	TT_IS(ntime_session_count(rig.s), n);
	TT_IS(ntime_session_start(rig.s), 0);
	read_all(&rig);
	for (i = 0; i < n; i++) {
		if (strcmp(item(&rig, i).name, "CPI") == 0)
			near(rig.v[i].value, 0.5, 10);
	}
	fini(&rig);
}

/* What this machine lacks is there all the same and says why. */
TEST(group_that_is_not_here)
{
	struct rig rig;
	size_t i, metrics = 0;

	start(&rig, NTIME_TARGET_MACHINE, 0, NULL, "task-clock,cstates");
	for (i = 0; i < ntime_session_count(rig.s); i++) {
		struct ntime_item it = item(&rig, i);

		if (!it.is_metric)
			continue;
		metrics++;
		TT_HAS(it.reason, "the kernel shows no PMU 'cstate_");
	}
	TT_IS(metrics, 11);
	read_all(&rig);
	TT_IS(rig.v[ntime_session_count(rig.s) - 1].flags,
	      NTIME_ABSENT | NTIME_METRIC | NTIME_SIMULATED);
	fini(&rig);
}

struct found_metric {
	const char *name;
	char formula[128], reason[256];
	uint32_t usable;
};

static int find_metric(void *arg, const struct ntime_event_info *metric)
{
	struct found_metric *found = arg;

	if (strcmp(metric->name, found->name) != 0)
		return 0;
	TT_TEXT(metric->group, "nearness");
	snprintf(found->formula, sizeof(found->formula), "%s", metric->formula);
	snprintf(found->reason, sizeof(found->reason), "%s", metric->reason);
	found->usable = metric->usable;
	return 1;
}

/*
 * Of formulas that this machine cannot count the nearest one says why: lists and sessions agree on
 * which.
 */
static const struct near_row {
	int line;
	const char *name, *formulas, *chosen, *reason;
} near_rows[] = {
	/* something that can be counted comes before everything else, in the order of the file */
	{ __LINE__, "counted",
	  "formula no-such-event / cycles\nformula 2 * cycles\nformula cycles\n", "2 * cycles",
	  "" },
	/* other machines have such a unit: more than a name that nobody knows */
	{ __LINE__, "elsewhere",
	  "formula no-such-event / cycles\nformula 'cstate_pkg/c2-residency/' / cycles\n"
	  "formula 'cstate_pkg/c3-residency/'\n",
	  "'cstate_pkg/c2-residency/' / cycles",
	  "needs cstate_pkg/c2-residency/: the kernel shows no PMU 'cstate_pkg'" },
	/* the furthest event speaks for a formula */
	{ __LINE__, "furthest",
	  "formula 'cstate_pkg/c3-residency/' / no-such-event\nformula skx::INST_RETIRED:ANY_P\n",
	  "skx::INST_RETIRED:ANY_P",
	  "needs skx::INST_RETIRED:ANY_P: skx is a PMU of other processors (Intel Skylake X)" },
	{ __LINE__, "nowhere", "formula no-such-event\nformula no-such-other\n", "no-such-event",
	  "this machine has no event no-such-event" },
};

static void write_metric(const char *path, const struct near_row *r)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "metric %s\nunit u\ngroup nearness\n%sabout A.\nsource b\n", r->name,
		r->formulas);
	TT_IS(fclose(f), 0);
}

TEST(nearest_formula_speaks)
{
	TT_FOR_EACH_ROW(r, near_rows) {
		char path[] = "/tmp/ntime-metrics-XXXXXX";
		struct ntime_options options = { .size = sizeof(options),
						 .machine = MODEL4,
						 .metrics = path };
		struct found_metric found = { .name = r->name };
		struct rig rig = { 0 };
		struct ntime_item last;
		int fd = mkstemp(path);

		TT_EQ(r, fd >= 0, 1);
		close(fd);
		write_metric(path, r);
		TT_EQ(r, ntime_open(&rig.ctx, &options), 0);
		TT_EQ(r, ntime_metric_for_each(rig.ctx, find_metric, &found), 1);
		TT_STR(r, found.formula, r->chosen);
		TT_EQ(r, found.usable, !*r->reason);
		TT_HAS(found.reason, r->reason);
		TT_EQ(r, ntime_session_new(rig.ctx, NULL, &rig.s), 0);
		TT_EQ(r, ntime_session_add(rig.s, "nearness", NULL), 0);
		last = item(&rig, ntime_session_count(rig.s) - 1);
		TT_STR(r, last.name, r->name);
		TT_HAS(last.reason, r->reason);
		TT_EQ(r, !*last.reason, !*r->reason);
		fini(&rig);
		unlink(path);
	}
}

/* It is behind the events of the formula that comes nearest. */
static size_t first_metric(const struct rig *rig)
{
	size_t i = 0;

	while (!item(rig, i).is_metric)
		i++;
	return i;
}

TEST(ready_made_metric_of_another_machine_is_absent)
{
	struct rig rig;
	size_t metric;

	/* This machine's msr PMU has no term aperf. */
	start(&rig, NTIME_TARGET_MACHINE, 0, NULL, "active-clock-ratio,task-clock");
	read_all(&rig);
	metric = first_metric(&rig);
	TT_IS(rig.v[metric].flags, NTIME_METRIC | NTIME_ABSENT | NTIME_SIMULATED);
	TT_HAS(item(&rig, metric).reason, "aperf");
	TT_IS(rig.v[metric + 1].flags, NTIME_SIMULATED);
	fini(&rig);
}

TEST(parts_of_one_event_share_a_pass)
{
	const struct ntime_target target = { .size = sizeof(target),
					     .kind = NTIME_TARGET_MACHINE,
					     .flags = NTIME_BY_PASS };
	struct rig rig;
	size_t i;

	init_on(&rig, "count/tests/machine/hybrid-adl.json", &target,
		"L1-dcache-loads,L1-dcache-load-misses,branches,branch-misses,cache-references,"
		"cache-misses,LLC-loads,LLC-load-misses,dTLB-loads,dTLB-load-misses");
	TT_IS(ntime_session_start(rig.s), 0);
	for (i = 0; i < 40; i++)
		read_all(&rig);
	/*
	 * What counts in pass 0 counts on all 24 CPUs at once: as long as it was wanted, once per
	 * CPU.
	 */
	for (i = 0; i < ntime_session_count(rig.s); i++) {
		if (rig.v[i].flags & NTIME_ABSENT)
			continue;
		TT_IS(!!(rig.v[i].flags & NTIME_NOT_COUNTED), item(&rig, i).pass != 0);
	}
	fini(&rig);
}

TEST(groups_survive_more_events_than_one_plan_takes)
{
	char list[4096] = "";
	struct rig rig;
	size_t i;

	for (i = 0; i < 63; i++)
		sprintf(list + strlen(list), "cpu/event=%zu,umask=1/,", i + 1);
	strcat(list, "{cpu/event=100/,cpu/event=101/,cpu/event=102/}");
	init(&rig, NTIME_TARGET_THREAD, 0, NULL, list);
	TT_IS(ntime_session_open(rig.s), 0);
	TT_IS(item(&rig, 63).pass, item(&rig, 64).pass);
	TT_IS(item(&rig, 63).pass, item(&rig, 65).pass);
	fini(&rig);
}

/* The reason of the event that is not here is the metric's, also before its other one counted. */
TEST(metric_of_what_is_not_here_is_absent_before_the_start)
{
	struct rig rig;
	size_t metric;

	init_on(&rig, "count/tests/machine/vm-kvm.json", NULL, "GHz");
	TT_IS(ntime_session_open(rig.s), 0);
	read_all(&rig);
	metric = first_metric(&rig);
	TT_IS(rig.v[metric].flags & (NTIME_ABSENT | NTIME_NOT_COUNTED), NTIME_ABSENT);
	fini(&rig);
}

TEST(clock_before_start_has_no_count)
{
	struct ntime_reader reader = { .size = sizeof(reader) };
	struct rig rig;
	uint64_t count;

	init(&rig, NTIME_TARGET_THREAD, 0, NULL, "tsc,cycles");
	TT_IS(ntime_session_open(rig.s), 0);
	read_all(&rig);
	TT_IS(rig.v[0].flags, NTIME_NOT_COUNTED | NTIME_SIMULATED);
	TT_IS(ntime_get_reader(rig.s, 0, &reader), 0);
	TT_IS(ntime_read(&reader, &count), -ENODATA);
	fini(&rig);
}

/* How often the library asks, and when it is told to end. */
struct asking {
	unsigned int asked, ends_at;
};

static int is_asked(void *arg)
{
	struct asking *a = arg;

	return ++a->asked >= a->ends_at;
}

static void open_asking(struct rig *rig, struct asking *asking)
{
	const struct ntime_options options = { .size = sizeof(options),
					       .machine = "count/tests/machine/intel-skx-2s.json",
					       .interrupt = is_asked,
					       .interrupt_arg = asking };

	memset(rig, 0, sizeof(*rig));
	TT_IS(ntime_open(&rig->ctx, &options), 0);
}

static void new_session(struct rig *rig)
{
	const struct ntime_target target = { .size = sizeof(target), .kind = NTIME_TARGET_MACHINE };

	TT_IS(ntime_session_new(rig->ctx, &target, &rig->s), 0);
	TT_IS(ntime_session_add_list(rig->s, "instructions,cstate_core/c6-residency/"), 0);
}

/* At each point at which it can be: nothing is left open, and it can be done again. */
TEST(preparing_is_interrupted)
{
	struct asking asking = { .ends_at = UINT_MAX };
	unsigned int all, i;
	struct rig rig;

	open_asking(&rig, &asking);
	new_session(&rig);
	/* Units of the registers, which are looked for at each CPU. */
	assert_true(asking.asked >= 112);
	asking.asked = 0;
	TT_IS(ntime_session_start(rig.s), 0);
	all = asking.asked;
	/* Each of 112 CPUs is opened and started. */
	assert_true(all >= 2 * 112);
	read_all(&rig);
	TT_IS(ntime_session_stop(rig.s), 0);
	TT_IS(asking.asked, all);
	ntime_session_free(rig.s);
	for (i = 1; i <= all; i += 37) {
		new_session(&rig);
		asking = (struct asking){ .ends_at = i };
		TT_IS(ntime_session_start(rig.s), -EINTR);
		TT_IS(asking.asked, i);
		TT_HAS(ntime_error_text(rig.ctx), "interrupted");
		asking.ends_at = UINT_MAX;
		TT_IS(ntime_session_start(rig.s), 0);
		read_all(&rig);
		TT_IS(rig.v[0].flags, NTIME_SIMULATED);
		ntime_session_free(rig.s);
	}
	ntime_close(rig.ctx);
}

TEST(looking_for_units_is_interrupted)
{
	struct asking asking = { .ends_at = 100 };
	struct rig rig;

	open_asking(&rig, &asking);
	TT_IS(ntime_session_new(rig.ctx, NULL, &rig.s), 0);
	/* The kernel's own events need no other unit, and outlast a search that failed. */
	TT_IS(ntime_session_add(rig.s, "page-faults:u", NULL), 0);
	TT_IS(ntime_session_add(rig.s, "cycles", NULL), -EINTR);
	TT_HAS(ntime_error_text(rig.ctx), "interrupted");
	asking.ends_at = UINT_MAX;
	TT_IS(ntime_session_add(rig.s, "cycles", NULL), 0);
	TT_IS(ntime_session_start(rig.s), 0);
	fini(&rig);
}

/* ---- scenarios ---- */

/* items NUMBER: the session has so many. */
SCENE_STEP(items)
{
	SCENE_IS(s, ntime_session_count(scene_session(s)), n[0]);
}

/* name ITEM NAME; unit_text, beside likewise */
SCENE_STEP(name)
{
	tt_str_(scene_item(s, n[0]).name, rest, "name", s->file, s->line);
}

SCENE_STEP(unit_text)
{
	tt_str_(scene_item(s, n[0]).unit_text, rest, "unit_text", s->file, s->line);
}

SCENE_STEP(beside)
{
	tt_str_(scene_item(s, n[0]).beside, rest, "beside", s->file, s->line);
}

/* hidden ITEM 0|1 */
SCENE_STEP(hidden)
{
	SCENE_IS(s, scene_item(s, n[0]).is_hidden, n[1]);
}

/* same_pass ITEM ITEM */
SCENE_STEP(same_pass)
{
	SCENE_IS(s, scene_item(s, n[0]).pass, scene_item(s, n[1]).pass);
}

/* add LIST; add_fails ERROR EVENT|LIST; add_beside NUMBER: so many are added */
SCENE_STEP(add)
{
	SCENE_IS(s, ntime_session_add_list(scene_session(s), rest), 0);
}

SCENE_STEP(add_fails)
{
	int want = scene_error(s, scene_word(&rest));

	SCENE_IS(s,
		 strchr(rest, ',') ? ntime_session_add_list(scene_session(s), rest)
				   : ntime_session_add(scene_session(s), rest, NULL),
		 want);
}

SCENE_STEP(add_beside)
{
	SCENE_IS(s, ntime_session_add_beside(scene_session(s)), n[0]);
}

static const struct scene_verb verbs[] = {
	{ "add", 0, step_add },
	{ "add_beside", 1, step_add_beside },
	{ "add_fails", 0, step_add_fails },
	{ "beside", 1, step_beside },
	{ "hidden", 2, step_hidden },
	{ "items", 1, step_items },
	{ "name", 1, step_name },
	{ "same_pass", 2, step_same_pass },
	{ "unit_text", 1, step_unit_text },
	{ NULL, 0, NULL },
};

static const struct scene_machine files = { verbs, NULL, NULL, scene_close };

#define ON_MODEL4 "machine " MODEL4 "; "
#define EVENTS3 "cpu/event=1/,cpu/event=2/,cpu/event=3/,"
#define ABSENT "-=nan/absent+simulated"

static const struct scenario scenarios[] = {
	{ __LINE__, "a group that is too big",
	  ON_MODEL4 "open unopened thread {" EVENTS3 "cpu/event=4/,cpu/event=5/}; start ENOSPC;"
		    "error cpu/event=; passes 0" },
	{ __LINE__, "a group stays together",
	  ON_MODEL4 "open thread " EVENTS3 "{cpu/event=4/,cpu/event=5/}; passes 2; same_pass 3 4" },
	{ __LINE__, "a pass that the plan lacks",
	  ON_MODEL4 "open unopened thread pass=3 " TWELVE "; start EINVAL;"
		    "error no pass 3: the plan has 3" },
	{ __LINE__, "boxes need CPUs",
	  ON_MODEL4 "open unopened thread uncore_imc/reads/,task-clock; start;"
		    "read " ABSENT " -/simulated; reason 0 not for one program; remedy 0 -a" },
	{ __LINE__, "boxes are on other CPUs",
	  ON_MODEL4 "open unopened cpus=1,3 uncore_imc/reads/,task-clock; start; read " ABSENT
		    "; reason 0 on CPU 0,2 only" },
	/* cycles, hidden instructions, IPC, twice */
	{ __LINE__, "metrics share their events",
	  ON_MODEL4 "open unopened thread cycles,IPC,twice[x]=2 * instructions / cycles; items 4;"
		    "hidden 1 1; name 1 instructions; unit_text 3 x; start;"
		    "read -/simulated -/simulated -=2/metric+simulated -=4/metric+simulated" },
	{ __LINE__, "a metric before the start has no value",
	  ON_MODEL4 "open thread IPC; read -/not_counted+simulated -/not_counted+simulated "
		    "-=nan/metric+not_counted+simulated" },
	{ __LINE__, "metrics beside cost nothing",
	  ON_MODEL4 "open unopened thread cycles,instructions; add_beside 1; items 3; name 2 IPC;"
		    "beside 2 instructions; add_beside 0" },
	{ __LINE__, "a failed list leaves hidden events hidden",
	  ON_MODEL4 "open unopened thread IPC; hidden 0 1;"
		    "add_fails ENOENT instructions,cycles,cylces; hidden 0 1;"
		    "add instructions,cycles; hidden 0 0; start; add_fails EBUSY cycles" },
	{ __LINE__, "hybrid counts where it was asked to",
	  "machine count/tests/machine/hybrid-adl.json; open unopened cpus=0 cycles; start;"
	  "read -/simulated; reason 0" },
};

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_fits),
		cmocka_unit_test(sizes_are_checked),
		cmocka_unit_test(clocks_have_no_modes),
		cmocka_unit_test(no_share_is_more_than_all),
		cmocka_unit_test(rotation_scales),
		cmocka_unit_test(passes_one_by_one),
		cmocka_unit_test(pass_alone_counts_only_its_own),
		cmocka_unit_test(uncore_is_summed_over_boxes_and_sockets),
		cmocka_unit_test(stop_and_go_on),
		cmocka_unit_test(deltas),
		cmocka_unit_test(refusals),
		cmocka_unit_test(causes_are_told_apart),
		cmocka_unit_test(nothing_is_added_on_failure),
		cmocka_unit_test(cpus_are_counted_once),
		cmocka_unit_test(readers_fall_back),
		cmocka_unit_test(cpus_of_the_machine),
		cmocka_unit_test(parts_of_one_event_share_a_pass),
		cmocka_unit_test(groups_survive_more_events_than_one_plan_takes),
		cmocka_unit_test(clock_before_start_has_no_count),
		cmocka_unit_test(metric_of_what_is_not_here_is_absent_before_the_start),
		cmocka_unit_test(passes_not_reached_have_no_count),
		cmocka_unit_test(delta_of_what_was_not_counted),
		cmocka_unit_test(intervals_of_deltas),
		cmocka_unit_test(bounds_of_deltas),
		cmocka_unit_test(group_of_metrics),
		cmocka_unit_test(group_that_is_not_here),
		cmocka_unit_test(nearest_formula_speaks),
		cmocka_unit_test(ready_made_metric_of_another_machine_is_absent),
		cmocka_unit_test(preparing_is_interrupted),
		cmocka_unit_test(looking_for_units_is_interrupted),
	};

	return SCENE_RUN(&files, scenarios, tests);
}
