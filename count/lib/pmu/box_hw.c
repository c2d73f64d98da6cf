// SPDX-License-Identifier: MIT
/* One box of counters outside of the cores, by the sequences of core/seq/box.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/names.h"
#include "count/lib/pmu/pmu.h"
#include "count/lib/pmu/pmu_hw.h"

/*
 * The register that was read last, for the time of one look: many states are bits of one, and each
 * read of it is a call of the kernel's that interrupts a CPU.
 */
struct last_read {
	struct nthw_io io; /* first: its functions get this pointer; writes nothing */
	struct nthw_io *to;
	bool is_valid;
	uint32_t address;
	uint64_t value;
};

struct box_hw {
	struct nti_pmu_hw hw; /* first */
	struct last_read last;
	struct nti_handle *handle;
	struct nthw_box box;
	struct nthw_box_state state;
	uint64_t current; /* counters programmed by the last box_program() */
};

static struct box_hw *box_of(struct nti_pmu_hw *hw)
{
	return (struct box_hw *)hw;
}

static const struct nthw_box_kind *kind_of(const struct nti_pmu_hw *hw)
{
	return ((const struct box_hw *)hw)->box.kind;
}

/* Bits that none of the kind's events has. */
static uint64_t unknown_bits(const struct nthw_box_kind *kind, uint64_t config, bool is_config1)
{
	struct nthw_box_event event;
	uint64_t unknown = 0, bit;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		bit = config & (uint64_t)1 << i;
		if (bit &&
		    nthw_box_encode(kind, is_config1 ? 0 : bit, is_config1 ? bit : 0, &event) < 0)
			unknown |= bit;
	}
	return unknown;
}

static int explain_bits(const struct nthw_box_kind *kind, const struct nti_part *part,
			struct nti_absence *absent)
{
	uint64_t config = part->attr.config, config1 = part->attr.config1;
	char about[128];

	(void)snprintf(about, sizeof(about), "%.64s config=%#llx,config1=%#llx", part->unit->name,
		       (unsigned long long)config, (unsigned long long)config1);
	if (kind->free)
		return nti_absence_set(absent, NTIME_REASON_NOT_SUPPORTED, about, "ntime list",
				       "%s has no counter of the number %#llx", part->unit->name,
				       (unsigned long long)config);
	config = unknown_bits(kind, config, false);
	config1 = unknown_bits(kind, config1, true);
	return nti_absence_set(absent, NTIME_REASON_NOT_SUPPORTED, about,
			       "leave these bits out, or count it through perf: --via perf",
			       "ntime does not know what bits %#llx of config%s mean to %s",
			       (unsigned long long)(config ? config : config1), config ? "" : "1",
			       part->unit->name);
}

int nti_pmu_refuse_modes(const struct nti_part *part, struct nti_absence *absent)
{
	const struct perf_event_attr *attr = &part->attr;
	const char *name = part->unit->name;
	int ret;

	if (!attr->exclude_user && !attr->exclude_kernel && !attr->exclude_hv &&
	    !attr->exclude_idle && !attr->exclude_host && !attr->exclude_guest && !attr->precise_ip)
		return 0;
	ret = nti_absence_set(absent, NTIME_REASON_NOT_SUPPORTED, name, "leave the modifiers out",
			      "%s counts for all programs and modes at once", name);
	return ret < 0 ? ret : -ENOTSUP;
}

static int encode(const struct nthw_box_kind *kind, const struct nti_part *part,
		  struct nthw_box_event *out, struct nti_absence *absent)
{
	int ret = nti_pmu_refuse_modes(part, absent);

	if (ret < 0)
		return ret;
	if (part->attr.config2)
		ret = nti_absence_set(absent, NTIME_REASON_NOT_SUPPORTED, part->unit->name,
				      "count it through perf: --via perf",
				      "ntime does not know what config2 means to %s",
				      part->unit->name);
	else if (nthw_box_encode(kind, part->attr.config, part->attr.config1, out) < 0)
		ret = explain_bits(kind, part, absent);
	else
		return 0;
	return ret < 0 ? ret : -ENOTSUP;
}

static int box_encode(const struct nti_pmu_hw *hw, const struct nti_names *names,
		      const struct nti_part *part, struct nti_pmu_event *out,
		      struct nti_absence *absent)
{
	(void)names;
	return encode(kind_of(hw), part, &out->box, absent);
}

/* Filters are the box's: events that depend on the same bits of one must want the same. */
static bool box_can_share(const struct nti_pmu_event *a, const struct nti_pmu_event *b)
{
	unsigned int i;

	for (i = 0; i < NTHW_BOX_FILTERS_MAX; i++) {
		if ((a->box.filter[i] ^ b->box.filter[i]) & a->box.filter_used[i] &
		    b->box.filter_used[i])
			return false;
	}
	return true;
}

/*
 * Counters that nobody needs any more, or whose filters others would have to agree with, are given
 * back first.
 */
static int make_room(struct box_hw *box, uint64_t wanted)
{
	uint64_t old = box->state.counters;

	if (!box->box.kind->filter[0])
		old &= ~wanted;
	return old ? nthw_box_release(&box->box, old, &box->state) : 0;
}

static int box_program(struct nti_pmu_hw *hw, const struct nti_pmu_event *event, size_t n,
		       uint64_t *taken)
{
	struct box_hw *box = box_of(hw);
	uint64_t wanted = 0;
	/* What could not be stopped when a start failed. */
	int ret = nthw_box_stop(&box->box, box->state.running, &box->state);
	size_t i;

	for (i = 0; i < n; i++)
		wanted |= (uint64_t)1 << event[i].counter;
	if (ret == 0)
		ret = make_room(box, wanted);
	box->current = 0;
	*taken = 0;
	for (i = 0; ret == 0 && i < n; i++) {
		uint64_t bit = (uint64_t)1 << event[i].counter;

		ret = nthw_box_program(&box->box, event[i].counter, &event[i].box, &box->state);
		if (ret == 0)
			box->current |= bit;
		else if (ret == -EBUSY)
			*taken |= bit;
		ret = ret == -EBUSY ? 0 : ret;
	}
	return ret;
}

static int box_start(struct nti_pmu_hw *hw)
{
	struct box_hw *box = box_of(hw);

	return nthw_box_start(&box->box, box->current, &box->state);
}

static int box_stop(struct nti_pmu_hw *hw)
{
	struct box_hw *box = box_of(hw);

	return nthw_box_stop(&box->box, box->current, &box->state);
}

static int box_overflows(struct nti_pmu_hw *hw, uint64_t *counters)
{
	struct box_hw *box = box_of(hw);

	return nthw_box_overflows(&box->box, box->current, counters);
}

static int box_check(struct nti_pmu_hw *hw, uint64_t *lost)
{
	struct box_hw *box = box_of(hw);

	return nthw_box_check(&box->box, box->current, &box->state, lost);
}

static void box_begin(struct nti_pmu_hw *hw)
{
	box_of(hw)->last.is_valid = false;
}

static int box_read(struct nti_pmu_hw *hw, unsigned int counter, uint64_t *value)
{
	return nthw_box_read(&box_of(hw)->box, counter, value);
}

static unsigned int box_width(const struct nti_pmu_hw *hw, unsigned int counter)
{
	return nthw_box_is_state(kind_of(hw), counter) ? 0 : nthw_box_width(kind_of(hw), counter);
}

static void box_name(const struct nti_pmu_hw *hw, unsigned int counter, char *text, size_t size)
{
	uint32_t index = 0;
	const struct nthw_reg *row = nthw_box_counter(kind_of(hw), counter, &index);

	*text = '\0';
	/* The kind has the rows of box 0; of the others the table has their own. */
	if (row)
		row = nthw_table_find(
			kind_of(hw)->table,
			nthw_box_address(&((const struct box_hw *)hw)->box, row, index), &index);
	if (row)
		(void)nthw_reg_name(row, index, text, size);
}

static int box_release(struct nti_pmu_hw *hw)
{
	struct box_hw *box = box_of(hw);

	return nthw_box_restore(&box->box, &box->state);
}

static const struct nti_pmu_hw_ops box_ops = {
	.encode = box_encode,
	.can_share = box_can_share,
	.program = box_program,
	.start = box_start,
	.stop = box_stop,
	.overflows = box_overflows,
	.check = box_check,
	.begin = box_begin,
	.read = box_read,
	.width = box_width,
	.name = box_name,
	.release = box_release,
};

static int read_last(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t *value)
{
	struct last_read *last = (struct last_read *)io;
	int ret = 0;

	if (!last->is_valid || last->address != address) {
		ret = last->to->read(last->to, space, unit, address, &last->value);
		last->is_valid = ret == 0;
		last->address = address;
	}
	if (ret == 0)
		*value = last->value;
	return ret;
}

/* Counters that always run are only read. */
static int write_none(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		      uint32_t address, uint64_t value)
{
	(void)io, (void)space, (void)unit, (void)address, (void)value;
	return -EPERM;
}

/* Hold every counter: who comes later is refused at once and not in the middle of counting. */
static int hold(struct box_hw *box)
{
	const struct nthw_reg *row;
	uint32_t index, i;
	int ret = 0;

	for (i = 0; ret == 0 && i <= NTHW_BOX_FIXED; i++) {
		row = box->hw.all >> i & 1 ? nthw_box_counter(box->box.kind, i, &index) : NULL;
		if (row)
			ret = nti_handle_hold(box->handle, row->space,
					      nthw_box_address(&box->box, row, index));
	}
	return ret;
}

static int take(struct box_hw *box)
{
	int ret = nthw_box_discover(&box->box, &box->hw.all);

	if (ret == 0 && !box->hw.always_runs)
		ret = hold(box);
	if (ret == 0)
		ret = nthw_box_find_free(&box->box, box->hw.all, &box->hw.counters);
	return ret;
}

int nti_box_hw_new(struct nti_handle *handle, const struct nthw_box_kind *kind, uint32_t number,
		   struct nti_pmu_hw **out)
{
	struct box_hw *box = calloc(1, sizeof(*box));
	int ret;

	*out = NULL;
	if (!box)
		return -ENOMEM;
	*box = (struct box_hw){ .hw.ops = &box_ops,
				.hw.has_flags = kind->status,
				.hw.always_runs = kind->free,
				.hw.events_per_us = kind->events_per_us,
				.handle = handle,
				.box = { .kind = kind,
					 .io = nti_handle_io(handle),
					 .unit = nti_handle_unit(handle),
					 .number = number,
					 .is_guarded = nti_handle_is_guarded(handle) } };
	if (kind->free) {
		box->last.io = (struct nthw_io){ .read = read_last, .write = write_none };
		box->last.to = box->box.io;
		box->box.io = &box->last.io;
	}
	ret = take(box);
	if (ret < 0) {
		free(box);
		return ret;
	}
	*out = &box->hw;
	return 0;
}

/* Of a card: multiplexers but for the last one, which has one value only; a TPC; a partition. */
enum { WANT_TPC = NTHW_NV_MPC_OUT - 1, WANT_ROP };
_Static_assert(NTHW_NV_MPC_OUT + 1 == NTHW_NV_MUXES && WANT_ROP + 1 == NTI_PMU_WANTS,
	       "a want for each multiplexer of a card, and for units of each kind");

static void want(struct nti_pmu_need *out, unsigned int i, uint64_t value)
{
	out->wants[i] = true;
	out->want[i] = value;
}

static int card_need(const struct nti_part *part, struct nti_pmu_need *out)
{
	struct nti_absence absent = { 0 };
	struct nthw_nv50_event event;
	int ret = nti_card_encode(part, &event, &absent);

	nti_absence_fini(&absent);
	if (ret < 0)
		return ret;
	out->is_beside = event.is_clocks;
	out->counters = nthw_nv50_counters(part->unit->card->chip, &event);
	out->also = nthw_nv50_also(&event);
	for (uint32_t i = 1; i < NTHW_NV_MUXES; i++) {
		uint32_t kind = nthw_nv_muxes[i].units, select, unit;

		if (!nthw_nv50_wants(&event, i, &select, &unit))
			continue;
		/* Of a group its number, not where it stands. */
		if (i >= NTHW_NV_GROUP && i < NTHW_NV_MPC_OUT)
			select >>= 8 * (i - NTHW_NV_GROUP);
		if (i != NTHW_NV_MPC_OUT)
			want(out, i - 1, select);
		if (kind != NTHW_NV_GRAPH)
			want(out, kind == NTHW_NV_TPC ? WANT_TPC : WANT_ROP,
			     nti_card_unit(part->unit->card, kind, unit));
	}
	return 0;
}

const char *nti_pmu_want_name(const struct nti_unit *unit, unsigned int i)
{
	static const char *const filters[NTI_PMU_WANTS] = { "the filter", "the second filter" };

	if (i >= NTI_PMU_WANTS)
		return NULL;
	if (!unit->card)
		return filters[i];
	if (i < WANT_TPC)
		return nthw_nv_muxes[i + 1].name;
	return i == WANT_TPC ? "TPC" : "memory partition";
}

int nti_pmu_need(const struct nti_part *part, struct nti_pmu_need *out)
{
	const struct nthw_box_kind *kind = part->unit->boxes ? part->unit->box[0].kind : NULL;
	struct nti_absence absent = { 0 };
	struct nthw_box_event event = { 0 };
	unsigned int i;
	int ret;

	*out = (struct nti_pmu_need){ .always_runs = kind && kind->free };
	if (part->unit->card)
		return card_need(part, out);
	ret = kind ? encode(kind, part, &event, &absent) : -ENOTSUP;
	nti_absence_fini(&absent);
	if (ret < 0)
		return ret;
	out->counters = nthw_box_counters(kind, &event);
	for (i = 0; i < NTI_ARRAY_SIZE(event.filter); i++) {
		out->wants[i] = event.filter_used[i] != 0;
		/* Filters are 32 bits wide: what is wanted, and of which bits. */
		out->want[i] = event.filter[i] << 32 | (event.filter_used[i] & UINT32_MAX);
	}
	return 0;
}

void nti_pmu_add_wants(const struct nti_pmu_need *need, struct nti_plan_event *out)
{
	unsigned int i;

	for (i = 0; i < NTI_PMU_WANTS; i++) {
		if (need->wants[i])
			out->wants[out->want_count++] =
				(struct nti_plan_want){ .resource = (uint8_t)i,
							.value = need->want[i] };
	}
}
