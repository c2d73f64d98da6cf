// SPDX-License-Identifier: MIT
/*
 * A graphics card's counters, by the sequence of core/seq/nv50_pm.h: reading them ends a period in
 * all of them at once, and counts are sums of periods, so 64 bits wide.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/names.h"
#include "count/lib/access/box.h"
#include "count/lib/pmu/pmu.h"
#include "count/lib/pmu/pmu_hw.h"

struct card_hw {
	struct nti_pmu_hw hw; /* first */
	struct nthw_nv50_pm pm;
	struct nthw_nv50_state state;
	uint64_t count[NTHW_NV50_COUNTERS]; /* of all periods since it was programmed */
	uint64_t unsure;
	bool is_running;
	bool is_gone; /* what is mapped there may be another device's by now */
	int error;    /* of the look that goes on */
};

static struct card_hw *card_of(struct nti_pmu_hw *hw)
{
	return (struct card_hw *)hw;
}

static const struct card_hw *card_at(const struct nti_pmu_hw *hw)
{
	return (const struct card_hw *)hw;
}

static const char *const kinds[] = {
	[NTHW_NV_TPC] = "TPC",
	[NTHW_NV_ROP] = "memory partition",
};

static uint32_t units_of(const struct nti_unit_card *card, uint32_t kind)
{
	return nthw_nv_units_of(card->chip, kind, card->units);
}

static unsigned int first_of(uint32_t units)
{
	return units ? (unsigned int)__builtin_ctz(units) : 0;
}

unsigned int nti_card_unit(const struct nti_unit_card *card, uint32_t kind, uint32_t unit)
{
	return unit ? unit - 1 : first_of(units_of(card, kind));
}

/* Units that @event needs are there; that one is the first of its kind need not be said. */
static int check_units(const struct nti_part *part, struct nthw_nv50_event *event,
		       struct nti_absence *absent)
{
	const struct nti_unit_card *card = part->unit->card;
	const char *name = part->unit->name;
	uint32_t missing = nthw_nv50_missing(card->chip, event, card->units);
	int ret;

	if (missing == NTHW_NV_GRAPH) {
		if (event->unit && !event->is_slot &&
		    event->unit - 1 == first_of(units_of(card, event->kind)))
			event->kind = event->unit = 0;
		return 0;
	}
	if (missing == NTHW_NV_MP && event->is_slot)
		ret = nti_absence_set(
			absent, NTIME_REASON_NO_HARDWARE, name,
			"take one that is there, or none: then it is the sum of all",
			"%s has no multiprocessor %u: bits of its TPCs are %#x, of the "
			"MPs in each %#x",
			name, event->unit - 1, units_of(card, NTHW_NV_TPC),
			units_of(card, missing));
	else if (missing == NTHW_NV_MP)
		ret = nti_absence_set(absent, NTIME_REASON_NO_HARDWARE, name, "none",
				      "the MPs whose wires it is made of are none that %s has: "
				      "those are the bits of %#x",
				      name, units_of(card, missing));
	else
		ret = nti_absence_set(absent, NTIME_REASON_NO_HARDWARE, name,
				      "take one that is there, or none: then it is the first one",
				      "%s has no %s %u: those that it has are the bits of %#x",
				      name, kinds[missing], event->unit ? event->unit - 1 : 0,
				      units_of(card, missing));
	return ret < 0 ? ret : -ENOTSUP;
}

bool nti_card_is_slot(const struct nti_part *part)
{
	return part->unit->card && nthw_nv50_mode(part->attr.config) == NTHW_NV50_MODE_SLOT;
}

bool nti_card_shows_slots(const struct nti_part *part)
{
	const struct perf_event_attr *attr = &part->attr;
	struct nthw_nv50_event event;

	return part->unit->card && !nti_card_is_slot(part) &&
	       nthw_nv50_encode(part->unit->card->chip, attr->config, attr->config1, attr->config2,
				&event) == 0 &&
	       nthw_nv50_shows_slots(part->unit->card->chip, &event);
}

int nti_card_explain_channel(const struct nti_unit *unit, struct nti_absence *out)
{
	return nti_absence_set(out, NTIME_REASON_NOT_SUPPORTED, unit->name, "none",
			       "counters of multiprocessors are set up by methods of a channel, "
			       "which nobody lends to ntime on this card");
}

uint32_t nti_card_control(const struct nti_part *part)
{
	const struct perf_event_attr *attr = &part->attr;
	struct nthw_nv50_event event;

	if (!nti_card_is_slot(part) || nthw_nv50_encode(part->unit->card->chip, attr->config,
							attr->config1, attr->config2, &event) != 0)
		return 0;
	return nthw_nv_mp_control(&event.slot, 0);
}

int nti_card_encode(const struct nti_part *part, struct nthw_nv50_event *out,
		    struct nti_absence *absent)
{
	const struct perf_event_attr *attr = &part->attr;
	const struct nthw_nv_chip *chip = part->unit->card->chip;
	const char *name = part->unit->name;
	int ret = nti_pmu_refuse_modes(part, absent);

	if (ret < 0)
		return ret;
	ret = nthw_nv50_encode(chip, attr->config, attr->config1, attr->config2, out);
	if (ret == 0)
		return check_units(part, out, absent);
	if (ret == NTHW_EINVAL && nti_card_is_slot(part))
		ret = nti_absence_set(
			absent, NTIME_REASON_NOT_SUPPORTED, name,
			"mp is below the number of MPs, and src, op and mp are all that "
			"there is",
			"%s has no such multiprocessor, unit or signal", chip->name);
	else if (ret == NTHW_EINVAL && attr->config >> 59 &&
		 nthw_nv50_encode(chip, attr->config & ~(UINT64_C(0x1f) << 59), attr->config1,
				  attr->config2, out) == 0)
		ret = nti_absence_set(absent, NTIME_REASON_NOT_SUPPORTED, name,
				      attr->config >> 63 ? "leave out rop" : "leave out tpc",
				      "it needs no multiplexer of a %s, so there is none to choose",
				      kinds[attr->config >> 63 ? NTHW_NV_ROP : NTHW_NV_TPC]);
	else if (ret == NTHW_ENOTSUP)
		ret = nti_absence_set(
			absent, NTIME_REASON_NOT_SUPPORTED, name,
			"leave out mode 3 to 5, bits of op above 0xffff, and mux "
			"above 7",
			"of %s ntime counts functions of four signals and sums of "
			"4 or 6 bits, with multiplexers VFETCH, ZCULL, PROP, CROP, "
			"ZROP and TEX, groups of domain 3, and no delays; and, "
			"with mode 6 a signal of the multiprocessors, with mode 7 clocks of "
			"a domain",
			name);
	else
		ret = nti_absence_set(absent, NTIME_REASON_NOT_SUPPORTED, name, "ntime list -v",
				      "the %s of %s has no such domain, signal or value of a "
				      "multiplexer, or amount is without mode, or sel without mux",
				      chip->name, name);
	return ret < 0 ? ret : -ENOTSUP;
}

#define GROUPS 4 /* that domain 3 has places for, of GROUP_WIRES signals each */
#define GROUP_WIRES 4
#define NO_PLACE 0xff

/* Where the groups of domain 3 stand: as few as possible in one place. */
struct places {
	uint8_t of[256]; /* of each group */
	unsigned int load[GROUPS];
};

/* A place with as little as any; the first one of four that are taken. */
static uint8_t least(const struct places *p, uint32_t taken)
{
	uint8_t i, best = 0;

	for (i = 0; i < GROUPS; i++)
		if (!(taken >> i & 1) && (taken >> best & 1 || p->load[i] < p->load[best]))
			best = i;
	return best;
}

static uint8_t group_at(const struct nthw_nv50_event *event, unsigned int i)
{
	return (uint8_t)(event->groups >> 8 * i);
}

/* What one event has, or those of the user's group together: they are counted at one time. */
struct together {
	uint8_t of[256]; /* the place of each group that they have; NO_PLACE */
	uint32_t taken;
};

/* Places of the event's groups: those that they have already come first. */
static void choose_places(const struct nthw_nv50_event *event, struct places *p, struct together *t,
			  uint8_t *place)
{
	unsigned int n, i;

	memset(place, NO_PLACE, GROUPS);
	for (n = 0; n < 2 * GROUPS; n++) {
		uint8_t group = group_at(event, i = n % GROUPS), at = p->of[group];

		if (!(event->led >> i & 1) || place[i] != NO_PLACE)
			continue;
		if (t->of[group] != NO_PLACE) {
			place[i] = t->of[group];
			continue;
		}
		if (at == NO_PLACE || t->taken >> at & 1) {
			if (n < GROUPS)
				continue;
			at = least(p, t->taken);
			p->load[at]++;
			if (p->of[group] == NO_PLACE)
				p->of[group] = at;
		}
		place[i] = t->of[group] = at;
		t->taken |= (uint32_t)1 << at;
	}
}

static uint64_t move_signals(uint64_t signals, const uint8_t *place)
{
	uint64_t out = 0;
	unsigned int i;

	for (i = 0; i < 32; i += 8) {
		uint8_t signal = (uint8_t)(signals >> i);

		if (signal < GROUPS * GROUP_WIRES)
			signal = (uint8_t)(GROUP_WIRES * place[signal / GROUP_WIRES] +
					   signal % GROUP_WIRES);
		out |= (uint64_t)signal << i;
	}
	return out;
}

static void place_part(struct nti_part *part, struct places *p, struct together *t)
{
	struct perf_event_attr *attr = &part->attr;
	struct nthw_nv50_event event;
	uint8_t place[GROUPS];
	uint64_t groups = 0;
	unsigned int k;

	if (nthw_nv50_encode(part->unit->card->chip, attr->config, attr->config1, attr->config2,
			     &event) != 0 ||
	    !event.led)
		return;
	choose_places(&event, p, t, place);
	for (k = 0; k < GROUPS; k++)
		if (place[k] != NO_PLACE)
			groups |= (uint64_t)group_at(&event, k) << 8 * place[k];
	attr->config = (attr->config & ~(uint64_t)UINT32_MAX) | move_signals(event.src, place);
	attr->config1 = groups << 32;
	if (event.mode)
		attr->config1 |= move_signals(event.amount, place);
}

void nti_card_place_groups(struct nti_part *const *part, const unsigned int *group, size_t n)
{
	struct places p = { .load = { 0 } };
	struct together t;
	size_t i, k;

	memset(p.of, NO_PLACE, sizeof(p.of));
	for (i = 0; i < n; i++) {
		for (k = 0; group[i] && k < i && group[k] != group[i]; k++)
			;
		if (group[i] && k < i)
			continue;
		memset(t.of, NO_PLACE, sizeof(t.of));
		t.taken = 0;
		for (k = i; k < n; k++)
			if (k == i || (group[i] && group[k] == group[i]))
				place_part(part[k], &p, &t);
	}
}

struct nti_pmu_share nti_pmu_share(const struct nti_part *part)
{
	const struct nti_unit_card *card = part->unit ? part->unit->card : NULL;
	struct nti_absence absent = { 0 };
	struct nti_pmu_share out = { 0 };
	struct nthw_nv50_event event;
	uint32_t select, unit;
	int ret = card ? nti_card_encode(part, &event, &absent) : -ENOTSUP;

	nti_absence_fini(&absent);
	if (ret < 0 || event.is_clocks || event.is_slot)
		return out;
	out.mps = units_of(card, NTHW_NV_MP);
	out.seen_mps = nthw_nv50_mps(card->chip, &event) & out.mps;
	for (uint32_t i = 1; !out.kind && i < NTHW_NV_MUXES; i++) {
		uint32_t kind = nthw_nv_muxes[i].units, units = units_of(card, kind);

		if (kind == NTHW_NV_GRAPH || !(units & (units - 1)) ||
		    !nthw_nv50_wants(&event, i, &select, &unit))
			continue;
		out.kind = kinds[kind];
		out.term = kind == NTHW_NV_TPC ? "tpc" : "rop";
		out.number = nti_card_unit(card, kind, unit);
		out.units = (unsigned int)__builtin_popcount(units);
	}
	return out;
}

static int card_encode(const struct nti_pmu_hw *hw, const struct nti_names *names,
		       const struct nti_part *part, struct nti_pmu_event *out,
		       struct nti_absence *absent)
{
	int ret;

	(void)hw;
	(void)names;
	ret = nti_card_encode(part, &out->card, absent);
	out->also = ret == 0 ? nthw_nv50_also(&out->card) : 0;
	return ret;
}

static bool card_can_share(const struct nti_pmu_event *a, const struct nti_pmu_event *b)
{
	return nthw_nv50_can_share(&a->card, &b->card);
}

static bool card_is_same(const struct nti_pmu_event *a, const struct nti_pmu_event *b)
{
	return memcmp(&a->card, &b->card, sizeof(a->card)) == 0;
}

/* Of @event those on a PRE counter, or the others; a counter that several have once. */
static int program_some(struct card_hw *card, const struct nti_pmu_event *event, size_t n,
			bool is_of_pre)
{
	uint64_t done = 0;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < n; i++) {
		uint64_t bit = (uint64_t)1 << event[i].counter;
		bool is_pre = !event[i].card.is_clocks &&
			      event[i].counter % NTHW_NV50_SLOTS == NTHW_NV50_PRE;

		if (is_pre != is_of_pre || done & bit)
			continue;
		done |= bit;
		card->count[event[i].counter] = 0;
		ret = nthw_nv50_program(&card->pm, event[i].counter, &event[i].card, &card->state);
	}
	return ret;
}

/* Whoever lends channels lets no context be counted in while its slots are shown to us. */
static int hold_slots(const struct card_hw *card, const struct nti_pmu_event *event, size_t n)
{
	struct nthw_io *io = card->pm.io;
	bool shows = false;
	int ret;

	for (size_t i = 0; i < n; i++)
		shows = shows || nthw_nv50_shows_slots(card->pm.chip, &event[i].card);
	ret = shows ? io->write(io, NTHW_SPACE_CHANNEL, 0, 0, 1) : 0;
	return ret == -ENOTSUP ? 0 : ret;
}

static int card_program(struct nti_pmu_hw *hw, const struct nti_pmu_event *event, size_t n,
			uint64_t *taken)
{
	struct card_hw *card = card_of(hw);
	int ret = nthw_nv50_restore(&card->pm, &card->state);

	*taken = 0;
	card->unsure = 0;
	card->is_running = false;
	if (ret == 0)
		ret = hold_slots(card, event, n);
	/* PRE last: writing its function ends a period. */
	if (ret == 0)
		ret = program_some(card, event, n, false);
	return ret ? ret : program_some(card, event, n, true);
}

static int card_start(struct nti_pmu_hw *hw)
{
	struct card_hw *card = card_of(hw);
	int ret = nthw_nv50_begin(&card->pm, &card->state);

	card->is_running = ret == 0;
	return ret;
}

/* The period that goes on is added to the counts. One that could not be read is gone. */
static int end_period(struct card_hw *card)
{
	struct nthw_nv50_period period;
	unsigned int i;
	int ret = nthw_nv50_end(&card->pm, &card->state, &period);

	/*
	 * A mapping of one that was unplugged may read 0, which a clock that stands still does too.
	 */
	if (ret == -ETIMEDOUT && nthw_nv50_identify(&card->pm) < 0)
		ret = -ENODEV;
	card->is_gone |= ret == -ENODEV;
	/* A card that went away (pmu_group.c) counts no more, and nothing else is wrong. */
	if (ret < 0) {
		if (ret != -ENODEV && ret != -EIO)
			card->unsure |= card->state.counters;
		return ret;
	}
	card->unsure |= period.unsure;
	for (i = 0; i < NTHW_NV50_COUNTERS; i++)
		card->count[i] += period.count[i];
	return 0;
}

/* Nothing can be stopped: what comes after is thrown away when it is started again. */
static int card_stop(struct nti_pmu_hw *hw)
{
	struct card_hw *card = card_of(hw);
	int ret = card->is_running ? end_period(card) : 0;

	card->is_running = card->is_running && ret < 0;
	return ret;
}

static int card_check(struct nti_pmu_hw *hw, uint64_t *lost)
{
	struct card_hw *card = card_of(hw);

	*lost = 0;
	return nthw_nv50_check(&card->pm, &card->state, lost);
}

static void card_begin(struct nti_pmu_hw *hw)
{
	struct card_hw *card = card_of(hw);

	card->error = card->is_running ? end_period(card) : 0;
}

static int card_read(struct nti_pmu_hw *hw, unsigned int counter, uint64_t *value)
{
	*value = card_of(hw)->count[counter];
	return card_of(hw)->error;
}

static unsigned int card_width(const struct nti_pmu_hw *hw, unsigned int counter)
{
	(void)hw;
	(void)counter;
	return 64;
}

static uint64_t card_horizon_ns(const struct nti_pmu_hw *hw, const struct nti_pmu_event *event)
{
	(void)hw;
	return nthw_nv50_horizon_ns(&event->card);
}

static uint64_t card_unsure(const struct nti_pmu_hw *hw)
{
	return card_at(hw)->unsure;
}

static void card_name(const struct nti_pmu_hw *hw, unsigned int counter, char *text, size_t size)
{
	uint32_t index = 0;
	const struct nthw_reg *row = nthw_nv50_counter(card_at(hw)->pm.chip, counter, &index);

	*text = '\0';
	if (row)
		(void)nthw_reg_name(row, index, text, size);
}

static int card_release(struct nti_pmu_hw *hw)
{
	struct card_hw *card = card_of(hw);

	card->is_running = false;
	return card->is_gone ? -ENODEV : nthw_nv50_restore(&card->pm, &card->state);
}

static const struct nti_pmu_hw_ops card_ops = {
	.encode = card_encode,
	.can_share = card_can_share,
	.is_same = card_is_same,
	.program = card_program,
	.start = card_start,
	.stop = card_stop,
	.check = card_check,
	.begin = card_begin,
	.read = card_read,
	.width = card_width,
	.horizon_ns = card_horizon_ns,
	.unsure = card_unsure,
	.name = card_name,
	.release = card_release,
};

int nti_card_hw_new(struct nti_handle *handle, const struct nthw_nv_chip *chip,
		    struct nti_pmu_hw **out)
{
	struct card_hw *card = calloc(1, sizeof(*card));
	int ret;

	*out = NULL;
	if (!card)
		return -ENOMEM;
	*card = (struct card_hw){
		.hw.ops = &card_ops,
		.hw.reads_once = true,
		.hw.all = nthw_nv50_all(chip),
		.pm = { .chip = chip, .io = nti_handle_io(handle), .unit = nti_handle_unit(handle) }
	};
	/* Nothing shows that somebody else counts: the handle keeps others away. */
	card->hw.counters = card->hw.all;
	ret = nthw_nv50_identify(&card->pm);
	if (ret < 0) {
		free(card);
		return ret;
	}
	*out = &card->hw;
	return 0;
}

/* ---- multiprocessors ---- */

/*
 * Their counters, in one context, are set up by methods of a channel, and read by the number of a
 * reading (core/seq/nv50_mp.h). Those of the hardware wrap at 32 bits, and readings are sums of
 * what was added: with 2^32 clocks between two looks something may be missing.
 */
struct mp_hw {
	struct nti_pmu_hw hw; /* first */
	struct nthw_nv_mp mp;
	struct nthw_nv50_event event[NTHW_NV_MP_SLOTS]; /* of those in .set */
	uint32_t set;
	uint64_t last[NTHW_NV_MP_SLOTS], clocks; /* of the last reading */
	uint64_t count[NTHW_NV_MP_SLOTS];	 /* since it was programmed */
	uint64_t unsure;
	bool is_running;
	int error; /* of the look that goes on */
};

static struct mp_hw *mp_of(struct nti_pmu_hw *hw)
{
	return (struct mp_hw *)hw;
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
	m->unsure = 0;
	for (size_t i = 0; i < n; i++) {
		m->event[event[i].counter] = event[i].card;
		m->set |= (uint32_t)1 << event[i].counter;
		m->count[event[i].counter] = 0;
	}
	return ret;
}

static int take(struct mp_hw *m, struct nthw_nv_mp_reading *reading)
{
	int ret = nthw_nv_mp_ask(&m->mp);

	return ret ? ret : nthw_nv_mp_take(&m->mp, m->mp.number, reading);
}

/* What was counted while they stood is nobody's: they begin at 0. */
static int mp_start(struct nti_pmu_hw *hw)
{
	struct mp_hw *m = mp_of(hw);
	struct nthw_nv_mp_reading reading = { 0 };
	int ret = 0;

	for (uint32_t i = 0; ret == 0 && i < NTHW_NV_MP_SLOTS; i++) {
		m->last[i] = 0;
		if (m->set >> i & 1)
			ret = nthw_nv_mp_program(&m->mp, i, &m->event[i].slot, m->event[i].unit);
	}
	if (ret == 0)
		ret = take(m, &reading);
	m->clocks = reading.clocks;
	m->is_running = ret == 0;
	return ret;
}

/* -ENODATA: the reading has not come yet. */
static int look(struct mp_hw *m)
{
	struct nthw_nv_mp_reading reading = { 0 };
	int ret = take(m, &reading);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < NTHW_NV_MP_SLOTS; i++) {
		m->count[i] += reading.count[i] - m->last[i];
		m->last[i] = reading.count[i];
	}
	if (reading.clocks - m->clocks > UINT32_MAX)
		m->unsure |= m->set;
	m->clocks = reading.clocks;
	return 0;
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

static uint64_t mp_unsure(const struct nti_pmu_hw *hw)
{
	return ((const struct mp_hw *)hw)->unsure;
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

static const struct nti_pmu_hw_ops mp_ops = {
	.encode = card_encode,
	.is_same = card_is_same,
	.program = mp_program,
	.start = mp_start,
	.stop = mp_stop,
	.check = mp_check,
	.begin = mp_begin,
	.read = mp_read,
	.width = card_width,
	.horizon_ns = card_horizon_ns,
	.unsure = mp_unsure,
	.name = mp_name,
	.release = mp_release,
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
