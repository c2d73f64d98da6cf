/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Register access lent by the caller: a driver, a device file, a model, or something that records what passes through. */
#ifndef NTHW_IO_H
#define NTHW_IO_H

#include "core/base/base.h"

struct nthw_io;

/*
 * Every member that is set works from any context its lender allows; a member that is NULL is a kind of register the lender cannot
 * reach. Embed this struct first in your own. All functions return 0 or a negative errno: -EIO when the hardware refuses the
 * register, -ENXIO when @cpu is not there, others as the lender says. *@value is written only on success.
 *
 * Further spaces (PCI configuration, memory) get their pair of functions when something uses them.
 */
struct nthw_io {
	int (*rdmsr)(struct nthw_io *io, unsigned int cpu, uint32_t address, uint64_t *value);
	int (*wrmsr)(struct nthw_io *io, unsigned int cpu, uint32_t address, uint64_t value);
};

#endif
