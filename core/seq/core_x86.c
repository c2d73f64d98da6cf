// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Core counters of Intel and AMD. Registers: core/regs/x86.c and amd.c.
 *
 * Where there is a global register, a counter's bit in it is cleared while the counter is
 * programmed, its own enable bit is set then, and one write of the global register starts a set or
 * stops it (Intel 253669, 18.13.2.1: a counter counts while both agree). Linux leaves all bits of
 * the global register set while it does not count, so their old value says nothing of who uses a
 * counter; the enable bit of its own does. Without a global register each counter's own enable bit
 * starts and stops it.
 */
#include "core/seq/core_ops.h"

#define MSR_PMC 0xc1u
#define MSR_PERFEVTSEL 0x186u
#define MSR_FIXED_CTR 0x309u
#define MSR_FIXED_CTR_CTRL 0x38du
#define MSR_GLOBAL_STATUS 0x38eu
#define MSR_GLOBAL_CTRL 0x38fu
#define MSR_GLOBAL_OVF_CTRL 0x390u
#define MSR_AMD_EVNTSEL 0xc0010000u
#define MSR_AMD_PERFCTR 0xc0010004u
#define MSR_AMD_PERF_CTL 0xc0010200u
#define MSR_AMD_GLOBAL_STATUS 0xc0000300u
#define MSR_AMD_GLOBAL_CTL 0xc0000301u
#define MSR_AMD_GLOBAL_STATUS_CLR 0xc0000302u

#define SELECT_EVENT 0xffull
#define SELECT_UMASK 0xff00ull
#define SELECT_USR (1ull << 16)
#define SELECT_OS (1ull << 17)
#define SELECT_EDGE (1ull << 18)
#define SELECT_PC (1ull << 19)
#define SELECT_INT (1ull << 20)
#define SELECT_EN (1ull << 22)
#define SELECT_INV (1ull << 23)
#define SELECT_CMASK (0xffull << 24)
#define SELECT_AMD_EVENT (0xfull << 32)
#define SELECT_AMD_GUEST (1ull << 40)
#define SELECT_AMD_HOST (1ull << 41)

/* Four bits a fixed counter. */
#define FIXED_BITS 4u
#define FIXED_OS 1ull
#define FIXED_USR 2ull
#define FIXED_PMI 8ull
#define FIXED_ALL 15ull

#define PMC_WRITABLE 0xffffffffull /* what a write of IA32_PMC takes; bit 31 is copied upward */

static bool is_intel(const struct nthw_core *core)
{
	return core->pmu->kind == NTHW_CORE_INTEL;
}

static bool has_global(const struct nthw_core *core)
{
	return is_intel(core) || core->pmu->kind == NTHW_CORE_AMD_V2;
}

static int get(const struct nthw_core *core, uint32_t address, uint64_t *value)
{
	return nthw_core_get(core, NTHW_SPACE_MSR, address, value);
}

static int put(const struct nthw_core *core, uint32_t address, uint64_t value)
{
	return nthw_core_put(core, NTHW_SPACE_MSR, address, value);
}

static uint32_t select_address(const struct nthw_core_pmu *pmu, uint32_t n)
{
	switch (pmu->kind) {
	case NTHW_CORE_INTEL:
		return MSR_PERFEVTSEL + n;
	case NTHW_CORE_AMD_LEGACY:
		return MSR_AMD_EVNTSEL + n;
	default:
		return MSR_AMD_PERF_CTL + 2 * n;
	}
}

static uint32_t count_address(const struct nthw_core_pmu *pmu, uint32_t counter)
{
	if (nthw_core_is_fixed(counter))
		return MSR_FIXED_CTR + counter - NTHW_CORE_FIXED;
	switch (pmu->kind) {
	case NTHW_CORE_INTEL:
		return MSR_PMC + counter;
	case NTHW_CORE_AMD_LEGACY:
		return MSR_AMD_PERFCTR + counter;
	default:
		return MSR_AMD_PERF_CTL + 1 + 2 * counter;
	}
}

static void x86_address(const struct nthw_core_pmu *pmu, uint32_t counter, enum nthw_space *space,
			uint32_t *address)
{
	*space = NTHW_SPACE_MSR;
	*address = count_address(pmu, counter);
}

static uint32_t global_address(const struct nthw_core *core)
{
	return is_intel(core) ? MSR_GLOBAL_CTRL : MSR_AMD_GLOBAL_CTL;
}

static uint32_t status_address(const struct nthw_core *core)
{
	return is_intel(core) ? MSR_GLOBAL_STATUS : MSR_AMD_GLOBAL_STATUS;
}

static uint32_t clear_address(const struct nthw_core *core)
{
	return is_intel(core) ? MSR_GLOBAL_OVF_CTRL : MSR_AMD_GLOBAL_STATUS_CLR;
}

/* In a register that is shared: @clear, then @set; not written when that changes nothing. */
static int change(const struct nthw_core *core, uint32_t address, uint64_t clear, uint64_t set)
{
	uint64_t now;
	int ret = get(core, address, &now);

	if (ret || ((now & ~clear) | set) == now)
		return ret;
	return put(core, address, (now & ~clear) | set);
}

static int x86_find_free(const struct nthw_core *core, uint64_t *free)
{
	uint64_t value, found = 0;
	uint32_t i;
	int ret;

	for (i = 0; i < core->pmu->general; i++) {
		ret = get(core, select_address(core->pmu, i), &value);
		if (ret)
			return ret;
		if (!(value & SELECT_EN))
			found |= nthw_core_bit(i);
	}
	if (core->pmu->fixed) {
		ret = get(core, MSR_FIXED_CTR_CTRL, &value);
		if (ret)
			return ret;
	}
	for (i = 0; i < core->pmu->fixed; i++)
		if (!(value >> FIXED_BITS * i & (FIXED_OS | FIXED_USR)))
			found |= nthw_core_bit(NTHW_CORE_FIXED + i);
	*free = found;
	return 0;
}

/* The select register of an event, not enabled. */
static int encode(const struct nthw_core *core, const struct nthw_core_event *event,
		  uint64_t *select)
{
	uint64_t allowed = SELECT_EVENT | SELECT_UMASK | SELECT_EDGE | SELECT_INV | SELECT_CMASK;

	if (!is_intel(core))
		allowed |= SELECT_AMD_EVENT;
	if (event->config & ~allowed)
		return NTHW_EINVAL;
	*select = event->config | (event->is_user ? SELECT_USR : 0) |
		  (event->is_kernel ? SELECT_OS : 0);
	return 0;
}

/* Global bit and overflow flag of @counter, into @state. */
static int save_global(const struct nthw_core *core, uint32_t counter,
		       struct nthw_core_state *state)
{
	uint64_t bit = nthw_core_bit(counter), enables, overflow;
	int ret;

	if (!has_global(core))
		return 0;
	ret = get(core, global_address(core), &enables);
	if (ret)
		return ret;
	ret = get(core, status_address(core), &overflow);
	if (ret)
		return ret;
	state->enables = (state->enables & ~bit) | (enables & bit);
	state->overflow = (state->overflow & ~bit) | (overflow & bit);
	return 0;
}

static int save_general(const struct nthw_core *core, uint32_t n, struct nthw_core_state *state)
{
	int ret = get(core, select_address(core->pmu, n), &state->select[n]);

	if (ret)
		return ret;
	if (state->select[n] & SELECT_EN)
		return NTHW_EBUSY;
	ret = get(core, count_address(core->pmu, n), &state->count[n]);
	return ret ? ret : save_global(core, n, state);
}

static int save_fixed(const struct nthw_core *core, uint32_t n, struct nthw_core_state *state)
{
	uint64_t ctrl;
	int ret = get(core, MSR_FIXED_CTR_CTRL, &ctrl);

	if (ret)
		return ret;
	state->fixed_select[n] = ctrl >> FIXED_BITS * n & FIXED_ALL;
	if (state->fixed_select[n] & (FIXED_OS | FIXED_USR))
		return NTHW_EBUSY;
	ret = get(core, count_address(core->pmu, NTHW_CORE_FIXED + n), &state->fixed_count[n]);
	return ret ? ret : save_global(core, NTHW_CORE_FIXED + n, state);
}

static int put_count(const struct nthw_core *core, uint32_t counter, uint64_t value)
{
	if (is_intel(core) && !nthw_core_is_fixed(counter))
		value &= PMC_WRITABLE;
	return put(core, count_address(core->pmu, counter), value);
}

static int put_fixed_select(const struct nthw_core *core, uint32_t n, uint64_t bits)
{
	return change(core, MSR_FIXED_CTR_CTRL, FIXED_ALL << FIXED_BITS * n,
		      bits << FIXED_BITS * n);
}

static int put_global(const struct nthw_core *core, uint64_t clear, uint64_t set)
{
	return has_global(core) ? change(core, global_address(core), clear, set) : 0;
}

static int put_select(const struct nthw_core *core, uint32_t counter, uint64_t select)
{
	if (nthw_core_is_fixed(counter))
		return put_fixed_select(core, counter - NTHW_CORE_FIXED, select);
	return put(core, select_address(core->pmu, counter),
		   has_global(core) ? select | SELECT_EN : select);
}

/* But for the enable bit, which is looked at apart. */
static void keep_ours(uint32_t counter, uint64_t select, struct nthw_core_state *state)
{
	if (nthw_core_is_fixed(counter))
		state->fixed_ours[counter - NTHW_CORE_FIXED] = select;
	else
		state->ours[counter] = select;
}

static int put_event(const struct nthw_core *core, uint32_t counter, uint64_t select, bool is_new,
		     struct nthw_core_state *state)
{
	int ret = put_global(core, nthw_core_bit(counter), 0);

	if (!ret)
		ret = put_count(core, counter, 0);
	if (ret)
		return ret;
	ret = put_select(core, counter, select);
	/* A write that failed may have been done all the same. */
	if (!ret || is_new)
		keep_ours(counter, select, state);
	return ret;
}

/* What the handle lets us write of a select register that was saved. */
static uint64_t select_back(const struct nthw_core *core, uint64_t saved)
{
	if (!core->pmu->is_guarded)
		return saved;
	if (is_intel(core))
		return saved & ~(SELECT_INT | SELECT_PC);
	return saved & ~(SELECT_INT | SELECT_AMD_GUEST | SELECT_AMD_HOST);
}

static int restore_counter(const struct nthw_core *core, uint32_t counter,
			   const struct nthw_core_state *state)
{
	uint32_t n = counter - NTHW_CORE_FIXED;
	uint64_t count =
		nthw_core_is_fixed(counter) ? state->fixed_count[n] : state->count[counter];
	int ret;

	if (nthw_core_is_fixed(counter))
		ret = put_fixed_select(
			core, n, state->fixed_select[n] & ~(core->pmu->is_guarded ? FIXED_PMI : 0));
	else
		ret = put(core, select_address(core->pmu, counter),
			  select_back(core, state->select[counter]));
	return nthw_core_first(ret, put_count(core, counter, count));
}

static int x86_program(const struct nthw_core *core, uint32_t counter,
		       const struct nthw_core_event *event, struct nthw_core_state *state)
{
	uint64_t select = (event->is_user ? FIXED_USR : 0) | (event->is_kernel ? FIXED_OS : 0);
	uint64_t bit = nthw_core_bit(counter);
	bool is_new = !(state->counters & bit);
	int ret = 0, undone;

	if (!nthw_core_is_fixed(counter))
		ret = encode(core, event, &select);
	if (ret)
		return ret;
	if (is_new)
		ret = nthw_core_is_fixed(counter)
			      ? save_fixed(core, counter - NTHW_CORE_FIXED, state)
			      : save_general(core, counter, state);
	if (ret)
		return ret;
	ret = put_event(core, counter, select, is_new, state);
	if (!ret)
		return 0;
	undone = restore_counter(core, counter, state);
	undone = nthw_core_first(undone, put_global(core, 0, state->enables & bit));
	/* What could not be restored now is tried again by restoring. */
	if (undone)
		state->counters |= bit;
	return ret;
}

/* The enable bit of its own, of each counter of @set, where there is no global register. */
static int put_enables(const struct nthw_core *core, uint64_t set, bool is_on)
{
	int ret = 0;
	uint32_t i;

	for (i = 0; i < core->pmu->general; i++) {
		if (!(set >> i & 1))
			continue;
		ret = nthw_core_first(ret, change(core, select_address(core->pmu, i), SELECT_EN,
						  is_on ? SELECT_EN : 0));
		if (ret && is_on)
			return ret;
	}
	return ret;
}

static int x86_stop(const struct nthw_core *core, uint64_t set)
{
	if (has_global(core))
		return put_global(core, set, 0);
	return put_enables(core, set, false);
}

static int x86_start(const struct nthw_core *core, uint64_t set)
{
	int ret;

	if (!has_global(core)) {
		ret = put_enables(core, set, true);
		if (ret)
			put_enables(core, set, false);
		return ret;
	}
	ret = put(core, clear_address(core), set);
	if (ret)
		return ret;
	ret = put_global(core, 0, set);
	if (ret)
		put_global(core, set, 0);
	return ret;
}

static int x86_overflows(const struct nthw_core *core, uint64_t set, uint64_t *overflowed)
{
	uint64_t flags;
	int ret;

	if (!has_global(core))
		return NTHW_ENOTSUP;
	ret = get(core, status_address(core), &flags);
	if (ret)
		return ret;
	flags &= set;
	if (flags)
		ret = put(core, clear_address(core), flags);
	if (!ret)
		*overflowed = flags;
	return ret;
}

/* Does the select register hold what we wrote? *@is_on: it lets the counter run. */
static int compare(const struct nthw_core *core, uint32_t counter,
		   const struct nthw_core_state *state, bool *is_ours, bool *is_on)
{
	uint32_t n = counter - NTHW_CORE_FIXED;
	uint64_t now;
	int ret;

	if (nthw_core_is_fixed(counter)) {
		ret = get(core, MSR_FIXED_CTR_CTRL, &now);
		if (ret)
			return ret;
		now = now >> FIXED_BITS * n & FIXED_ALL;
		*is_on = now & (FIXED_OS | FIXED_USR);
		*is_ours = now == state->fixed_ours[n];
		return 0;
	}
	ret = get(core, select_address(core->pmu, counter), &now);
	if (ret)
		return ret;
	*is_on = now & SELECT_EN;
	*is_ours = (now & ~SELECT_EN) == state->ours[counter];
	return 0;
}

static int x86_check(const struct nthw_core *core, uint64_t set, struct nthw_core_state *state,
		     uint64_t *lost)
{
	uint64_t enables = set, found = 0;
	bool is_ours, is_on;
	uint32_t i;
	int ret = has_global(core) ? get(core, global_address(core), &enables) : 0;

	for (i = 0; !ret && i < 64; i++) {
		if (!(set >> i & 1))
			continue;
		ret = compare(core, i, state, &is_ours, &is_on);
		if (ret)
			return ret;
		if (!is_ours || !is_on || !(enables >> i & 1))
			found |= nthw_core_bit(i);
		/* Off and with another event it is nobody's, and may be restored. */
		if (!is_ours && is_on)
			state->foreign |= nthw_core_bit(i);
	}
	if (!ret)
		*lost = found;
	return ret;
}

static int x86_restore(const struct nthw_core *core, const struct nthw_core_state *state)
{
	uint64_t flags, set = state->counters & ~state->foreign;
	uint32_t i;
	int ret = x86_stop(core, set);

	for (i = 0; i < 64; i++)
		if (set >> i & 1)
			ret = nthw_core_first(ret, restore_counter(core, i, state));
	if (!has_global(core))
		return ret;
	ret = nthw_core_first(ret, x86_overflows(core, set & ~state->overflow, &flags));
	return nthw_core_first(ret, put_global(core, 0, set & state->enables));
}

const struct nthw_core_ops nthw_core_x86 = {
	.general_max = 8,
	.fixed_max = NTHW_CORE_FIXED_MAX,
	.address = x86_address,
	.find_free = x86_find_free,
	.program = x86_program,
	.start = x86_start,
	.stop = x86_stop,
	.overflows = x86_overflows,
	.check = x86_check,
	.restore = x86_restore,
};
