// SPDX-License-Identifier: MIT
/*
 * core/seq/core_pmu.h: every access in its order, counts of models, and what is left behind when an
 * access fails.
 */
#include <errno.h>

#include "core/regs/regs.h"
#include "core/seq/core_pmu.h"
#include "core/models/arm1176_pmu.h"
#include "core/models/x86_pmu.h"
#include "core/tests/core/bank.h"
#include "core/tests/core/script.h"
#include "base/tests/tt.h"

#define CPU 3u /* of all accesses */
#define FIXED(n) ((uint64_t)1 << (NTHW_CORE_FIXED + (n)))

static const struct nthw_core_event user_instructions = { 0xc0, true, false };
static const struct nthw_core_event everywhere = { 0, true, true };
static const struct nthw_core_event in_kernel = { 0, false, true };

static const struct nthw_core_pmu intel = { NTHW_CORE_INTEL, 4, 3, 48, 48, false, false };
static const struct nthw_core_pmu amd_legacy = { NTHW_CORE_AMD_LEGACY, 4, 0, 48, 0, false, false };
static const struct nthw_core_pmu amd = { NTHW_CORE_AMD, 6, 0, 48, 0, false, false };
static const struct nthw_core_pmu amd_v2 = { NTHW_CORE_AMD_V2, 6, 0, 48, 0, false, false };
static const struct nthw_core_pmu armv8 = { NTHW_CORE_ARMV8, 6, 1, 32, 64, false, false };
static const struct nthw_core_pmu armv7 = { NTHW_CORE_ARMV7, 4, 1, 32, 32, true, false };
static const struct nthw_core_pmu cortex_a9 = { NTHW_CORE_ARMV7, 6, 1, 32, 32, false, false };
static const struct nthw_core_pmu arm1176 = { NTHW_CORE_ARM1176, 2, 1, 32, 32, false, false };

static const struct nthw_table *const x86_tables[] = { &nthw_x86 };
static const struct nthw_table *const amd_tables[] = { &nthw_amd_legacy, &nthw_amd_core,
						       &nthw_amd_v2 };
static const struct nthw_table *const armv8_tables[] = { &nthw_armv8_pmu };
static const struct nthw_table *const armv7_tables[] = { &nthw_armv7_pmu };
static const struct nthw_table *const arm1176_tables[] = { &nthw_arm1176 };

#define INIT(bank, tables) bank_init(bank, tables, sizeof(tables) / sizeof((tables)[0]))

#define SYS(a) NTHW_SPACE_SYSREG, a
#define CP(a) NTHW_SPACE_CP15, a
#define SEL(a) NTHW_SPACE_PMSEL, a

/* ---- what is refused ---- */

static const struct refused_row {
	int line;
	const struct nthw_core_pmu *pmu;
	uint32_t counter;
	struct nthw_core_event event;
	int error;
} refused_rows[] = {
	{ __LINE__, &intel, 4, { 0xc0, true, true }, -EINVAL }, /* there are four */
	{ __LINE__, &intel, 35, { 0, true, true }, -EINVAL },
	{ __LINE__, &intel, 64, { 0, true, true }, -EINVAL },
	{ __LINE__, &intel, 0, { 0xc0, false, false }, -EINVAL },
	{ __LINE__, &intel, 0, { 0x5300c0, true, true }, -EINVAL },    /* enable and interrupt */
	{ __LINE__, &intel, 0, { 0x2000c0, true, true }, -EINVAL },    /* other threads' too */
	{ __LINE__, &intel, 0, { 0x1000000c0, true, true }, -EINVAL }, /* AMD's event bit 8 */
	{ __LINE__, &intel, 32, { 0xc0, true, true }, -EINVAL },       /* counts what it counts */
	{ __LINE__, &amd, 32, { 0, true, true }, -EINVAL },
	{ __LINE__, &amd, 6, { 0xc0, true, true }, -EINVAL },
	{ __LINE__, &amd_legacy, 4, { 0xc0, true, true }, -EINVAL },
	{ __LINE__, &armv8, 0, { 0x10000, true, true }, -EINVAL },
	{ __LINE__, &armv8, 6, { 8, true, true }, -EINVAL },
	{ __LINE__, &armv8, 33, { 0, true, true }, -EINVAL },
	{ __LINE__, &armv7, 0, { 0x100, true, true }, -EINVAL },
	{ __LINE__, &arm1176, 0, { 0x100, true, true }, -EINVAL },
	{ __LINE__, &arm1176, 0, { 7, true, false }, -ENOTSUP },
	{ __LINE__, &arm1176, 32, { 0, false, true }, -ENOTSUP },
	{ __LINE__, &cortex_a9, 32, { 0, true, false }, -ENOTSUP },
};

static void init_for(struct bank *bank, const struct nthw_core_pmu *pmu)
{
	switch (pmu->kind) {
	case NTHW_CORE_INTEL:
		INIT(bank, x86_tables);
		break;
	case NTHW_CORE_ARMV8:
		INIT(bank, armv8_tables);
		break;
	case NTHW_CORE_ARMV7:
		INIT(bank, armv7_tables);
		break;
	case NTHW_CORE_ARM1176:
		INIT(bank, arm1176_tables);
		break;
	default:
		INIT(bank, amd_tables);
	}
}

TEST(nonsense_is_refused_without_an_access)
{
	TT_FOR_EACH_ROW(r, refused_rows) {
		struct nthw_core_state st = { 0 };
		struct bank bank;

		init_for(&bank, r->pmu);
		TT_EQ(r, nthw_core_program(&bank.io, r->pmu, CPU, r->counter, &r->event, &st),
		      r->error);
		TT_EQ(r, st.counters, 0);
		TT_EQ(r, bank.accesses, 0);
	}
}

static const struct odd_row {
	int line;
	struct nthw_core_pmu pmu;
} odd_rows[] = {
	{ __LINE__, { 0, 4, 3, 48, 48, false, false } },
	{ __LINE__, { NTHW_CORE_INTEL, 9, 3, 48, 48, false, false } },
	{ __LINE__, { NTHW_CORE_INTEL, 4, 5, 48, 48, false, false } },
	{ __LINE__, { NTHW_CORE_INTEL, 4, 3, 0, 48, false, false } },
	{ __LINE__, { NTHW_CORE_INTEL, 4, 3, 48, 65, false, false } },
	{ __LINE__, { NTHW_CORE_AMD, 7, 0, 48, 0, false, false } },
	{ __LINE__, { NTHW_CORE_AMD_V2, 6, 1, 48, 48, false, false } },
	{ __LINE__, { NTHW_CORE_AMD_LEGACY, 6, 0, 48, 0, false, false } },
	{ __LINE__, { NTHW_CORE_ARMV8, 32, 1, 32, 64, false, false } },
	{ __LINE__, { NTHW_CORE_ARM1176, 3, 1, 32, 32, false, false } },
};

TEST(monitors_that_nobody_built_are_refused)
{
	TT_FOR_EACH_ROW(r, odd_rows) {
		struct nthw_core_state st = { 0 };
		enum nthw_space space;
		struct bank bank;
		uint64_t value;
		uint32_t address;

		INIT(&bank, x86_tables);
		TT_EQ(r, nthw_core_counters(&r->pmu), 0);
		TT_EQ(r, nthw_core_find_free(&bank.io, &r->pmu, CPU, &value), -EINVAL);
		TT_EQ(r, nthw_core_read(&bank.io, &r->pmu, CPU, 0, &value), -EINVAL);
		TT_EQ(r, nthw_core_overflows(&bank.io, &r->pmu, CPU, 0, &value), -EINVAL);
		TT_EQ(r, nthw_core_start(&bank.io, &r->pmu, CPU, 0, &st), -EINVAL);
		TT_EQ(r, nthw_core_restore(&bank.io, &r->pmu, CPU, &st), -EINVAL);
		TT_EQ(r, nthw_core_address(&r->pmu, 0, &space, &address), false);
		TT_EQ(r, bank.accesses, 0);
	}
}

static const struct busy_row {
	int line;
	const struct nthw_core_pmu *pmu;
	uint32_t counter;
	enum nthw_space space;
	uint32_t address;
	uint64_t value;
} busy_rows[] = {
	{ __LINE__, &intel, 2, MSR(0x188), 0x4300c0 },
	{ __LINE__, &intel, 33, MSR(0x38d), 0x10 },
	{ __LINE__, &intel, 33, MSR(0x38d), 0x20 },
	{ __LINE__, &amd, 5, MSR(0xc001020a), 0x400000 },
	{ __LINE__, &amd_v2, 5, MSR(0xc001020a), 0x400000 },
	{ __LINE__, &amd_legacy, 0, MSR(0xc0010000), 0x400000 },
	{ __LINE__, &armv8, 4, SYS(0x339c1), 0x10 },
	{ __LINE__, &armv8, 32, SYS(0x339c1), 0x80000000 },
	{ __LINE__, &armv7, 3, CP(0x90c1), 8 },
	{ __LINE__, &armv7, 32, CP(0x90c1), 0x80000000 },
	{ __LINE__, &arm1176, 1, CP(0xf0c0), 1 },
};

TEST(who_counts_is_not_disturbed)
{
	TT_FOR_EACH_ROW(r, busy_rows) {
		struct nthw_core_event event = { 0, true, true };
		struct nthw_core_state st = { 0 };
		struct bank bank;

		init_for(&bank, r->pmu);
		set(&bank, r->space, r->address, r->value);
		TT_EQ(r, nthw_core_program(&bank.io, r->pmu, CPU, r->counter, &event, &st), -EBUSY);
		TT_EQ(r, st.counters, 0);
		assert_null(strchr(bank.log, 'W'));
	}
}

/* ---- the order of accesses, typed in ---- */

static const struct order_row {
	int line;
	const struct nthw_core_pmu *pmu;
	const char *text;
} order_rows[] = {
	/*
	 * perf left its last event in counter 1; somebody else counts with fixed counter 1 and had
	 * an overflow of counter 0.
	 */
	{ __LINE__, &intel,
	  "set m187 0x1300c0 mc2 0xffff80000123 m38d 0xb0 m309 0x123456789abc m38e 1\n"
	  "set m38f 0x70000000f\n"
	  "find_free = 0x50000000f: R m186 R m187 R m188 R m189 R m38d\n"
	  "program 1 0xc0 1 0: R m187 R mc2 R m38f R m38e R m38f W m38f 70000000d W mc2 0 "
	  "W m187 4100c0\n"
	  "program 32 0 1 1: R m38d R m309 R m38f R m38e R m38f W m38f 60000000d W m309 0 "
	  "R m38d W m38d b3\n"
	  "counters = 0x100000002\n"
	  "start 0x100000002: W m390 100000002 R m38f W m38f 70000000f\n"
	  "has m38e 1\n"
	  "set mc2 1234567 m38e 3\n"
	  "read 1 = 1234567: R mc2\n"
	  "overflows 0x100000002 = 2: R m38e W m390 2\n"
	  "stop 0x100000002: R m38f W m38f 60000000d\n"
	  "restore: R m38f W m187 1300c0 W mc2 80000123 R m38d W m38d b0 W m309 123456789abc "
	  "R m38e R m38f W m38f 70000000f\n"
	  "counters = 0\n"
	  "has mc2 0xffff80000123\n" },
	{ __LINE__, &amd,
	  "set mc0010204 0x4300c0\n"	  /* counter 2 counts for somebody */
	  "set mc0010200 0x20000130076\n" /* perf's, host only */
	  "set mc0010201 0x800000000001\n"
	  "find_free = 0x3b\n"
	  "program 0 0xc0 1 0: R mc0010200 R mc0010201 W mc0010201 0 W mc0010200 100c0\n"
	  "program 5 0x1000000cb 1 1: R mc001020a R mc001020b W mc001020b 0 "
	  "W mc001020a 1000300cb\n"
	  "start 0x21: R mc0010200 W mc0010200 4100c0 R mc001020a W mc001020a 1004300cb\n"
	  "overflows 0x21 ! ENOTSUP\n"
	  "stop 0x21: R mc0010200 W mc0010200 100c0 R mc001020a W mc001020a 1000300cb\n"
	  "restore: R mc0010200 R mc001020a W mc0010200 20000130076 W mc0010201 800000000001 "
	  "W mc001020a 0 W mc001020b 0\n" },
	{ __LINE__, &amd_legacy,
	  "program 3 0xc0 1 1: R mc0010003 R mc0010007 W mc0010007 0 W mc0010003 300c0\n"
	  "start 8: R mc0010003 W mc0010003 4300c0\n" },
	{ __LINE__, &amd_v2,
	  "set mc0000301 0x3f mc0000300 0x2\n"
	  "program 4 0xc0 1 0: R mc0010208 R mc0010209 R mc0000301 R mc0000300 R mc0000301 "
	  "W mc0000301 2f W mc0010209 0 W mc0010208 4100c0\n"
	  "start 0x10: W mc0000302 10 R mc0000301 W mc0000301 3f\n"
	  "set mc0000300 0x12\n"
	  "overflows 0x10 = 0x10: R mc0000300 W mc0000302 10\n"
	  "restore: R mc0000301 W mc0000301 2f W mc0010208 0 W mc0010209 0 R mc0000300 "
	  "R mc0000301 W mc0000301 3f\n" },
	{ __LINE__, &armv8,
	  "set s339c0 0x41013041\n" /* six counters, lc, E */
	  "set s339c1 0x2\n"	    /* somebody has counter 1 enabled */
	  "set s339c3 0x3\n"	    /* old flags of counters 0 and 1 */
	  "set s33ec5 0x40000011 s33e85 0x77\n"
	  "find_free = 0x10000003d: R s339c1\n"
	  "program 5 8 1 0: R s339c1 R s33ec5 R s33e85 R s339c3 R s339c0 W s33e85 0 "
	  "W s33ec5 80000008\n"
	  "program 32 0 0 1: R s339c1 R s33ef7 R s339d0 R s339c3 W s339d0 0 W s33ef7 48000000 "
	  "R s339c0\n"
	  "start 0x100000020: R s339c0 W s339c3 80000020 W s339c1 80000020\n"
	  "set s339c3 0x80000003\n"
	  "overflows 0x100000020 = 0x100000000: R s339c3 W s339c3 80000000\n"
	  "set s33e85 0x1234\n"
	  "read 5 = 0x1234: R s33e85\n"
	  "stop 0x100000020: W s339c2 80000020\n"
	  "restore: W s339c2 80000020 W s33ec5 40000011 W s33e85 77 W s33ef7 0 W s339d0 0 "
	  "R s339c3 R s339c0\n"
	  "has s339c3 3 s339c0 0x41013041\n" },
	{ __LINE__, &armv7,
	  "set c90c0 0x41072008\n" /* four counters, every 64th cycle */
	  "set p22 0x11\n"
	  "program 2 8 1 0: R c90c1 R p22 R p2 R c90c3 R c90c0 W p2 0 W p22 80000008\n"
	  "program 32 0 1 1: R c90c1 R p3f R c90d0 R c90c3 W c90d0 0 W p3f 0 R c90c0 "
	  "W c90c0 41072000\n"
	  "start 0x100000004: R c90c0 R c90c1 W c90c3 80000004 W c90c1 80000004 "
	  "W c90c0 41072001\n"
	  "restore: W c90c2 80000004 W p22 11 W p2 0 W p3f 0 W c90d0 0 R c90c3 R c90c0 "
	  "W c90c0 41072008\n" },
	{ __LINE__, &cortex_a9,
	  "program 32 0 1 1: R c90c1 R c90d0 R c90c3 R c90c0 W c90d0 0 R c90c0\n"
	  "program 0 8 1 1: R c90c1 R p20 R p0 R c90c3 W p0 0 W p20 8\n"
	  "program 1 8 1 0 ! ENOTSUP: none\n" },
	{ __LINE__, &arm1176,
	  /* as perf leaves it: parked events, D of somebody, an interrupt enable, a flag of 1 */
	  "set cf0c0 0x02020228 cf0c2 0xfffffff0\n"
	  "find_free = 0x100000003: R cf0c0\n"
	  "program 0 7 1 1: R cf0c0 R cf0c1 R cf0c2 R cf0c3 W cf0c2 0 W cf0c0 720028\n"
	  "program 1 0xff 1 1: R cf0c0 W cf0c3 0 W cf0c0 7ff008\n"
	  "program 32 0 1 1: R cf0c0 W cf0c1 0 W cf0c0 7ff000\n"
	  "start 0x100000003: R cf0c0 W cf0c0 7ff701\n"
	  "find_free = 0\n"
	  "set cf0c0 0x7ff501\n"
	  "overflows 0x1 = 0x1: R cf0c0 W cf0c0 7ff101\n"
	  "stop 0x100000003: R cf0c0 W cf0c0 7ff000\n"
	  "restore: R cf0c0 W cf0c1 0 W cf0c2 fffffff0 W cf0c3 0 R cf0c0 W cf0c0 2020428\n"
	  "has cf0c0 0x02020028\n" },
	/* Only what was programmed is started. */
	{ __LINE__, &intel,
	  "program 0 0xc0 1 1\n"
	  "start 3 ! EINVAL: none\n"
	  "stop 2 ! EINVAL: none\n"
	  "start 0: none\n" },
	/* Of four counters one cannot be stopped: the others are. */
	{ __LINE__, &amd,
	  "program 0 0xc0 1 1\n"
	  "program 1 0xc0 1 1\n"
	  "program 2 0xc0 1 1\n"
	  "program 3 0xc0 1 1\n"
	  "start 0xf\n"
	  "fail_at 3\n" /* the write of counter 1 */
	  "stop 0xf ! EIO\n"
	  "has mc0010200 0x300c0 mc0010202 0x4300c0 mc0010204 0x300c0 mc0010206 0x300c0\n" },
	/* Nothing of a set is enabled when it cannot start. */
	{ __LINE__, &armv7,
	  "program 0 8 1 1\n"
	  "fail_at 4\n" /* the write of PMCR, which lets all of them run */
	  "start 1 ! EIO: R c90c0 R c90c1 W c90c3 1 W c90c1 1 W c90c0 1 W c90c2 1\n"
	  "has c90c1 0\n" },
	/* The monitor stands, and somebody's counter 3 would begin to run. */
	{ __LINE__, &armv8,
	  "program 0 8 1 1\n"
	  "set s339c1 8\n"
	  "start 1 ! EBUSY: R s339c0 R s339c1\n" },
	/* An error is reported as it came. */
	{ __LINE__, &intel,
	  "error -19\n"
	  "fail_at 0\n"
	  "program 0 0xc0 1 1 ! ENODEV\n"
	  "read 0 ! ENODEV\n" },
};

struct scene {
	struct bank bank;
	const struct nthw_core_pmu *pmu;
	struct nthw_core_state st;
};

static void forget_log(void *on)
{
	bank_forget(&((struct scene *)on)->bank);
}

static int call_any(void *on, struct script_call *call)
{
	struct scene *s = on;
	struct nthw_io *io = &s->bank.io;
	uint64_t *arg = call->arg;
	struct nthw_core_event event = { arg[1], arg[2], arg[3] };

	if (bank_is_set(&s->bank, NULL, call))
		return 0;
	if (script_is(call, "program"))
		return nthw_core_program(io, s->pmu, CPU, (uint32_t)arg[0], &event, &s->st);
	if (script_is(call, "start"))
		return nthw_core_start(io, s->pmu, CPU, arg[0], &s->st);
	if (script_is(call, "stop"))
		return nthw_core_stop(io, s->pmu, CPU, arg[0], &s->st);
	if (script_is(call, "restore"))
		return nthw_core_restore(io, s->pmu, CPU, &s->st);
	if (script_is(call, "read"))
		return nthw_core_read(io, s->pmu, CPU, (uint32_t)arg[0], &call->value);
	if (script_is(call, "overflows"))
		return nthw_core_overflows(io, s->pmu, CPU, arg[0], &call->value);
	assert_string_equal(call->name, "find_free");
	return nthw_core_find_free(io, s->pmu, CPU, &call->value);
}

/* "program COUNTER CODE IS_USER IS_KERNEL", and the other calls of core/seq/core_pmu.h */
TEST(accesses_are_in_order)
{
	TT_FOR_EACH_ROW(r, order_rows) {
		struct scene s = { .pmu = r->pmu };
		const struct script_variable variables[] = {
			{ "counters", NULL, &s.st.counters },
			{ "fail_at", &s.bank.fail_at, NULL },
			{ "error", &s.bank.error, NULL },
			{ NULL, NULL, NULL },
		};
		struct script script = { &s, s.bank.log, forget_log, call_any, variables };

		init_for(&s.bank, r->pmu);
		script_play(&script, r->line, r->text);
	}
}

/* ---- whole runs on every kind: nothing stays changed, with and without failing accesses ---- */

static const struct run_row {
	int line;
	const struct nthw_core_pmu *pmu;
} run_rows[] = {
	{ __LINE__, &intel },	  { __LINE__, &amd_legacy }, { __LINE__, &amd },
	{ __LINE__, &amd_v2 },	  { __LINE__, &armv8 },	     { __LINE__, &armv7 },
	{ __LINE__, &cortex_a9 }, { __LINE__, &arm1176 },
};

/* Enable bits, which a random start leaves clear in half of the runs and counters. */
static uint64_t enable_bits(const struct nthw_reg *reg)
{
	if (strcmp(reg->name, "IA32_PERFEVTSEL") == 0 || strcmp(reg->name, "EVNTSEL") == 0 ||
	    strcmp(reg->name, "PERF_CTL") == 0)
		return BIT(22);
	if (strcmp(reg->name, "IA32_FIXED_CTR_CTRL") == 0)
		return 0x3333;
	if (strcmp(reg->name, "PMCNTENSET_EL0") == 0 || strcmp(reg->name, "PMCNTENSET") == 0)
		return 0xffffffff;
	return 0;
}

/*
 * Bits of which something is known and that can be read. Resets of a PMCR read as anything (ARM DDI
 * 0301H, table 3-136).
 */
static uint64_t known_bits(const struct nthw_reg *reg)
{
	uint64_t mask = 0;
	uint32_t i;

	for (i = 0; i < reg->field_count; i++)
		mask |= nthw_field_mask(&reg->fields[i]);
	return nthw_reg_is_readable(reg) ? mask : 0;
}

static uint64_t random_of(const struct bank_cell *cell, uint64_t *seed)
{
	const struct nthw_reg *reg = cell->reg;
	uint64_t value = tt_random(seed) & known_bits(reg);

	if (strcmp(reg->name, "IA32_PMC") == 0) /* what can be restored: bit 31 upward */
		return (uint64_t)(int64_t)(int32_t)value & M48;
	if (strcmp(reg->name, "PERFCTR") == 0 || strcmp(reg->name, "PERF_CTR") == 0)
		return value & M48;
	if (reg->space == NTHW_SPACE_CP15 && strcmp(reg->name, "PMCR") == 0 && reg->addr == 0xf0c0)
		return value & 0x0fffff7e; /* stands, or nothing could be programmed */
	if (tt_random(seed) % 2)
		value &= ~enable_bits(reg);
	return value;
}

/* Does it count now? */
static bool is_counting(struct bank *bank, const struct nthw_core_pmu *pmu, uint32_t n)
{
	bool is_fixed = n >= NTHW_CORE_FIXED;
	uint32_t bit = is_fixed ? 31 : n;

	switch (pmu->kind) {
	case NTHW_CORE_INTEL:
		if (!(at(bank, MSR(0x38f)) >> n & 1))
			return false;
		return is_fixed ? at(bank, MSR(0x38d)) >> 4 * (n - 32) & 3
				: at(bank, MSR(0x186 + n)) >> 22 & 1;
	case NTHW_CORE_AMD_LEGACY:
		return at(bank, MSR(0xc0010000 + n)) >> 22 & 1;
	case NTHW_CORE_AMD:
		return at(bank, MSR(0xc0010200 + 2 * n)) >> 22 & 1;
	case NTHW_CORE_AMD_V2:
		return at(bank, MSR(0xc0000301)) >> n & at(bank, MSR(0xc0010200 + 2 * n)) >> 22 & 1;
	case NTHW_CORE_ARMV8:
		return (at(bank, SYS(0x339c0)) & 1) && at(bank, SYS(0x339c1)) >> bit & 1;
	case NTHW_CORE_ARMV7:
		return (at(bank, CP(0x90c0)) & 1) && at(bank, CP(0x90c1)) >> bit & 1;
	default:
		return at(bank, CP(0xf0c0)) & 1;
	}
}

/* Where flags of overflow are, and which of them belong to @set. */
static uint64_t *flags_of(struct bank *bank, const struct nthw_core_pmu *pmu, uint64_t of,
			  uint64_t *bits)
{
	*bits = of;
	switch (pmu->kind) {
	case NTHW_CORE_INTEL:
		return bank_at(bank, MSR(0x38e));
	case NTHW_CORE_AMD_V2:
		return bank_at(bank, MSR(0xc0000300));
	case NTHW_CORE_ARMV8:
	case NTHW_CORE_ARMV7:
		*bits = (of & 0x7fffffff) | (of >> 32 & 1) << 31;
		return bank_at(bank,
			       pmu->kind == NTHW_CORE_ARMV8 ? NTHW_SPACE_SYSREG : NTHW_SPACE_CP15,
			       pmu->kind == NTHW_CORE_ARMV8 ? 0x339c3 : 0x90c3);
	case NTHW_CORE_ARM1176:
		*bits = ((of & 3) | (of >> 32 & 1) << 2) << 8;
		return bank_at(bank, CP(0xf0c0));
	default:
		*bits = 0;
		return NULL;
	}
}

/*
 * @now is as @before was, but for what hardware or the driver does not let one put back: flags
 *	of @set, and bits that may be cleared only.
 */
static void check_as_found(struct bank *now, struct bank *before, const struct nthw_core_pmu *pmu,
			   uint64_t of)
{
	uint64_t bits = 0, *flags = flags_of(before, pmu, of, &bits);

	bank_is_as_found(now, before, flags, bits);
}

static void init_random(struct bank *bank, const struct nthw_core_pmu *pmu, uint64_t *seed)
{
	size_t i;

	init_for(bank, pmu);
	for (i = 0; i < bank->cells; i++)
		bank->cell[i].value = random_of(&bank->cell[i], seed);
	/* what somebody has enabled runs, else we would not start */
	if (pmu->kind == NTHW_CORE_ARMV8 && at(bank, SYS(0x339c1)))
		*bank_at(bank, SYS(0x339c0)) |= 1;
	if (pmu->kind == NTHW_CORE_ARMV7 && at(bank, CP(0x90c1)))
		*bank_at(bank, CP(0x90c0)) |= 1;
}

struct run {
	const struct nthw_core_pmu *pmu;
	struct bank bank, before;
	struct nthw_core_state state;
	uint64_t programmed; /* ever, by this run */
	uint64_t started;
	uint64_t seed;
};

static struct nthw_core_event random_event(struct run *r, uint32_t counter)
{
	struct nthw_core_event event = { counter >= NTHW_CORE_FIXED ? 0 : 8, true, true };

	if (r->pmu->kind != NTHW_CORE_ARM1176 &&
	    (r->pmu->kind != NTHW_CORE_ARMV7 || r->pmu->has_filter))
		event.is_user = !(event.is_kernel = tt_random(&r->seed) % 2);
	return event;
}

static int program_some(struct run *r)
{
	uint64_t unused = 0;
	uint32_t i;
	int ret = nthw_core_find_free(&r->bank.io, r->pmu, CPU, &unused);

	for (i = 0; !ret && i < 64; i++) {
		struct nthw_core_event event = random_event(r, i);
		struct bank *was;

		if (!(unused >> i & 1) || tt_random(&r->seed) % 4 == 0)
			continue;
		was = malloc(sizeof(*was));
		assert_non_null(was);
		*was = r->bank;
		ret = nthw_core_program(&r->bank.io, r->pmu, CPU, i, &event, &r->state);
		if (ret && !r->bank.fails_on)
			check_as_found(&r->bank, was, r->pmu, 0);
		if (!ret)
			r->programmed |= BIT(i);
		free(was);
	}
	return ret;
}

/* What was started counts, here and there beyond its end; nothing else of it does. */
static void let_run(struct run *r)
{
	uint64_t bits, *flags;
	uint32_t i;

	for (i = 0; i < 64; i++) {
		enum nthw_space space;
		uint32_t address;

		if (!(r->programmed >> i & 1))
			continue;
		assert_true(is_counting(&r->bank, r->pmu, i));
		assert_true(nthw_core_address(r->pmu, i, &space, &address));
		TT_IS(at(&r->bank, space, address), 0);
		set(&r->bank, space, address, 1000 + i);
		flags = flags_of(&r->bank, r->pmu, BIT(i), &bits);
		if (flags && tt_random(&r->seed) % 2)
			*flags |= bits;
	}
}

static int read_all(struct run *r)
{
	uint64_t value = 0, overflowed = 0, bits, *flags;
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < 64; i++) {
		if (!(r->programmed >> i & 1))
			continue;
		ret = nthw_core_read(&r->bank.io, r->pmu, CPU, i, &value);
		if (!ret)
			TT_IS(value, 1000 + i);
	}
	flags = flags_of(&r->bank, r->pmu, r->programmed, &bits);
	if (ret || !flags)
		return ret;
	ret = nthw_core_overflows(&r->bank.io, r->pmu, CPU, r->programmed, &overflowed);
	if (!ret)
		TT_IS(*flags & bits, 0);
	return ret;
}

static int stop(struct run *r)
{
	uint32_t i;
	int ret = nthw_core_stop(&r->bank.io, r->pmu, CPU, r->state.counters, &r->state);

	for (i = 0; !ret && i < 64; i++)
		if (r->programmed >> i & 1)
			assert_false(is_counting(&r->bank, r->pmu, i));
	return ret;
}

/* From beginning to end; the first error ends it. */
static int run_all(struct run *r)
{
	uint32_t i;
	int ret = program_some(r);

	if (ret)
		return ret;
	r->started = r->state.counters;
	ret = nthw_core_start(&r->bank.io, r->pmu, CPU, r->state.counters, &r->state);
	for (i = 0; ret && !r->bank.fails_on && i < 64; i++)
		if (r->programmed >> i & 1)
			assert_false(is_counting(&r->bank, r->pmu, i));
	if (ret)
		return ret;
	let_run(r);
	ret = read_all(r);
	if (!ret)
		ret = stop(r);
	return ret ? ret : nthw_core_restore(&r->bank.io, r->pmu, CPU, &r->state);
}

static void prepare(struct run *r, const struct nthw_core_pmu *pmu, uint64_t seed, bool is_guarded)
{
	memset(r, 0, sizeof(*r));
	r->pmu = pmu;
	r->seed = seed;
	init_random(&r->bank, pmu, &r->seed);
	r->bank.is_guarded = is_guarded;
	r->before = r->bank;
}

/* As @pmu, for a handle like ntime.ko. */
static struct nthw_core_pmu guarded_as(const struct nthw_core_pmu *pmu, bool is_guarded)
{
	struct nthw_core_pmu copy = *pmu;

	copy.is_guarded = is_guarded;
	return copy;
}

static const struct fault {
	bool fails_on, fails_behind;
} faults[] = { { false, false }, { false, true }, { true, false } };

/* A run in which access @k fails, once or from then on. */
static void fail_at(const struct run_row *row, struct run *r, const struct nthw_core_pmu *pmu,
		    uint64_t seed, const struct fault *fault, int k)
{
	prepare(r, pmu, seed, pmu->is_guarded);
	r->bank.fail_at = k;
	r->bank.fails_on = fault->fails_on;
	r->bank.fails_behind = fault->fails_behind;
	TT_EQ(row, run_all(r), -5);
	if (fault->fails_on && r->state.counters)
		TT_EQ(row, nthw_core_restore(&r->bank.io, pmu, CPU, &r->state), -5);
	r->bank.fail_at = -1;
	TT_EQ(row, nthw_core_restore(&r->bank.io, pmu, CPU, &r->state), 0);
	TT_EQ(row, r->state.counters, 0);
	check_as_found(&r->bank, &r->before, pmu, r->started);
}

/*
 * The same run again and again; each time the next access fails. Returns how many accesses a whole
 * run has.
 */
static int fail_each(const struct run_row *row, uint64_t seed, bool is_guarded)
{
	struct nthw_core_pmu pmu = guarded_as(row->pmu, is_guarded);
	struct run *r = malloc(sizeof(*r));
	size_t i;
	int k, all;

	assert_non_null(r);
	prepare(r, &pmu, seed, is_guarded);
	TT_EQ(row, run_all(r), 0);
	TT_EQ(row, r->state.counters, 0);
	check_as_found(&r->bank, &r->before, &pmu, r->started);
	all = r->bank.accesses;
	for (i = 0; i < NTHW_ARRAY_SIZE(faults); i++)
		for (k = 0; k < all; k++)
			fail_at(row, r, &pmu, seed, &faults[i], k);
	free(r);
	return all;
}

TEST(nothing_stays_changed_whatever_fails)
{
	uint64_t seed = tt_seed();
	int round;

	TT_FOR_EACH_ROW(row, run_rows) {
		int most = 0;

		for (round = 0; round < 20; round++) {
			int all = fail_each(row, tt_random(&seed), round % 2);

			most = all > most ? all : most;
		}
		assert_true(most >= 9); /* some of the runs did something */
	}
}

/* ---- counts of the models ---- */

struct x86_io {
	struct nthw_io io;
	struct ntm_x86_pmu pmu;
};

static int x86_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		    uint64_t *value)
{
	TT_IS(space, NTHW_SPACE_MSR);
	TT_IS(unit, CPU);
	return ntm_x86_pmu_rdmsr(&((struct x86_io *)io)->pmu, address, value);
}

static int x86_write(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t value)
{
	TT_IS(space, NTHW_SPACE_MSR);
	TT_IS(unit, CPU);
	return ntm_x86_pmu_wrmsr(&((struct x86_io *)io)->pmu, address, value);
}

static void work(struct x86_io *x, bool is_user, uint64_t instructions, uint64_t cycles)
{
	struct ntm_x86_work w = { instructions, cycles, cycles / 2 };

	ntm_x86_pmu_advance(&x->pmu, is_user, &w);
}

static uint64_t count_of(struct nthw_io *io, const struct nthw_core_pmu *pmu, uint32_t counter)
{
	uint64_t value = UINT64_MAX;

	TT_IS(nthw_core_read(io, pmu, CPU, counter, &value), 0);
	return value;
}

TEST(the_intel_model_counts)
{
	const struct ntm_x86_config narrow = { NTM_X86_INTEL_V2, 4, 3, 33 };
	struct nthw_core_pmu pmu = intel;
	struct nthw_core_state st = { 0 };
	struct x86_io x = { .io = { x86_read, x86_write } };
	struct ntm_x86_pmu before;
	uint64_t overflowed = 0;

	pmu.width = pmu.fixed_width = 33;
	TT_IS(ntm_x86_pmu_init(&x.pmu, &narrow), 0);
	/* somebody counts cycles with counter 3 */
	TT_IS(ntm_x86_pmu_wrmsr(&x.pmu, 0x189, 0x43003c), 0);
	TT_IS(ntm_x86_pmu_wrmsr(&x.pmu, 0xc1, 0x12345678), 0);
	before = x.pmu;
	TT_IS(nthw_core_program(&x.io, &pmu, CPU, 0, &user_instructions, &st), 0);
	TT_IS(nthw_core_program(&x.io, &pmu, CPU, 1, &(struct nthw_core_event){ 0x3c, true, true },
				&st),
	      0);
	TT_IS(nthw_core_program(&x.io, &pmu, CPU, 32, &in_kernel, &st), 0);
	TT_IS(nthw_core_program(&x.io, &pmu, CPU, 34, &everywhere, &st), 0);
	work(&x, true, 50, 50);
	TT_IS(nthw_core_start(&x.io, &pmu, CPU, st.counters, &st), 0);
	work(&x, true, 1000, 3000);
	work(&x, false, 70, 80);
	TT_IS(count_of(&x.io, &pmu, 0), 1000);
	TT_IS(count_of(&x.io, &pmu, 1), 3080);
	TT_IS(count_of(&x.io, &pmu, 32), 70);
	TT_IS(count_of(&x.io, &pmu, 34), 1540);
	/* past 2^33 */
	work(&x, true, (1ull << 33) - 990, 0);
	TT_IS(count_of(&x.io, &pmu, 0), 10);
	TT_IS(nthw_core_overflows(&x.io, &pmu, CPU, st.counters, &overflowed), 0);
	TT_IS(overflowed, 1);
	TT_IS(nthw_core_overflows(&x.io, &pmu, CPU, st.counters, &overflowed), 0);
	TT_IS(overflowed, 0);
	TT_IS(nthw_core_stop(&x.io, &pmu, CPU, st.counters, &st), 0);
	work(&x, true, 5000, 5000);
	TT_IS(count_of(&x.io, &pmu, 0), 10);
	/* and on from there */
	TT_IS(nthw_core_start(&x.io, &pmu, CPU, 1, &st), 0);
	work(&x, true, 5, 5);
	TT_IS(count_of(&x.io, &pmu, 0), 15);
	TT_IS(count_of(&x.io, &pmu, 1), 3080);
	/* another event in the same counter, as a second pass has it */
	TT_IS(nthw_core_stop(&x.io, &pmu, CPU, 1, &st), 0);
	TT_IS(nthw_core_program(&x.io, &pmu, CPU, 0, &(struct nthw_core_event){ 0x3c, true, true },
				&st),
	      0);
	TT_IS(nthw_core_start(&x.io, &pmu, CPU, 1, &st), 0);
	work(&x, true, 1, 9);
	TT_IS(count_of(&x.io, &pmu, 0), 9);
	TT_IS(nthw_core_restore(&x.io, &pmu, CPU, &st), 0);
	before.count[3] = x.pmu.count[3]; /* counted all the time */
	TT_IS(x.pmu.count[3], 50 + 3000 + 80 + 0 + 5000 + 5 + 9);
	assert_memory_equal(&x.pmu, &before, sizeof(before));
}

static void check_amd_model(const struct ntm_x86_config *config, const struct nthw_core_pmu *pmu)
{
	struct nthw_core_state st = { 0 };
	struct x86_io x = { .io = { x86_read, x86_write } };
	struct ntm_x86_pmu before;

	TT_IS(ntm_x86_pmu_init(&x.pmu, config), 0);
	TT_IS(ntm_x86_pmu_wrmsr(&x.pmu, 0xc0010001, 0x1300c0), 0);
	before = x.pmu;
	TT_IS(nthw_core_program(&x.io, pmu, CPU, 1, &user_instructions, &st), 0);
	TT_IS(nthw_core_program(&x.io, pmu, CPU, 3, &(struct nthw_core_event){ 0x76, false, true },
				&st),
	      0);
	work(&x, true, 50, 50);
	TT_IS(nthw_core_start(&x.io, pmu, CPU, st.counters, &st), 0);
	work(&x, true, 1000, 3000);
	work(&x, false, 70, 80);
	TT_IS(nthw_core_stop(&x.io, pmu, CPU, st.counters, &st), 0);
	work(&x, true, 7, 7);
	TT_IS(count_of(&x.io, pmu, 1), 1000);
	TT_IS(count_of(&x.io, pmu, 3), 80);
	TT_IS(nthw_core_restore(&x.io, pmu, CPU, &st), 0);
	assert_memory_equal(&x.pmu, &before, sizeof(before));
}

TEST(the_amd_models_count)
{
	check_amd_model(&ntm_x86_amd_legacy, &amd_legacy);
	check_amd_model(&ntm_x86_amd_core, &amd);
}

struct arm1176_io {
	struct nthw_io io;
	struct ntm_arm1176_pmu pmu;
};

static int arm1176_read(struct nthw_io *io, enum nthw_space space, unsigned int unit,
			uint32_t address, uint64_t *value)
{
	TT_IS(space, NTHW_SPACE_CP15);
	TT_IS(unit, CPU);
	return ntm_arm1176_pmu_read(&((struct arm1176_io *)io)->pmu, address, true, value);
}

static int arm1176_write(struct nthw_io *io, enum nthw_space space, unsigned int unit,
			 uint32_t address, uint64_t value)
{
	TT_IS(space, NTHW_SPACE_CP15);
	TT_IS(unit, CPU);
	return ntm_arm1176_pmu_write(&((struct arm1176_io *)io)->pmu, address, true, value);
}

TEST(the_arm1176_model_counts)
{
	struct arm1176_io a = { .io = { arm1176_read, arm1176_write } };
	struct nthw_core_state st = { 0 };
	struct ntm_arm1176_pmu before;
	uint64_t overflowed = 0;

	ntm_arm1176_pmu_reset(&a.pmu);
	/* parked by perf, divided for somebody, counter 1 with its interrupt */
	TT_IS(ntm_arm1176_pmu_write(&a.pmu, 0xf0c0, true, 0x02020028), 0);
	TT_IS(ntm_arm1176_pmu_write(&a.pmu, 0xf0c3, true, 4711), 0);
	before = a.pmu;
	TT_IS(nthw_core_program(&a.io, &arm1176, CPU, 0, &(struct nthw_core_event){ 7, true, true },
				&st),
	      0);
	TT_IS(nthw_core_program(&a.io, &arm1176, CPU, 1,
				&(struct nthw_core_event){ 0xff, true, true }, &st),
	      0);
	TT_IS(nthw_core_program(&a.io, &arm1176, CPU, 32, &everywhere, &st), 0);
	ntm_arm1176_pmu_advance(&a.pmu, 5, 6);
	TT_IS(nthw_core_start(&a.io, &arm1176, CPU, st.counters, &st), 0);
	ntm_arm1176_pmu_advance(&a.pmu, 1000, 3000);
	TT_IS(count_of(&a.io, &arm1176, 0), 1000);
	TT_IS(count_of(&a.io, &arm1176, 1), 3000);
	TT_IS(count_of(&a.io, &arm1176, 32), 3000);
	ntm_arm1176_pmu_advance(&a.pmu, 10, (1ull << 32) - 2993);
	TT_IS(nthw_core_stop(&a.io, &arm1176, CPU, st.counters, &st), 0);
	ntm_arm1176_pmu_advance(&a.pmu, 10, 10);
	assert_false(ntm_arm1176_pmu_has_interrupt(&a.pmu));
	TT_IS(count_of(&a.io, &arm1176, 0), 1010);
	TT_IS(count_of(&a.io, &arm1176, 32), 7);
	TT_IS(nthw_core_overflows(&a.io, &arm1176, CPU, FIXED(0) | BIT(0), &overflowed), 0);
	TT_IS(overflowed, FIXED(0));
	TT_IS(nthw_core_restore(&a.io, &arm1176, CPU, &st), 0);
	before.divider = a.pmu.divider; /* no register shows it */
	assert_memory_equal(&a.pmu, &before, sizeof(before));
}

TEST(errors_have_linux_numbers)
{
	TT_IS(NTHW_EIO, -EIO);
	TT_IS(NTHW_ENXIO, -ENXIO);
	TT_IS(NTHW_ENODATA, -ENODATA);
	TT_IS(NTHW_EBUSY, -EBUSY);
	TT_IS(NTHW_EINVAL, -EINVAL);
	TT_IS(NTHW_ENOTSUP, -ENOTSUP);
	TT_IS(NTHW_ETIMEDOUT, -ETIMEDOUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_are_in_order),
		cmocka_unit_test(nonsense_is_refused_without_an_access),
		cmocka_unit_test(monitors_that_nobody_built_are_refused),
		cmocka_unit_test(who_counts_is_not_disturbed),
		cmocka_unit_test(nothing_stays_changed_whatever_fails),
		cmocka_unit_test(the_intel_model_counts),
		cmocka_unit_test(the_amd_models_count),
		cmocka_unit_test(the_arm1176_model_counts),
		cmocka_unit_test(errors_have_linux_numbers),
	};

	return TT_RUN(tests);
}
