// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The architected monitor of ARMv7 and ARMv8. Registers: core/regs/armv7.c and armv8.c.
 *
 * Each counter has a bit in one register that sets enables and in one that clears them, so nothing
 * that is shared has to be read first, and one write starts or stops a set. PMCR.E allows all of
 * them; where it was clear it is set last, and cleared again when all is restored.
 */
#include "core/seq/core_ops.h"

/* The registers of either form that mean the same. */
struct map {
	enum nthw_space space; /* of these */
	uint32_t control, enable_set, enable_clear, overflow, cycles;
};

static const struct map armv7 = {
	NTHW_SPACE_CP15,	NTHW_CP15(9, 0, 12, 0), NTHW_CP15(9, 0, 12, 1),
	NTHW_CP15(9, 0, 12, 2), NTHW_CP15(9, 0, 12, 3), NTHW_CP15(9, 0, 13, 0),
};
static const struct map armv8 = {
	NTHW_SPACE_SYSREG,	     NTHW_SYSREG(3, 3, 9, 12, 0), NTHW_SYSREG(3, 3, 9, 12, 1),
	NTHW_SYSREG(3, 3, 9, 12, 2), NTHW_SYSREG(3, 3, 9, 12, 3), NTHW_SYSREG(3, 3, 9, 13, 0),
};

/* number of the cycle counter: its bit, and the place of its filter among the types */
#define CYCLES 31u

#define CONTROL_E 1ull
#define CONTROL_P 2ull
#define CONTROL_C 4ull
#define CONTROL_D 8ull
#define CONTROL_RESETS                                                                             \
	(CONTROL_P | CONTROL_C) /* written as 1 they reset counters, whatever was read */

#define TYPE_NOT_KERNEL (1ull << 31)
#define TYPE_NOT_USER (1ull << 30)
#define TYPE_EL2 (1ull << 27)

#define PMSEL_TYPE 0x20u

static bool is_v8(const struct nthw_core *core)
{
	return core->pmu->kind == NTHW_CORE_ARMV8;
}

static const struct map *map_of(const struct nthw_core *core)
{
	return is_v8(core) ? &armv8 : &armv7;
}

static int get(const struct nthw_core *core, uint32_t address, uint64_t *value)
{
	return nthw_core_get(core, map_of(core)->space, address, value);
}

static int put(const struct nthw_core *core, uint32_t address, uint64_t value)
{
	return nthw_core_put(core, map_of(core)->space, address, value);
}

static uint32_t number_of(uint32_t counter)
{
	return nthw_core_is_fixed(counter) ? CYCLES : counter;
}

/* A set of counters as the enable and overflow registers have it, and back. */
static uint64_t to_bits(uint64_t set)
{
	return (set & 0x7fffffff) | (set >> NTHW_CORE_FIXED & 1) << CYCLES;
}

static uint64_t to_set(uint64_t bits)
{
	return (bits & 0x7fffffff) | (bits >> CYCLES & 1) << NTHW_CORE_FIXED;
}

static void arm_address(const struct nthw_core_pmu *pmu, uint32_t counter, enum nthw_space *space,
			uint32_t *address)
{
	bool is_64 = pmu->kind == NTHW_CORE_ARMV8;

	*space = is_64 ? NTHW_SPACE_SYSREG : NTHW_SPACE_CP15;
	if (nthw_core_is_fixed(counter)) {
		*address = is_64 ? armv8.cycles : armv7.cycles;
		return;
	}
	*address = NTHW_SYSREG(3, 3, 14, 8 + counter / 8, counter % 8);
	if (is_64)
		return;
	*space = NTHW_SPACE_PMSEL;
	*address = counter;
}

static int get_count(const struct nthw_core *core, uint32_t counter, uint64_t *value)
{
	enum nthw_space space;
	uint32_t address;

	arm_address(core->pmu, counter, &space, &address);
	return nthw_core_get(core, space, address, value);
}

static int put_count(const struct nthw_core *core, uint32_t counter, uint64_t value)
{
	enum nthw_space space;
	uint32_t address;

	arm_address(core->pmu, counter, &space, &address);
	return nthw_core_put(core, space, address, value);
}

/* Type of counter @number, or the filter of the cycle counter. */
static int get_type(const struct nthw_core *core, uint32_t number, uint64_t *value)
{
	if (is_v8(core))
		return get(core, NTHW_SYSREG(3, 3, 14, 12 + number / 8, number % 8), value);
	return nthw_core_get(core, NTHW_SPACE_PMSEL, PMSEL_TYPE + number, value);
}

static int put_type(const struct nthw_core *core, uint32_t number, uint64_t value)
{
	if (is_v8(core))
		return put(core, NTHW_SYSREG(3, 3, 14, 12 + number / 8, number % 8), value);
	return nthw_core_put(core, NTHW_SPACE_PMSEL, PMSEL_TYPE + number, value);
}

static bool has_filter(const struct nthw_core *core)
{
	return is_v8(core) || core->pmu->has_filter;
}

/* The cycle counter without filter has no register that says what it counts. */
static bool has_type(const struct nthw_core *core, uint32_t counter)
{
	return !nthw_core_is_fixed(counter) || has_filter(core);
}

static uint64_t *saved_type(struct nthw_core_state *state, uint32_t counter)
{
	return nthw_core_is_fixed(counter) ? &state->fixed_select[0] : &state->select[counter];
}

static uint64_t *saved_count(struct nthw_core_state *state, uint32_t counter)
{
	return nthw_core_is_fixed(counter) ? &state->fixed_count[0] : &state->count[counter];
}

static int arm_find_free(const struct nthw_core *core, uint64_t *free)
{
	uint64_t enables;
	int ret = get(core, map_of(core)->enable_set, &enables);

	if (!ret)
		*free = nthw_core_counters(core->pmu) & ~to_set(enables);
	return ret;
}

static int encode(const struct nthw_core *core, const struct nthw_core_event *event, uint64_t *type)
{
	if (event->config & ~(is_v8(core) ? 0xffffull : 0xffull))
		return NTHW_EINVAL;
	if (!has_filter(core) && !(event->is_user && event->is_kernel))
		return NTHW_ENOTSUP;
	*type = event->config;
	if (!has_filter(core))
		return 0;
	if (!event->is_user)
		*type |= TYPE_NOT_USER;
	if (!event->is_kernel)
		*type |= TYPE_NOT_KERNEL;
	else if (is_v8(core))
		*type |= TYPE_EL2; /* where the kernel is with virtualization host extensions */
	return 0;
}

static int save(const struct nthw_core *core, uint32_t counter, struct nthw_core_state *state)
{
	uint64_t bit = nthw_core_bit(counter), enables, overflow;
	int ret = get(core, map_of(core)->enable_set, &enables);

	if (ret)
		return ret;
	if (to_set(enables) & bit)
		return NTHW_EBUSY;
	if (has_type(core, counter))
		ret = get_type(core, number_of(counter), saved_type(state, counter));
	if (ret)
		return ret;
	ret = get_count(core, counter, saved_count(state, counter));
	if (ret)
		return ret;
	ret = get(core, map_of(core)->overflow, &overflow);
	if (ret)
		return ret;
	state->overflow = (state->overflow & ~bit) | (to_set(overflow) & bit);
	return state->counters ? 0 : get(core, map_of(core)->control, &state->control);
}

/* Clear and set bits of PMCR, without its resets; not written when that changes nothing. */
static int change_control(const struct nthw_core *core, uint64_t clear, uint64_t set)
{
	uint64_t now, wanted;
	int ret = get(core, map_of(core)->control, &now);

	if (ret)
		return ret;
	now &= ~CONTROL_RESETS;
	wanted = (now & ~clear) | set;
	return wanted == now ? 0 : put(core, map_of(core)->control, wanted);
}

static int put_event(const struct nthw_core *core, uint32_t counter, uint64_t type)
{
	int ret = put_count(core, counter, 0);

	if (!ret && has_type(core, counter))
		ret = put_type(core, number_of(counter), type);
	/* Cycles are counted, not every 64th of them. */
	if (!ret && nthw_core_is_fixed(counter))
		ret = change_control(core, CONTROL_D, 0);
	return ret;
}

static int restore_counter(const struct nthw_core *core, uint32_t counter,
			   const struct nthw_core_state *state)
{
	bool is_fixed = nthw_core_is_fixed(counter);
	int ret = 0;

	if (has_type(core, counter))
		ret = put_type(core, number_of(counter),
			       is_fixed ? state->fixed_select[0] : state->select[counter]);
	return nthw_core_first(
		ret,
		put_count(core, counter, is_fixed ? state->fixed_count[0] : state->count[counter]));
}

static int arm_program(const struct nthw_core *core, uint32_t counter,
		       const struct nthw_core_event *event, struct nthw_core_state *state)
{
	bool is_new = !(state->counters & nthw_core_bit(counter));
	uint64_t type;
	int undone, ret = encode(core, event, &type);

	if (ret)
		return ret;
	if (is_new)
		ret = save(core, counter, state);
	if (ret)
		return ret;
	ret = put_event(core, counter, type);
	if (!ret || !is_new)
		return ret;
	undone = restore_counter(core, counter, state);
	if (nthw_core_is_fixed(counter))
		undone = nthw_core_first(
			undone, change_control(core, CONTROL_D, state->control & CONTROL_D));
	/* What could not be restored now is tried again by restoring. */
	if (undone)
		state->counters |= nthw_core_bit(counter);
	return ret;
}

static int arm_stop(const struct nthw_core *core, uint64_t set)
{
	return put(core, map_of(core)->enable_clear, to_bits(set));
}

/*
 * May all that is enabled run? Where nobody let it until now, what others have enabled would run as
 * well: it is left alone.
 */
static int check_others(const struct nthw_core *core, uint64_t bits)
{
	uint64_t enables;
	int ret = get(core, map_of(core)->enable_set, &enables);

	if (ret)
		return ret;
	return enables & ~bits ? NTHW_EBUSY : 0;
}

static int arm_start(const struct nthw_core *core, uint64_t set)
{
	uint64_t control;
	int ret = get(core, map_of(core)->control, &control);

	if (!ret && !(control & CONTROL_E))
		ret = check_others(core, to_bits(set));
	if (ret)
		return ret;
	ret = put(core, map_of(core)->overflow, to_bits(set));
	if (ret)
		return ret;
	ret = put(core, map_of(core)->enable_set, to_bits(set));
	if (!ret && !(control & CONTROL_E))
		ret = put(core, map_of(core)->control, (control & ~CONTROL_RESETS) | CONTROL_E);
	if (ret)
		arm_stop(core, set);
	return ret;
}

static int arm_overflows(const struct nthw_core *core, uint64_t set, uint64_t *overflowed)
{
	uint64_t flags;
	int ret = get(core, map_of(core)->overflow, &flags);

	if (ret)
		return ret;
	flags &= to_bits(set);
	if (flags)
		ret = put(core, map_of(core)->overflow, flags);
	if (!ret)
		*overflowed = to_set(flags);
	return ret;
}

static int arm_restore(const struct nthw_core *core, const struct nthw_core_state *state)
{
	uint64_t flags;
	uint32_t i;
	int ret = arm_stop(core, state->counters);

	for (i = 0; i < 64; i++)
		if (state->counters >> i & 1)
			ret = nthw_core_first(ret, restore_counter(core, i, state));
	ret = nthw_core_first(ret, arm_overflows(core, state->counters & ~state->overflow, &flags));
	return nthw_core_first(ret, change_control(core, CONTROL_E | CONTROL_D,
						   state->control & (CONTROL_E | CONTROL_D)));
}

const struct nthw_core_ops nthw_core_arm = {
	.general_max = NTHW_CORE_GENERAL_MAX,
	.fixed_max = 1,
	.address = arm_address,
	.find_free = arm_find_free,
	.program = arm_program,
	.start = arm_start,
	.stop = arm_stop,
	.overflows = arm_overflows,
	.restore = arm_restore,
};
