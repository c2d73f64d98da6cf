/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * How often a function of wires was 1 in frames, from the scene alone: no truth table and no
 * counter has a part in it.
 */
#ifndef NTM_TRUTH_H
#define NTM_TRUTH_H

#include <stddef.h>
#include <stdint.h>

#include "lab/card/scene.h"

/* Events by name: core/gpu, built in. One that is a sum has several rows. */
struct ntm_card_event {
	const char *name;     /* "setup_point_count" */
	const char *function; /* "trast.1 & trast.6 & trast.7" */
	const char *amount;   /* "zcull_in.0 zcull_in.1", lowest bit first; "": one a clock */
	uint32_t families;    /* bit f: enum nthw_nv_family f has it so */
};
extern const struct ntm_card_event ntm_card_events[];
extern const size_t ntm_card_event_count;

/*
 * Clocks in frames @first to @last of @scene, and in @busy clocks of a card that draws all the
 * time, in which @text was 1, or the sum of its amounts. @text is an event, or a function of wires
 * of one domain with "!", "&", "|" and parentheses; "d1:" may stand before it, and "; amount
 * WIRE..." behind it: what is added in each of these clocks, the lowest bit first. Of a signal of
 * multiprocessors alone ("mp.branch") it is the sum over all that the board has. " in NAME" behind
 * all that: while this context runs; frames without one run in @context. 0, -ENOMEM, or -EINVAL
 * with a sentence in @why.
 */
int ntm_truth(const char *text, const struct ntm_scene *scene, const char *context, uint32_t first,
	      uint32_t last, uint64_t busy, uint64_t *clocks, char *why, size_t bytes);

#endif
