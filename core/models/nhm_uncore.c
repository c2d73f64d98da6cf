// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Uncore of one Nehalem package, written from the registers' rows (core/regs/nhm_uncore.c names
 * what those rest on). The event codes are those of libpfm4's wsm_unc table, held against the
 * recipe for finding throttled blades. That table has no unit mask for 67h and 82h, the recipe has
 * 01h: here they count with it alone.
 */
#include "core/models/nhm_uncore.h"
#include "core/regs/regs.h"

#define MSR_GLOBAL_CTRL 0x391u
#define MSR_GLOBAL_STATUS 0x392u
#define MSR_GLOBAL_OVF_CTRL 0x393u
#define MSR_FIXED_CTR 0x394u
#define MSR_FIXED_CTR_CTRL 0x395u
#define MSR_MATCH 0x396u
#define MSR_PMC 0x3b0u
#define MSR_PERFEVTSEL 0x3c0u

#define SELECT_EDGE ((uint64_t)1 << 18)
#define SELECT_EN ((uint64_t)1 << 22)
#define SELECT_INV ((uint64_t)1 << 23)
#define SELECT_THRESHOLD ((uint64_t)0xff << 24)

#define FIXED_BIT 32 /* of the fixed counter in the global registers */
#define FIXED_EN 1u

#define COUNT_MASK (((uint64_t)1 << 48) - 1)

static const struct nthw_reg *row(uint32_t addr)
{
	uint32_t index;

	return nthw_table_find(&nthw_nhm_uncore, addr, &index);
}

void ntm_nhm_uncore_reset(struct ntm_nhm_uncore *box)
{
	memset(box, 0, sizeof(*box));
	box->global_ctrl = nthw_table_reset(&nthw_nhm_uncore, MSR_GLOBAL_CTRL);
	box->fixed_ctrl = nthw_table_reset(&nthw_nhm_uncore, MSR_FIXED_CTR_CTRL);
	box->match = nthw_table_reset(&nthw_nhm_uncore, MSR_MATCH);
}

/*
 * Clocks in which at least one of the cores in @umask was throttled: cores are throttled at the
 * same time, so the longest.
 */
static uint64_t longest(const uint64_t *clocks, uint64_t umask)
{
	uint64_t most = 0;
	uint32_t core;

	for (core = 0; core < NTM_NHM_CORES; core++)
		if ((umask >> core & 1) && clocks[core] > most)
			most = clocks[core];
	return most;
}

/* Requests of the channels in @umask: these add up. */
static uint64_t sum(const uint64_t *requests, uint64_t umask)
{
	uint64_t all = 0;
	uint32_t channel;

	for (channel = 0; channel < NTM_NHM_CHANNELS; channel++)
		if (umask >> channel & 1)
			all += requests[channel];
	return all;
}

/* Of an event whose unit masks are cores. */
static uint64_t share_of_cores(uint64_t event, uint64_t umask, const struct ntm_nhm_work *work)
{
	if (umask & 0xf0)
		return 0;
	switch (event) {
	case 0x80:
		return longest(work->core_hot, umask);
	case 0x81:
		return longest(work->core_throttled, umask);
	default:
		return longest(work->core_prochot, umask);
	}
}

/* Of an event whose unit masks are memory channels. */
static uint64_t share_of_channels(uint64_t event, uint64_t umask, const struct ntm_nhm_work *work)
{
	if (event == 0x2c)
		return umask & 0xf8 ? 0 : sum(work->reads, umask);
	if (umask & 0xc0)
		return 0;
	return sum(work->writes, umask) + sum(work->partial_writes, umask >> 3);
}

/* How much a counter with @select moves by @work. */
static uint64_t share(uint64_t select, const struct ntm_nhm_work *work)
{
	uint64_t event = select & 0xff, umask = select >> 8 & 0xff;

	if (select & (SELECT_EDGE | SELECT_INV | SELECT_THRESHOLD))
		return 0;
	switch (event) {
	case 0x2c:
	case 0x2f:
		return share_of_channels(event, umask, work);
	case 0x67:
		return umask == 1 ? work->memory_throttled : 0;
	case 0x80:
	case 0x81:
	case 0x83:
		return share_of_cores(event, umask, work);
	case 0x82:
		return umask == 1 ? work->prochots : 0;
	default:
		return 0;
	}
}

/* Adds to a counter, noting a wrap in status bit @bit. */
static void add(struct ntm_nhm_uncore *box, uint64_t *count, uint64_t more, uint32_t bit)
{
	if (more > COUNT_MASK - *count)
		box->global_status |= (uint64_t)1 << bit;
	*count = (*count + more) & COUNT_MASK;
}

void ntm_nhm_uncore_advance(struct ntm_nhm_uncore *box, const struct ntm_nhm_work *work)
{
	uint32_t i;

	for (i = 0; i < NTM_NHM_COUNTERS; i++)
		if ((box->global_ctrl >> i & 1) && (box->select[i] & SELECT_EN))
			add(box, &box->count[i], share(box->select[i], work), i);
	if ((box->global_ctrl >> FIXED_BIT & 1) && (box->fixed_ctrl & FIXED_EN))
		add(box, &box->fixed_count, work->clocks, FIXED_BIT);
}

int ntm_nhm_uncore_rdmsr(const struct ntm_nhm_uncore *box, uint32_t addr, uint64_t *value)
{
	switch (addr) {
	case MSR_GLOBAL_CTRL:
		*value = box->global_ctrl;
		return 0;
	case MSR_GLOBAL_STATUS:
		*value = box->global_status;
		return 0;
	case MSR_GLOBAL_OVF_CTRL:
		*value = 0;
		return 0;
	case MSR_FIXED_CTR:
		*value = box->fixed_count;
		return 0;
	case MSR_FIXED_CTR_CTRL:
		*value = box->fixed_ctrl;
		return 0;
	case MSR_MATCH:
		*value = box->match;
		return 0;
	}
	if (addr - MSR_PMC < NTM_NHM_COUNTERS)
		*value = box->count[addr - MSR_PMC];
	else if (addr - MSR_PERFEVTSEL < NTM_NHM_COUNTERS)
		*value = box->select[addr - MSR_PERFEVTSEL];
	else
		return NTM_NOT_MINE;
	return 0;
}

/* Where a register that is kept lies; @addr has a row. */
static uint64_t *place(struct ntm_nhm_uncore *box, uint32_t addr)
{
	if (addr - MSR_PMC < NTM_NHM_COUNTERS)
		return &box->count[addr - MSR_PMC];
	if (addr - MSR_PERFEVTSEL < NTM_NHM_COUNTERS)
		return &box->select[addr - MSR_PERFEVTSEL];
	switch (addr) {
	case MSR_GLOBAL_CTRL:
		return &box->global_ctrl;
	case MSR_FIXED_CTR:
		return &box->fixed_count;
	case MSR_FIXED_CTR_CTRL:
		return &box->fixed_ctrl;
	default:
		return &box->match;
	}
}

int ntm_nhm_uncore_wrmsr(struct ntm_nhm_uncore *box, uint32_t addr, uint64_t value)
{
	const struct nthw_reg *reg = row(addr);

	if (!reg)
		return NTM_NOT_MINE;
	if (addr == MSR_GLOBAL_STATUS)
		return NTM_REFUSED;
	if (value & ~(nthw_reg_stored(reg) | reg->writable))
		return NTM_REFUSED;
	if (addr == MSR_GLOBAL_OVF_CTRL)
		box->global_status &= ~value;
	else
		*place(box, addr) = value & nthw_reg_stored(reg);
	return 0;
}
