/* SPDX-License-Identifier: MIT */
/* Which file code is of, and the record that counts it. */
#ifndef NTE_WHERE_H
#define NTE_WHERE_H

#include <stdbool.h>

#include "emulator/counts.h"

/*
 * The record of the block at @address of this process. Not to be called by two threads at once.
 */
struct nte_block *nte_where_block(struct nte_counts *counts, const void *address,
				  size_t instructions, bool has_branch);
/* The process has mapped or unmapped something. */
void nte_where_forget(void);

#endif
