/* SPDX-License-Identifier: MIT */
/**
 * DOC: Counting on the Raspberry Pi with four calls
 *
 *     start_counting(ARMV6_EVENT_INSTR_EXEC, ARMV6_EVENT_DCACHE_MISS);
 *     work();
 *     stop_counting();
 *     print_counts(stdout);
 *
 * The interface of the ARM1176 package for the first Raspberry Pi and the Raspberry Pi Zero, kept
 * source compatible. There it works on the processor's own registers, once ntime.ko lets user mode
 * at them; on other processors it counts through libntime whatever of these events they have.
 * rpi_pmu(3) tells what is counted where.
 *
 * One measurement at a time: the three calls belong to one thread. A child of fork(2) measures for
 * itself; what its parent has started is not its own.
 */
#ifndef RPI_PMU_H
#define RPI_PMU_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Events of the ARM1176JZF-S (its technical reference manual, "Performance Monitor Control
 * Register").
 */
#define ARMV6_EVENT_ICACHE_MISS 0x0
#define ARMV6_EVENT_IBUF_STALL 0x1
#define ARMV6_EVENT_DDEP_STALL 0x2
#define ARMV6_EVENT_ITLB_MISS 0x3
#define ARMV6_EVENT_DTLB_MISS 0x4
#define ARMV6_EVENT_BR_EXEC 0x5
#define ARMV6_EVENT_BR_MISPREDICT 0x6
#define ARMV6_EVENT_INSTR_EXEC 0x7
#define ARMV6_EVENT_DCACHE_HIT 0x9
#define ARMV6_EVENT_DCACHE_ACCESS 0xa
#define ARMV6_EVENT_DCACHE_MISS 0xb
#define ARMV6_EVENT_DCACHE_WBACK 0xc
#define ARMV6_EVENT_SW_PC_CHANGE 0xd
#define ARMV6_EVENT_MAIN_TLB_MISS 0xf
#define ARMV6_EVENT_EXPL_D_ACCESS 0x10
#define ARMV6_EVENT_LSU_FULL_STALL 0x11
#define ARMV6_EVENT_WBUF_DRAINED 0x12
/* Known to the ARM1176 only. */
#define ARMV6_EVENT_NOP 0x20
#define ARMV6_EVENT_CALL_EXEC 0x23
#define ARMV6_EVENT_RET_EXEC 0x24
#define ARMV6_EVENT_RET_PREDICT 0x25
#define ARMV6_EVENT_RET_MISPREDICT 0x26
#define ARMV6_EVENT_CPU_CYCLES 0xff

/* Marks what the library exports. */
#define RPI_PMU_API __attribute__((visibility("default")))

/* What get_counts() gives in place of a count that nobody can vouch for. */
#define RPI_PMU_NO_COUNT UINT64_MAX

/**
 * start_counting() - clear, select and start; the cycle counter always runs
 * @evt0:	what counter 0 counts: ARMV6_EVENT_...
 * @evt1:	what counter 1 counts
 *
 * Forgets what was counted before; a measurement that still runs is ended. What cannot be counted
 * is told by print_counts() and rpi_pmu_error(), and the program goes on. Since 0.1.
 */
RPI_PMU_API void start_counting(int evt0, int evt1);

/**
 * stop_counting() - stop, and remember counts and overflow flags. Nothing happens where nothing was
 * started. Since 0.1.
 */
RPI_PMU_API void stop_counting(void);

/**
 * get_counts() - what the last start_counting() to stop_counting() has counted
 * @cycles:	in units of 64 cycles of the processor, on every processor
 * @evt0:	of the events
 * @evt1:	of the events
 *
 * NULL is what is not wanted. A count that is absent, or is not valid because its counter
 * overflowed, is RPI_PMU_NO_COUNT. Since 0.1.
 */
RPI_PMU_API void get_counts(uint64_t *cycles, uint64_t *evt0, uint64_t *evt1);

/** print_counts() - the same for people, with a reason in place of what is absent. Since 0.1. */
RPI_PMU_API void print_counts(FILE *out);

/**
 * rpi_pmu_error() - why something was not counted
 *
 * Return: what is missing from the last measurement, why, and what to do, one sentence for each; ""
 * when all was counted. Valid until the next call of start_counting() or stop_counting(). Since
 * 0.1; not part of the original package.
 */
RPI_PMU_API const char *rpi_pmu_error(void);

#ifdef __cplusplus
}
#endif
#endif
