// SPDX-License-Identifier: MIT
/*
 * The package on this machine, whatever it has: a count or a reason for each event. Guests of the
 * lab show that counts are right.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "count/compat/rpi_pmu/pmu.h"
#include "count/compat/rpi_pmu/rpi_pmu.h"
#include "base/tests/tt.h"

static void work(void)
{
	for (volatile unsigned int i = 0; i < 100000; i++)
		;
}

static char *printed(void)
{
	static char text[8192];
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_non_null(f);
	print_counts(f);
	(void)fclose(f);
	return text;
}

/* Line @n of what is printed, counted from 0. */
static const char *line(char *text, int n)
{
	text = strtok(text, "\n");
	while (n-- && text)
		text = strtok(NULL, "\n");
	return text ? text : "";
}

TEST(a_count_or_a_reason)
{
	for (int number = 0; number < 0x100; number++) {
		uint64_t cycles = 0, evt0 = 0, evt1 = 0;

		if (!rpi_event_find(number))
			continue;
		start_counting(ARMV6_EVENT_INSTR_EXEC, number);
		work();
		stop_counting();
		get_counts(&cycles, &evt0, &evt1);
		/* Instructions were executed: absent, or more than none. */
		assert_true(evt0 > 0);
		if (evt1 == RPI_PMU_NO_COUNT) {
			TT_HAS(rpi_pmu_error(), rpi_event_find(number)->name);
			TT_HAS(line(printed(), 3), "Counter 1: not counted (");
		} else {
			TT_HAS(line(printed(), 3), rpi_event_find(number)->name);
		}
		if (!rpi_event_find(number)->other)
			TT_IS(evt1, RPI_PMU_NO_COUNT);
	}
}

TEST(a_child_leaves_the_parent_alone)
{
	uint64_t evt0 = 0;
	int status;
	pid_t child;

	start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	child = fork();
	if (child == 0) {
		stop_counting();
		start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
		stop_counting();
		get_counts(NULL, &evt0, NULL);
		_exit(evt0 == 0);
	}
	TT_IS(waitpid(child, &status, 0), child);
	TT_IS(status, 0);
	work();
	stop_counting();
	get_counts(NULL, &evt0, NULL);
	/* A volatile loop of 100000 turns has more instructions than that. */
	assert_true(evt0 > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_count_or_a_reason),
		cmocka_unit_test(a_child_leaves_the_parent_alone),
	};

	return TT_RUN(tests);
}
