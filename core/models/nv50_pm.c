// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A domain of PCOUNTER in QUAD mode. Registers: core/regs/nv50_pcounter.c. Behaviour is written
 * from envytools' documentation of PCOUNTER; what that leaves open is in the header.
 */
#include "core/models/nv50_pm.h"

#define FIRST 0xa400u /* PRE_SRC of domain 0: .reg[] begins here */
#define STEP 0x20u    /* from register to register of a domain */
#define SIG_STATUS 0xa800u
#define SIG_STATUS_STEP 0x20u /* from domain to domain */

/* Places in .reg[]. SRC and OP of input n, in the order of enum input, are 2 n and 2 n + 1. */
#define REG(addr) (((addr)-FIRST) / STEP)
#define PRE_OP REG(0xa420)
#define SRC_STATUS REG(0xa540)
#define SPEC_SRC REG(0xa560)
#define CTR_CYCLES REG(0xa600)
#define CTR_CYCLES_ALT REG(0xa640)
#define CTR_EVENT REG(0xa680)
#define CTR_START REG(0xa6c0)
#define CTR_PRE REG(0xa700)
#define CTR_STOP REG(0xa740)
#define CTRL REG(0xa7c0)
#define QUAD_ACK_TRIGGER REG(0xa7e0)

#define CTRL_MODE 0x3u
#define MODE_QUAD 1
#define CTRL_CTR_MODE(ctrl) ((ctrl) >> 4 & 7)
#define CTRL_QUAD_STATE 24
#define SPEC_SWAP 0xffu
#define ACK 1u

#define PM_TRIGGER 0x10u /* so many before the last wire of the trailer */

enum input { IN_PRE, IN_START, IN_EVENT, IN_STOP };
enum ctr_mode { SIMPLE, EVENT_B4, EVENT_B6 };

/* Two bits: a period was not acknowledged, and one before it neither. */
enum quad_state { EMPTY = 0, VALID = 1, OVERFLOW = 3 };

/* The chip's rows of the registers from FIRST on. */
static const struct nthw_table *find_rows(const struct nthw_nv_chip *chip)
{
	uint32_t index;
	size_t i;

	for (i = 0; i < chip->place_count; i++) {
		const struct nthw_nv_place *place = &chip->places[i];

		if (!place->base && nthw_table_find(&place->table->rows, FIRST, &index))
			return &place->table->rows;
	}
	return NULL;
}

void ntm_nv50_pm_init(struct ntm_nv50_pm *m, const struct nthw_nv_chip *chip, uint32_t number)
{
	memset(m, 0, sizeof(*m));
	m->chip = chip;
	m->rows = find_rows(chip);
	m->number = number;
	/* On G80, which has no such register, this is how it is wired. */
	m->reg[SPEC_SRC] = chip->last[number] - PM_TRIGGER;
}

/* The row of @addr if it is this domain's; rows with one instance are all domains'. */
static const struct nthw_reg *row(const struct ntm_nv50_pm *m, uint32_t addr)
{
	uint32_t index;
	const struct nthw_reg *reg = nthw_table_find(m->rows, addr, &index);

	return reg && reg->step && index == m->number ? reg : NULL;
}

/* Is @addr one of the domain's SIG_STATUS, and which? */
static bool is_sig_status(const struct ntm_nv50_pm *m, uint32_t addr, uint32_t *index)
{
	uint32_t first = SIG_STATUS + SIG_STATUS_STEP * m->number;

	return addr >= first &&
	       nthw_table_find(&nthw_nv_signals.rows, addr - first + SIG_STATUS, index);
}

static uint32_t wire(const struct ntm_nv50_pm *m, uint32_t number)
{
	return m->wires[number / 32] >> number % 32 & 1;
}

/* The four wires that @input selects, argument 0 in bit 0. */
static uint32_t levels(const struct ntm_nv50_pm *m, enum input input)
{
	uint32_t src = m->reg[2 * input], i, all = 0;

	for (i = 0; i < 4; i++)
		all |= wire(m, src >> 8 * i & 0xff) << i;
	return all;
}

static uint32_t output(const struct ntm_nv50_pm *m, enum input input)
{
	return m->reg[2 * input + 1] >> levels(m, input) & 1;
}

int ntm_nv50_pm_read(const struct ntm_nv50_pm *m, uint32_t addr, uint32_t *value)
{
	uint32_t index;

	if (is_sig_status(m, addr, &index)) {
		*value = m->wires[index];
		return 0;
	}
	if (!row(m, addr))
		return NTM_NOT_MINE;
	index = REG(addr);
	switch (index) {
	case SRC_STATUS:
		*value = levels(m, IN_PRE) | levels(m, IN_START) << 4 | levels(m, IN_EVENT) << 8 |
			 levels(m, IN_STOP) << 12;
		break;
	case CTR_CYCLES:
	case CTR_CYCLES_ALT:
		*value = m->shown[NTM_NV50_CYCLES];
		break;
	case CTR_EVENT:
		*value = m->shown[NTM_NV50_EVENT];
		break;
	case CTR_START:
		*value = m->shown[NTM_NV50_START];
		break;
	case CTR_PRE: /* what was written to it and to CTR_STOP SINGLE mode alone would use */
		*value = m->shown[NTM_NV50_PRE];
		break;
	case CTR_STOP:
		*value = m->shown[NTM_NV50_STOP];
		break;
	case CTRL:
		*value = m->reg[CTRL] | m->state << CTRL_QUAD_STATE;
		break;
	default:
		*value = m->reg[index];
	}
	return 0;
}

int ntm_nv50_pm_write(struct ntm_nv50_pm *m, uint32_t addr, uint32_t value)
{
	const struct nthw_reg *reg = row(m, addr);
	uint32_t index;

	if (!reg)
		return is_sig_status(m, addr, &index) ? 0 : NTM_NOT_MINE;
	index = REG(addr);
	m->reg[index] = value & (uint32_t)nthw_reg_stored(reg);
	if (index == PRE_OP && m->chip->family != NTHW_NV_G80)
		m->is_swapping = true;
	if (index == QUAD_ACK_TRIGGER && (value & ACK))
		m->state >>= 1; /* OVERFLOW, VALID, EMPTY */
	return 0;
}

void ntm_nv50_pm_trigger(struct ntm_nv50_pm *m)
{
	m->is_triggered = true;
}

/* The trailer ends with a word, and begins inside of it with the wire that is always 0. */
static void set_wires(struct ntm_nv50_pm *m, const uint32_t wires[NTM_NV50_WIRE_WORDS])
{
	uint32_t last = m->chip->last[m->number], trigger = last - PM_TRIGGER;
	uint32_t below = (1u << nthw_nv_zero(m->chip, m->number) % 32) - 1;

	memcpy(m->wires, wires, sizeof(m->wires));
	m->wires[last / 32] &= below;
	if (m->is_triggered)
		m->wires[trigger / 32] |= 1u << trigger % 32;
}

static bool is_counting(const struct ntm_nv50_pm *m)
{
	return (m->reg[CTRL] & CTRL_MODE) == MODE_QUAD;
}

/* Level of the SWAP input: a level of 1 swaps in every clock. */
static bool is_swap_high(const struct ntm_nv50_pm *m)
{
	return wire(m, m->reg[SPEC_SRC] & SPEC_SWAP);
}

/* What EVENT adds in a clock in which its input is 1. The bits are the wires, not the arguments. */
static uint32_t event_amount(const struct ntm_nv50_pm *m)
{
	switch (CTRL_CTR_MODE(m->reg[CTRL])) {
	case SIMPLE:
		return 1;
	case EVENT_B4:
		return levels(m, IN_START);
	case EVENT_B6:
		return levels(m, IN_START) | levels(m, IN_EVENT) >> 2 << 4;
	default:
		return 0;
	}
}

/* @clocks clocks with the wires as they are. Counters stick at their largest value. */
static void count(struct ntm_nv50_pm *m, uint64_t clocks)
{
	const uint32_t add[NTM_NV50_COUNTERS] = {
		[NTM_NV50_CYCLES] = 1,
		[NTM_NV50_PRE] = output(m, IN_PRE),
		[NTM_NV50_START] = output(m, IN_START),
		[NTM_NV50_EVENT] = output(m, IN_EVENT) * event_amount(m),
		[NTM_NV50_STOP] = output(m, IN_STOP),
	};
	uint32_t i;

	if (clocks > UINT32_MAX) /* fills whatever counts at all */
		clocks = UINT32_MAX;
	for (i = 0; i < NTM_NV50_COUNTERS; i++) {
		uint64_t sum = m->shadow[i] + add[i] * clocks;

		m->shadow[i] = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
	}
}

static void swap(struct ntm_nv50_pm *m)
{
	memcpy(m->shown, m->shadow, sizeof(m->shown));
	memset(m->shadow, 0, sizeof(m->shadow));
	m->state = m->state == EMPTY ? VALID : OVERFLOW;
}

static void step(struct ntm_nv50_pm *m, const uint32_t wires[NTM_NV50_WIRE_WORDS])
{
	set_wires(m, wires);
	if (is_counting(m)) {
		if (is_swap_high(m) || m->is_swapping)
			swap(m);
		count(m, 1);
	}
	m->is_triggered = false;
	m->is_swapping = false;
}

/*
 * The first clock may have a trigger or a write of PRE_OP, from the second one on all are the same.
 * If these swap, then each from the third one on leaves what it found: OVERFLOW, and in the
 * counters one clock each.
 */
void ntm_nv50_pm_advance(struct ntm_nv50_pm *m, const uint32_t wires[NTM_NV50_WIRE_WORDS],
			 uint64_t clocks)
{
	uint32_t i;

	for (i = 0; i < 3 && clocks; i++, clocks--)
		step(m, wires);
	if (clocks && is_counting(m) && !is_swap_high(m))
		count(m, clocks);
}
