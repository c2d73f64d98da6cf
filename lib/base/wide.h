/* SPDX-License-Identifier: MIT */
/*
 * Unsigned arithmetic of 128 bits, exact modulo 2^128: a rate times nanoseconds leaves 64 bits
 * within minutes, and compilers for 32-bit processors have no __int128.
 */
#ifndef NTI_WIDE_H
#define NTI_WIDE_H

#include <stdint.h>

struct nti_wide {
	uint64_t high, low;
};

static inline struct nti_wide nti_wide_add(struct nti_wide a, struct nti_wide b)
{
	uint64_t low = a.low + b.low;

	return (struct nti_wide){ a.high + b.high + (low < a.low), low };
}

static inline struct nti_wide nti_wide_sub(struct nti_wide a, struct nti_wide b)
{
	return (struct nti_wide){ a.high - b.high - (a.low < b.low), a.low - b.low };
}

/* All 128 bits of @a * @b. */
static inline struct nti_wide nti_wide_mul(uint64_t a, uint64_t b)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t low = a0 * b0, cross = a1 * b0, top = a1 * b1, middle;

	/* At most (2^32-1)^2 + 2 * (2^32-1), which is 2^64-1. */
	middle = a0 * b1 + (uint32_t)cross + (low >> 32);
	return (struct nti_wide){ top + (cross >> 32) + (middle >> 32),
				  middle << 32 | (uint32_t)low };
}

/* @a * @b without what exceeds 128 bits. */
static inline struct nti_wide nti_wide_scale(struct nti_wide a, uint64_t b)
{
	struct nti_wide out = nti_wide_mul(a.low, b);

	out.high += a.high * b;
	return out;
}

/* @a / @by, rounded down. @by must not be 0. */
struct nti_wide nti_wide_div(struct nti_wide a, uint64_t by);

#endif
