// SPDX-License-Identifier: MIT
/*
 * Programming the monitor of the ARM1176: what is written in which order, and when its counts can
 * be believed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "count/compat/rpi_pmu/arm1176.h"

#define EVENT0_SHIFT 20
#define EVENT1_SHIFT 12
#define EVENT_MASK 0xffu

/* At 700 MHz an undivided 32-bit cycle counter wraps after 6.1 s; divided it is 6.5 minutes. */
uint32_t rpi_pmcr_encode(unsigned int evt0, unsigned int evt1)
{
	return (evt0 & EVENT_MASK) << EVENT0_SHIFT | (evt1 & EVENT_MASK) << EVENT1_SHIFT |
	       RPI_PMCR_DIVIDE;
}

bool rpi_pmcr_has_overflowed(uint32_t pmcr, int counter)
{
	static const uint32_t flags[RPI_COUNTERS] = {
		[RPI_CYCLES] = RPI_PMCR_FLAG_CYCLES,
		[RPI_EVENT0] = RPI_PMCR_FLAG_EVENT0,
		[RPI_EVENT1] = RPI_PMCR_FLAG_EVENT1,
	};

	return pmcr & flags[counter];
}

int rpi_arm1176_start(struct rpi_arm1176 *m, const struct rpi_io *io, unsigned int evt0,
		      unsigned int evt1, char *why, size_t size)
{
	uint32_t found = io->read(io->arg, RPI_PMCR);

	/*
	 * Linux' driver enables the interrupt of each counter that it uses
	 * (arch/arm/kernel/perf_event_v6.c), this package never does: what runs without one was
	 * left by a program that died.
	 */
	if (found & RPI_PMCR_ENABLE && found & RPI_PMCR_INTERRUPTS) {
		(void)snprintf(why, size,
			       "perf counts with this processor's counters: end what runs under "
			       "perf and try again");
		return -EBUSY;
	}
	/*
	 * Linux does not reset the register before it counts: a divider left behind would divide
	 * perf's cycles.
	 */
	m->put_back = found & RPI_PMCR_ENABLE
			      ? 0
			      : found & RPI_PMCR_KEPT & ~(RPI_PMCR_ENABLE | RPI_PMCR_INTERRUPTS);
	m->control = rpi_pmcr_encode(evt0, evt1) | RPI_PMCR_ENABLE;
	io->write(io->arg, RPI_PMCR,
		  (m->control & ~RPI_PMCR_ENABLE) | RPI_PMCR_FLAGS | RPI_PMCR_RESET);
	if ((io->read(io->arg, RPI_PMCR) & RPI_PMCR_KEPT) != (m->control & ~RPI_PMCR_ENABLE)) {
		io->write(io->arg, RPI_PMCR, m->put_back);
		(void)snprintf(
			why, size,
			"the monitor of this processor does not keep what is written to it, "
			"as on an emulator that has none: count on hardware, or in the lab's "
			"guest rpi");
		return -EIO;
	}
	io->write(io->arg, RPI_PMCR, m->control);
	return 0;
}

int rpi_arm1176_stop(const struct rpi_arm1176 *m, const struct rpi_io *io,
		     struct rpi_count out[RPI_COUNTERS], char *why, size_t size)
{
	static const enum rpi_register registers[RPI_COUNTERS] = { RPI_CCR, RPI_CR0, RPI_CR1 };
	uint32_t seen = io->read(io->arg, RPI_PMCR), flags;

	/* Flags are written as 0, which leaves them. */
	io->write(io->arg, RPI_PMCR, m->control & ~RPI_PMCR_ENABLE);
	for (int i = 0; i < RPI_COUNTERS; i++)
		out[i].count = io->read(io->arg, registers[i]);
	flags = io->read(io->arg, RPI_PMCR);
	for (int i = 0; i < RPI_COUNTERS; i++)
		out[i].has_overflowed = rpi_pmcr_has_overflowed(flags, i);
	io->write(io->arg, RPI_PMCR, m->put_back | RPI_PMCR_FLAGS);
	if ((seen & RPI_PMCR_KEPT) == m->control)
		return 0;
	(void)snprintf(why, size,
		       "another program, perf or ntime.ko programmed the counters meanwhile: "
		       "measure again while no other program does");
	return -EIO;
}

bool rpi_is_arm1176(FILE *f)
{
	char line[256], *colon;

	/* Main ID register: primary part number 0xb76 (ARM1176JZF-S technical reference manual). */
	while (fgets(line, sizeof(line), f)) {
		colon = strchr(line, ':');
		if (colon && strncmp(line, "CPU part", 8) == 0)
			return strstr(colon, "0xb76") != NULL;
	}
	return false;
}
