/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a card that is a model works on: frames, and in them stretches of clocks in which wires are
 * 1. They are made up, in the manner of a program that draws, and the same whenever they are asked
 * for; wires of units are bits, so that nothing here knows signals of chips.
 */
#ifndef NTM_FRAMES_H
#define NTM_FRAMES_H

#include "core/regs/nv50_wires.h"
#include "models/nv50_card.h"

struct ntm_stretch {
	uint32_t clocks; /* of each domain */
	uint64_t wires;	 /* those that are 1: ntm_wire_bit() */
};

#define NTM_FRAME_STRETCHES_MAX 96

/* Frame @number; its stretches go to @out. Returns how many there are. */
size_t ntm_frame(uint64_t number, struct ntm_stretch out[NTM_FRAME_STRETCHES_MAX]);

/* What is 1 in a clock of a card that draws all the time. */
uint64_t ntm_busy_wires(void);

/* The bit of wire @wire of @unit. */
uint64_t ntm_wire_bit(const struct nthw_nv_wires *unit, uint32_t wire);

/* @wires as signals of @card, whose multiplexers are as they are now. */
void ntm_wires_of(uint64_t wires, const struct ntm_nv50_card *card, struct ntm_nv50_wires *out);

#endif
