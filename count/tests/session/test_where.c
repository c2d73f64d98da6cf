// SPDX-License-Identifier: MIT
/*
 * Sessions read per thread or CPU, on recorded and made-up machines: what stands in which row, and
 * what rows make together.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include <ntime/ntime.h>

#include "count/lib/machine/topology.h"
#include "count/lib/count/session.h"
#include "base/tests/tt.h"

#define MODEL4 "count/tests/session/model4.json"
#define SKX "count/tests/machine/intel-skx-2s.json"
#define ZEN2 "count/tests/machine/amd-zen2.json"
#define HYBRID "count/tests/machine/hybrid-adl.json"
#define MAX_CELLS 1024

/* A session of CPUs on a machine file, started; closed by fini(). */
struct rig {
	struct ntime_ctx *ctx;
	struct ntime_session *s;
	size_t n, places;
	struct ntime_value v[MAX_CELLS];
};

static void open_rig(struct rig *rig, const char *machine, const char *cpus, const char *list)
{
	struct ntime_options options = { .size = sizeof(options), .machine = machine };
	struct ntime_target target = { .size = sizeof(target),
				       .kind = cpus ? NTIME_TARGET_CPUS : NTIME_TARGET_MACHINE,
				       .cpus = cpus };

	memset(rig, 0, sizeof(*rig));
	TT_IS(ntime_open(&rig->ctx, &options), 0);
	TT_IS(ntime_session_new(rig->ctx, &target, &rig->s), 0);
	TT_IS(ntime_session_add_list(rig->s, list), 0);
}

static void start(struct rig *rig)
{
	TT_IS(ntime_session_where_count(rig->s), 0);
	TT_IS(ntime_session_max_read_interval_ns(rig->s), 0);
	TT_IS(ntime_session_start(rig->s), 0);
	rig->n = ntime_session_count(rig->s);
	rig->places = ntime_session_where_count(rig->s);
	assert_true(rig->n * rig->places <= MAX_CELLS);
}

static void init(struct rig *rig, const char *machine, const char *cpus, const char *list)
{
	open_rig(rig, machine, cpus, list);
	start(rig);
}

static void fini(struct rig *rig)
{
	ntime_session_free(rig->s);
	ntime_close(rig->ctx);
}

static void read_places(struct rig *rig)
{
	TT_IS(ntime_session_read_where(rig->s, rig->v, rig->n, rig->places), rig->n * rig->places);
}

static const struct ntime_value *at(const struct rig *rig, size_t place, size_t i)
{
	return &rig->v[place * rig->n + i];
}

static struct ntime_item item(const struct rig *rig, size_t i)
{
	struct ntime_item out = { .size = sizeof(out) };

	TT_IS(ntime_session_item(rig->s, i, &out), 0);
	return out;
}

static struct ntime_where_info place(const struct rig *rig, size_t i)
{
	struct ntime_where_info out = { .size = sizeof(out) };

	TT_IS(ntime_session_where(rig->s, i, &out), 0);
	return out;
}

TEST(places_are_the_cpus_with_their_topology)
{
	static const struct row {
		int line, cpu, core, package;
	} rows[] = { { __LINE__, 0, 0, 0 },
		     { __LINE__, 1, 1, 0 },
		     { __LINE__, 2, 2, 1 },
		     { __LINE__, 3, 3, 1 } };
	struct rig rig;
	size_t i = 0;

	init(&rig, MODEL4, NULL, "cycles");
	TT_IS(rig.places, 4);
	TT_IS(ntime_session_max_read_interval_ns(rig.s), -1);
	TT_FOR_EACH_ROW(r, rows) {
		struct ntime_where_info info = place(&rig, i++);

		TT_EQ(r, info.pid, -1);
		TT_EQ(r, info.cpu, r->cpu);
		TT_EQ(r, info.core, r->core);
		TT_EQ(r, info.package, r->package);
		TT_EQ(r, info.l3, -1);
		TT_EQ(r, info.is_off_line, 0);
	}
	fini(&rig);
}

/* By the recordings' own topologies; Skylake's has no cache of level 3. */
TEST(caches_have_numbers)
{
	static const struct row {
		int line;
		const char *machine;
		size_t place;
		int l3, package;
	} rows[] = { { __LINE__, SKX, 0, -1, 0 },
		     { __LINE__, SKX, 28, -1, 1 },
		     { __LINE__, ZEN2, 0, 0, 0 },
		     { __LINE__, ZEN2, 2, 1, 0 } };

	TT_FOR_EACH_ROW(r, rows) {
		struct rig rig;

		init(&rig, r->machine, NULL, "task-clock");
		TT_EQ(r, place(&rig, r->place).l3, r->l3);
		TT_EQ(r, place(&rig, r->place).package, r->package);
		fini(&rig);
	}
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

TEST(threads_have_no_topology)
{
	struct ntime_options options = { .size = sizeof(options), .machine = MODEL4 };
	struct ntime_where_info info = { .size = sizeof(info) };
	struct rig rig = { 0 };

	TT_IS(ntime_open(&rig.ctx, &options), 0);
	TT_IS(ntime_session_new(rig.ctx, NULL, &rig.s), 0);
	TT_IS(ntime_session_add_list(rig.s, "cycles,task-clock"), 0);
	TT_IS(ntime_session_start(rig.s), 0);
	TT_IS(ntime_session_where_count(rig.s), 1);
	TT_IS(ntime_session_where(rig.s, 0, &info), 0);
	TT_IS(info.cpu, -1);
	TT_IS(info.package, -1);
	TT_IS(ntime_session_read_where(rig.s, rig.v, 2, 1), 2);
	TT_IS(rig.v[0].flags, NTIME_SIMULATED);
	assert_true(rig.v[0].count > 0);
	fini(&rig);
}

/*
 * What one box counts for a package stands at the CPU that it is read on; the other CPU of the
 * package points there.
 */
TEST(package_stands_in_one_row)
{
	struct rig rig;
	size_t p;

	init(&rig, MODEL4, NULL, "uncore_imc_0/reads/,cycles,tsc");
	TT_IS(item(&rig, 0).scope, NTIME_SCOPE_PACKAGE);
	TT_IS(item(&rig, 0).together, NTIME_SUM);
	TT_IS(item(&rig, 1).scope, NTIME_SCOPE_CPU);
	TT_IS(item(&rig, 2).scope, NTIME_SCOPE_MACHINE);
	TT_IS(item(&rig, 2).together, NTIME_MAX);
	read_places(&rig);
	for (p = 0; p < 4; p++) {
		if (p % 2) {
			TT_IS(at(&rig, p, 0)->flags, NTIME_SIMULATED | NTIME_ELSEWHERE);
			assert_true(isnan(at(&rig, p, 0)->value));
			TT_IS(at(&rig, p, 0)->count, 0);
		} else {
			TT_IS(at(&rig, p, 0)->flags, NTIME_SIMULATED);
			assert_true(at(&rig, p, 0)->count > 0);
		}
		TT_IS(at(&rig, p, 1)->flags, NTIME_SIMULATED);
		assert_true(at(&rig, p, 1)->count > 0);
		TT_IS(at(&rig, p, 2)->flags, NTIME_SIMULATED);
		TT_IS(at(&rig, p, 2)->wanted_ns, at(&rig, 0, 2)->wanted_ns);
	}
	fini(&rig);
}

/*
 * Only CPUs of package 0 and one of package 1 that the unit is not read on: package 1 is not
 * counted at all.
 */
TEST(package_that_is_not_counted_is_absent)
{
	struct rig rig;

	init(&rig, MODEL4, "0,1,3", "uncore_imc_0/reads/");
	read_places(&rig);
	TT_IS(at(&rig, 0, 0)->flags, NTIME_SIMULATED);
	TT_IS(at(&rig, 1, 0)->flags, NTIME_SIMULATED | NTIME_ELSEWHERE);
	TT_IS(at(&rig, 2, 0)->flags, NTIME_SIMULATED | NTIME_ABSENT);
	fini(&rig);
}

/* The sum over the rows is what ntime_session_read() gives, once nothing moves any more. */
TEST(rows_add_up_to_the_whole)
{
	struct ntime_value whole[8];
	struct rig rig;
	size_t i, p;

	init(&rig, MODEL4, NULL, "cycles,uncore_imc/reads/,task-clock");
	TT_IS(ntime_session_stop(rig.s), 0);
	read_places(&rig);
	TT_IS(ntime_session_read(rig.s, whole, rig.n), rig.n);
	for (i = 0; i < rig.n; i++) {
		uint64_t count = 0, wanted_ns = 0;
		double value = 0;

		for (p = 0; p < rig.places; p++) {
			if (at(&rig, p, i)->flags & NTIME_ELSEWHERE)
				continue;
			count += at(&rig, p, i)->count;
			value += at(&rig, p, i)->value;
			wanted_ns += at(&rig, p, i)->wanted_ns;
		}
		assert_true(count > 0);
		TT_IS(count, whole[i].count);
		TT_IS(wanted_ns, whole[i].wanted_ns);
		assert_true(value == whole[i].value);
	}
	fini(&rig);
}

#define TWELVE                                                                                     \
	"cycles,instructions,cpu/event=1/,cpu/event=2/,cpu/event=3/,cpu/event=4/,cpu/event=5/,"    \
	"cpu/event=6/,cpu/event=7/,cpu/event=8/,cpu/event=9/,cpu/event=10/"

/* Each place is extrapolated by itself and has an error of its own. */
TEST(rows_are_scaled_one_by_one)
{
	struct ntime_value first;
	struct rig rig;
	size_t i, p;

	init(&rig, MODEL4, NULL, TWELVE);
	TT_IS(ntime_session_passes(rig.s), 3);
	read_places(&rig);
	first = *at(&rig, 1, 2);
	for (i = 0; i < 200; i++)
		read_places(&rig);
	for (p = 0; p < rig.places; p++) {
		const struct ntime_value *v = at(&rig, p, 2);

		TT_IS(v->flags, NTIME_SIMULATED | NTIME_SCALED);
		assert_true(v->counted_ns < v->wanted_ns && v->error >= 0);
		assert_true(fabs(v->value - (double)v->wanted_ns * 0.005) < v->value * 0.01);
	}
	ntime_value_delta(&first, at(&rig, 1, 2), &first);
	assert_true(first.wanted_ns < at(&rig, 1, 2)->wanted_ns);
	fini(&rig);
}

TEST(metrics_of_a_row_are_of_its_events)
{
	struct rig rig;
	size_t p;

	open_rig(&rig, MODEL4, NULL, "IPC,busy=task-clock / (real_ns * cpus)");
	TT_IS(ntime_session_add(rig.s, "reads='uncore_imc_0/reads/' / real_ns", NULL), 0);
	start(&rig);
	/* instructions, cycles, IPC, task-clock, busy, uncore, reads */
	TT_IS(rig.n, 7);
	TT_IS(item(&rig, 2).scope, NTIME_SCOPE_CPU);
	TT_IS(item(&rig, 6).scope, NTIME_SCOPE_PACKAGE);
	/*
	 * The recording's clock moves at each look, also between CPUs: over many of them it does
	 * not matter.
	 */
	for (p = 0; p < 100; p++)
		read_places(&rig);
	for (p = 0; p < rig.places; p++) {
		assert_true(fabs(at(&rig, p, 2)->value - 2) < 1e-9);
		/* One CPU that is always busy is as busy as one CPU can be. */
		TT_IS(at(&rig, p, 4)->count, 1);
		assert_true(fabs(at(&rig, p, 4)->value - 1) < 0.1);
		if (p % 2) {
			TT_IS(at(&rig, p, 6)->flags,
			      NTIME_METRIC | NTIME_SIMULATED | NTIME_ELSEWHERE);
			assert_true(isnan(at(&rig, p, 6)->value));
		} else {
			TT_IS(at(&rig, p, 6)->flags, NTIME_METRIC | NTIME_SIMULATED);
			assert_true(at(&rig, p, 6)->value > 0);
		}
	}
	fini(&rig);
}

/* Rows of a package put together: count of a metric says how many CPUs that are. */
TEST(metrics_of_rows_together)
{
	struct rig rig;
	double share;
	size_t i;

	init(&rig, MODEL4, NULL, "busy=task-clock / (real_ns * cpus)");
	read_places(&rig);
	share = at(&rig, 0, 1)->value;
	for (i = 0; i < 2; i++) {
		rig.v[i].count += at(&rig, 1, i)->count;
		rig.v[i].value += at(&rig, 1, i)->value;
	}
	TT_IS(ntime_session_metrics(rig.s, rig.v, rig.n), 0);
	TT_IS(rig.v[1].count, 2);
	assert_true(fabs(rig.v[1].value - share) < share * 0.1);
	fini(&rig);
}

TEST(hybrid_rows_have_what_their_core_has)
{
	struct rig rig;
	size_t p;

	init(&rig, HYBRID, NULL, "cpu_core/event=0xc0/,cpu_atom/event=0xc0/,cycles");
	read_places(&rig);
	for (p = 0; p < rig.places; p++) {
		bool is_big = !(at(&rig, p, 0)->flags & NTIME_ABSENT);

		TT_IS(!!(at(&rig, p, 1)->flags & NTIME_ABSENT), is_big);
		TT_IS(at(&rig, p, 2)->flags, NTIME_SIMULATED);
		assert_true(at(&rig, p, 2)->count > 0);
	}
	TT_IS(at(&rig, 0, 0)->flags, NTIME_SIMULATED);
	TT_IS(at(&rig, rig.places - 1, 1)->flags, NTIME_SIMULATED);
	fini(&rig);
}

static const struct scope_row {
	int line;
	const char *machine, *event;
	uint32_t scope;
} scope_rows[] = {
	{ __LINE__, SKX, "uncore_imc_0/cas_count_read/", NTIME_SCOPE_PACKAGE },
	{ __LINE__, SKX, "power/energy-pkg/", NTIME_SCOPE_PACKAGE },
	{ __LINE__, SKX, "cycles", NTIME_SCOPE_CPU },
	{ __LINE__, SKX, "msr/tsc/", NTIME_SCOPE_CPU },
	{ __LINE__, SKX, "task-clock", NTIME_SCOPE_CPU },
	{ __LINE__, ZEN2, "amd_l3/event=0x4,umask=0x80/", NTIME_SCOPE_L3 },
	{ __LINE__, ZEN2, "amd_df/event=0x7,umask=0x38/", NTIME_SCOPE_PACKAGE },
};

TEST(scopes)
{
	TT_FOR_EACH_ROW(r, scope_rows) {
		struct rig rig;

		init(&rig, r->machine, NULL, r->event);
		TT_EQ(r, item(&rig, 0).scope, r->scope);
		fini(&rig);
	}
}

/* A state is what its row says; the worst one speaks for all, and a difference is the later one. */
TEST(states_are_not_added)
{
	struct ntime_value whole, high, delta;
	struct rig rig;

	/* Two boxes for each package, of which one has twice the rate of the other. */
	init(&rig, MODEL4, NULL, "uncore_imc/reads/");
	TT_IS(item(&rig, 0).is_state, 0);
	rig.s->item[0].event.is_state = true;
	rig.s->item[0].event.together = NTI_MAX;
	rig.s->item[0].flags |= NTIME_STATE;
	TT_IS(item(&rig, 0).is_state, 1);
	TT_IS(item(&rig, 0).together, NTIME_MAX);
	TT_IS(ntime_session_stop(rig.s), 0);
	read_places(&rig);
	TT_IS(at(&rig, 0, 0)->flags, NTIME_SIMULATED | NTIME_STATE);
	TT_IS(at(&rig, 1, 0)->flags, NTIME_SIMULATED | NTIME_STATE | NTIME_ELSEWHERE);
	TT_IS(ntime_session_read(rig.s, &high, 1), 1);
	TT_IS(high.flags, NTIME_SIMULATED | NTIME_STATE);
	TT_IS(high.count, at(&rig, 0, 0)->count);
	assert_true(high.value == (double)high.count * 0.5);
	rig.s->item[0].event.together = NTI_MIN;
	TT_IS(ntime_session_read(rig.s, &whole, 1), 1);
	assert_true(fabs((double)high.count - 2 * (double)whole.count) < (double)whole.count / 10);
	ntime_value_delta(&high, &whole, &delta);
	TT_IS(delta.count, whole.count);
	assert_true(delta.value == whole.value);
	TT_IS(delta.flags, NTIME_SIMULATED | NTIME_STATE);
	fini(&rig);
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
		struct rig rig;

		init(&rig, MODEL4, NULL, "twice=2 * cycles");
		TT_IS(ntime_session_read(rig.s, rig.v, 2), 2);
		rig.v[0].flags |= r->flag;
		if (r->flag == NTIME_ELSEWHERE)
			rig.v[0].value = NAN;
		TT_IS(ntime_session_metrics(rig.s, rig.v, 2), 0);
		TT_EQ(r, rig.v[1].flags, NTIME_METRIC | NTIME_SIMULATED | r->wanted);
		fini(&rig);
	}
}

/* A difference of a lost counter says so, and one that is elsewhere has none. */
TEST(deltas_of_rows)
{
	struct ntime_value earlier, delta;
	struct rig rig;

	init(&rig, MODEL4, NULL, "uncore_imc_0/reads/");
	read_places(&rig);
	earlier = *at(&rig, 0, 0);
	ntime_value_delta(at(&rig, 1, 0), at(&rig, 1, 0), &delta);
	TT_IS(delta.flags, NTIME_SIMULATED | NTIME_ELSEWHERE);
	assert_true(isnan(delta.value));
	read_places(&rig);
	rig.v[0].flags |= NTIME_LOST;
	ntime_value_delta(&earlier, at(&rig, 0, 0), &delta);
	TT_IS(delta.flags, NTIME_SIMULATED | NTIME_LOST);
	TT_IS(delta.count, rig.v[0].count - earlier.count);
	/* Nothing is known of a period in which its device went. */
	rig.v[0].flags |= NTIME_GONE;
	ntime_value_delta(&earlier, at(&rig, 0, 0), &delta);
	TT_IS(delta.flags, NTIME_SIMULATED | NTIME_LOST | NTIME_GONE | NTIME_ABSENT);
	assert_true(isnan(delta.value));
	fini(&rig);
}

TEST(wrong_numbers_are_refused)
{
	struct ntime_where_info info = { .size = sizeof(info) };
	struct rig rig;

	init(&rig, MODEL4, NULL, "cycles");
	TT_IS(ntime_session_read_where(rig.s, rig.v, 2, 4), -EINVAL);
	TT_IS(ntime_session_read_where(rig.s, rig.v, 1, 3), -EINVAL);
	TT_HAS(ntime_error_text(rig.ctx), "exact counts of items");
	TT_IS(ntime_session_where(rig.s, 4, &info), -EINVAL);
	info.size--;
	TT_IS(ntime_session_where(rig.s, 0, &info), -EINVAL);
	fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_the_cpus_with_their_topology),
		cmocka_unit_test(caches_have_numbers),
		cmocka_unit_test(caches_that_are_not_there),
		cmocka_unit_test(threads_have_no_topology),
		cmocka_unit_test(package_stands_in_one_row),
		cmocka_unit_test(package_that_is_not_counted_is_absent),
		cmocka_unit_test(rows_add_up_to_the_whole),
		cmocka_unit_test(rows_are_scaled_one_by_one),
		cmocka_unit_test(metrics_of_a_row_are_of_its_events),
		cmocka_unit_test(metrics_of_rows_together),
		cmocka_unit_test(hybrid_rows_have_what_their_core_has),
		cmocka_unit_test(scopes),
		cmocka_unit_test(states_are_not_added),
		cmocka_unit_test(metrics_carry_what_their_events_say),
		cmocka_unit_test(deltas_of_rows),
		cmocka_unit_test(wrong_numbers_are_refused),
	};

	return TT_RUN(tests);
}
