// SPDX-License-Identifier: MIT
/*
 * Counters that we program ourselves and that lie: models of hardware (core/models/) whose
 * registers are changed behind the library's back, at random places. Nothing of it may pass for a
 * number.
 */
#include <string.h>

#include <ntime/ntime.h>

#include "count/tests/session/fake_boxes.h"
#include "base/tests/tt.h"

#define PLACES 20
#define STEPS 10
#define QUIET_STEPS 4
#define CPU 1
#define STEP_NS 500000000ull
/* The model tells one wrap of 2^32 a call. */
#define CALLS 4

enum lie {
	LIE_NONE,
	LIE_CYCLES_STAND,
	LIE_INSTRUCTIONS_STAND,
	LIE_TIMES_16,
	LIE_JUMP,
	LIE_BACK,
	LIE_READS_0,
	LIE_ALL_ONES,
	LIE_HIGH_BIT,
	LIES,
};

static const char *const lie_names[LIES] = {
	"none",
	"cycles stand still",
	"instructions stand still",
	"times 16",
	"jump",
	"back",
	"reads 0",
	"all ones",
	"high bit",
};

struct rig {
	struct fake_boxes f;
	struct ntime_session *s;
	struct ntime_value v[4];
	size_t n;
};

/* Counters that read 0 when units are looked for are taken for missing: here they are all there. */
static void find_units(struct ntime_ctx *ctx)
{
	size_t i;

	TT_IS(nti_context_units(ctx), 0);
	for (i = 0; i < ctx->units.count; i++) {
		if (!ctx->units.unit[i]->box)
			continue;
		ctx->units.unit[i]->frees = UINT64_MAX;
		ctx->units.unit[i]->energy_scale = 1.0 / 65536;
	}
}

static void start(struct rig *r, const char *at, uint32_t via, const char *list)
{
	const struct ntm_x86_core_work w = { .heat = { .headroom = 50 } };

	fake_boxes_init(&r->f, false);
	fake_boxes_burn(&r->f, 0, 1000);
	fake_boxes_burn(&r->f, 1, 77);
	ntm_x86_power_core_advance(&r->f.silicon.thermal[CPU], &w);
	find_units(&r->f.ctx);
	if (fake_boxes_open(&r->f.ctx, at, 0, via, list, &r->s) < 0 ||
	    ntime_session_start(r->s) < 0)
		fail_msg("%s", ntime_error_text(&r->f.ctx));
	r->n = ntime_session_count(r->s);
	assert_true(r->n <= 4);
}

static void read_all(struct rig *r)
{
	if (ntime_session_read(r->s, r->v, r->n) < 0)
		fail_msg("%s", ntime_error_text(&r->f.ctx));
}

static void fini(struct rig *r)
{
	ntime_session_free(r->s);
	fake_boxes_fini(&r->f);
}

static bool has_flag(const struct rig *r, uint32_t flags)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->v[i].flags & flags)
			return true;
	return false;
}

/*
 * The counter of the model that counts event @select or is fixed counter @fixed; it is one of them.
 */
static uint64_t *counter_of(struct ntm_x86_pmu *pmu, uint64_t select, unsigned int fixed)
{
	unsigned int i;

	for (i = 0; i < pmu->config.general; i++)
		if ((pmu->select[i] & 0xff) == select && pmu->select[i] >> 22 & 1)
			return &pmu->count[i];
	return &pmu->fixed_count[fixed];
}

static void work(struct rig *r, uint64_t *seed, enum lie lie)
{
	struct ntm_x86_pmu *pmu = &r->f.silicon.pmu[CPU];
	uint64_t *instructions = counter_of(pmu, 0xc0, 0), *cycles = counter_of(pmu, 0x3c, 1);
	uint64_t mask = (1ull << pmu->config.width) - 1, before[2];
	unsigned int i;

	for (i = 0; i < CALLS; i++) {
		struct ntm_x86_work w = { .cycles = 300000000 + tt_random(seed) % 60000000 };

		w.instructions = w.cycles + tt_random(seed) % (2 * w.cycles);
		before[0] = *instructions;
		before[1] = *cycles;
		if (lie == LIE_TIMES_16)
			w.instructions *= 16;
		ntm_x86_pmu_advance(pmu, i & 1, &w);
		if (lie == LIE_CYCLES_STAND)
			*cycles = before[1];
		if (lie == LIE_INSTRUCTIONS_STAND)
			*instructions = before[0];
	}
	if (lie == LIE_JUMP)
		*instructions =
			(*instructions + (1ull << 46) + tt_random(seed) % (1ull << 45)) & mask;
	if (lie == LIE_BACK)
		*instructions /= 2 + tt_random(seed) % 100;
	if (lie == LIE_READS_0)
		*instructions = 0;
	if (lie == LIE_ALL_ONES)
		*instructions = mask;
	if (lie == LIE_HIGH_BIT)
		*instructions |= 1ull << (40 + tt_random(seed) % (pmu->config.width - 40));
	r->f.now_ns += STEP_NS;
}

static void run_lie(enum lie lie, uint64_t seed)
{
	uint64_t began = seed;
	/* It takes 1e11 cycles until that is impossible. */
	unsigned int steps = lie == LIE_INSTRUCTIONS_STAND ? 90 : STEPS, i;
	unsigned int from = QUIET_STEPS + (unsigned int)(tt_random(&seed) % 3);
	struct rig r;

	start(&r, "1", NTIME_VIA_MSR, "cycles,instructions");
	for (i = 0; i < steps; i++) {
		work(&r, &seed, i < from ? LIE_NONE : lie);
		read_all(&r);
		if ((i < from || lie == LIE_NONE) && r.v[0].flags | r.v[1].flags)
			fail_msg("accused before it lied, in step %u (seed %#llx): %#x %#x", i,
				 (unsigned long long)began, r.v[0].flags, r.v[1].flags);
	}
	/* What may have wrapped, or was taken, is not passed off as a number either. */
	if (lie && !has_flag(&r, NTIME_IMPLAUSIBLE | NTIME_OVERFLOWED | NTIME_LOST))
		fail_msg("%s was not found (seed %#llx)", lie_names[lie],
			 (unsigned long long)began);
	fini(&r);
}

TEST(programmed_counters)
{
	uint64_t seed = tt_seed() | 1;
	enum lie lie;
	unsigned int i;

	for (lie = LIE_NONE; lie < LIES; lie++)
		for (i = 0; i < PLACES; i++)
			run_lie(lie, tt_random(&seed) | 1);
}

static void expect_doubt(struct rig *r, size_t i, const char *part)
{
	struct ntime_item item = { .size = sizeof(item) };

	TT_IS(!!(r->v[i].flags & NTIME_IMPLAUSIBLE), part != NULL);
	TT_IS(ntime_session_item(r->s, i, &item), 0);
	if (!part)
		return;
	TT_IS(item.reason_code, NTIME_REASON_IMPLAUSIBLE);
	TT_HAS(item.reason, part);
}

/* Whatever the event was called: its code is what counts. */
TEST(energy)
{
	static const char *const names[] = { "power/energy-pkg/", "power::energy-pkg" };

	TT_FOR_EACH_ROW(name, names) {
		struct rig r;

		start(&r, NULL, NTIME_VIA_AUTO, *name);
		fake_boxes_burn(&r.f, 0, 100000);
		r.f.now_ns += STEP_NS;
		read_all(&r);
		expect_doubt(&r, 0, NULL);
		/* Nothing for half a second. */
		r.f.now_ns += STEP_NS;
		read_all(&r);
		expect_doubt(&r, 0, "milliwatt");
		fini(&r);
		start(&r, NULL, NTIME_VIA_AUTO, *name);
		/* 2^29 steps of 2^-16 J in half a second */
		fake_boxes_burn(&r.f, 0, 1u << 29);
		r.f.now_ns += STEP_NS;
		read_all(&r);
		/* Faster than its counter is believed to go: a wrap may have been missed. */
		TT_IS(!!(r.v[0].flags & (NTIME_OVERFLOWED | NTIME_IMPLAUSIBLE)), 1);
		fini(&r);
	}
}

static void heat(struct rig *r, uint32_t headroom)
{
	struct ntm_x86_core_work w = { .heat = { .headroom = headroom } };

	ntm_x86_power_core_advance(&r->f.silicon.thermal[CPU], &w);
	r->f.now_ns += STEP_NS;
}

/* States are marked as long as they cannot be right. */
TEST(heat_and_cold)
{
	struct ntm_x86_power_config config = ntm_x86_power_nehalem;
	struct rig r;

	start(&r, "1", NTIME_VIA_AUTO, "thermal/headroom/,thermal/limit/");
	heat(&r, 40);
	read_all(&r);
	expect_doubt(&r, 0, NULL);
	expect_doubt(&r, 1, NULL);
	config.limit = 7;
	r.f.silicon.thermal[CPU].config = r.f.silicon.power[0].config = &config;
	heat(&r, 127);
	read_all(&r);
	expect_doubt(&r, 0, "colder than -60");
	expect_doubt(&r, 1, "throttled between");
	config.limit = 100;
	heat(&r, 40);
	read_all(&r);
	TT_IS(r.v[0].flags & NTIME_IMPLAUSIBLE, 0);
	TT_IS(r.v[1].flags & NTIME_IMPLAUSIBLE, 0);
	fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programmed_counters),
		cmocka_unit_test(energy),
		cmocka_unit_test(heat_and_cold),
	};

	return TT_RUN(tests);
}
