/* SPDX-License-Identifier: MIT */
/* What long work asks now and then: shall it end? struct ntime_options, @interrupt. */
#ifndef NTI_INTERRUPT_H
#define NTI_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>

struct nti_interrupt {
	int (*fn)(void *arg); /* non-zero: end; NULL: nobody asks for it */
	void *arg;
};

static inline bool nti_is_interrupted(const struct nti_interrupt *interrupt)
{
	return interrupt && interrupt->fn && interrupt->fn(interrupt->arg);
}

#endif
