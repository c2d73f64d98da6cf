// SPDX-License-Identifier: MIT
/* What of a trace is wanted: two sets of conditions, one that must hold and one that must not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/regs/nv50_chip.h"
#include "base/common/compiler.h"
#include "base/common/text.h"
#include "trace/lib/base/context.h"
#include "trace/lib/base/device.h"
#include "trace/lib/filter/filter.h"
#include "trace/lib/filter/terms.h"

/* What is known of a device's name, see fit of struct nti_filter_view. */
#define FIT_KNOWN 1u
#define FIT_WANTED 2u
#define FIT_UNWANTED 4u

/* So many are compared one by one: that has no branch to be foreseen. */
#define FEW_RANGES 8

struct nti_filter_view {
	const struct ntime_trace_filter *f;
	struct nti_trace_devices *devices;
	bool all_marks;
	uint64_t first_ns;
	uint64_t accesses;			/* that came through */
	const struct ntime_trace_device *known; /* device number @last */
	uint16_t last;
	uint8_t fit[NTIME_DEVICE_NONE + 1]; /* by device */
};

struct nti_filter_view *nti_filter_view_new(const struct ntime_trace_filter *f,
					    struct nti_trace_devices *devices, bool all_marks)
{
	struct nti_filter_view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->f = f;
	v->devices = devices;
	v->all_marks = all_marks;
	v->last = NTIME_DEVICE_NONE;
	return v;
}

void nti_filter_view_free(struct nti_filter_view *v)
{
	free(v);
}

static bool fits_any_name(const struct nti_terms *s, const struct ntime_trace_device *d)
{
	size_t i;

	for (i = 0; i < s->globs; i++) {
		if (nti_trace_device_fits(d->name, s->glob[i]))
			return true;
	}
	return false;
}

static uint8_t __attribute__((noinline)) learn_device(struct nti_filter_view *v, uint16_t device)
{
	const struct ntime_trace_device *d = nti_trace_device_at(v->devices, device);
	uint8_t fit = FIT_KNOWN;

	if (d && fits_any_name(&v->f->wanted, d))
		fit |= FIT_WANTED;
	if (d && fits_any_name(&v->f->unwanted, d))
		fit |= FIT_UNWANTED;
	v->fit[device] = fit;
	return fit;
}

static inline uint8_t device_fit(struct nti_filter_view *v, uint16_t device)
{
	uint8_t fit = v->fit[device];

	return fit ? fit : learn_device(v, device);
}

/*
 * Registers of ntime's own rows are NVIDIA's: what a device of another vendor has there is
 * something else.
 */
static bool may_have_rows(struct nti_filter_view *v, uint16_t device)
{
	if (device != v->last) {
		v->known = nti_trace_device_at(v->devices, device);
		v->last = device;
	}
	return !v->known || !v->known->vendor_device ||
	       v->known->vendor_device >> 16 == NTHW_NV_VENDOR;
}

/*
 * Of ranges in order: the last one that begins at @last or before, in @region or one before that.
 */
static bool fits_sorted(const struct nti_range *range, size_t n, uint32_t region, uint64_t first,
			uint64_t last)
{
	const struct nti_range *r;
	size_t low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		r = &range[middle];
		if (r->region < region || (r->region == region && r->first <= last))
			low = middle + 1;
		else
			high = middle;
	}
	return low && range[low - 1].region == region && range[low - 1].last >= first;
}

static bool fits_address(struct nti_filter_view *v, const struct nti_terms *s,
			 const struct ntime_record *r)
{
	uint64_t last = r->offset + (r->width ? r->width - 1u : 0);
	/*
	 * What the region is called in ranges of ntime's own rows; that of any other one where the
	 * device has none of them.
	 */
	uint32_t own = r->region;
	bool fits = false;
	size_t i;

	if (last < r->offset)
		last = UINT64_MAX;
	if (s->own < s->ranges && may_have_rows(v, r->device))
		own |= NTI_OWN_ROWS;
	if (s->ranges > FEW_RANGES)
		return fits_sorted(s->range, s->any, r->region, r->offset, last) ||
		       fits_sorted(s->range + s->any, s->own - s->any, NTI_ANY_REGION, r->offset,
				   last) ||
		       fits_sorted(s->range + s->own, s->ranges - s->own, own, r->offset, last);
	for (i = 0; i < s->ranges; i++) {
		const struct nti_range *range = &s->range[i];

		fits |= (r->offset <= range->last) & (last >= range->first) &
			((range->region == NTI_ANY_REGION) | (range->region == r->region) |
			 (range->region == own));
	}
	return fits;
}

static bool fits_value(const struct nti_terms *s, const struct ntime_record *r)
{
	uint64_t mask = r->width && r->width < 8 ? (1ull << (8 * r->width)) - 1 : UINT64_MAX;
	bool fits = false;
	size_t i;

	for (i = 0; i < s->values; i++)
		fits |= ((r->value & mask) & s->value[i].mask) == s->value[i].value;
	return fits && r->flags & NTIME_RECORD_VALUED;
}

static bool fits_thread(const struct nti_terms *s, const struct ntime_record *r)
{
	bool fits = false;
	size_t i;

	for (i = 0; i < s->threads; i++)
		fits |= s->thread[i] == r->thread;
	return fits && r->flags & NTIME_RECORD_THREADED;
}

static bool fits_time(const struct nti_terms *s, const struct ntime_record *r, uint64_t first_ns)
{
	uint64_t since = r->time_ns - first_ns;
	bool fits = false;
	size_t i;

	/* Times that go back lie before everything that counts from the first. */
	for (i = 0; i < s->times; i++) {
		if (s->time[i].is_absolute)
			fits |= r->time_ns >= s->time[i].first && r->time_ns <= s->time[i].last;
		else
			fits |= r->time_ns >= first_ns && since >= s->time[i].first &&
				since <= s->time[i].last;
	}
	return fits && r->flags & NTIME_RECORD_TIMED;
}

static bool is_bit(uint32_t set, unsigned int bit)
{
	return bit < 32 && set >> bit & 1;
}

static bool fits_region(const struct nti_terms *s, const struct ntime_record *r)
{
	return s->region[r->region / 8] >> (r->region % 8) & 1;
}

static inline bool wanted_access(struct nti_filter_view *v, const struct ntime_record *r)
{
	const struct nti_terms *s = &v->f->wanted;
	bool keep = true;

	if (s->has & NTI_TERM_DEVICE)
		keep &= (device_fit(v, r->device) & FIT_WANTED) != 0;
	if (s->has & NTI_TERM_ADDRESS)
		keep &= fits_address(v, s, r);
	if (s->has & NTI_TERM_REGION)
		keep &= fits_region(s, r);
	if (s->has & NTI_TERM_ACCESS)
		keep &= is_bit(s->kinds, r->kind);
	if (s->has & NTI_TERM_WIDTH)
		keep &= is_bit(s->widths, r->width);
	if (s->has & NTI_TERM_VALUE)
		keep &= fits_value(s, r);
	if (s->has & NTI_TERM_THREAD)
		keep &= fits_thread(s, r);
	if (s->has & NTI_TERM_TIME)
		keep &= fits_time(s, r, v->first_ns);
	return keep;
}

static inline bool unwanted_access(struct nti_filter_view *v, const struct ntime_record *r)
{
	const struct nti_terms *s = &v->f->unwanted;

	return (s->has & NTI_TERM_DEVICE && device_fit(v, r->device) & FIT_UNWANTED) ||
	       (s->has & NTI_TERM_ADDRESS && fits_address(v, s, r)) ||
	       (s->has & NTI_TERM_REGION && fits_region(s, r)) ||
	       (s->has & NTI_TERM_ACCESS && is_bit(s->kinds, r->kind)) ||
	       (s->has & NTI_TERM_WIDTH && is_bit(s->widths, r->width)) ||
	       (s->has & NTI_TERM_VALUE && fits_value(s, r)) ||
	       (s->has & NTI_TERM_THREAD && fits_thread(s, r)) ||
	       (s->has & NTI_TERM_TIME && fits_time(s, r, v->first_ns));
}

/* Nothing speaks against a mark but its device, time and thread; what it does not have cannot. */
static bool wanted_mark(struct nti_filter_view *v, const struct ntime_record *r)
{
	const struct nti_terms *yes = &v->f->wanted, *no = &v->f->unwanted;
	bool has_device = r->device != NTIME_DEVICE_NONE;
	bool has_time = r->flags & NTIME_RECORD_TIMED,
	     has_thread = r->flags & NTIME_RECORD_THREADED;

	if (v->all_marks)
		return true;
	if (has_device &&
	    ((yes->has & NTI_TERM_DEVICE && !(device_fit(v, r->device) & FIT_WANTED)) ||
	     (no->has & NTI_TERM_DEVICE && device_fit(v, r->device) & FIT_UNWANTED)))
		return false;
	if (has_time && ((yes->has & NTI_TERM_TIME && !fits_time(yes, r, v->first_ns)) ||
			 (no->has & NTI_TERM_TIME && fits_time(no, r, v->first_ns))))
		return false;
	return !(has_thread && ((yes->has & NTI_TERM_THREAD && !fits_thread(yes, r)) ||
				(no->has & NTI_TERM_THREAD && fits_thread(no, r))));
}

void nti_filter_apply(struct nti_filter_view *v, struct nti_trace_batch *b, uint64_t first_ns)
{
	struct ntime_record *to = b->rec, *r, *end = b->rec + b->n;
	bool has_unwanted = v->f->unwanted.has != 0, keep, is_access;

	v->first_ns = first_ns;
	for (r = b->rec; r < end; r++) {
		is_access = nti_record_is_access(r);
		if (is_access) {
			keep = wanted_access(v, r);
			if (has_unwanted)
				keep = keep && !unwanted_access(v, r);
		} else {
			keep = wanted_mark(v, r);
		}
		/* Copied whether or not it stays: a branch that cannot be foreseen costs more. */
		*to = *r;
		to += keep;
		v->accesses += keep & is_access;
	}
	b->n = (size_t)(to - b->rec);
}

uint64_t nti_filter_accesses(const struct nti_filter_view *v)
{
	return v->accesses;
}
