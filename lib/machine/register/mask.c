// SPDX-License-Identifier: MIT
/* Which bits of a register a write changes. The driver follows the same rule. */
#include <errno.h>

#include "lib/machine/register/register.h"

/* Bits whose value is no state: what is written there is an order. */
static uint64_t orders(const struct nthw_reg *row)
{
	return nthw_reg_bits_of(row, NTHW_OS_RW1C) | nthw_reg_bits_of(row, NTHW_RW1C) |
	       nthw_reg_bits_of(row, NTHW_RW1S) | nthw_reg_bits_of(row, NTHW_W1C);
}

int nti_register_merge(const struct nthw_reg *row, uint64_t old, uint64_t value, uint64_t *merged,
		       uint64_t *refused)
{
	uint64_t settable = nthw_reg_settable(row), clearable = nthw_reg_clearable(row);

	*refused = value & ~settable & ~old;
	if (*refused)
		return -EINVAL;
	*merged = (value & settable) | (old & clearable & value) |
		  (old & ~settable & ~clearable & ~orders(row));
	return 0;
}

bool nti_register_only_clears(const struct nthw_reg *row)
{
	return !nthw_reg_is_readable(row);
}

bool nti_register_restoring(const struct nthw_reg *row, uint64_t old, uint64_t *value)
{
	/*
	 * What was set by ones is cleared at another address, which only the driver writes as part of the same register. A log cannot be put
	 * back, and writing what it was would clear what came since.
	 */
	if (nti_register_only_clears(row) || nthw_reg_bits_of(row, NTHW_RW1S) ||
	    (nthw_reg_bits_of(row, NTHW_RW0C) && !nthw_reg_kept(row)))
		return false;
	*value = old & ~orders(row);
	return true;
}
