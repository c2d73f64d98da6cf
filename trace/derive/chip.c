// SPDX-License-Identifier: MIT
/*
 * Chips as far as their counters differ.
 *
 * Other names and ids stand in core/regs. Source of the Tesla rows: envytools' documentation of
 * PCOUNTER (trailer of each domain, order of features). Trust: documented; trailers of chips
 * without a published list of signals are not given.
 */
#include <stddef.h>
#include <string.h>

#include "core/regs/nv50_chip.h"
#include "lib/base/compiler.h"
#include "trace/derive/chip.h"
#include "trace/derive/registers.h"

#define TESLA(name, family, alternates, tpcs, parts, ...)                                          \
	{                                                                                          \
		name, family, alternates, { __VA_ARGS__ }, tpcs, parts                             \
	}
#define LATER(name)                                                                                \
	{                                                                                          \
		name, NTI_FAMILY_FERMI, true, { 0 }, 0, 0                                          \
	}

static const struct nti_derive_chip chips[] = {
	TESLA("G80", NTI_FAMILY_G80, false, 8, 6, 0x3f, 0xff, 0xff, 0x3f, 0x3f),
	TESLA("G84", NTI_FAMILY_G84, false, 2, 2, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f, 0xbf, 0xff),
	TESLA("G86", NTI_FAMILY_G84, false, 1, 2, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f, 0xbf, 0xdf),
	TESLA("G92", NTI_FAMILY_G84, true, 8, 4, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f, 0xbf, 0xff),
	TESLA("G94", NTI_FAMILY_G84, true, 4, 4, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f, 0xbf, 0xff),
	TESLA("G96", NTI_FAMILY_G84, true, 2, 2, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f, 0xbf, 0xff),
	TESLA("G98", NTI_FAMILY_G84, true, 1, 1, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x7f, 0xbf, 0xbf),
	TESLA("G200", NTI_FAMILY_G200, true, 10, 8, 0x7f, 0xff, 0xff, 0x3f, 0x7f, 0x7f, 0xbf, 0x9f),
	TESLA("MCP77", NTI_FAMILY_G200, true, 1, 1, 0x9f, 0xff, 0xff, 0x3f, 0x1f, 0xbf, 0xbf),
	TESLA("MCP79", NTI_FAMILY_G200, true, 1, 1, 0x9f, 0xff, 0xff, 0x3f, 0x1f, 0xbf, 0xbf),
	TESLA("GT215", NTI_FAMILY_GT215, true, 4, 2, 0xff, 0xff, 0xdf, 0x3f, 0x7f, 0x7f, 0xdf,
	      0xff),
	TESLA("GT216", NTI_FAMILY_GT215, true, 2, 2, 0xff, 0xff, 0xdf, 0x3f, 0x7f, 0x7f, 0xdf,
	      0xff),
	TESLA("GT218", NTI_FAMILY_GT215, true, 1, 1, 0xff, 0xff, 0xdf, 0x3f, 0x7f, 0x7f, 0xdf,
	      0xdf),
	TESLA("MCP89", NTI_FAMILY_GT215, true, 2, 2, 0x9f, 0xff, 0xdf, 0x3f, 0xff, 0x7f, 0xff,
	      0xff),
	LATER("GF100"),
	LATER("GF104"),
	LATER("GF106"),
	LATER("GF114"),
	LATER("GF116"),
	LATER("GF108"),
	LATER("GF110"),
	LATER("GF117"),
	LATER("GF119"),
	LATER("GK104"),
	LATER("GK106"),
	LATER("GK107"),
	LATER("GK20A"),
	LATER("GK110"),
	LATER("GK110B"),
	LATER("GK208B"),
	LATER("GK208"),
	LATER("GM107"),
	LATER("GM108"),
	LATER("GM200"),
	LATER("GM204"),
	LATER("GM206"),
	LATER("GM20B"),
};

_Static_assert(NTI_ARRAY_SIZE(chips) <= NTI_DERIVE_CHIPS_MAX, "a set of chips is 64 bits");

unsigned int nti_derive_chips(void)
{
	return NTI_ARRAY_SIZE(chips);
}

const struct nti_derive_chip *nti_derive_chip_at(unsigned int index)
{
	return &chips[index];
}

uint64_t nti_derive_chips_all(void)
{
	return (UINT64_C(1) << NTI_ARRAY_SIZE(chips)) - 1;
}

uint64_t nti_derive_chips_of(enum nti_derive_family family)
{
	uint64_t set = 0;

	for (size_t i = 0; i < NTI_ARRAY_SIZE(chips); i++)
		if (chips[i].family == family)
			set |= UINT64_C(1) << i;
	return set;
}

static uint64_t set_of(const struct nthw_nv_chip *chip)
{
	for (size_t i = 0; chip && i < NTI_ARRAY_SIZE(chips); i++)
		if (strcmp(chips[i].name, chip->name) == 0)
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

	for (size_t i = 0; i < NTI_ARRAY_SIZE(chips); i++) {
		bool is_new = units & NTI_G200_PGRAPH_UNITS_MP_MASK;
		uint32_t parts =
			is_new ? NTI_G200_PGRAPH_UNITS_ROP_MASK : NTI_G80_PGRAPH_UNITS_ROP_MASK;

		if (!(set >> i & 1) || chips[i].family == NTI_FAMILY_FERMI)
			continue;
		if (is_new != (chips[i].family >= NTI_FAMILY_G200))
			continue;
		if (nti_derive_field(units, NTI_TESLA_PGRAPH_UNITS_TPC_MASK) >> chips[i].tpcs ||
		    nti_derive_field(units, parts) >> chips[i].parts)
			continue;
		out |= UINT64_C(1) << i;
	}
	return out ? out : set;
}

int nti_derive_zero(uint64_t set, unsigned int domain)
{
	int zero = -1;

	for (size_t i = 0; i < NTI_ARRAY_SIZE(chips); i++) {
		int own;

		if (!(set >> i & 1))
			continue;
		if (domain >= 8 || !chips[i].last[domain])
			return -1;
		own = chips[i].last[domain] - (chips[i].family == NTI_FAMILY_G80 ? 0x11 : 0x13);
		if (zero >= 0 && zero != own)
			return -1;
		zero = own;
	}
	return zero;
}

bool nti_derive_all_of(uint64_t set, enum nti_derive_family first, enum nti_derive_family last)
{
	for (size_t i = 0; i < NTI_ARRAY_SIZE(chips); i++)
		if (set >> i & 1 && (chips[i].family < first || chips[i].family > last))
			return false;
	return set != 0;
}

bool nti_derive_any_of(uint64_t set, enum nti_derive_family first, enum nti_derive_family last)
{
	for (size_t i = 0; i < NTI_ARRAY_SIZE(chips); i++)
		if (set >> i & 1 && chips[i].family >= first && chips[i].family <= last)
			return true;
	return false;
}
