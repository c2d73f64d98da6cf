/* SPDX-License-Identifier: MIT */
/* libpfm4's own perf_event_attr. */
#ifndef TT_PFM_PERF_H
#define TT_PFM_PERF_H

#include <stdint.h>

/* config and config1 as libpfm4's perf layer makes them; its error where it makes none. */
int tt_pfm_perf(const char *text, uint64_t config[2]);

#endif
