// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The monitor of the ARM1176. Registers: core/regs/arm.c.
 *
 * One register has everything: what both count registers count, the one enable bit of all three
 * counters, their interrupts and their flags of overflow, which a 1 clears and a 0 leaves. So it is
 * written as it was read but for the flags and resets.
 */
#include "core/seq/core_ops.h"

#define PMCR NTHW_CP15(15, 0, 12, 0)
#define CCR NTHW_CP15(15, 0, 12, 1)
#define CR0 NTHW_CP15(15, 0, 12, 2)

#define PMCR_E 0x1ull
#define PMCR_RESETS 0x6ull
#define PMCR_D 0x8ull
#define PMCR_INTERRUPTS 0x70ull
#define PMCR_FLAGS 0x700ull
#define PMCR_ACTIONS (PMCR_RESETS | PMCR_FLAGS) /* of which a 1 does something */

#define CYCLES 2u /* number of the cycle counter among flags and interrupts */

static uint32_t number_of(uint32_t counter)
{
	return nthw_core_is_fixed(counter) ? CYCLES : counter;
}

static uint64_t to_flags(uint64_t set)
{
	return ((set & 3) | (set >> NTHW_CORE_FIXED & 1) << CYCLES) << 8;
}

static uint64_t to_set(uint64_t flags)
{
	return (flags >> 8 & 3) | (flags >> (8 + CYCLES) & 1) << NTHW_CORE_FIXED;
}

/* Where the event of count register @n stands. */
static uint32_t event_shift(uint32_t n)
{
	return n ? 12 : 20;
}

static int get(const struct nthw_core *core, uint32_t address, uint64_t *value)
{
	return nthw_core_get(core, NTHW_SPACE_CP15, address, value);
}

static int put(const struct nthw_core *core, uint32_t address, uint64_t value)
{
	return nthw_core_put(core, NTHW_SPACE_CP15, address, value);
}

static uint32_t count_address(uint32_t counter)
{
	return nthw_core_is_fixed(counter) ? CCR : CR0 + counter;
}

static void arm1176_address(const struct nthw_core_pmu *pmu, uint32_t counter,
			    enum nthw_space *space, uint32_t *address)
{
	(void)pmu;
	*space = NTHW_SPACE_CP15;
	*address = count_address(counter);
}

static int arm1176_find_free(const struct nthw_core *core, uint64_t *free)
{
	uint64_t pmcr;
	int ret = get(core, PMCR, &pmcr);

	if (!ret)
		*free = pmcr & PMCR_E ? 0 : nthw_core_counters(core->pmu);
	return ret;
}

static uint64_t saved_count(const struct nthw_core_state *state, uint32_t counter)
{
	return nthw_core_is_fixed(counter) ? state->fixed_count[0] : state->count[counter];
}

/* All that there is: what one counter does, the others do as well. */
static int save(const struct nthw_core *core, uint64_t pmcr, struct nthw_core_state *state)
{
	int ret = get(core, CCR, &state->fixed_count[0]);

	if (!ret)
		ret = get(core, CR0, &state->count[0]);
	if (!ret)
		ret = get(core, CR0 + 1, &state->count[1]);
	state->control = pmcr;
	return ret;
}

/* As it was @found, as far as the handle lets us. */
static int restore_pmcr(const struct nthw_core *core, uint64_t found)
{
	uint64_t now, back = found & ~PMCR_ACTIONS;
	int ret = get(core, PMCR, &now);

	if (ret)
		return ret;
	if (core->pmu->is_guarded)
		back = (back & ~PMCR_INTERRUPTS) | (now & back & PMCR_INTERRUPTS);
	return put(core, PMCR, back | (now & ~found & PMCR_FLAGS));
}

static int arm1176_program(const struct nthw_core *core, uint32_t counter,
			   const struct nthw_core_event *event, struct nthw_core_state *state)
{
	bool is_new = !(state->counters & nthw_core_bit(counter));
	uint64_t pmcr, wanted;
	int ret, undone;

	if (event->config & ~0xffull)
		return NTHW_EINVAL;
	if (!event->is_user || !event->is_kernel)
		return NTHW_ENOTSUP;
	ret = get(core, PMCR, &pmcr);
	if (ret)
		return ret;
	if (is_new && pmcr & PMCR_E)
		return NTHW_EBUSY;
	if (!state->counters)
		ret = save(core, pmcr, state);
	if (ret)
		return ret;
	wanted = pmcr & ~(PMCR_ACTIONS | 0x10ull << number_of(counter));
	if (nthw_core_is_fixed(counter)) {
		wanted &= ~PMCR_D; /* cycles are counted, not every 64th of them */
	} else {
		wanted &= ~(0xffull << event_shift(counter));
		wanted |= event->config << event_shift(counter);
	}
	ret = put(core, count_address(counter), 0);
	if (!ret)
		ret = put(core, PMCR, wanted);
	if (!ret || !is_new)
		return ret;
	undone = restore_pmcr(core, pmcr);
	undone = nthw_core_first(undone,
				 put(core, count_address(counter), saved_count(state, counter)));
	/* What could not be restored now is tried again by restoring. */
	if (undone)
		state->counters |= nthw_core_bit(counter);
	return ret;
}

static int arm1176_stop(const struct nthw_core *core, uint64_t set)
{
	uint64_t pmcr;
	int ret = get(core, PMCR, &pmcr);

	(void)set;
	if (ret || !(pmcr & PMCR_E))
		return ret;
	return put(core, PMCR, pmcr & ~(PMCR_ACTIONS | PMCR_E));
}

static int arm1176_start(const struct nthw_core *core, uint64_t set)
{
	uint64_t pmcr;
	int ret = get(core, PMCR, &pmcr);

	if (ret)
		return ret;
	ret = put(core, PMCR, (pmcr & ~PMCR_ACTIONS) | to_flags(set) | PMCR_E);
	if (ret)
		arm1176_stop(core, set);
	return ret;
}

static int arm1176_overflows(const struct nthw_core *core, uint64_t set, uint64_t *overflowed)
{
	uint64_t pmcr, flags;
	int ret = get(core, PMCR, &pmcr);

	if (ret)
		return ret;
	flags = pmcr & to_flags(set);
	if (flags)
		ret = put(core, PMCR, (pmcr & ~PMCR_ACTIONS) | flags);
	if (!ret)
		*overflowed = to_set(flags);
	return ret;
}

static int arm1176_restore(const struct nthw_core *core, const struct nthw_core_state *state)
{
	int ret = arm1176_stop(core, state->counters);

	ret = nthw_core_first(ret, put(core, CCR, state->fixed_count[0]));
	ret = nthw_core_first(ret, put(core, CR0, state->count[0]));
	ret = nthw_core_first(ret, put(core, CR0 + 1, state->count[1]));
	return nthw_core_first(ret, restore_pmcr(core, state->control));
}

const struct nthw_core_ops nthw_core_arm1176 = {
	.general_max = 2,
	.fixed_max = 1,
	.address = arm1176_address,
	.find_free = arm1176_find_free,
	.program = arm1176_program,
	.start = arm1176_start,
	.stop = arm1176_stop,
	.overflows = arm1176_overflows,
	.restore = arm1176_restore,
};
