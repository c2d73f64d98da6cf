// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A context's counters: methods, time, readings. */
#include "core/models/nv50_mp.h"
#include "core/regs/nv50_wires.h"

#define CONTROL_PULSE 1u

uint32_t ntm_nv50_mps_of(const struct ntm_nv50_card *card)
{
	uint32_t units = card->bar[NTHW_NV_UNITS / 4];

	return nthw_nv_all_mps(card->chip, nthw_nv_units_of(card->chip, NTHW_NV_TPC, units),
			       nthw_nv_units_of(card->chip, NTHW_NV_MP, units));
}

static bool is_high(const struct ntm_mp_signals *signals, uint32_t mp, uint32_t control)
{
	uint32_t unit = control >> 4 & 7, signal = control >> 24;
	size_t i;

	for (i = 0; i < signals->count; i++)
		if (signals->of[i].unit == unit && signals->of[i].signal == signal &&
		    (signals->of[i].mp == mp || signals->of[i].mp == NTM_MPS_MAX))
			return true;
	return false;
}

uint32_t ntm_nv50_context_slots(const struct ntm_nv50_context *c,
				const struct ntm_mp_signals *signals, uint32_t mp)
{
	uint32_t i, arguments = 0, out = 0;

	if (!(c->mps >> mp & 1))
		return 0;
	for (i = 0; i < NTHW_NV_MP_SLOTS; i++)
		arguments |= (uint32_t)is_high(signals, mp, c->control[i]) << i;
	for (i = 0; i < NTHW_NV_MP_SLOTS; i++)
		out |= (c->control[i] >> 8 >> arguments & 1) << i;
	return out;
}

void ntm_nv50_context_advance(struct ntm_nv50_context *c, const struct ntm_mp_signals *signals,
			      uint64_t clocks)
{
	uint32_t mp, i;

	if (!clocks)
		return;
	for (mp = 0; mp < NTM_MPS_MAX; mp++) {
		uint32_t now = ntm_nv50_context_slots(c, signals, mp);
		uint32_t rises = now & ~(uint32_t)c->was_high[mp];

		for (i = 0; i < NTHW_NV_MP_SLOTS; i++)
			c->count[mp][i] += c->control[i] & CONTROL_PULSE ? rises >> i & 1
					   : now >> i & 1		 ? (uint32_t)clocks
									 : 0;
		c->was_high[mp] = (uint8_t)now;
	}
	c->clocks += clocks;
}

/* What @slot has counted since it was taken last. */
static uint64_t take(struct ntm_nv50_channel *c, uint32_t slot)
{
	uint32_t only = c->configured[slot], mp;
	uint64_t sum = 0;

	for (mp = 0; mp < NTM_MPS_MAX; mp++) {
		uint32_t now = c->context->count[mp][slot];

		if (!only || only == mp + 1)
			sum += (uint32_t)(now - c->last[mp][slot]);
		c->last[mp][slot] = now;
	}
	return sum;
}

static int sample(struct ntm_nv50_channel *c)
{
	uint32_t i;

	c->taken[0] = c->context->clocks;
	for (i = 0; i < NTHW_NV_MP_SLOTS; i++)
		c->taken[1 + i] += take(c, i);
	return 0;
}

static int read_out(struct ntm_nv50_channel *c, uint32_t number)
{
	uint32_t at = NTHW_NV_MP_RING + number % NTM_MP_DEPTH * NTHW_NV_MP_READING_BYTES;
	uint32_t i;

	if (!number)
		return NTM_NOT_MINE;
	for (i = 0; i < NTHW_ARRAY_SIZE(c->taken); i++) {
		c->memory[(at + NTHW_NV_MP_CLOCKS) / 4 + 2 * i] = (uint32_t)c->taken[i];
		c->memory[(at + NTHW_NV_MP_CLOCKS) / 4 + 2 * i + 1] = (uint32_t)(c->taken[i] >> 32);
	}
	c->memory[(at + NTHW_NV_MP_NUMBER) / 4] = number;
	c->memory[NTHW_NV_MP_LATEST / 4] = number;
	return 0;
}

static int configure(struct ntm_nv50_channel *c, uint32_t slot, uint32_t value)
{
	if (value > NTM_MPS_MAX || (value && !(c->context->mps >> (value - 1) & 1)))
		return NTM_NOT_MINE;
	(void)take(c, slot);
	c->configured[slot] = value;
	c->taken[1 + slot] = 0;
	return 0;
}

/* It begins anew: nothing is known of its function's last clock. */
static int control(struct ntm_nv50_context *c, uint32_t slot, uint32_t value)
{
	uint32_t mp;

	c->control[slot] = value;
	for (mp = 0; mp < NTM_MPS_MAX; mp++)
		c->was_high[mp] &= (uint8_t) ~(1u << slot);
	return 0;
}

int ntm_nv50_channel_method(struct ntm_nv50_channel *c, uint32_t method, uint32_t value)
{
	uint32_t slot = method / 4 % NTHW_NV_MP_SLOTS, mp;

	switch (method % 4 ? 0 : method) {
	case NTHW_NV_MP_SAMPLE:
		return sample(c);
	case NTHW_NV_MP_READ_OUT:
		return read_out(c, value);
	}
	/* Those of slots begin at multiples of 16. */
	switch (method % 4 ? 0 : method - 4 * slot) {
	case NTHW_NV_MP_CONFIGURE:
		return configure(c, slot, value);
	case NTHW_NV_MP_CONTROL:
	case NTHW_NV_MP_CONTROL_3D:
		return control(c->context, slot, value);
	case NTHW_NV_MP_SET:
	case NTHW_NV_MP_SET_3D:
		for (mp = 0; mp < NTM_MPS_MAX; mp++)
			c->context->count[mp][slot] = c->context->mps >> mp & 1 ? value : 0;
		return 0;
	}
	return NTM_NOT_MINE;
}

int ntm_nv50_channel_read(const struct ntm_nv50_channel *c, uint32_t address, uint32_t *value)
{
	if (address % 4 || address >= NTM_MP_MEMORY_BYTES)
		return NTM_NOT_MINE;
	*value = address == NTHW_NV_MP_DEPTH ? NTM_MP_DEPTH : c->memory[address / 4];
	return 0;
}
