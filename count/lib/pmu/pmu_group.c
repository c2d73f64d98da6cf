// SPDX-License-Identifier: MIT
/*
 * Groups of a PMU instance: which counters their events sit on, whose turn it is, what is known of
 * them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/pmu/pmu_group.h"

/*
 * Whether others have taken a counter from us is looked at so often when it is read, and whenever
 * it stops.
 */
#define CHECK_NS 100000000u

struct nti_pmu_group *nti_pmu_group_new(struct nti_pmus *pmus, const struct nti_unit *unit,
					unsigned int cpu)
{
	struct nti_pmu_group *g = calloc(1, sizeof(*g)), **last;
	struct nti_pmu *pmu = nti_pmu_find(pmus, unit, cpu);

	if (!g || !pmu) {
		free(g);
		return NULL;
	}
	g->pmus = pmus;
	g->pmu = pmu;
	for (last = &pmu->first; *last; last = &(*last)->next)
		;
	*last = g;
	return g;
}

/*
 * A counter for member @k, moving others where that helps; @tried are counters that were looked at.
 */
static bool place(const struct nti_pmu_group *g, size_t k, int on[NTI_PMU_COUNTERS],
		  uint64_t *tried)
{
	int i;

	/*
	 * Fixed counters first, as perf does: that leaves the others for events that have no
	 * choice.
	 */
	for (i = NTI_PMU_COUNTERS - 1; i >= 0; i--) {
		uint64_t bit = (uint64_t)1 << i;

		if (!(g->member[k].counters & bit) || *tried & bit)
			continue;
		*tried |= bit;
		if (on[i] < 0 || place(g, (size_t)on[i], on, tried)) {
			on[i] = (int)k;
			return true;
		}
	}
	return false;
}

/* The first member that is the same set-up as member @k, which may be that one itself. */
static size_t first_like(const struct nti_pmu_group *g, size_t k)
{
	bool (*is_same)(const struct nti_pmu_event *, const struct nti_pmu_event *) =
		g->pmu->hw->ops->is_same;
	size_t i;

	for (i = 0; is_same && i < k; i++)
		if (is_same(&g->member[i].event, &g->member[k].event))
			return i;
	return k;
}

/* Counters for all members; false: there are none, and those that members had stay. */
static bool place_all(struct nti_pmu_group *g)
{
	int on[NTI_PMU_COUNTERS];
	uint64_t also = 0;
	size_t k;
	int i;

	for (i = 0; i < NTI_PMU_COUNTERS; i++)
		on[i] = -1;
	for (k = 0; k < g->count; k++)
		also |= g->member[k].event.also;
	for (k = 0; k < g->count; k++) {
		uint64_t tried = also;

		if (first_like(g, k) == k && !place(g, k, on, &tried))
			return false;
	}
	for (i = 0; i < NTI_PMU_COUNTERS; i++) {
		if (on[i] >= 0)
			g->member[on[i]].event.counter = (unsigned int)i;
	}
	for (k = 0; k < g->count; k++)
		g->member[k].event.counter = g->member[first_like(g, k)].event.counter;
	return true;
}

/* Counters that always run are read by any number of members. */
static bool place_reader(struct nti_pmu_member *m)
{
	if (!m->counters)
		return false;
	m->event.counter = nti_pmu_lowest(m->counters);
	return true;
}

static bool can_share_with_all(const struct nti_pmu_group *g, const struct nti_pmu_event *event)
{
	const struct nti_pmu_hw_ops *ops = g->pmu->hw->ops;
	size_t k;

	for (k = 0; ops->can_share && k < g->count; k++) {
		if (!ops->can_share(&g->member[k].event, event))
			return false;
	}
	return true;
}

int nti_pmu_group_add(struct nti_pmu_group *g, const struct nti_names *names,
		      const struct nti_part *part, uint64_t counters, struct nti_absence *absent)
{
	struct nti_pmu_hw *hw = g->pmu->hw;
	struct nti_pmu_member *m = &g->member[g->count];
	struct nti_pmu_event event = { 0 };
	int ret = hw->ops->encode(hw, names, part, &event, absent);

	if (ret < 0)
		return ret;
	if (g->count == NTI_PMU_COUNTERS || !can_share_with_all(g, &event))
		return -ENOSPC;
	*m = (struct nti_pmu_member){ .event = event, .counters = counters & hw->counters };
	g->count++;
	if (hw->always_runs ? place_reader(m) : place_all(g))
		return 0;
	g->count--;
	return -ENOSPC;
}

/* Members whose counters are in @counters are no longer ours to count. */
static void lose(struct nti_pmu_group *g, uint64_t counters)
{
	size_t k;

	for (k = 0; k < g->count; k++) {
		struct nti_pmu_member *m = &g->member[k];

		m->is_lost = m->is_lost || counters >> m->event.counter & 1;
	}
}

/* Has somebody else taken counters of the group, which counts? What they then show is not ours. */
static int check(struct nti_pmu_group *g)
{
	struct nti_pmu_hw *hw = g->pmu->hw;
	uint64_t lost = 0;
	int ret;

	if (hw->always_runs)
		return 0;
	ret = hw->ops->check(hw, &lost);
	g->pmu->checked_ns = nti_pmu_now_ns(g->pmus);
	if (ret == 0)
		lose(g, lost);
	return ret;
}

/*
 * What the registers have of the group that is on them, which stands still, is all of it: others
 * come there.
 */
static int leave(struct nti_pmu_group *g)
{
	int ret = nti_pmu_look(g);

	if (ret < 0)
		return ret;
	g->is_on = false;
	g->pmu->on = NULL;
	return 0;
}

static int program(struct nti_pmu_group *g)
{
	struct nti_pmu_event event[NTI_PMU_COUNTERS];
	struct nti_pmu *pmu = g->pmu;
	uint64_t taken = 0;
	int ret = pmu->on ? leave(pmu->on) : 0;
	size_t k;

	if (ret < 0)
		return ret;
	for (k = 0; k < g->count; k++) {
		event[k] = g->member[k].event;
		g->member[k].raw = 0;
	}
	ret = pmu->hw->ops->program(pmu->hw, event, g->count, &taken);
	if (ret < 0)
		return ret;
	/* The others count. But who begins does so with all of them. */
	if (taken && !g->is_enabled)
		return -EBUSY;
	lose(g, taken);
	return 0;
}

/* Counters that always run: what they show now is where we begin. */
static int begin_looking(struct nti_pmu_group *g)
{
	uint64_t raw[NTI_PMU_COUNTERS];
	int ret = nti_pmu_read_all(g, raw);
	size_t k;

	if (ret < 0)
		return ret;
	for (k = 0; k < g->count; k++) {
		g->member[k].raw = raw[k];
		if (nti_pmu_is_state(g, &g->member[k]))
			g->member[k].count = raw[k];
	}
	return 0;
}

static int begin_counting(struct nti_pmu_group *g)
{
	struct nti_pmu *pmu = g->pmu;
	/* Starting clears the flags of overflow: first what they say is taken. */
	int ret = g->is_on ? nti_pmu_look(g) : program(g);

	if (ret == 0)
		ret = pmu->hw->ops->start(pmu->hw);
	if (ret < 0)
		return ret;
	pmu->on = g;
	pmu->checked_ns = nti_pmu_now_ns(g->pmus);
	return 0;
}

static int begin_turn(struct nti_pmu_group *g, uint64_t now)
{
	int ret = g->pmu->hw->always_runs ? begin_looking(g) : begin_counting(g);
	size_t k;

	if (ret < 0)
		return ret;
	for (k = 0; k < g->count; k++)
		g->member[k].mark_ns = now;
	g->is_on = true;
	g->is_counting = true;
	g->begun_at = now;
	return 0;
}

/*
 * An error of one that stands nevertheless, .is_counting is false then: it could not be looked at.
 */
static int end_turn(struct nti_pmu_group *g, uint64_t now)
{
	struct nti_pmu_hw *hw = g->pmu->hw;
	int ret = hw->always_runs ? nti_pmu_look(g) : check(g);
	int stopped = hw->always_runs ? ret : hw->ops->stop(hw);

	if (stopped < 0)
		return stopped;
	g->is_on = !hw->always_runs;
	g->is_counting = false;
	g->running_ns += now - g->begun_at;
	return ret;
}

/*
 * What was seen last is all that there is of @g, and the time until then all that it was counted.
 */
static void end_for_good(struct nti_pmu_group *g, uint64_t seen_ns)
{
	size_t k;

	if (g->is_counting && seen_ns > g->begun_at)
		g->running_ns += seen_ns - g->begun_at;
	if (g->is_enabled && seen_ns > g->enabled_at)
		g->enabled_ns += seen_ns - g->enabled_at;
	g->is_enabled = false;
	g->is_on = false;
	g->is_counting = false;
	for (k = 0; k < g->count; k++)
		g->member[k].is_lost = true;
}

static uint64_t seen_last(const struct nti_pmu *pmu)
{
	const struct nti_pmu_group *g;
	uint64_t last = 0;

	for (g = pmu->first; g; g = g->next) {
		if (g->count && g->member[0].mark_ns > last)
			last = g->member[0].mark_ns;
	}
	return last;
}

/*
 * A device that was taken away never comes back as the one that we programmed. A CPU that is off
 * line may be back with all its counts, so its boxes, and those of a package, fail as long as it
 * is. What fails otherwise must do so twice.
 */
static bool is_lost_for_good(struct nti_pmu_group *g, int error)
{
	const struct nti_unit_box *box = g->pmu->box;
	uint64_t raw[NTI_PMU_COUNTERS];

	if (g->pmu->unit->card)
		return error == -ENODEV || error == -EIO;
	if (!box)
		return false;
	if (error == -ENODEV)
		return box->kind->space != NTHW_SPACE_MSR;
	return error == -EIO && nti_pmu_read_all(g, raw) == -EIO;
}

/*
 * @error of an access for @g, or 0 if it is of no more weight: the PMU instance is gone, and its
 *	groups say so from now on.
 */
static int settle_error(struct nti_pmu_group *g, int error)
{
	struct nti_pmu *pmu = g->pmu;
	uint64_t seen_ns;

	if (error >= 0 || !is_lost_for_good(g, error))
		return error;
	(void)nti_error(&pmu->gone, error, "%s", nti_pmus_error(g->pmus, error));
	seen_ns = seen_last(pmu);
	for (g = pmu->first; g; g = g->next)
		end_for_good(g, seen_ns);
	pmu->on = NULL;
	return 0;
}

static bool is_gone(const struct nti_pmu_group *g)
{
	return g->pmu->gone.code;
}

const char *nti_pmu_group_why_gone(const struct nti_pmu_group *g)
{
	return is_gone(g) ? g->pmu->gone.text : NULL;
}

static bool is_counting(const struct nti_pmu *pmu)
{
	return pmu->on && pmu->on->is_counting;
}

static int enable(struct nti_pmu_group *g, uint64_t now)
{
	int ret = 0;

	if (g->is_enabled || is_gone(g))
		return 0;
	if (!is_counting(g->pmu))
		ret = begin_turn(g, now);
	if (ret < 0)
		return ret;
	g->is_enabled = true;
	g->enabled_at = now;
	return 0;
}

int nti_pmu_group_enable(struct nti_pmu_group *g)
{
	int ret;

	if (nti_pmu_is_child(g->pmus))
		return -EPERM;
	nti_pmu_lock(g->pmus);
	ret = enable(g, nti_pmu_now_ns(g->pmus));
	nti_pmu_unlock(g->pmus);
	return ret;
}

static int disable(struct nti_pmu_group *g, uint64_t now)
{
	int ret = 0;

	if (!g->is_enabled)
		return 0;
	if (g->is_counting)
		ret = end_turn(g, now);
	if (g->is_counting)
		return ret;
	g->is_enabled = false;
	g->enabled_ns += now - g->enabled_at;
	return ret;
}

int nti_pmu_group_disable(struct nti_pmu_group *g)
{
	int ret;

	if (nti_pmu_is_child(g->pmus))
		return -EPERM;
	nti_pmu_lock(g->pmus);
	ret = settle_error(g, disable(g, nti_pmu_now_ns(g->pmus)));
	nti_pmu_unlock(g->pmus);
	return ret;
}

/* Who waits behind @g, in a circle; NULL: nobody. */
static struct nti_pmu_group *next_waiting(const struct nti_pmu_group *g)
{
	struct nti_pmu_group *next;

	for (next = g->next; next; next = next->next) {
		if (next->is_enabled)
			return next;
	}
	for (next = g->pmu->first; next != g; next = next->next) {
		if (next->is_enabled)
			return next;
	}
	return NULL;
}

static struct nti_pmu_group *first_enabled(const struct nti_pmu *pmu)
{
	struct nti_pmu_group *g;

	for (g = pmu->first; g && !g->is_enabled; g = g->next)
		;
	return g;
}

/*
 * Where nobody counts beginning a turn failed, or its group was stopped: somebody else has it then.
 */
static int turn_pmu(struct nti_pmu *pmu, uint64_t now)
{
	bool is_on = is_counting(pmu);
	struct nti_pmu_group *next = is_on ? next_waiting(pmu->on) : first_enabled(pmu);
	int ret;

	if (!next || pmu->hw->always_runs)
		return 0;
	ret = is_on ? end_turn(pmu->on, now) : 0;
	if (ret == 0)
		ret = begin_turn(next, now);
	return settle_error(next, ret);
}

void nti_pmu_group_set_away(struct nti_pmu_group *g)
{
	nti_pmu_lock(g->pmus);
	g->pmu->is_away = true;
	nti_pmu_unlock(g->pmus);
}

int nti_pmus_turn(struct nti_pmus *pmus)
{
	uint64_t now;
	int ret = 0;
	size_t i;

	if (nti_pmu_is_child(pmus))
		return -EPERM;
	nti_pmu_lock(pmus);
	now = nti_pmu_now_ns(pmus);
	for (i = 0; i < pmus->count; i++) {
		int one = pmus->pmu[i]->is_away ? 0 : turn_pmu(pmus->pmu[i], now);

		ret = ret < 0 ? ret : one;
	}
	nti_pmu_unlock(pmus);
	return ret;
}

/*
 * Only a group that is alone on its PMU instance has its counters to itself; one that was never
 * started has none yet.
 */
bool nti_pmu_is_alone(const struct nti_pmu_group *g)
{
	return g->pmu->first == g && !g->next && g->is_on;
}

static void read_times(const struct nti_pmu_group *g, uint64_t now, struct nti_perf_reading *out)
{
	out->members = g->count;
	out->enabled_ns = g->enabled_ns + (g->is_enabled ? now - g->enabled_at : 0);
	out->running_ns = g->running_ns + (g->is_counting ? now - g->begun_at : 0);
}

/* What is known of @g, as of the last look. */
static void report(const struct nti_pmu_group *g, uint64_t now, struct nti_perf_reading *out)
{
	size_t k;

	read_times(g, now, out);
	out->overflowed = out->lost = out->missing = 0;
	for (k = 0; k < g->count; k++) {
		const struct nti_pmu_member *m = &g->member[k];

		out->count[k] = m->count;
		out->overflowed |= (uint64_t)m->is_unsure << k;
		out->lost |= (uint64_t)m->is_lost << k;
		out->missing |= (uint64_t)m->is_missing << k;
	}
}

/* In a forked child. Who takes turns writes, and the copy does not know. */
static int read_in_child(const struct nti_pmu_group *g, struct nti_perf_reading *out)
{
	int ret;

	if (__atomic_load_n(&g->pmus->is_changing, __ATOMIC_SEQ_CST))
		return -EIO;
	if (is_gone(g)) {
		report(g, nti_pmu_now_ns(g->pmus), out);
		return 0;
	}
	if (!nti_pmu_is_alone(g) || g->pmu->hw->reads_once)
		return -EIO;
	ret = nti_pmu_look_in_child(g, out);
	if (ret == 0)
		read_times(g, nti_pmu_now_ns(g->pmus), out);
	return ret;
}

int nti_pmu_group_read(struct nti_pmu_group *g, struct nti_perf_reading *out)
{
	uint64_t now;
	int ret = 0;

	if (nti_pmu_is_child(g->pmus))
		return read_in_child(g, out);
	nti_pmu_lock(g->pmus);
	now = nti_pmu_now_ns(g->pmus);
	if (g->is_counting && nti_pmu_now_ns(g->pmus) - g->pmu->checked_ns >= CHECK_NS)
		ret = check(g);
	if (ret == 0 && g->is_on)
		ret = nti_pmu_look(g);
	ret = settle_error(g, ret);
	if (ret == 0)
		report(g, now, out);
	nti_pmu_unlock(g->pmus);
	return ret;
}

void nti_pmu_group_free(struct nti_pmu_group *g)
{
	struct nti_pmu_group **at;
	struct nti_pmu *pmu;

	if (!g)
		return;
	pmu = g->pmu;
	/*
	 * What cannot be stopped is tried again when it is given back. What is somebody else's by
	 * now is left alone.
	 */
	if (pmu->on == g && g->is_counting && !nti_pmu_is_child(g->pmus))
		(void)end_turn(g, nti_pmu_now_ns(g->pmus));
	if (pmu->on == g)
		pmu->on = NULL;
	for (at = &pmu->first; *at != g; at = &(*at)->next)
		;
	*at = g->next;
	free(g);
}
