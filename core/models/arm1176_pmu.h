/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The performance monitor of the ARM1176: a cycle counter and two event counters of 32 bits behind
 * one control register, and the bit that lets user mode at them. Registers and their addresses:
 * core/regs/arm.c, table nthw_arm1176.
 *
 * Not modelled, and what happens instead:
 * - Events other than 0x07 (instructions executed) and 0xff (cycles): their counters stand still.
 *   That includes 0x20 and 0x22, with which Linux parks a counter; nobody drives the event bus
 *   here.
 * - Time: how many cycles an instruction takes is the caller's word.
 * - The export of events (bit 11): kept, without effect.
 * - The system validation registers, which use the same three counters on silicon.
 * - Secure debug: on silicon nothing counts where non-invasive debug is not permitted, and nothing
 *   in Debug state.
 * - What the divider by 64 holds when it is switched on: here 0, as after a reset of the cycle
 *   counter. Silicon may be up to 63 cycles away from that.
 */
#ifndef NTM_ARM1176_PMU_H
#define NTM_ARM1176_PMU_H

#include "core/models/ntm.h"

/* Zero-initialised or after ntm_arm1176_pmu_reset(): as the processor leaves its reset. */
struct ntm_arm1176_pmu {
	uint32_t access; /* bit 0: V */
	uint32_t pmcr;
	uint32_t ccr;
	uint32_t cr[2];
	uint32_t divider; /* cycles since the cycle counter's last step, while it is divided */
};

void ntm_arm1176_pmu_reset(struct ntm_arm1176_pmu *p);

/* The processor ran @instructions in @cycles under what the registers say now. */
void ntm_arm1176_pmu_advance(struct ntm_arm1176_pmu *p, uint64_t instructions, uint64_t cycles);

/*
 * MRC and MCR of the register at @addr, NTHW_CP15(...), in a privileged mode or in user mode. 0,
 * NTM_NOT_MINE, or NTM_REFUSED: the instruction is undefined. Bits of @value above 31 are ignored.
 */
int ntm_arm1176_pmu_read(const struct ntm_arm1176_pmu *p, uint32_t addr, bool is_privileged,
			 uint64_t *value);
int ntm_arm1176_pmu_write(struct ntm_arm1176_pmu *p, uint32_t addr, bool is_privileged,
			  uint64_t value);

/* Would user mode be let at the register at @addr? */
bool ntm_arm1176_pmu_is_allowed(const struct ntm_arm1176_pmu *p, uint32_t addr, bool is_privileged);

/* The level of the interrupt line: an overflow flag stands whose interrupt is enabled. */
bool ntm_arm1176_pmu_has_interrupt(const struct ntm_arm1176_pmu *p);

#endif
