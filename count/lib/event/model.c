// SPDX-License-Identifier: MIT
/*
 * Which libpfm4 PMU models are those of the machine looked at. libpfm4 itself asks the processor it
 * runs on, which is the wrong one under a recording, and knows only what was on sale when it was
 * released.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/common/compiler.h"
#include "base/common/text.h"
#include "count/lib/event/model.h"
#include "base/os/cpuinfo.h"

/*
 * Intel: SDM vol. 4, table 2-1 "CPUID signature values of DisplayFamily_DisplayModel" (all of
 * family 6). Models not yet in libpfm4 4.13 name a predecessor with the same core second, where
 * Intel's event lists agree on the encodings used.
 */
static const struct intel_row {
	unsigned int first, last;
	struct nti_model model;
} intel_rows[] = {
	{ 0x0f, 0x0f, { { "core" } } },
	{ 0x17, 0x17, { { "core" } } },
	{ 0x1d, 0x1d, { { "core" } } },
	{ 0x1c, 0x1c, { { "atom" } } },
	{ 0x26, 0x27, { { "atom" } } },
	{ 0x35, 0x36, { { "atom" } } },
	{ 0x1a, 0x1a, { { "nhm" }, "nhm" } },
	{ 0x1e, 0x1f, { { "nhm" }, "nhm" } },
	{ 0x2e, 0x2e, { { "nhm_ex" } } },
	{ 0x25, 0x25, { { "wsm" }, "wsm" } },
	{ 0x2c, 0x2c, { { "wsm_dp" }, "wsm" } },
	{ 0x2f, 0x2f, { { "wsm_dp" } } },
	{ 0x2a, 0x2a, { { "snb" }, "snb" } },
	{ 0x2d, 0x2d, { { "snb_ep" }, "snbep" } },
	{ 0x3a, 0x3a, { { "ivb" }, "ivb" } },
	{ 0x3e, 0x3e, { { "ivb_ep" }, "ivbep" } },
	{ 0x3c, 0x3c, { { "hsw" } } },
	{ 0x45, 0x46, { { "hsw" } } },
	{ 0x3f, 0x3f, { { "hsw_ep" }, "hswep" } },
	{ 0x3d, 0x3d, { { "bdw" } } },
	{ 0x47, 0x47, { { "bdw" } } },
	{ 0x4f, 0x4f, { { "bdw_ep" }, "bdx" } },
	{ 0x56, 0x56, { { "bdw_ep" }, "bdx" } },
	{ 0x4e, 0x4e, { { "skl" } } },
	{ 0x5e, 0x5e, { { "skl" } } },
	{ 0x8e, 0x8e, { { "skl" } } },
	{ 0x9e, 0x9e, { { "skl" } } },
	{ 0xa5, 0xa6, { { "skl" } } },
	{ 0x55, 0x55, { { "skx" }, "skx" } }, /* Cascade Lake is told by its stepping, see below */
	{ 0x37, 0x37, { { "slm" } } },
	{ 0x4a, 0x4a, { { "slm" } } },
	{ 0x4c, 0x4d, { { "slm" } } },
	{ 0x5c, 0x5c, { { "glm" } } },
	{ 0x5f, 0x5f, { { "glm" } } },
	{ 0x57, 0x57, { { "knl" }, "knl" } },
	{ 0x85, 0x85, { { "knm" }, "knm" } },
	{ 0x86, 0x86, { { "tmt" } } },
	{ 0x96, 0x96, { { "tmt" } } },
	{ 0x6a, 0x6a, { { "icx" }, "icx" } },
	{ 0x6c, 0x6c, { { "icx", "icl" }, "icx" } },
	{ 0x7d, 0x7e, { { "icl" } } },
	{ 0x8c, 0x8d, { { "icl" } } },
	{ 0x9d, 0x9d, { { "icl" } } },
	{ 0xa7, 0xa7, { { "icl" } } },
	{ 0x8f, 0x8f, { { "spr" }, "spr" } },
	{ 0xcf, 0xcf, { { "emr", "spr" }, "emr" } },
	{ 0x97, 0x97, { { "adl_glc", "adl_grt" } } },
	{ 0x9a, 0x9a, { { "adl_glc", "adl_grt" } } },
	{ 0xb7, 0xb7, { { "adl_glc", "adl_grt" } } },
	{ 0xba, 0xba, { { "adl_glc", "adl_grt" } } },
	{ 0xbf, 0xbf, { { "adl_glc", "adl_grt" } } },
	{ 0xad, 0xae, { { "gnr" }, "gnr" } },
};

/*
 * Same model as Skylake, later steppings (Intel's perfmon mapfile.csv:
 * GenuineIntel-6-55-[56789ABCDEF]).
 */
static const struct nti_model cascade_lake = { { "clx", "skx" }, "skx" };
#define MODEL_SKYLAKE_X 0x55
#define STEPPING_CASCADE_LAKE 5

/* AMD: families and models of the processors' PPRs and revision guides (CPUID Fn0000_0001 EAX). */
static const struct amd_row {
	unsigned int family, first, last;
	struct nti_model model;
} amd_rows[] = {
	{ 0x10, 0x04, 0x06, { { "amd64_fam10h_shanghai" } } },
	{ 0x10, 0x08, 0x09, { { "amd64_fam10h_istanbul" } } },
	{ 0x10, 0x00, 0xff, { { "amd64_fam10h_barcelona" } } },
	{ 0x11, 0x00, 0xff, { { "amd64_fam11h_turion" } } },
	{ 0x12, 0x00, 0xff, { { "amd64_fam12h_llano" } } },
	{ 0x14, 0x00, 0xff, { { "amd64_fam14h_bobcat" } } },
	{ 0x15, 0x00, 0xff, { { "amd64_fam15h_interlagos" }, "amd64_fam15h_nb" } },
	{ 0x16, 0x00, 0xff, { { "amd64_fam16h" } } },
	{ 0x17, 0x00, 0x2f, { { "amd64_fam17h_zen1" } } },
	{ 0x17, 0x30, 0xff, { { "amd64_fam17h_zen2" } } },
	{ 0x18, 0x00, 0xff, { { "amd64_fam17h_zen1" } } }, /* Hygon Dhyana */
	{ 0x19, 0x00, 0x0f, { { "amd64_fam19h_zen3" }, "amd64_fam19h_zen3_l3" } },
	{ 0x19, 0x20, 0x5f, { { "amd64_fam19h_zen3" }, "amd64_fam19h_zen3_l3" } },
	{ 0x19, 0x10, 0x1f, { { "amd64_fam19h_zen4" } } },
	{ 0x19, 0x60, 0xaf, { { "amd64_fam19h_zen4" } } },
	{ 0x1a, 0x00, 0xff, { { "amd64_fam1ah_zen5" }, "amd64_fam1ah_zen5_l3" } },
};

/*
 * Arm: implementer and part number of MIDR_EL1 (Arm's technical reference manuals, "MIDR_EL1";
 * Linux cputype.h).
 */
static const struct arm_row {
	unsigned int implementer, part;
	struct nti_model model;
} arm_rows[] = {
	{ 0x41, 0xd03, { { "arm_ac53" } } },	  { 0x41, 0xd07, { { "arm_ac57" } } },
	{ 0x41, 0xd08, { { "arm_ac72" } } },	  { 0x41, 0xd0c, { { "arm_n1" } } },
	{ 0x41, 0xd49, { { "arm_n2" } } },	  { 0x41, 0xd8e, { { "arm_n3" } } },
	{ 0x41, 0xd40, { { "arm_v1" } } },	  { 0x41, 0xd4f, { { "arm_v2" } } },
	{ 0x42, 0x516, { { "arm_thunderx2" } } }, { 0x43, 0x0af, { { "arm_thunderx2" } } },
	{ 0x46, 0x001, { { "arm_a64fx" } } },	  { 0x48, 0xd01, { { "arm_hisilicon_kunpeng" } } },
	{ 0x50, 0x000, { { "arm_xgene" } } },
};

static const struct nti_model *find_intel(const struct nthw_x86_cpu *cpu)
{
	size_t i;

	if (cpu->family != 6)
		return NULL;
	if (cpu->model == MODEL_SKYLAKE_X && cpu->stepping >= STEPPING_CASCADE_LAKE)
		return &cascade_lake;
	for (i = 0; i < NTI_ARRAY_SIZE(intel_rows); i++)
		if (cpu->model >= intel_rows[i].first && cpu->model <= intel_rows[i].last)
			return &intel_rows[i].model;
	return NULL;
}

static const struct nti_model *find_amd(const struct nthw_x86_cpu *cpu)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(amd_rows); i++)
		if (cpu->family == amd_rows[i].family && cpu->model >= amd_rows[i].first &&
		    cpu->model <= amd_rows[i].last)
			return &amd_rows[i].model;
	return NULL;
}

static const struct nti_model *find_arm(struct nti_os *os)
{
	uint64_t midr;
	size_t i;

	if (nti_cpuinfo_midr(os, &midr) < 0)
		return NULL;
	for (i = 0; i < NTI_ARRAY_SIZE(arm_rows); i++)
		if ((midr >> 24 & 0xff) == arm_rows[i].implementer &&
		    (midr >> 4 & 0xfff) == arm_rows[i].part)
			return &arm_rows[i].model;
	return NULL;
}

const struct nti_model *nti_model_find(struct nti_os *os)
{
	struct nthw_x86_cpu cpu;

	nti_cpu_identify(os, &cpu);
	switch (cpu.vendor) {
	case NTHW_VENDOR_INTEL:
		return find_intel(&cpu);
	case NTHW_VENDOR_AMD:
		return find_amd(&cpu);
	default:
		return find_arm(os);
	}
}

bool nti_model_has_core(const struct nti_model *model, const char *pmu)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(model->core) && model->core[i]; i++)
		if (nti_text_compare(model->core[i], pmu) == 0)
			return true;
	return false;
}

bool nti_model_has_uncore(const struct nti_model *model, const char *pmu)
{
	size_t length;

	if (!model->uncore)
		return false;
	length = strlen(model->uncore);
	if (nti_text_compare_n(pmu, model->uncore, length) != 0)
		return false;
	return !pmu[length] || nti_text_compare_n(pmu + length, "_unc", 4) == 0;
}

/*
 * Boxes that the kernel calls otherwise than libpfm4 (Linux arch/x86/events/intel/uncore_snbep.c,
 * uncore_snb.c).
 */
static const struct box_row {
	const char *box, *kernel;
} box_rows[] = {
	{ "cbo", "cbox" },
	{ "sbo", "sbox" },
	{ "ubo", "ubox" },
	{ "imc_uclk", "mc_uclk" },
};

/* PMUs without "_unc_". */
static const struct whole_row {
	const char *pmu, *kernel;
} whole_rows[] = {
	{ "rapl", "power" },
	{ "amd64_rapl", "power" },
	{ "amd64_fam15h_nb", "amd_nb" },
	{ "amd64_fam19h_zen3_l3", "amd_l3" },
	{ "amd64_fam1ah_zen5_l3", "amd_l3" },
	{ "nhm_unc", "uncore" },
	{ "wsm_unc", "uncore" },
};

static const char *kernel_box(const char *box, size_t length)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(box_rows); i++)
		if (strlen(box_rows[i].box) == length &&
		    nti_text_compare_n(box_rows[i].box, box, length) == 0)
			return box_rows[i].kernel;
	return NULL;
}

bool nti_model_unit_name(const char *pmu, char *buf, size_t size)
{
	const char *box = nti_text_find(pmu, "_unc_"), *kernel;
	size_t i, length;

	for (i = 0; i < NTI_ARRAY_SIZE(whole_rows); i++) {
		if (nti_text_compare(whole_rows[i].pmu, pmu) == 0) {
			(void)snprintf(buf, size, "%s", whole_rows[i].kernel);
			return true;
		}
	}
	if (!box)
		return false;
	box += strlen("_unc_");
	length = strlen(box);
	while (length && isdigit((unsigned char)box[length - 1]))
		length--;
	if (!length)
		return false;
	kernel = kernel_box(box, length);
	(void)snprintf(buf, size, "uncore_%.*s%s%s", kernel ? (int)strlen(kernel) : (int)length,
		       kernel ? kernel : box, box[length] ? "_" : "", box + length);
	return true;
}
