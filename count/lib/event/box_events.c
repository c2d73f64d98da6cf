// SPDX-License-Identifier: MIT
/*
 * Terms and events of units that registers reach: looking things up in what was built from
 * count/data/events.
 */
#include <string.h>

#include "core/regs/nv50_chip.h"
#include "count/lib/event/box_events.h"

const struct nti_box_family *nti_box_family_find(const struct nthw_box_kind *kind)
{
	size_t i;

	for (i = 0; kind && i < nti_box_family_count; i++)
		if (strcmp(nti_box_families[i].kind, kind->name) == 0)
			return &nti_box_families[i];
	return NULL;
}

/* Boxes of one unit are of one kind. */
const struct nti_box_family *nti_box_family_of(const struct nti_unit *unit)
{
	if (unit && unit->card && !nti_unit_is_context(unit))
		return &nti_gpu_families[unit->card->chip->family];
	return unit && unit->boxes ? nti_box_family_find(unit->box[0].kind) : NULL;
}

const struct nti_box_event *nti_box_event_find(const struct nti_box_family *family,
					       const char *name)
{
	size_t i;

	for (i = 0; family && i < family->events; i++)
		if (strcmp(family->event[i].name, name) == 0)
			return &family->event[i];
	return NULL;
}

const struct nti_box_event *nti_box_event_by_config(const struct nti_box_family *family,
						    uint64_t config)
{
	size_t i;

	for (i = 0; family && i < family->events; i++)
		if (family->event[i].config == config && *family->event[i].terms)
			return &family->event[i];
	return NULL;
}

const struct nti_box_term *nti_box_term_find(const struct nti_box_family *family, const char *name)
{
	size_t i;

	for (i = 0; family && i < family->terms; i++)
		if (strcmp(family->term[i].name, name) == 0)
			return &family->term[i];
	return NULL;
}

/* The counter of @kind that always runs and has this name; NULL: it has none. */
static const struct nthw_box_free *find_free(const struct nthw_box_kind *kind, const char *name)
{
	uint32_t i;

	for (i = 0; i < kind->frees; i++)
		if (strcmp(kind->free[i].name, name) == 0)
			return &kind->free[i];
	return NULL;
}

double nti_box_event_scale(const struct nti_unit *unit, const struct nti_box_event *event)
{
	const struct nthw_box_free *counter;

	if (event->scale > 0)
		return event->scale;
	counter = find_free(unit->box[0].kind, event->name);
	if (counter && counter->has_unit)
		return 1 / (double)((uint64_t)1 << counter->unit_bits);
	return unit->energy_scale;
}

bool nti_box_event_is_there(const struct nti_unit *unit, const struct nti_box_event *event)
{
	const struct nthw_box_kind *kind = unit->boxes ? unit->box[0].kind : NULL;
	const struct nthw_box_free *counter = kind ? find_free(kind, event->name) : NULL;

	if (!counter)
		return true;
	return unit->frees ? unit->frees >> (counter - kind->free) & 1 : !unit->has_sysfs;
}
