// SPDX-License-Identifier: MIT
/*
 * libpfm4's names: encodings of many models against libpfm4's own tables, and of some events
 * against vendors' documents.
 *
 * The first test walks libpfm4's events, so it says nothing of whether libpfm4 is right: it says
 * that nothing is lost between libpfm4's register values and the attr. It is told here, by model,
 * which bits are the kernel's and where further values go, and where libpfm4 can make a
 * perf_event_attr by itself (core PMUs), that one is compared too.
 */
#include <errno.h>
#include <perfmon/pfmlib.h>

#include "count/tests/event/names.h"
#include "count/tests/event/pfm_perf.h"
#include "base/tests/tt.h"

enum second {
	SECOND_NONE,	/* one value */
	SECOND_CONFIG1, /* the second value is config1 */
	SECOND_FILTERS, /* C-box, CHA: config1 holds two filters of 32 bits */
	SECOND_HIGH,	/* UPI: upper half of config */
	SECOND_PAIR,	/* config1 and config2 */
};

#define KERNEL_CORE 0x530000ull	      /* USR OS INT EN of PERFEVTSEL */
#define KERNEL_AMD 0x30000530000ull   /* and GuestOnly, HostOnly */
#define KERNEL_UNCORE_X86 0x500000ull /* INT and EN */

static const struct model_row {
	int line;
	const char *model;
	bool is_core;
	uint64_t kernel;
	enum second second;
	unsigned int at_least; /* encodings */
} model_rows[] = {
	{ __LINE__, "slm", true, KERNEL_CORE, SECOND_CONFIG1, 40 },
	{ __LINE__, "atom", true, KERNEL_CORE, SECOND_NONE, 40 },
	{ __LINE__, "nhm", true, KERNEL_CORE, SECOND_CONFIG1, 60 },
	{ __LINE__, "wsm", true, KERNEL_CORE, SECOND_CONFIG1, 60 },
	{ __LINE__, "snb", true, KERNEL_CORE, SECOND_CONFIG1, 60 },
	{ __LINE__, "ivb", true, KERNEL_CORE, SECOND_CONFIG1, 60 },
	{ __LINE__, "hsw", true, KERNEL_CORE, SECOND_CONFIG1, 60 },
	{ __LINE__, "bdw", true, KERNEL_CORE, SECOND_CONFIG1, 60 },
	{ __LINE__, "skl", true, KERNEL_CORE, SECOND_CONFIG1, 60 },
	{ __LINE__, "skx", true, KERNEL_CORE, SECOND_CONFIG1, 60 },
	{ __LINE__, "icx", true, KERNEL_CORE, SECOND_CONFIG1, 60 },
	{ __LINE__, "spr", true, KERNEL_CORE, SECOND_CONFIG1, 60 },
	{ __LINE__, "glm", true, KERNEL_CORE, SECOND_CONFIG1, 40 },
	{ __LINE__, "knl", true, KERNEL_CORE, SECOND_CONFIG1, 40 },
	{ __LINE__, "amd64_fam10h_barcelona", true, KERNEL_AMD, SECOND_NONE, 60 },
	{ __LINE__, "amd64_fam15h_interlagos", true, KERNEL_AMD, SECOND_NONE, 60 },
	{ __LINE__, "amd64_fam17h_zen1", true, KERNEL_AMD, SECOND_NONE, 60 },
	{ __LINE__, "amd64_fam17h_zen2", true, KERNEL_AMD, SECOND_NONE, 60 },
	{ __LINE__, "amd64_fam19h_zen3", true, KERNEL_AMD, SECOND_NONE, 60 },
	{ __LINE__, "amd64_fam19h_zen4", true, KERNEL_AMD, SECOND_NONE, 60 },
	{ __LINE__, "amd64_fam19h_zen3_l3", false, KERNEL_AMD, SECOND_NONE, 2 },
	{ __LINE__, "nhm_unc", false, KERNEL_UNCORE_X86, SECOND_NONE, 40 },
	{ __LINE__, "wsm_unc", false, KERNEL_UNCORE_X86, SECOND_NONE, 40 },
	{ __LINE__, "snb_unc_cbo0", false, KERNEL_UNCORE_X86, SECOND_NONE, 3 },
	{ __LINE__, "snbep_unc_imc0", false, 0, SECOND_NONE, 20 },
	{ __LINE__, "snbep_unc_cbo0", false, 0, SECOND_FILTERS, 20 },
	{ __LINE__, "snbep_unc_qpi0", false, 0, SECOND_PAIR, 20 },
	{ __LINE__, "hswep_unc_ha0", false, 0, SECOND_PAIR, 20 },
	{ __LINE__, "hswep_unc_pcu", false, 0, SECOND_PAIR, 20 },
	{ __LINE__, "bdx_unc_cbo0", false, 0, SECOND_FILTERS, 20 },
	{ __LINE__, "skx_unc_cha0", false, 0, SECOND_FILTERS, 60 },
	{ __LINE__, "skx_unc_imc0", false, 0, SECOND_NONE, 40 },
	{ __LINE__, "skx_unc_iio0", false, 0, SECOND_PAIR, 20 },
	{ __LINE__, "skx_unc_upi0", false, 0, SECOND_HIGH, 40 },
	{ __LINE__, "rapl", false, 0, SECOND_NONE, 2 },
};

#define BOTH (PFM_PLM0 | PFM_PLM3)
#define MASKS_MAX 6 /* unit masks tried of one event */

/*
 * libpfm4 says 0x67 and 0x82 without a unit mask; the documents, and ntime, say otherwise: see
 * vendor_rows.
 */
static bool is_corrected(const char *text)
{
	return strstr(text, "UNC_DRAM_THERMAL_THROTTLED") || strstr(text, "UNC_PROCHOT_ASSERTION");
}

static void expect(const struct model_row *r, const uint64_t *codes, int count,
		   struct perf_event_attr *want)
{
	uint64_t second = count > 1 ? codes[1] : 0, third = count > 2 ? codes[2] : 0;

	memset(want, 0, sizeof(*want));
	want->config = codes[0] & ~r->kernel;
	switch (r->second) {
	case SECOND_NONE:
		TT_EQ(r, count, 1);
		break;
	case SECOND_CONFIG1:
		want->config1 = second;
		break;
	case SECOND_FILTERS:
		want->config1 = second | third << 32;
		break;
	case SECOND_HIGH:
		want->config |= second << 32;
		break;
	case SECOND_PAIR:
		want->config1 = second;
		want->config2 = third;
		break;
	}
}

/* 1 when @text was encoded and compared, 0 when libpfm4 refuses it and so do we. */
static unsigned int compare(const struct nti_names *names, const struct model_row *r,
			    const char *text, unsigned int *by_perf)
{
	struct perf_event_attr want;
	const struct perf_event_attr *got;
	struct nti_error e = { 0 };
	struct nti_event event;
	uint64_t *codes = NULL, perf[2];
	int count = 0, ret;

	ret = pfm_get_event_encoding(text, BOTH, NULL, NULL, &codes, &count);
	if (ret != PFM_SUCCESS) {
		ret = nti_event_parse(names, text, &event, &e);
		if (ret != -EINVAL)
			print_error("%s\n", text);
		TT_EQ(r, ret, -EINVAL);
		return 0;
	}
	ret = nti_event_parse(names, text, &event, &e);
	if (ret < 0)
		print_error("%s: %s\n", text, e.text);
	TT_EQ(r, ret, 0);
	TT_EQ(r, event.parts, 1);
	got = &event.part[0].attr;
	expect(r, codes, count, &want);
	/* The right codes of core events are in count/tests/event/test_event.c. */
	if (event.corrected)
		want.config = got->config, want.config1 = got->config1;
	if (got->config != want.config && !is_corrected(text))
		print_error("%s\n", text);
	if (!is_corrected(text))
		TT_EQ(r, got->config, want.config);
	TT_EQ(r, got->config1, want.config1);
	TT_EQ(r, got->config2, want.config2);
	TT_EQ(r, tt_exclude(got), 0);
	TT_HAS(event.absent.reason, "is a PMU of other processors");
	if (r->is_core) {
		TT_EQ(r, got->type, PERF_TYPE_RAW);
		if (!event.corrected && tt_pfm_perf(text, perf) == PFM_SUCCESS) {
			TT_EQ(r, got->config, perf[0]);
			TT_EQ(r, got->config1, perf[1]);
			*by_perf += 1;
		}
	}
	free(codes);
	nti_event_fini(&event);
	return 1;
}

/*
 * The event alone, then with its first unit masks, each once more for user mode where the PMU has
 * modes.
 */
static unsigned int walk_event(const struct nti_names *names, const struct model_row *r, int idx,
			       unsigned int *by_perf)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	unsigned int n = 0, masks = 0;
	char text[512];
	int i;

	TT_EQ(r, pfm_get_event_info(idx, PFM_OS_NONE, &event), PFM_SUCCESS);
	snprintf(text, sizeof(text), "%s::%s", r->model, event.name);
	n += compare(names, r, text, by_perf);
	pfm_for_each_event_attr(i, &event)
	{
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		TT_EQ(r, pfm_get_event_attr_info(idx, i, PFM_OS_NONE, &attr), PFM_SUCCESS);
		if (attr.type != PFM_ATTR_UMASK || ++masks > MASKS_MAX)
			continue;
		snprintf(text, sizeof(text), "%s::%s:%s", r->model, event.name, attr.name);
		n += compare(names, r, text, by_perf);
	}
	return n;
}

/*
 * Start-up: libpfm4 takes longer to begin than most programs that only want these. Must run first.
 */
TEST(lazy_start)
{
	static const char *const texts[] = { "cycles:u",
					     "page-faults",
					     "LLC-load-misses",
					     "r1a8",
					     "cpu/event=0x3c/",
					     "imc/cas_count_read/",
					     "tsc",
					     "software::dummy",
					     "mem-loads",
					     "sched:sched_switch" };
	struct nti_event event;
	struct tt_names t;
	size_t i;

	TT_IS(tt_names_init(&t, &fake_skx), 0);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		TT_IS(nti_event_parse(&t.names, texts[i], &event, NULL), 0);
		nti_event_fini(&event);
	}
	TT_IS(pfm_find_event("skx::INST_RETIRED"), PFM_ERR_NOINIT);
	TT_IS(nti_event_parse(&t.names, "INST_RETIRED:ANY_P", &event, NULL), 0);
	nti_event_fini(&event);
	TT_IS(pfm_find_event("skx::INST_RETIRED") >= 0, 1);
	tt_names_fini(&t);
}

/*
 * Asking for one event of another model makes the library initialise libpfm4 the way it wants it.
 */
static void start(const struct nti_names *names)
{
	struct nti_event event;

	TT_IS(nti_event_parse(names, "hsw::INST_RETIRED:ANY_P", &event, NULL), 0);
	nti_event_fini(&event);
}

TEST(against_libpfm4)
{
	unsigned int total = 0, models = 0, by_perf = 0;
	struct tt_names t;

	TT_IS(tt_names_init(&t, &fake_biglittle), 0); /* none of the models is this machine's */
	start(&t.names);
	TT_FOR_EACH_ROW(r, model_rows) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
		unsigned int n = 0;
		int i, idx;

		pfm_for_all_pmus(i)
		{
			pmu.size = sizeof(pmu);
			if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS &&
			    strcmp(pmu.name, r->model) == 0)
				break;
		}
		TT_EQ(r, i < PFM_PMU_MAX, 1);
		for (idx = pmu.first_event; idx != -1; idx = pfm_get_event_next(idx))
			n += walk_event(&t.names, r, idx, &by_perf);
		TT_EQ(r, n >= r->at_least, 1);
		total += n;
		models++;
	}
	printf("# %u encodings of %u PMU models, %u of them also as libpfm4 makes an attr\n", total,
	       models, by_perf);
	TT_IS(total >= 200 && models >= 8, 1);
	tt_names_fini(&t);
}

/*
 * Codes as the vendors' documents define them, typed in from knowledge of these documents, which
 * were not at hand; rows whose names libpfm4 lacks were left out. SDM: Intel 64 and IA-32
 * Architectures Software Developer's Manual vol. 3B, "performance monitoring events" (in later
 * editions at perfmon-events.intel.com), column "event num., umask value". PPR: AMD Processor
 * Programming Reference, "core performance monitor counters".
 */
static const struct vendor_row {
	int line;
	const char *text;
	uint64_t config, config1;
	unsigned int exclude;
	const char *source;
} vendor_rows[] = {
	{ __LINE__, "skl::UNHALTED_CORE_CYCLES", 0x003c, 0, 0,
	  "SDM table of architectural events: 3CH 00H" },
	{ __LINE__, "skl::INSTRUCTION_RETIRED", 0x00c0, 0, 0,
	  "SDM table of architectural events: C0H 00H" },
	{ __LINE__, "skl::BRANCH_INSTRUCTIONS_RETIRED", 0x00c4, 0, 0,
	  "SDM table of architectural events: C4H 00H" },
	{ __LINE__, "skl::MISPREDICTED_BRANCH_RETIRED", 0x00c5, 0, 0,
	  "SDM table of architectural events: C5H 00H" },
	{ __LINE__, "skl::LONGEST_LAT_CACHE:REFERENCE", 0x4f2e, 0, 0,
	  "SDM table of architectural events: 2EH 4FH" },
	{ __LINE__, "skl::LONGEST_LAT_CACHE:MISS", 0x412e, 0, 0,
	  "SDM table of architectural events: 2EH 41H" },
	{ __LINE__, "skl::LD_BLOCKS:STORE_FORWARD", 0x0203, 0, 0, "SDM, Skylake: 03H 02H" },
	{ __LINE__, "skl::DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK", 0x0108, 0, 0,
	  "SDM, Skylake: 08H 01H" },
	{ __LINE__, "skl::UOPS_ISSUED:ANY:u", 0x010e, 0, 6, "SDM, Skylake: 0EH 01H" },
	{ __LINE__, "skl::ARITH:DIVIDER_ACTIVE", 0x1000114, 0, 0, "SDM, Skylake: 14H 01H, CMSK1" },
	{ __LINE__, "skl::L2_RQSTS:DEMAND_DATA_RD_MISS", 0x2124, 0, 0, "SDM, Skylake: 24H 21H" },
	{ __LINE__, "skl::L1D_PEND_MISS:PENDING", 0x0148, 0, 0, "SDM, Skylake: 48H 01H" },
	{ __LINE__, "skl::L1D:REPLACEMENT", 0x0151, 0, 0, "SDM, Skylake: 51H 01H" },
	{ __LINE__, "skl::IDQ:MITE_UOPS:k", 0x0479, 0, 5, "SDM, Skylake: 79H 04H" },
	{ __LINE__, "skl::IDQ_UOPS_NOT_DELIVERED:CORE", 0x019c, 0, 0, "SDM, Skylake: 9CH 01H" },
	{ __LINE__, "skl::RESOURCE_STALLS:ANY", 0x01a2, 0, 0, "SDM, Skylake: A2H 01H" },
	{ __LINE__, "skl::CYCLE_ACTIVITY:STALLS_TOTAL", 0x40004a3, 0, 0,
	  "SDM, Skylake: A3H 04H, CMSK4" },
	{ __LINE__, "skl::UOPS_RETIRED:RETIRE_SLOTS", 0x02c2, 0, 0, "SDM, Skylake: C2H 02H" },
	{ __LINE__, "skl::MEM_INST_RETIRED:ALL_LOADS", 0x81d0, 0, 0, "SDM, Skylake: D0H 81H" },
	{ __LINE__, "skl::MEM_LOAD_RETIRED:L1_HIT", 0x01d1, 0, 0, "SDM, Skylake: D1H 01H" },
	{ __LINE__, "skl::MEM_LOAD_RETIRED:L3_MISS", 0x20d1, 0, 0, "SDM, Skylake: D1H 20H" },
	{ __LINE__, "skx::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=64", 0x01cd, 64, 0,
	  "SDM, Skylake: CDH 01H, threshold in MSR 3F6H" },
	{ __LINE__, "hsw::MEM_UOPS_RETIRED:ALL_LOADS", 0x81d0, 0, 0, "SDM, Haswell: D0H 81H" },
	{ __LINE__, "hsw::MEM_LOAD_UOPS_RETIRED:L3_MISS", 0x20d1, 0, 0, "SDM, Haswell: D1H 20H" },
	{ __LINE__, "hsw::RTM_RETIRED:ABORTED", 0x04c9, 0, 0, "SDM, Haswell TSX: C9H 04H" },
	{ __LINE__, "snb::SIMD_FP_256:PACKED_SINGLE", 0x0111, 0, 0, "SDM, Sandy Bridge: 11H 01H" },
	{ __LINE__, "snb::SIMD_FP_256:PACKED_DOUBLE", 0x0211, 0, 0, "SDM, Sandy Bridge: 11H 02H" },
	/* several unit masks are one event with their bits together */
	{ __LINE__, "skl::FP_ARITH:SCALAR_DOUBLE:SCALAR_SINGLE", 0x03c7, 0, 0,
	  "SDM, Skylake: C7H 01H + 02H" },
	{ __LINE__, "nhm::MEM_INST_RETIRED:LOADS", 0x010b, 0, 0, "SDM, Nehalem: 0BH 01H" },
	{ __LINE__, "nhm::MEM_LOAD_RETIRED:L3_MISS", 0x10cb, 0, 0, "SDM, Nehalem: CBH 10H" },
	{ __LINE__, "nhm::L2_RQSTS:LOADS", 0x0324, 0, 0, "SDM, Nehalem: 24H 03H" },
	{ __LINE__, "nhm::UOPS_RETIRED:ANY", 0x01c2, 0, 0, "SDM, Nehalem: C2H 01H" },
	{ __LINE__, "nhm::UOPS_RETIRED:ANY:c=16:i=1:e=0", 0x108001c2, 0, 0,
	  "SDM, Nehalem: C2H 01H; PERFEVTSEL: inv bit 23, cmask bits 31-24" },
	{ __LINE__, "icx::TOPDOWN:SLOTS", 0x0400, 0, 0,
	  "SDM, fixed counter 3; Linux calls it 0400H" },
	{ __LINE__, "amd64_fam17h_zen1::CYCLES_NOT_IN_HALT", 0x76, 0, 0,
	  "PPR family 17h: PMCx076" },
	{ __LINE__, "amd64_fam17h_zen1::RETIRED_INSTRUCTIONS:u", 0xc0, 0, 6,
	  "PPR family 17h: PMCx0C0" },
	{ __LINE__, "amd64_fam17h_zen1::RETIRED_UOPS", 0xc1, 0, 0, "PPR family 17h: PMCx0C1" },
	{ __LINE__, "amd64_fam17h_zen2::RETIRED_BRANCH_INSTRUCTIONS", 0xc2, 0, 0,
	  "PPR family 17h: PMCx0C2" },
	{ __LINE__, "amd64_fam17h_zen1::RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", 0xc3, 0, 0,
	  "PPR family 17h: PMCx0C3" },
	{ __LINE__, "amd64_fam17h_zen1::LS_DISPATCH:LD_DISPATCH:STORE_DISPATCH", 0x0329, 0, 0,
	  "PPR family 17h: PMCx029, bits 0 and 1" },
	{ __LINE__, "amd64_fam17h_zen1::RETIRED_FUSED_BRANCH_INSTRUCTIONS", 0x1000000d0, 0, 0,
	  "PPR family 17h: PMCx1D0; event bits 11-8 are bits 35-32" },
	{ __LINE__, "amd64_fam19h_zen3::RETIRED_MMX_FP_INSTRUCTIONS:SSE_INSTR", 0x04cb, 0, 0,
	  "PPR family 19h: PMCx0CB, bit 2" },
	{ __LINE__, "wsm_unc::UNC_DRAM_THERMAL_THROTTLED", 0x0167, 0, 0,
	  "SDM, Westmere uncore: 67H 01H" },
	{ __LINE__, "wsm_unc::UNC_THERMAL_THROTTLING_TEMP:CORE_0", 0x0180, 0, 0,
	  "SDM, Westmere uncore: 80H 01H" },
	{ __LINE__, "wsm_unc::UNC_THERMAL_THROTTLED_TEMP:CORE_3", 0x0881, 0, 0,
	  "SDM, Westmere uncore: 81H 08H" },
	{ __LINE__, "wsm_unc::UNC_THERMAL_THROTTLING_TEMP:CORE_0:CORE_1:CORE_2:CORE_3", 0x0f80, 0,
	  0, "SDM, Westmere uncore: 80H, unit masks 01H 02H 04H 08H together" },
	{ __LINE__, "wsm_unc::UNC_PROCHOT_ASSERTION", 0x0182, 0, 0,
	  "SDM, Westmere uncore: 82H 01H" },
	{ __LINE__, "wsm_unc::UNC_THERMAL_THROTTLING_PROCHOT:CORE_2", 0x0483, 0, 0,
	  "SDM, Westmere uncore: 83H 04H" },
	{ __LINE__, "snbep_unc_imc0::UNC_M_CAS_COUNT:RD", 0x0304, 0, 0,
	  "Intel Xeon E5-2600 uncore guide (327043): CAS_COUNT 04H, RD xxxxxx11b" },
	{ __LINE__, "snbep_unc_imc0::UNC_M_CAS_COUNT:WR", 0x0c04, 0, 0,
	  "Intel Xeon E5-2600 uncore guide (327043): CAS_COUNT 04H, WR xxxx11xxb" },
	{ __LINE__, "snbep_unc_imc0::UNC_M_ACT_COUNT", 0x0001, 0, 0,
	  "Intel Xeon E5-2600 uncore guide (327043): ACT_COUNT 01H" },
};

TEST(against_documents)
{
	struct tt_names t;

	TT_IS(tt_names_init(&t, &fake_biglittle), 0);
	TT_IS(sizeof(vendor_rows) / sizeof(vendor_rows[0]) >= 30, 1);
	TT_FOR_EACH_ROW(r, vendor_rows) {
		struct nti_error e = { 0 };
		struct nti_event event;
		int ret = nti_event_parse(&t.names, r->text, &event, &e);

		if (ret < 0)
			print_error("%s: %s\n", r->text, e.text);
		TT_EQ(r, ret, 0);
		TT_EQ(r, event.part[0].attr.config, r->config);
		TT_EQ(r, event.part[0].attr.config1, r->config1);
		TT_EQ(r, tt_exclude(&event.part[0].attr), r->exclude);
		TT_EQ(r, r->source != NULL, 1);
		nti_event_fini(&event);
	}
	tt_names_fini(&t);
}

/*
 * Modes: libpfm4 puts them into the register, perf and ntime into exclude_*; user 1, kernel 2,
 * hypervisor 4.
 */
static const struct mode_row {
	int line;
	const char *text;
	unsigned int exclude;
} mode_rows[] = {
	{ __LINE__, "skx::UOPS_ISSUED:ANY", 0 },
	{ __LINE__, "skx::UOPS_ISSUED:ANY:u", 6 },
	{ __LINE__, "skx::UOPS_ISSUED:ANY:k", 5 },
	{ __LINE__, "skx::UOPS_ISSUED:ANY:u:k", 0 },
	{ __LINE__, "skx::UOPS_ISSUED:ANY:u=0", 7 },
	{ __LINE__, "skx::UOPS_ISSUED:ANY:k=0:u=1", 6 },
	{ __LINE__, "amd64_fam17h_zen1::RETIRED_UOPS:u", 6 },
	{ __LINE__, "amd64_fam17h_zen1::RETIRED_UOPS:k", 5 },
	{ __LINE__, "amd64_fam17h_zen1::RETIRED_UOPS:h", 16 },
	{ __LINE__, "amd64_fam17h_zen1::RETIRED_UOPS:g", 8 },
};

TEST(modes)
{
	struct tt_names t;

	TT_IS(tt_names_init(&t, &fake_biglittle), 0);
	TT_FOR_EACH_ROW(r, mode_rows) {
		struct nti_event event;

		TT_EQ(r, nti_event_parse(&t.names, r->text, &event, NULL), 0);
		TT_EQ(r, tt_exclude(&event.part[0].attr), r->exclude);
		nti_event_fini(&event);
	}
	tt_names_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lazy_start),
		cmocka_unit_test(against_libpfm4),
		cmocka_unit_test(against_documents),
		cmocka_unit_test(modes),
	};

	return TT_RUN(tests);
}
