/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Between core_pmu.c, which checks what it is given, and the files of the architectures, which need
 * not.
 */
#ifndef NTHW_CORE_OPS_H
#define NTHW_CORE_OPS_H

#include "core/seq/core_pmu.h"

/* Whose registers, and how they are reached. */
struct nthw_core {
	struct nthw_io *io;
	const struct nthw_core_pmu *pmu;
	unsigned int cpu;
};

/* One family of monitors. Sets hold counters that exist, and that @state has where there is one. */
struct nthw_core_ops {
	uint32_t general_max, fixed_max;
	void (*address)(const struct nthw_core_pmu *pmu, uint32_t counter, enum nthw_space *space,
			uint32_t *address);
	int (*find_free)(const struct nthw_core *core, uint64_t *free);
	int (*program)(const struct nthw_core *core, uint32_t counter,
		       const struct nthw_core_event *event, struct nthw_core_state *state);
	int (*start)(const struct nthw_core *core, uint64_t set);
	int (*stop)(const struct nthw_core *core, uint64_t set);
	int (*overflows)(const struct nthw_core *core, uint64_t set, uint64_t *overflowed);
	int (*check)(const struct nthw_core *core, uint64_t set, struct nthw_core_state *state,
		     uint64_t *lost); /* NULL: cannot tell */
	int (*restore)(const struct nthw_core *core, const struct nthw_core_state *state);
};

extern const struct nthw_core_ops nthw_core_x86;
extern const struct nthw_core_ops nthw_core_arm;
extern const struct nthw_core_ops nthw_core_arm1176;

static inline int nthw_core_get(const struct nthw_core *core, enum nthw_space space,
				uint32_t address, uint64_t *value)
{
	return core->io->read(core->io, space, core->cpu, address, value);
}

static inline int nthw_core_put(const struct nthw_core *core, enum nthw_space space,
				uint32_t address, uint64_t value)
{
	return core->io->write(core->io, space, core->cpu, address, value);
}

static inline uint64_t nthw_core_bit(uint32_t counter)
{
	return (uint64_t)1 << counter;
}

static inline bool nthw_core_is_fixed(uint32_t counter)
{
	return counter >= NTHW_CORE_FIXED;
}

/* Of several steps that are all taken, the first error counts. */
static inline int nthw_core_first(int before, int now)
{
	return before ? before : now;
}

#endif
