// SPDX-License-Identifier: MIT
/*
 * The ARM1176 half of rpi_pmu over the model of the monitor, which was written from core/regs and
 * knows nothing of this package.
 */
#include <errno.h>

#include "count/compat/rpi_pmu/arm1176.h"
#include "count/compat/rpi_pmu/rpi_pmu.h"
#include "core/regs/regs.h"
#include "core/models/arm1176_pmu.h"
#include "base/tests/tt.h"

#define ADDRESS(reg) NTHW_CP15(15, 0, 12, (uint32_t)(reg))

/* A processor: user mode with V set, and what was ever written to PMCR. */
struct machine {
	struct ntm_arm1176_pmu pmu;
	uint32_t ever_written;
	unsigned int accesses;
	bool is_deaf; /* reads 0 and ignores what is written, as stock QEMU does */
};

static uint32_t model_read(void *arg, enum rpi_register reg)
{
	struct machine *m = arg;
	uint64_t value = 0;

	m->accesses++;
	TT_IS(ntm_arm1176_pmu_read(&m->pmu, ADDRESS(reg), false, &value), 0);
	return m->is_deaf ? 0 : (uint32_t)value;
}

static void model_write(void *arg, enum rpi_register reg, uint32_t value)
{
	struct machine *m = arg;

	m->accesses++;
	if (reg == RPI_PMCR)
		m->ever_written |= value;
	if (!m->is_deaf)
		TT_IS(ntm_arm1176_pmu_write(&m->pmu, ADDRESS(reg), false, value), 0);
}

static struct machine new_machine(void)
{
	struct machine m = { .ever_written = 0 };

	ntm_arm1176_pmu_reset(&m.pmu);
	TT_IS(ntm_arm1176_pmu_write(&m.pmu, NTHW_CP15(15, 0, 9, 0), true, 1), 0);
	return m;
}

static struct rpi_io io_of(struct machine *m)
{
	return (struct rpi_io){ model_read, model_write, m };
}

static const struct pmcr_row {
	int line;
	unsigned int evt0, evt1;
	uint32_t pmcr;
} pmcr_rows[] = {
	{ __LINE__, 0, 0, 0x00000008 },
	{ __LINE__, ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 0x007ff008 },
	{ __LINE__, ARMV6_EVENT_CPU_CYCLES, ARMV6_EVENT_INSTR_EXEC, 0x0ff07008 },
	{ __LINE__, ARMV6_EVENT_RET_MISPREDICT, ARMV6_EVENT_NOP, 0x02620008 },
	{ __LINE__, 0xff, 0xff, 0x0ffff008 },
	/* bits beyond the field do not reach its neighbours */
	{ __LINE__, 0x107, 0xf07, 0x00707008 },
};

TEST(pmcr_is_encoded)
{
	TT_FOR_EACH_ROW(r, pmcr_rows) {
		uint32_t pmcr = rpi_pmcr_encode(r->evt0, r->evt1);

		TT_EQ(r, pmcr, r->pmcr);
		TT_EQ(r, pmcr & RPI_PMCR_INTERRUPTS, 0);
	}
	for (int i = 0; i < RPI_COUNTERS; i++)
		TT_IS(rpi_pmcr_has_overflowed(RPI_PMCR_FLAGS, i), 1);
	TT_IS(rpi_pmcr_has_overflowed(0x400, RPI_CYCLES), 1);
	TT_IS(rpi_pmcr_has_overflowed(0x200, RPI_EVENT1), 1);
	TT_IS(rpi_pmcr_has_overflowed(0x100, RPI_EVENT0), 1);
	TT_IS(rpi_pmcr_has_overflowed(0x3ff & ~0x100, RPI_EVENT0), 0);
	TT_IS(rpi_pmcr_has_overflowed(0x2ff, RPI_CYCLES), 0);
}

static uint64_t field(const struct nthw_reg *row, const char *name)
{
	for (uint32_t i = 0; i < row->field_count; i++)
		if (strcmp(row->fields[i].name, name) == 0)
			return nthw_field_mask(&row->fields[i]);
	fail_msg("PMCR has no field %s", name);
	return 0;
}

/* The bits of this package are those of the register's row. */
TEST(bits_are_those_of_the_row)
{
	uint32_t index;
	const struct nthw_reg *row = nthw_table_find(&nthw_arm1176, ADDRESS(RPI_PMCR), &index);

	assert_non_null(row);
	TT_IS(field(row, "enable"), RPI_PMCR_ENABLE);
	TT_IS(field(row, "reset_counts") | field(row, "reset_cycles"), RPI_PMCR_RESET);
	TT_IS(field(row, "divide"), RPI_PMCR_DIVIDE);
	TT_IS(field(row, "interrupt0") | field(row, "interrupt1") | field(row, "interrupt_cycles"),
	      RPI_PMCR_INTERRUPTS);
	TT_IS(field(row, "overflow0"), RPI_PMCR_FLAG_EVENT0);
	TT_IS(field(row, "overflow1"), RPI_PMCR_FLAG_EVENT1);
	TT_IS(field(row, "overflow_cycles"), RPI_PMCR_FLAG_CYCLES);
	TT_IS(field(row, "export"), RPI_PMCR_EXPORT);
	TT_IS(field(row, "event0"), 0xffu << 20);
	TT_IS(field(row, "event1"), 0xffu << 12);
	TT_IS(nthw_reg_stored(row), RPI_PMCR_KEPT);
}

static const struct count_row {
	int line;
	unsigned int evt0, evt1;
	uint64_t instructions, cycles;
	uint64_t want[RPI_COUNTERS];
	bool overflow[RPI_COUNTERS];
} count_rows[] = {
	{ __LINE__, 0x07, 0xff, 1000000, 2000000, { 31250, 1000000, 2000000 }, { 0 } },
	{ __LINE__, 0xff, 0x07, 1000000, 2000000, { 31250, 2000000, 1000000 }, { 0 } },
	/* events that the model does not have stand still */
	{ __LINE__, 0x20, 0x00, 5, 640, { 10, 0, 0 }, { 0 } },
	/* the last count of 32 bits is valid, the next is not */
	{ __LINE__, 0x07, 0x07, UINT32_MAX, 0, { 0, UINT32_MAX, UINT32_MAX }, { 0 } },
	{ __LINE__, 0x07, 0x20, 0x100000000, 0, { 0, 0, 0 }, { false, true, false } },
	{ __LINE__, 0x07, 0xff, 7, 0x100000005, { 0x4000000, 7, 5 }, { false, false, true } },
	/* the cycle counter itself, 64 times later */
	{ __LINE__, 0x20, 0x20, 0, 0x4000000040, { 1, 0, 0 }, { true, false, false } },
};

TEST(counts_are_the_models)
{
	struct rpi_arm1176 a;

	TT_FOR_EACH_ROW(r, count_rows) {
		struct rpi_count out[RPI_COUNTERS] = { { .count = 1 } };
		struct machine m = new_machine();
		struct rpi_io io = io_of(&m);
		char why[512] = "";

		/* What is left from others is cleared. */
		m.pmu.ccr = 77;
		m.pmu.cr[0] = m.pmu.cr[1] = 78;
		m.pmu.pmcr = RPI_PMCR_FLAGS;
		TT_EQ(r, rpi_arm1176_start(&a, &io, r->evt0, r->evt1, why, sizeof(why)), 0);
		ntm_arm1176_pmu_advance(&m.pmu, r->instructions, r->cycles);
		TT_EQ(r, rpi_arm1176_stop(&a, &io, out, why, sizeof(why)), 0);
		/* It has stopped. */
		ntm_arm1176_pmu_advance(&m.pmu, 5, 5);
		for (int i = 0; i < RPI_COUNTERS; i++) {
			TT_EQ(r, out[i].count, r->want[i]);
			TT_EQ(r, out[i].has_overflowed, r->overflow[i]);
		}
		TT_EQ(r, m.pmu.pmcr, 0);
		TT_EQ(r, m.ever_written & RPI_PMCR_INTERRUPTS, 0);
		TT_EQ(r, m.accesses, 11);
		TT_STR(r, why, "");
	}
}

static const struct found_row {
	int line;
	uint32_t found, left;
	int ret;
} found_rows[] = {
	{ __LINE__, 0, 0, 0 },
	/* what somebody set and does not use now is restored, flags and interrupts are not */
	{ __LINE__, 0x0ab12808, 0x0ab12808, 0 },
	{ __LINE__, 0x00707f78, 0x00707808, 0 },
	/* runs without interrupts: left by a program that died */
	{ __LINE__, 0x00707009, 0, 0 },
	/* perf's */
	{ __LINE__, 0x00720011, 0x00720011, -EBUSY },
	{ __LINE__, 0x02020041, 0x02020041, -EBUSY },
};

TEST(what_was_there_is_put_back)
{
	TT_FOR_EACH_ROW(r, found_rows) {
		struct rpi_count out[RPI_COUNTERS];
		struct machine m = new_machine();
		struct rpi_io io = io_of(&m);
		struct rpi_arm1176 a;
		char why[512] = "";

		m.pmu.pmcr = r->found;
		TT_EQ(r, rpi_arm1176_start(&a, &io, 7, 7, why, sizeof(why)), r->ret);
		TT_EQ(r, why[0] != '\0', r->ret != 0);
		if (r->ret == 0)
			TT_EQ(r, rpi_arm1176_stop(&a, &io, out, why, sizeof(why)), 0);
		TT_EQ(r, m.pmu.pmcr, r->left);
		TT_EQ(r, m.ever_written & RPI_PMCR_INTERRUPTS, 0);
	}
}

TEST(others_are_noticed)
{
	static const uint32_t others[] = { 0, 0x0027f009, 0x0077f008, 0x0077f019, 0x0077f001 };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct rpi_count out[RPI_COUNTERS];
		struct machine m = new_machine();
		struct rpi_io io = io_of(&m);
		struct rpi_arm1176 a;
		char why[512] = "";

		TT_IS(rpi_arm1176_start(&a, &io, 7, 0x7f, why, sizeof(why)), 0);
		m.pmu.pmcr = others[i];
		TT_IS(rpi_arm1176_stop(&a, &io, out, why, sizeof(why)), -EIO);
		TT_HAS(why, "programmed the counters meanwhile");
	}
}

TEST(a_monitor_that_is_none_is_told)
{
	struct machine m = new_machine();
	struct rpi_io io = io_of(&m);
	struct rpi_arm1176 a;
	char why[512] = "";

	m.is_deaf = true;
	TT_IS(rpi_arm1176_start(&a, &io, 7, 7, why, sizeof(why)), -EIO);
	TT_HAS(why, "does not keep what is written");
}

static const struct cpu_row {
	int line;
	const char *text;
	bool is_arm1176;
} cpu_rows[] = {
	{ __LINE__, "processor\t: 0\nCPU architecture: 7\nCPU part\t: 0xb76\n", true },
	{ __LINE__, "CPU part\t: 0xc07\n", false },
	{ __LINE__, "CPU part\t: 0xd08\nHardware\t: 0xb76\n", false },
	{ __LINE__, "model name\t: Intel 0xb76\n", false },
	{ __LINE__, "CPU part", false },
	{ __LINE__, "\n", false },
};

TEST(the_processor_is_known_by_its_part)
{
	TT_FOR_EACH_ROW(r, cpu_rows) {
		FILE *f = fmemopen((void *)(uintptr_t)r->text, strlen(r->text), "r");

		assert_non_null(f);
		TT_EQ(r, rpi_is_arm1176(f), r->is_arm1176);
		(void)fclose(f);
	}
}

const struct rpi_method *const rpi_methods[] = { NULL };

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pmcr_is_encoded),
		cmocka_unit_test(bits_are_those_of_the_row),
		cmocka_unit_test(counts_are_the_models),
		cmocka_unit_test(what_was_there_is_put_back),
		cmocka_unit_test(others_are_noticed),
		cmocka_unit_test(a_monitor_that_is_none_is_told),
		cmocka_unit_test(the_processor_is_known_by_its_part),
	};

	return TT_RUN(tests);
}
