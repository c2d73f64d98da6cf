/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What all models agree on. A model is hardware in C: a struct ntm_NAME in the caller's storage,
 * ntm_NAME_init() with a configuration, ntm_NAME_reset(), and functions for each way in which
 * software reaches it. It knows no clock, no thread and no machine: the caller says what happened
 * (ntm_NAME_advance()) and serialises the calls.
 */
#ifndef NTM_H
#define NTM_H

#include "core/base/base.h"

/*
 * What a register access answers besides 0. The numbers are Linux' -ENOENT and -EIO, written out
 * because a model has no errno.h: they may be returned through a struct nthw_io as they are.
 */
enum ntm_answer {
	NTM_NOT_MINE = -2, /* the model has no such register: somebody else may */
	NTM_REFUSED =
		/* the model has it and hardware faults: #GP on x86, undefined instruction on ARM */
	-5,
};

#endif
