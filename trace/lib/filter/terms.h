/* SPDX-License-Identifier: MIT */
/* The terms of a filter, taken apart. */
#ifndef NTI_TRACE_FILTER_TERMS_H
#define NTI_TRACE_FILTER_TERMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of terms: bits of struct nti_terms.has. */
#define NTI_TERM_DEVICE 0x01u
#define NTI_TERM_REGION 0x02u
#define NTI_TERM_ADDRESS 0x04u
#define NTI_TERM_ACCESS 0x08u
#define NTI_TERM_VALUE 0x10u
#define NTI_TERM_WIDTH 0x20u
#define NTI_TERM_THREAD 0x40u
#define NTI_TERM_TIME 0x80u

#define NTI_ANY_REGION 0x100u
/* With a region: registers of ntime's own rows, which devices of other vendors do not have. */
#define NTI_OWN_ROWS 0x200u

/* Bytes @first to @last of a region, or of any. */
struct nti_range {
	uint64_t first, last;
	uint32_t region;
};

struct nti_value_term {
	uint64_t value, mask;
};

struct nti_time_term {
	uint64_t first, last; /* nanoseconds */
	bool is_absolute;
};

/* All terms that are wanted, or all that are not: those of one kind are alternatives. */
struct nti_terms {
	uint32_t has;
	uint32_t kinds;	 /* bits of enum ntime_record_kind */
	uint32_t widths; /* bit n: n bytes */
	uint8_t region[32];
	char **glob;
	size_t globs;
	struct nti_range
		*range; /* sorted by region and place, none touches another of its region */
	size_t ranges, room;
	size_t any; /* of the ranges, from here on they are of any region */
	size_t own; /* and from here on of ntime's own rows */
	struct nti_value_term *value;
	size_t values;
	uint32_t *thread;
	size_t threads;
	struct nti_time_term *time;
	size_t times;
};

struct ntime_trace_filter {
	struct ntime_trace_ctx *ctx;
	struct nti_terms wanted, unwanted;
};

#endif
