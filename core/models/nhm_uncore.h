/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Uncore of one Nehalem or Westmere package: eight counters of 48 bits, a fixed one that counts
 * uncore clocks, global enable and overflow status. All CPUs of the package share it: the caller
 * serialises.
 *
 * What counts, because its truth is known to the caller:
 *
 *     uncore clocks                    the fixed counter
 *     UNC_QMC_NORMAL_READS             event 2ch umask 01h 02h 04h or several: reads of memory
 *                                      channel 0 to 2
 *     UNC_QMC_WRITES                   event 2fh umask 01h 02h 04h (full lines) 08h 10h 20h (parts
 *                                      of lines) or several: writes to them
 *     UNC_DRAM_THERMAL_THROTTLED       event 67h umask 01h: clocks in which memory was throttled
 *                                      (an event of Westmere, as are all below)
 *     UNC_THERMAL_THROTTLING_TEMP      event 80h umask 01h 02h 04h 08h or several: clocks in which
 *                                      core 0 to 3 was too hot
 *     UNC_THERMAL_THROTTLED_TEMP       event 81h, same umasks: clocks in which the core was
 *                                      throttled for that
 *     UNC_PROCHOT_ASSERTION            event 82h umask 01h: how often PROCHOT# was asserted
 *     UNC_THERMAL_THROTTLING_PROCHOT   event 83h, umasks of 80h: clocks in which the core was
 *                                      throttled for PROCHOT#
 *
 * What it does not model:
 * - any other event: the counter stands still. Queue occupancy is always 0, so its reset has
 *   nothing to do;
 * - edge, inv and threshold: a counter with one of them set stands still, whatever its event;
 * - interrupts, and freezing at them: their enables are kept, nothing is sent, status bit 61 is
 *   never set;
 * - address and opcode matching: the register is kept, nothing depends on it;
 * - the uncore of -EX, and counters in PCI space;
 * - which bits fault on silicon when a reserved one is written: here every reserved bit and the
 *   read-only status register do.
 */
#ifndef NTM_NHM_UNCORE_H
#define NTM_NHM_UNCORE_H

#include "core/models/ntm.h"

#define NTM_NHM_COUNTERS 8
#define NTM_NHM_CORES 4
#define NTM_NHM_CHANNELS 3

/* What happened in the package. */
struct ntm_nhm_work {
	uint64_t clocks;
	uint64_t memory_throttled;		/* clocks of these in which memory was throttled */
	uint64_t core_hot[NTM_NHM_CORES];	/* in which each core was too hot */
	uint64_t core_throttled[NTM_NHM_CORES]; /* was throttled for that */
	uint64_t core_prochot[NTM_NHM_CORES];	/* was throttled for PROCHOT# */
	uint64_t prochots;			/* assertions of PROCHOT# */
	uint64_t reads[NTM_NHM_CHANNELS], writes[NTM_NHM_CHANNELS],
		partial_writes[NTM_NHM_CHANNELS];
};

struct ntm_nhm_uncore {
	uint64_t select[NTM_NHM_COUNTERS];
	uint64_t count[NTM_NHM_COUNTERS];
	uint64_t fixed_count;
	uint64_t fixed_ctrl;
	uint64_t global_ctrl;
	uint64_t global_status;
	uint64_t match;
};

/* The state after reset; also makes it the first time. */
void ntm_nhm_uncore_reset(struct ntm_nhm_uncore *box);

/*
 * RDMSR and WRMSR from any CPU of the package: 0, NTM_NOT_MINE, or NTM_REFUSED for #GP (then
 * nothing changed). Advance first.
 */
int ntm_nhm_uncore_rdmsr(const struct ntm_nhm_uncore *box, uint32_t addr, uint64_t *value);
int ntm_nhm_uncore_wrmsr(struct ntm_nhm_uncore *box, uint32_t addr, uint64_t value);

/* Counters wrap at 48 bits and set their status bit; at most one wrap a call is told apart. */
void ntm_nhm_uncore_advance(struct ntm_nhm_uncore *box, const struct ntm_nhm_work *work);

#endif
