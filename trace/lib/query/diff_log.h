/* SPDX-License-Identifier: MIT */
/* One of two traces that are compared: what it does, step by step, loops of reads folded. */
#ifndef NTI_TRACE_DIFF_LOG_H
#define NTI_TRACE_DIFF_LOG_H

#include <stdbool.h>

#include <ntime/trace/trace.h>

#include "trace/lib/query/slots.h"

/**
 * struct nti_access - what makes two accesses the same
 * @value, @mask: of writes, unless values are ignored
 * @is_masked:	@mask is of meaning
 * @zero:	0, so that accesses are compared as bytes
 */
struct nti_access {
	uint64_t offset;
	uint64_t value;
	uint32_t mask;
	uint16_t device;
	uint8_t region;
	uint8_t width;
	uint8_t kind;
	bool is_masked;
	uint8_t zero[6];
};

_Static_assert(sizeof(struct nti_access) == 32, "no padding");

/* Accesses by number, each different one once. */
struct nti_accesses {
	struct nti_access *access;
	size_t n;
	struct nti_slots slots;
};

/* Number of an access, a new one if it is new. 0 or -ENOMEM. */
int nti_accesses_number(struct nti_accesses *all, const struct nti_access *access, uint32_t *out);
void nti_accesses_fini(struct nti_accesses *all);

/**
 * struct nti_diff_step - what a step has beside its number
 * @value:	of a read the last one
 */
struct nti_diff_step {
	uint64_t time_ns;
	uint64_t value;
};

/**
 * struct nti_diff_log - the trace
 * @id:		@n numbers of accesses
 * @step:	@n, with @count, how often, and @flags, NTIME_RECORD_* of the step
 * @changed:	@n, see nti_align()
 * @accesses:	how many there were before folding
 */
struct nti_diff_log {
	uint32_t *id;
	struct nti_diff_step *step;
	uint32_t *count;
	uint8_t *flags;
	uint8_t *changed;
	size_t n, room;
	uint64_t accesses;
	struct nti_accesses all;
};

/*
 * One access more. @folds: loops of reads become one; @has_values: written values matter. 0 or
 * -ENOMEM.
 */
int nti_diff_log_add(struct nti_diff_log *log, const struct ntime_record *r, bool folds,
		     bool has_values);
void nti_diff_log_fini(struct nti_diff_log *log);

/* Memory in use, roughly. */
uint64_t nti_diff_log_bytes(const struct nti_diff_log *log);

#endif
