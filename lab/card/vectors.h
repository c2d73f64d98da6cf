/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Test vectors of PCOUNTER as text: what happens to a domain, and what its registers read then.
 * ntime-model(1) has the form.
 *
 *     write PRE_SRC 0x03020100		before the first vector: what all of them begin with
 *     write PRE_OP 0xaaaa
 *     write CTRL 1
 *
 *     vector 1 signal 0 is 1 in clocks 3 to 7, swap in clock 10
 *     clocks 3
 *     clocks 5 0
 *     clocks 2
 *     write DEBUG_1 0x20
 *     clocks 1
 *     read CTR_PRE 5
 */
#ifndef NTM_VECTORS_H
#define NTM_VECTORS_H

#include <stddef.h>

#include "core/regs/nv50_chip.h"

struct ntm_vectors;

/* How they went. */
struct ntm_vectors_result {
	size_t vectors, failed;
	size_t runs; /* of a vector on a domain of a chip */
};

/*
 * Parse the text of a file. 0, -EINVAL with "FILE:LINE: ..." in @why, or -ENOMEM. Freed with
 * ntm_vectors_free(); @file is borrowed until then.
 */
int ntm_vectors_parse(const char *file, const char *text, size_t bytes, struct ntm_vectors **out,
		      char *why, size_t why_bytes);
void ntm_vectors_free(struct ntm_vectors *v);

/*
 * Run each on each domain of each chip that it is for. @fn is called once a vector with its name
 * and the first thing that was not as expected, "FILE:LINE: ...", or NULL. 0 or -ENOMEM.
 */
int ntm_vectors_run(const struct ntm_vectors *v,
		    void (*fn)(void *arg, const char *name, const char *wrong), void *arg,
		    struct ntm_vectors_result *result);

#endif
