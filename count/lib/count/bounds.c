// SPDX-License-Identifier: MIT
/*
 * What a count can be at all: at least what was counted, at most that and the highest rate of the
 * hardware for the rest of the time.
 *
 * The rates are of all processors, not of this one. A core's highest clock cannot be asked for:
 * cpuinfo_max_freq leaves out the boost with some drivers (Linux, drivers/cpufreq/acpi-cpufreq.c),
 * virtual machines have none, and the time stamp counter is slower than a core's boost by any
 * factor. What was counted beside it all the time knows more: cycles, and events of which
 * count/data/limits has that this one is no more than them.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "count/lib/count/doubt.h"
#include "count/lib/count/estimates.h"
#include "count/lib/count/session.h"

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

/* Groups are not read at the same moment; as much as rows of count/data/limits have. */
#define SLACK 10000

static void add_cap(struct nti_session_item *item, size_t of, double most, double slack)
{
	if (item->caps < NTI_CAPS && isfinite(most))
		item->cap[item->caps++] = (struct nti_cap){ of, most, slack };
}

/*
 * Bounds of count/data/limits from @event, which item @i is or is at most @most times, to item @of:
 * branch-misses of branches, and these of instructions.
 */
static void add_limits(struct ntime_session *s, size_t i, size_t of, const char *event, double most,
		       double slack, int depth)
{
	for (size_t k = 0; k < nti_limit_count; k++) {
		const struct nti_limit *l = &nti_limits[k];

		if (l->kind != NTI_LIMIT_OF || !l->of ||
		    (event ? strcmp(l->event, event) != 0
			   : !nti_doubt_is_about(&s->item[i], l->event)))
			continue;
		if (nti_doubt_is_about(&s->item[of], l->of))
			add_cap(&s->item[i], of, most * l->most, slack + most * l->slack);
		else if (depth)
			add_limits(s, i, of, l->of, most * l->most, slack + most * l->slack,
				   depth - 1);
	}
}

/* Clocks of their own: a core that is slower than its reference has fewer cycles than these. */
static bool is_other_clock(const struct nti_session_item *item)
{
	return nti_doubt_is_about(item, "ref-cycles") || nti_doubt_is_about(item, "bus-cycles");
}

void nti_session_find_caps(struct ntime_session *s, size_t i)
{
	struct nti_session_item *item = &s->item[i];

	for (size_t of = 0; of < s->items; of++) {
		const struct nti_session_item *other = &s->item[of];

		if (!other->is_constant || nti_session_item_is_absent(other) ||
		    !nti_session_is_alike(s, i, of))
			continue;
		if (nti_doubt_is_about(other, "cycles") && !is_other_clock(item))
			add_cap(item, of, nti_session_hard_rate(item) / CYCLES_PER_NS, SLACK);
		add_limits(s, i, of, NULL, 1, 0, 1);
	}
}

double nti_session_cap(const struct ntime_session *s, const struct nti_session_item *item)
{
	double most = INFINITY;

	for (size_t i = 0; i < item->caps; i++) {
		const struct nti_cap *cap = &item->cap[i];
		const struct nti_session_item *of = &s->item[cap->of];
		const struct nti_item_sum *sum = &s->groups.sum[cap->of];
		/* Somebody else may have had its counter for a while. */
		bool is_whole = of->only ? of->reading->running_ns >= of->reading->enabled_ns
					 : sum->counted_ns >= sum->wanted_ns;
		double count = (double)(of->only ? *of->count : sum->count);

		if (is_whole)
			most = fmin(most, cap->most * count + cap->slack);
	}
	return most;
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
