/* SPDX-License-Identifier: MIT */
/*
 * The inline half of <ntime/reader.h>, which includes it. The protocol is that of
 * linux/perf_event.h, struct perf_event_mmap_page.
 */
#ifndef NTIME_READER_INLINE_H
#define NTIME_READER_INLINE_H

#include <linux/perf_event.h>
#include <stdint.h>

#include <ntime/reader.h>

#define NTIME_BARRIER() __asm__ volatile("" ::: "memory")

#if defined(__x86_64__)

static inline uintptr_t ntime_thread_pointer_(void)
{
	uintptr_t self;

	/* The thread control block begins with its own address (System V ABI, TLS variant II). */
	__asm__("mov %%fs:0, %0" : "=r"(self));
	return self;
}

/*
 * RDTSC and RDPMC clear the upper halves of both registers (Intel SDM vol. 2B): the full width
 * saves an instruction.
 */
static inline uint64_t ntime_tsc_(void)
{
	uint64_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return high << 32 | low;
}

/*
 * RDPMC's operand: bit 30 means fixed counters (Intel SDM vol. 2B). Linux numbers at most 32 of a
 * kind (asm/perf_event.h, INTEL_PMC_MAX_GENERIC); its other indexes are of no counter: top-down
 * metrics have 1 << 29, plus one (arch/x86/events/core.c, x86_pmu_event_idx()).
 */
#define NTIME_IS_COUNTER_(index) (!(((index)-1u) & ~(1u << 30 | 31u)))

static inline uint64_t ntime_pmc_(uint32_t index)
{
	uint64_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
	return high << 32 | low;
}
#define NTIME_HAS_PMC_ 1
#define NTIME_HAS_CORE_ 1

/*
 * Bits of RDPMC's upper half that a counter of 48 bits or more has only after 2^47 events: years of
 * most, hours of any. From there on the call is made, which sees to it that a wrap is not missed
 * and ends the inline reads of such a counter.
 */
#define NTIME_CORE_FULL_ 0xffff8000u

/*
 * 0 and the count, or -1. The counter began at 0. One comparison says that it is such a reader, not
 * in a forked child, and the right thread. Count the instructions when you change this:
 * docs/performance.md names them.
 */
static inline int ntime_read_core_(const struct ntime_reader_state *state, uint64_t *count)
{
	uint64_t low, high;

	if (__builtin_expect(state->pinned != ntime_thread_pointer_(), 0))
		return -1;
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(state->index));
	if (__builtin_expect((uint32_t)high & NTIME_CORE_FULL_, 0))
		return -1;
	*count = high << 32 | low;
	return 0;
}

#elif defined(__aarch64__)

static inline uintptr_t ntime_thread_pointer_(void)
{
	uintptr_t self;

	__asm__("mrs %0, tpidr_el0" : "=r"(self));
	return self;
}

static inline uint64_t ntime_tsc_(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

/* Newer kernels have further indexes (33: PMICNTR_EL0), which are not for us. */
#define NTIME_IS_COUNTER_(index) ((index)-1u < 32u)

#define NTIME_PMEV_(n)                                                                             \
	case (n) + 1:                                                                              \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value));                      \
		break

static inline uint64_t ntime_pmc_(uint32_t index)
{
	uint64_t value = 0;

	/*
	 * perf's index is the counter's number plus one; 32 is the cycle counter
	 * (drivers/perf/arm_pmuv3.c).
	 */
	switch (index) {
		NTIME_PMEV_(0);
		NTIME_PMEV_(1);
		NTIME_PMEV_(2);
		NTIME_PMEV_(3);
		NTIME_PMEV_(4);
		NTIME_PMEV_(5);
		NTIME_PMEV_(6);
		NTIME_PMEV_(7);
		NTIME_PMEV_(8);
		NTIME_PMEV_(9);
		NTIME_PMEV_(10);
		NTIME_PMEV_(11);
		NTIME_PMEV_(12);
		NTIME_PMEV_(13);
		NTIME_PMEV_(14);
		NTIME_PMEV_(15);
		NTIME_PMEV_(16);
		NTIME_PMEV_(17);
		NTIME_PMEV_(18);
		NTIME_PMEV_(19);
		NTIME_PMEV_(20);
		NTIME_PMEV_(21);
		NTIME_PMEV_(22);
		NTIME_PMEV_(23);
		NTIME_PMEV_(24);
		NTIME_PMEV_(25);
		NTIME_PMEV_(26);
		NTIME_PMEV_(27);
		NTIME_PMEV_(28);
		NTIME_PMEV_(29);
		NTIME_PMEV_(30);
	case 32:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
	default:
		break;
	}
	return value;
}
#undef NTIME_PMEV_
#define NTIME_HAS_PMC_ 1
#define NTIME_HAS_CORE_ 1

/*
 * 0 and the count, or -1. Counters of 32 bits wrap within seconds, and user mode cannot see the
 * flag of overflow: the clock shows how long none can have wrapped; the call looks at the flag and
 * sets the mark anew, .base before .origin. So .origin is read first, then .base, then the counter,
 * and the clock last: whatever of the two is older, the window is too short or the count is right.
 */
static inline int ntime_read_core_(const struct ntime_reader_state *state, uint64_t *count)
{
	uint64_t origin, value;

	if (__builtin_expect(state->pinned != ntime_thread_pointer_(), 0))
		return -1;
	origin = __atomic_load_n(&state->origin, __ATOMIC_ACQUIRE);
	value = __atomic_load_n(&state->base, __ATOMIC_ACQUIRE);
	value += ntime_pmc_(state->index + 1);
	__asm__ volatile("isb" ::: "memory");
	if (ntime_tsc_() - origin > state->limit)
		return -1;
	*count = value;
	return 0;
}

#else

static inline uint64_t ntime_tsc_(void)
{
	return 0; /* never called: ntime_get_reader() gives NTIME_READER_CALL on such machines */
}

#endif

#ifdef NTIME_HAS_PMC_
/* 0 and the count, or -1: the instruction cannot vouch for the number now, make the call. */
static inline int ntime_read_pmc_(const struct ntime_reader_state *state, uint64_t *count)
{
	const volatile struct perf_event_mmap_page *page =
		(const volatile struct perf_event_mmap_page *)state->source;
	uint64_t enabled, running, total;
	uint32_t sequence, index;
	unsigned int unused_bits;

	/* A counter register shows the thread that runs now. */
	if (state->thread != ntime_thread_pointer_())
		return -1;
	do {
		sequence = page->lock;
		NTIME_BARRIER();
		enabled = page->time_enabled;
		running = page->time_running;
		index = page->index;
		total = (uint64_t)page->offset;
		/* Index 0: not on a counter now. No permission shows as capability 0. */
		if (!NTIME_IS_COUNTER_(index) || !page->cap_user_rdpmc)
			return -1;
		unused_bits = 64u - page->pmc_width;
		total += (uint64_t)((int64_t)(ntime_pmc_(index) << unused_bits) >> unused_bits);
		NTIME_BARRIER();
	} while (page->lock != sequence);
	/* Rotated away at some time: the count is not the whole, the call says so. */
	if (enabled != running)
		return -1;
	*count = total;
	return 0;
}
#endif

/**
 * ntime_read() - read one counter
 * @r:		reader from ntime_get_reader()
 * @count:	events since the session's first start, unscaled; written only when the result is >=
 *		0
 *
 * Cost: NTIME_READER_TSC a handful of instructions, NTIME_READER_CORE a few more around the
 * counter's own; NTIME_READER_PMC about 25 around it on x86, about 60 with it on arm64; else, and
 * where perf's page names no counter (top-down metrics of x86), one read(2). ntime_read_pinned() is
 * for who knows that it is NTIME_READER_CORE. Who forbids the counter's instruction while a reader
 * is used (kernel.perf_user_access=0, or 0 to the PMU's rdpmc file) may end the program by SIGILL
 * (arm64) or SIGSEGV (x86): the kernel closes the register at once, its page says so from the next
 * switch on. Sessions with NTIME_READ_BY_CALL never use it.
 * Return: 0 exact; flags of struct ntime_value that qualify the count (NTIME_SCALED: counted part
 * of the time only, the count is NOT extrapolated); -EINVAL, -EIO, -ENODATA (nothing to read). Any
 * thread, while none starts, stops or frees the session or changes its pass; never a wrong number.
 * Since 0.1.
 */
static inline int ntime_read(const struct ntime_reader *r, uint64_t *count)
{
	const struct ntime_reader_state *state = r->state;

	/*
	 * The straight way is the clock's: the others cost so much more that a jump does not show.
	 */
	if (__builtin_expect(state->type == NTIME_READER_TSC, 1)) {
		*count = ntime_tsc_() - state->origin;
		return 0;
	}
#ifdef NTIME_HAS_PMC_
	/* .type is read anew, so that the clock's comparison needs no register for it. */
	NTIME_BARRIER();
	if (state->type == NTIME_READER_PMC && ntime_read_pmc_(state, count) == 0)
		return 0;
#endif
#ifdef NTIME_HAS_CORE_
	if (ntime_read_core_(state, count) == 0)
		return 0;
#endif
	return ntime_read_call(r, count);
}

/**
 * ntime_read_pinned() - read one counter that the calling thread reads by its instruction alone
 * @r:		reader from ntime_get_reader(), any; at its best one of NTIME_READER_CORE
 * @count:	as for ntime_read()
 *
 * The same as ntime_read(), asked in another order: for a counter through ntimefs, read by the
 * thread that is pinned to its CPU, eight instructions around RDPMC; for all others some more than
 * ntime_read().
 * Return: as ntime_read(). Since 0.1.
 */
static inline int ntime_read_pinned(const struct ntime_reader *r, uint64_t *count)
{
#ifdef NTIME_HAS_CORE_
	if (__builtin_expect(ntime_read_core_(r->state, count) == 0, 1))
		return 0;
#endif
	return ntime_read(r, count);
}

#endif
