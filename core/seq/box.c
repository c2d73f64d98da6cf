// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * One order of accesses for all boxes of counters.
 *
 * A counter is set to 0 and selected while nothing lets it count: where the box has an enable
 * register, its bit there is cleared first and set last; else its own enable bit is. A box that can
 * be frozen, and in which nobody else counts, is frozen around setting those bits, so that counters
 * start and stop together. What was written is read back: hypervisors take writes and forget them.
 *
 * A counter is somebody else's when its own enable bit is set. A bit of the enable register says
 * nothing: Linux leaves all of them set (Linux 6.1 arch/x86/events/intel/uncore_snb.c,
 * nhm_uncore_msr_enable_box()).
 */
#include "core/base/write.h"
#include "core/seq/box_place.h"

/* Of several steps that are all taken, the first error counts. */
static int first(int before, int now)
{
	return before ? before : now;
}

/* ---- registers ---- */

/* In a register that is shared: @clear, then @set; not written when that changes nothing. */
static int change(const struct nthw_box *box, const struct nthw_reg *reg, uint64_t clear,
		  uint64_t set)
{
	uint64_t now;
	int ret = nthw_box_get(box, reg, 0, &now);

	if (ret || ((now & ~clear) | set) == now)
		return ret;
	return nthw_box_put(box, reg, 0, ((now & ~clear) | set) & ~nthw_write_acting(reg));
}

/* Give back what was read before. */
static int put_back(const struct nthw_box *box, const struct nthw_reg *reg, uint32_t index,
		    uint64_t saved)
{
	saved = nthw_write_restore(reg, ~(uint64_t)0, saved, 0);
	return nthw_box_put(box, reg, index,
			    box->is_guarded ? saved & nthw_reg_settable(reg) : saved);
}

static bool is_same(const struct nthw_box_place *p, uint64_t a, uint64_t b)
{
	return !((a ^ b) & nthw_reg_stored(p->select));
}

/* Does somebody else count in the box? */
static int find_others(const struct nthw_box *box, const struct nthw_box_state *state, bool *busy)
{
	uint64_t mine = state->counters & ~state->foreign, enabled;
	int ret = nthw_box_find_enabled(box, nthw_box_all(box->kind) & ~mine, &enabled);

	*busy = ret || enabled;
	return ret;
}

/* ---- programming ---- */

static int save_bits(const struct nthw_box *box, const struct nthw_reg *reg, uint64_t bit,
		     uint64_t *bits)
{
	uint64_t now;
	int ret;

	if (!reg)
		return 0;
	ret = nthw_box_get(box, reg, 0, &now);
	if (!ret)
		*bits = (*bits & ~bit) | (now & bit);
	return ret;
}

static int save(const struct nthw_box *box, const struct nthw_box_place *p,
		struct nthw_box_state *state)
{
	uint64_t select;
	int ret = nthw_box_get(box, p->select, p->index, &select);

	if (ret)
		return ret;
	if (select & p->run_bit)
		return NTHW_EBUSY;
	state->select[p->slot] = select;
	state->ours[p->slot] = select;
	state->former[p->slot] = select;
	ret = nthw_box_get(box, p->counter, p->index, &state->count[p->slot]);
	if (!ret)
		ret = save_bits(box, box->kind->enable, p->bit, &state->enables);
	if (!ret)
		ret = save_bits(box, box->kind->status, p->bit, &state->overflow);
	return ret;
}

/*
 * One that @state has and that stands: has nobody taken it since? @other is what it may hold beside
 * ours.
 */
static int check_own(const struct nthw_box *box, const struct nthw_box_place *p, uint64_t other,
		     struct nthw_box_state *state)
{
	uint64_t select;
	int ret = nthw_box_get(box, p->select, p->index, &select);

	if (ret || is_same(p, select, state->ours[p->slot]) || is_same(p, select, other))
		return ret;
	state->foreign |= p->bit;
	return NTHW_EBUSY;
}

/* Bits of filter @f that our counters need, but for one slot. */
static uint64_t filter_needed(const struct nthw_box_state *state, uint32_t f, uint32_t but)
{
	uint64_t needed = 0;
	uint32_t i;

	for (i = 0; i < NTHW_BOX_SLOTS; i++)
		if (i != but)
			needed |= state->filter_used[f][i];
	return needed;
}

static int put_filter(const struct nthw_box *box, const struct nthw_box_place *p, uint32_t f,
		      const struct nthw_box_event *event, struct nthw_box_state *state)
{
	uint64_t used = event->filter_used[f], now, differ, changed;
	bool busy;
	int ret;

	state->filter_used[f][p->slot] = 0;
	if (!used)
		return 0;
	ret = nthw_box_get(box, box->kind->filter[f], 0, &now);
	if (ret)
		return ret;
	differ = (now ^ event->filter[f]) & used;
	if (differ & filter_needed(state, f, p->slot))
		return NTHW_EBUSY;
	if (differ) {
		ret = find_others(box, state, &busy);
		if (ret || busy)
			return ret ? ret : NTHW_EBUSY;
		changed = state->filter_changed[f];
		state->filter[f] = (state->filter[f] & changed) | (now & ~changed);
		state->filter_changed[f] |= differ;
	}
	state->filter_ours[f] = now ^ differ;
	if (differ)
		ret = nthw_box_put(box, box->kind->filter[f], 0, now ^ differ);
	if (!ret)
		state->filter_used[f][p->slot] = used;
	return ret;
}

static int put_filters(const struct nthw_box *box, const struct nthw_box_place *p,
		       const struct nthw_box_event *event, struct nthw_box_state *state)
{
	uint32_t f;
	int ret = 0;

	for (f = 0; !ret && f < NTHW_BOX_FILTERS_MAX; f++)
		if (box->kind->filter[f])
			ret = put_filter(box, p, f, event, state);
	return ret;
}

/* Bits that we changed, that nobody of ours needs any more, and that are as we left them. */
static int give_filter_back(const struct nthw_box *box, uint32_t f, struct nthw_box_state *state)
{
	uint64_t bits = state->filter_changed[f] & ~filter_needed(state, f, NTHW_BOX_SLOTS);
	uint64_t now, found;
	int ret;

	if (!bits)
		return 0;
	ret = nthw_box_get(box, box->kind->filter[f], 0, &now);
	if (ret)
		return ret;
	found = now ^ ((now ^ state->filter[f]) & bits & ~(now ^ state->filter_ours[f]));
	if (found != now)
		ret = nthw_box_put(box, box->kind->filter[f], 0, found);
	if (ret)
		return ret;
	state->filter_changed[f] &= ~bits;
	state->filter_ours[f] = found;
	return 0;
}

static int give_filters_back(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state)
{
	struct nthw_box_place p;
	uint32_t i, f;
	int ret = 0;

	for (f = 0; f < NTHW_BOX_FILTERS_MAX; f++) {
		for (i = 0; i <= NTHW_BOX_FIXED; i++)
			if (set & nthw_box_bit(i) && nthw_box_find_place(box->kind, i, &p))
				state->filter_used[f][p.slot] = 0;
		ret = first(ret, give_filter_back(box, f, state));
	}
	return ret;
}

static int put_zero(const struct nthw_box *box, const struct nthw_box_place *p)
{
	uint64_t now = 0;
	int ret = nthw_box_put(box, p->counter, p->index, 0);

	if (!ret)
		ret = nthw_box_get(box, p->counter, p->index, &now);
	return !ret && now & nthw_box_ones(p->width) ? NTHW_EIO : ret;
}

static int put_select(const struct nthw_box *box, const struct nthw_box_place *p,
		      const struct nthw_box_event *event, struct nthw_box_state *state)
{
	uint64_t resting = event->select | (box->kind->enable ? p->run_bit : 0), now;
	int ret;

	state->former[p->slot] = state->ours[p->slot];
	state->ours[p->slot] = resting;
	ret = nthw_box_put(box, p->select, p->index,
			   resting | (event->is_fixed ? 0 : box->kind->reset_bits));
	if (!ret)
		ret = nthw_box_get(box, p->select, p->index, &now);
	if (ret)
		return ret;
	return is_same(p, now, resting) ? 0 : NTHW_EIO;
}

static int put_event(const struct nthw_box *box, const struct nthw_box_place *p,
		     const struct nthw_box_event *event, struct nthw_box_state *state)
{
	int ret = 0;

	if (box->kind->enable)
		ret = change(box, box->kind->enable, p->bit, 0);
	if (!ret)
		ret = put_zero(box, p);
	return ret ? ret : put_select(box, p, event, state);
}

/* The counter itself is as found still, when this fails. */
static int begin(const struct nthw_box *box, const struct nthw_box_place *p,
		 const struct nthw_box_event *event, struct nthw_box_state *state)
{
	int ret = save(box, p, state);

	if (ret)
		return ret;
	ret = put_filters(box, p, event, state);
	if (ret)
		give_filters_back(box, p->bit, state);
	else
		state->counters |= p->bit;
	return ret;
}

/*
 * Another event for a counter that is ours, also one that was half given back: an error of others
 * kept it.
 */
static int begin_again(const struct nthw_box *box, const struct nthw_box_place *p,
		       const struct nthw_box_event *event, struct nthw_box_state *state)
{
	int ret = check_own(box, p, state->select[p->slot], state);

	if (!ret)
		ret = put_filters(box, p, event, state);
	if (ret)
		nthw_box_release(box, p->bit, state);
	return ret;
}

int nthw_box_program(const struct nthw_box *box, uint32_t counter,
		     const struct nthw_box_event *event, struct nthw_box_state *state)
{
	struct nthw_box_place p;
	int ret;

	if (!nthw_box_find_place(box->kind, counter, &p) || state->running & p.bit ||
	    !(nthw_box_counters(box->kind, event) & p.bit))
		return NTHW_EINVAL;
	if (state->counters & p.bit)
		ret = begin_again(box, &p, event, state);
	else
		ret = begin(box, &p, event, state);
	if (ret)
		return ret;
	ret = put_event(box, &p, event, state);
	if (ret)
		nthw_box_release(box, p.bit, state);
	return ret;
}

/* ---- starting ---- */

static int clear_flags(const struct nthw_box *box, uint64_t set, uint64_t *flags)
{
	uint64_t now;
	int ret = nthw_box_get(box, box->kind->status, 0, &now);

	if (ret)
		return ret;
	*flags = now & set;
	return *flags ? nthw_box_put(box, box->kind->clear, 0, *flags) : 0;
}

static int start_one(const struct nthw_box *box, const struct nthw_box_place *p,
		     struct nthw_box_state *state)
{
	int ret = check_own(box, p, state->ours[p->slot], state);

	if (ret)
		return ret;
	state->running |= p->bit;
	return nthw_box_put(box, p->select, p->index, state->ours[p->slot] | p->run_bit);
}

static int start_each(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state)
{
	struct nthw_box_place p;
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i <= NTHW_BOX_FIXED; i++)
		if (set & nthw_box_bit(i) && nthw_box_find_place(box->kind, i, &p))
			ret = start_one(box, &p, state);
	return ret;
}

static bool is_frozen(const struct nthw_box_kind *kind, uint64_t control)
{
	return (control & kind->freeze_bits) == kind->freeze_bits;
}

static int put_control(const struct nthw_box *box, uint64_t value)
{
	return nthw_box_put(box, box->kind->control, 0,
			    value & ~nthw_write_acting(box->kind->control));
}

/*
 * Nobody counts in the box: it stands while enable bits are set, and what lets all of them count is
 * written last.
 */
static int start_frozen(const struct nthw_box *box, uint64_t set, uint64_t control,
			struct nthw_box_state *state)
{
	bool was_frozen = is_frozen(box->kind, control);
	int ret = 0;

	if (!state->has_control)
		state->control = control;
	state->has_control = true;
	if (!was_frozen)
		ret = put_control(box, control | box->kind->freeze_bits);
	if (!ret)
		ret = start_each(box, set, state);
	if (!ret)
		ret = put_control(box, was_frozen ? control & ~box->kind->freeze_bit : control);
	if (!ret && !was_frozen)
		state->has_control = false;
	return ret;
}

static int start_box(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state)
{
	uint64_t control;
	bool busy;
	int ret = nthw_box_get(box, box->kind->control, 0, &control);

	if (!ret)
		ret = find_others(box, state, &busy);
	if (ret)
		return ret;
	if (!busy && !state->running)
		return start_frozen(box, set, control, state);
	return is_frozen(box->kind, control) ? NTHW_EBUSY : start_each(box, set, state);
}

int nthw_box_start(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state)
{
	uint64_t flags;
	int ret = 0;

	if (set & ~state->counters)
		return NTHW_EINVAL;
	if (set & state->foreign)
		return NTHW_EBUSY;
	set &= ~state->running;
	if (!set)
		return 0;
	if (box->kind->status)
		ret = clear_flags(box, set, &flags);
	if (ret)
		return ret;
	if (box->kind->enable) {
		state->running |= set;
		ret = change(box, box->kind->enable, 0, set);
	} else {
		ret = box->kind->control ? start_box(box, set, state) : start_each(box, set, state);
	}
	if (ret)
		nthw_box_stop(box, set, state);
	return ret;
}

/* ---- stopping ---- */

static int stop_one(const struct nthw_box *box, const struct nthw_box_place *p,
		    struct nthw_box_state *state)
{
	uint64_t select, resting = state->ours[p->slot];
	int ret = nthw_box_get(box, p->select, p->index, &select);

	if (ret)
		return ret;
	if (is_same(p, select, resting | p->run_bit))
		ret = nthw_box_put(box, p->select, p->index, resting);
	else if (!is_same(p, select, resting))
		state->foreign |= p->bit;
	if (!ret)
		state->running &= ~p->bit;
	return ret;
}

static int stop_each(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state)
{
	struct nthw_box_place p;
	uint32_t i;
	int ret = 0;

	for (i = 0; i <= NTHW_BOX_FIXED; i++)
		if (set & nthw_box_bit(i) && nthw_box_find_place(box->kind, i, &p))
			ret = first(ret, stop_one(box, &p, state));
	return ret;
}

static int stop_by_register(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state)
{
	int ret = set ? change(box, box->kind->enable, set, 0) : 0;

	if (!ret)
		state->running &= ~set;
	return ret;
}

/*
 * The freeze bits of .control as they were found, unless the box was frozen and somebody counts in
 * it now: then he relies on its running. @now is what it holds.
 */
static int give_control_back(const struct nthw_box *box, uint64_t now, bool busy,
			     struct nthw_box_state *state)
{
	uint64_t bits = box->kind->freeze_bits, found = (now & ~bits) | (state->control & bits);
	int ret = 0;

	if (found != now && !(busy && is_frozen(box->kind, state->control)))
		ret = put_control(box, found);
	if (!ret)
		state->has_control = false;
	return ret;
}

/* What runs last is stopped with one write, where nobody else counts. */
static int stop_box(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state)
{
	uint64_t control;
	bool busy = true;
	int ret, error;

	if (state->running & ~set)
		return stop_each(box, set, state);
	ret = nthw_box_get(box, box->kind->control, 0, &control);
	if (ret)
		return first(ret, stop_each(box, set, state));
	error = find_others(box, state, &busy);
	ret = error;
	if (set && !busy && !is_frozen(box->kind, control)) {
		if (!state->has_control)
			state->control = control;
		state->has_control = true;
		error = put_control(box, control | box->kind->freeze_bits);
		ret = first(ret, error);
		if (!error)
			control |= box->kind->freeze_bits;
	}
	ret = first(ret, stop_each(box, set, state));
	if (state->has_control && !state->running && !ret)
		ret = give_control_back(box, control, busy, state);
	return ret;
}

int nthw_box_stop(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state)
{
	if (set & ~state->counters)
		return NTHW_EINVAL;
	set &= state->running;
	if (box->kind->enable)
		return stop_by_register(box, set, state);
	if (box->kind->control)
		return set || state->has_control ? stop_box(box, set, state) : 0;
	return stop_each(box, set, state);
}

int nthw_box_overflows(const struct nthw_box *box, uint64_t set, uint64_t *overflowed)
{
	if (set & ~nthw_box_all(box->kind))
		return NTHW_EINVAL;
	return box->kind->status ? clear_flags(box, set, overflowed) : NTHW_ENOTSUP;
}

/* ---- is it still ours? ---- */

static int check_running(const struct nthw_box *box, uint64_t running, uint64_t *lost)
{
	const struct nthw_box_kind *kind = box->kind;
	uint64_t now;
	int ret;

	if (!running || (!kind->enable && !kind->control))
		return 0;
	ret = nthw_box_get(box, kind->enable ? kind->enable : kind->control, 0, &now);
	if (ret)
		return ret;
	if (kind->enable)
		*lost |= running & ~now;
	else if (is_frozen(kind, now))
		*lost |= running;
	return 0;
}

static int check_filter(const struct nthw_box *box, uint64_t set, uint32_t f,
			const struct nthw_box_state *state, uint64_t *lost)
{
	uint64_t now, changed;
	struct nthw_box_place p;
	uint32_t i;
	int ret;

	if (!box->kind->filter[f] || !filter_needed(state, f, NTHW_BOX_SLOTS))
		return 0;
	ret = nthw_box_get(box, box->kind->filter[f], 0, &now);
	if (ret)
		return ret;
	changed = now ^ state->filter_ours[f];
	for (i = 0; i <= NTHW_BOX_FIXED; i++)
		if (set & nthw_box_bit(i) && nthw_box_find_place(box->kind, i, &p) &&
		    changed & state->filter_used[f][p.slot])
			*lost |= p.bit;
	return 0;
}

static int check_select(const struct nthw_box *box, const struct nthw_box_place *p,
			struct nthw_box_state *state, uint64_t *lost)
{
	uint64_t now, ours = state->ours[p->slot];
	int ret = nthw_box_get(box, p->select, p->index, &now);

	if (ret)
		return ret;
	if (!is_same(p, now | p->run_bit, ours | p->run_bit))
		state->foreign |= p->bit;
	if (state->running & p->bit)
		ours |= p->run_bit;
	if (!is_same(p, now, ours))
		*lost |= p->bit;
	return 0;
}

int nthw_box_check(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state,
		   uint64_t *lost)
{
	uint64_t found = set & state->foreign;
	struct nthw_box_place p;
	uint32_t i;
	int ret;

	if (set & ~state->counters)
		return NTHW_EINVAL;
	ret = check_running(box, set & state->running, &found);
	for (i = 0; !ret && i < NTHW_BOX_FILTERS_MAX; i++)
		ret = check_filter(box, set, i, state, &found);
	for (i = 0; !ret && i <= NTHW_BOX_FIXED; i++)
		if (set & nthw_box_bit(i) && nthw_box_find_place(box->kind, i, &p))
			ret = check_select(box, &p, state, &found);
	state->running &= ~state->foreign;
	if (!ret)
		*lost = found;
	return ret;
}

/* ---- giving back ---- */

/*
 * The select register holds what we wrote, or what it is given back, of which a guarded handle
 * keeps bits for itself.
 */
static bool is_own(const struct nthw_box *box, const struct nthw_box_place *p,
		   const struct nthw_box_state *state, uint64_t select)
{
	uint64_t run = p->run_bit, differ = select ^ state->select[p->slot];

	if (is_same(p, select | run, state->ours[p->slot] | run) ||
	    is_same(p, select | run, state->former[p->slot] | run))
		return true;
	if (box->is_guarded)
		differ &= nthw_reg_settable(p->select);
	return is_same(p, differ, 0);
}

/*
 * Note which of @set are somebody else's by now: where one register stops several, it stops only
 * ours.
 */
static int find_taken(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state)
{
	struct nthw_box_place p;
	uint64_t select;
	uint32_t i;
	int ret = 0, one;

	for (i = 0; i <= NTHW_BOX_FIXED; i++) {
		if (!(set & nthw_box_bit(i)) || !nthw_box_find_place(box->kind, i, &p))
			continue;
		one = nthw_box_get(box, p.select, p.index, &select);
		if (!one && !is_own(box, &p, state, select))
			state->foreign |= p.bit;
		ret = first(ret, one);
	}
	state->running &= ~state->foreign;
	return ret;
}

/* Unless it is somebody else's by now. */
static int give_counter_back(const struct nthw_box *box, const struct nthw_box_place *p,
			     struct nthw_box_state *state)
{
	uint64_t select;
	int ret = nthw_box_get(box, p->select, p->index, &select);

	if (ret)
		return ret;
	if (!is_own(box, p, state, select)) {
		state->foreign |= p->bit;
		return 0;
	}
	ret = put_back(box, p->select, p->index, state->select[p->slot]);
	return first(ret, put_back(box, p->counter, p->index, state->count[p->slot]));
}

/* What all counters share, of @set: flags that were not set, enable bits that were. */
static int give_bits_back(const struct nthw_box *box, uint64_t set,
			  const struct nthw_box_state *state)
{
	uint64_t flags;
	int ret = 0;

	if (set && box->kind->status)
		ret = clear_flags(box, set & ~state->overflow, &flags);
	if (set && box->kind->enable)
		ret = first(ret, change(box, box->kind->enable, set & ~state->enables,
					set & state->enables));
	return ret;
}

int nthw_box_release(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state)
{
	struct nthw_box_place p;
	uint32_t i;
	int ret = 0;

	if (set & ~state->counters)
		return NTHW_EINVAL;
	if (box->kind->enable || box->kind->control)
		ret = find_taken(box, set & state->running, state);
	ret = first(ret, nthw_box_stop(box, set & ~state->foreign, state));
	for (i = 0; i <= NTHW_BOX_FIXED; i++)
		if (set & ~state->foreign & nthw_box_bit(i) &&
		    nthw_box_find_place(box->kind, i, &p))
			ret = first(ret, give_counter_back(box, &p, state));
	ret = first(ret, give_bits_back(box, set & ~state->foreign, state));
	ret = first(ret, give_filters_back(box, set, state));
	if (ret)
		return ret;
	state->counters &= ~set;
	state->running &= ~set;
	state->foreign &= ~set;
	return 0;
}

int nthw_box_restore(const struct nthw_box *box, struct nthw_box_state *state)
{
	int ret = nthw_box_release(box, state->counters, state);

	if (!ret)
		memset(state, 0, sizeof(*state));
	return ret;
}
