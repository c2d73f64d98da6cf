/* SPDX-License-Identifier: MIT */
/**
 * DOC: Counter set-ups, recovered from traces of register accesses
 *
 * Whoever counts on NVIDIA's graphics chips writes selectors, truth tables, modes and multiplexers,
 * lets the chip work and reads counters. A deriver is fed the records of a trace, of any form, and
 * gives one row for each thing that was counted: which domain, which signals, which function of
 * them, which multiplexers and the counter that was read. Set-ups that are logically equal have
 * equal keys, in any order of their signals, the instance of the unit and the counter they use.
 * What the accesses cannot distinguish is given as a class of names; what is not in the trace is
 * unknown and said to be so.
 */
#ifndef NTIME_TRACE_DERIVE_H
#define NTIME_TRACE_DERIVE_H

#include <stddef.h>
#include <stdint.h>

#include <ntime/trace/context.h>
#include <ntime/trace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_derive;

/** enum ntime_derived_role - what a counter that was read counts */
enum ntime_derived_role {
	NTIME_DERIVED_EVENT = 0, /* a function of signals */
	NTIME_DERIVED_CLOCK = 1, /* every clock of the domain: a constant 1, or the cycle counter */
	NTIME_DERIVED_NOTHING = 2, /* a constant 0: a slot that is not in use */
	NTIME_DERIVED_UNKNOWN = 3, /* its selectors are not in the trace */
};

/* Of struct ntime_derived.flags. */
#define NTIME_DERIVED_SATURATED 0x1u /* a value is 0xffffffff: at least that many */
#define NTIME_DERIVED_OVERFLOW 0x2u  /* CTRL was read as OVERFLOW: a period was lost */
#define NTIME_DERIVED_EMPTY 0x4u     /* CTRL was read as EMPTY: no period had ended */
/* no end of a period in the trace between set-up and first read: values may be of an earlier one */
#define NTIME_DERIVED_UNTRIGGERED 0x8u
#define NTIME_DERIVED_INFERRED 0x10u /* rests on a guess, see @notes */

/*
 * Of struct ntime_derived.clocks: which period a value is of, or how long that was, is not in the
 * trace.
 */
#define NTIME_DERIVED_NO_CLOCKS UINT64_MAX

/**
 * struct ntime_derived - one thing that was counted
 * @device:	index in the trace
 * @role:	enum ntime_derived_role
 * @set:	domain of PCOUNTER, or of the unit's block from Fermi on
 * @flags:	NTIME_DERIVED_*
 * @windows:	measurements that counted this
 * @first_window, @last_window: their numbers, from 1; rows of one number were measured together
 * @reads:	values read in all
 * @min, @max, @sum, @last: of the values; @cycles: clocks of the period that @last is of
 * @is_cycles_read: @cycles is valid
 * @n_values, @values: the first values, in order
 * @chip:	"GT218"; several if the trace does not show which: "G200 GT215"; "" nothing known
 * @event:	name of the known event with this set-up; "a|b|c": one of them, the accesses are
 *		equal; "" none
 * @part:	part of that event, "0" where it has one, "-" for a class or none
 * @unit:	"PCOUNTER", "GPC", "PART", "HUB", "MP"
 * @instance:	which of them: "0", "1,2"; "TPC 1" for domains fed by a unit; "" there is one
 * @mode:	"SIMPLE", "EVENT_B4", ..., "mode 5" (not known what it does), "?" not in the trace
 * @counter:	"PRE", "START", "EVENT", "STOP", "CYCLES"; several of an MP event: "674+678"
 * @start_src, @start_op, @event_src, @event_op: as written, "0x00000002"; the slot that was read
 *	stands as event; "-" not used, "?" unknown
 * @group_sel, @extra, @mux: multiplexers as the event tables have them, absolute addresses
 * @relative:	the same relative to their unit: "TPC+0x508=0x00000800&0x00000800"
 * @changed:	which bits of the multiplexers of @relative had another value before:
 *		"0x140028=0x00000fff", "0x140028=?" where the trace does not show what was there;
 *		of the first measurement; "-" none
 * @logic:	for people: "MPC.0c.0 | MPC.0c.1"
 * @key:	equal exactly for set-ups that are logically equal and whose multiplexers are known
 *		alike; see ntime_derived_is_equal()
 * @notes:	sentences separated by "; ", "-" none
 * @origin:	lines "PART: access N (list M): ADDRESS = VALUE" each with a newline, where every
 *		part comes from
 * @windows_text: numbers of the first windows: "1,3,5"
 * @clocks:	for each of @values the clocks of its period, as the domain's cycle counter was read
 *		with it; NTIME_DERIVED_NO_CLOCKS: not in the trace
 *
 * Strings live until ntime_derive_free(), or the next ntime_derive_feed(). Since 0.1.
 */
struct ntime_derived {
	uint32_t size;
	uint32_t device;
	uint32_t role;
	uint32_t set;
	uint32_t flags;
	uint32_t windows;
	uint32_t first_window;
	uint32_t last_window;
	uint64_t reads;
	uint64_t min;
	uint64_t max;
	uint64_t sum;
	uint64_t last;
	uint64_t cycles;
	uint32_t is_cycles_read;
	uint32_t n_values;
	const uint64_t *values;
	const char *chip;
	const char *event;
	const char *part;
	const char *unit;
	const char *instance;
	const char *mode;
	const char *counter;
	const char *start_src;
	const char *start_op;
	const char *event_src;
	const char *event_op;
	const char *group_sel;
	const char *extra;
	const char *mux;
	const char *relative;
	const char *logic;
	const char *key;
	const char *notes;
	const char *origin;
	const char *windows_text;
	const uint64_t *clocks;
	const char *changed;
	uint64_t reserved[2];
};

/**
 * ntime_derive_new() - a deriver that knows nothing yet
 * @ctx:	for errors; must live as long as the deriver
 * @chip:	name of the chip ("GT218", "NVA8", the case does not matter), "BDF=CHIP" for one
 *		device of several, may hold several separated by commas; NULL: detected in the trace
 * @out:	free with ntime_derive_free()
 *
 * Return: 0; -ENOENT (no such chip; the sentence names those there are); -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_derive_new(struct ntime_trace_ctx *ctx, const char *chip,
			       struct ntime_derive **out);
NTIME_API void ntime_derive_free(struct ntime_derive *d);

/**
 * ntime_derive_feed() - the next records of a trace
 * @d:		deriver
 * @batch:	of ntime_trace_next(), in order
 * @trace:	whose devices the records name, for "BDF=CHIP" of ntime_derive_new(); may be NULL
 *
 * Memory grows with the registers that can be multiplexers and the different set-ups (both
 * bounded), not with the trace. Return: 0, -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_derive_feed(struct ntime_derive *d, const struct ntime_trace_batch *batch,
				const struct ntime_trace *trace);

/**
 * ntime_derive_end() - the trace is over: finish the last window, look for names. Return: 0,
 * -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_derive_end(struct ntime_derive *d);

/** ntime_derive_count() - rows so far, complete after ntime_derive_end(). Since 0.1. */
NTIME_API size_t ntime_derive_count(const struct ntime_derive *d);
/**
 * ntime_derive_get() - one of them, in the order in which they were first counted. Return: 0,
 * -ERANGE, -EINVAL (@out->size). Since 0.1.
 */
NTIME_API int ntime_derive_get(const struct ntime_derive *d, size_t index,
			       struct ntime_derived *out);

/**
 * ntime_derived_is_equal() - do two rows count the same?
 * @a, @b:	rows, of one or of two derivers
 *
 * Function, mode and unit must be equal; multiplexers must agree in the bits that both traces have.
 * Return: 1, 0; rows of role NTIME_DERIVED_UNKNOWN are equal to none. Since 0.1.
 */
NTIME_API int ntime_derived_is_equal(const struct ntime_derived *a, const struct ntime_derived *b);

/**
 * struct ntime_derive_counts - what was done with the records
 * @accesses:	that were looked at
 * @lists:	of register operations
 * @pairs:	lists that came as handed in and as handed back; the former were left out
 * @unpaired:	lists without a partner, taken as they are
 * @windows:	measurements
 * @left_out:	registers that changed but were too many to be multiplexers, or set-ups beyond what
 *		is kept
 *
 * Since 0.1.
 */
struct ntime_derive_counts {
	uint32_t size;
	uint32_t windows;
	uint64_t accesses;
	uint64_t lists;
	uint64_t pairs;
	uint64_t unpaired;
	uint64_t left_out;
	uint64_t reserved[4];
};

/** ntime_derive_get_counts() - how it went. Return: 0, -EINVAL (@out->size). Since 0.1. */
NTIME_API int ntime_derive_get_counts(const struct ntime_derive *d,
				      struct ntime_derive_counts *out);

#ifdef __cplusplus
}
#endif
#endif
