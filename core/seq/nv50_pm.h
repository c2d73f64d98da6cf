/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Count with PCOUNTER of a graphics chip of G80 to GT21x, through registers of BAR 0 that somebody
 * lends. Its counters have no enable bit and cannot be read while they count: a trigger ends a
 * period in all domains at once, and then registers show what that period had. So a count is a sum
 * of periods.
 *
 *     struct nthw_nv50_state state = { 0 };
 *     nthw_nv50_encode(chip, config, config1, config2, &event);  what an event's words mean
 *     counters = nthw_nv50_counters(chip, &event);                      counters that can count it
 *     nthw_nv50_identify(&pm);                                    is it there, and this chip?
 *     nthw_nv50_program(&pm, counter, &event, &state);               each event
 *     nthw_nv50_begin(&pm, &state);                               the first period begins
 *     nthw_nv50_end(&pm, &state, &period);                        it ends, and the next one begins
 *     nthw_nv50_check(&pm, &state, &lost);                        is it still what we programmed?
 *     nthw_nv50_restore(&pm, &state);
 *
 * Nobody else may do the same meanwhile, and no register shows that somebody does: who calls this
 * sees to that. All functions return 0 or a negative errno: those of struct nthw_io as they came,
 * and NTHW_EINVAL, NTHW_ENOTSUP, NTHW_EBUSY, NTHW_EIO where a register does not keep what was
 * written or reads as all ones (the card is gone), NTHW_ETIMEDOUT where a domain does not answer to
 * a trigger or an acknowledgement (its clock stands; .stuck says which). After an error nothing is
 * left changed that can be restored: what could not is still in the state, and nthw_nv50_restore()
 * tries again.
 *
 * What hardware lets nobody put back: the values of the last period and those being counted,
 * QUAD_STATE (EMPTY in the domains that we used, one step on in all others for each trigger).
 */
#ifndef NTHW_NV50_PM_H
#define NTHW_NV50_PM_H

#include "core/base/io.h"
#include "core/regs/nv50_wires.h"
#include "core/seq/nv50_mp.h"

/*
 * Inputs and their counters, in the order in which drivers have them. Counter NTHW_NV50_SLOTS * d +
 * slot of the card is that of domain d, and NTHW_NV50_CLOCKS + d counts the clocks of the domain,
 * whatever the others count; sets of them are 64 bits.
 */
enum nthw_nv50_slot {
	NTHW_NV50_PRE,
	NTHW_NV50_START,
	NTHW_NV50_EVENT,
	NTHW_NV50_STOP,
	NTHW_NV50_SLOTS,
};
#define NTHW_NV50_CLOCKS (NTHW_NV50_SLOTS * NTHW_NV_DOMAINS)
#define NTHW_NV50_COUNTERS (NTHW_NV50_CLOCKS + NTHW_NV_DOMAINS)

/*
 * Reads of a domain's CTRL after a trigger before it is given up. Who waits with interrupts off
 * asks for fewer.
 */
#ifndef NTHW_NV50_WAIT
#define NTHW_NV50_WAIT 1000
#endif

struct nthw_nv50_pm {
	const struct nthw_nv_chip *chip;
	struct nthw_io *io;
	unsigned int unit; /* for .io: its number of the card */
};

/*
 * An event that one counter counts: clocks in which a function of four signals is 1. A sum adds an
 * amount in each of them: counter EVENT has it, and START's signals are the amount's bits, so that
 * START counts nothing else.
 */
enum nthw_nv50_mode {
	NTHW_NV50_SIMPLE,
	NTHW_NV50_B4, /* four bits */
	NTHW_NV50_B6, /* and two more, which are arguments 2 and 3 of the function */
	NTHW_NV50_MODES,
};
#define NTHW_NV50_MUXES 2
/*
 * In the mode's bits of the words: no function, but a slot's signal, or the clocks of the domain.
 */
#define NTHW_NV50_MODE_SLOT 6
#define NTHW_NV50_MODE_CLOCKS 7

/* The mode in the first word of an event, as nthw_nv50_encode() takes it. */
static inline uint32_t nthw_nv50_mode(uint64_t config)
{
	return (uint32_t)(config >> 56 & 7);
}

/* Equal ones, bit by bit, are one set-up. */
struct nthw_nv50_event {
	uint32_t src;	   /* signals of the domain, a byte each */
	uint32_t function; /* truth table of 16 bits */
	uint32_t domain;
	/* multiplexers that its wires need: enum nthw_nv_mux, and bits of the register */
	uint32_t mux[NTHW_NV50_MUXES], select[NTHW_NV50_MUXES];
	/* the unit of .kind (enum nthw_nv_units) that leads its wires out, + 1; 0: the first one */
	uint32_t kind, unit;
	/* domain 3: group i is behind signals 4i to 4i + 3, bits 8i of .groups; those of .led */
	uint32_t groups, led;
	uint32_t mode;
	uint32_t amount;    /* signals of the lowest four bits; not of SIMPLE */
	uint32_t is_clocks; /* 1: clocks of .domain, and all else is 0 */
	/*
	 * 1: .slot counts in a context (core/seq/nv50_mp.h), in MP .unit - 1 of the card, or in
	 * all; all else is 0
	 */
	uint32_t is_slot;
	struct nthw_nv_mp_event slot;
};

/* What registers held before, and what we made of them; begins as zeros. */
struct nthw_nv50_domain_state {
	uint32_t ctrl, ctrl_ours;
	uint32_t spec, spec_ours; /* SPEC_SRC; not on G80 */
	uint32_t src[NTHW_NV50_SLOTS], src_ours[NTHW_NV50_SLOTS];
	uint32_t op[NTHW_NV50_SLOTS], op_ours[NTHW_NV50_SLOTS];
};
struct nthw_nv50_mux_state {
	uint32_t units;	   /* those that have it: nthw_nv_units_of() */
	uint32_t first;	   /* of those that there are */
	uint32_t leader;   /* the one that leads its wires out; the others are off */
	uint32_t select;   /* of that one */
	uint32_t counters; /* for which it is set; 0: it is as it was */
	uint32_t found[NTHW_NV_UNITS_MAX], ours[NTHW_NV_UNITS_MAX];
};
struct nthw_nv50_state {
	uint64_t counters; /* those that were programmed and not restored */
	uint64_t foreign;  /* of these: seen with somebody else's set-up; they are left alone */
	uint64_t spoilt;   /* of these: ours, but what they need is somebody else's */
	uint32_t saved;	   /* domains whose CTRL and SPEC_SRC are kept here */
	uint32_t sums;	   /* domains whose START has the amount of a sum */
	uint32_t stuck;	   /* domains that did not answer to the last trigger */
	struct nthw_nv50_domain_state domain[NTHW_NV_DOMAINS];
	struct nthw_nv50_mux_state mux[NTHW_NV_MUXES];
};

/* What a period had. */
struct nthw_nv50_period {
	uint32_t count[NTHW_NV50_COUNTERS]; /* of the counters of the state; others are 0 */
	/*
	 * of these: at least so many. A counter was full, or somebody else's trigger ended a period
	 * beside ours, whose counts are gone.
	 */
	uint64_t unsure;
};

/*
 * The event that @config, @config1 and @config2 stand for (docs/adr/0019): bits 0-31 of @config
 * four signals, 32-52 the truth table with the modifiers of EVENT and STOP, 53-55 the domain, 56-58
 * the counter mode, 59-62 a unit's number + 1 (0: the first one), 63 that it is of memory
 * partitions and not of TPCs; 0-31 of @config1 the amount's signals, 32-63 in domain 3 the groups
 * behind signals 0 to 15, of which those count that the event has a signal of; 0-4 of
 * @config2 a
 * multiplexer, 5-31 its value, 32-36 and 37-63 a second one. Of mode NTHW_NV50_MODE_CLOCKS only the
 * domain is not 0. Of mode NTHW_NV50_MODE_SLOT bits 0-7 are the signal, 32-34 the unit of the MP,
 * 35 that it is of pulses, 59-63 the MP's number + 1 (0: all), and the others 0. NTHW_EINVAL: an
 * amount of SIMPLE, or other bits of @config1, or a domain that @chip does not have, or a signal
 * behind the last one of the domain, or a value that a multiplexer cannot have, or one that the
 * chip has not, or one twice, or a unit of which the event has no multiplexer, or a slot on G80.
 * NTHW_ENOTSUP: a mode that is not named above, modifiers, or a multiplexer that
 * core/regs/nv50_wires.h does not name: no sequence is there for them.
 */
int nthw_nv50_encode(const struct nthw_nv_chip *chip, uint64_t config, uint64_t config1,
		     uint64_t config2, struct nthw_nv50_event *event);
/*
 * Does @event need multiplexer @number? What that has to select goes to *@select, in which unit to
 * *@unit: its number + 1; 0: the first one.
 */
bool nthw_nv50_wants(const struct nthw_nv50_event *event, uint32_t number, uint32_t *select,
		     uint32_t *unit);
/*
 * Counters that can count it: the four of its domain, but a sum takes EVENT, and clocks have their
 * own, which is beside any other. Of an event of a slot bit i is slot i, of a context.
 */
uint64_t nthw_nv50_counters(const struct nthw_nv_chip *chip, const struct nthw_nv50_event *event);
/* The counter that a sum takes besides; 0: none. */
uint64_t nthw_nv50_also(const struct nthw_nv50_event *event);
/* Do they need no multiplexer with two values, or in two units? */
bool nthw_nv50_can_share(const struct nthw_nv50_event *a, const struct nthw_nv50_event *b);
/* MPs whose wires @event is made of, by their groups in domain 3; 0: it has none. */
uint32_t nthw_nv50_mps(const struct nthw_nv_chip *chip, const struct nthw_nv50_event *event);
/*
 * Of which kind (enum nthw_nv_units) a card lacks the unit that @event needs, where NTHW_NV_UNITS
 * reads as @units; NTHW_NV_GRAPH: it lacks none.
 */
uint32_t nthw_nv50_missing(const struct nthw_nv_chip *chip, const struct nthw_nv50_event *event,
			   uint32_t units);
/* Is it made of what slots of MPs see (groups MPx_FUNC), which contexts set up? */
bool nthw_nv50_shows_slots(const struct nthw_nv_chip *chip, const struct nthw_nv50_event *event);
/* After so many nanoseconds its counter may be full. */
uint64_t nthw_nv50_horizon_ns(const struct nthw_nv50_event *event);
/* Counters of all domains that @chip has. */
uint64_t nthw_nv50_all(const struct nthw_nv_chip *chip);
/* The register that counter @counter is read in, for its name; its instance in *@index. */
const struct nthw_reg *nthw_nv50_counter(const struct nthw_nv_chip *chip, uint32_t counter,
					 uint32_t *index);

/*
 * Does PMC.BOOT_0 tell that it is .chip? NTHW_ENOTSUP: another one; NTHW_EIO: it reads as all ones.
 */
int nthw_nv50_identify(const struct nthw_nv50_pm *pm);

/*
 * Let @counter count @event, in periods that PM_TRIGGER ends (QUAD mode). One that @state has
 * already is programmed anew. NTHW_EINVAL: no counter of the event's domain. NTHW_EBUSY: the
 * counter, or all that @state has of its domain, is noted as foreign, or another counter needs
 * one of its multiplexers with another value or in another unit, or a sum has the counter, or
 * another event the START that a sum needs. NTHW_ENOTSUP: the card has no such unit. After another
 * error @state does not have the counter, unless it could not be restored: then program or restore
 * it before anything else is called.
 */
int nthw_nv50_program(const struct nthw_nv50_pm *pm, uint32_t counter,
		      const struct nthw_nv50_event *event, struct nthw_nv50_state *state);
/* A period begins now; what was counted before is gone. */
int nthw_nv50_begin(const struct nthw_nv50_pm *pm, struct nthw_nv50_state *state);
/*
 * The period ends, and the next one begins with the same clock. One trigger (two accesses), and at
 * most a read for each counter and four accesses for each domain if none has to be waited for.
 * After an error the period's counts are gone, and the next one has begun or not.
 */
int nthw_nv50_end(const struct nthw_nv50_pm *pm, struct nthw_nv50_state *state,
		  struct nthw_nv50_period *period);
/*
 * Counters whose set-up is no longer ours: their registers, their domain's and their multiplexer's
 * are compared. Reads only. They are noted in @state: what somebody else has changed is not put
 * back, and of what counts something else because of it the rest is.
 */
int nthw_nv50_check(const struct nthw_nv50_pm *pm, struct nthw_nv50_state *state, uint64_t *lost);
/*
 * Put everything back; @state is all zeros then. After an error all else has been written, but for
 * CTRL of a domain one of whose counters failed, as it has to come last, and multiplexers that such
 * a counter needs; @state still has what could not be restored, and it can be tried again.
 */
int nthw_nv50_restore(const struct nthw_nv50_pm *pm, struct nthw_nv50_state *state);

#endif
