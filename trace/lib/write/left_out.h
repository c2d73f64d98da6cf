/* SPDX-License-Identifier: MIT */
/* What a form has no place for, counted while a trace is written, and told at its end. */
#ifndef NTI_TRACE_LEFT_OUT_H
#define NTI_TRACE_LEFT_OUT_H

#include <stdint.h>

#include <ntime/trace/trace.h>

/* Beside whole records: parts of those that were written. */
enum nti_left_out_part {
	NTI_LEFT_OUT_MASK = NTIME_RECORD_KINDS, /* which bits a write changes */
	NTI_LEFT_OUT_TEXT,			/* what else the line of an access had */
	NTI_LEFT_OUT_END,			/* of a text that is too long */
	NTI_LEFT_OUTS,
};

/* Zeroed at first. By enum ntime_record_kind and enum nti_left_out_part. */
struct nti_left_out {
	uint64_t count[NTI_LEFT_OUTS];
};

/* A record is left out; those that ntime made up itself are nothing. */
void nti_left_out_add(struct nti_left_out *l, const struct ntime_record *r);

/* As ntime_trace_writer_warnings(). */
int nti_left_out_warn(const struct nti_left_out *l,
		      int (*fn)(void *arg, const char *sentence, const char *remedy,
				uint64_t count),
		      void *arg);

#endif
