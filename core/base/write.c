// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What a write to a register may change. */
#include "core/base/write.h"

uint64_t nthw_write_acting(const struct nthw_reg *reg)
{
	return nthw_reg_bits_of(reg, NTHW_RW1C) | nthw_reg_bits_of(reg, NTHW_RW1S) |
	       nthw_reg_bits_of(reg, NTHW_W1C) | nthw_reg_bits_of(reg, NTHW_OS_RW1C);
}

bool nthw_write_is_allowed(const struct nthw_reg *reg)
{
	return nthw_reg_settable(reg) || (reg->trust != NTHW_GUESSED && nthw_reg_clearable(reg));
}

uint64_t nthw_write_refuses(const struct nthw_reg *reg, uint64_t old, uint64_t value)
{
	return value & ~(nthw_reg_settable(reg) | old);
}

uint64_t nthw_write_merge(const struct nthw_reg *reg, uint64_t old, uint64_t value)
{
	uint64_t settable = nthw_reg_settable(reg), clearable = nthw_reg_clearable(reg);

	return (value & settable) | (old & value & clearable) |
	       (old & ~settable & ~clearable & ~nthw_write_acting(reg));
}

uint64_t nthw_write_restore(const struct nthw_reg *reg, uint64_t ours, uint64_t saved, uint64_t now)
{
	return ((saved & ours) | (now & ~ours)) & ~nthw_write_acting(reg);
}
