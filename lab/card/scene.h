/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Scenes: text that says what a card that is a model works on. count/docs/gpu.md describes the
 * form:
 *
 *     seed 7
 *     frame 3 times
 *       context a
 *       gap 100-2000
 *       draw 1-60 primitives
 *       clocks 20 trast.1 zcull_in=37 d2.0x40 mp.branch mp1.u4.0x04
 *       busy 1000
 *     between
 *       gap 50
 *
 * Frames follow one another as they are written, and begin anew behind the last one. What is a
 * range is chosen in each frame anew, by the seed and the frame's number alone.
 */
#ifndef NTM_SCENE_H
#define NTM_SCENE_H

#include "core/regs/nv50_wires.h"
#include "core/models/nv50_card.h"
#include "core/models/nv50_mp.h"

/* Of a number in a scene, and of the clocks of a frame. */
#define NTM_SCENE_NUMBER_MAX UINT64_C(1000000000000)

struct ntm_scene;

/* Wires of units: wire w of nthw_nv_wires[i] is bit w of .of[i]. No unit has more than eight. */
#define NTM_WIRE_UNITS 64
struct ntm_wire_set {
	uint8_t of[NTM_WIRE_UNITS];
};

/* Wires of nthw_nv_wires[.row] that are 1 in one TPC or partition, beside those of all. */
#define NTM_OWN_MAX 16
struct ntm_own {
	uint8_t row, unit, bits;
	bool is_first; /* of the board */
};

/* Clocks of each domain, in which the same wires are 1. */
struct ntm_stretch {
	uint64_t clocks;
	struct ntm_wire_set wires;
	struct ntm_own own[NTM_OWN_MAX];
	size_t owns;
	/*
	 * by number, whatever unit they are of; of domain 3 those below 4 are a wire of all groups
	 */
	struct ntm_nv50_wires signal;
	const char *context; /* that runs; "": none that anybody could name */
	struct ntm_mp_signals mp;
	/*
	 * functions of slots that are 1 in each MP, as ntm_nv50_context_slots() has them: whoever
	 * keeps the contexts says it
	 */
	uint8_t slots[NTM_MPS_MAX];
};

/*
 * Parse @text of @bytes for cards with @chip; @file is for sentences. 0, -EINVAL with "FILE:LINE:
 * ..." in @why, or -ENOMEM. Freed with ntm_scene_free().
 */
int ntm_scene_parse(const char *file, const char *text, size_t bytes,
		    const struct nthw_nv_chip *chip, struct ntm_scene **out, char *why,
		    size_t why_bytes);
void ntm_scene_free(struct ntm_scene *s);
/* What a card works on that was told nothing: the text of a scene. */
extern const char ntm_scene_default[];
/* Work of one frame that was published; NULL: there is none of this name. */
const char *ntm_scene_work(const char *name);

const struct nthw_nv_chip *ntm_scene_chip(const struct ntm_scene *s);
/* Number of the context of this name, in which a frame runs; 0: there is none. */
size_t ntm_scene_context(const struct ntm_scene *s, const char *name);
/* On a board with these units; all of the die without. Wires of other MPs stay 0. */
void ntm_scene_keep(struct ntm_scene *s, enum ntm_nv50_units kind, uint32_t mask);

/* The stretches of frame @number, from 1 on, and of what is between it and the next one. */
void ntm_scene_frame(const struct ntm_scene *s, uint32_t number,
		     void (*fn)(void *arg, const struct ntm_stretch *stretch), void *arg);

/* MPs of the board, as nthw_nv_all_mps() has them. */
uint32_t ntm_scene_mps(const struct ntm_scene *s);

/* A stretch of a card that draws all the time. */
struct ntm_stretch ntm_scene_busy(uint64_t clocks);

/*
 * A signal that the units of multiprocessors have: "mp.u4.0x02" is 1 in all of them, "mp1.u4.0x02"
 * in the second MP of the first TPC that has two. An event's name may stand for unit and signal:
 * "mp.branch". What is behind it goes to *@end. NULL, or why it is none.
 */
const char *ntm_mp_take(const char *text, const struct nthw_nv_chip *chip,
			struct ntm_mp_signal *out, const char **end);
/* MPs of @mps, a bit each, in which it is 1. */
uint32_t ntm_mp_high(const struct ntm_mp_signal *signal, const struct ntm_stretch *stretch,
		     uint32_t mps);

/*
 * A wire of a unit, "trast.6", also of one TPC or partition, "tpc1.prop_out.7", or a signal,
 * "d2.0x40", that @text begins with. What is behind it goes to *@end. NULL, or why it is none.
 */
struct ntm_wire {
	const struct nthw_nv_wires *unit; /* NULL: a signal */
	uint32_t domain, number;	  /* of the unit's wires, or of the domain's signals */
	/* the TPC's or partition's number + 1; 0: any, or the first */
	uint32_t of;
};
const char *ntm_wire_take(const char *text, const struct nthw_nv_chip *chip, struct ntm_wire *out,
			  const char **end);

/*
 * Is it 1 in @stretch? By its own name or that of its signal. A wire behind a multiplexer: what it
 * shows while that selects it. A signal: also by wires of units that no multiplexer moves; in
 * domain 3 signals 0 to 3 also by wires of group 0, which words without groups count.
 */
bool ntm_wire_is_high(const struct ntm_wire *wire, const struct nthw_nv_chip *chip,
		      const struct ntm_stretch *stretch);

/* @stretch as signals of @card, whose multiplexers are as they are now. */
void ntm_wires_of(const struct ntm_stretch *stretch, const struct ntm_nv50_card *card,
		  struct ntm_nv50_wires *out);

/*
 * An access of a register of @card was done, by ntm_nv50_card_peek() or _poke(): its time goes by,
 * in which the card works on nothing.
 */
void ntm_scene_pass(struct ntm_nv50_card *card);

#endif
