// SPDX-License-Identifier: MIT
/* Sets of the chips of core/regs. */
#include <stddef.h>

#include "trace/lib/derive/chip.h"
#include "trace/lib/derive/registers.h"

unsigned int nti_derive_chips(void)
{
	return nthw_nv_chip_count < NTI_DERIVE_CHIPS_MAX ? (unsigned int)nthw_nv_chip_count
							 : NTI_DERIVE_CHIPS_MAX;
}

const struct nthw_nv_chip *nti_derive_chip_at(unsigned int index)
{
	return &nthw_nv_chips[index];
}

uint64_t nti_derive_chips_all(void)
{
	return ~UINT64_C(0) >> (64 - nti_derive_chips());
}

uint64_t nti_derive_chips_of(enum nthw_nv_family family)
{
	uint64_t set = 0;

	for (unsigned int i = 0; i < nti_derive_chips(); i++)
		if (nthw_nv_chips[i].family == family)
			set |= UINT64_C(1) << i;
	return set;
}

static uint64_t set_of(const struct nthw_nv_chip *chip)
{
	for (unsigned int i = 0; chip && i < nti_derive_chips(); i++)
		if (&nthw_nv_chips[i] == chip)
			return UINT64_C(1) << i;
	return 0;
}

uint64_t nti_derive_chip_named(const char *name)
{
	return set_of(nthw_nv_chip_by_name(name));
}

uint64_t nti_derive_chip_boot0(uint32_t boot0)
{
	return set_of(nthw_nv_chip_by_boot(boot0));
}

/*
 * Where G200 and later have their mask of MPs is 0 before. Each chip has at most its die's number
 * of TPCs and partitions.
 */
uint64_t nti_derive_chips_units(uint64_t set, uint32_t units)
{
	uint64_t out = 0;

	for (unsigned int i = 0; i < nti_derive_chips(); i++) {
		bool is_new = units & NTI_G200_PGRAPH_UNITS_MP_MASK;
		uint32_t parts =
			is_new ? NTI_G200_PGRAPH_UNITS_ROP_MASK : NTI_G80_PGRAPH_UNITS_ROP_MASK;

		if (!(set >> i & 1) || nthw_nv_chips[i].family == NTHW_NV_FERMI)
			continue;
		if (is_new != (nthw_nv_chips[i].family >= NTHW_NV_G200))
			continue;
		if (nti_derive_field(units, NTI_TESLA_PGRAPH_UNITS_TPC_MASK) >>
			    nthw_nv_chips[i].tpcs ||
		    nti_derive_field(units, parts) >> nthw_nv_chips[i].parts)
			continue;
		out |= UINT64_C(1) << i;
	}
	return out ? out : set;
}

int nti_derive_zero(uint64_t set, unsigned int domain)
{
	int zero = -1;

	for (unsigned int i = 0; i < nti_derive_chips(); i++) {
		int own = nthw_nv_zero(&nthw_nv_chips[i], domain);

		if (!(set >> i & 1))
			continue;
		if (own < 0)
			return -1;
		if (zero >= 0 && zero != own)
			return -1;
		zero = own;
	}
	return zero;
}

bool nti_derive_all_of(uint64_t set, enum nthw_nv_family first, enum nthw_nv_family last)
{
	for (unsigned int i = 0; i < nti_derive_chips(); i++)
		if (set >> i & 1 &&
		    (nthw_nv_chips[i].family < first || nthw_nv_chips[i].family > last))
			return false;
	return set != 0;
}

bool nti_derive_any_of(uint64_t set, enum nthw_nv_family first, enum nthw_nv_family last)
{
	for (unsigned int i = 0; i < nti_derive_chips(); i++)
		if (set >> i & 1 && nthw_nv_chips[i].family >= first &&
		    nthw_nv_chips[i].family <= last)
			return true;
	return false;
}
