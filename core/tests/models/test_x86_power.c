// SPDX-License-Identifier: MIT
/*
 * core/models/x86_power: what is there on which processor, counters and their wraps, sticky log
 * bits, faults; held against the rows.
 */
#include "core/regs/regs.h"
#include "core/models/x86_power.h"
#include "base/tests/tt.h"

#define NHM (&ntm_x86_power_nehalem)
#define SNB (&ntm_x86_power_snbep)

/* A whole machine of one core. */
struct box {
	struct ntm_x86_power_core core;
	struct ntm_x86_power_package package;
};

static struct box fresh(const struct ntm_x86_power_config *config)
{
	struct box b;

	ntm_x86_power_core_reset(&b.core, config);
	ntm_x86_power_package_reset(&b.package, config);
	return b;
}

static int rd(const struct box *b, uint32_t addr, uint64_t *value)
{
	int ret = ntm_x86_power_core_rdmsr(&b->core, addr, value);

	return ret == NTM_NOT_MINE ? ntm_x86_power_package_rdmsr(&b->package, addr, value) : ret;
}

static int wr(struct box *b, uint32_t addr, uint64_t value)
{
	int ret = ntm_x86_power_core_wrmsr(&b->core, addr, value);

	return ret == NTM_NOT_MINE ? ntm_x86_power_package_wrmsr(&b->package, addr, value) : ret;
}

static uint64_t get(const struct box *b, uint32_t addr)
{
	uint64_t value = 0xdead;

	TT_IS(rd(b, addr, &value), 0);
	return value;
}

static const struct ntm_x86_core_work core_work = {
	.mperf = 1000,
	.aperf = 1500,
	.idle = { 30, 60, 70 },
	.heat = { .headroom = 25 },
};
static const struct ntm_x86_package_work package_work = {
	.idle = { 200, 300, 600, 700 },
	.energy = { 11, 22, 33 },
	.heat = { .headroom = 12 },
};

/*
 * What each register holds on each processor after the work above; ABSENT: there is no such
 * register.
 */
#define ABSENT UINT64_MAX
static const struct holds_row {
	int line;
	uint32_t addr;
	uint64_t nhm, snb;
	int write; /* of 0, where it is there */
} holds_rows[] = {
	{ __LINE__, 0x0e7, 1000, 1000, 0 },
	{ __LINE__, 0x0e8, 1500, 1500, 0 },
	{ __LINE__, 0x19c, 0x88190000, 0x88190000, 0 },
	{ __LINE__, 0x1a2, 100 << 16, 95 << 16, NTM_REFUSED },
	{ __LINE__, 0x1b1, ABSENT, 0xc0000, 0 },
	{ __LINE__, 0x3f8, 300, 300, NTM_REFUSED },
	{ __LINE__, 0x3f9, 600, 600, NTM_REFUSED },
	{ __LINE__, 0x3fa, 700, 700, NTM_REFUSED },
	{ __LINE__, 0x3fb, ABSENT, ABSENT, 0 },
	{ __LINE__, 0x3fc, 30, 30, NTM_REFUSED },
	{ __LINE__, 0x3fd, 60, 60, NTM_REFUSED },
	{ __LINE__, 0x3fe, ABSENT, 70, NTM_REFUSED },
	{ __LINE__, 0x60d, ABSENT, 200, NTM_REFUSED },
	{ __LINE__, 0x606, ABSENT, 0xa1003, NTM_REFUSED },
	{ __LINE__, 0x611, ABSENT, 11, NTM_REFUSED },
	{ __LINE__, 0x619, ABSENT, 33, NTM_REFUSED },
	{ __LINE__, 0x639, ABSENT, 22, NTM_REFUSED },
	{ __LINE__, 0x641, ABSENT, ABSENT, 0 },
};

static void check_holds(const struct holds_row *r, const struct ntm_x86_power_config *config,
			uint64_t expected)
{
	struct box b = fresh(config);
	uint64_t value;

	ntm_x86_power_core_advance(&b.core, &core_work);
	ntm_x86_power_package_advance(&b.package, &package_work);
	if (expected == ABSENT) {
		TT_EQ(r, rd(&b, r->addr, &value), NTM_NOT_MINE);
		TT_EQ(r, wr(&b, r->addr, 0), NTM_NOT_MINE);
		return;
	}
	TT_EQ(r, rd(&b, r->addr, &value), 0);
	TT_EQ(r, value, expected);
	TT_EQ(r, wr(&b, r->addr, 0), r->write);
	if (r->write) {
		TT_EQ(r, get(&b, r->addr), expected);
	}
}

TEST(registers_are_there_or_not)
{
	TT_FOR_EACH_ROW(r, holds_rows) {
		check_holds(r, NHM, r->nhm);
		check_holds(r, SNB, r->snb);
	}
}

TEST(counters_wrap_at_their_width)
{
	struct ntm_x86_package_work much = { .energy = { 0xfffffffe, 1, 0x100000005 } };
	struct box b = fresh(SNB);

	TT_IS(wr(&b, 0xe8, UINT64_MAX - 99), 0);
	TT_IS(wr(&b, 0xe7, 5), 0);
	ntm_x86_power_core_advance(&b.core, &core_work);
	TT_IS(get(&b, 0xe8), 1400);
	TT_IS(get(&b, 0xe7), 1005);
	ntm_x86_power_package_advance(&b.package, &much);
	TT_IS(get(&b, 0x611), 0xfffffffe);
	TT_IS(get(&b, 0x619), 5);
	ntm_x86_power_package_advance(&b.package, &package_work);
	TT_IS(get(&b, 0x611), 9);
	TT_IS(get(&b, 0x639), 23);
	TT_IS(get(&b, 0x619), 38);
}

static void heat_core(struct box *b, uint32_t now, uint32_t was, uint32_t headroom)
{
	const struct ntm_x86_core_work work = { .heat = { now, was, headroom } };

	ntm_x86_power_core_advance(&b->core, &work);
}

static void heat_package(struct box *b, uint32_t now, uint32_t was, uint32_t headroom)
{
	const struct ntm_x86_package_work work = { .heat = { now, was, headroom } };

	ntm_x86_power_package_advance(&b->package, &work);
}

/*
 * Linux' therm_throt.c: status bits come and go, log bits stay until 0 is written to them; a
 * written 1 leaves them.
 */
TEST(log_bits_stay_until_cleared)
{
	struct box b = fresh(SNB);

	heat_core(&b, NTM_X86_HOT, 0, 0);
	TT_IS(get(&b, 0x19c), 0x88000003);
	heat_core(&b, NTM_X86_POWER_LIMIT, NTM_X86_PROCHOT, 100);
	TT_IS(get(&b, 0x19c), 0x88640c0a);
	heat_core(&b, 0, 0, 101);
	TT_IS(get(&b, 0x19c), 0x8865080a);
	TT_IS(wr(&b, 0x19c, 0xaaa & ~0x8u), 0);
	TT_IS(get(&b, 0x19c), 0x88650802);
	/* status, readout and valid bit do not care what is written */
	TT_IS(wr(&b, 0x19c, 0xfff0000 & 0x787f5555), 0);
	TT_IS(get(&b, 0x19c), 0x88650000);
	/* a reason that holds is logged again */
	heat_core(&b, NTM_X86_CROSS_DOMAIN, 0, 101);
	TT_IS(wr(&b, 0x19c, 0), 0);
	TT_IS(get(&b, 0x19c), 0x88654000);
	heat_core(&b, NTM_X86_CROSS_DOMAIN, 0, 101);
	TT_IS(get(&b, 0x19c), 0x8865c000);
}

TEST(package_logs_apart_from_cores)
{
	struct box b = fresh(SNB);

	heat_package(&b, NTM_X86_CRITICAL, NTM_X86_HOT, 3);
	TT_IS(get(&b, 0x1b1), 0x30032);
	TT_IS(get(&b, 0x19c), 0x88000000);
	heat_package(&b, 0, 0, 3);
	TT_IS(wr(&b, 0x1b1, 0x20), 0);
	TT_IS(get(&b, 0x1b1), 0x30020);
}

/* An old processor does not know limits of power and current: their bits are reserved. */
TEST(nehalem_knows_three_reasons)
{
	struct box b = fresh(NHM);

	heat_core(&b, 0x5415, 0, 1);
	TT_IS(get(&b, 0x19c), 0x8801003f);
	TT_IS(wr(&b, 0x19c, 0x800), NTM_REFUSED);
	TT_IS(get(&b, 0x19c), 0x8801003f);
}

static const struct fault_row {
	int line;
	uint32_t addr;
	uint64_t value;
} fault_rows[] = {
	{ __LINE__, 0x19c, 1ull << 23 }, { __LINE__, 0x19c, 1ull << 32 },
	{ __LINE__, 0x19c, 1ull << 63 }, { __LINE__, 0x1b1, 1ull << 31 },
	{ __LINE__, 0x1b1, 1ull << 12 },
};

TEST(reserved_bits_fault)
{
	TT_FOR_EACH_ROW(r, fault_rows) {
		struct box b = fresh(SNB);
		uint64_t before;

		heat_core(&b, 0, 0x5415, 1);
		heat_package(&b, 0, 0x415, 1);
		before = get(&b, r->addr);
		TT_EQ(r, wr(&b, r->addr, r->value), NTM_REFUSED);
		TT_EQ(r, get(&b, r->addr), before);
	}
}

/* A row of core/regs that the model has: no bit of it stands where the row has no field. */
TEST(the_models_bits_are_those_of_the_rows)
{
	static const uint32_t addrs[] = { 0xe7, 0xe8, 0x19c, 0x1b1, 0x606, 0x611, 0x619, 0x639 };
	size_t i;

	for (i = 0; i < sizeof(addrs) / sizeof(addrs[0]); i++) {
		struct box b = fresh(SNB);
		uint32_t index, f;
		const struct nthw_reg *reg = nthw_table_find(&nthw_x86, addrs[i], &index);
		uint64_t known = 0;

		assert_non_null(reg);
		for (f = 0; f < reg->field_count; f++)
			known |= nthw_field_mask(&reg->fields[f]);
		ntm_x86_power_core_advance(&b.core, &core_work);
		heat_core(&b, 0, 0xffffffff, 127);
		heat_package(&b, 0, 0xffffffff, 127);
		TT_IS(get(&b, addrs[i]) & ~known, 0);
	}
}

TEST(cpuid_tells_the_registers)
{
	TT_IS(ntm_x86_power_cpuid(NHM).eax, 0x01);
	TT_IS(ntm_x86_power_cpuid(SNB).eax, 0x51);
	TT_IS(ntm_x86_power_cpuid(NHM).ecx, 1);
	TT_IS(ntm_x86_power_cpuid(SNB).ecx, 1);
	TT_IS(ntm_x86_power_cpuid(SNB).ebx, 2);
	TT_IS(ntm_x86_power_cpuid(SNB).edx, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_there_or_not),
		cmocka_unit_test(counters_wrap_at_their_width),
		cmocka_unit_test(log_bits_stay_until_cleared),
		cmocka_unit_test(package_logs_apart_from_cores),
		cmocka_unit_test(nehalem_knows_three_reasons),
		cmocka_unit_test(reserved_bits_fault),
		cmocka_unit_test(the_models_bits_are_those_of_the_rows),
		cmocka_unit_test(cpuid_tells_the_registers),
	};

	return TT_RUN(tests);
}
