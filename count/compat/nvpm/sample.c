// SPDX-License-Identifier: MIT
/* Sampling: a period from each Sample() to the next one. */
#include <errno.h>
#include <string.h>

#include "count/compat/nvpm/nvpm.h"

static int fail(int error)
{
	for (uint32_t i = 0; i < nvpm.actives; i++)
		nvpm.active[i]->value.is_updated = false;
	nvpm_parts_close();
	nvpm.is_stale = true;
	return nvpm_failed(error);
}

/* The period ends; libntime begins the next one. */
static int end_frames(void)
{
	for (struct nvpm_part *part = nvpm.part; part < nvpm.part + NVPM_TARGETS; part++) {
		int ret = part->session ? ntime_frame_end(part->frames, &part->frame) : 0;

		if (ret < 0)
			return fail(ret);
		part->has_frame = part->session != NULL;
		part->is_read = false;
	}
	return NVPM_DONE;
}

/* All that is active is counted from now on; after a failure nothing is. */
static int start(void)
{
	int ret = 0;

	for (enum nvpm_target target = 0; target < NVPM_TARGETS && ret == 0; target++)
		ret = nvpm_part_start(target, NTIME_BY_PASS, 0);
	return ret == 0 ? NVPM_DONE : fail(ret);
}

/* Frame @number to @values. */
static bool read_frame(const struct nvpm_part *part, uint64_t number,
		       struct ntime_frame_value *values, uint64_t *length_ns)
{
	struct ntime_frame frame = { .size = sizeof(frame) };

	if (ntime_frame_read(ntime_frames_ring(part->frames), number, &frame, values, part->items))
		return false;
	*length_ns = frame.end_ns - frame.begin_ns;
	return true;
}

/* The cycles of one frame: the mean of @first to @last, where an event has a part in each. */
static uint64_t cycles_of(const struct nvpm_counter *c, const struct nvpm_part *part,
			  uint64_t first, uint64_t last, uint32_t *flags)
{
	uint64_t sum = 0, length_ns = part->length_ns;

	for (uint64_t number = first; number <= last; number++) {
		bool is_newest = number == part->frame;
		const struct ntime_frame_value *values = is_newest ? part->now : part->older;

		if (!is_newest && !read_frame(part, number, part->older, &length_ns)) {
			*flags |= NTIME_NOT_COUNTED;
			return 0;
		}
		if (c->clock_item < 0) {
			sum += length_ns;
			continue;
		}
		sum += values[c->clock_item].value.count;
		*flags |= values[c->clock_item].value.flags;
	}
	return sum / (last - first + 1);
}

/* A set-up that had its turn by NVIDIA's rule: the last one completes the value. */
static bool add_turn(struct nvpm_counter *c, struct nvpm_value *v)
{
	struct nvpm_value *sum = &c->part;

	if (!nvpm.is_nvidia || c->setups < 2 || c->target != NVPM_CARD)
		return true;
	if (!c->part_turns++)
		*sum = (struct nvpm_value){ .is_updated = true }; /* all have a number */
	sum->value += v->value;
	sum->cycles += v->cycles;
	sum->is_overflowed |= v->is_overflowed;
	sum->is_updated &= v->cycles > 0;
	if (c->part_turns < c->setups)
		return false;
	*v = sum->is_updated ? *sum : (struct nvpm_value){ 0 };
	v->cycles /= c->setups;
	c->part_turns = 0;
	return true;
}

static void take(struct nvpm_counter *c, const struct nvpm_part *part,
		 const struct ntime_frame_value *of)
{
	struct nvpm_value v = { .is_updated = of->last == part->frame };
	uint32_t flags = of->value.flags;

	/* It was not its turn, or nothing was counted yet. */
	if (c->frame == of->last || (flags & NTIME_NOT_COUNTED && c->frame == UINT64_MAX))
		return;
	c->frame = of->last;
	if (!(flags & NVPM_UNSURE)) {
		v.cycles = cycles_of(c, part, of->first, of->last, &flags);
		v.value = nvpm_value_of(c, nvpm_count_of(&of->value), v.cycles);
	}
	v.is_overflowed = flags & NTIME_OVERFLOWED;
	/* The next Sample() opens it anew, or says why it cannot. */
	nvpm.is_stale |= (flags & (NTIME_LOST | NTIME_GONE)) != 0;
	if (flags & NVPM_UNSURE)
		v = (struct nvpm_value){ 0 };
	if (add_turn(c, &v))
		c->value = v;
}

void nvpm_read(void)
{
	for (struct nvpm_part *part = nvpm.part; part < nvpm.part + NVPM_TARGETS; part++) {
		if (!part->has_frame || part->is_read)
			continue;
		part->is_read = true;
		if (!read_frame(part, part->frame, part->now, &part->length_ns))
			continue;
		for (uint32_t i = 0; i < nvpm.actives; i++) {
			struct nvpm_counter *c = nvpm.active[i];

			if (&nvpm.part[c->target] != part)
				continue;
			c->value.is_updated = false;
			if (c->item >= 0)
				take(c, part, &part->now[c->item]);
		}
	}
}

/* Ends a period and begins the next one. */
static int sample(void)
{
	int ret;

	if (nvpm.is_running)
		return NVPM_RUNNING;
	nvpm.has_values = false;
	ret = end_frames();
	if (ret != NVPM_DONE || !(nvpm.is_stale || nvpm.is_nvidia))
		return ret;
	nvpm_read();
	nvpm_parts_close();
	nvpm.turn = nvpm.is_stale ? 0 : nvpm.turn + 1;
	nvpm.is_stale = false;
	ret = start();
	for (uint32_t i = 0; i < nvpm.actives && ret == NVPM_DONE; i++)
		nvpm.active[i]->is_sampled = true;
	return ret;
}

void nvpm_put_record(void *records, uint32_t i, uint32_t number, const struct nvpm_value *v)
{
	bool has_number = !v->is_overflowed; /* there is no room to say that it is a lower bound */

	((struct nvpm_record *)records)[i] = (struct nvpm_record){
		.number = number,
		.value = has_number ? v->value : 0,
		.cycles = has_number ? v->cycles : 0,
	};
}

int nvpm_sample_records(nvpm_record_fn *record, void *records, uint32_t *n)
{
	int ret = sample();

	if (!n || ret != NVPM_DONE)
		return ret;
	if (!records) {
		*n = 0;
		return NVPM_DONE;
	}
	nvpm_read();
	if (*n > nvpm.actives)
		*n = nvpm.actives;
	for (uint32_t i = 0; i < *n; i++) {
		const struct nvpm_counter *c = nvpm.active[i];

		record(records, i, nvpm_number(c), &c->value);
	}
	return NVPM_DONE;
}
