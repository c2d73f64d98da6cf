/* SPDX-License-Identifier: MIT */
/* The clocks of the machine that this runs on, also where a recording or another root is read. */
#ifndef NTI_CLOCK_H
#define NTI_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC and the processor's time stamp counter at one moment. */
struct nti_moment {
	uint64_t ns;
	uint64_t ticks; /* 0 where user mode cannot read it */
};

/* CLOCK_MONOTONIC. Async-signal-safe. */
uint64_t nti_clock_ns(void);
/* CLOCK_REALTIME. */
uint64_t nti_clock_wall_ns(void);
/* The time stamp counter: 0, or -ENOTSUP with 0 ticks. Async-signal-safe. */
int nti_clock_ticks(uint64_t *ticks);
/*
 * Both, as close together as the machine lets them be: a thread that loses its CPU in between asks
 * again. Async-signal-safe.
 */
void nti_moment_take(struct nti_moment *out);

#endif
