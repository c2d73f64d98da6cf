// SPDX-License-Identifier: MIT
/*
 * The four calls over a way that the test makes up: what is printed, given and said, in every order
 * of calls.
 */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count/compat/rpi_pmu/pmu.h"
#include "count/compat/rpi_pmu/rpi_pmu.h"
#include "base/tests/tt.h"

/* What the way does. */
static struct {
	int ret;
	const char *why;
	struct rpi_count counts[RPI_COUNTERS];
	unsigned int starts, stops, forgets;
	const struct rpi_event *evt[2];
} fake;

static bool is_here(void)
{
	return true;
}

static bool is_elsewhere(void)
{
	return false;
}

static int start(const struct rpi_event *const evt[2], struct rpi_count out[RPI_COUNTERS],
		 char *why, size_t size)
{
	fake.starts++;
	fake.evt[0] = evt[0];
	fake.evt[1] = evt[1];
	for (int i = 0; i < RPI_COUNTERS; i++)
		TT_IS(out[i].count, 0);
	if (fake.ret < 0)
		(void)snprintf(why, size, "%s", fake.why);
	return fake.ret;
}

static int stop(struct rpi_count out[RPI_COUNTERS], char *why, size_t size)
{
	fake.stops++;
	for (int i = 0; i < RPI_COUNTERS; i++) {
		out[i].count = fake.counts[i].count;
		out[i].has_overflowed = fake.counts[i].has_overflowed;
		if (fake.counts[i].note)
			out[i].note = fake.counts[i].note;
		if (fake.counts[i].reason[0])
			memcpy(out[i].reason, fake.counts[i].reason, sizeof(out[i].reason));
	}
	if (fake.why)
		(void)snprintf(why, size, "%s", fake.why);
	return 0;
}

static void forget(void)
{
	fake.forgets++;
}

static const struct rpi_method not_here = { is_elsewhere, NULL, NULL, NULL };
static const struct rpi_method method = { is_here, start, stop, forget };
const struct rpi_method *const rpi_methods[] = { &not_here, &method, NULL };

static int fresh(void **state)
{
	(void)state;
	stop_counting();
	memset(&fake, 0, sizeof(fake));
	return 0;
}

/* What print_counts() writes; lives until the next call. */
static const char *printed(void)
{
	static char text[4096];
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_non_null(f);
	print_counts(f);
	(void)fclose(f);
	return text;
}

static void count(int evt0, int evt1)
{
	start_counting(evt0, evt1);
	stop_counting();
}

static void expect_counts(uint64_t cycles, uint64_t evt0, uint64_t evt1)
{
	uint64_t got[3] = { 1, 2, 3 };

	get_counts(&got[0], &got[1], &got[2]);
	TT_IS(got[0], cycles);
	TT_IS(got[1], evt0);
	TT_IS(got[2], evt1);
}

TEST(the_printed_form)
{
	fake.counts[RPI_CYCLES].count = 195723338;
	fake.counts[RPI_EVENT0].count = 1309465988;
	fake.counts[RPI_EVENT1] = (struct rpi_count){ .count = 3936359065, .has_overflowed = true };
	count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	TT_TEXT(printed(), "Performance Monitor events\n"
			   "Cycle Counter: 195723338 Processor cycles (scaled by 64)\n"
			   "Counter 0: 1309465988 Executed instruction\n"
			   "Counter 1: 3936359065 (OVERFLOW) CPU cycles\n");
	/* A number that is not valid is given to nobody. */
	expect_counts(195723338, 1309465988, RPI_PMU_NO_COUNT);
	TT_HAS(rpi_pmu_error(), "Counter 1 (CPU cycles) passed 2^32");
	TT_IS(fake.evt[0]->number, 7);
	TT_IS(fake.evt[1]->number, 0xff);
	/* NULL is not wanted. */
	get_counts(NULL, NULL, NULL);
	print_counts(NULL);
}

TEST(an_overflow_of_the_cycle_counter)
{
	fake.counts[RPI_CYCLES] = (struct rpi_count){ .count = 5, .has_overflowed = true };
	fake.counts[RPI_EVENT0] = (struct rpi_count){ .count = 6, .note = "loads only" };
	count(ARMV6_EVENT_DCACHE_MISS, ARMV6_EVENT_NOP);
	TT_TEXT(printed(), "Performance Monitor events\n"
			   "Cycle Counter: 5 (OVERFLOW) Processor cycles (scaled by 64)\n"
			   "Counter 0: 6 Data cache miss (loads only)\n"
			   "Counter 1: 0 No operation\n");
	expect_counts(RPI_PMU_NO_COUNT, 6, 0);
}

TEST(one_absent_counter_is_no_zero)
{
	fake.counts[RPI_CYCLES].count = 12;
	fake.counts[RPI_EVENT1] = (struct rpi_count){ .count = 3, .reason = "nobody has it" };
	count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_RET_EXEC);
	TT_TEXT(printed(), "Performance Monitor events\n"
			   "Cycle Counter: 12 Processor cycles (scaled by 64)\n"
			   "Counter 0: 0 Executed instruction\n"
			   "Counter 1: not counted (Executed return): nobody has it\n");
	expect_counts(12, 0, RPI_PMU_NO_COUNT);
	TT_TEXT(rpi_pmu_error(), "Counter 1 (Executed return) was not counted: nobody has it");
}

TEST(nothing_can_be_counted)
{
	fake.ret = -EACCES;
	fake.why = "the door is shut: open it";
	start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	TT_TEXT(rpi_pmu_error(), "the door is shut: open it");
	stop_counting();
	TT_IS(fake.stops, 0);
	TT_TEXT(printed(),
		"Performance Monitor events\nNothing was counted: the door is shut: open it\n");
	expect_counts(RPI_PMU_NO_COUNT, RPI_PMU_NO_COUNT, RPI_PMU_NO_COUNT);
	/* The next measurement knows nothing of it. */
	memset(&fake, 0, sizeof(fake));
	count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	expect_counts(0, 0, 0);
	TT_TEXT(rpi_pmu_error(), "");
}

TEST(a_stop_that_cannot_vouch)
{
	fake.why = "somebody was here";
	count(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	expect_counts(RPI_PMU_NO_COUNT, RPI_PMU_NO_COUNT, RPI_PMU_NO_COUNT);
	TT_HAS(printed(), "Nothing was counted: somebody was here\n");
}

TEST(events_that_do_not_exist)
{
	static const int numbers[] = { 0x8, 0xe, 0x13, 0x22, 0x27, 0x100, -1, INT32_MAX };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char want[64];

		count(numbers[i], ARMV6_EVENT_INSTR_EXEC);
		assert_null(fake.evt[0]);
		assert_non_null(fake.evt[1]);
		expect_counts(0, RPI_PMU_NO_COUNT, 0);
		(void)snprintf(want, sizeof(want), "the ARM1176 has no event %#x",
			       (unsigned int)numbers[i]);
		TT_HAS(rpi_pmu_error(), want);
		TT_HAS(printed(), "Counter 0: not counted (Unknown event): the ARM1176 has no");
	}
}

TEST(every_order_of_calls)
{
	/* stop without start: what was counted before stays */
	fake.counts[RPI_EVENT0].count = 42;
	count(7, 7);
	stop_counting();
	TT_IS(fake.stops, 1);
	expect_counts(0, 42, 0);
	/* running: nothing is known yet, and old counts are forgotten */
	start_counting(7, 7);
	expect_counts(RPI_PMU_NO_COUNT, RPI_PMU_NO_COUNT, RPI_PMU_NO_COUNT);
	TT_HAS(printed(), "counting still runs, call stop_counting()");
	/* start twice: the first one is ended */
	start_counting(7, 7);
	TT_IS(fake.starts, 3);
	TT_IS(fake.stops, 2);
	stop_counting();
	TT_IS(fake.stops, 3);
}

/* The results of the child come back as its exit status. */
TEST(a_child_measures_for_itself)
{
	int status;
	pid_t child;

	start_counting(7, 7);
	child = fork();
	if (child == 0) {
		bool good = fake.forgets == 1 && strstr(rpi_pmu_error(), "is the parent's") &&
			    strstr(printed(), "Nothing was counted: counting was started before");

		stop_counting();
		good = good && fake.stops == 0;
		start_counting(7, 7);
		stop_counting();
		good = good && fake.stops == 1 && !*rpi_pmu_error();
		_exit(good ? 0 : 1);
	}
	TT_IS(waitpid(child, &status, 0), child);
	TT_IS(status, 0);
	TT_IS(fake.forgets, 0);
	stop_counting();
	TT_IS(fake.stops, 1);
	/* A measurement that has ended is the child's as well. */
	child = fork();
	if (child == 0)
		_exit(*rpi_pmu_error() || fake.forgets ? 1 : 0);
	TT_IS(waitpid(child, &status, 0), child);
	TT_IS(status, 0);
}

static const struct name_row {
	int line;
	int number;
	int code;
	const char *name;
} name_rows[] = {
	{ __LINE__, ARMV6_EVENT_ICACHE_MISS, 0x00, "Instruction cache miss" },
	{ __LINE__, ARMV6_EVENT_IBUF_STALL, 0x01, "Instruction buffer stall" },
	{ __LINE__, ARMV6_EVENT_DDEP_STALL, 0x02, "Data dependency stall" },
	{ __LINE__, ARMV6_EVENT_ITLB_MISS, 0x03, "Instruction micro TLB miss" },
	{ __LINE__, ARMV6_EVENT_DTLB_MISS, 0x04, "Data micro TLB miss" },
	{ __LINE__, ARMV6_EVENT_BR_EXEC, 0x05, "Executed branch" },
	{ __LINE__, ARMV6_EVENT_BR_MISPREDICT, 0x06, "Mispredicted branch" },
	{ __LINE__, ARMV6_EVENT_INSTR_EXEC, 0x07, "Executed instruction" },
	{ __LINE__, ARMV6_EVENT_DCACHE_HIT, 0x09, "Data cache access (cacheable)" },
	{ __LINE__, ARMV6_EVENT_DCACHE_ACCESS, 0x0a, "Data cache access" },
	{ __LINE__, ARMV6_EVENT_DCACHE_MISS, 0x0b, "Data cache miss" },
	{ __LINE__, ARMV6_EVENT_DCACHE_WBACK, 0x0c, "Data cache write-back" },
	{ __LINE__, ARMV6_EVENT_SW_PC_CHANGE, 0x0d, "Software change of PC" },
	{ __LINE__, ARMV6_EVENT_MAIN_TLB_MISS, 0x0f, "Main TLB miss" },
	{ __LINE__, ARMV6_EVENT_EXPL_D_ACCESS, 0x10, "Explicit external data access" },
	{ __LINE__, ARMV6_EVENT_LSU_FULL_STALL, 0x11, "Load/store queue full stall" },
	{ __LINE__, ARMV6_EVENT_WBUF_DRAINED, 0x12, "Write buffer drained" },
	{ __LINE__, ARMV6_EVENT_NOP, 0x20, "No operation" },
	{ __LINE__, ARMV6_EVENT_CALL_EXEC, 0x23, "Executed call" },
	{ __LINE__, ARMV6_EVENT_RET_EXEC, 0x24, "Executed return" },
	{ __LINE__, ARMV6_EVENT_RET_PREDICT, 0x25, "Predicted return" },
	{ __LINE__, ARMV6_EVENT_RET_MISPREDICT, 0x26, "Mispredicted return" },
	{ __LINE__, ARMV6_EVENT_CPU_CYCLES, 0xff, "CPU cycles" },
};

TEST(every_constant_has_its_code_and_name)
{
	TT_FOR_EACH_ROW(r, name_rows) {
		const struct rpi_event *row = rpi_event_find(r->number);

		TT_EQ(r, r->number, r->code);
		assert_non_null(row);
		TT_STR(r, row->name, r->name);
		/* What the ARM1176 alone knows is asked of nobody else. */
		if (r->code >= 0x20 && r->code <= 0x26)
			assert_null(row->other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_printed_form, fresh),
		cmocka_unit_test_setup(an_overflow_of_the_cycle_counter, fresh),
		cmocka_unit_test_setup(one_absent_counter_is_no_zero, fresh),
		cmocka_unit_test_setup(nothing_can_be_counted, fresh),
		cmocka_unit_test_setup(a_stop_that_cannot_vouch, fresh),
		cmocka_unit_test_setup(events_that_do_not_exist, fresh),
		cmocka_unit_test_setup(every_order_of_calls, fresh),
		cmocka_unit_test_setup(a_child_measures_for_itself, fresh),
		cmocka_unit_test_setup(every_constant_has_its_code_and_name, fresh),
	};

	return TT_RUN(tests);
}
