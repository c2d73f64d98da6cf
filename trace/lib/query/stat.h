/* SPDX-License-Identifier: MIT */
/* The inside of a table of registers: who counts and who reports share it. */
#ifndef NTI_TRACE_STAT_H
#define NTI_TRACE_STAT_H

#include <ntime/trace/stat.h>

#include "trace/lib/query/stat_rows.h"
#include "trace/lib/query/tally.h"

/* Of threads: accesses that none is told of. */
#define NTI_NO_THREAD ((uint64_t)1 << 32)

/**
 * struct ntime_trace_stat - the table
 * @values:	of all registers
 * @threads:	accesses of each
 * @rest:	accesses of each region that found no row
 * @kinds:	records that are no accesses
 */
struct ntime_trace_stat {
	struct nti_stat_rows rows;
	struct nti_values values;
	struct nti_tally threads, rest;
	uint64_t kinds[NTIME_RECORD_KINDS];
};

/* Bits of the low bytes; 0 of none. */
extern const uint64_t nti_stat_bits[16];

#endif
