// SPDX-License-Identifier: MIT
/* The clocks of the machine that this runs on. */
#include <errno.h>
#include <time.h>

#include "base/os/clock.h"

/* Who was interrupted once is the less likely to be it soon again. */
#define TRIES 4
/* Two clocks and what is between them take less than this where nobody interrupts. */
#define CLOSE_NS 1000u

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now = { 0 };

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t nti_clock_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t nti_clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

int nti_clock_ticks(uint64_t *ticks)
{
#if defined(__x86_64__)
	*ticks = __builtin_ia32_rdtsc();
	return 0;
#elif defined(__aarch64__)
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(*ticks));
	return 0;
#else
	*ticks = 0;
	return -ENOTSUP;
#endif
}

void nti_moment_take(struct nti_moment *out)
{
	uint64_t least_ns = UINT64_MAX;
	unsigned int try;

	for (try = 0; try < TRIES && least_ns > CLOSE_NS; try++) {
		uint64_t before_ns = nti_clock_ns(), ticks, took_ns;

		(void)nti_clock_ticks(&ticks);
		took_ns = nti_clock_ns() - before_ns;
		if (took_ns >= least_ns)
			continue;
		least_ns = took_ns;
		*out = (struct nti_moment){ .ns = before_ns + took_ns / 2, .ticks = ticks };
	}
}
