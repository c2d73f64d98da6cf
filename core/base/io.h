/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Register access lent by the caller: a driver, a device file, a model, or something that records
 * what passes through.
 */
#ifndef NTHW_IO_H
#define NTHW_IO_H

#include "core/base/reg.h"

struct nthw_io;

/*
 * Errors that core/ gives itself. The numbers are Linux', written out because core/ has no errno.h;
 * core/tests/core compares them.
 */
enum nthw_error {
	NTHW_EIO = -5,
	NTHW_ENXIO = -6,
	NTHW_EBUSY = -16,
	NTHW_EINVAL = -22,
	NTHW_ENODATA = -61,
	NTHW_ENOTSUP = -95,
	NTHW_ETIMEDOUT = -110,
	NTHW_ESTALE = -116,
};

/*
 * Embed this struct first in your own. @unit is the CPU for spaces that each CPU has; for devices
 * it is a number of the handle's. All functions return 0 or a negative errno: -EIO when the
 * hardware refuses the register, -ENXIO when @unit is not there, -ENOTSUP for a space that the
 * handle cannot reach, others as the handle says. *@value is written only on success.
 *
 * @address stands for the whole register whose row begins there, in the row's width. A handle that
 * has to take it in pieces (configuration space gives 32 bits at a time) reads until its pieces
 * belong together - upper half, lower half, the same upper half - because a counter counts
 * meanwhile; it writes the upper half first: what lets a counter count is in the lower half of its
 * select register, and then all of its event is there.
 */
struct nthw_io {
	int (*read)(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		    uint64_t *value);
	int (*write)(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t value);
};

#endif
