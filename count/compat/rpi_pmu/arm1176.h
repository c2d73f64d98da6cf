/* SPDX-License-Identifier: MIT */
/*
 * The performance monitor of the ARM1176, over register access that is lent: the processor's own
 * instructions (cp15.c), or a model in tests. Registers: ARM1176JZF-S technical reference manual,
 * coprocessor 15, c15, c12.
 */
#ifndef RPI_ARM1176_H
#define RPI_ARM1176_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "count/compat/rpi_pmu/pmu.h"

/* The last number of "mrc p15, 0, Rt, c15, c12, N". */
enum rpi_register { RPI_PMCR, RPI_CCR, RPI_CR0, RPI_CR1 };

/* Of PMCR. Bits 6-4 would enable interrupts that nobody handles: no function here ever sets one. */
#define RPI_PMCR_ENABLE 0x001u	   /* E: all three counters run */
#define RPI_PMCR_RESET 0x006u	   /* P and C: counts to 0; read as 0 */
#define RPI_PMCR_DIVIDE 0x008u	   /* D: the cycle counter counts every 64th clock */
#define RPI_PMCR_INTERRUPTS 0x070u /* on overflow */
/* counter 0 overflowed; writing 1 clears, writing 0 leaves it */
#define RPI_PMCR_FLAG_EVENT0 0x100u
#define RPI_PMCR_FLAG_EVENT1 0x200u /* counter 1 */
#define RPI_PMCR_FLAG_CYCLES 0x400u /* the cycle counter */
#define RPI_PMCR_FLAGS 0x700u
#define RPI_PMCR_EXPORT 0x800u	  /* X: events go to the trace macrocell */
#define RPI_PMCR_KEPT 0x0ffff879u /* bits that read as they were written */

/* Selections and D as start_counting() wants them; nothing else is set. */
uint32_t rpi_pmcr_encode(unsigned int evt0, unsigned int evt1);
/* Flag of RPI_CYCLES, RPI_EVENT0 or RPI_EVENT1. */
bool rpi_pmcr_has_overflowed(uint32_t pmcr, int counter);

/* Register access that the caller lends. */
struct rpi_io {
	uint32_t (*read)(void *arg, enum rpi_register reg);
	void (*write)(void *arg, enum rpi_register reg, uint32_t value);
	void *arg;
};

/* One measurement. */
struct rpi_arm1176 {
	uint32_t control;  /* what PMCR holds while it runs */
	uint32_t put_back; /* what it gets at the end */
};

/*
 * Clear, select, start. 0; -EBUSY: perf counts with these registers; -EIO: PMCR does not keep what
 * is written, so nothing can be counted.
 * @why gets the sentence. After an error the monitor is as it was found.
 */
int rpi_arm1176_start(struct rpi_arm1176 *m, const struct rpi_io *io, unsigned int evt0,
		      unsigned int evt1, char *why, size_t size);

/*
 * Stop, take counts and flags, put back what was there. 0, or -EIO: somebody else programmed the
 * monitor meanwhile, and @why says so; @out is then not to be used.
 */
int rpi_arm1176_stop(const struct rpi_arm1176 *m, const struct rpi_io *io,
		     struct rpi_count out[RPI_COUNTERS], char *why, size_t size);

/* Is /proc/cpuinfo, open as @f, that of an ARM1176? */
bool rpi_is_arm1176(FILE *f);

#endif
