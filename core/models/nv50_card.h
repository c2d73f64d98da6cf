/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A graphics card with a chip of G80 to GT21x, as far as its counters can be reached: registers of
 * BAR 0.
 */
#ifndef NTM_NV50_CARD_H
#define NTM_NV50_CARD_H

#include "core/models/ntm.h"
#include "core/models/nv50_pm.h"

#define NTM_NV50_BAR_BYTES (16u << 20)
/* So many clocks of each domain an access of a register takes; all wires are 0 in them. */
#define NTM_NV50_ACCESS_CLOCKS 16

struct ntm_nv50_card {
	const struct nthw_nv_chip *chip;
	uint32_t domains;
	struct ntm_nv50_pm domain[NTHW_NV_DOMAINS];
	/* all registers that only keep what is written; the caller's, NTM_NV50_BAR_BYTES */
	uint32_t *bar;
};

/* Which wires of which domain are 1. */
struct ntm_nv50_wires {
	uint32_t of[NTHW_NV_DOMAINS][NTM_NV50_WIRE_WORDS];
};

/*
 * A card with all units that the die of @chip has. @bar is all zeros. False: the chip is none of
 * G80 to GT21x.
 */
bool ntm_nv50_card_init(struct ntm_nv50_card *card, const struct nthw_nv_chip *chip, uint32_t *bar);
/* What a board may have less of than the die. */
enum ntm_nv50_units {
	NTM_NV50_TPCS,
	NTM_NV50_ROPS, /* memory partitions */
	NTM_NV50_MPS,  /* of each TPC */
	NTM_NV50_KINDS,
};
/* How many of them the die of @chip has. */
uint32_t ntm_nv50_units_of(const struct nthw_nv_chip *chip, enum ntm_nv50_units kind);
/* A board with these of the die alone. False, and nothing is changed: it has no such, or none. */
bool ntm_nv50_card_keep(struct ntm_nv50_card *card, enum ntm_nv50_units kind, uint32_t mask);

/*
 * A register of 32 bits at byte offset @addr of BAR 0. NTM_NOT_MINE: not in the BAR, or not a
 * multiple of 4; no time goes by then.
 */
int ntm_nv50_card_read(struct ntm_nv50_card *card, uint32_t addr, uint32_t *value);
int ntm_nv50_card_write(struct ntm_nv50_card *card, uint32_t addr, uint32_t value);

/* The same in no time: what a vector says of accesses between two clocks. */
int ntm_nv50_card_peek(const struct ntm_nv50_card *card, uint32_t addr, uint32_t *value);
int ntm_nv50_card_poke(struct ntm_nv50_card *card, uint32_t addr, uint32_t value);

/* @clocks clocks of every domain, with these wires. */
void ntm_nv50_card_advance(struct ntm_nv50_card *card, const struct ntm_nv50_wires *wires,
			   uint64_t clocks);

/*
 * What the model made up: BOOT_0 of chips of which no board's value is known (all but G84, G86,
 * G94, GT215, GT218) has their id and stepping a1; DEBUG_1 keeps all bits but the trigger's.
 *
 * What it does not model: clocks of their own rate for each domain (all go by together); what a
 * domain is made of (the caller says which wires are 1, and looks at .bar for multiplexers); the
 * pulses by which accesses of registers show in domain 0; GCTRL, RECORD_CHAN and RECORD_DMA, which
 * only keep what is written; power and reset; accesses of other sizes than 32 bits, the other BARs,
 * configuration space, channels and methods. All other registers keep every bit that is written,
 * also those that silicon has read-only or has not; in PCOUNTER's range what this chip has no row
 * for reads 0 instead.
 */

#endif
