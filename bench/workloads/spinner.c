// SPDX-License-Identifier: MIT
/*
 * A spinner: N times a loop of a thousand dependent steps, a microsecond or less, and nothing else.
 */
#include "workload.h"

#define STEPS 1000

int main(int argc, char **argv)
{
	unsigned long state = 1;
	struct workload w;

	workload_begin(&w, "spinner", argc, argv);
	for (unsigned long i = 0; i < w.n * STEPS; i++) {
		state = state * 5 + 1;
		/* The compiler may neither leave a step out nor do several at once. */
		__asm__ volatile("" : "+r"(state));
	}
	return workload_end(&w, "\"steps\": %lu", w.n * STEPS);
}
