// SPDX-License-Identifier: MIT
/*
 * Events to which libpfm4 4.13 gives another code than Intel's newest list of events, which the
 * kernel's tables follow (tools/perf/pmu-events/arch/x86).
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/common/text.h"
#include "count/lib/event/pfm.h"

#define LIST(name) "Intel's event list (github.com/intel/perfmon) " name
#define SKX LIST("skylakex 1.37, cascadelakex 1.25, skylake 59")
#define ICX LIST("icelakex 1.30, icelake 1.24")
#define SPR LIST("sapphirerapids 1.39, emeraldrapids 1.24")
#define HSX LIST("haswellx 29, haswell 36, broadwellx 23, broadwell 30")
#define NHM LIST("NehalemEP 4, NehalemEX 4")
#define WSM LIST("WestmereEP-DP 5, WestmereEP-SP 4")
#define GLM LIST("goldmont 13")
#define IVB LIST("ivybridge 24, ivytown 24")
#define ARCH ", and architectural (Intel SDM vol. 3B, table 20-1),"

#define ON_SKX "skx clx skl"
#define ON_HSX "hsw_ep hsw bdw_ep bdw"

/*
 * The lists call 16 what their sentence calls "less than 10": in no cycle so many uops retire, so
 * that both count all cycles.
 */
static const struct nti_pfm_correction rows[] = {
	{ ON_SKX, "UOPS_RETIRED", "STALL_CYCLES", 0x18001c2, 0x18002c2, 0, false, SKX },
	{ ON_SKX, "UOPS_RETIRED", "TOTAL_CYCLES", 0xa8001c2, 0x108002c2, 0, false, SKX },
	{ "icx icl", "MEM_LOAD_MISC_RETIRED", "UC -", 0x4c4, 0x4d4, 0, false, ICX },
	{ "icx icl", "TOPDOWN", "BACKEND_BOUND_SLOTS", 0x200, 0x2a4, 0, false, ICX },
	{ "spr", "MEM_TRANS_RETIRED", "STORE_SAMPLE", 0x3cd, 0x2cd, 0, false, SPR },
	{ "spr", "ARITH", "IDIV_ACTIVE INT_DIVIDER_ACTIVE", 0x8b0, 0x10008b0, 0, false, SPR },
	/* MSR 0x3f7, the frontend's filter, is perf's config1. */
	{ "spr", "INT_MISC", "UNKNOWN_BRANCH_CYCLES", 0x7ad, 0x40ad, 0x7, false, SPR },
	{ "spr", "TOPDOWN", "BACKEND_BOUND_SLOTS", 0x200, 0x2a4, 0, false, SPR },
	{ "spr", "TOPDOWN", "BAD_SPEC_SLOTS", 0x400, 0x4a4, 0, false, SPR },
	{ "spr", "TOPDOWN", "BR_MISPREDICT_SLOTS", 0x800, 0x8a4, 0, false, SPR },
	{ "spr", "TOPDOWN", "MEMORY_BOUND_SLOTS", 0x1000, 0x10a4, 0, false, SPR },
	{ "spr", "UOPS_RETIRED", "MS", 0x8c2, 0x4c2, 0x8, false, SPR },
	{ ON_HSX, "L2_RQSTS", "CODE_RD_HIT", 0x4424, 0xc424, 0, false, HSX },
	{ ON_HSX, "L2_RQSTS", "DEMAND_DATA_RD_HIT", 0x4124, 0xc124, 0, false, HSX },
	{ ON_HSX, "L2_RQSTS", "L2_PF_HIT PF_HIT", 0xd824, 0xd024, 0, false, HSX },
	{ ON_HSX, "L2_RQSTS", "L2_PF_MISS PF_MISS", 0x3824, 0x3024, 0, false, HSX },
	{ ON_HSX, "L2_RQSTS", "RFO_HIT DEMAND_RFO_HIT", 0x4224, 0xc224, 0, false, HSX },
	{ ON_HSX, "UOPS_RETIRED", "TOTAL_CYCLES", 0xa8001c2, 0x108001c2, 0, false, HSX },
	{ "nhm nhm_ex", "MACRO_INSTS", "FUSIONS_DECODED", 0x1d0, 0x1a6, 0, false, NHM },
	{ "nhm nhm_ex", "BR_INST_RETIRED", "ALL_BRANCHES", 0xc4, 0x4c4, 0, true, NHM ARCH },
	{ "nhm nhm_ex", "INST_RETIRED", "ANY_P -", 0xc0, 0x1c0, 0, true, NHM ARCH },
	{ "wsm_dp wsm", "BR_INST_RETIRED", "ALL_BRANCHES", 0xc4, 0x4c4, 0, true, WSM ARCH },
	{ "wsm_dp wsm", "BR_MISP_RETIRED", "ALL_BRANCHES", 0xc5, 0x4c5, 0, true, WSM ARCH },
	{ "glm", "CPU_CLK_UNHALTED", "CORE_P -", 0x0, 0x3c, 0, false, GLM },
	{ "glm", "CPU_CLK_UNHALTED", "REF", 0x100, 0x13c, 0, false, GLM },
	{ "ivb ivb_ep", "MOVE_ELIMINATION", "INT_ELIMINATED", 0x458, 0x158, 0, false, IVB },
	{ "ivb ivb_ep", "MOVE_ELIMINATION", "INT_NOT_ELIMINATED", 0x158, 0x458, 0, false, IVB },
	{ "ivb_ep", "MEM_LOAD_UOPS_LLC_MISS_RETIRED", "LOCAL_DRAM -", 0x1d3, 0x3d3, 0, false, IVB },
};

/*
 * Is one of @attrs, ":ATTR:ATTR=VALUE", among the words of @list? "-" is the unit mask that libpfm4
 * takes where there is none: modifiers alone, which have a value or at most two letters.
 */
static bool has_attr(const char *list, const char *attrs)
{
	bool is_default = nti_text_has_word(list, "-", 1);

	while (*attrs) {
		size_t bytes = strcspn(++attrs, ":.");

		if (nti_text_has_word(list, attrs, bytes))
			return true;
		is_default = is_default && (bytes <= 2 || memchr(attrs, '=', bytes));
		attrs += bytes;
	}
	return is_default;
}

/* Event select and unit mask; and the counter mask, which users may give, where that is wrong. */
static uint64_t care_mask(const struct nti_pfm_correction *row)
{
	return 0xffff | ((row->wrong ^ row->right) & 0xff000000 ? 0xff000000 : 0);
}

const struct nti_pfm_correction *nti_pfm_correct(const char *pmu, const char *event,
						 const char *text, struct perf_event_attr *attr)
{
	const char *attrs = text + strcspn(text, ":.");
	size_t i;

	/* Who asks for a code gets it. */
	for (const char *hex = attrs; (hex = nti_text_find(hex, "0x")); hex++)
		if (strchr(":.", hex[-1]))
			return NULL;
	for (i = 0; i < NTI_ARRAY_SIZE(rows); i++) {
		const struct nti_pfm_correction *row = &rows[i];

		if (!nti_text_has_word(row->pmus, pmu, strlen(pmu)) ||
		    nti_text_compare(row->event, event) != 0 ||
		    (attr->config & care_mask(row)) != (row->wrong & care_mask(row)) ||
		    !has_attr(row->umasks, attrs))
			continue;
		if (!row->is_same) {
			attr->config ^= row->wrong ^ row->right;
			attr->config1 |= row->config1;
		}
		return row;
	}
	return NULL;
}

char *nti_pfm_correction_text(const struct nti_pfm_correction *row)
{
	if (row->is_same)
		return nti_text_format("%#x; %#x of %s is the same count", row->wrong, row->right,
				       row->source);
	return nti_text_format("corrected: %#x%s, from %s; libpfm4 has %#x", row->right,
			       row->config1 ? " with the frontend's filter" : "", row->source,
			       row->wrong);
}
