/* SPDX-License-Identifier: MIT */
/*
 * A program as it was written for the first Raspberry Pi, in C99 and in C++: four calls, and
 * constants.
 */
#include <rpi_pmu.h>

static volatile unsigned int sum;

static void work(void)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		sum = sum + i;
}

int main(void)
{
	uint64_t cycles, evt0, evt1;

	start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_CPU_CYCLES);
	work();
	stop_counting();
	get_counts(&cycles, &evt0, &evt1);
	get_counts(NULL, NULL, NULL);
	print_counts(stdout);
	/* Instructions were executed: a number, or none, and then a reason. */
	return evt0 > 0 && (evt0 != RPI_PMU_NO_COUNT || *rpi_pmu_error()) ? 0 : 1;
}
