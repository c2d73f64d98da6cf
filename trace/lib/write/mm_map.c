// SPDX-License-Identifier: MIT
/*
 * Lines of mmiotrace that accesses need in front of them: devices, mappings, the identification of
 * the chip.
 */
#include <errno.h>
#include <string.h>

#include "core/regs/nv50_chip.h"
#include "trace/lib/write/mm.h"
#include "trace/lib/write/nvidia.h"

/* The upper half of a 64-bit BAR has no address of its own. */
static bool is_listed(const struct nti_place *p, unsigned int bar)
{
	const struct nti_place_region *below = &p->region[bar ? bar - 1 : 0];

	return p->region[bar].start && p->region[bar].bytes &&
	       !(bar && bar < 6 && (below->flags & 7) == 4 && !p->region[bar].used);
}

static void put_pcidev(struct nti_mm *s, const struct nti_mm_sink *k, struct nti_place *p,
		       bool is_nvidia)
{
	char *q = nti_mm_room(s, k, 2 * NTI_PCIDEV_BARS * 20);
	uint32_t id = p->vendor_device;
	unsigned int i;

	for (i = 0; i < NTI_PCIDEV_BARS; i++) {
		struct nti_mm_entry *e = &nti_mm_entries(s, p)[i];

		e->told_start = is_listed(p, i) ? p->region[i].start : 0;
		e->told_bytes = is_listed(p, i) ? p->region[i].bytes : 0;
	}
	if (!q)
		return;
	if (!id && is_nvidia)
		id = (uint32_t)NTHW_NV_VENDOR << 16;
	q = nti_put_text(q, "PCIDEV ");
	nti_put_hex8(q, p->bus_devfn << 16);
	q[4] = ' ';
	nti_put_hex8(q + 5, id);
	q = nti_put_text(q + 13, " ");
	q = nti_put_hex(q, p->irq);
	for (i = 0; i < NTI_PCIDEV_BARS; i++) {
		*q++ = ' ';
		q = nti_put_hex(q, is_listed(p, i) ? p->region[i].start | p->region[i].flags : 0);
	}
	for (i = 0; i < NTI_PCIDEV_BARS; i++) {
		*q++ = ' ';
		q = nti_put_hex(q, is_listed(p, i) ? p->region[i].bytes : 0);
	}
	q = nti_put_text(q, " \n");
	nti_mm_done(k, q);
}

/* The legacy ranges of VGA are traced without a device. */
static bool is_nobody(const struct nti_mm *s, const struct nti_place *p)
{
	return p == s->places.list;
}

/* What the line cannot say. */
static void mark_device(struct nti_mm *s, const struct nti_mm_sink *k, const struct nti_place *p,
			bool is_nvidia)
{
	unsigned int i;

	if (is_nobody(s, p))
		return;
	if (is_nvidia && !p->vendor_device)
		nti_mm_mark_format(
			s, k,
			"ntime: device %04x: the vendor is NVIDIA's because of its %s, the "
			"device is unknown",
			p->bus_devfn, s->has_lists ? "register operations" : "chip");
	for (i = 0; i < NTI_PCIDEV_BARS; i++)
		if (is_listed(p, i) && !p->region[i].is_known)
			nti_mm_mark_format(s, k,
					   "ntime: device %04x: the address of BAR %u is made up",
					   p->bus_devfn, i);
}

/* PCIDEV with everything that is known by now. */
static void announce(struct nti_mm *s, const struct nti_mm_sink *k, struct nti_place *p)
{
	bool is_nvidia = nti_place_is_nvidia(p, &s->hints);
	unsigned int i;

	if (s->is_native || is_nobody(s, p))
		return;
	/* In front of its line: a name that is no place, or one whose number another device has. */
	if (!p->is_pci || p->domain || p->bus_devfn >= 0xff00)
		nti_mm_mark_format(s, k, "ntime: device %04x is %s", p->bus_devfn, p->name);
	for (i = 0; i < NTI_PCIDEV_BARS; i++)
		if (p->region[i].used || (p->region[i].is_known && !p->region[i].bytes) ||
		    (p->region[i].has_bytes && p->region[i].bytes) || (is_nvidia && i <= 1))
			nti_places_assign(&s->places, p, i, 0, is_nvidia);
	put_pcidev(s, k, p, is_nvidia);
}

int nti_mm_begin(void *state, struct nti_trace_bytes *out)
{
	struct nti_mm *s = state;
	struct nti_mm_sink k = { .out = out };
	char *p = nti_mm_room(s, &k, 0);
	size_t i;

	if (!p)
		return -ENOMEM;
	nti_mm_done(&k, nti_put_text(p, "VERSION 20070824\n"));
	for (i = 0; i < s->places.n; i++)
		if (s->places.list[i].is_seen)
			announce(s, &k, &s->places.list[i]);
	for (i = 0; i < s->places.n && !s->is_native; i++)
		if (s->places.list[i].is_seen)
			mark_device(s, &k, &s->places.list[i],
				    nti_place_is_nvidia(&s->places.list[i], &s->hints));
	if (!s->has_time && s->places.n)
		nti_mm_mark_format(s, &k, "ntime: the trace has no times: these count its records");
	return s->error;
}

/* The chip is told before it is asked for anything else, else decoders take another's names. */
static void put_boot0(struct nti_mm *s, const struct nti_mm_sink *k, struct nti_place *p,
		      const struct nti_mm_entry *e)
{
	const struct {
		uint32_t value;
		const char *from;
	} known[] = {
		{ s->ahead[p - s->places.list].boot0, "it is read later" },
		{ p->boot0, "of the chip that was given" },
		{ nti_nvidia_boot0_of_device(p->vendor_device & 0xffff),
		  "of the PCI device's chip" },
	};
	const struct nti_hint *chip = nti_hints_find(&s->hints, NTI_HINT_CHIP, p->name);
	struct ntime_record r = { .kind = NTIME_RECORD_READ, .width = 4 };
	size_t i = 0;
	char *q;

	if (k->r && k->r->kind == NTIME_RECORD_READ && k->r->offset == 0 && k->r->width == 4)
		return;
	while (i < NTI_ARRAY_SIZE(known) && !known[i].value)
		i++;
	if (i == NTI_ARRAY_SIZE(known)) {
		nti_mm_mark_format(
			s, k,
			chip ? "ntime: device %04x: no number of the chip %s is known"
			     : "ntime: device %04x: the chip is unknown, decoders need it%s",
			p->bus_devfn, chip ? chip->name : "");
		return;
	}
	nti_mm_mark_format(s, k, "ntime: the next access is made up: %s", known[i].from);
	q = nti_mm_room(s, k, 0);
	if (!q)
		return;
	r.value = known[i].value;
	r.time_ns = k->r ? k->r->time_ns : 0;
	r.flags = k->r ? k->r->flags : 0;
	nti_mm_done(k, nti_mm_put_access(q, s, &r, e));
}

/*
 * Digits of the map and what stands around them, and how many follow in an address of @bytes from
 * the base on.
 */
void nti_mm_set_head(struct nti_mm_entry *e, uint32_t map, uint64_t bytes)
{
	char digits[64], *p = digits;
	uint64_t last = e->base + bytes - 1;

	*p++ = ' ';
	p = nti_put_dec(p, map);
	p = nti_put_text(p, " 0x");
	e->head_bytes = (uint8_t)(p - digits);
	memcpy(e->head, digits, sizeof(e->head));
	e->digits = 0;
	if (bytes && last >= e->base && nti_hex_digits(last) == nti_hex_digits(e->base))
		e->digits = (uint8_t)nti_hex_digits(last);
}

/* Mapped for the first time, or elsewhere, or longer. */
static void map_region(struct nti_mm *s, const struct nti_mm_sink *k, struct nti_place *p,
		       unsigned int region)
{
	struct nti_mm_entry *e = &nti_mm_entries(s, p)[region];
	struct nti_place_region *r = &p->region[region];
	bool is_moved = e->base != r->start, is_nvidia = nti_place_is_nvidia(p, &s->hints);

	if (e->map) {
		nti_mm_put_unmap(s, k, &(struct ntime_record){ .source = e->map }, "");
		nti_mm_mark_format(s, k, "ntime: region %u of device %04x %s", region, p->bus_devfn,
				   is_moved ? "is elsewhere from here on"
					    : "is longer than it was");
	}
	if (region < NTI_PCIDEV_BARS && (e->told_start != r->start || e->told_bytes < r->bytes))
		announce(s, k, p);
	e->map = s->maps++;
	e->base = r->start;
	e->bytes = r->bytes;
	nti_mm_set_head(e, e->map, e->bytes);
	if (is_nobody(s, p))
		nti_mm_mark_format(s, k, "ntime: map %u is region %u of no device", e->map, region);
	else if (region >= NTI_PCIDEV_BARS || nti_place_is_port(r))
		nti_mm_mark_format(s, k, "ntime: map %u is region %u of device %04x", e->map,
				   region, p->bus_devfn);
	nti_mm_put_map(
		s, k,
		&(struct ntime_record){ .source = e->map, .offset = e->base, .value = e->bytes },
		"");
	if (region == 0 && is_nvidia)
		put_boot0(s, k, p, e);
}

/* An access whose entry is not valid. NULL when there is no place to write it at. */
struct nti_mm_entry *nti_mm_open_region(struct nti_mm *s, const struct nti_mm_sink *k,
					const struct ntime_record *r)
{
	bool is_new = nti_mm_index(r->device) >= s->places.n ||
		      !s->places.list[nti_mm_index(r->device)].is_seen;
	struct nti_place *p = nti_mm_place(s, r->device);
	struct nti_place_region *region;
	struct nti_mm_entry *e;

	if (!p)
		return NULL;
	region = &p->region[r->region];
	if (r->offset + r->width > region->used && r->offset + r->width >= r->offset)
		region->used = r->offset + r->width;
	nti_mm_learn_vendor(s, p, r);
	nti_places_assign(&s->places, p, r->region, region->used,
			  nti_place_is_nvidia(p, &s->hints));
	if (is_new && !s->is_native) {
		announce(s, k, p);
		mark_device(s, k, p, nti_place_is_nvidia(p, &s->hints));
	}
	e = &nti_mm_entries(s, p)[r->region];
	if (!e->map || e->base != region->start || e->bytes < region->bytes)
		map_region(s, k, p, r->region);
	e->limit = region->bytes;
	return e;
}

/* A device of a trace that has mappings: the trace's own number stands in each line. */
struct nti_mm_entry *nti_mm_open_native(struct nti_mm *s, const struct nti_mm_sink *k,
					const struct ntime_record *r)
{
	struct nti_place *p = nti_mm_place(s, r->device);
	const struct nti_hint *chip;
	struct nti_mm_entry *e;

	if (!p)
		return NULL;
	e = &nti_mm_entries(s, p)[r->region];
	e->base = p->region[r->region].start;
	e->limit = UINT64_MAX;
	nti_mm_set_head(e, r->source, 0);
	chip = nti_hints_find(&s->hints, NTI_HINT_CHIP, p->name);
	if (r->region == 0 && chip && nti_place_is_nvidia(p, &s->hints) &&
	    !s->ahead[p - s->places.list].boot0 && !e->map)
		put_boot0(s, k, p, e);
	e->map = r->source ? r->source : 1;
	return e;
}
