// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What a box of a kind has: counters, events, values. Nothing here writes. */
#include "core/seq/box_place.h"

uint64_t nthw_box_all(const struct nthw_box_kind *kind)
{
	uint64_t all = 0;

	if (kind->free)
		return nthw_box_ones(kind->frees);
	if (kind->select)
		all = nthw_box_ones(kind->counters ? kind->counters : kind->select->count);
	return all | (kind->fixed_counter ? nthw_box_bit(NTHW_BOX_FIXED) : 0);
}

bool nthw_box_find_place(const struct nthw_box_kind *kind, uint32_t counter,
			 struct nthw_box_place *p)
{
	if (kind->free || !(nthw_box_all(kind) & nthw_box_bit(counter)))
		return false;
	*p = (struct nthw_box_place){ .select = kind->select,
				      .counter = kind->counter,
				      .index = counter,
				      .slot = counter,
				      .width = kind->width,
				      .run_bit = kind->run_bit,
				      .bit = nthw_box_bit(counter) };
	if (counter == NTHW_BOX_FIXED) {
		p->select = kind->fixed_select;
		p->counter = kind->fixed_counter;
		p->index = 0;
		p->slot = NTHW_BOX_SLOTS - 1;
		p->width = kind->fixed_width;
		p->run_bit = kind->fixed_run_bit;
	}
	return p->select && p->counter;
}

static bool is_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

const struct nthw_box_kind *nthw_box_kind(const char *name)
{
	size_t i;

	for (i = 0; i < nthw_box_kind_count; i++)
		if (is_equal(nthw_box_kinds[i]->name, name))
			return nthw_box_kinds[i];
	return NULL;
}

const struct nthw_reg *nthw_box_counter(const struct nthw_box_kind *kind, uint32_t counter,
					uint32_t *index)
{
	struct nthw_box_place p;

	*index = 0;
	if (kind->free)
		return counter < kind->frees ? kind->free[counter].reg : NULL;
	if (!nthw_box_find_place(kind, counter, &p))
		return NULL;
	*index = p.index;
	return p.counter;
}

uint32_t nthw_box_width(const struct nthw_box_kind *kind, uint32_t counter)
{
	struct nthw_box_place p;

	if (kind->free)
		return counter < kind->frees ? kind->free[counter].field->width : 0;
	return nthw_box_find_place(kind, counter, &p) ? p.width : 0;
}

bool nthw_box_is_state(const struct nthw_box_kind *kind, uint32_t counter)
{
	return kind->free && counter < kind->frees && kind->free[counter].is_state;
}

static bool is_refusal(int ret)
{
	return ret == NTHW_EIO || ret == NTHW_ENXIO;
}

/* ---- events ---- */

static int encode_free(const struct nthw_box_kind *kind, uint64_t config, uint64_t config1,
		       struct nthw_box_event *event)
{
	uint32_t i;

	for (i = 0; i < kind->frees; i++) {
		if (kind->free[i].config != config || config1)
			continue;
		event->select = config;
		return 0;
	}
	return NTHW_EINVAL;
}

static uint64_t with_defaults(const struct nthw_box_kind *kind, uint64_t select)
{
	uint32_t i;

	for (i = 0; i < kind->default_count; i++)
		if (!(select & kind->defaults[i].unless))
			select = (select & ~kind->defaults[i].clear) | kind->defaults[i].set;
	return select;
}

/* perf has the filters in one word: two registers of 32 bits are its halves. */
static void encode_filters(const struct nthw_box_kind *kind, uint64_t config1,
			   struct nthw_box_event *event)
{
	uint32_t i, f;

	event->filter[0] = kind->filter[1] ? config1 & 0xffffffff : config1;
	event->filter[1] = kind->filter[1] ? config1 >> 32 : 0;
	for (i = 0; i < kind->filter_rules; i++) {
		const struct nthw_box_filter_rule *rule = &kind->filter_rule[i];

		if ((event->select & rule->mask) != rule->value)
			continue;
		for (f = 0; f < NTHW_BOX_FILTERS_MAX; f++)
			event->filter_used[f] |= rule->used[f];
	}
}

static bool is_event(const struct nthw_box_kind *kind, const struct nthw_box_event *event)
{
	uint32_t f;

	if (event->is_fixed)
		return kind->fixed_counter && !event->select;
	for (f = 0; f < NTHW_BOX_FILTERS_MAX; f++)
		if ((event->filter[f] | event->filter_used[f]) & ~kind->filter_bits[f])
			return false;
	return !(event->select & ~kind->event_bits);
}

int nthw_box_encode(const struct nthw_box_kind *kind, uint64_t config, uint64_t config1,
		    struct nthw_box_event *event)
{
	memset(event, 0, sizeof(*event));
	if (kind->free)
		return encode_free(kind, config, config1, event);
	if (kind->fixed_counter && config == kind->fixed_event) {
		event->is_fixed = true;
		return config1 ? NTHW_EINVAL : 0;
	}
	event->select = config;
	encode_filters(kind, config1, event);
	if (!is_event(kind, event))
		return NTHW_EINVAL;
	event->select = with_defaults(kind, config);
	return 0;
}

static uint64_t free_counters(const struct nthw_box_kind *kind, uint64_t config)
{
	uint32_t i;

	for (i = 0; i < kind->frees; i++)
		if (kind->free[i].config == config)
			return nthw_box_bit(i);
	return 0;
}

uint64_t nthw_box_counters(const struct nthw_box_kind *kind, const struct nthw_box_event *event)
{
	uint64_t counters;
	uint32_t i;

	if (kind->free)
		return free_counters(kind, event->select);
	if (!is_event(kind, event))
		return 0;
	if (event->is_fixed)
		return nthw_box_bit(NTHW_BOX_FIXED);
	counters = nthw_box_all(kind) & ~nthw_box_bit(NTHW_BOX_FIXED);
	for (i = 0; i < kind->limits; i++)
		if ((event->select & kind->limit[i].mask) == kind->limit[i].value)
			counters &= kind->limit[i].counters;
	return counters;
}

/* ---- which there are ---- */

/* 0, with the counter in *@found where it can be read; or what is no refusal. */
static int probe(const struct nthw_box *box, uint32_t counter, uint64_t *found)
{
	struct nthw_box_place p;
	uint64_t value;
	int ret;

	if (!nthw_box_find_place(box->kind, counter, &p))
		return 0;
	ret = nthw_box_get(box, p.select, p.index, &value);
	if (!ret)
		ret = nthw_box_get(box, p.counter, p.index, &value);
	if (!ret)
		*found |= p.bit;
	return is_refusal(ret) ? 0 : ret;
}

/*
 * Emulators that answer any register read it as 0, which as a unit would be a joule; and energy
 * that is 0 is a domain that is not there (Linux 6.1 arch/x86/events/probe.c, perf_msr_probe(), and
 * its caller in rapl.c).
 */
static int has_energy_unit(const struct nthw_box *box, bool *has)
{
	uint64_t unit = 1;
	int ret = 0;

	if (box->kind->energy_unit)
		ret = nthw_box_get(box, box->kind->energy_unit, 0, &unit);
	*has = !ret && unit;
	return is_refusal(ret) ? 0 : ret;
}

static int discover_free(const struct nthw_box *box, uint64_t *found)
{
	const struct nthw_box_kind *kind = box->kind;
	uint64_t value = 0;
	int state = NTHW_EIO; /* of the register that was read last */
	bool has;
	uint32_t i;
	int ret = has_energy_unit(box, &has);

	for (i = 0; !ret && has && i < kind->frees; i++) {
		if (!i || kind->free[i].reg != kind->free[i - 1].reg)
			state = nthw_box_get(box, kind->free[i].reg, 0, &value);
		if (state && !is_refusal(state))
			return state;
		if (!state && (!kind->energy_unit || nthw_field_get(kind->free[i].field, value)))
			*found |= nthw_box_bit(i);
	}
	return ret;
}

int nthw_box_discover(const struct nthw_box *box, uint64_t *counters)
{
	uint64_t found = 0;
	uint32_t i;
	int ret = 0;

	if (box->kind->free)
		ret = discover_free(box, &found);
	for (i = 0; !ret && !box->kind->free && i <= NTHW_BOX_FIXED; i++)
		ret = probe(box, i, &found);
	if (!ret && !found)
		ret = NTHW_ENOTSUP;
	if (!ret)
		*counters = found;
	return ret;
}

int nthw_box_find_enabled(const struct nthw_box *box, uint64_t counters, uint64_t *enabled)
{
	struct nthw_box_place p;
	uint64_t value;
	uint32_t i;
	int ret;

	*enabled = 0;
	for (i = 0; i <= NTHW_BOX_FIXED; i++) {
		if (!(counters & nthw_box_bit(i)) || !nthw_box_find_place(box->kind, i, &p))
			continue;
		ret = nthw_box_get(box, p.select, p.index, &value);
		if (ret)
			return ret;
		if (value & p.run_bit)
			*enabled |= p.bit;
	}
	return 0;
}

int nthw_box_find_free(const struct nthw_box *box, uint64_t counters, uint64_t *free)
{
	uint64_t enabled;
	int ret = nthw_box_find_enabled(box, counters, &enabled);

	if (!ret)
		*free = counters & nthw_box_all(box->kind) & ~enabled;
	return ret;
}

int nthw_box_energy_bits(const struct nthw_box *box, uint32_t counter, uint32_t *bits)
{
	const struct nthw_box_kind *kind = box->kind;
	uint64_t unit;
	int ret;

	if (!kind->free || counter >= kind->frees || !kind->energy_unit)
		return NTHW_ENOTSUP;
	if (kind->free[counter].has_unit) {
		*bits = kind->free[counter].unit_bits;
		return 0;
	}
	ret = nthw_box_get(box, kind->energy_unit, 0, &unit);
	if (!ret)
		*bits = (uint32_t)nthw_field_get(kind->energy_field, unit);
	return ret;
}

/* ---- reading ---- */

static int read_free(const struct nthw_box *box, const struct nthw_box_free *free, uint64_t *value)
{
	uint64_t raw;
	int ret = nthw_box_get(box, free->reg, 0, &raw);

	if (ret)
		return ret;
	if (free->valid && !nthw_field_get(free->valid, raw))
		return NTHW_ENODATA;
	*value = nthw_field_get(free->field, raw);
	return 0;
}

int nthw_box_read(const struct nthw_box *box, uint32_t counter, uint64_t *value)
{
	struct nthw_box_place p;
	uint64_t raw;
	int ret;

	if (box->kind->free && counter < box->kind->frees)
		return read_free(box, &box->kind->free[counter], value);
	if (!nthw_box_find_place(box->kind, counter, &p))
		return NTHW_EINVAL;
	ret = nthw_box_get(box, p.counter, p.index, &raw);
	if (!ret)
		*value = raw & nthw_box_ones(p.width);
	return ret;
}
