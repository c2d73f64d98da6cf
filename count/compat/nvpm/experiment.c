// SPDX-License-Identifier: MIT
/*
 * Experiments: the same work once a pass, and in a pass objects, each of which has values of its
 * own. Each pass has a session that counts it alone.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "count/compat/nvpm/nvpm.h"

/**
 * struct nvpm_cell - an active counter in an object
 * @turns:	passes that had a part of it; @last: the newest of them
 * @flags:	of all that went into it
 */
struct nvpm_cell {
	uint64_t value, cycles;
	uint32_t turns, last, flags;
};

static uint32_t cells_of_objects(void)
{
	return nvpm.objects ? nvpm.objects : 1;
}

void nvpm_experiment_forget(void)
{
	free(nvpm.cell);
	nvpm.cell = NULL;
	nvpm.has_values = false;
}

int nvpm_reserve(uint32_t objects)
{
	if (nvpm.is_running)
		return NVPM_RUNNING;
	nvpm_experiment_forget();
	nvpm.objects = objects;
	return NVPM_DONE;
}

/* How many passes an item's target takes, and in how many each counter has a part. */
static int plan_target(enum nvpm_target target)
{
	struct nvpm_part *part = &nvpm.part[target];
	int ret = nvpm_part_open(target, NTIME_BY_PASS, 0);

	nvpm.target_passes[target] = part->session ? ntime_session_passes(part->session) : 0;
	for (uint32_t i = 0; i < nvpm.actives && part->session; i++) {
		struct nvpm_counter *c = nvpm.active[i];
		struct ntime_item item = { .size = sizeof(item) };

		if (c->target == target && c->item >= 0 &&
		    ntime_session_item(part->session, (size_t)c->item, &item) == 0)
			c->turns = item.in_every_pass ? 1 : item.turns;
	}
	nvpm_part_close(part);
	return ret;
}

/* One event a domain and pass. */
static void plan_nvidia(void)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < nvpm.actives; i++) {
		struct nvpm_counter *c = nvpm.active[i];
		uint32_t n = nvpm_turns_of(c->pm_domain, nvpm.actives);

		if (c->target != NVPM_CARD)
			continue;
		c->turns = c->setups ? c->setups : 1;
		most = n > most ? n : n == 0 && !most ? 1 : most;
	}
	nvpm.target_passes[NVPM_CARD] = most;
}

static int plan(void)
{
	int ret = 0;

	nvpm.passes = 1;
	for (enum nvpm_target target = 0; target < NVPM_TARGETS && ret == 0; target++) {
		if (nvpm.is_nvidia && target == NVPM_CARD)
			plan_nvidia();
		else
			ret = plan_target(target);
		if (nvpm.target_passes[target] > nvpm.passes)
			nvpm.passes = nvpm.target_passes[target];
	}
	return ret < 0 ? nvpm_failed(ret) : NVPM_DONE;
}

int nvpm_experiment_begin(uint32_t *passes)
{
	int ret;

	if (!passes)
		return NVPM_BAD_PARAMETER;
	if (nvpm.is_running)
		return NVPM_RUNNING;
	nvpm_parts_close();
	nvpm_experiment_forget();
	nvpm.is_stale = true;
	nvpm.failure = NVPM_DONE;
	for (uint32_t i = 0; i < nvpm.actives; i++) {
		nvpm.active[i]->value = (struct nvpm_value){ 0 };
		nvpm.active[i]->is_sampled = false;
	}
	nvpm.cell = calloc(cells_of_objects(), (nvpm.actives + 1) * sizeof(*nvpm.cell));
	if (!nvpm.cell)
		return NVPM_NO_MEMORY;
	nvpm.is_running = true;
	nvpm.is_in_pass = nvpm.is_in_object = false;
	nvpm.pass = 0;
	ret = plan();
	nvpm.is_running = ret == NVPM_DONE;
	if (ret == NVPM_DONE)
		*passes = nvpm.passes;
	else
		nvpm_experiment_forget();
	return ret;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Counting of an object begins, or ends: then what was counted is its. */
static int read_parts(bool is_end)
{
	int result = NVPM_DONE;

	for (struct nvpm_part *part = nvpm.part; part < nvpm.part + NVPM_TARGETS; part++) {
		int ret;

		if (!part->session)
			continue;
		if (!is_end)
			part->begin_ns = now_ns();
		ret = ntime_session_read(part->session, is_end ? part->end : part->begin,
					 part->items);
		if (is_end)
			part->length_ns = now_ns() - part->begin_ns;
		part->is_bad = ret < 0 || (is_end && part->is_bad);
		if (ret < 0)
			nvpm.failure = result = nvpm_failed(ret);
	}
	return result;
}

static void add_to_cell(const struct nvpm_counter *c, const struct nvpm_part *part,
			struct nvpm_cell *cell)
{
	struct ntime_value d, clocks;
	bool is_new = !cell->turns || cell->last != nvpm.pass;

	ntime_value_delta(&part->begin[c->item], &part->end[c->item], &d);
	/* It has no part in this pass, or is in all of them. */
	if ((d.flags & NTIME_NOT_COUNTED && !d.counted_ns) || (is_new && cell->turns == c->turns))
		return;
	cell->turns += is_new;
	cell->last = nvpm.pass;
	cell->value = nvpm_count_of(&d) + (d.flags & NTIME_STATE ? 0 : cell->value);
	cell->flags |= d.flags;
	if (c->clock_item < 0) {
		cell->cycles += part->length_ns;
		return;
	}
	ntime_value_delta(&part->begin[c->clock_item], &part->end[c->clock_item], &clocks);
	cell->cycles += clocks.count;
	cell->flags |= clocks.flags;
}

static int end_counting(uint32_t object)
{
	struct nvpm_cell *row = &nvpm.cell[(size_t)object * nvpm.actives];
	int ret = read_parts(true);

	for (uint32_t i = 0; i < nvpm.actives; i++) {
		const struct nvpm_counter *c = nvpm.active[i];
		const struct nvpm_part *part = &nvpm.part[c->target];

		if (part->session && !part->is_bad && c->item >= 0)
			add_to_cell(c, part, &row[i]);
	}
	return ret;
}

static int open_pass(void)
{
	int ret = 0;

	for (enum nvpm_target target = 0; target < NVPM_TARGETS && ret == 0; target++) {
		bool is_alone =
			nvpm.target_passes[target] > 1 && !(nvpm.is_nvidia && target == NVPM_CARD);

		if (nvpm.pass >= nvpm.target_passes[target])
			continue;
		ret = nvpm_part_start(target, is_alone ? NTIME_PASS_ALONE : 0,
				      is_alone ? nvpm.pass : 0);
	}
	if (ret == 0)
		return nvpm.objects ? NVPM_DONE : read_parts(false);
	return nvpm.failure = nvpm_failed(ret);
}

int nvpm_pass_begin(uint32_t pass)
{
	int ret;

	if (!nvpm.is_running)
		return NVPM_NO_EXPERIMENT;
	if (nvpm.is_in_pass)
		return NVPM_IN_PASS;
	if (pass != nvpm.pass || pass >= nvpm.passes)
		return NVPM_BAD_PASS;
	ret = open_pass();
	nvpm.is_in_pass = ret == NVPM_DONE;
	if (ret != NVPM_DONE)
		nvpm_parts_close();
	return ret;
}

static int end_object(void)
{
	nvpm.is_in_object = false;
	/* Without reserved objects all of the pass is object 0. */
	return nvpm.objects ? end_counting(nvpm.object) : NVPM_DONE;
}

static int end_pass(void)
{
	int ret = nvpm.is_in_object ? end_object() : NVPM_DONE;
	int counted = nvpm.objects ? NVPM_DONE : end_counting(0);

	nvpm_parts_close();
	nvpm.is_in_pass = false;
	nvpm.pass++;
	return ret != NVPM_DONE ? ret : counted;
}

int nvpm_pass_end(uint32_t pass)
{
	if (!nvpm.is_running)
		return NVPM_NO_EXPERIMENT;
	if (!nvpm.is_in_pass)
		return NVPM_NO_PASS;
	return pass == nvpm.pass ? end_pass() : NVPM_BAD_PASS;
}

int nvpm_object_begin(uint32_t object)
{
	int ret;

	if (!nvpm.is_running)
		return NVPM_NO_EXPERIMENT;
	if (!nvpm.is_in_pass)
		return NVPM_NO_PASS;
	if (nvpm.is_in_object)
		return NVPM_IN_OBJECT;
	if (object >= cells_of_objects())
		return NVPM_BAD_OBJECT;
	ret = nvpm.objects ? read_parts(false) : NVPM_DONE;
	nvpm.is_in_object = ret == NVPM_DONE;
	nvpm.object = object;
	return ret;
}

int nvpm_object_end(uint32_t object)
{
	if (!nvpm.is_running)
		return NVPM_NO_EXPERIMENT;
	if (!nvpm.is_in_object)
		return nvpm.is_in_pass ? NVPM_NO_OBJECT : NVPM_NO_PASS;
	return object == nvpm.object ? end_object() : NVPM_BAD_OBJECT;
}

int nvpm_experiment_end(void)
{
	if (!nvpm.is_running)
		return NVPM_NO_EXPERIMENT;
	if (nvpm.is_in_pass)
		(void)end_pass();
	nvpm.is_running = false;
	nvpm.has_values = true;
	if (nvpm.failure != NVPM_DONE)
		return nvpm.failure;
	return nvpm.pass < nvpm.passes ? NVPM_ENDED_EARLY : NVPM_DONE;
}

int nvpm_experiment_value(const struct nvpm_counter *c, uint32_t object, struct nvpm_value *out)
{
	const struct nvpm_cell *cell = &nvpm.cell[(size_t)object * nvpm.actives];

	for (uint32_t i = 0; nvpm.active[i] != c; i++)
		cell++;
	if (!cell->turns || cell->turns < c->turns)
		return NVPM_INCOMPLETE;
	*out = (struct nvpm_value){ 0 };
	if (cell->flags & NVPM_UNSURE & ~NTIME_NOT_COUNTED)
		return NVPM_DONE;
	out->cycles = cell->cycles / cell->turns;
	out->value = nvpm_value_of(c, cell->value, out->cycles);
	out->is_overflowed = cell->flags & NTIME_OVERFLOWED;
	return NVPM_DONE;
}
