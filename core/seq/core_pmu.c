// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What all monitors have in common: is what was asked for there? */
#include "core/seq/core_ops.h"

static uint64_t ones(uint32_t bits)
{
	return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

/* NULL: nothing that exists is so. */
static const struct nthw_core_ops *find_ops(const struct nthw_core_pmu *pmu)
{
	const struct nthw_core_ops *ops;

	switch (pmu->kind) {
	case NTHW_CORE_INTEL:
	case NTHW_CORE_AMD_LEGACY:
	case NTHW_CORE_AMD:
	case NTHW_CORE_AMD_V2:
		ops = &nthw_core_x86;
		break;
	case NTHW_CORE_ARMV8:
	case NTHW_CORE_ARMV7:
		ops = &nthw_core_arm;
		break;
	case NTHW_CORE_ARM1176:
		ops = &nthw_core_arm1176;
		break;
	default:
		return NULL;
	}
	if (pmu->general > ops->general_max || pmu->fixed > ops->fixed_max)
		return NULL;
	if (ops == &nthw_core_x86 && pmu->kind != NTHW_CORE_INTEL &&
	    (pmu->fixed || pmu->general > (pmu->kind == NTHW_CORE_AMD_LEGACY ? 4 : 6)))
		return NULL;
	if ((pmu->general && (pmu->width < 1 || pmu->width > 64)) ||
	    (pmu->fixed && (pmu->fixed_width < 1 || pmu->fixed_width > 64)))
		return NULL;
	return ops;
}

static uint64_t counters_of(const struct nthw_core_pmu *pmu)
{
	return ones(pmu->general) | ones(pmu->fixed) << NTHW_CORE_FIXED;
}

uint64_t nthw_core_counters(const struct nthw_core_pmu *pmu)
{
	return find_ops(pmu) ? counters_of(pmu) : 0;
}

/* NULL also where there is no bit @counter. */
static const struct nthw_core_ops *find_counter(const struct nthw_core_pmu *pmu, uint32_t counter)
{
	return counter < 64 && counters_of(pmu) >> counter & 1 ? find_ops(pmu) : NULL;
}

bool nthw_core_address(const struct nthw_core_pmu *pmu, uint32_t counter, enum nthw_space *space,
		       uint32_t *address)
{
	const struct nthw_core_ops *ops = find_counter(pmu, counter);

	if (!ops)
		return false;
	ops->address(pmu, counter, space, address);
	return true;
}

int nthw_core_find_free(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
			uint64_t *free)
{
	const struct nthw_core core = { io, pmu, cpu };
	const struct nthw_core_ops *ops = find_ops(pmu);

	return ops ? ops->find_free(&core, free) : NTHW_EINVAL;
}

int nthw_core_program(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
		      uint32_t counter, const struct nthw_core_event *event,
		      struct nthw_core_state *state)
{
	const struct nthw_core core = { io, pmu, cpu };
	const struct nthw_core_ops *ops = find_counter(pmu, counter);
	int ret;

	if (!ops || (!event->is_user && !event->is_kernel) ||
	    (nthw_core_is_fixed(counter) && event->config))
		return NTHW_EINVAL;
	if (state->foreign & nthw_core_bit(counter))
		return NTHW_EBUSY;
	ret = ops->program(&core, counter, event, state);
	if (!ret)
		state->counters |= nthw_core_bit(counter);
	return ret;
}

/* NULL also where @set goes beyond what @state has. */
static const struct nthw_core_ops *find_set(const struct nthw_core_pmu *pmu, uint64_t set,
					    const struct nthw_core_state *state)
{
	return set & ~(state->counters & counters_of(pmu)) ? NULL : find_ops(pmu);
}

int nthw_core_start(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
		    uint64_t set, const struct nthw_core_state *state)
{
	const struct nthw_core core = { io, pmu, cpu };
	const struct nthw_core_ops *ops = find_set(pmu, set, state);

	if (!ops)
		return NTHW_EINVAL;
	if (set & state->foreign)
		return NTHW_EBUSY;
	return set ? ops->start(&core, set) : 0;
}

int nthw_core_stop(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
		   uint64_t set, const struct nthw_core_state *state)
{
	const struct nthw_core core = { io, pmu, cpu };
	const struct nthw_core_ops *ops = find_set(pmu, set, state);

	if (!ops)
		return NTHW_EINVAL;
	set &= ~state->foreign;
	return set ? ops->stop(&core, set) : 0;
}

int nthw_core_read(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
		   uint32_t counter, uint64_t *value)
{
	const struct nthw_core core = { io, pmu, cpu };
	enum nthw_space space;
	uint32_t address;
	uint64_t raw;
	int ret;

	if (!nthw_core_address(pmu, counter, &space, &address))
		return NTHW_EINVAL;
	ret = nthw_core_get(&core, space, address, &raw);
	if (ret)
		return ret;
	*value = raw & ones(nthw_core_is_fixed(counter) ? pmu->fixed_width : pmu->width);
	return 0;
}

int nthw_core_overflows(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
			uint64_t set, uint64_t *overflowed)
{
	const struct nthw_core core = { io, pmu, cpu };
	const struct nthw_core_ops *ops = find_ops(pmu);

	if (!ops || set & ~counters_of(pmu))
		return NTHW_EINVAL;
	return ops->overflows(&core, set, overflowed);
}

int nthw_core_check(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
		    uint64_t set, struct nthw_core_state *state, uint64_t *lost)
{
	const struct nthw_core core = { io, pmu, cpu };
	const struct nthw_core_ops *ops = find_set(pmu, set, state);

	if (!ops)
		return NTHW_EINVAL;
	return ops->check ? ops->check(&core, set, state, lost) : NTHW_ENOTSUP;
}

int nthw_core_restore(struct nthw_io *io, const struct nthw_core_pmu *pmu, unsigned int cpu,
		      struct nthw_core_state *state)
{
	const struct nthw_core core = { io, pmu, cpu };
	const struct nthw_core_ops *ops = find_set(pmu, state->counters, state);
	int ret;

	if (!ops)
		return NTHW_EINVAL;
	if (!state->counters)
		return 0;
	ret = ops->restore(&core, state);
	if (!ret)
		memset(state, 0, sizeof(*state));
	return ret;
}
