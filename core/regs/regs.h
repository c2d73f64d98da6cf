/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Every table of rows. */
#ifndef NTHW_REGS_H
#define NTHW_REGS_H

#include "core/base/reg.h"

/* Model-specific registers of x86 processors, ascending by address. */
extern const struct nthw_reg *const nthw_x86_regs[];
extern const size_t nthw_x86_reg_count;

#endif
