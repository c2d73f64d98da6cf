/* SPDX-License-Identifier: MIT */
/*
 * nouveau as a judge of a model: it programs PCOUNTER of any card that is registers, through its
 * own messages (nvif), as a program beside the DRM would ask it to. NTIME_NOUVEAU in the
 * environment names the library; "build" sets it.
 *
 *     judge_new(boot_0, &io, &j);
 *     judge_program(j, domain, slot, mode);	a period may have begun before, with what was there
 *     judge_sample(j, domain);			the period ends, in all domains
 *     judge_read(j, domain, count, &clocks);	what it had
 *     judge_delete(j, domain);			fields of multiplexers become 0
 *     judge_free(j);
 */
#ifndef TESTS_JUDGE_H
#define TESTS_JUDGE_H

#include "lab/tests/ports/nouveau/nouveau.h"

#define JUDGE_SLOTS 4

/*
 * What an input counts: a truth table of four signals, all zeros if it is not used. @source is part
 * of the name that nouveau gives the field of a multiplexer, "vfetch" or "zcull", NULL for none,
 * and @source2 likewise; the first of the four signals that has such a field brings it.
 */
struct judge_slot {
	uint8_t signal[JUDGE_SLOTS];
	uint16_t function;
	const char *source;
	uint32_t value;
	const char *source2;
	uint32_t value2;
};

struct judge;

/*
 * All return 0 or what nouveau does, a negative errno. -ENOENT: no library is named, or nouveau has
 * no table for the chip.
 */
int judge_new(uint32_t boot_0, const struct judge_io *io, struct judge **out);
/* What nouveau says to a second one who wants to count on the same card. */
int judge_is_exclusive(struct judge *j);
/*
 * @mode is CTR_MODE. One programming a domain, in the order PRE, START, EVENT, STOP. -EINVAL: no
 * such domain, or a signal that nouveau has no name for; -ENOENT: no signal of a slot has the
 * source.
 */
int judge_program(struct judge *j, uint32_t domain, const struct judge_slot slot[JUDGE_SLOTS],
		  uint32_t mode);
int judge_sample(struct judge *j, uint32_t domain);
/* -EAGAIN: the period had no clocks. */
int judge_read(struct judge *j, uint32_t domain, uint32_t count[JUDGE_SLOTS], uint32_t *clocks);
int judge_delete(struct judge *j, uint32_t domain);
void judge_free(struct judge *j);

#endif
