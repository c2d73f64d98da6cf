// SPDX-License-Identifier: MIT
/* 64-bit counts out of what narrower counters show. */
#include <errno.h>

#include "count/lib/pmu/pmu_group.h"

/*
 * Registers of energy move once a millisecond (Intel SDM 3B, RAPL): what they show may have
 * happened so much before.
 */
#define GRAIN_NS 1000000u

/*
 * How long the PMU instance needs for @events at least, in ns. Without a division: that takes
 * processors of 32 bits as many instructions as the numbers are large, and they are counted where a
 * program measures itself.
 */
static uint64_t time_for(const struct nti_pmu_hw *hw, uint64_t events)
{
	/*
	 * events_per_us as a power of two, rounded up; it is above 0 and has far fewer than 54
	 * bits.
	 */
	unsigned int shift = hw->events_per_us > 1
				     ? 64 - (unsigned int)__builtin_clzll(hw->events_per_us - 1)
				     : 0;
	uint64_t whole, rest;

	if (!hw->events_per_us)
		return UINT64_MAX;
	whole = events >> shift;
	rest = events & (((uint64_t)1 << shift) - 1);
	if (whole >= UINT64_MAX / 1000 - 1000)
		return UINT64_MAX;
	return whole * 1000 + (rest * 1000 >> shift);
}

/* Could more than @events have happened since @member was last looked at? */
static bool could_exceed(const struct nti_pmu_group *g, const struct nti_pmu_member *m,
			 uint64_t now, uint64_t events)
{
	return now - m->mark_ns >= time_for(g->pmu->hw, events);
}

/*
 * Can @added have happened since @m was last looked at? If not, somebody wrote the register, or it
 * was reset.
 */
static bool is_possible(const struct nti_pmu_group *g, const struct nti_pmu_member *m,
			uint64_t added)
{
	const struct nti_pmu_hw *hw = g->pmu->hw;

	return !hw->events_per_us ||
	       nti_pmu_now_ns(g->pmus) - m->mark_ns + GRAIN_NS >= time_for(hw, added);
}

/* From @m->raw to @raw, with one wrap where that went back. */
static uint64_t distance(const struct nti_pmu_group *g, const struct nti_pmu_member *m,
			 uint64_t raw)
{
	unsigned int width = nti_pmu_width(g, m);

	return raw - m->raw + (raw < m->raw && width < 64 ? nti_pmu_range(width) : 0);
}

/*
 * The register does not go on from where it was: what was counted until then stands. Counters that
 * always run nobody takes; they go on.
 */
static void break_off(const struct nti_pmu_group *g, struct nti_pmu_member *m, uint64_t raw)
{
	if (g->pmu->hw->always_runs) {
		m->is_unsure = true;
		m->raw = raw;
	} else {
		m->is_lost = true;
	}
}

/*
 * A flag that was set (and is cleared now) stands for one wrap, if there was no time for a second
 * one behind what was left before the first. Read anew: what was read before the flag may be of
 * either side of the wrap. The flag is gone, so this accounts for it in any case.
 */
static int settle_flag(struct nti_pmu_group *g, struct nti_pmu_member *m)
{
	uint64_t range = nti_pmu_range(nti_pmu_width(g, m));
	uint64_t left = range - m->raw, raw = 0;
	int ret = g->pmu->hw->ops->read(g->pmu->hw, m->event.counter, &raw);

	if (ret == 0 && !is_possible(g, m, left > UINT64_MAX - raw ? UINT64_MAX : left + raw)) {
		break_off(g, m, raw);
		return 0;
	}
	m->is_unsure = m->is_unsure || ret < 0 ||
		       could_exceed(g, m, nti_pmu_now_ns(g->pmus),
				    left > UINT64_MAX - range ? UINT64_MAX : left + range);
	m->count += left + raw;
	m->raw = raw;
	return ret;
}

/*
 * No flag, though there could be one: it only went on. Nothing but another's hand brings a counter
 * back.
 */
static void settle_plain(struct nti_pmu_group *g, struct nti_pmu_member *m, uint64_t raw)
{
	if (raw < m->raw || !is_possible(g, m, raw - m->raw)) {
		break_off(g, m, raw);
		return;
	}
	m->count += raw - m->raw;
	m->raw = raw;
}

/*
 * Without flags: what was seen before is larger than what is seen now, and there was no time for a
 * whole round.
 */
static void settle_by_time(struct nti_pmu_group *g, struct nti_pmu_member *m, uint64_t raw)
{
	if (!is_possible(g, m, distance(g, m, raw))) {
		break_off(g, m, raw);
		return;
	}
	m->is_unsure = m->is_unsure || could_exceed(g, m, nti_pmu_now_ns(g->pmus),
						    nti_pmu_range(nti_pmu_width(g, m)));
	m->count += distance(g, m, raw);
	m->raw = raw;
}

static int settle(struct nti_pmu_group *g, struct nti_pmu_member *m, uint64_t raw, uint64_t flags)
{
	/* What somebody else counts with it is not ours. */
	if (m->is_lost)
		return 0;
	if (nti_pmu_is_state(g, m)) {
		m->count = raw;
		m->raw = raw;
	} else if (!g->pmu->hw->has_flags) {
		settle_by_time(g, m, raw);
	} else if (flags >> m->event.counter & 1) {
		return settle_flag(g, m);
	} else {
		settle_plain(g, m, raw);
	}
	return 0;
}

int nti_pmu_read_all(struct nti_pmu_group *g, uint64_t raw[NTI_PMU_COUNTERS])
{
	int ret = 0;
	size_t k;

	g->pmu->hw->ops->begin(g->pmu->hw);
	for (k = 0; ret == 0 && k < g->count; k++) {
		struct nti_pmu_member *m = &g->member[k];

		ret = g->pmu->hw->ops->read(g->pmu->hw, m->event.counter, &raw[k]);
		m->is_missing = ret == -ENODATA;
		if (m->is_missing) {
			raw[k] = m->raw;
			ret = 0;
		}
	}
	return ret;
}

/* What the hardware itself says of the counts: also after a look that failed. */
static void note_unsure(struct nti_pmu_group *g)
{
	const struct nti_pmu_hw *hw = g->pmu->hw;
	uint64_t unsure = hw->ops->unsure ? hw->ops->unsure(hw) : 0;
	size_t k;

	for (k = 0; unsure && k < g->count; k++)
		g->member[k].is_unsure |= unsure >> g->member[k].event.counter & 1;
}

/*
 * Bring all members of a group whose events are on the counters up to date. Counters first, flags
 * behind them.
 */
int nti_pmu_look(struct nti_pmu_group *g)
{
	struct nti_pmu_hw *hw = g->pmu->hw;
	uint64_t raw[NTI_PMU_COUNTERS], flags = 0, start = nti_pmu_now_ns(g->pmus);
	int ret = nti_pmu_read_all(g, raw);
	size_t k;

	if (ret == 0 && hw->has_flags)
		ret = hw->ops->overflows(hw, &flags);
	note_unsure(g);
	if (ret < 0)
		return ret;
	for (k = 0; k < g->count; k++) {
		int one = settle(g, &g->member[k], raw[k], flags);

		g->member[k].mark_ns = start;
		ret = ret < 0 ? ret : one;
	}
	return ret;
}

/* *@is_lost: the register does not go on from where it was. */
static uint64_t count_in_child(const struct nti_pmu_group *g, const struct nti_pmu_member *m,
			       uint64_t raw, bool *is_lost)
{
	*is_lost = m->is_lost;
	if (nti_pmu_is_state(g, m))
		return m->is_lost ? m->count : raw;
	*is_lost = m->is_lost || !is_possible(g, m, distance(g, m, raw));
	return m->count + (*is_lost ? 0 : distance(g, m, raw));
}

static bool is_unsure_in_child(const struct nti_pmu_group *g, const struct nti_pmu_member *m)
{
	if (m->is_unsure || nti_pmu_is_state(g, m))
		return m->is_unsure;
	return could_exceed(g, m, nti_pmu_now_ns(g->pmus), nti_pmu_range(nti_pmu_width(g, m)));
}

/*
 * What the counters went on since the copy was made. Flags of overflow would be cleared by asking
 * for them, so the time that passed tells wraps.
 */
int nti_pmu_look_in_child(const struct nti_pmu_group *g, struct nti_perf_reading *out)
{
	struct nti_pmu_hw *hw = g->pmu->hw;
	size_t k;

	out->overflowed = out->lost = out->missing = 0;
	hw->ops->begin(hw);
	for (k = 0; k < g->count; k++) {
		const struct nti_pmu_member *m = &g->member[k];
		uint64_t raw;
		int ret = hw->ops->read(hw, m->event.counter, &raw);
		bool is_lost;

		if (ret == -ENODATA) {
			out->missing |= (uint64_t)1 << k;
			raw = m->raw;
		} else if (ret < 0) {
			return ret;
		}
		out->count[k] = count_in_child(g, m, raw, &is_lost);
		out->overflowed |= (uint64_t)is_unsure_in_child(g, m) << k;
		out->lost |= (uint64_t)is_lost << k;
	}
	return 0;
}

/* What reading takes beside the time between two reads: an eighth of it, generously. */
uint64_t nti_pmu_max_read_interval_ns(const struct nti_pmu_group *g)
{
	uint64_t least = UINT64_MAX, ns;
	size_t k;

	for (k = 0; k < g->count; k++) {
		const struct nti_pmu_hw *hw = g->pmu->hw;
		unsigned int width = nti_pmu_width(g, &g->member[k]);

		/* 64 bits outlast everybody. */
		if (hw->ops->horizon_ns)
			ns = hw->ops->horizon_ns(hw, &g->member[k].event);
		else
			ns = width && width < 64 ? time_for(hw, nti_pmu_range(width)) : UINT64_MAX;
		if (ns < UINT64_MAX)
			ns -= ns / 8;
		least = ns < least ? ns : least;
	}
	return least;
}
