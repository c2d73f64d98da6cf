// SPDX-License-Identifier: MIT
/*
 * Known work. Each loop is assembler, so that no compiler changes how many instructions a turn has;
 * where there is none, the number is not known and is not tested.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "count/lib/perf/work.h"

/* Larger than any line of a cache. */
#define LINE_BYTES 256

/*
 * Random numbers whose highest bit decides a branch (Knuth, MMIX). The two ways of that branch are
 * apart: one that goes around an instruction or two may be no branch for the processor (POWER8).
 */
#define FACTOR 6364136223846793005u
#define SUMMAND 1442695040888963407u

#if defined(__x86_64__)
#define HAS_LOOP 1
static void turn(unsigned long turns)
{
	unsigned long product = 3;

	__asm__ volatile("1: imul %1, %1\n\timul %1, %1\n\tdec %0\n\tjnz 1b"
			 : "+r"(turns), "+r"(product)
			 :
			 : "cc");
}

#define HAS_CALLS 4
static void call(unsigned long calls)
{
	unsigned long ret;

	__asm__ volatile("1: mov %2, %%eax\n\tsyscall\n\tdec %1\n\tjnz 1b"
			 : "=&a"(ret), "+r"(calls)
			 : "i"(SYS_getppid)
			 : "rcx", "r11", "cc", "memory");
}

#define HAS_MISSES 1
static void miss(const volatile char *line, unsigned long loads)
{
	__asm__ volatile("1: clflush (%1)\n\tmfence\n\tmovb (%1), %%al\n\tmfence\n\t"
			 "dec %0\n\tjnz 1b"
			 : "+r"(loads)
			 : "r"(line)
			 : "al", "cc", "memory");
}

static void guess(uint64_t random, unsigned long guesses)
{
	__asm__ volatile("1: imul %2, %1\n\tadd %3, %1\n\tjs 2f\n\t"
			 "dec %0\n\tjnz 1b\n\tjmp 3f\n\t"
			 "2: dec %0\n\tjnz 1b\n\t3:"
			 : "+r"(guesses), "+r"(random)
			 : "r"((uint64_t)FACTOR), "r"((uint64_t)SUMMAND)
			 : "cc");
}
#elif defined(__aarch64__)
#define HAS_LOOP 1
static void turn(unsigned long turns)
{
	unsigned long product = 3;

	__asm__ volatile("1: mul %1, %1, %1\n\tmul %1, %1, %1\n\tsubs %0, %0, #1\n\tb.ne 1b"
			 : "+r"(turns), "+r"(product)
			 :
			 : "cc");
}

#define HAS_CALLS 4
static void call(unsigned long calls)
{
	register unsigned long x0 __asm__("x0");
	register unsigned long x8 __asm__("x8");

	__asm__ volatile("1: mov %1, %3\n\tsvc #0\n\tsubs %2, %2, #1\n\tb.ne 1b"
			 : "=&r"(x0), "=&r"(x8), "+r"(calls)
			 : "i"(SYS_getppid)
			 : "cc", "memory");
}

/* Linux lets user mode use it (arch/arm64/kernel/cpufeature.c, SCTLR_EL1.UCI). */
#define HAS_MISSES 1
static void miss(const volatile char *line, unsigned long loads)
{
	unsigned long value;

	__asm__ volatile("1: dc civac, %2\n\tdsb sy\n\tldrb %w0, [%2]\n\tdsb sy\n\t"
			 "subs %1, %1, #1\n\tb.ne 1b"
			 : "=&r"(value), "+r"(loads)
			 : "r"(line)
			 : "cc", "memory");
}

static void guess(uint64_t random, unsigned long guesses)
{
	__asm__ volatile("1: madd %1, %1, %2, %3\n\ttbnz %1, #63, 2f\n\t"
			 "subs %0, %0, #1\n\tb.ne 1b\n\tb 3f\n\t"
			 "2: subs %0, %0, #1\n\tb.ne 1b\n\t3:"
			 : "+r"(guesses), "+r"(random)
			 : "r"((uint64_t)FACTOR), "r"((uint64_t)SUMMAND)
			 : "cc");
}
#elif defined(__arm__)
#define HAS_LOOP 1
static void turn(unsigned long turns)
{
	unsigned long product = 3, one = 1, unused;

	/* Before ARMv6 a product may not be in the register of its first factor. */
	__asm__ volatile("1: mul %2, %1, %3\n\tmul %1, %2, %3\n\tsubs %0, %0, #1\n\tbne 1b"
			 : "+r"(turns), "+r"(product), "=&r"(unused)
			 : "r"(one)
			 : "cc");
}
#elif defined(__riscv)
#define HAS_LOOP 1
static void turn(unsigned long turns)
{
	unsigned long product = 3;

	__asm__ volatile("1: mul %1, %1, %1\n\tmul %1, %1, %1\n\taddi %0, %0, -1\n\tbnez %0, 1b"
			 : "+r"(turns), "+r"(product));
}

#define HAS_CALLS 4
static void call(unsigned long calls)
{
	register unsigned long a0 __asm__("a0");
	register unsigned long a7 __asm__("a7");

	__asm__ volatile("1: li %1, %3\n\tecall\n\taddi %2, %2, -1\n\tbnez %2, 1b"
			 : "=&r"(a0), "=&r"(a7), "+r"(calls)
			 : "i"(SYS_getppid)
			 : "memory");
}
#elif defined(__powerpc64__)
#define HAS_LOOP 1
static void turn(unsigned long turns)
{
	unsigned long product = 3;

	__asm__ volatile("mtctr %1\n\t1: mulld %0, %0, %0\n\tmulld %0, %0, %0\n\tnop\n\tbdnz 1b"
			 : "+r"(product)
			 : "r"(turns)
			 : "ctr");
}

#define HAS_MISSES 1
static void miss(const volatile char *line, unsigned long loads)
{
	unsigned long value;

	__asm__ volatile("mtctr %2\n\t1: dcbf 0, %1\n\tsync\n\tlbz %0, 0(%1)\n\tsync\n\t"
			 "bdnz 1b"
			 : "=&r"(value)
			 : "b"(line), "r"(loads)
			 : "ctr", "memory");
}

static void guess(uint64_t random, unsigned long guesses)
{
	__asm__ volatile("mtctr %1\n\t1: mulld %0, %0, %2\n\tadd %0, %0, %3\n\t"
			 "cmpdi %0, 0\n\tblt 2f\n\tbdnz 1b\n\tb 3f\n\t"
			 "2: bdnz 1b\n\t3:"
			 : "+r"(random)
			 : "r"(guesses), "r"((uint64_t)FACTOR), "r"((uint64_t)SUMMAND)
			 : "ctr", "cr0");
}
#endif

#ifdef HAS_LOOP
#define TURN_INSTRUCTIONS 4
#else
#define TURN_INSTRUCTIONS 0
static void turn(unsigned long turns)
{
	volatile unsigned long left;

	for (left = turns; left; left--)
		;
}
#endif

#ifdef HAS_CALLS
#define CALL_INSTRUCTIONS HAS_CALLS
#else
/* At most, of the C library's function and of the loop around it. */
#define CALL_INSTRUCTIONS 24
static void call(unsigned long calls)
{
	while (calls--)
		(void)syscall(SYS_getppid);
}
#endif

static void native_loop(struct nti_os *os, unsigned long turns)
{
	(void)os;
	if (turns)
		turn(turns);
}

static void native_calls(struct nti_os *os, unsigned long calls)
{
	(void)os;
	if (calls)
		call(calls);
}

#ifdef HAS_MISSES
static void native_misses(struct nti_os *os, unsigned long loads)
{
	volatile char room[2 * LINE_BYTES] = { 0 };

	(void)os;
	if (loads)
		miss(&room[LINE_BYTES], loads);
}

static void native_guesses(struct nti_os *os, unsigned long guesses)
{
	/* Predictors learn what comes again. */
	if (guesses)
		guess(os->ops->now_ns(os), guesses);
}
#endif

static int native_filter_open(struct nti_os *os, struct nti_filter *f, unsigned int turns)
{
	(void)os;
	return nti_filter_open(f, turns);
}

static bool native_filter_run(struct nti_os *os, const struct nti_filter *f)
{
	(void)os;
	return nti_filter_run(f);
}

static void native_filter_close(struct nti_os *os, struct nti_filter *f)
{
	(void)os;
	nti_filter_close(f);
}

static const struct nti_work native = {
	.turn_instructions = TURN_INSTRUCTIONS,
	.call_instructions = CALL_INSTRUCTIONS,
	.loop = native_loop,
	.calls = native_calls,
#ifdef HAS_MISSES
	.misses = native_misses,
	.guesses = native_guesses,
#endif
	.filter_instructions = NTI_FILTER_INSTRUCTIONS,
	.filter_branches = NTI_FILTER_BRANCHES,
	.filter_open = native_filter_open,
	.filter_run = native_filter_run,
	.filter_close = native_filter_close,
};

const struct nti_work *nti_work_of(struct nti_os *os)
{
	return os->work ? os->work : &native;
}
