// SPDX-License-Identifier: MIT
/*
 * Sessions read per thread or CPU, on recorded and made-up machines: what stands in which row, and
 * what rows make together.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include <ntime/ntime.h>

#include "base/common/compiler.h"
#include "count/lib/machine/topology.h"
#include "count/lib/count/session.h"
#include "count/tests/session/scene.h"
#include "base/tests/tt.h"

/* ---- verbs ---- */

/* not_started: nobody knows yet where it counts. */
SCENE_STEP(not_started)
{
	SCENE_IS(s, ntime_session_where_count(scene_session(s)), 0);
	SCENE_IS(s, ntime_session_max_read_interval_ns(scene_session(s)), 0);
}

/* where ROW CPU CORE PACKAGE L3: no process, and not off line */
SCENE_STEP(where)
{
	struct ntime_where_info info = { .size = sizeof(info) };

	SCENE_IS(s, ntime_session_where(scene_session(s), n[0], &info), 0);
	SCENE_IS(s, info.cpu, (int)n[1]);
	SCENE_IS(s, info.core, (int)n[2]);
	SCENE_IS(s, info.package, (int)n[3]);
	SCENE_IS(s, info.l3, (int)strtol(rest, NULL, 0));
	SCENE_IS(s, info.is_off_line, 0);
	if (info.cpu >= 0)
		SCENE_IS(s, info.pid, -1);
}

/* scope ITEM NAME [sum|max]: what a count tells of, and what several make together */
SCENE_STEP(scope)
{
	static const char *const names[] = { [NTIME_SCOPE_CPU] = "cpu",
					     [NTIME_SCOPE_L3] = "l3",
					     [NTIME_SCOPE_PACKAGE] = "package",
					     [NTIME_SCOPE_MACHINE] = "machine" };
	struct ntime_item item = scene_item(s, n[0]);

	SCENE_IS(s, item.scope < NTI_ARRAY_SIZE(names) && names[item.scope], 1);
	tt_str_(names[item.scope], scene_word(&rest), "scope", s->file, s->line);
	if (*rest)
		SCENE_IS(s, item.together, strcmp(rest, "max") == 0 ? NTIME_MAX : NTIME_SUM);
}

/* same_time ITEM: it was counted as long in every row. */
SCENE_STEP(same_time)
{
	size_t row, items = ntime_session_count(scene_session(s));

	for (row = 1; row < ntime_session_where_count(scene_session(s)); row++)
		SCENE_IS(s, s->v[row * items + n[0]].wanted_ns, s->v[n[0]].wanted_ns);
}

static const struct scene_verb verbs[] = {
	{ "not_started", 0, step_not_started },
	{ "same_time", 1, step_same_time },
	{ "scope", 1, step_scope },
	{ "where", 4, step_where },
	{ NULL, 0, NULL },
};

static const struct scene_machine files = { verbs, NULL, NULL, scene_close };

/* ---- scenarios ---- */

#define MODEL4 "machine count/tests/session/model4.json; "
#define SKX "machine count/tests/machine/intel-skx-2s.json; "
#define ZEN2 "machine count/tests/machine/amd-zen2.json; "
#define HYBRID "machine count/tests/machine/hybrid-adl.json; "
#define SOME "+/simulated "
#define NO_READS "0=nan/simulated+elsewhere "
/*
 * One CPU that is always busy is as busy as one CPU can be. The recording's clock moves at each
 * look, also between CPUs: over many of them it does not matter.
 */
#define BUSY SOME SOME "-=2:1e-9/simulated+metric " SOME "1=1:0.1/simulated+metric "

static const struct scenario scenarios[] = {
	{ __LINE__, "rows are the CPUs with their topology",
	  MODEL4 "open unopened cycles; not_started; start; rows 4; interval 0xfffffffffffffffe;"
		 "where 0 0 0 0 -1; where 1 1 1 0 -1; where 2 2 2 1 -1; where 3 3 3 1 -1" },
	/* By the recordings' own topologies; Skylake's has no cache of level 3. */
	{ __LINE__, "caches have numbers",
	  SKX "open task-clock; start; where 0 0 0 0 -1; where 28 28 28 1 -1; free;" ZEN2
	      "open task-clock; start; where 0 0 0 0 0; where 2 2 2 0 1" },
	{ __LINE__, "threads have no topology",
	  MODEL4 "open unopened thread cycles,task-clock; start; rows 1; where 0 -1 -1 -1 -1;"
		 "row 0 " SOME SOME },
	/*
	 * What one box counts for a package stands at the CPU that it is read on; the other CPU of
	 * the package points there.
	 */
	{ __LINE__, "package stands in one row",
	  MODEL4 "open uncore_imc_0/reads/,cycles,tsc; start; scope 0 package sum; scope 1 cpu;"
		 "scope 2 machine max; rows 4; row 0 " SOME SOME SOME "; row 1 " NO_READS SOME SOME
		 "; row 2 " SOME SOME SOME "; row 3 " NO_READS SOME SOME "; same_time 2" },
	/* One CPU of package 1, that the unit is not read on: it is not counted at all. */
	{ __LINE__, "package that is not counted is absent",
	  MODEL4 "open cpus=0,1,3 uncore_imc_0/reads/; start; rows 3; row 0 -/simulated;"
		 "row 1 -/simulated+elsewhere; row 2 -/simulated+absent" },
	{ __LINE__, "metrics of a row are of its events",
	  MODEL4 "open unopened IPC,busy=task-clock / (real_ns * cpus),"
		 "reads='uncore_imc_0/reads/' / real_ns; start; scope 2 cpu; scope 6 package;"
		 "repeat 100 rows; row 0 " BUSY SOME "-/simulated+metric;"
		 "row 1 " BUSY NO_READS "-=nan/simulated+metric+elsewhere;"
		 "row 2 " BUSY SOME "-/simulated+metric;"
		 "row 3 " BUSY NO_READS "-=nan/simulated+metric+elsewhere" },
	{ __LINE__, "scopes on Skylake",
	  SKX "open uncore_imc_0/cas_count_read/,power/energy-pkg/,cycles,msr/tsc/,task-clock;"
	      "start; scope 0 package; scope 1 package; scope 2 cpu; scope 3 cpu; scope 4 cpu" },
	{ __LINE__, "scopes on Zen 2",
	  ZEN2 "open amd_l3/event=0x4,umask=0x80/,amd_df/event=0x7,umask=0x38/; start; scope 0 l3;"
	       "scope 1 package" },
};

/* ---- what a scenario cannot say ---- */

static size_t items, rows;

static void init(struct scene *s, const char *steps)
{
	scene_begin(s, &files);
	SCENE(s, "%s; start", steps);
	items = ntime_session_count(scene_session(s));
	rows = ntime_session_where_count(scene_session(s));
}

static struct ntime_value *at(struct scene *s, size_t row, size_t i)
{
	return &s->v[row * items + i];
}

/* A package without one (a hypervisor's) is what its CPUs share: rows and boxes agree on that. */
TEST(caches_that_are_not_there)
{
	struct nti_cpu cpu = { .is_online = true, .cpu = 5, .l3 = -1, .package = 1 };

	TT_IS(nti_topology_domain(&cpu, NTI_SCOPE_L3), 1);
	cpu.l3 = 3;
	TT_IS(nti_topology_domain(&cpu, NTI_SCOPE_L3), 3);
	/* Off line. */
	cpu.l3 = cpu.package = -1;
	TT_IS(nti_topology_domain(&cpu, NTI_SCOPE_L3), -1);
}

/* The sum over the rows is what ntime_session_read() gives, once nothing moves any more. */
TEST(rows_add_up_to_the_whole)
{
	struct ntime_value whole[8];
	struct scene s;
	size_t i, p;

	init(&s, MODEL4 "open cycles,uncore_imc/reads/,task-clock");
	TT_IS(ntime_session_stop(scene_session(&s)), 0);
	SCENE(&s, "rows");
	TT_IS(ntime_session_read(scene_session(&s), whole, items), items);
	for (i = 0; i < items; i++) {
		uint64_t count = 0, wanted_ns = 0;
		double value = 0;

		for (p = 0; p < rows; p++) {
			if (at(&s, p, i)->flags & NTIME_ELSEWHERE)
				continue;
			count += at(&s, p, i)->count;
			value += at(&s, p, i)->value;
			wanted_ns += at(&s, p, i)->wanted_ns;
		}
		assert_true(count > 0);
		TT_IS(count, whole[i].count);
		TT_IS(wanted_ns, whole[i].wanted_ns);
		assert_true(value == whole[i].value);
	}
	scene_end(&s);
}

#define TWELVE                                                                                     \
	"cycles,instructions,cpu/event=1/,cpu/event=2/,cpu/event=3/,cpu/event=4/,cpu/event=5/,"    \
	"cpu/event=6/,cpu/event=7/,cpu/event=8/,cpu/event=9/,cpu/event=10/"

/* Each place is extrapolated by itself and has an error of its own. */
TEST(rows_are_scaled_one_by_one)
{
	struct ntime_value first;
	struct scene s;
	size_t p;

	init(&s, MODEL4 "open " TWELVE);
	SCENE(&s, "passes 3; rows");
	first = *at(&s, 1, 2);
	SCENE(&s, "repeat 200 rows");
	for (p = 0; p < rows; p++) {
		const struct ntime_value *v = at(&s, p, 2);

		TT_IS(v->flags, NTIME_SIMULATED | NTIME_SCALED | NTIME_BOUNDED);
		assert_true(v->counted_ns < v->wanted_ns && v->error >= 0);
		assert_true(fabs(v->value - (double)v->wanted_ns * 0.005) < v->value * 0.01);
	}
	ntime_value_delta(&first, at(&s, 1, 2), &first);
	assert_true(first.wanted_ns < at(&s, 1, 2)->wanted_ns);
	scene_end(&s);
}

/* Rows of a package put together: count of a metric says how many CPUs that are. */
TEST(metrics_of_rows_together)
{
	struct scene s;
	double share;
	size_t i;

	init(&s, MODEL4 "open busy=task-clock / (real_ns * cpus)");
	SCENE(&s, "rows");
	share = at(&s, 0, 1)->value;
	for (i = 0; i < 2; i++) {
		s.v[i].count += at(&s, 1, i)->count;
		s.v[i].value += at(&s, 1, i)->value;
	}
	TT_IS(ntime_session_metrics(scene_session(&s), s.v, items), 0);
	TT_IS(s.v[1].count, 2);
	assert_true(fabs(s.v[1].value - share) < share * 0.1);
	scene_end(&s);
}

TEST(hybrid_rows_have_what_their_core_has)
{
	struct scene s;
	size_t p;

	init(&s, HYBRID "open cpu_core/event=0xc0/,cpu_atom/event=0xc0/,cycles");
	SCENE(&s, "rows");
	for (p = 0; p < rows; p++) {
		bool is_big = !(at(&s, p, 0)->flags & NTIME_ABSENT);

		TT_IS(!!(at(&s, p, 1)->flags & NTIME_ABSENT), is_big);
		TT_IS(at(&s, p, 2)->flags, NTIME_SIMULATED);
		assert_true(at(&s, p, 2)->count > 0);
	}
	TT_IS(at(&s, 0, 0)->flags, NTIME_SIMULATED);
	TT_IS(at(&s, rows - 1, 1)->flags, NTIME_SIMULATED);
	scene_end(&s);
}

/* A state is what its row says; the worst one speaks for all, and a difference is the later one. */
TEST(states_are_not_added)
{
	struct ntime_value whole, high, delta;
	struct scene s;

	/* Two boxes for each package, of which one has twice the rate of the other. */
	init(&s, MODEL4 "open uncore_imc/reads/");
	TT_IS(scene_item(&s, 0).is_state, 0);
	scene_session(&s)->item[0].event.is_state = true;
	scene_session(&s)->item[0].event.together = NTI_MAX;
	scene_session(&s)->item[0].flags |= NTIME_STATE;
	TT_IS(scene_item(&s, 0).is_state, 1);
	TT_IS(scene_item(&s, 0).together, NTIME_MAX);
	TT_IS(ntime_session_stop(scene_session(&s)), 0);
	SCENE(&s, "rows");
	TT_IS(at(&s, 0, 0)->flags, NTIME_SIMULATED | NTIME_STATE);
	TT_IS(at(&s, 1, 0)->flags, NTIME_SIMULATED | NTIME_STATE | NTIME_ELSEWHERE);
	TT_IS(ntime_session_read(scene_session(&s), &high, 1), 1);
	TT_IS(high.flags, NTIME_SIMULATED | NTIME_STATE);
	TT_IS(high.count, at(&s, 0, 0)->count);
	assert_true(high.value == (double)high.count * 0.5);
	scene_session(&s)->item[0].event.together = NTI_MIN;
	TT_IS(ntime_session_read(scene_session(&s), &whole, 1), 1);
	assert_true(fabs((double)high.count - 2 * (double)whole.count) < (double)whole.count / 10);
	ntime_value_delta(&high, &whole, &delta);
	TT_IS(delta.count, whole.count);
	assert_true(delta.value == whole.value);
	TT_IS(delta.flags, NTIME_SIMULATED | NTIME_STATE);
	scene_end(&s);
}

static const struct carry_row {
	int line;
	uint32_t flag, wanted;
} carry_rows[] = {
	{ __LINE__, NTIME_LOST, NTIME_LOST },
	{ __LINE__, NTIME_GONE, NTIME_GONE },
	{ __LINE__, NTIME_STATE, NTIME_STATE },
	{ __LINE__, NTIME_ELSEWHERE, NTIME_ELSEWHERE },
	{ __LINE__, NTIME_OVERFLOWED, NTIME_OVERFLOWED },
};

TEST(metrics_carry_what_their_events_say)
{
	TT_FOR_EACH_ROW(r, carry_rows) {
		struct scene s;

		init(&s, MODEL4 "open twice=2 * cycles");
		TT_IS(ntime_session_read(scene_session(&s), s.v, 2), 2);
		s.v[0].flags |= r->flag;
		if (r->flag == NTIME_ELSEWHERE)
			s.v[0].value = NAN;
		TT_IS(ntime_session_metrics(scene_session(&s), s.v, 2), 0);
		TT_EQ(r, s.v[1].flags, NTIME_METRIC | NTIME_SIMULATED | r->wanted);
		scene_end(&s);
	}
}

/* A difference of a lost counter says so, and one that is elsewhere has none. */
TEST(deltas_of_rows)
{
	struct ntime_value earlier, delta;
	struct scene s;

	init(&s, MODEL4 "open uncore_imc_0/reads/");
	SCENE(&s, "rows");
	earlier = *at(&s, 0, 0);
	ntime_value_delta(at(&s, 1, 0), at(&s, 1, 0), &delta);
	TT_IS(delta.flags, NTIME_SIMULATED | NTIME_ELSEWHERE);
	assert_true(isnan(delta.value));
	SCENE(&s, "rows");
	s.v[0].flags |= NTIME_LOST;
	ntime_value_delta(&earlier, at(&s, 0, 0), &delta);
	TT_IS(delta.flags, NTIME_SIMULATED | NTIME_LOST);
	TT_IS(delta.count, s.v[0].count - earlier.count);
	/* Nothing is known of a period in which its device went. */
	s.v[0].flags |= NTIME_GONE;
	ntime_value_delta(&earlier, at(&s, 0, 0), &delta);
	TT_IS(delta.flags, NTIME_SIMULATED | NTIME_LOST | NTIME_GONE | NTIME_ABSENT);
	assert_true(isnan(delta.value));
	scene_end(&s);
}

TEST(wrong_numbers_are_refused)
{
	struct ntime_where_info info = { .size = sizeof(info) };
	struct scene s;

	init(&s, MODEL4 "open cycles");
	TT_IS(ntime_session_read_where(scene_session(&s), s.v, 2, 4), -EINVAL);
	TT_IS(ntime_session_read_where(scene_session(&s), s.v, 1, 3), -EINVAL);
	TT_HAS(ntime_error_text(s.ctx), "exact counts of items");
	TT_IS(ntime_session_where(scene_session(&s), 4, &info), -EINVAL);
	info.size--;
	TT_IS(ntime_session_where(scene_session(&s), 0, &info), -EINVAL);
	scene_end(&s);
}

int main(void)
{
	static const struct CMUnitTest functions[] = {
		cmocka_unit_test(caches_that_are_not_there),
		cmocka_unit_test(rows_add_up_to_the_whole),
		cmocka_unit_test(rows_are_scaled_one_by_one),
		cmocka_unit_test(metrics_of_rows_together),
		cmocka_unit_test(hybrid_rows_have_what_their_core_has),
		cmocka_unit_test(states_are_not_added),
		cmocka_unit_test(metrics_carry_what_their_events_say),
		cmocka_unit_test(deltas_of_rows),
		cmocka_unit_test(wrong_numbers_are_refused),
	};

	return SCENE_RUN(&files, scenarios, functions);
}
