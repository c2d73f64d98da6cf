// SPDX-License-Identifier: MIT
/* What a thread needs to read a group's counter without a call. */
#include <errno.h>

#include "count/lib/pmu/pmu_group.h"

/* The clock that the inline code looks at, and its frequency; 0: there is none. */
#if defined(__aarch64__)
#define WIDE 64 /* narrower counters need the clock: user mode cannot see the flags of overflow */

static uint64_t clock_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
	return ticks;
}

static double clock_hz(void)
{
	uint64_t hz;

	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
	return (double)hz;
}
#else
#define WIDE 48 /* see NTIME_CORE_FULL_ of <ntime/reader_inline.h> */

static uint64_t clock_ticks(void)
{
	return 0;
}

static double clock_hz(void)
{
	return 0;
}
#endif

/*
 * A narrow counter, and where the clock was before it was looked at: from there on it is a whole
 * round to the next wrap, less what of the round it has behind it, at the fastest that anything
 * counts. False: the clock is of no use.
 */
static bool set_window(const struct nti_pmu_group *g, const struct nti_pmu_member *m,
		       uint64_t ticks, struct nti_pmu_inline *out)
{
	double ticks_per_event = clock_hz() / 1e6 / (double)g->pmu->hw->events_per_us;

	out->limit = (uint64_t)((double)nti_pmu_range(nti_pmu_width(g, m)) * ticks_per_event);
	out->origin = ticks - (uint64_t)((double)m->raw * ticks_per_event) - 1;
	return out->limit > 0;
}

/*
 * What user mode reads of @m: the register holds the count, or the lower part of it. @ticks: the
 * clock before it was looked at.
 */
static bool set_inline(const struct nti_pmu_group *g, const struct nti_pmu_member *m,
		       uint64_t ticks, struct nti_pmu_inline *out)
{
	out->base = m->count - m->raw;
	out->origin = 0;
	out->limit = UINT64_MAX;
	if (!g->is_on || m->is_unsure || m->is_lost)
		return false;
	if (nti_pmu_width(g, m) < WIDE)
		return set_window(g, m, ticks, out);
	/* x86's inline code adds nothing, and makes the call from the counter's highest bit on. */
	return !out->base && !(m->raw >> (WIDE - 1));
}

static bool look_inline(struct nti_pmu_group *g, size_t member, struct nti_pmu_inline *out)
{
	uint64_t ticks = clock_ticks();

	return g->is_on && nti_pmu_look(g) == 0 && set_inline(g, &g->member[member], ticks, out);
}

bool nti_pmu_group_window(struct nti_pmu_group *g, size_t member, struct nti_pmu_inline *out)
{
	bool is_good;

	if (nti_pmu_is_child(g->pmus))
		return false;
	nti_pmu_lock(g->pmus);
	is_good = look_inline(g, member, out);
	nti_pmu_unlock(g->pmus);
	return is_good;
}

int nti_pmu_group_inline(struct nti_pmu_group *g, size_t member, struct nti_pmu_inline *out)
{
	struct nti_pmu_hw *hw = g->pmu->hw;
	struct ntime_page page;
	int ret = -ENOTSUP;

	if (!hw->ops->describe || nti_pmu_is_child(g->pmus))
		return ret;
	nti_pmu_lock(g->pmus);
	if (nti_pmu_is_alone(g))
		ret = hw->ops->describe(hw, g->member[member].event.counter, &page);
	if (ret == 0 && (page.type != NTIME_PAGE_PMC || page.cpu != g->pmu->cpu ||
			 !look_inline(g, member, out)))
		ret = -ENOTSUP;
	if (ret == 0)
		out->index = page.index;
	nti_pmu_unlock(g->pmus);
	return ret;
}
