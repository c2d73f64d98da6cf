// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Core PMU of one x86 logical CPU, written from the registers' rows and what is said there.
 * Behaviour beyond rows: Intel SDM vol. 3B, "Performance monitoring" (20.2: PMC writes sign-extend,
 * reserved bits fault, CPUID leaf 0AH) and AMD APM vol. 2, 13.2; both from memory, and held against
 * what Linux' drivers make of it in the lab.
 */
#include "core/models/x86_pmu.h"
#include "core/regs/regs.h"

#define MSR_PMC 0xc1u
#define MSR_PERFEVTSEL 0x186u
#define MSR_FIXED_CTR 0x309u
#define MSR_FIXED_CTR_CTRL 0x38du
#define MSR_GLOBAL_STATUS 0x38eu
#define MSR_GLOBAL_CTRL 0x38fu
#define MSR_GLOBAL_OVF_CTRL 0x390u
#define MSR_AMD_EVNTSEL 0xc0010000u
#define MSR_AMD_PERFCTR 0xc0010004u
#define MSR_AMD_CORE_CTL 0xc0010200u

#define SELECT_USR ((uint64_t)1 << 16)
#define SELECT_OS ((uint64_t)1 << 17)
#define SELECT_EDGE ((uint64_t)1 << 18)
#define SELECT_INT ((uint64_t)1 << 20)
#define SELECT_ANY ((uint64_t)1 << 21)
#define SELECT_EN ((uint64_t)1 << 22)
#define SELECT_INV ((uint64_t)1 << 23)
#define SELECT_CMASK ((uint64_t)0xff << 24)
#define SELECT_GUEST ((uint64_t)1 << 40)
#define SELECT_HOST ((uint64_t)1 << 41)

/* Four bits a fixed counter in FIXED_CTR_CTRL. */
#define FIXED_OS 1u
#define FIXED_USR 2u
#define FIXED_ANY 4u
#define FIXED_PMI 8u
#define FIXED_SHIFT 32 /* of fixed counters in the global registers and in RDPMC's type */

/*
 * Clear bits that exist from version 2 on and have no status in this model: debug store buffer,
 * condition changed.
 */
#define OVF_CTRL_OTHER ((uint64_t)3 << 62)

#define RDPMC_FIXED ((uint32_t)1 << 30)

const struct ntm_x86_config ntm_x86_intel = { NTM_X86_INTEL_V2, 4, 3, 48 };
const struct ntm_x86_config ntm_x86_amd_legacy = { NTM_X86_AMD_LEGACY, 4, 0, 48 };
const struct ntm_x86_config ntm_x86_amd_core = { NTM_X86_AMD_CORE, 6, 0, 48 };

enum known_event { OTHER_EVENT, INSTRUCTIONS, CYCLES, REF_CYCLES };

static uint64_t ones(uint32_t bits)
{
	return ((uint64_t)1 << bits) - 1;
}

static bool is_intel(const struct ntm_x86_pmu *pmu)
{
	return pmu->config.kind == NTM_X86_INTEL_V2;
}

/* Bits of the global registers that belong to counters that exist. */
static uint64_t existing(const struct ntm_x86_pmu *pmu)
{
	return ones(pmu->config.general) | ones(pmu->config.fixed) << FIXED_SHIFT;
}

/* Bits that the row of @addr says hardware keeps. */
static uint64_t stored(const struct nthw_table *table, uint32_t addr)
{
	uint32_t index;
	const struct nthw_reg *reg = nthw_table_find(table, addr, &index);

	return reg ? nthw_reg_stored(reg) : 0;
}

static uint64_t fixed_ctrl_bits(const struct ntm_x86_pmu *pmu)
{
	uint64_t any = 0;
	uint32_t i;

	for (i = 0; i < pmu->config.fixed; i++)
		any |= (uint64_t)FIXED_ANY << 4 * i;
	return stored(&nthw_x86, MSR_FIXED_CTR_CTRL) & ones(4 * pmu->config.fixed) & ~any;
}

int ntm_x86_pmu_init(struct ntm_x86_pmu *pmu, const struct ntm_x86_config *config)
{
	uint32_t general = config->general;

	switch (config->kind) {
	case NTM_X86_INTEL_V2:
		if (general < 1 || general > NTM_X86_GENERAL_MAX ||
		    config->fixed > NTM_X86_FIXED_MAX)
			return NTM_REFUSED;
		break;
	case NTM_X86_AMD_LEGACY:
	case NTM_X86_AMD_CORE:
		if (general != (config->kind == NTM_X86_AMD_CORE ? 6 : 4) || config->fixed)
			return NTM_REFUSED;
		break;
	default:
		return NTM_REFUSED;
	}
	if (config->width < 33 || config->width > 63)
		return NTM_REFUSED;
	pmu->config = *config;
	ntm_x86_pmu_reset(pmu);
	return 0;
}

void ntm_x86_pmu_reset(struct ntm_x86_pmu *pmu)
{
	struct ntm_x86_config config = pmu->config;

	memset(pmu, 0, sizeof(*pmu));
	pmu->config = config;
	if (is_intel(pmu))
		pmu->global_ctrl = nthw_table_reset(&nthw_x86, MSR_GLOBAL_CTRL) & existing(pmu);
}

/* What a select register of Intel counts. */
static enum known_event intel_event(uint64_t select)
{
	switch (select & 0xffff) {
	case 0x00c0: /* the architectural event */
	case 0x01c0: /* the name Nehalem's list has for it */
		return INSTRUCTIONS;
	case 0x003c:
		return CYCLES;
	case 0x013c:
		return REF_CYCLES;
	default:
		return OTHER_EVENT;
	}
}

static enum known_event amd_event(uint64_t select)
{
	/* bits 35:32 are event bits 11:8 */
	switch ((select & 0xffff) | (select >> 32 & 0xf) << 16) {
	case 0x000c0:
		return INSTRUCTIONS;
	case 0x00076:
		return CYCLES;
	default:
		return OTHER_EVENT;
	}
}

static uint64_t share(enum known_event event, const struct ntm_x86_work *work)
{
	switch (event) {
	case INSTRUCTIONS:
		return work->instructions;
	case CYCLES:
		return work->cycles;
	case REF_CYCLES:
		return work->ref_cycles;
	default:
		return 0;
	}
}

/* How much general counter @i moves by @work. */
static uint64_t general_share(const struct ntm_x86_pmu *pmu, uint32_t i, bool is_user,
			      const struct ntm_x86_work *work)
{
	uint64_t select = pmu->select[i];

	if (!(select & SELECT_EN) || !(select & (is_user ? SELECT_USR : SELECT_OS)))
		return 0;
	if (select & (SELECT_EDGE | SELECT_INV | SELECT_CMASK))
		return 0;
	if (is_intel(pmu))
		return pmu->global_ctrl >> i & 1 ? share(intel_event(select), work) : 0;
	if ((select & SELECT_GUEST) && !(select & SELECT_HOST))
		return 0;
	return share(amd_event(select), work);
}

static enum known_event fixed_event(uint32_t i)
{
	switch (i) {
	case 0:
		return INSTRUCTIONS;
	case 1:
		return CYCLES;
	default:
		return REF_CYCLES;
	}
}

static uint64_t fixed_share(const struct ntm_x86_pmu *pmu, uint32_t i, bool is_user,
			    const struct ntm_x86_work *work)
{
	uint64_t ctrl = pmu->fixed_ctrl >> 4 * i;

	if (!(pmu->global_ctrl >> (FIXED_SHIFT + i) & 1) ||
	    !(ctrl & (is_user ? FIXED_USR : FIXED_OS)))
		return 0;
	return share(fixed_event(i), work);
}

/* Did it wrap? */
static bool add(const struct ntm_x86_pmu *pmu, uint64_t *count, uint64_t more)
{
	uint64_t mask = ones(pmu->config.width);
	bool wraps = more > mask - *count;

	*count = (*count + more) & mask;
	return wraps;
}

void ntm_x86_pmu_advance(struct ntm_x86_pmu *pmu, bool is_user, const struct ntm_x86_work *work)
{
	uint32_t i;

	for (i = 0; i < pmu->config.general; i++) {
		if (!add(pmu, &pmu->count[i], general_share(pmu, i, is_user, work)))
			continue;
		if (is_intel(pmu))
			pmu->global_status |= (uint64_t)1 << i;
		if (pmu->select[i] & SELECT_INT)
			pmu->pmi = true;
	}
	for (i = 0; i < pmu->config.fixed; i++) {
		if (!add(pmu, &pmu->fixed_count[i], fixed_share(pmu, i, is_user, work)))
			continue;
		pmu->global_status |= (uint64_t)1 << (FIXED_SHIFT + i);
		if (pmu->fixed_ctrl >> 4 * i & FIXED_PMI)
			pmu->pmi = true;
	}
}

/* Steps of @rate until @count wraps. */
static uint64_t steps(const struct ntm_x86_pmu *pmu, uint64_t count, uint64_t rate)
{
	uint64_t left = ones(pmu->config.width) - count + 1;

	return rate ? (left - 1) / rate + 1 : UINT64_MAX;
}

uint64_t ntm_x86_pmu_until_overflow(const struct ntm_x86_pmu *pmu, bool is_user,
				    const struct ntm_x86_work *step)
{
	uint64_t least = UINT64_MAX, n;
	uint32_t i;

	for (i = 0; i < pmu->config.general; i++) {
		if (!(pmu->select[i] & SELECT_INT))
			continue;
		n = steps(pmu, pmu->count[i], general_share(pmu, i, is_user, step));
		least = n < least ? n : least;
	}
	for (i = 0; i < pmu->config.fixed; i++) {
		if (!(pmu->fixed_ctrl >> 4 * i & FIXED_PMI))
			continue;
		n = steps(pmu, pmu->fixed_count[i], fixed_share(pmu, i, is_user, step));
		least = n < least ? n : least;
	}
	return least;
}

bool ntm_x86_pmu_take_pmi(struct ntm_x86_pmu *pmu)
{
	bool pmi = pmu->pmi;

	pmu->pmi = false;
	return pmi;
}

static int intel_rdmsr(const struct ntm_x86_pmu *pmu, uint32_t addr, uint64_t *value)
{
	switch (addr) {
	case MSR_FIXED_CTR_CTRL:
		*value = pmu->fixed_ctrl;
		return 0;
	case MSR_GLOBAL_STATUS:
		*value = pmu->global_status;
		return 0;
	case MSR_GLOBAL_CTRL:
		*value = pmu->global_ctrl;
		return 0;
	case MSR_GLOBAL_OVF_CTRL:
		*value = 0;
		return 0;
	}
	if (addr - MSR_PMC < pmu->config.general)
		*value = pmu->count[addr - MSR_PMC];
	else if (addr - MSR_PERFEVTSEL < pmu->config.general)
		*value = pmu->select[addr - MSR_PERFEVTSEL];
	else if (addr - MSR_FIXED_CTR < pmu->config.fixed)
		*value = pmu->fixed_count[addr - MSR_FIXED_CTR];
	else
		return NTM_NOT_MINE;
	return 0;
}

/* Bits 31:0 are written and bit 31 is copied upward, to the counter's width. */
static uint64_t sign_extend(const struct ntm_x86_pmu *pmu, uint64_t value)
{
	uint64_t low = value & 0xffffffff;

	return (low >> 31 ? low | ~(uint64_t)0xffffffff : low) & ones(pmu->config.width);
}

static int store(uint64_t *reg, uint64_t value, uint64_t allowed)
{
	if (value & ~allowed)
		return NTM_REFUSED;
	*reg = value;
	return 0;
}

static int intel_wrmsr(struct ntm_x86_pmu *pmu, uint32_t addr, uint64_t value)
{
	switch (addr) {
	case MSR_FIXED_CTR_CTRL:
		return store(&pmu->fixed_ctrl, value, fixed_ctrl_bits(pmu));
	case MSR_GLOBAL_STATUS:
		return NTM_REFUSED;
	case MSR_GLOBAL_CTRL:
		return store(&pmu->global_ctrl, value, existing(pmu));
	case MSR_GLOBAL_OVF_CTRL:
		if (value & ~(existing(pmu) | OVF_CTRL_OTHER))
			return NTM_REFUSED;
		pmu->global_status &= ~value;
		return 0;
	}
	if (addr - MSR_PMC < pmu->config.general)
		pmu->count[addr - MSR_PMC] = sign_extend(pmu, value);
	else if (addr - MSR_PERFEVTSEL < pmu->config.general)
		/* AnyThread came with version 3. */
		return store(&pmu->select[addr - MSR_PERFEVTSEL], value,
			     stored(&nthw_x86, MSR_PERFEVTSEL) & ~SELECT_ANY);
	else if (addr - MSR_FIXED_CTR < pmu->config.fixed)
		pmu->fixed_count[addr - MSR_FIXED_CTR] = value & ones(pmu->config.width);
	else
		return NTM_NOT_MINE;
	return 0;
}

/*
 * Which counter an address of AMD means, and whether it is the control register of it. False: none.
 */
static bool amd_find(const struct ntm_x86_pmu *pmu, uint32_t addr, uint32_t *index, bool *is_ctl)
{
	if (addr - MSR_AMD_EVNTSEL < 8) {
		*index = (addr - MSR_AMD_EVNTSEL) & 3;
		*is_ctl = addr < MSR_AMD_PERFCTR;
		return true;
	}
	if (pmu->config.kind == NTM_X86_AMD_CORE && addr - MSR_AMD_CORE_CTL < 12) {
		*index = (addr - MSR_AMD_CORE_CTL) / 2;
		*is_ctl = (addr & 1) == (MSR_AMD_CORE_CTL & 1);
		return true;
	}
	return false;
}

static int amd_rdmsr(const struct ntm_x86_pmu *pmu, uint32_t addr, uint64_t *value)
{
	uint32_t index;
	bool is_ctl;

	if (!amd_find(pmu, addr, &index, &is_ctl))
		return NTM_NOT_MINE;
	*value = is_ctl ? pmu->select[index] : pmu->count[index];
	return 0;
}

/* Reserved bits of AMD's registers are dropped, they do not fault. */
static int amd_wrmsr(struct ntm_x86_pmu *pmu, uint32_t addr, uint64_t value)
{
	uint32_t index;
	bool is_ctl;

	if (!amd_find(pmu, addr, &index, &is_ctl))
		return NTM_NOT_MINE;
	if (is_ctl)
		pmu->select[index] = value & stored(&nthw_amd_core, MSR_AMD_CORE_CTL);
	else
		pmu->count[index] = value & ones(pmu->config.width);
	return 0;
}

int ntm_x86_pmu_rdmsr(const struct ntm_x86_pmu *pmu, uint32_t addr, uint64_t *value)
{
	return is_intel(pmu) ? intel_rdmsr(pmu, addr, value) : amd_rdmsr(pmu, addr, value);
}

int ntm_x86_pmu_wrmsr(struct ntm_x86_pmu *pmu, uint32_t addr, uint64_t value)
{
	return is_intel(pmu) ? intel_wrmsr(pmu, addr, value) : amd_wrmsr(pmu, addr, value);
}

int ntm_x86_pmu_rdpmc(const struct ntm_x86_pmu *pmu, uint32_t index, uint64_t *value)
{
	if (index < pmu->config.general)
		*value = pmu->count[index];
	else if ((index & RDPMC_FIXED) && (index & ~RDPMC_FIXED) < pmu->config.fixed)
		*value = pmu->fixed_count[index & ~RDPMC_FIXED];
	else
		return NTM_REFUSED;
	return 0;
}

struct ntm_cpuid ntm_x86_pmu_cpuid(const struct ntm_x86_pmu *pmu)
{
	struct ntm_cpuid leaf = { 0, 0, 0, 0 };

	if (!is_intel(pmu))
		return leaf;
	/*
	 * version, counters, their width, and how many bits of EBX mean something; then which
	 * events are not there: 3 to 6
	 */
	leaf.eax = 2 | pmu->config.general << 8 | pmu->config.width << 16 | 7u << 24;
	leaf.ebx = 0x78;
	leaf.edx = pmu->config.fixed | pmu->config.width << 5;
	return leaf;
}
