/* SPDX-License-Identifier: MIT */
/* Names of registers in filters. */
#ifndef NTI_TRACE_FILTER_NAMES_H
#define NTI_TRACE_FILTER_NAMES_H

#include <ntime/trace/regdb.h>

/*
 * Call @add for each range of bytes that the registers of @text, "NAME" or "NAME@CHIP", have; its
 * region has NTI_OWN_ROWS where no chip is told and devices that are known not to be NVIDIA's do
 * not have the register there. 0; -ENOENT (with a sentence: no such register or chip); -E2BIG (they
 * are in too many places); -ENOMEM; what @add returned.
 */
int nti_filter_names(const struct ntime_regdb *db, const char *text,
		     int (*add)(void *arg, uint32_t region, uint64_t first, uint64_t last),
		     void *arg);

#endif
