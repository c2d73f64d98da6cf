/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Count with a box of counters outside of the cores - a memory channel, a slice of the last level
 * cache, the uncore of a socket - or read counters that always run, through registers that somebody
 * lends. What differs between boxes is data (struct nthw_box_kind, boxes.c); the order of accesses
 * is here, once.
 *
 *     struct nthw_box_state state = { 0 };
 *     nthw_box_encode(box.kind, config, config1, 0, &event);  what perf's words mean for the
 *                                                             registers
 *     counters = nthw_box_counters(box.kind, &event);          counters that can count it
 *     nthw_box_discover(&box, &all);                     which counters exist
 *     nthw_box_find_free(&box, all, &free);              and nobody has enabled
 *     nthw_box_program(&box, 2, &event, &state);         each counter; stands still, at 0
 *     nthw_box_start(&box, state.counters, &state);
 *     nthw_box_read(&box, 2, &count);
 *     nthw_box_check(&box, state.counters, &state, &lost);    is it still what we programmed?
 *     nthw_box_stop(&box, state.counters, &state);
 *     nthw_box_restore(&box, &state);
 *
 * Others' bits are never changed: registers that counters share are read, changed in our bits and
 * written. Nobody else may do the same meanwhile; who calls this sees to that (a lock between
 * programs, ntime.ko's files). No interrupt is ever enabled. All functions return 0 or a negative
 * errno: those of struct nthw_io as they came, and NTHW_EBUSY, NTHW_EINVAL, NTHW_ENOTSUP,
 * NTHW_ENODATA, and NTHW_EIO where a register does not keep what was written. After an error
 * nothing is left changed that can be restored: what could not, is still in the state, and
 * nthw_box_restore() tries again.
 *
 * Two things hardware does not let us put back: a flag of overflow that was set before the counter
 * was started, and what .is_guarded leaves to the handle.
 */
#ifndef NTHW_BOX_H
#define NTHW_BOX_H

#include "core/base/io.h"

#define NTHW_BOX_COUNTERS_MAX 31
#define NTHW_BOX_FILTERS_MAX 2
#define NTHW_BOX_SLOTS (NTHW_BOX_COUNTERS_MAX + 1)

/* Counters are bits of a set: counter n is bit n, the fixed counter, where there is one, bit 32. */
#define NTHW_BOX_FIXED 32

/*
 * A counter, or a state, that is there to be read: nothing has to be programmed. Number n of .free
 * is counter n.
 */
struct nthw_box_free {
	const char *name; /* "energy-pkg": what the event is called */
	uint64_t config;  /* what perf's PMU of that name calls it, or we do where there is none */
	const struct nthw_reg *reg;
	const struct nthw_field *field; /* of .reg; its width is the counter's */
	const struct nthw_field *valid; /* of .reg: 1 while .field can be believed; NULL: always */
	/* tells how things are now (a temperature, a bit): it neither counts nor wraps */
	bool is_state;
	bool has_unit; /* counts in 2^-.unit_bits J whatever .energy_unit of the kind says */
	uint8_t unit_bits;
};

/* Events that only some counters count: those of which select & .mask is .value. */
struct nthw_box_limit {
	uint64_t mask, value;
	uint64_t counters;
};

/* Events that depend on bits of the filters, the same way. */
struct nthw_box_filter_rule {
	uint64_t mask, value;
	uint64_t used[NTHW_BOX_FILTERS_MAX];
};

/* What is meant when none of the bits .unless is given: .clear is cleared, .set is set. */
struct nthw_box_default {
	uint64_t unless, clear, set;
};

/*
 * What a kind of box is like. Rows name registers; instance n of .select and .counter belongs to
 * counter n. A row that is NULL: no such register. Addresses of box number k are those of the rows
 * plus k times .step.
 */
struct nthw_box_kind {
	const char *name; /* ours: "nhm_uncore", "skx_cha" */
	const char *
		/*
		 * Linux' perf PMU of such boxes, without number: "uncore", "uncore_cha", "amd_l3"
		 */
		unit;
	const char *source; /* where the order of accesses is documented */
	enum nthw_space space;
	enum nthw_scope
		/*
		 * of what there is one (of each number): NTHW_SCOPE_DEVICE for boxes that are PCI
		 * functions
		 */
		scope;
	const struct nthw_table *table;
	uint32_t boxes, step; /* most boxes of a package, addresses from box to box; 1, 0 for one */
	uint32_t counters;    /* most of them; 0: as many as .select has instances */

	const struct nthw_reg *select, *counter;
	const struct nthw_reg *fixed_select, *fixed_counter;
	const struct nthw_reg
		*enable; /* lets counters run, a bit each, beside the enable bit of their own */
	const struct nthw_reg *status,
		/* overflow flags, a bit each, and what clears them; may be one row that is RW1C */
		*clear;
	const struct nthw_reg *control;			     /* stops the whole box */
	const struct nthw_reg *filter[NTHW_BOX_FILTERS_MAX]; /* shared by the counters of the box */
	uint32_t width, fixed_width;			     /* bits in which counters count */
	uint64_t event_bits; /* of the select register: what an event may choose */
	uint64_t run_bit;    /* of it: enables the counter */
	uint64_t
		/* of it: written as 1 when an event is selected, reads 0 (queue occupancy) */
		reset_bits;
	uint64_t fixed_run_bit;
	uint64_t fixed_event; /* what perf's config is of the event that the fixed counter counts */
	uint64_t freeze_bits; /* of .control: all of them set, the box stands */
	uint64_t freeze_bit;  /* of these: the one that is cleared to let it run */
	uint64_t filter_bits[NTHW_BOX_FILTERS_MAX];
	uint64_t events_per_us; /* no event of such a box is faster, which tells a wrap from none */

	const struct nthw_box_limit *limit;
	const struct nthw_box_filter_rule *filter_rule;
	const struct nthw_box_default *defaults;
	uint32_t limits, filter_rules, default_count;

	const struct nthw_box_free *free; /* instead of all that: counters that always run */
	uint32_t frees;
	/* Of energy: counts are in 2^-n J, n being this field of this register. */
	const struct nthw_reg *energy_unit;
	const struct nthw_field *energy_field;
};

struct nthw_box {
	const struct nthw_box_kind *kind;
	struct nthw_io *io;
	unsigned int unit; /* for .io: a CPU, or the handle's number of a PCI function */
	uint32_t number;   /* which box of its kind, of those that .kind->step tells apart */
	/*
	 * Who lends the registers lets bits of NTHW_OS_CLEAR be cleared, not set, and puts them
	 * back itself: ntime.ko. Then restoring leaves them to the handle.
	 */
	bool is_guarded;
};

/* What to count, as registers have it. Bits that are none of the kind's are refused. */
struct nthw_box_event {
	uint64_t select; /* of the fixed counter 0; of a counter that always runs its .config */
	uint64_t filter[NTHW_BOX_FILTERS_MAX];
	uint64_t filter_used
		/* bits of the filter that the event depends on; 0: it does not care */
		[NTHW_BOX_FILTERS_MAX];
	bool is_fixed; /* the fixed counter's */
};

/*
 * What registers held before, and what we made of them; begins as zeros. Caller's storage, one a
 * box. Arrays by slot: the counter's number, and the last one for the fixed counter.
 */
struct nthw_box_state {
	uint64_t counters; /* those that were programmed and not restored */
	uint64_t running;  /* of these: started and not stopped */
	uint64_t enables;  /* of these: enabled in .enable before */
	uint64_t overflow; /* of these: flag was set before */
	uint64_t foreign;  /* of these: seen with somebody else's event; they are left alone */
	uint64_t select[NTHW_BOX_SLOTS], count[NTHW_BOX_SLOTS];
	uint64_t ours[NTHW_BOX_SLOTS];	 /* select registers as they read back while ours stand */
	uint64_t former[NTHW_BOX_SLOTS]; /* what they read before we wrote that */
	uint64_t filter_used[NTHW_BOX_FILTERS_MAX][NTHW_BOX_SLOTS]; /* bits that its event needs */
	uint64_t filter[NTHW_BOX_FILTERS_MAX];			    /* as found */
	uint64_t filter_ours[NTHW_BOX_FILTERS_MAX];		    /* as we left it */
	uint64_t filter_changed[NTHW_BOX_FILTERS_MAX]; /* bits that we changed; 0: as found */
	uint64_t control; /* what it must be given back; of use with .has_control */
	bool has_control;
};

/* Kinds, all of them; core/seq/boxes.c. */
extern const struct nthw_box_kind *const nthw_box_kinds[];
extern const size_t nthw_box_kind_count;
/* Ours, by .name; NULL: none is called so. */
const struct nthw_box_kind *nthw_box_kind(const char *name);

/* Address of register @reg, instance @index, of this box. */
static inline uint32_t nthw_box_address(const struct nthw_box *box, const struct nthw_reg *reg,
					uint32_t index)
{
	return nthw_reg_addr(reg, index) + box->number * box->kind->step;
}
/*
 * Where counter @counter is read; NULL without such a counter. The instance of the row in *@index.
 */
const struct nthw_reg *nthw_box_counter(const struct nthw_box_kind *kind, uint32_t counter,
					uint32_t *index);
/* Bits in which counter @counter counts; 0 without such a counter. */
uint32_t nthw_box_width(const struct nthw_box_kind *kind, uint32_t counter);
/* Counter @counter tells how things are, instead of counting. */
bool nthw_box_is_state(const struct nthw_box_kind *kind, uint32_t counter);

/*
 * The event that perf's attr.config and .config1 stand for, as the formats of Linux' PMU of that
 * name have them, with the defaults that its driver puts in. NTHW_EINVAL: bits that are none of an
 * event of such a box.
 */
int nthw_box_encode(const struct nthw_box_kind *kind, uint64_t config, uint64_t config1,
		    struct nthw_box_event *event);
/* Counters that can count it, of those that the kind has room for; 0: none. */
uint64_t nthw_box_counters(const struct nthw_box_kind *kind, const struct nthw_box_event *event);

/*
 * Counters that exist: their registers can be read. NTHW_ENOTSUP: none, there is no such box.
 * Errors other than the hardware's refusal of a register (-EIO, -ENXIO) are returned.
 */
int nthw_box_discover(const struct nthw_box *box, uint64_t *counters);
/* Of @counters, those that nobody has enabled now. Of counters that always run: all. */
int nthw_box_find_free(const struct nthw_box *box, uint64_t counters, uint64_t *free);
/* Counter @counter counts in steps of 2^-*@bits J. NTHW_ENOTSUP: it counts no energy. */
int nthw_box_energy_bits(const struct nthw_box *box, uint32_t counter, uint32_t *bits);

/*
 * Select what @counter counts, standing still and at 0, and keep in @state what was there.
 * NTHW_EBUSY: somebody has it enabled, or needs another value in a filter (a counter of ours, or
 * any in a box where somebody else counts). One that @state has already, and that stands, is
 * programmed anew. NTHW_EINVAL: no such counter, one that runs, or bits that are none of an event
 * that it can count. After an error
 * @state does not have the counter, unless it could not be restored.
 */
int nthw_box_program(const struct nthw_box *box, uint32_t counter,
		     const struct nthw_box_event *event, struct nthw_box_state *state);
/*
 * Start @set, or go on. With one write where the box has an enable register or can be frozen and is
 * nobody else's; else one after the other. NTHW_EBUSY: the whole box stands and somebody has
 * counters enabled in it that would run then, or has taken one of ours. NTHW_EINVAL: a counter
 * that @state does not have.
 */
int nthw_box_start(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state);
/* Counts stay. After an error the rest has been stopped all the same. */
int nthw_box_stop(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state);
/* NTHW_ENODATA: hardware says that there is no valid value now. */
int nthw_box_read(const struct nthw_box *box, uint32_t counter, uint64_t *value);
/*
 * Which of @set wrapped since started or asked last; clears their flags. NTHW_ENOTSUP where no
 * register tells.
 */
int nthw_box_overflows(const struct nthw_box *box, uint64_t set, uint64_t *overflowed);
/*
 * Which of @set somebody else has stopped or programmed since. Reads only. Those that were
 * programmed are noted in @state: from then on they are their new owner's, and neither stopped nor
 * put back.
 */
int nthw_box_check(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state,
		   uint64_t *lost);
/*
 * Stop counters @set of @state and put them back; a filter when none of those left needs it. After
 * an error all else has been written, @state still has what could not be restored, and it can be
 * tried again.
 */
int nthw_box_release(const struct nthw_box *box, uint64_t set, struct nthw_box_state *state);
/* The same with all of them; @state is all zeros then. */
int nthw_box_restore(const struct nthw_box *box, struct nthw_box_state *state);

#endif
