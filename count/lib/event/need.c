// SPDX-License-Identifier: MIT
/*
 * What an event needs of its PMU, for the planner: which counters can count it, which extra
 * registers it sets.
 */
#include <string.h>

#include "count/lib/event/code.h"
#include "count/lib/event/resolve.h"
#include "count/lib/machine/unit_rows.h"

/* Resources of a core PMU, numbered for the planner. */
enum {
	RESOURCE_OFFCORE_0, /* MSR_OFFCORE_RSP_0, 0x1a6 */
	RESOURCE_OFFCORE_1, /* MSR_OFFCORE_RSP_1, 0x1a7 */
	RESOURCE_LDLAT,	    /* MSR_PEBS_LD_LAT_THRESHOLD, 0x3f6 */
	RESOURCE_FRONTEND,  /* MSR_PEBS_FRONTEND, 0x3f7 */
};

/*
 * Events with a register beside the counter: Linux arch/x86/events/intel/core.c, the extra_reg
 * tables (nehalem, westmere, snb, skl, icl, glc); Intel SDM vol. 3B, "off-core response performance
 * monitoring", "load latency", "frontend retired". .code is event | umask << 8.
 */
static const struct extra_row {
	uint16_t code;
	uint8_t resource;
} extra_rows[] = {
	{ 0x01b7, RESOURCE_OFFCORE_0 },
	{ 0x01bb, RESOURCE_OFFCORE_1 },
	{ 0x012a, RESOURCE_OFFCORE_0 },
	{ 0x012b, RESOURCE_OFFCORE_1 }, /* from Alder Lake and Sapphire Rapids */
	{ 0x01cd, RESOURCE_LDLAT },
	{ 0x100b, RESOURCE_LDLAT }, /* the latter Nehalem, Westmere */
	{ 0x01c6, RESOURCE_FRONTEND },
	{ 0x03c6, RESOURCE_FRONTEND }, /* the latter from Alder Lake */
};

/*
 * Events with a fixed counter: Intel SDM vol. 3B, table 20-2 "association of fixed-function
 * counters with architectural performance events". 0x0300 and 0x0400 are the kernel's names for
 * events that have no code on general counters (Linux arch/x86/events/intel/core.c,
 * intel_v1_event_constraints: "pseudo-encoding"), as is 0x0100 for the fixed instructions.
 */
static const struct fixed_row {
	uint16_t code;
	uint8_t counter;
	bool is_fixed_only;
} fixed_rows[] = {
	{ 0x00c0, 0, false }, /* INST_RETIRED.ANY and .ANY_P */
	{ 0x0100, 0,
	  true }, /* INST_RETIRED.PREC_DIST, kernel's code of the precise fixed counter */
	{ 0x003c, 1, false }, /* CPU_CLK_UNHALTED.THREAD and .THREAD_P */
	{ 0x0300, 2, true },  /* CPU_CLK_UNHALTED.REF_TSC */
	{ 0x0400, 3, true },  /* TOPDOWN.SLOTS */
};

#define CODE_MASK 0xffffull /* event and umask of PERFEVTSEL */

/*
 * Edge, any, inv, cmask, in_tx, in_tx_cp: a fixed counter has none of them (Linux,
 * FIXED_EVENT_FLAGS).
 */
#define FLAGS_MASK (1ull << 18 | 1ull << 21 | 1ull << 23 | 0xffull << 24 | 3ull << 32)

/*
 * All general counters; where their number is not known every counter that the planner knows of,
 * less the fixed ones.
 */
static uint32_t general_counters(const struct nti_unit *unit)
{
	if (!unit->counters)
		return ~nti_need_fixed(unit);
	return unit->counters >= NTI_PLAN_MAX_COUNTERS ? UINT32_MAX : (1u << unit->counters) - 1;
}

/*
 * Fixed counters come behind the general ones; behind all others where the number of those is not
 * known.
 */
uint32_t nti_need_fixed_counter(const struct nti_unit *unit, unsigned int i)
{
	unsigned int bit = unit->counters ? unit->counters + i : NTI_PLAN_MAX_COUNTERS - 1 - i;

	return i < unit->fixed && bit < NTI_PLAN_MAX_COUNTERS ? 1u << bit : 0;
}

uint32_t nti_need_fixed(const struct nti_unit *unit)
{
	uint32_t mask = 0;
	unsigned int i;

	for (i = 0; i < unit->fixed && i < NTI_PLAN_MAX_COUNTERS; i++)
		mask |= nti_need_fixed_counter(unit, i);
	return mask;
}

/*
 * Intel's way of counting (fixed counters, extra registers) on an x86 core PMU: only Intel's have
 * fixed counters, so the unit tells without another CPUID.
 */
static bool is_intel(const struct nti_unit *unit)
{
	return unit->fixed > 0 && strncmp(unit->name, "cpu", 3) == 0;
}

/*
 * Armv8 counts CPU_CYCLES in PMCCNTR_EL0 while that is free, then in a general counter (Linux
 * arch/arm64/kernel/perf_event.c, armv8pmu_get_event_idx()).
 */
#define ARM_CPU_CYCLES 0x11

/* @code is the driver's own number of cycles. */
static bool is_cycles(const struct nti_part *part, uint64_t code)
{
	if (part->attr.type == PERF_TYPE_HARDWARE)
		return (uint32_t)part->attr.config == PERF_COUNT_HW_CPU_CYCLES;
	return part->attr.type != PERF_TYPE_HW_CACHE && part->attr.config == code;
}

/*
 * The drivers of ARMv6 and ARMv7 know cycles by a number of their own and put them on the cycle
 * counter or nowhere (Linux arch/arm/kernel/perf_event_v6.c, armv6pmu_get_event_idx();
 * perf_event_v7.c, armv7pmu_get_event_idx()). ARMv7's event 0x11 is one of the general counters.
 */
#define CYCLES_APART 0xff

static uint32_t with_fixed(const struct nti_unit *unit, uint64_t config, uint32_t general)
{
	size_t i;

	if (!is_intel(unit) || config & FLAGS_MASK)
		return general;
	for (i = 0; i < NTI_ARRAY_SIZE(fixed_rows); i++) {
		uint32_t fixed = nti_need_fixed_counter(unit, fixed_rows[i].counter);

		if ((config & CODE_MASK) != fixed_rows[i].code || !fixed)
			continue;
		return fixed_rows[i].is_fixed_only ? fixed : general | fixed;
	}
	return general;
}

static void want(struct nti_plan_event *need, uint8_t resource, uint64_t value)
{
	need->wants[need->want_count].resource = resource;
	need->wants[need->want_count].value = value;
	need->want_count++;
}

static void need_extra(const struct nti_part *part, struct nti_plan_event *need)
{
	size_t i;

	if (!is_intel(part->unit))
		return;
	for (i = 0; i < NTI_ARRAY_SIZE(extra_rows); i++)
		if ((part->attr.config & CODE_MASK) == extra_rows[i].code && part->attr.config1)
			want(need, extra_rows[i].resource, part->attr.config1);
}

/*
 * Last level cache and node events are off-core responses on Intel since Nehalem (Linux,
 * *_hw_cache_extra_regs), whose values differ by model. The kernel may swap the two registers, so
 * one of each is taken: accesses and misses of one kind fit together, different kinds do not. The
 * value only has to differ between kinds.
 */
static void need_cache(const struct nti_part *part, struct nti_plan_event *need)
{
	uint64_t cache = part->attr.config & 0xff, result = part->attr.config >> 16 & 0xff;

	if (!is_intel(part->unit) ||
	    (cache != PERF_COUNT_HW_CACHE_LL && cache != PERF_COUNT_HW_CACHE_NODE))
		return;
	want(need,
	     result == PERF_COUNT_HW_CACHE_RESULT_MISS ? RESOURCE_OFFCORE_1 : RESOURCE_OFFCORE_0,
	     1ull << 63 | (part->attr.config & 0xffffff));
}

static void need_core(const struct nti_part *part, struct nti_plan_event *need)
{
	uint32_t general = general_counters(part->unit);

	need->counters = general;
	if (nti_unit_keeps_cycles_apart(part->unit)) {
		if (is_cycles(part, CYCLES_APART))
			need->counters = nti_need_fixed_counter(part->unit, 0);
	} else if (part->unit->fixed > 0 && strncmp(part->unit->name, "armv8_", 6) == 0) {
		if (is_cycles(part, ARM_CPU_CYCLES))
			need->counters |= nti_need_fixed_counter(part->unit, 0);
	} else if (part->attr.type == PERF_TYPE_HARDWARE) {
		need->counters = with_fixed(
			part->unit, nti_code_of_intel((uint32_t)part->attr.config), general);
	} else if (part->attr.type == PERF_TYPE_HW_CACHE) {
		need_cache(part, need);
	} else {
		need->counters = with_fixed(part->unit, part->attr.config, general);
		need_extra(part, need);
	}
}

/*
 * "clockticks" of the drivers of Intel's uncores: UNCORE_FIXED_EVENT in Linux
 * arch/x86/events/intel/uncore.h.
 */
#define UNCORE_FIXED_CONFIG 0xff

static void need_uncore(const struct nti_part *part, struct nti_plan_event *need)
{
	if (part->unit->fixed && part->attr.config == UNCORE_FIXED_CONFIG)
		need->counters = nti_need_fixed(part->unit);
	else
		need->counters = general_counters(part->unit);
}

void nti_need_fill(struct nti_part *part)
{
	const struct nti_unit *unit = part->unit;

	memset(&part->need, 0, sizeof(part->need));
	if (!unit)
		return;
	if (unit->kind == NTI_UNIT_CORE)
		need_core(part, &part->need);
	else if (unit->kind == NTI_UNIT_UNCORE && !nti_unit_row(unit->name)->is_free_running)
		need_uncore(part, &part->need);
	part->need.is_exclusive = part->attr.exclusive;
}
