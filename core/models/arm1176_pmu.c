// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The performance monitor of the ARM1176. Behaviour: as Linux' driver perf_event_v6.c uses it, the
 * rest from memory; the manual (ARM DDI 0301H) was not opened.
 */
#include "core/regs/regs.h"
#include "core/models/arm1176_pmu.h"

#define ACCESS NTHW_CP15(15, 0, 9, 0)
#define PMCR NTHW_CP15(15, 0, 12, 0)
#define CCR NTHW_CP15(15, 0, 12, 1)
#define CR0 NTHW_CP15(15, 0, 12, 2)

#define ACCESS_V 0x1u
#define PMCR_E 0x1u
#define PMCR_P 0x2u
#define PMCR_C 0x4u
#define PMCR_D 0x8u
#define PMCR_FLAGS 0x700u
#define PMCR_FLAG(counter) (0x100u << (counter)) /* 0 and 1: count registers, 2: cycles */
#define PMCR_INTERRUPTS_SHIFT 4			 /* of the same three */
#define PMCR_FLAGS_SHIFT 8
#define CYCLES 2u /* counter number of the cycle counter */

#define EVENT_INSTRUCTIONS 0x07u
#define EVENT_CYCLES 0xffu
#define DIVIDE_BY 64u

/* Row and instance of @addr; NULL when the monitor has no such register. */
static const struct nthw_reg *find(uint32_t addr, uint32_t *index)
{
	return nthw_table_find(&nthw_arm1176, addr, index);
}

static uint32_t reset_of(uint32_t addr)
{
	return (uint32_t)nthw_table_reset(&nthw_arm1176, addr);
}

void ntm_arm1176_pmu_reset(struct ntm_arm1176_pmu *p)
{
	*p = (struct ntm_arm1176_pmu){ .access = reset_of(ACCESS),
				       .pmcr = reset_of(PMCR),
				       .ccr = reset_of(CCR),
				       .cr = { reset_of(CR0), reset_of(CR0) } };
}

static void count(struct ntm_arm1176_pmu *p, uint32_t *counter, unsigned int number, uint64_t more)
{
	uint64_t left = (uint64_t)UINT32_MAX - *counter;

	if (more > left)
		p->pmcr |= PMCR_FLAG(number);
	*counter += (uint32_t)more;
}

static void count_cycles(struct ntm_arm1176_pmu *p, uint64_t cycles)
{
	uint64_t steps = cycles;

	if (p->pmcr & PMCR_D) {
		uint32_t rest = p->divider + (uint32_t)(cycles % DIVIDE_BY);

		steps = cycles / DIVIDE_BY + rest / DIVIDE_BY;
		p->divider = rest % DIVIDE_BY;
	}
	count(p, &p->ccr, CYCLES, steps);
}

void ntm_arm1176_pmu_advance(struct ntm_arm1176_pmu *p, uint64_t instructions, uint64_t cycles)
{
	/* PMCR 27:20 is the event of count register 0, 19:12 that of 1. */
	const uint32_t events[2] = { p->pmcr >> 20 & 0xff, p->pmcr >> 12 & 0xff };
	unsigned int i;

	if (!(p->pmcr & PMCR_E))
		return;
	count_cycles(p, cycles);
	for (i = 0; i < 2; i++) {
		if (events[i] == EVENT_INSTRUCTIONS)
			count(p, &p->cr[i], i, instructions);
		else if (events[i] == EVENT_CYCLES)
			count(p, &p->cr[i], i, cycles);
	}
}

bool ntm_arm1176_pmu_is_allowed(const struct ntm_arm1176_pmu *p, uint32_t addr, bool is_privileged)
{
	return is_privileged || (addr != ACCESS && p->access & ACCESS_V);
}

int ntm_arm1176_pmu_read(const struct ntm_arm1176_pmu *p, uint32_t addr, bool is_privileged,
			 uint64_t *value)
{
	uint32_t index;

	if (!find(addr, &index))
		return NTM_NOT_MINE;
	if (!ntm_arm1176_pmu_is_allowed(p, addr, is_privileged))
		return NTM_REFUSED;
	switch (addr - index) {
	case ACCESS:
		*value = p->access;
		break;
	case PMCR:
		*value = p->pmcr;
		break;
	case CCR:
		*value = p->ccr;
		break;
	default:
		*value = p->cr[index];
		break;
	}
	return 0;
}

static void write_pmcr(struct ntm_arm1176_pmu *p, uint32_t stored, uint32_t value)
{
	bool was_divided = p->pmcr & PMCR_D;

	/* Flags: 1 clears, 0 leaves. The resets do not last. */
	p->pmcr = (value & stored) | (p->pmcr & PMCR_FLAGS & ~value);
	if (value & PMCR_P)
		p->cr[0] = p->cr[1] = 0;
	if (value & PMCR_C)
		p->ccr = 0;
	if (value & PMCR_C || (value & PMCR_D && !was_divided))
		p->divider = 0;
}

int ntm_arm1176_pmu_write(struct ntm_arm1176_pmu *p, uint32_t addr, bool is_privileged,
			  uint64_t value)
{
	const struct nthw_reg *reg;
	uint32_t index, stored;

	reg = find(addr, &index);
	if (!reg)
		return NTM_NOT_MINE;
	if (!ntm_arm1176_pmu_is_allowed(p, addr, is_privileged))
		return NTM_REFUSED;
	stored = (uint32_t)nthw_reg_stored(reg);
	switch (addr - index) {
	case ACCESS:
		p->access = (uint32_t)value & stored;
		break;
	case PMCR:
		write_pmcr(p, stored, (uint32_t)value);
		break;
	case CCR:
		p->ccr = (uint32_t)value & stored;
		break;
	default:
		p->cr[index] = (uint32_t)value & stored;
		break;
	}
	return 0;
}

bool ntm_arm1176_pmu_has_interrupt(const struct ntm_arm1176_pmu *p)
{
	return (p->pmcr >> PMCR_FLAGS_SHIFT & p->pmcr >> PMCR_INTERRUPTS_SHIFT & 7) != 0;
}
