// SPDX-License-Identifier: MIT
/* What the records of a trace tell of its devices, for the lines of mmiotrace. */
#include <string.h>

#include "trace/lib/write/mm.h"
#include "trace/lib/write/nvidia.h"

/* A line PCIDEV of the trace. */
void nti_mm_learn_pcidev(struct nti_mm *s, const struct ntime_record *r, const char *text)
{
	struct nti_place *p = r->device == NTIME_DEVICE_NONE ? NULL : nti_mm_place(s, r->device);
	struct nti_pcidev d;

	s->is_native = true;
	if (!p || !nti_pcidev_parse(text, strlen(text), &d))
		return;
	nti_place_pcidev(&s->places, p, &d);
	nti_mm_forget(s, p, UINT32_MAX);
}

bool nti_mm_is_learnt(const struct ntime_record *r)
{
	return r->kind == NTIME_RECORD_CONFIG_READ || r->kind == NTIME_RECORD_CONFIG_WRITE ||
	       r->kind == NTIME_RECORD_REGION || r->kind == NTIME_RECORD_MMAP;
}

/* The identification of a chip, read from it. All ones come from a card that sleeps. */
static bool is_boot0(const struct ntime_record *r)
{
	return r->region == 0 && !r->offset && r->kind == NTIME_RECORD_READ && r->width == 4 &&
	       r->flags & NTIME_RECORD_VALUED && (uint32_t)r->value != UINT32_MAX;
}

/* What an access tells of the vendor. */
void nti_mm_learn_vendor(const struct nti_mm *s, struct nti_place *p, const struct ntime_record *r)
{
	if (s->has_lists || (is_boot0(r) && nti_nvidia_is_boot0((uint32_t)r->value)))
		p->is_nvidia = true;
}

static void look_access(struct nti_mm *s, const struct ntime_record *r)
{
	struct nti_place *p;
	struct nti_place_region *region;
	struct nti_mm_ahead *a;

	if (r->region >= NTI_PLACE_REGIONS)
		return;
	p = nti_mm_index(r->device) < s->places.n && s->places.list[nti_mm_index(r->device)].is_seen
		    ? &s->places.list[nti_mm_index(r->device)]
		    : nti_mm_place(s, r->device);
	if (!p)
		return;
	region = &p->region[r->region];
	if (r->offset + r->width > region->used && r->offset + r->width > r->offset)
		region->used = r->offset + r->width;
	a = &s->ahead[p - s->places.list];
	a->accessed |= 1u << r->region;
	nti_mm_learn_vendor(s, p, r);
	if (is_boot0(r) && !a->boot0)
		a->boot0 = (uint32_t)r->value;
}

/*
 * Where a BAR is when it is first accessed, is where it is for lines that come before: a guest
 * moves BARs while it starts.
 */
static void look_mark(struct nti_mm *s, const struct ntime_record *r, const char *text)
{
	struct nti_place *p;
	struct nti_place_region old[NTI_PLACE_REGIONS];
	unsigned int i;

	if (r->kind == NTIME_RECORD_PCIDEV)
		nti_mm_learn_pcidev(s, r, text);
	if (r->kind == NTIME_RECORD_MAP)
		s->is_native = true;
	s->has_lists |= r->kind == NTIME_RECORD_LIST;
	/* Where a trace has mappings, they tell. */
	if (s->is_native || !nti_mm_is_learnt(r) || r->device == NTIME_DEVICE_NONE)
		return;
	p = nti_mm_place(s, r->device);
	if (!p)
		return;
	memcpy(old, p->region, sizeof(old));
	nti_place_learn(&s->places, p, r);
	for (i = 0; i < NTI_PLACE_REGIONS; i++)
		if (s->ahead[p - s->places.list].accessed & 1u << i && old[i].is_known) {
			p->region[i].start = old[i].start;
			p->region[i].is_known = true;
		}
}

int nti_mm_look(void *state, const struct nti_trace_batch *b)
{
	struct nti_mm *s = state;
	size_t i;

	for (i = 0; i < b->n; i++) {
		const struct ntime_record *r = &b->rec[i];

		if (!s->has_time && r->flags & NTIME_RECORD_TIMED) {
			s->has_time = true;
			s->base_ns = s->last_ns = r->time_ns;
		}
		if (nti_record_is_access(r))
			look_access(s, r);
		else
			look_mark(s, r, nti_trace_text(b->text, r));
	}
	return s->error;
}

/* Which regions are ports, where accesses to them become marks. */
static uint32_t ports_of(const struct nti_mm *s, const struct nti_place *p)
{
	uint32_t ports = 0;
	unsigned int i;

	for (i = 0; i < NTI_PLACE_REGIONS && s->flags & NTIME_WRITER_IO_MARKS; i++)
		ports |= (uint32_t)nti_place_is_port(&p->region[i]) << i;
	return ports;
}

void nti_mm_learn(struct nti_mm *s, struct nti_place *p, const struct ntime_record *r)
{
	uint32_t ports = ports_of(s, p), changed = nti_place_learn(&s->places, p, r);

	nti_mm_forget(s, p, changed | (ports ^ ports_of(s, p)));
}
