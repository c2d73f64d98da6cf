// SPDX-License-Identifier: MIT
/* Codes that no list of events has: what is counted then, nobody can say. */
#include <errno.h>

#include "count/lib/event/pfm.h"
#include "count/lib/event/resolve.h"

/*
 * Where a config has the event select: PERFEVTSEL of Intel, PERF_CTL of AMD, whose upper 4 bits
 * stand apart; Arm's event numbers take the place of unit masks, too.
 */
static uint64_t select_mask(enum nthw_vendor vendor)
{
	switch (vendor) {
	case NTHW_VENDOR_INTEL:
		return 0xff;
	case NTHW_VENDOR_AMD:
		return 0xf000000ff;
	default:
		return 0xffff;
	}
}

/* The same as one number, as lists have it. */
static unsigned int select_of(uint64_t config)
{
	return (unsigned int)((config & 0xffff) | (config >> 32 & 0xf) << 8);
}

int nti_event_is_listed(const struct nti_names *names, const struct nti_part *part,
			unsigned int *code)
{
	uint64_t mask = select_mask(names->units->cpu.vendor);
	int ret;

	*code = select_of(part->attr.config & mask);
	if (!part->unit || part->unit->kind != NTI_UNIT_CORE)
		return -ENOENT;
	ret = nti_pfm_has_code(names, part->unit, *code, select_of(mask));
	return ret ? ret : nti_alias_has_code(names, part->unit, part->attr.config, mask);
}
