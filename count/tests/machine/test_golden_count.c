// SPDX-License-Identifier: MIT
/*
 * Counts on the recorded machines follow from the rates in their files: exact where an event always
 * ran, within its error where it was scaled. The simulated clock moves 10 ms with each read, and
 * once at the start; the rates of three machines wobble with a period of 100 ms, over which they
 * are the file's again.
 */
#include <math.h>

#include "count/lib/count/session.h"
#include "count/tests/machine/golden.h"

#define MAX_ITEMS 16
#define STEP_NS 10000000ull
#define PERIOD_NS 100000000ull

struct rig {
	struct ntime_ctx *ctx;
	struct ntime_session *s;
	size_t n;
	struct ntime_value v[MAX_ITEMS];
};

static void init(struct rig *rig, const char *machine, uint32_t kind, uint32_t flags,
		 const char *list)
{
	struct ntime_target target = { .size = sizeof(target), .kind = kind, .flags = flags };
	int ret;

	memset(rig, 0, sizeof(*rig));
	rig->ctx = golden_open(machine);
	TT_IS(ntime_session_new(rig->ctx, &target, &rig->s), 0);
	ret = ntime_session_add_list(rig->s, list);
	if (ret == 0)
		ret = ntime_session_start(rig->s);
	if (ret < 0)
		print_error("%s: %s\n", list, ntime_error_text(rig->ctx));
	TT_IS(ret, 0);
	rig->n = ntime_session_count(rig->s);
	assert_true(rig->n <= MAX_ITEMS);
}

static void fini(struct rig *rig)
{
	ntime_session_free(rig->s);
	ntime_close(rig->ctx);
}

static void read_times(struct rig *rig, unsigned int times)
{
	while (times--)
		TT_IS(ntime_session_read(rig->s, rig->v, rig->n), rig->n);
}

/*
 * Read until counters were enabled for whole periods: the start and nine reads are the first one.
 */
static void read_periods(struct rig *rig, unsigned int periods)
{
	read_times(rig, periods * (unsigned int)(PERIOD_NS / STEP_NS) - 1);
}

static const struct count_row {
	int line;
	const char *machine;
	uint32_t kind;
	const char *event;
	uint64_t count;	  /* after 100 ms */
	unsigned int ran; /* by how many counters: threads or CPUs, times parts */
	double value;	  /* in the event's unit */
} count_rows[] = {
	/* rates a second of the files, a tenth of them */
	{ __LINE__, SKX, 0, "cycles", 270000000, 1, 270e6 },
	{ __LINE__, SKX, 0, "instructions", 405000000, 1, 405e6 },
	{ __LINE__, SKX, 0, "branch-misses", 810000, 1, 810e3 },
	{ __LINE__, SKX, 0, "page-faults", 200, 1, 200 },
	{ __LINE__, SKX, 0, "task-clock", 100000000, 1, 100e6 },
	{ __LINE__, SKX, 0, "skx::INST_RETIRED:ANY_P", 405000000, 1, 405e6 },
	{ __LINE__, SKX, 0, "r4567", 100000, 1, 100e3 },
	{ __LINE__, SKX, 0, "topdown-recovery-bubbles", 100000, 1, 200e3 },
	/* two sockets, six channels each: 64 bytes a read, in MiB */
	{ __LINE__, SKX, NTIME_TARGET_MACHINE, "uncore_imc/cas_count_read/", 48000000, 12,
	  48e6 * 64 / 1048576 },
	{ __LINE__, SKX, NTIME_TARGET_MACHINE, "uncore_imc_3/cas_count_write/", 4000000, 2,
	  4e6 * 64 / 1048576 },
	/* 28 slices and two sockets at the default rate of a million */
	{ __LINE__, SKX, NTIME_TARGET_MACHINE, "uncore_cha/event=0x35,umask=0x21/", 5600000, 56,
	  5.6e6 },
	/* 150 W a socket; the unit is 2^-32 J */
	{ __LINE__, SKX, NTIME_TARGET_MACHINE, "power/energy-pkg/", 128849018880, 2, 30 },
	{ __LINE__, SKX, NTIME_TARGET_MACHINE, "rapl::RAPL_ENERGY_PKG", 128849018880, 2, 30 },
	{ __LINE__, ZEN, 0, "cycles", 320000000, 1, 320e6 },
	{ __LINE__, ZEN, 0, "CYCLES_NOT_IN_HALT", 320000000, 1, 320e6 },
	{ __LINE__, ZEN, 0, "stalled-cycles-backend", 40000000, 1, 40e6 },
	{ __LINE__, ZEN, NTIME_TARGET_MACHINE, "power/energy-pkg/", 42949672960, 1, 10 },
	{ __LINE__, ZEN, NTIME_TARGET_MACHINE, "amd_l3/event=4,umask=0xff/", 800000, 8, 800e3 },
	{ __LINE__, ARM, 0, "cycles", 300000000, 1, 300e6 },
	{ __LINE__, ARM, 0, "cpu_cycles", 300000000, 1, 300e6 },
	{ __LINE__, ARM, 0, "inst_retired", 420000000, 1, 420e6 },
	{ __LINE__, ARM, NTIME_TARGET_MACHINE, "arm_dsu/l3d_cache/", 4000000, 40, 4e6 },
	{ __LINE__, ARM, NTIME_TARGET_MACHINE, "arm_cmn/hnf_cache_miss/", 100000, 1, 100e3 },
	{ __LINE__, ADL, NTIME_TARGET_MACHINE, "cpu_core/cpu-cycles/", 7840000000, 16, 7.84e9 },
	{ __LINE__, ADL, NTIME_TARGET_MACHINE, "cpu_atom/cpu-cycles/", 2960000000, 8, 2.96e9 },
	{ __LINE__, ADL, NTIME_TARGET_MACHINE, "cycles", 6480000000, 24, 6.48e9 },
};

TEST(what_always_ran_is_exact)
{
	TT_FOR_EACH_ROW(r, count_rows) {
		struct rig rig;

		init(&rig, r->machine, r->kind, 0, r->event);
		read_periods(&rig, 1);
		TT_EQ(r, ntime_session_passes(rig.s), 1);
		TT_EQ(r, rig.v[0].flags, NTIME_SIMULATED);
		TT_EQ(r, rig.v[0].wanted_ns, r->ran * PERIOD_NS);
		TT_EQ(r, rig.v[0].counted_ns, r->ran * PERIOD_NS);
		TT_EQ(r, rig.v[0].count, r->count);
		TT_EQ(r, fabs(rig.v[0].value - r->value) <= 1e-9 * r->value, 1);
		TT_EQ(r, rig.v[0].error == 0, 1);
		fini(&rig);
	}
}

static const struct scaled_row {
	int line;
	const char *machine;
	const char *events;
	unsigned int passes;
	unsigned int constant;	/* have a counter of their own in all of them */
	double rate[MAX_ITEMS]; /* a second, 0: the default of a million */
} scaled_rows[] = {
	{ __LINE__,
	  SKX,
	  "cycles,instructions,branches,branch-misses,cache-references,cache-misses,bus-cycles,"
	  "r101,r102,r103,r104,r105",
	  3,
	  3,
	  { 2.7e9, 4.05e9, 810e6, 8.1e6, 27e6, 5.4e6, 25e6 } },
	{ __LINE__,
	  ZEN,
	  "cycles,instructions,branches,branch-misses,cache-references,cache-misses,"
	  "stalled-cycles-frontend,stalled-cycles-backend",
	  2,
	  4,
	  { 3.2e9, 4.8e9, 900e6, 9e6, 60e6, 6e6, 100e6, 400e6 } },
	{ __LINE__,
	  ARM,
	  "cycles,instructions,branch-misses,cache-references,cache-misses,bus-cycles,"
	  "stalled-cycles-frontend,stalled-cycles-backend,l2d_cache,l2d_tlb",
	  2,
	  4,
	  { 3e9, 4.2e9, 6e6, 1.2e9, 12e6, 3e9, 150e6, 600e6 } },
};

TEST(what_was_scaled_is_within_its_error)
{
	TT_FOR_EACH_ROW(r, scaled_rows) {
		struct rig rig;
		size_t i;

		init(&rig, r->machine, NTIME_TARGET_THREAD, 0, r->events);
		TT_EQ(r, ntime_session_passes(rig.s), r->passes);
		read_periods(&rig, 20);
		for (i = 0; i < rig.n; i++) {
			const struct ntime_value *v = &rig.v[i];
			struct ntime_item item = { .size = sizeof(item) };
			double truth = (r->rate[i] ? r->rate[i] : 1e6) * 20 * PERIOD_NS / 1e9;
			double least, most;

			TT_EQ(r, v->flags, NTIME_SIMULATED | NTIME_SCALED | NTIME_BOUNDED);
			TT_EQ(r, v->wanted_ns, 20 * PERIOD_NS);
			TT_EQ(r, v->counted_ns < v->wanted_ns, 1);
			TT_EQ(r, fabs(v->value - truth) < 0.05 * truth, 1);
			/* A rotation that is not random promises no more than what is possible. */
			TT_IS(ntime_session_item(rig.s, i, &item), 0);
			TT_IS(ntime_value_bounds(v, &item, &least, &most), 0);
			TT_EQ(r, least, v->count);
			TT_EQ(r, fabs(v->value - v->below - least) <= 1e-9 * truth, 1);
			TT_EQ(r, fabs(v->value + v->above - most) <= 1e-9 * most, 1);
			TT_EQ(r, least < truth && truth < most, 1);
		}
		fini(&rig);
	}
}

static uint32_t steps_of(const struct rig *r)
{
	uint32_t steps = 0;

	for (size_t i = 0; i < r->s->items; i++)
		steps += r->s->item[i].estimate.steps + r->s->item[i].work.estimate.steps;
	return steps;
}

/* In turns of the session's own the interval is that of the scatter. */
TEST(what_took_turns_is_within_its_interval)
{
	TT_FOR_EACH_ROW(r, scaled_rows) {
		unsigned int constant = 0;
		uint32_t steps;
		uint64_t next_ns;
		struct rig rig;
		size_t i;

		init(&rig, r->machine, NTIME_TARGET_THREAD, NTIME_TURNS, r->events);
		TT_EQ(r, ntime_session_passes(rig.s), r->passes);
		for (i = 0; i < 4000; i++)
			TT_EQ(r, ntime_session_turn(rig.s, &next_ns) >= 0, 1);
		TT_EQ(r, next_ns > 0 && next_ns < UINT64_MAX, 1);
		/* Who looks ends no turn. */
		steps = steps_of(&rig);
		read_times(&rig, 5);
		TT_EQ(r, steps_of(&rig), steps);
		for (i = 0; i < rig.n; i++) {
			const struct ntime_value *v = &rig.v[i];
			double truth = (r->rate[i] ? r->rate[i] : 1e6) * (double)v->wanted_ns / 1e9;
			struct ntime_item item = { .size = sizeof(item) };

			TT_IS(ntime_session_item(rig.s, i, &item), 0);
			constant += item.in_every_pass;
			if (item.in_every_pass) {
				TT_EQ(r, v->flags, NTIME_SIMULATED);
				TT_EQ(r, v->error == 0 && v->counted_ns == v->wanted_ns, 1);
				/* the last of some 2,000 periods is not a whole one */
				TT_EQ(r, fabs(v->value - truth) < 1e-3 * truth, 1);
				continue;
			}
			TT_EQ(r, v->flags, NTIME_SIMULATED | NTIME_SCALED);
			/* An error that is always large enough says nothing. */
			TT_EQ(r, v->above > 0 && v->error < 0.05 * truth, 1);
			if (v->value - truth > v->below || truth - v->value > v->above)
				fail_msg("item %zu: %g -%g +%g, true is %g", i, v->value, v->below,
					 v->above, truth);
		}
		TT_EQ(r, constant, r->constant);
		fini(&rig);
	}
}

/* Alder Lake's rates stand still, so that each pass by itself is exact. */
TEST(one_pass_after_the_other_is_exact)
{
	static const double rate[] = { 4.9e9, 9.8e9, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6 };
	struct ntime_item item = { .size = sizeof(item) };
	struct rig rig;
	size_t i;
	int pass;

	init(&rig, ADL, NTIME_TARGET_THREAD, NTIME_BY_PASS,
	     "cpu_core/cpu-cycles/,cpu_core/instructions/,cpu_core/event=1/,cpu_core/event=2/,"
	     "cpu_core/event=3/,cpu_core/event=4/,cpu_core/event=5/,cpu_core/event=6/,"
	     "cpu_core/event=7/,cpu_core/event=8/,cpu_core/event=9/");
	TT_IS(ntime_session_passes(rig.s), 2);
	for (pass = 0; pass >= 0; pass = ntime_session_next_pass(rig.s))
		read_times(&rig, 5);
	read_times(&rig, 1);
	for (i = 0; i < rig.n; i++) {
		TT_IS(rig.v[i].flags, NTIME_SIMULATED);
		TT_IS(rig.v[i].counted_ns, rig.v[i].wanted_ns);
		assert_true(rig.v[i].wanted_ns >= 5 * STEP_NS);
		TT_IS(rig.v[i].count, rate[i] * (double)rig.v[i].counted_ns / 1e9);
		TT_IS(ntime_session_item(rig.s, i, &item), 0);
		TT_IS(item.pass, i == 10);
	}
	fini(&rig);
}

static const struct metric_row {
	int line;
	const char *machine;
	uint32_t kind;
	const char *metric;
	double value; /* after 100 ms */
} metric_rows[] = {
	{ __LINE__, SKX, 0, "IPC", 1.5 },
	{ __LINE__, SKX, 0, "branch-miss-ratio", 1 },
	{ __LINE__, SKX, 0, "cache-miss-ratio", 20 },
	{ __LINE__, SKX, 0, "tsc-frequency", 2.5 },
	{ __LINE__, ZEN, 0, "IPC", 1.5 },
	{ __LINE__, ARM, 0, "IPC", 1.4 },
	{ __LINE__, ARM, 0, "tsc-frequency", 0.025 },
};

TEST(metrics_follow)
{
	TT_FOR_EACH_ROW(r, metric_rows) {
		struct rig rig;

		init(&rig, r->machine, r->kind, 0, r->metric);
		read_periods(&rig, 1);
		TT_EQ(r, rig.v[rig.n - 1].flags, NTIME_SIMULATED | NTIME_METRIC);
		if (fabs(rig.v[rig.n - 1].value - r->value) > 1e-9)
			print_error("%s is %.12g\n", r->metric, rig.v[rig.n - 1].value);
		TT_EQ(r, fabs(rig.v[rig.n - 1].value - r->value) <= 1e-9, 1);
		fini(&rig);
	}
}

/* The clock's ticks and its time are of one moment, running and stopped. */
TEST(clocks_agree)
{
	static const struct clock_row {
		int line;
		const char *machine;
		uint64_t hz;
	} rows[] = {
		{ __LINE__, SKX, 2500000000 },
		{ __LINE__, ZEN, 3000000000 },
		{ __LINE__, ARM, 25000000 },
	};

	TT_FOR_EACH_ROW(r, rows) {
		struct rig rig;

		init(&rig, r->machine, NTIME_TARGET_THREAD, 0, "tsc");
		read_times(&rig, 3);
		TT_EQ(r, rig.v[0].wanted_ns, 3 * STEP_NS);
		TT_EQ(r, rig.v[0].count, 3 * r->hz / 100);
		TT_EQ(r, ntime_session_stop(rig.s), 0);
		read_times(&rig, 3);
		TT_EQ(r, rig.v[0].wanted_ns, 4 * STEP_NS);
		TT_EQ(r, rig.v[0].count, 4 * r->hz / 100);
		fini(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_always_ran_is_exact),
		cmocka_unit_test(what_was_scaled_is_within_its_error),
		cmocka_unit_test(what_took_turns_is_within_its_interval),
		cmocka_unit_test(one_pass_after_the_other_is_exact),
		cmocka_unit_test(metrics_follow),
		cmocka_unit_test(clocks_agree),
	};

	return TT_RUN(tests);
}
