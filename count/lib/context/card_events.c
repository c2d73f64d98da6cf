// SPDX-License-Identifier: MIT
/*
 * A card's events for lists. Which two fit into one pass the planner is asked, for each pair; a
 * bit of the conflict flags stands for a set of events of which no two do.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/include/ntime/list.h"
#include "base/common/text.h"
#include "count/lib/context/context.h"
#include "count/lib/event/box_events.h"
#include "count/lib/plan/plan.h"
#include "count/lib/pmu/pmu.h"

#define SETUPS 3 /* functions of one event at most (core/embed/gpu.py) */

struct card_event {
	struct ntime_card_event info;
	struct ntime_card_mux mux[SETUPS * NTI_PMU_WANTS];
	struct ntime_card_setup setup[SETUPS];
	struct ntime_card_perfkit perfkit[NTI_PERFKIT_MAX];
	struct nti_event event;
	char *terms;
	const struct nti_box_event *row;
};

struct nti_card_events {
	size_t n;
	bool *conflict; /* of each pair, row by row */
	struct card_event event[];
};

static bool is_same(const struct nti_part *a, const struct nti_part *b)
{
	return a->attr.config == b->attr.config && a->attr.config1 == b->attr.config1 &&
	       a->attr.config2 == b->attr.config2;
}

/* @part's set-up and what it takes besides, for the planner; one set-up is counted once. */
static void add_to_plan(const struct nti_part *part, uint16_t number, struct nti_plan_event *plan,
			size_t *n)
{
	struct nti_pmu_need need;

	if (nti_pmu_need(part, &need) < 0 || need.is_beside)
		return;
	/* Slots are no counters of the card's. */
	plan[*n] = (struct nti_plan_event){ .pmu = nti_card_is_slot(part),
					    .counters = (uint32_t)need.counters,
					    .group = number };
	nti_pmu_add_wants(&need, &plan[(*n)++]);
	if (need.also)
		plan[(*n)++] =
			(struct nti_plan_event){ .counters = (uint32_t)need.also, .group = number };
}

/* How many passes the events take together, or one with itself. */
static unsigned int count_passes(const struct nti_event *a, const struct nti_event *b)
{
	struct nti_plan_event plan[4 * SETUPS];
	struct nti_part part[2 * SETUPS], *place[2 * SETUPS] = { NULL };
	unsigned int group[2 * SETUPS] = { 0 };
	struct nti_error e = { 0 };
	struct nti_plan made;
	size_t parts = 0, n = 0, i, k;

	for (i = 0; i < a->parts + b->parts; i++) {
		part[parts] = i < a->parts ? a->part[i] : b->part[i - a->parts];
		for (k = 0; k < parts && !is_same(&part[k], &part[parts]); k++)
			;
		place[k] = &part[k];
		parts += k == parts;
	}
	nti_card_place_groups(place, group, parts);
	for (i = 0; i < parts; i++)
		add_to_plan(&part[i], (uint16_t)(i + 1), plan, &n);
	return n && nti_plan_make(plan, n, NULL, &made, &e) == 0 ? made.passes : 1;
}

static bool conflicts(const struct nti_card_events *c, size_t a, size_t b)
{
	/* Those of a context have counters of their own. */
	return a != b && !c->event[a].info.control && !c->event[b].info.control &&
	       c->conflict[a * c->n + b];
}

static void find_conflicts(struct nti_card_events *c)
{
	size_t a, b;

	for (a = 0; a < c->n; a++)
		for (b = 0; b < a; b++)
			c->conflict[a * c->n + b] = c->conflict[b * c->n + a] =
				count_passes(&c->event[a].event, &c->event[b].event) > 1;
}

/* Bit @bit for @a and @b, and for all others that conflict with all that have it. */
static void mark(struct nti_card_events *c, size_t a, size_t b, unsigned int bit)
{
	uint64_t flag = (uint64_t)1 << bit;
	size_t i, k;

	c->event[a].info.conflicts |= flag;
	c->event[b].info.conflicts |= flag;
	for (i = 0; i < c->n; i++) {
		bool is_one = !(c->event[i].info.conflicts & flag);

		for (k = 0; k < c->n && is_one; k++)
			is_one = !(c->event[k].info.conflicts & flag) || conflicts(c, i, k);
		if (is_one)
			c->event[i].info.conflicts |= flag;
	}
}

/*
 * An event of several passes is in one with no other: it has all bits, and where there is one each
 * of the others has at least one. Where 64 do not suffice flags are too many: that says too little
 * fits, never too much.
 */
static void find_flags(struct nti_card_events *c)
{
	unsigned int bit = 0;
	bool has_long = false;
	size_t a, b;

	for (a = 0; a < c->n; a++)
		if (c->event[a].info.passes > 1) {
			c->event[a].info.conflicts = UINT64_MAX;
			has_long = true;
		}
	for (a = 0; a < c->n; a++)
		for (b = 0; b <= a; b++) {
			uint64_t *x = &c->event[a].info.conflicts, *y = &c->event[b].info.conflicts;

			if (*x & *y ||
			    (a == b ? !has_long || c->event[a].info.control : !conflicts(c, a, b)))
				continue;
			if (bit == 64)
				*x = *y = UINT64_MAX;
			else
				mark(c, a, b, bit++);
		}
}

/* The multiplexers of a set-up that are not there yet. */
static void add_muxes(const struct nti_part *part, struct card_event *event)
{
	struct nti_pmu_need need;
	unsigned int i;
	size_t k;

	if (nti_pmu_need(part, &need) < 0)
		return;
	for (i = 0; i < NTI_PMU_WANTS; i++) {
		struct ntime_card_mux mux = { .name = nti_pmu_want_name(part->unit, i),
					      .value = need.want[i] };

		for (k = 0; k < event->info.muxes; k++)
			if (event->mux[k].name == mux.name && event->mux[k].value == mux.value)
				break;
		if (need.wants[i] && k == event->info.muxes)
			event->mux[event->info.muxes++] = mux;
	}
}

/* The first number of what NVIDIA's driver computes, whatever domain its event is of. */
#define FIRST_COMPUTED 207

static void add_perfkits(struct card_event *event)
{
	struct ntime_card_event *info = &event->info;
	size_t i;

	for (i = 0; i < NTI_PERFKIT_MAX && event->row->perfkit[i].id; i++) {
		const struct nti_perfkit *of = &event->row->perfkit[i];

		event->perfkit[info->perfkits++] = (struct ntime_card_perfkit){
			.name = of->rest ? of->rest : event->row->name,
			.id = of->id,
			.domain = of->id < FIRST_COMPUTED ? info->domain + 1 : 0,
			.is_ratio = of->is_ratio,
			.is_rest = of->rest != NULL,
		};
	}
	info->perfkit = event->perfkit;
}

static void describe(struct card_event *event)
{
	struct ntime_card_event *info = &event->info;
	struct nti_pmu_need need;
	size_t i;

	*info = (struct ntime_card_event){ .size = sizeof(*info),
					   .domain = event->row->config >> 53 & 7,
					   .passes = count_passes(&event->event, &event->event),
					   .trust = event->row->trust,
					   .mux = event->mux,
					   .setup = event->setup,
					   .terms = event->terms,
					   .source = event->row->source };
	for (i = 0; i < event->event.parts && i < SETUPS; i++) {
		const struct nti_part *part = &event->event.part[i];

		event->setup[i] = (struct ntime_card_setup){ part->attr.config, part->attr.config1,
							     part->attr.config2 };
		info->setups++;
		add_muxes(part, event);
		if (nti_pmu_need(part, &need) == 0 && !need.is_beside)
			info->counters = need.also ? 2 : 1;
		info->control = nti_card_control(part);
	}
	add_perfkits(event);
}

static int add(struct ntime_ctx *ctx, const struct nti_unit *unit, const struct nti_box_event *row,
	       struct nti_card_events *c)
{
	struct card_event *event = &c->event[c->n];
	char *name = nti_text_format("%s/%s/", unit->name, row->name);
	struct nti_error e = { 0 };
	int ret = name ? nti_event_parse(&ctx->names, name, &event->event, &e) : -ENOMEM;

	free(name);
	if (ret < 0 || event->event.absent.reason) {
		if (ret == 0)
			nti_event_fini(&event->event);
		return ret == -ENOMEM ? ret : 0;
	}
	c->n++;
	event->row = row;
	event->terms = nti_text_format("%s%s%s", row->terms, row->more ? " " : "",
				       row->more ? row->more : "");
	describe(event);
	return event->terms ? 0 : -ENOMEM;
}

int nti_card_events_new(struct ntime_ctx *ctx, const struct nti_unit *unit,
			struct nti_card_events **out)
{
	const struct nti_box_family *family = nti_box_family_of(unit);
	struct nti_card_events *c = calloc(1, sizeof(*c) + family->events * sizeof(c->event[0]));
	size_t i;
	int ret = c ? 0 : -ENOMEM;

	for (i = 0; ret == 0 && i < family->events; i++)
		ret = add(ctx, unit, &family->event[i], c);
	if (ret == 0)
		c->conflict = calloc(c->n * c->n + 1, sizeof(*c->conflict));
	if (ret == 0 && c->conflict) {
		find_conflicts(c);
		find_flags(c);
		*out = c;
		return 0;
	}
	nti_card_events_free(c);
	return -ENOMEM;
}

void nti_card_events_free(struct nti_card_events *c)
{
	size_t i;

	for (i = 0; c && i < c->n; i++) {
		nti_event_fini(&c->event[i].event);
		free(c->event[i].terms);
	}
	if (c)
		free(c->conflict);
	free(c);
}

const struct ntime_card_event *nti_card_events_find(const struct nti_card_events *c,
						    const char *name)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (strcmp(c->event[i].event.name, name) == 0)
			return &c->event[i].info;
	return NULL;
}
