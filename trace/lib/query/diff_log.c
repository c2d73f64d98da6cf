// SPDX-License-Identifier: MIT
/* One of two traces that are compared: what it does, step by step, loops of reads folded. */
#include <errno.h>
#include <stdlib.h>

#include "trace/lib/base/batch.h"
#include "trace/lib/query/diff_log.h"

/* Reads of a loop; timers of two halves, or a status beside a counter, are read in turns. */
#define LONGEST_LOOP 4

int nti_accesses_number(struct nti_accesses *all, const struct nti_access *access, uint32_t *out)
{
	*out = nti_slots_find(&all->slots, all->access, access);
	if (*out == NTI_NO_SLOT)
		*out = nti_slots_new(&all->slots, &all->access, &all->n, access);
	return *out == NTI_NO_SLOT ? -ENOMEM : 0;
}

void nti_accesses_fini(struct nti_accesses *all)
{
	free(all->access);
	free(all->slots.slot);
	*all = (struct nti_accesses){ 0 };
}

static bool resize(void *array, size_t room, size_t bytes)
{
	void **p = array, *bigger = realloc(*p, room * bytes);

	if (bigger)
		*p = bigger;
	return bigger != NULL;
}

static int grow(struct nti_diff_log *log)
{
	size_t room = log->room ? log->room + log->room / 2 : 1024;

	/* Numbers of steps are 32 bits wide. */
	if (room > UINT32_MAX || !resize(&log->id, room, sizeof(*log->id)) ||
	    !resize(&log->step, room, sizeof(*log->step)) ||
	    !resize(&log->count, room, sizeof(*log->count)) ||
	    !resize(&log->flags, room, sizeof(*log->flags)) ||
	    !resize(&log->changed, room, sizeof(*log->changed)))
		return -ENOMEM;
	log->room = room;
	return 0;
}

/* Are the last @n steps reads, and the same as the @n before? */
static bool is_loop(const struct nti_diff_log *log, size_t n)
{
	if (log->n < 2 * n)
		return false;
	for (size_t i = log->n - n; i < log->n; i++)
		if (log->id[i] != log->id[i - n] ||
		    log->all.access[log->id[i]].kind != NTIME_RECORD_READ ||
		    log->count[i] > UINT32_MAX - log->count[i - n])
			return false;
	return true;
}

/* Step @from does what step @to does; the value that was read last counts. */
static void fold(struct nti_diff_log *log, size_t to, size_t from)
{
	log->count[to] += log->count[from];
	if (!(log->flags[from] & NTIME_RECORD_VALUED))
		return;
	log->flags[to] |= NTIME_RECORD_VALUED;
	log->step[to].value = log->step[from].value;
}

static void fold_loops(struct nti_diff_log *log)
{
	for (size_t n = 1; n <= LONGEST_LOOP; n++) {
		if (!is_loop(log, n))
			continue;
		for (size_t i = log->n - n; i < log->n; i++)
			fold(log, i - n, i);
		log->n -= n;
		return;
	}
}

int nti_diff_log_add(struct nti_diff_log *log, const struct ntime_record *r, bool folds,
		     bool has_values)
{
	bool is_write = r->kind == NTIME_RECORD_WRITE;
	struct nti_access access = {
		.offset = r->offset,
		.device = r->device,
		.region = r->region,
		.width = r->width,
		.kind = r->kind,
		.is_masked = is_write && r->flags & NTIME_RECORD_MASKED,
	};
	uint64_t value = r->value & nti_width_mask(r->width);
	uint32_t id;

	if (access.is_masked)
		access.mask = r->mask;
	if (is_write && has_values)
		access.value = value;
	if (log->n == log->room && grow(log) < 0)
		return -ENOMEM;
	if (nti_accesses_number(&log->all, &access, &id) < 0)
		return -ENOMEM;
	log->id[log->n] = id;
	log->step[log->n] = (struct nti_diff_step){ r->time_ns, value };
	log->count[log->n] = 1;
	log->flags[log->n] = r->flags & (NTIME_RECORD_TIMED | NTIME_RECORD_VALUED);
	log->n++;
	log->accesses++;
	if (folds && !is_write)
		fold_loops(log);
	return 0;
}

void nti_diff_log_fini(struct nti_diff_log *log)
{
	free(log->id);
	free(log->step);
	free(log->count);
	free(log->flags);
	free(log->changed);
	nti_accesses_fini(&log->all);
	*log = (struct nti_diff_log){ 0 };
}

uint64_t nti_diff_log_bytes(const struct nti_diff_log *log)
{
	return (uint64_t)log->n * 32 + (uint64_t)log->all.n * 64;
}
