/* SPDX-License-Identifier: MIT */
/*
 * 64-bit numbers that one thread writes and any other reads, without locks. Where the processor has
 * no lock-free access to 64 bits (ARM before version 6K: each would be a call into libatomic, which
 * takes locks) they are made of 32-bit halves.
 *
 * A word may be torn by a race: its reader must learn of races elsewhere. A counter is never torn,
 * and only ever grows.
 */
#ifndef NTI_SHARED_H
#define NTI_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#if !defined(NTI_SHARED_HALVES) && ATOMIC_LLONG_LOCK_FREE == 2

struct nti_shared_word {
	_Atomic uint64_t all;
};

struct nti_shared_counter {
	_Atomic uint64_t all;
};

static inline void nti_shared_word_set(struct nti_shared_word *word, uint64_t value)
{
	atomic_store_explicit(&word->all, value, memory_order_release);
}

static inline uint64_t nti_shared_word_get(const struct nti_shared_word *word)
{
	return atomic_load_explicit(&word->all, memory_order_acquire);
}

static inline void nti_shared_counter_set(struct nti_shared_counter *counter, uint64_t value)
{
	atomic_store_explicit(&counter->all, value, memory_order_release);
}

static inline uint64_t nti_shared_counter_get(const struct nti_shared_counter *counter)
{
	return atomic_load_explicit(&counter->all, memory_order_acquire);
}

#else

struct nti_shared_word {
	_Atomic uint32_t low, high;
};

/*
 * Written from top to bottom, read from bottom to top: equal high halves around the low one belong
 * to it, since none returns.
 */
struct nti_shared_counter {
	_Atomic uint32_t high_first;
	_Atomic uint32_t low;
	_Atomic uint32_t high_last;
};

static inline void nti_shared_word_set(struct nti_shared_word *word, uint64_t value)
{
	atomic_store_explicit(&word->low, (uint32_t)value, memory_order_release);
	atomic_store_explicit(&word->high, (uint32_t)(value >> 32), memory_order_release);
}

static inline uint64_t nti_shared_word_get(const struct nti_shared_word *word)
{
	uint64_t low = atomic_load_explicit(&word->low, memory_order_acquire);

	return low | (uint64_t)atomic_load_explicit(&word->high, memory_order_acquire) << 32;
}

static inline void nti_shared_counter_set(struct nti_shared_counter *counter, uint64_t value)
{
	atomic_store_explicit(&counter->high_first, (uint32_t)(value >> 32), memory_order_release);
	atomic_store_explicit(&counter->low, (uint32_t)value, memory_order_release);
	atomic_store_explicit(&counter->high_last, (uint32_t)(value >> 32), memory_order_release);
}

/* Turns again only while the high half changes: once in 2^32 steps of the writer. */
static inline uint64_t nti_shared_counter_get(const struct nti_shared_counter *counter)
{
	uint32_t last, low, first;

	do {
		last = atomic_load_explicit(&counter->high_last, memory_order_acquire);
		low = atomic_load_explicit(&counter->low, memory_order_acquire);
		first = atomic_load_explicit(&counter->high_first, memory_order_acquire);
	} while (first != last);
	return (uint64_t)first << 32 | low;
}

#endif
#endif
