// SPDX-License-Identifier: MIT
/* A session of the active counters of one target. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "count/compat/nvpm/nvpm.h"

uint32_t nvpm_turns_of(uint32_t domain, uint32_t actives)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < actives; i++) {
		const struct nvpm_counter *c = nvpm.active[i];

		n += c->target == NVPM_CARD && c->pm_domain == domain ? c->setups : 0;
	}
	return n;
}

/*
 * What of active counter @at is counted: its event; by NVIDIA's rule the one of its set-ups whose
 * turn it is in its domain, or NULL.
 */
static const char *event_of(uint32_t at, uint64_t turn, bool is_once)
{
	const struct nvpm_counter *c = nvpm.active[at];
	uint32_t before, all;

	if (!nvpm.is_nvidia || c->target != NVPM_CARD || !c->setups)
		return c->event;
	all = nvpm_turns_of(c->pm_domain, nvpm.actives);
	if (is_once && turn >= all)
		return NULL;
	before = nvpm_turns_of(c->pm_domain, at);
	turn %= all;
	return turn >= before && turn - before < c->setups ? c->setup[turn - before] : NULL;
}

/* The item of @c's clocks, which counters of a domain share. */
static int add_clocks(struct ntime_session *s, struct nvpm_counter *c)
{
	if (!c->clocks)
		return 0;
	for (uint32_t i = 0; i < nvpm.actives; i++) {
		const struct nvpm_counter *other = nvpm.active[i];

		if (other != c && other->clocks == c->clocks && other->clock_item >= 0) {
			c->clock_item = other->clock_item;
			return 0;
		}
	}
	return ntime_session_add(s, c->clocks, &c->clock_item);
}

static int add_items(struct ntime_session *s, enum nvpm_target target, uint64_t turn, bool is_once)
{
	int ret = 0;

	for (uint32_t i = 0; i < nvpm.actives; i++) {
		struct nvpm_counter *c = nvpm.active[i];

		if (c->target != target)
			continue;
		c->item = c->clock_item = -1;
		c->part_turns = turn ? c->part_turns : 0;
	}
	for (uint32_t i = 0; i < nvpm.actives && ret == 0; i++) {
		struct nvpm_counter *c = nvpm.active[i];
		const char *event = c->target == target ? event_of(i, turn, is_once) : NULL;

		if (!event)
			continue;
		c->frame = UINT64_MAX;
		ret = ntime_session_add(s, event, &c->item);
		if (ret == 0)
			ret = add_clocks(s, c);
	}
	return ret;
}

static int alloc_values(struct nvpm_part *part, bool has_frames)
{
	part->items = ntime_session_count(part->session);
	if (has_frames) {
		part->now = calloc(part->items, sizeof(*part->now));
		part->older = calloc(part->items, sizeof(*part->older));
		return part->now && part->older ? 0 : -ENOMEM;
	}
	part->begin = calloc(part->items, sizeof(*part->begin));
	part->end = calloc(part->items, sizeof(*part->end));
	return part->begin && part->end ? 0 : -ENOMEM;
}

/*
 * A counter of the card was there when it was enumerated: somebody has it now, or the card is gone.
 * A value of a model is not of silicon, and its records have no room to say so.
 */
static int check_card(const struct nvpm_part *part)
{
	static bool has_said; /* once a program, not once an Init */
	struct ntime_value *values = calloc(part->items, sizeof(*values));
	int ret = values ? ntime_session_read(part->session, values, part->items) : -ENOMEM;

	for (size_t i = 0; ret >= 0 && i < part->items; i++) {
		struct ntime_item item = { .size = sizeof(item) };

		if (values[i].flags & NTIME_ABSENT &&
		    ntime_session_item(part->session, i, &item) == 0) {
			nvpm_debug("%s: %s; remedy: %s", item.name, item.reason, item.remedy);
			ret = item.reason_code == NTIME_REASON_BUSY ? -EBUSY : -ENODEV;
		} else if (values[i].flags & NTIME_SIMULATED && !has_said) {
			nvpm_say("the card is a model: its values are simulated");
			has_said = true;
		}
	}
	free(values);
	return ret < 0 ? ret : 0;
}

/* Frames keep all passes of an event of several, twice. */
static int new_frames(struct nvpm_part *part)
{
	size_t depth = 2;
	int ret = ntime_session_open(part->session);

	while (ret == 0 && depth < 2 * (size_t)ntime_session_passes(part->session))
		depth *= 2;
	return ret < 0 ? ret : ntime_frames_new(part->session, depth, -1, &part->frames);
}

int nvpm_part_open(enum nvpm_target target, uint32_t flags, uint32_t pass)
{
	const bool has_frames = flags & NTIME_BY_PASS && !nvpm.is_running;
	const struct ntime_target of = {
		.size = sizeof(of),
		.kind = target == NVPM_MACHINE ? NTIME_TARGET_MACHINE : NTIME_TARGET_PROCESS,
		.flags = flags | (target == NVPM_MACHINE ? 0 : NTIME_CHILDREN),
		.pass = pass,
	};
	struct nvpm_part *part = &nvpm.part[target];
	int ret = ntime_session_new(nvpm.ctx, &of, &part->session);

	if (ret == 0)
		ret = add_items(part->session, target, has_frames ? nvpm.turn : nvpm.pass,
				!has_frames);
	if (ret == 0 && !ntime_session_count(part->session)) {
		nvpm_part_close(part);
		return 0;
	}
	if (ret == 0)
		ret = has_frames ? new_frames(part) : ntime_session_open(part->session);
	if (ret == 0)
		ret = alloc_values(part, has_frames);
	if (ret == 0 && target == NVPM_CARD)
		ret = check_card(part);
	if (ret < 0)
		nvpm_part_close(part);
	return ret;
}

int nvpm_part_start(enum nvpm_target target, uint32_t flags, uint32_t pass)
{
	int ret = nvpm_part_open(target, flags, pass);

	if (ret < 0 || !nvpm.part[target].session)
		return ret;
	return ntime_session_start(nvpm.part[target].session);
}

void nvpm_part_close(struct nvpm_part *part)
{
	ntime_frames_free(part->frames);
	ntime_session_free(part->session);
	free(part->now);
	free(part->older);
	free(part->begin);
	free(part->end);
	*part = (struct nvpm_part){ 0 };
}

void nvpm_parts_close(void)
{
	for (enum nvpm_target target = 0; target < NVPM_TARGETS; target++)
		nvpm_part_close(&nvpm.part[target]);
}

uint64_t nvpm_count_of(const struct ntime_value *v)
{
	double value = v->scale == 1 ? 0 : (double)v->count * v->scale;

	if (v->scale == 1)
		return v->count;
	return value > 0 && value < 0x1p63 ? (uint64_t)llround(value) : 0;
}

uint64_t nvpm_value_of(const struct nvpm_counter *c, uint64_t count, uint64_t cycles)
{
	if (!c->is_rest)
		return count;
	return cycles > count ? cycles - count : 0;
}
