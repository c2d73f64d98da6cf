// SPDX-License-Identifier: MIT
/*
 * The four calls of count/compat/rpi_pmu where the truth is known: exact counts on the ARM1176
 * through the registers, on ARMv7, ARMv8 and x86 through libntime, with and without ntime.ko; and a
 * sentence in place of a number where nothing can be counted.
 *
 * All modes are counted, so an interrupt adds to a count; the least of a few is exact. What the
 * calls add themselves is a constant, which is measured with no work between them.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "count/compat/rpi_pmu/rpi_pmu.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/guest.h"
#include "lab/tests/workloads/count.h"
#include "base/tests/tt.h"

#define AGAIN 12
/* PMCR below core0, NTHW_CP15(15, 0, 12, 0) of core/base/reg.h. */
#define PMCR "core0/cp15/0xf0c0"
#define PMCR_ENABLE 0x001u
#define PMCR_INTERRUPTS 0x070u

/* A test that needs ntime.ko in this guest (ntime lab run --driver). */
#define DRIVER_TEST(name)                                                                          \
	static void name##_(void);                                                                 \
	TEST(name)                                                                                 \
	{                                                                                          \
		if (lab_driver_why_not())                                                          \
			TT_SKIP(lab_driver_why_not());                                             \
		name##_();                                                                         \
	}                                                                                          \
	static void name##_(void)

static const unsigned long all_turns[] = { 1, 64, 1000, 30000, 100000 };

struct counts {
	uint64_t cycles, evt0, evt1;
};

/* Not inlined: each copy would have another number of instructions between the two calls. */
static __attribute__((noinline)) struct counts count(int evt0, int evt1, unsigned long turns)
{
	struct counts c = { 1, 2, 3 };

	start_counting(evt0, evt1);
	lab_turns(turns);
	stop_counting();
	get_counts(&c.cycles, &c.evt0, &c.evt1);
	return c;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* RPI_PMU_NO_COUNT is the largest number: what is absent stays so. */
static struct counts least_counts(int evt0, int evt1, unsigned long turns)
{
	struct counts all = count(evt0, evt1, turns);

	for (int again = 1; again < AGAIN; again++) {
		struct counts c = count(evt0, evt1, turns);

		all.cycles = least(all.cycles, c.cycles);
		all.evt0 = least(all.evt0, c.evt0);
		all.evt1 = least(all.evt1, c.evt1);
	}
	return all;
}

static void must_count(void)
{
	if (*rpi_pmu_error())
		fail_msg("%s", rpi_pmu_error());
}

/* Truth and constant, for both counters in both roles, and the cycle counter in its steps of 64. */
static void exact_counts(const char *method)
{
	unsigned int shift = lab_shift();
	struct counts zero, swapped;

	(void)count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 1);
	zero = least_counts(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 0);
	swapped = least_counts(ARMV6_EVENT_CPU_CYCLES, ARMV6_EVENT_INSTR_EXEC, 0);
	must_count();
	print_message("# %s: constant %" PRIu64 " instructions, %" PRIu64 " cycles, %" PRIu64
		      " times 64 cycles; shift %u\n",
		      method, zero.evt0, zero.evt1, zero.cycles, shift);
	for (size_t i = 0; i < sizeof(all_turns) / sizeof(all_turns[0]); i++) {
		uint64_t truth = (uint64_t)LAB_TURN * all_turns[i];
		struct counts c =
			least_counts(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, all_turns[i]);

		must_count();
		TT_IS(c.evt0 - zero.evt0, truth);
		TT_IS(c.evt1 - zero.evt1, truth << shift);
		/*
		 * The cycle counter starts and stops some instructions beside the event counters.
		 */
		if (c.cycles + 1 + zero.cycles < (truth << shift) / 64 ||
		    c.cycles > (truth << shift) / 64 + zero.cycles + 1)
			fail_msg("%lu turns are %" PRIu64 " times 64 cycles, with a constant of "
				 "%" PRIu64,
				 all_turns[i], c.cycles, zero.cycles);
		c = least_counts(ARMV6_EVENT_CPU_CYCLES, ARMV6_EVENT_INSTR_EXEC, all_turns[i]);
		TT_IS(c.evt0 - swapped.evt0, truth << shift);
		TT_IS(c.evt1 - swapped.evt1, truth);
	}
}

/* What print_counts() writes. */
static const char *printed(void)
{
	static char text[4096];
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_non_null(f);
	print_counts(f);
	(void)fclose(f);
	return text;
}

static void must_say(const char *sentence)
{
	struct counts c = count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 1000);

	TT_HAS(rpi_pmu_error(), sentence);
	TT_HAS(printed(), "Performance Monitor events\nNothing was counted: ");
	TT_HAS(printed(), sentence);
	TT_IS(c.cycles, RPI_PMU_NO_COUNT);
	TT_IS(c.evt0, RPI_PMU_NO_COUNT);
	TT_IS(c.evt1, RPI_PMU_NO_COUNT);
}

/* ---- processors with another PMU ---- */

TEST(exact_by_perf)
{
	exact_counts("perf");
}

TEST(what_does_not_exist_is_absent)
{
	struct counts c = count(ARMV6_EVENT_RET_EXEC, ARMV6_EVENT_INSTR_EXEC, 1000);

	TT_IS(c.evt0, RPI_PMU_NO_COUNT);
	assert_true(c.evt1 >= LAB_TURN * 1000 && c.evt1 < 1000000);
	TT_HAS(rpi_pmu_error(), "Counter 0 (Executed return) was not counted: ");
	TT_HAS(printed(), "\nCounter 0: not counted (Executed return): ");
	TT_HAS(printed(), " Executed instruction\n");
	TT_HAS(printed(), " Processor cycles (scaled by 64)\n");
}

/* A child's stop does not end what the parent counts, and a measurement of its own is its own. */
static long measure_in_child(void *arg)
{
	struct counts c;

	(void)arg;
	stop_counting();
	if (!strstr(rpi_pmu_error(), "is the parent's"))
		return 1;
	c = count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 1000);
	return c.evt0 >= LAB_TURN * 1000 && c.evt0 < 10000000 ? 0 : 2;
}

TEST(a_child_does_not_stop_its_parent)
{
	struct counts c;

	start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	TT_IS(lab_child(&lab_root, measure_in_child, NULL), 0);
	lab_turns(1000000);
	stop_counting();
	must_count();
	get_counts(NULL, &c.evt0, NULL);
	assert_true(c.evt0 >= LAB_TURN * 1000000);
}

/* ---- the ARM1176 ---- */

TEST(closed_without_the_driver)
{
	must_say("load ntime.ko");
}

static void handler_of_the_program(int number)
{
	(void)number;
}

/* What the program does with SIGILL is its own business. */
TEST(handlers_are_left_alone)
{
	struct sigaction now;

	(void)signal(SIGILL, handler_of_the_program);
	(void)count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 1);
	assert_int_equal(sigaction(SIGILL, NULL, &now), 0);
	assert_true(now.sa_handler == handler_of_the_program);
	(void)signal(SIGILL, SIG_DFL);
}

#ifdef __arm__
__attribute__((target("arm"))) static long read_pmcr(void *arg)
{
	uint32_t value;

	(void)arg;
	/* cmocka has a handler of its own. */
	(void)signal(SIGILL, SIG_DFL);
	__asm__ volatile("mrc p15, 0, %0, c15, c12, 0" : "=r"(value));
	return (long)(value & PMCR_INTERRUPTS);
}

__attribute__((target("arm"))) static void write_pmcr(uint32_t value)
{
	__asm__ volatile("mcr p15, 0, %0, c15, c12, 0" : : "r"(value));
}

__attribute__((target("arm"))) static void write_counters(uint32_t value)
{
	__asm__ volatile("mcr p15, 0, %0, c15, c12, 1\n\t"
			 "mcr p15, 0, %0, c15, c12, 2\n\t"
			 "mcr p15, 0, %0, c15, c12, 3"
			 :
			 : "r"(value));
}
#else
static long read_pmcr(void *arg)
{
	(void)arg;
	return 0;
}

static void write_pmcr(uint32_t value)
{
	(void)value;
}

static void write_counters(uint32_t value)
{
	(void)value;
}
#endif

TEST(the_instruction_faults)
{
	TT_IS(lab_signal(read_pmcr, NULL), SIGILL);
}

DRIVER_TEST(load_the_driver)
{
	LAB_GOOD(lab_driver_start(""));
}

DRIVER_TEST(unload_the_driver)
{
	LAB_GOOD(lab_driver_stop());
}

DRIVER_TEST(the_instruction_works)
{
	TT_IS(lab_signal(read_pmcr, NULL), 0);
}

DRIVER_TEST(exact_by_the_registers)
{
	exact_counts("ARM1176");
}

static long exact_in_child(void *arg)
{
	struct counts c = least_counts(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 0);

	(void)arg;
	c.evt0 = least_counts(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 1000).evt0 - c.evt0;
	return *rpi_pmu_error() ? -1 : (long)c.evt0;
}

static long stop_in_child(void *arg)
{
	(void)arg;
	stop_counting();
	return strstr(rpi_pmu_error(), "is the parent's") ? 0 : 1;
}

/*
 * The registers are the processor's: a child leaves its parent's measurement alone, unless it makes
 * one of its own, which is told.
 */
DRIVER_TEST(a_child_and_one_that_measures)
{
	uint64_t evt0;

	start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	TT_IS(lab_child(&lab_root, stop_in_child, NULL), 0);
	lab_turns(1000000);
	stop_counting();
	must_count();
	get_counts(NULL, &evt0, NULL);
	assert_true(evt0 >= LAB_TURN * 1000000);
	start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	TT_IS(lab_child(&lab_root, measure_in_child, NULL), 0);
	stop_counting();
	TT_HAS(printed(), "Nothing was counted: another program");
}

DRIVER_TEST(exact_for_any_user)
{
	TT_IS(lab_child(&lab_stranger, exact_in_child, NULL), LAB_TURN * 1000);
}

/* Looked at from the kernel's side, while it counts and after. */
DRIVER_TEST(interrupts_are_never_enabled_and_all_is_put_back)
{
	uint64_t before, meanwhile, after;

	LAB_GOOD(lab_reg_get(PMCR, &before));
	start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	LAB_GOOD(lab_reg_get(PMCR, &meanwhile));
	stop_counting();
	LAB_GOOD(lab_reg_get(PMCR, &after));
	must_count();
	TT_IS(meanwhile & PMCR_INTERRUPTS, 0);
	/* events, D, E */
	TT_IS(meanwhile, 0x007ff009);
	TT_IS(after, before);
}

/* 16 below the wrap, as after a long time: the flags are not forgotten. */
DRIVER_TEST(a_wrapped_count_is_told)
{
	struct counts c;

	start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	write_counters(0xfffffff0);
	lab_turns(1000);
	stop_counting();
	get_counts(&c.cycles, &c.evt0, &c.evt1);
	TT_IS(c.cycles, RPI_PMU_NO_COUNT);
	TT_IS(c.evt0, RPI_PMU_NO_COUNT);
	TT_IS(c.evt1, RPI_PMU_NO_COUNT);
	TT_HAS(printed(), " (OVERFLOW) Processor cycles (scaled by 64)\n");
	TT_HAS(printed(), " (OVERFLOW) Executed instruction\n");
	TT_HAS(printed(), " (OVERFLOW) CPU cycles\n");
	TT_HAS(rpi_pmu_error(), "Counter 0 (Executed instruction) passed 2^32");
	/* The next measurement has forgotten it. */
	(void)count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 1000);
	must_count();
}

DRIVER_TEST(others_are_noticed)
{
	start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	write_pmcr(0x00720009);
	stop_counting();
	TT_HAS(printed(), "Nothing was counted: another program");
	(void)count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 1000);
	must_count();
}

/*
 * A program that died in mid-count left the monitor running: it is taken over, and nothing of it
 * stays.
 */
DRIVER_TEST(what_a_dead_program_left_is_taken_over)
{
	uint64_t after;

	write_pmcr(0x00707009);
	(void)count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 1000);
	must_count();
	LAB_GOOD(lab_reg_get(PMCR, &after));
	TT_IS(after, 0);
}

DRIVER_TEST(perf_is_left_alone)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
	};
	uint64_t counts[2] = { 0, 0 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0ul);

	assert_true(fd >= 0);
	TT_IS(read(fd, &counts[0], sizeof(counts[0])), (long)sizeof(counts[0]));
	must_say("perf counts with this processor's counters");
	lab_turns(100000);
	TT_IS(read(fd, &counts[1], sizeof(counts[1])), (long)sizeof(counts[1]));
	(void)close(fd);
	/* It counted on, and more than the loop. */
	assert_true(counts[1] - counts[0] >= LAB_TURN * 100000);
	assert_true(counts[1] - counts[0] < LAB_TURN * 100000 + 10000000);
	(void)count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 1000);
	must_count();
}

DRIVER_TEST(the_driver_stays_while_it_counts)
{
	start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	TT_IS(lab_driver_unmount(), -EBUSY);
	stop_counting();
	must_count();
	LAB_GOOD(lab_driver_unmount());
	LAB_GOOD(lab_driver_mount(""));
}

/*
 * Not mounted: nothing pins it, and who unloads it in mid-count ends the count and not the program.
 */
DRIVER_TEST(access_that_is_taken_away_is_told)
{
	LAB_GOOD(lab_driver_unmount());
	start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	LAB_GOOD(lab_driver_unload());
	stop_counting();
	TT_HAS(printed(), "Nothing was counted: the access to the counters was taken away");
	must_say("load ntime.ko");
	LAB_GOOD(lab_driver_start(""));
}

/*
 * Loading alone lets nobody in, and the sentence says what does; the command that it names works.
 */
DRIVER_TEST(loaded_without_user_access)
{
	LAB_GOOD(lab_driver_load(""));
	TT_IS(lab_signal(read_pmcr, NULL), SIGILL);
	must_say("ntime.ko is loaded, and yet user mode may not touch");
	TT_HAS(rpi_pmu_error(), "ntime driver unload, then ntime driver load --user-access");
	assert_true(system("ntime driver load --user-access 2>/dev/null") != 0);
	LAB_GOOD(lab_driver_unload());
	TT_IS(system("ntime driver load --module " LAB_MODULE " --user-access"), 0);
	TT_IS(lab_signal(read_pmcr, NULL), 0);
	(void)count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 1000);
	must_count();
	TT_IS(system("ntime driver unload"), 0);
	TT_IS(lab_signal(read_pmcr, NULL), SIGILL);
}

/* ---- the ARM1176 of stock QEMU: the instruction faults, whatever is loaded ---- */

DRIVER_TEST(closed_with_the_driver)
{
	must_say("ntime.ko is loaded, and yet user mode may not touch");
	TT_HAS(rpi_pmu_error(), "an emulator without them");
}

/* ---- with the driver, where libntime counts ---- */

/* arm64: the instructions of the counters, which the driver grants only where the kernel does. */
DRIVER_TEST(exact_with_the_driver)
{
	print_message("# counters can be read by an instruction: %s\n",
		      lab_can_read_counters() ? "yes" : "no");
	exact_counts("ntime.ko is loaded");
}

/* While the parent holds the PMU its child has a count, or a reason. */
static long count_or_reason(void *arg)
{
	struct counts c;

	(void)arg;
	stop_counting();
	c = count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES, 1000);
	if (c.evt0 == RPI_PMU_NO_COUNT)
		return *rpi_pmu_error() ? 0 : 1;
	return c.evt0 >= LAB_TURN * 1000 && c.evt0 < 10000000 ? 0 : 2;
}

DRIVER_TEST(a_child_while_the_driver_counts)
{
	uint64_t evt0;

	start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	TT_IS(lab_child(&lab_root, count_or_reason, NULL), 0);
	lab_turns(1000000);
	stop_counting();
	must_count();
	get_counts(NULL, &evt0, NULL);
	assert_true(evt0 >= LAB_TURN * 1000000);
}

static const struct CMUnitTest on_arm1176[] = {
	cmocka_unit_test(closed_without_the_driver),
	cmocka_unit_test(the_instruction_faults),
	cmocka_unit_test(handlers_are_left_alone),
	cmocka_unit_test(load_the_driver),
	cmocka_unit_test(the_instruction_works),
	cmocka_unit_test(exact_by_the_registers),
	cmocka_unit_test(exact_for_any_user),
	cmocka_unit_test(interrupts_are_never_enabled_and_all_is_put_back),
	cmocka_unit_test(a_wrapped_count_is_told),
	cmocka_unit_test(others_are_noticed),
	cmocka_unit_test(what_a_dead_program_left_is_taken_over),
	cmocka_unit_test(handlers_are_left_alone),
	cmocka_unit_test(perf_is_left_alone),
	cmocka_unit_test(a_child_and_one_that_measures),
	cmocka_unit_test(the_driver_stays_while_it_counts),
	cmocka_unit_test(access_that_is_taken_away_is_told),
	cmocka_unit_test(unload_the_driver),
	cmocka_unit_test(closed_without_the_driver),
	cmocka_unit_test(the_instruction_faults),
	cmocka_unit_test(loaded_without_user_access),
};

static const struct CMUnitTest on_stock[] = {
	cmocka_unit_test(closed_without_the_driver), cmocka_unit_test(the_instruction_faults),
	cmocka_unit_test(handlers_are_left_alone),   cmocka_unit_test(load_the_driver),
	cmocka_unit_test(closed_with_the_driver),    cmocka_unit_test(the_instruction_faults),
	cmocka_unit_test(unload_the_driver),	     cmocka_unit_test(closed_without_the_driver),
};

static const struct CMUnitTest elsewhere[] = {
	cmocka_unit_test(exact_by_perf),
	cmocka_unit_test(what_does_not_exist_is_absent),
	cmocka_unit_test(a_child_does_not_stop_its_parent),
	cmocka_unit_test(load_the_driver),
	cmocka_unit_test(exact_with_the_driver),
	cmocka_unit_test(what_does_not_exist_is_absent),
	cmocka_unit_test(a_child_while_the_driver_counts),
	cmocka_unit_test(unload_the_driver),
	cmocka_unit_test(exact_by_perf),
};

int main(void)
{
	const char *guest = getenv("NTIME_LAB_GUEST");

	cmocka_set_message_output(CM_OUTPUT_TAP);
	lab_driver_parameters = LAB_USER_ACCESS;
	if (!guest)
		return tt_skip_all("this is no guest of the lab (NTIME_LAB_GUEST)");
	if (strncmp(guest, "rpi-stock", 9) == 0)
		return TT_RUN(on_stock);
	if (strncmp(guest, "rpi", 3) == 0)
		return TT_RUN(on_arm1176);
	return TT_RUN(elsewhere);
}
