// SPDX-License-Identifier: MIT
/*
 * Counters that lie are found out: a PMU whose true counts are known is made to lie in each of many
 * ways, at random places; and one that does not lie is never accused, whatever runs on it.
 */
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "count/tests/session/fake_pmu.h"
#include "base/tests/tt.h"

#define PLACES 40
#define ORDINARY_RUNS 1000
#define ITEMS_MAX 16
#define STEPS 14
/* Most lies begin later than this step, so that there is something to compare with. */
#define QUIET_STEPS 6

/* Which events a lie may be about, and how it is to show itself. */
#define V(code) (1u << FAKE_##code)
#define CORE3 (V(CYCLES) | V(INSTRUCTIONS) | V(BRANCHES))
#define MISS3 (V(BRANCH_MISSES) | V(REFERENCES) | V(MISSES))
#define ALL (CORE3 | MISS3)

struct lie_row {
	int line;
	enum fake_lie lie;
	const char *name;
	uint32_t victims;
	bool is_late;	      /* begins in the middle of the run */
	unsigned int bits[4]; /* from [0] to [1], or from [2] to [3] */
	bool has_twins, is_user_mode, is_power;
	bool is_alone; /* no other event is counted that it could be compared with */
};

static const struct lie_row lie_rows[] = {
	{ __LINE__, LIE_DEAD, "dead", ALL },
	{ __LINE__, LIE_STUCK, "stuck", CORE3, true },
	{ __LINE__, LIE_TIMES_16, "times 16", CORE3 },
	{ __LINE__, LIE_TIMES_8, "times 8", MISS3, .is_alone = true },
	{ __LINE__, LIE_TIMES_3, "times 3", V(INSTRUCTIONS) | V(BRANCHES) },
	{ __LINE__, LIE_SIXTEENTH, "a sixteenth", CORE3 },
	{ __LINE__, LIE_HALF, "half", V(INSTRUCTIONS) | V(BRANCHES) },
	{ __LINE__, LIE_UNFILTERED, "unfiltered", CORE3, .is_user_mode = true },
	{ __LINE__, LIE_ONE_COUNTER, "one counter for two", V(INSTRUCTIONS) | V(BRANCHES) },
	{ __LINE__, LIE_SWAPPED, "swapped", V(INSTRUCTIONS) | V(BRANCHES) },
	{ __LINE__, LIE_ONE_COUNTER, "another miss", MISS3, .is_alone = true },
	{ __LINE__, LIE_SWAPPED, "misses swapped", V(BRANCH_MISSES) | V(MISSES), .is_alone = true },
	{ __LINE__, LIE_TWINS_ZERO, "twins read 0", V(INSTRUCTIONS), .has_twins = true },
	{ __LINE__, LIE_TWINS_DIFFER, "twins differ", V(INSTRUCTIONS), .has_twins = true },
	{ __LINE__, LIE_JUMP, "jump", ALL, true },
	{ __LINE__, LIE_NO_SIGN, "no sign", ALL, true },
	{ __LINE__, LIE_BACK, "back", ALL, true },
	{ __LINE__, LIE_WRAP_32, "wrap at 32 bits", V(CYCLES) | V(INSTRUCTIONS), true },
	{ __LINE__, LIE_READS_0, "reads 0", ALL, true },
	{ __LINE__, LIE_ALL_ONES, "all ones", ALL, true },
	{ __LINE__, LIE_PREVIOUS, "previous value", CORE3 },
	{ __LINE__, LIE_RUNS_ON, "runs on", CORE3 },
	{ __LINE__, LIE_NOT_STARTED, "not started", CORE3 },
	{ __LINE__, LIE_NOT_STOPPED, "not stopped", V(CYCLES) },
	{ __LINE__, LIE_RESETS, "resets", ALL, true },
	{ __LINE__, LIE_BIT_1, "bit at 1", V(INSTRUCTIONS) | V(BRANCHES), false, { 5, 62, 5, 62 } },
	{ __LINE__, LIE_BIT_0, "bit at 0", V(INSTRUCTIONS), false, { 5, 11, 5, 11 } },
	{ __LINE__, LIE_BIT_MOMENT, "bit for a moment", ALL, true, { 40, 62, 40, 62 } },
	{ __LINE__, LIE_BUSY, "busy", V(NS), true },
	{ __LINE__, LIE_NO_ENERGY, "no energy", V(JOULES), .is_power = true },
	{ __LINE__, LIE_MUCH_ENERGY, "much energy", V(JOULES), .is_power = true },
	{ __LINE__, LIE_FROZEN_ALL, "all stand still", V(CYCLES), true },
	{ __LINE__, LIE_KERNEL_TWICE, "kernel twice", CORE3 },
	{ __LINE__, LIE_KERNEL_TWICE_SUM, "kernel twice in both modes", CORE3 },
	{ __LINE__, LIE_KERNEL_HALF, "half of the kernel", V(INSTRUCTIONS) | V(BRANCHES) },
	{ __LINE__, LIE_1024TH, "a 1024th", MISS3, .is_alone = true },
	/* Of cycles this is not found: count/docs/counting.md, "What cannot be found out". */
	{ __LINE__, LIE_5_PERCENT, "5 percent more", V(INSTRUCTIONS) | V(BRANCHES) },
	{ __LINE__, LIE_1_PERCENT, "1 percent more", V(INSTRUCTIONS) | V(BRANCHES) },
	{ __LINE__, LIE_ENDS, "ends", ALL },
};

struct step {
	struct fake_amounts amounts;
	uint64_t ns;
};

static double random_between(uint64_t *seed, double low, double high)
{
	return low + (high - low) * (double)(tt_random(seed) >> 11) / (double)(1ull << 53);
}

static uint64_t part(uint64_t *seed, uint64_t whole, double most)
{
	return (uint64_t)((double)whole * random_between(seed, 0, most));
}

/* What a program may do in @ns: any of it may be next to nothing. */
static void make_step(uint64_t *seed, uint64_t ns, struct step *out)
{
	int mode;

	*out = (struct step){ .ns = ns };
	for (mode = 0; mode < FAKE_MODES; mode++) {
		uint64_t *a = out->amounts.of[mode];
		double ghz = random_between(seed, 0.3, 4), share = mode ? 0.2 : 0.8;

		a[FAKE_CYCLES] = (uint64_t)((double)ns * ghz * share) + 1000;
		a[FAKE_INSTRUCTIONS] =
			(uint64_t)((double)a[FAKE_CYCLES] * random_between(seed, 0.05, 5));
		a[FAKE_BRANCHES] =
			a[FAKE_INSTRUCTIONS] / 100 + part(seed, a[FAKE_INSTRUCTIONS], 0.4);
		a[FAKE_BRANCH_MISSES] = part(seed, a[FAKE_BRANCHES], 0.5);
		a[FAKE_REFERENCES] = part(seed, a[FAKE_INSTRUCTIONS], 0.3);
		a[FAKE_MISSES] = part(seed, a[FAKE_REFERENCES], 1);
	}
}

static const char *const plain_events[] = {
	[FAKE_CYCLES] = "cycles",
	[FAKE_INSTRUCTIONS] = "instructions",
	[FAKE_BRANCHES] = "branches",
	[FAKE_BRANCH_MISSES] = "branch-misses",
	[FAKE_REFERENCES] = "cache-references",
	[FAKE_MISSES] = "cache-misses",
	[FAKE_NS] = "task-clock",
};

struct rig {
	struct fake_pmu pmu;
	struct ntime_session *s;
	struct ntime_value v[ITEMS_MAX];
	size_t n;
};

static void add(struct rig *r, const char *name)
{
	if (ntime_session_add(r->s, name, NULL) < 0)
		fail_msg("%s: %s", name, r->pmu.ctx.error.text);
}

static void new_session(struct rig *r, uint32_t kind)
{
	const struct ntime_target target = { .size = sizeof(target), .kind = kind };

	TT_IS(ntime_session_new(&r->pmu.ctx, &target, &r->s), 0);
}

static void start(struct rig *r)
{
	if (ntime_session_start(r->s) < 0)
		fail_msg("%s", r->pmu.ctx.error.text);
	r->n = ntime_session_count(r->s);
	assert_true(r->n <= ITEMS_MAX);
}

static void read_all(struct rig *r)
{
	TT_IS(ntime_session_read(r->s, r->v, r->n), r->n);
}

static void fini(struct rig *r)
{
	ntime_session_free(r->s);
	fake_pmu_fini(&r->pmu);
}

/* Is an item absent or marked, for a reason that says so? */
static bool is_found_at(const struct rig *r, size_t i)
{
	struct ntime_item item = { .size = sizeof(item) };

	TT_IS(ntime_session_item(r->s, i, &item), 0);
	if (r->v[i].flags & NTIME_IMPLAUSIBLE) {
		TT_IS(item.reason_code, NTIME_REASON_IMPLAUSIBLE);
		assert_true(*item.reason && *item.remedy);
		return true;
	}
	return item.reason_code == NTIME_REASON_NOT_COUNTING && r->v[i].flags & NTIME_ABSENT;
}

static bool is_found(const struct rig *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (is_found_at(r, i))
			return true;
	return false;
}

static void add_events(struct rig *r, const struct lie_row *row)
{
	char name[64];
	size_t i;

	for (i = FAKE_CYCLES; i <= FAKE_NS; i++) {
		if (row->is_alone && i != r->pmu.code)
			continue;
		snprintf(name, sizeof(name), "%s%s", plain_events[i],
			 row->is_user_mode && i < FAKE_NS ? ":u" : "");
		add(r, name);
	}
	for (i = 0; row->has_twins && i < 3; i++)
		add(r, "instructions");
}

static enum fake_code choose(uint64_t *seed, uint32_t victims)
{
	enum fake_code code;

	do
		code = (enum fake_code)(tt_random(seed) % FAKE_CODES);
	while (!(victims >> code & 1));
	return code;
}

static void make_lie(struct rig *r, const struct lie_row *row, uint64_t *seed, uint64_t step_ns)
{
	struct fake_pmu *p = &r->pmu;
	unsigned int range = row->bits[1] - row->bits[0] + 1;
	static const enum fake_code others[FAKE_CODES] = {
		[FAKE_CYCLES] = FAKE_BRANCHES,
		[FAKE_INSTRUCTIONS] = FAKE_BRANCHES,
		[FAKE_BRANCHES] = FAKE_INSTRUCTIONS,
		[FAKE_BRANCH_MISSES] = FAKE_MISSES,
		[FAKE_REFERENCES] = FAKE_BRANCH_MISSES,
		[FAKE_MISSES] = FAKE_BRANCH_MISSES,
		[FAKE_NS] = FAKE_NS,
		[FAKE_JOULES] = FAKE_JOULES,
	};

	p->lie = row->lie;
	p->code = choose(seed, row->victims);
	p->other = others[p->code];
	p->bit = row->bits[0] + (unsigned int)(tt_random(seed) % range);
	p->amount = row->lie == LIE_NO_SIGN ? 1ull << 48
					    : (1ull << 47) + tt_random(seed) % (1ull << 46);
	if (row->lie == LIE_ENDS)
		p->amount = (1ull << (31 + tt_random(seed) % 2)) - tt_random(seed) % 2;
	if (row->is_late)
		p->from_ns = p->total_ns + (QUIET_STEPS + tt_random(seed) % 3) * step_ns +
			     tt_random(seed) % step_ns;
}

/*
 * Nobody can know of an end that was not reached, or of a fall that the work after it hides until
 * the next reading.
 */
static bool is_hidden(const struct lie_row *row, const struct fake_pmu *p)
{
	if (row->lie == LIE_ENDS)
		return !p->was_seen_ended;
	return (row->lie == LIE_BACK || row->lie == LIE_RESETS || row->lie == LIE_WRAP_32) &&
	       !p->was_seen_back;
}

enum outcome { FOUND, NOT_FOUND, HIDDEN };

static enum outcome run_lie(const struct lie_row *row, uint64_t seed)
{
	uint64_t began = seed, step_ns = 300000000 + tt_random(&seed) % 700000000;
	unsigned int i, steps = row->lie == LIE_STUCK || row->lie == LIE_FROZEN_ALL ? 60 : STEPS;
	struct rig r = { .n = 0 };
	struct step step;
	enum outcome outcome;

	fake_pmu_init(&r.pmu, row->has_twins ? 16 : 7 + (unsigned int)(tt_random(&seed) % 5));
	/* Half of the places are noisy. */
	if (tt_random(&seed) % 2)
		r.pmu.noise = tt_random(&seed) | 1;
	if (row->lie == LIE_STUCK)
		step_ns *= 4;
	if (!row->is_late)
		make_lie(&r, row, &seed, step_ns);
	new_session(&r, row->is_power ? NTIME_TARGET_MACHINE : NTIME_TARGET_THREAD);
	if (row->is_power)
		add(&r, "power/energy-psys/");
	else
		add_events(&r, row);
	start(&r);
	if (row->is_late)
		make_lie(&r, row, &seed, step_ns);
	for (i = 0; i < steps; i++) {
		make_step(&seed, step_ns, &step);
		fake_pmu_work(&r.pmu, &step.amounts, step.ns);
		read_all(&r);
		if (row->is_late && i < QUIET_STEPS && is_found(&r))
			fail_msg("%s: accused before it lied (TT_SEED=%#llx)", row->name,
				 (unsigned long long)began);
	}
	outcome = is_found(&r) ? FOUND : is_hidden(row, &r.pmu) ? HIDDEN : NOT_FOUND;
	if (outcome == NOT_FOUND)
		print_message("# %s of %s, bit %u, was not found (seed %#llx; trial %#x %#x %#x, "
			      "faults %#x)\n",
			      row->name, row->is_power ? "energy" : plain_events[r.pmu.code],
			      r.pmu.bit, (unsigned long long)began,
			      r.pmu.ctx.selftests.trial.event[0],
			      r.pmu.ctx.selftests.trial.event[1],
			      r.pmu.ctx.selftests.trial.event[2], r.pmu.ctx.selftests.trial.faults);
	fini(&r);
	return outcome;
}

TEST(lies_are_found)
{
	uint64_t seed = tt_seed() | 1;
	unsigned int missed = 0;

	TT_FOR_EACH_ROW(row, lie_rows) {
		unsigned int seen[HIDDEN + 1] = { 0 };

		/* A lie that nobody could see is tried at another place. */
		while (seen[FOUND] + seen[NOT_FOUND] < PLACES)
			seen[run_lie(row, tt_random(&seed) | 1)]++;
		print_message("# %s: found %u of %u\n", row->name, seen[FOUND], PLACES);
		missed += seen[NOT_FOUND];
	}
	TT_IS(missed, 0);
}

/* A machine that does not lie, a random session on it, and any program. */
static void run_ordinary(uint64_t seed)
{
	uint64_t began = seed;
	static const char *const mods[] = { "", "", "", ":u", ":k" };
	unsigned int i, events = 1 + (unsigned int)(tt_random(&seed) % 9);
	struct rig r = { .n = 0 };
	struct step step;
	char name[64];

	fake_pmu_init(&r.pmu, 3 + (unsigned int)(tt_random(&seed) % 8));
	if (tt_random(&seed) % 10 == 0)
		r.pmu.unit[0].is_mode_blind = true;
	if (tt_random(&seed) % 2)
		r.pmu.noise = tt_random(&seed) | 1;
	/* In a virtual machine. */
	if (tt_random(&seed) % 3 == 0)
		r.pmu.exit_ns = tt_random(&seed) % 8000;
	r.pmu.is_interpreted = tt_random(&seed) % 4 == 0;
	r.pmu.lines = 1 + (unsigned int)(tt_random(&seed) % 3);
	r.pmu.wrong_guesses = 35 + (unsigned int)(tt_random(&seed) % 66);
	new_session(&r, NTIME_TARGET_THREAD);
	for (i = 0; i < events; i++) {
		size_t code = tt_random(&seed) % (FAKE_NS + 1);

		snprintf(name, sizeof(name), "%s%s", plain_events[code],
			 code < FAKE_NS && !r.pmu.unit[0].is_mode_blind ? mods[tt_random(&seed) % 5]
									: "");
		add(&r, name);
	}
	start(&r);
	for (i = 0; i < STEPS; i++) {
		make_step(&seed, 1000 + tt_random(&seed) % (1ull << tt_random(&seed) % 36), &step);
		fake_pmu_work(&r.pmu, &step.amounts, step.ns);
		if (tt_random(&seed) % 3)
			read_all(&r);
	}
	read_all(&r);
	for (i = 0; i < r.n; i++) {
		struct ntime_item item = { .size = sizeof(item) };

		TT_IS(ntime_session_item(r.s, i, &item), 0);
		if (*item.reason)
			fail_msg("%s is accused: %s (seed %#llx)", item.name, item.reason,
				 (unsigned long long)began);
	}
	fini(&r);
}

TEST(ordinary_runs_raise_no_alarm)
{
	uint64_t seed = tt_seed() | 1;
	unsigned int i;

	for (i = 0; i < ORDINARY_RUNS; i++)
		run_ordinary(tt_random(&seed) | 1);
}

static void check_erratum(const char *name, uint32_t family, uint32_t model, bool is_amd,
			  enum ntime_reason code, const char *about)
{
	struct ntime_item item = { .size = sizeof(item) };
	struct rig r = { .n = 0 };

	fake_pmu_init(&r.pmu, 8);
	r.pmu.ctx.units.cpu = (struct nthw_x86_cpu){
		.vendor = is_amd ? NTHW_VENDOR_AMD : NTHW_VENDOR_INTEL,
		.family = family,
		.model = model,
	};
	new_session(&r, NTIME_TARGET_THREAD);
	add(&r, name);
	start(&r);
	read_all(&r);
	TT_IS(ntime_session_item(r.s, 0, &item), 0);
	TT_IS(item.reason_code, code);
	TT_TEXT(item.about, about);
	TT_IS(!!(r.v[0].flags & NTIME_IMPLAUSIBLE), code == NTIME_REASON_IMPLAUSIBLE);
	fini(&r);
}

/* The same event is known to be wrong on some processors, and not on others. */
TEST(errata_are_said)
{
	check_erratum("cache-misses", 6, 0x5e, false, NTIME_REASON_ERRATUM, "SKL057");
	check_erratum("cache-misses", 6, 0x8f, false, NTIME_REASON_NONE, "");
	check_erratum("cache-misses", 6, 0x5e, true, NTIME_REASON_NONE, "");
	check_erratum("instructions", 0x17, 0x31, true, NTIME_REASON_ERRATUM, "1291");
	check_erratum("instructions", 0x19, 0x01, true, NTIME_REASON_ERRATUM, "1292");
	check_erratum("r00c0:u", 0x19, 0x01, true, NTIME_REASON_ERRATUM, "1292");
	check_erratum("r1000000c0", 0x19, 0x01, true, NTIME_REASON_NONE, "");
	check_erratum("branches", 0x19, 0x11, true, NTIME_REASON_NONE, "");
	check_erratum("branch-misses", 6, 0x1a, false, NTIME_REASON_ERRATUM, "AAJ80-workaround");
	check_erratum("r00c5", 6, 0x1a, false, NTIME_REASON_IMPLAUSIBLE, "AAJ80");
	check_erratum("r00c4", 6, 0x1a, false, NTIME_REASON_NONE, "");
	/* Whatever the unit mask. */
	check_erratum("r02d2", 6, 0x3d, false, NTIME_REASON_ERRATUM, "BDM100");
	check_erratum("r02c0", 6, 0x5e, false, NTIME_REASON_ERRATUM, "SKL091");
	check_erratum("r01c0", 6, 0x5e, false, NTIME_REASON_NONE, "");
}

/* CPUID of a Skylake, 06_5EH. */
static int skylake_cpuid(struct nti_os *os, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	(void)os, (void)subleaf;
	memset(r, 0, 4 * sizeof(*r));
	if (leaf == 0) {
		r[0] = 1;
		memcpy(&r[1], "Genu", 4);
		memcpy(&r[3], "ineI", 4);
		memcpy(&r[2], "ntel", 4);
	} else if (leaf == 1) {
		r[0] = 0x506e3;
	}
	return 0;
}

/*
 * Codes that no list has, and any event where the processor lacks @missing ones: a 0 is doubted,
 * and only that. It is read, then something happens.
 */
static void check_code_on(unsigned int counters, const char *name, uint32_t missing,
			  enum ntime_reason before, enum ntime_reason after)
{
	struct fake_amounts amounts = { .of = { { [FAKE_CYCLES] = 5000 } } };
	struct ntime_item item = { .size = sizeof(item) };
	struct nti_os_ops ops;
	struct rig r = { .n = 0 };

	fake_pmu_init(&r.pmu, counters);
	ops = *r.pmu.os.ops;
	ops.cpuid = skylake_cpuid;
	r.pmu.os.ops = &ops;
	r.pmu.ctx.units.cpu = (struct nthw_x86_cpu){
		.vendor = NTHW_VENDOR_INTEL, .family = 6, .model = 0x5e, .missing = missing
	};
	new_session(&r, NTIME_TARGET_THREAD);
	add(&r, name);
	r.pmu.read_amounts = (struct fake_amounts){ 0 };
	start(&r);
	fake_pmu_work(&r.pmu, &amounts, 1000000);
	read_all(&r);
	TT_IS(r.v[0].count, 0);
	TT_IS(!!(r.v[0].flags & NTIME_IMPLAUSIBLE), before == NTIME_REASON_IMPLAUSIBLE);
	TT_IS(ntime_session_item(r.s, 0, &item), 0);
	TT_IS(item.reason_code, before);
	amounts.of[FAKE_USER][FAKE_BRANCHES] = 7;
	fake_pmu_work(&r.pmu, &amounts, 1000000);
	read_all(&r);
	TT_IS(r.v[0].count, 7);
	TT_IS(r.v[0].flags & NTIME_IMPLAUSIBLE, 0);
	TT_IS(ntime_session_item(r.s, 0, &item), 0);
	TT_IS(item.reason_code, after);
	fini(&r);
}

static void check_code(const char *name, uint32_t missing, enum ntime_reason before,
		       enum ntime_reason after)
{
	check_code_on(8, name, missing, before, after);
}

TEST(codes_of_no_list_are_said)
{
	check_code("r1ff", 0, NTIME_REASON_IMPLAUSIBLE, NTIME_REASON_UNKNOWN_EVENT);
	check_code("r1ff:u", 0, NTIME_REASON_IMPLAUSIBLE, NTIME_REASON_UNKNOWN_EVENT);
	check_code("r04c4:u", 0, NTIME_REASON_NONE, NTIME_REASON_NONE);
}

TEST(a_0_is_doubted_where_events_are_missing)
{
	check_code("r04c4:u", 1u << 6, NTIME_REASON_IMPLAUSIBLE, NTIME_REASON_NONE);
	check_code("r04c4", 1u << 0, NTIME_REASON_IMPLAUSIBLE, NTIME_REASON_NONE);
	/* The trial had no counter for branches: nothing says that they are missing. */
	check_code_on(2, "r04c4:u", 0, NTIME_REASON_NONE, NTIME_REASON_NONE);
	/* Bits of events that no generic name has. */
	check_code("r04c4", 1u << 7, NTIME_REASON_NONE, NTIME_REASON_NONE);
	/* The trial saw it count. */
	check_code("branches", 1u << 6, NTIME_REASON_NONE, NTIME_REASON_NONE);
}

/* The second CPU counted something: so the first one can, whose row comes before. */
TEST(what_counts_at_one_cpu_is_vouched_for_at_others)
{
	const struct ntime_target cpus = { .size = sizeof(cpus),
					   .kind = NTIME_TARGET_CPUS,
					   .cpus = "0-1" };
	const struct fake_amounts amounts = { .of = { { [FAKE_BRANCHES] = 7 } } };
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_value v[2];
	struct rig r = { .n = 0 };
	bool is_found = false;

	fake_pmu_init(&r.pmu, 8);
	r.pmu.cpus = "0-1";
	r.pmu.ctx.units.cpu.missing = 1;
	TT_IS(ntime_session_new(&r.pmu.ctx, &cpus, &r.s), 0);
	add(&r, "r04c4:u");
	r.pmu.read_amounts = (struct fake_amounts){ 0 };
	start(&r);
	for (size_t i = 0; !is_found; i++) {
		is_found = r.pmu.event[i].is_open;
		r.pmu.event[i].modes[FAKE_USER] = false;
	}
	fake_pmu_work(&r.pmu, &amounts, 1000000);
	TT_IS(ntime_session_read_where(r.s, v, 1, 2), 2);
	TT_IS(v[0].count, 0);
	assert_true(v[1].count > 0);
	TT_IS(v[0].flags & NTIME_IMPLAUSIBLE, 0);
	TT_IS(ntime_session_item(r.s, 0, &item), 0);
	TT_IS(item.reason_code, NTIME_REASON_NONE);
	fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lies_are_found),
		cmocka_unit_test(errata_are_said),
		cmocka_unit_test(codes_of_no_list_are_said),
		cmocka_unit_test(a_0_is_doubted_where_events_are_missing),
		cmocka_unit_test(what_counts_at_one_cpu_is_vouched_for_at_others),
		cmocka_unit_test(ordinary_runs_raise_no_alarm),
	};

	return TT_RUN(tests);
}
