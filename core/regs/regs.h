/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Every table of rows. */
#ifndef NTHW_REGS_H
#define NTHW_REGS_H

#include "core/base/reg.h"

/* Model-specific registers of x86 processors: architectural PMU, clocks, temperature, energy. */
extern const struct nthw_table nthw_x86;

/* All of them, for who looks for a row by name or checks them. */
extern const struct nthw_table *const nthw_tables[];
extern const size_t nthw_table_count;

#endif
