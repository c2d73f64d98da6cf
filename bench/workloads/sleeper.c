// SPDX-License-Identifier: MIT
/* A sleeper: N sleeps of a millisecond, each of which gives the processor away once. */
#include <errno.h>
#include <time.h>

#include "workload.h"

static long own_switches(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void nap(void)
{
	struct timespec left = { .tv_nsec = 1000000 };

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

/*
 * A sleep that is over before the process has given the processor away makes no switch; on a
 * machine that stands still for a while (a guest whose host is busy) this happens. So those that
 * did are counted: that many switches there were, at least.
 */
int main(int argc, char **argv)
{
	unsigned long switched = 0;
	struct workload w;

	workload_begin(&w, "sleeper", argc, argv);
	for (unsigned long i = 0; i < w.n; i++) {
		long before = own_switches();

		nap();
		switched += own_switches() > before;
	}
	return workload_end(&w, "\"sleeps\": %lu, \"switched_sleeps\": %lu", w.n, switched);
}
