// SPDX-License-Identifier: MIT
/*
 * Chips as far as their counters differ.
 *
 * Source of the Tesla rows: envytools' documentation of PCOUNTER (trailer of each domain, order of
 * features) and of PMC (ids), nouveau's chip table. Ids of Fermi and later: nouveau's chip table.
 * Trust: documented; trailers of chips without a published list of signals are not given.
 */
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "lib/base/compiler.h"
#include "trace/derive/chip.h"

#define TESLA(name, other, id, family, alternates, tpcs, parts, ...)                               \
	{                                                                                          \
		name, other, id, family, alternates, { __VA_ARGS__ }, tpcs, parts                  \
	}
#define LATER(name, other, id)                                                                     \
	{                                                                                          \
		name, other, id, NTI_FAMILY_FERMI, true, { 0 }, 0, 0                               \
	}

static const struct nti_derive_chip chips[] = {
	TESLA("G80", "NV50", 0x50, NTI_FAMILY_G80, false, 8, 6, 0x3f, 0xff, 0xff, 0x3f, 0x3f),
	TESLA("G84", "NV84", 0x84, NTI_FAMILY_G84, false, 2, 2, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f,
	      0xbf, 0xff),
	TESLA("G86", "NV86", 0x86, NTI_FAMILY_G84, false, 1, 2, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f,
	      0xbf, 0xdf),
	TESLA("G92", "NV92", 0x92, NTI_FAMILY_G84, true, 8, 4, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f,
	      0xbf, 0xff),
	TESLA("G94", "NV94", 0x94, NTI_FAMILY_G84, true, 4, 4, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f,
	      0xbf, 0xff),
	TESLA("G96", "NV96", 0x96, NTI_FAMILY_G84, true, 2, 2, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f,
	      0xbf, 0xff),
	TESLA("G98", "NV98", 0x98, NTI_FAMILY_G84, true, 1, 1, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x7f,
	      0xbf, 0xbf),
	TESLA("G200", "NVA0", 0xa0, NTI_FAMILY_G200, true, 10, 8, 0x7f, 0xff, 0xff, 0x3f, 0x7f,
	      0x7f, 0xbf, 0x9f),
	TESLA("MCP77", "NVAA", 0xaa, NTI_FAMILY_G200, true, 1, 1, 0x9f, 0xff, 0xff, 0x3f, 0x1f,
	      0xbf, 0xbf),
	TESLA("MCP79", "NVAC", 0xac, NTI_FAMILY_G200, true, 1, 1, 0x9f, 0xff, 0xff, 0x3f, 0x1f,
	      0xbf, 0xbf),
	TESLA("GT215", "NVA3", 0xa3, NTI_FAMILY_GT215, true, 4, 2, 0xff, 0xff, 0xdf, 0x3f, 0x7f,
	      0x7f, 0xdf, 0xff),
	TESLA("GT216", "NVA5", 0xa5, NTI_FAMILY_GT215, true, 2, 2, 0xff, 0xff, 0xdf, 0x3f, 0x7f,
	      0x7f, 0xdf, 0xff),
	TESLA("GT218", "NVA8", 0xa8, NTI_FAMILY_GT215, true, 1, 1, 0xff, 0xff, 0xdf, 0x3f, 0x7f,
	      0x7f, 0xdf, 0xdf),
	TESLA("MCP89", "NVAF", 0xaf, NTI_FAMILY_GT215, true, 2, 2, 0x9f, 0xff, 0xdf, 0x3f, 0xff,
	      0x7f, 0xff, 0xff),
	LATER("GF100", "NVC0", 0xc0),
	LATER("GF104", "NVC4", 0xc4),
	LATER("GF106", "NVC3", 0xc3),
	LATER("GF114", "NVCE", 0xce),
	LATER("GF116", "NVCF", 0xcf),
	LATER("GF108", "NVC1", 0xc1),
	LATER("GF110", "NVC8", 0xc8),
	LATER("GF117", "NVD7", 0xd7),
	LATER("GF119", "NVD9", 0xd9),
	LATER("GK104", "NVE4", 0xe4),
	LATER("GK106", "NVE6", 0xe6),
	LATER("GK107", "NVE7", 0xe7),
	LATER("GK20A", "NVEA", 0xea),
	LATER("GK110", "NVF0", 0xf0),
	LATER("GK110B", "NVF1", 0xf1),
	LATER("GK208B", "NV106", 0x106),
	LATER("GK208", "NV108", 0x108),
	LATER("GM107", "NV117", 0x117),
	LATER("GM108", "NV118", 0x118),
	LATER("GM200", "NV120", 0x120),
	LATER("GM204", "NV124", 0x124),
	LATER("GM206", "NV126", 0x126),
	LATER("GM20B", "NV12B", 0x12b),
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

uint64_t nti_derive_chip_named(const char *name)
{
	for (size_t i = 0; i < NTI_ARRAY_SIZE(chips); i++)
		if (strcasecmp(name, chips[i].name) == 0 || strcasecmp(name, chips[i].other) == 0)
			return UINT64_C(1) << i;
	return 0;
}

uint64_t nti_derive_chip_boot0(uint32_t boot0)
{
	uint32_t id = (boot0 & 0x1ff00000) >> 20;

	for (size_t i = 0; i < NTI_ARRAY_SIZE(chips); i++)
		if (chips[i].id == id)
			return UINT64_C(1) << i;
	return 0;
}

/*
 * Bits 28 to 31 are the mask of MPs from G200 on and 0 before, where that mask is in bits 22
 * and 23. Each chip has at most its die's number of TPCs (bits 0 to 15) and partitions (from bit 16
 * on).
 */
uint64_t nti_derive_chips_units(uint64_t set, uint32_t units)
{
	uint64_t out = 0;

	for (size_t i = 0; i < NTI_ARRAY_SIZE(chips); i++) {
		bool is_new = units >> 28;

		if (!(set >> i & 1) || chips[i].family == NTI_FAMILY_FERMI)
			continue;
		if (is_new != (chips[i].family >= NTI_FAMILY_G200))
			continue;
		if ((units & 0xffff) >> chips[i].tpcs ||
		    (units >> 16 & (is_new ? 0xff : 0x3f)) >> chips[i].parts)
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
