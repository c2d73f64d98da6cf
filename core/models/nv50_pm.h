/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One domain of PCOUNTER of a graphics chip of G80 to GT21x: four inputs, each a function of four
 * wires, and five counters. Registers are the rows of the chip (core/regs/nv50_pcounter.c); which
 * wires are 1 in a clock the caller says.
 */
#ifndef NTM_NV50_PM_H
#define NTM_NV50_PM_H

#include "core/regs/nv50_chip.h"
#include "core/models/ntm.h"

#define NTM_NV50_WIRE_WORDS 8 /* 256 wires: wire w is bit w % 32 of word w / 32 */

enum ntm_nv50_counter {
	NTM_NV50_CYCLES,
	NTM_NV50_PRE,
	NTM_NV50_START,
	NTM_NV50_EVENT,
	NTM_NV50_STOP,
	NTM_NV50_COUNTERS,
};

struct ntm_nv50_pm {
	const struct nthw_nv_chip *chip;
	const struct nthw_table *rows; /* of PCOUNTER of this chip */
	uint32_t number;	       /* of the domain */
	uint32_t reg[32];	       /* what was written to 0xa400 + 0x20 i + 4 .number */
	uint32_t shadow[NTM_NV50_COUNTERS], shown[NTM_NV50_COUNTERS];
	uint32_t state;	   /* QUAD_STATE */
	bool is_triggered; /* PM_TRIGGER is 1 in the next clock */
	bool is_swapping;  /* PRE_OP was written: the next clock begins a period */
	uint32_t wires[NTM_NV50_WIRE_WORDS]; /* of the last clock, with the trailer's */
};

/* Domain @number of @chip, which has it, after reset. */
void ntm_nv50_pm_init(struct ntm_nv50_pm *m, const struct nthw_nv_chip *chip, uint32_t number);

/*
 * Accesses to a register of the domain; @addr is what the row gives for it (PRE_SRC of domain 2 is
 * 0xa408; SIG_STATUS[2][1] 0xa844). NTM_NOT_MINE: no row of this chip and domain has the address.
 */
int ntm_nv50_pm_read(const struct ntm_nv50_pm *m, uint32_t addr, uint32_t *value);
int ntm_nv50_pm_write(struct ntm_nv50_pm *m, uint32_t addr, uint32_t value);

/* Bit 5 of DEBUG_1 was written: PM_TRIGGER is 1 in the next clock of the domain. */
void ntm_nv50_pm_trigger(struct ntm_nv50_pm *m);

/*
 * @clocks clocks of the domain go by, in each of which @wires are as given. The wires of the
 * trailer are the domain's own: what @wires has for them is not looked at. Cost: a few clocks are
 * stepped one by one, the rest at once.
 */
void ntm_nv50_pm_advance(struct ntm_nv50_pm *m, const uint32_t wires[NTM_NV50_WIRE_WORDS],
			 uint64_t clocks);

/*
 * Where no source says it the model chose, and no program may depend on it: an event in the clock
 * of a swap belongs to the period that begins; an addend that jumps past 0xffffffff stops there;
 * after reset all registers are 0, but SPEC_SRC (G84 and later) selects PM_TRIGGER, as programs
 * that never write it get periods from a trigger.
 *
 * What it does not model: modes other than QUAD, in which counters stand still; the EXTRA modes of
 * CTR_MODE (EVENT counts nothing, START counts its input); bits 16 and up of the OP registers,
 * which are kept and do nothing (delays, arguments of a clock before, SETFLAG as argument); FLAG
 * and what SETFLAG_OP and CLRFLAG_OP do; wires of the trailer other than PM_TRIGGER, which are 0
 * (PERIODIC, WRCACHE_FLUSH, EVENT and FLAG of this and other domains); wires that software sets
 * (USER_TRIGGER); records; how long a trigger takes to cross into the domain. SRC_STATUS and
 * SIG_STATUS show the last clock.
 */

#endif
