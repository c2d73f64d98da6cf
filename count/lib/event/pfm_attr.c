// SPDX-License-Identifier: MIT
/* What the kernel wants to hear, made of the register values that libpfm4 gives. */
#include <string.h>

#include "base/common/text.h"
#include "count/lib/event/pfm.h"

/*
 * Fields of PERFEVTSEL that the kernel sets itself: Intel SDM vol. 3B, figure 20-6; AMD APM vol. 2,
 * 13.2.1.
 */
#define EVTSEL_USR (1ull << 16)
#define EVTSEL_OS (1ull << 17)
#define EVTSEL_INT (1ull << 20)
#define EVTSEL_EN (1ull << 22)
#define AMD_GUEST_ONLY (1ull << 40)
#define AMD_HOST_ONLY (1ull << 41)
/*
 * As libpfm4 places them (lib/pfmlib_arm_priv.h); the kernel sets PMEVTYPER's filters from
 * exclude_*.
 */
#define ARM_EXCLUDE_HV (1ull << 27)
#define ARM_EXCLUDE_KERNEL (1ull << 30)
#define ARM_EXCLUDE_USER (1ull << 31)

static bool is_x86_build(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return true;
#else
	return false;
#endif
}

static void exclude_x86(uint64_t code, struct perf_event_attr *attr)
{
	bool is_user = code & EVTSEL_USR, is_kernel = code & EVTSEL_OS;

	if (is_user && is_kernel)
		return;
	attr->exclude_user = !is_user;
	attr->exclude_kernel = !is_kernel;
	attr->exclude_hv = 1;
}

/*
 * lib/pfmlib_intel_x86_perf_event.c: the second value is the extra register (off-core response,
 * frontend, load latency).
 */
static void core_intel(const struct nti_pfm_codes *c, struct perf_event_attr *attr)
{
	exclude_x86(c->code[0], attr);
	attr->config = c->code[0] & ~(EVTSEL_USR | EVTSEL_OS | EVTSEL_INT | EVTSEL_EN);
	attr->config1 = c->code[1];
}

/* AMD APM vol. 2, 13.2.1: HostOnly and GuestOnly, neither or both count everything. */
static void core_amd(const struct nti_pfm_codes *c, struct perf_event_attr *attr)
{
	bool is_guest = c->code[0] & AMD_GUEST_ONLY, is_host = c->code[0] & AMD_HOST_ONLY;

	/*
	 * "h" or "g" alone: libpfm4 leaves user and kernel out unless they are named too; nobody
	 * wants to count nothing.
	 */
	if (c->code[0] & (EVTSEL_USR | EVTSEL_OS) || (!is_guest && !is_host))
		exclude_x86(c->code[0], attr);
	if (is_guest != is_host) {
		attr->exclude_guest = is_host;
		attr->exclude_host = is_guest;
	}
	attr->config = c->code[0] & ~(EVTSEL_USR | EVTSEL_OS | EVTSEL_INT | EVTSEL_EN |
				      AMD_GUEST_ONLY | AMD_HOST_ONLY);
}

static void core_arm(const struct nti_pfm_codes *c, struct perf_event_attr *attr)
{
	attr->exclude_user = (c->code[0] & ARM_EXCLUDE_USER) != 0;
	attr->exclude_kernel = (c->code[0] & ARM_EXCLUDE_KERNEL) != 0;
	attr->exclude_hv = (c->code[0] & ARM_EXCLUDE_HV) != 0;
	attr->config = c->code[0] & ~(ARM_EXCLUDE_USER | ARM_EXCLUDE_KERNEL | ARM_EXCLUDE_HV);
}

/*
 * Uncore PMUs whose control registers look like a core's: enable and interrupt bits are the
 * kernel's.
 */
static bool has_evtsel(const pfm_pmu_info_t *pmu)
{
	return nti_pfm_has_prefix(pmu->name, "nhm_unc") ||
	       nti_pfm_has_prefix(pmu->name, "wsm_unc") ||
	       nti_pfm_has_prefix(pmu->name, "snb_unc_") ||
	       nti_pfm_has_prefix(pmu->name, "ivb_unc_");
}

/*
 * Where the kernel expects filters (Linux arch/x86/events/intel/uncore_snbep.c, format attributes):
 * C-boxes and CHAs have both filter registers in config1, the second one in its upper half
 * (filter_nid config1:32-47, filter_opc2 config1:52-60); UPI has the header filter in config, bits
 * 32-55 (umask_ext); others one register in each of config1, config2.
 */
static void uncore_intel(const pfm_pmu_info_t *pmu, const struct nti_pfm_codes *c,
			 struct perf_event_attr *attr)
{
	attr->config = c->code[0];
	if (has_evtsel(pmu))
		attr->config &= ~(EVTSEL_INT | EVTSEL_EN);
	if (nti_text_find(pmu->name, "_unc_cbo") || nti_text_find(pmu->name, "_unc_cha")) {
		attr->config1 = c->code[1] | c->code[2] << 32;
	} else if (nti_text_find(pmu->name, "_unc_upi")) {
		attr->config |= c->code[1] << 32;
	} else {
		attr->config1 = c->code[1];
		attr->config2 = c->code[2];
	}
}

/*
 * Codes that libpfm4 4.13 has without their unit mask, with which they count nothing: Intel SDM
 * vol. 3B, Westmere uncore events 67H and 82H, both with unit mask 01H.
 */
static const struct correction_row {
	const char *pmu;
	uint64_t wrong, right;
} correction_rows[] = {
	{ "wsm_unc", 0x0067, 0x0167 }, /* UNC_DRAM_THERMAL_THROTTLED */
	{ "wsm_unc", 0x0082, 0x0182 }, /* UNC_PROCHOT_ASSERTION */
};

static void correct(const pfm_pmu_info_t *pmu, struct perf_event_attr *attr)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(correction_rows); i++) {
		const struct correction_row *row = &correction_rows[i];

		if (nti_text_compare(pmu->name, row->pmu) == 0 &&
		    (attr->config & 0xffff) == row->wrong)
			attr->config |= row->right;
	}
}

void nti_pfm_to_attr(const pfm_pmu_info_t *pmu, const struct nti_pfm_codes *c,
		     struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->config = c->code[0];
	if (nti_pfm_is_arm(pmu) && pmu->type == PFM_PMU_TYPE_CORE)
		core_arm(c, attr);
	else if (nti_text_compare_n(pmu->name, "amd64", 5) == 0 &&
		 nti_text_find(pmu->name, "rapl") == NULL)
		core_amd(c, attr);
	else if (is_x86_build() && pmu->type == PFM_PMU_TYPE_CORE)
		core_intel(c, attr);
	else if (is_x86_build() && pmu->type == PFM_PMU_TYPE_UNCORE)
		uncore_intel(pmu, c, attr);
	/* L3 counters have no modes, and no such bits. */
	if (pmu->type != PFM_PMU_TYPE_CORE)
		attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = attr->exclude_guest =
			attr->exclude_host = 0;
	correct(pmu, attr);
}
