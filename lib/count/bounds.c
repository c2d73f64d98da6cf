// SPDX-License-Identifier: MIT
/*
 * What a count can be at all: at least what was counted, at most that and the highest rate of the
 * hardware for the rest of the time.
 *
 * The rates are of all processors, not of this one. A core's highest clock cannot be asked for:
 * cpuinfo_max_freq leaves out the boost with some drivers (Linux, drivers/cpufreq/acpi-cpufreq.c),
 * virtual machines have none, and the time stamp counter is slower than a core's boost by any
 * factor.
 */
#include <errno.h>
#include <math.h>

#include "lib/count/session.h"

/* No core reached 10 GHz until 2026, liquid helium and overclocking included (9.2 GHz). */
#define CYCLES_PER_NS 10.

/*
 * The widest cores retire 8 to 12 operations a cycle; some of these are two instructions (Intel's
 * and AMD's optimization manuals, "macro-fusion"; Apple's "CPU Optimization Guide").
 */
#define INSTRUCTIONS_PER_CYCLE 16.

/*
 * Most steps of any event in a cycle. AMD counts floating point operations, up to 64 of them (PPR
 * of family 17h, "Large Increment per Cycle Events"); Intel's counters add up to the width of the
 * core (SDM vol. 3B, 20.2.1.1, "counter mask").
 */
#define STEPS_PER_CYCLE 64.

/* Steps a cycle of what perf calls by generic names. */
static double generic_steps(uint64_t config)
{
	switch (config & UINT32_MAX) {
	case PERF_COUNT_HW_CPU_CYCLES:
	case PERF_COUNT_HW_REF_CPU_CYCLES:
	case PERF_COUNT_HW_BUS_CYCLES:
	case PERF_COUNT_HW_STALLED_CYCLES_FRONTEND:
	case PERF_COUNT_HW_STALLED_CYCLES_BACKEND:
		return 1;
	default:
		return INSTRUCTIONS_PER_CYCLE;
	}
}

double nti_session_hard_rate(const struct nti_session_item *item)
{
	const struct nti_part *part = item->event.parts ? &item->event.part[0] : NULL;

	if (!part || !part->unit || part->unit->kind != NTI_UNIT_CORE)
		return INFINITY;
	switch (part->attr.type) {
	case PERF_TYPE_HARDWARE:
		return CYCLES_PER_NS * generic_steps(part->attr.config);
	case PERF_TYPE_HW_CACHE:
		/* Accesses and misses: of instructions, or prefetched, of which there are fewer. */
		return CYCLES_PER_NS * INSTRUCTIONS_PER_CYCLE;
	default:
		return CYCLES_PER_NS * STEPS_PER_CYCLE;
	}
}

int ntime_value_bounds(const struct ntime_value *value, const struct ntime_item *item,
		       double *least, double *most)
{
	double unseen_s = ((double)value->wanted_ns - (double)value->counted_ns) / 1e9;

	*least = *most = NAN;
	if (item->size != sizeof(*item) || item->is_metric)
		return -EINVAL;
	if (isnan(value->value) || value->flags & (NTIME_ABSENT | NTIME_NOT_COUNTED))
		return -ENODATA;
	*least = *most = value->value;
	if (!(value->flags & (NTIME_SCALED | NTIME_OVERFLOWED | NTIME_PARTIAL | NTIME_LOST)) &&
	    !(value->flags & NTIME_HOTPLUG && unseen_s > 0))
		return 0;
	*least = (double)value->count * value->scale;
	*most = INFINITY;
	if (!(value->flags & (NTIME_OVERFLOWED | NTIME_PARTIAL | NTIME_LOST)) && item->max_rate > 0)
		*most = *least + item->max_rate * fmax(unseen_s, 0);
	return 0;
}

int ntime_value_compare(const struct ntime_value *a, const struct ntime_value *b)
{
	if (a->value > b->value)
		return -ntime_value_compare(b, a);
	/* Not a number is not larger than its interval either. */
	return b->value - a->value > hypot(a->above, b->below) ? -1 : 0;
}
