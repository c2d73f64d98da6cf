// SPDX-License-Identifier: MIT
/*
 * Counters inside a card's multiprocessors, in one context: set up by methods of a channel, and
 * read by the number of a reading (core/seq/nv50_mp.h). They wrap at 32 bits; counts are sums of
 * what was added since the last look.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/pmu/pmu.h"
#include "count/lib/pmu/pmu_hw.h"

struct mp_hw {
	struct nti_pmu_hw hw; /* first */
	struct nthw_nv_mp mp;
	struct nthw_nv50_event event[NTHW_NV_MP_SLOTS]; /* of those in .set */
	uint32_t set;
	uint32_t last[NTHW_NV_MP_SLOTS];
	uint64_t count[NTHW_NV_MP_SLOTS]; /* since it was programmed */
	bool is_running;
	int error; /* of the look that goes on */
};

static struct mp_hw *mp_of(struct nti_pmu_hw *hw)
{
	return (struct mp_hw *)hw;
}

static int mp_encode(const struct nti_pmu_hw *hw, const struct nti_names *names,
		     const struct nti_part *part, struct nti_pmu_event *out,
		     struct nti_absence *absent)
{
	(void)hw;
	(void)names;
	return nti_card_encode(part, &out->card, absent);
}

static bool mp_can_share(const struct nti_pmu_event *a, const struct nti_pmu_event *b)
{
	(void)a;
	(void)b;
	return true;
}

static bool mp_is_same(const struct nti_pmu_event *a, const struct nti_pmu_event *b)
{
	return memcmp(&a->card, &b->card, sizeof(a->card)) == 0;
}

/* Slots of @set stop; the first error counts. */
static int stop_slots(struct mp_hw *m, uint32_t set)
{
	int ret = 0, now;

	for (uint32_t i = 0; i < NTHW_NV_MP_SLOTS; i++) {
		now = set >> i & 1 ? nthw_nv_mp_program(&m->mp, i, NULL, 0) : 0;
		ret = ret ? ret : now;
	}
	return ret;
}

static int mp_program(struct nti_pmu_hw *hw, const struct nti_pmu_event *event, size_t n,
		      uint64_t *taken)
{
	struct mp_hw *m = mp_of(hw);
	int ret = m->is_running ? stop_slots(m, m->set) : 0;

	*taken = 0;
	m->is_running = false;
	m->set = 0;
	for (size_t i = 0; i < n; i++) {
		m->event[event[i].counter] = event[i].card;
		m->set |= (uint32_t)1 << event[i].counter;
		m->count[event[i].counter] = 0;
	}
	return ret;
}

/* What was counted while they stood is nobody's: they begin at 0. */
static int mp_start(struct nti_pmu_hw *hw)
{
	struct mp_hw *m = mp_of(hw);
	int ret = 0;

	for (uint32_t i = 0; ret == 0 && i < NTHW_NV_MP_SLOTS; i++) {
		m->last[i] = 0;
		if (m->set >> i & 1)
			ret = nthw_nv_mp_program(&m->mp, i, &m->event[i].slot, m->event[i].unit);
	}
	m->is_running = ret == 0;
	return ret;
}

/* -ENODATA: the reading has not come yet; the next one has what it lacks. */
static int look(struct mp_hw *m)
{
	struct nthw_nv_mp_reading reading = { 0 };
	int ret = nthw_nv_mp_ask(&m->mp);

	if (ret == 0)
		ret = nthw_nv_mp_take(&m->mp, m->mp.number, &reading);
	for (uint32_t i = 0; ret == 0 && i < NTHW_NV_MP_SLOTS; i++) {
		m->count[i] += (uint32_t)(reading.count[i] - m->last[i]);
		m->last[i] = reading.count[i];
	}
	return ret;
}

static int mp_stop(struct nti_pmu_hw *hw)
{
	struct mp_hw *m = mp_of(hw);
	int ret = m->is_running ? look(m) : 0;

	if (ret == 0 && m->is_running)
		ret = stop_slots(m, m->set);
	m->is_running = m->is_running && ret < 0;
	return ret;
}

/* Nobody else sets them: the channel holds the context's. */
static int mp_check(struct nti_pmu_hw *hw, uint64_t *lost)
{
	(void)hw;
	*lost = 0;
	return 0;
}

static void mp_begin(struct nti_pmu_hw *hw)
{
	struct mp_hw *m = mp_of(hw);

	m->error = m->is_running ? look(m) : 0;
}

static int mp_read(struct nti_pmu_hw *hw, unsigned int counter, uint64_t *value)
{
	*value = mp_of(hw)->count[counter];
	return mp_of(hw)->error;
}

static unsigned int mp_width(const struct nti_pmu_hw *hw, unsigned int counter)
{
	(void)hw;
	(void)counter;
	return 64;
}

static uint64_t mp_horizon_ns(const struct nti_pmu_hw *hw, const struct nti_pmu_event *event)
{
	(void)hw;
	return nthw_nv50_horizon_ns(&event->card);
}

static int mp_describe(struct nti_pmu_hw *hw, unsigned int counter, struct ntime_page *out)
{
	(void)hw;
	(void)counter;
	(void)out;
	return -ENOTSUP;
}

static void mp_name(const struct nti_pmu_hw *hw, unsigned int counter, char *text, size_t size)
{
	(void)hw;
	(void)snprintf(text, size, "MP_PM_CONTROL[%u]", counter);
}

static int mp_release(struct nti_pmu_hw *hw)
{
	struct mp_hw *m = mp_of(hw);
	int ret = m->is_running ? stop_slots(m, m->set) : 0;

	m->is_running = false;
	/* With the context its counters are gone. */
	return ret == -ENODEV ? 0 : ret;
}

static void mp_free(struct nti_pmu_hw *hw)
{
	free(mp_of(hw));
}

static const struct nti_pmu_hw_ops mp_ops = {
	.encode = mp_encode,
	.can_share = mp_can_share,
	.is_same = mp_is_same,
	.program = mp_program,
	.start = mp_start,
	.stop = mp_stop,
	.check = mp_check,
	.begin = mp_begin,
	.read = mp_read,
	.width = mp_width,
	.horizon_ns = mp_horizon_ns,
	.describe = mp_describe,
	.name = mp_name,
	.release = mp_release,
	.free = mp_free,
};

int nti_mp_hw_new(struct nti_handle *handle, struct nti_pmu_hw **out)
{
	struct mp_hw *m = calloc(1, sizeof(*m));

	*out = NULL;
	if (!m)
		return -ENOMEM;
	*m = (struct mp_hw){ .hw.ops = &mp_ops,
			     .hw.reads_once = true,
			     .hw.all = (1u << NTHW_NV_MP_SLOTS) - 1,
			     .mp = { .io = nti_handle_io(handle),
				     .channel = nti_handle_unit(handle) } };
	m->hw.counters = m->hw.all;
	*out = &m->hw;
	return 0;
}
