// SPDX-License-Identifier: MIT
/*
 * Decoders: an address that was seen before costs one look into a table, and its value no more
 * where it did not change.
 */
#include "trace/lib/regdb/decoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/regs/nv50_chip.h"
#include "base/common/hash.h"
#include "base/common/text.h"
#include "trace/lib/base/context.h"
#include "trace/lib/regdb/value.h"

#define TABLE_SLOTS (NTI_HITS * 2)
#define STORE_BYTES ((size_t)12 << 20)
#define PINNED 0x8000u /* in device_view: the caller said which chip it is */

int ntime_decoder_new(const struct ntime_regdb *db, struct ntime_decoder **out)
{
	struct ntime_decoder *d = calloc(1, sizeof(*d));
	uint16_t view;

	*out = NULL;
	if (!d)
		return -ENOMEM;
	d->db = db;
	d->arena.limit = NTI_REGDB_LAYER_BYTES;
	d->store.limit = STORE_BYTES;
	d->table = calloc(TABLE_SLOTS, sizeof(*d->table));
	d->pages = calloc(NTI_PAGES, sizeof(*d->pages));
	d->nothing = (struct nti_hit){ .name = "", .source = "" };
	if (!d->table || !d->pages || nti_view_of_vendor(d, false, &view)) {
		ntime_decoder_free(d);
		return -ENOMEM;
	}
	d->default_view = view;
	*out = d;
	return 0;
}

void ntime_decoder_free(struct ntime_decoder *d)
{
	if (!d)
		return;
	nti_arena_free(&d->arena);
	nti_arena_free(&d->store);
	free(d->views);
	free(d->device_view);
	free(d->table);
	free(d->pages);
	free(d);
}

static void forget(struct ntime_decoder *d)
{
	nti_arena_free(&d->store);
	memset(d->table, 0, TABLE_SLOTS * sizeof(*d->table));
	d->hits = 0;
	d->last = NULL;
	d->nothing.words_bytes = 0;
	d->nothing.words_room = 0;
}

static uint16_t view_number(const struct ntime_decoder *d, uint32_t device)
{
	uint16_t n = device < d->device_count ? d->device_view[device] & ~PINNED : 0;

	return n ? n - 1 : d->default_view;
}

const struct nti_view *nti_decoder_view(const struct ntime_decoder *d, uint32_t device)
{
	return d->views[view_number(d, device)];
}

/* Room for what is said of @device. */
static int reach_device(struct ntime_decoder *d, uint32_t device)
{
	size_t count = d->device_count ? d->device_count : 16;
	uint16_t *more;

	if (device < d->device_count)
		return 0;
	if (device >= UINT16_MAX)
		return -ENOENT;
	while (count <= device)
		count *= 2;
	more = realloc(d->device_view, count * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + d->device_count, 0, (count - d->device_count) * sizeof(*more));
	d->device_view = more;
	d->device_count = count;
	return 0;
}

int ntime_decoder_set_chip(struct ntime_decoder *d, uint32_t device, const char *chip)
{
	uint16_t view;
	int ret;

	ret = chip ? nti_view_of_name(d, chip, &view) : nti_view_of_vendor(d, false, &view);
	if (ret)
		return ret;
	if (device == UINT32_MAX) {
		d->default_view = view;
		return 0;
	}
	ret = reach_device(d, device);
	if (ret)
		return ret;
	d->device_view[device] = chip ? (uint16_t)(view + 1) | PINNED : 0;
	return 0;
}

static int learn(struct ntime_decoder *d, uint32_t device, uint16_t view)
{
	int ret = reach_device(d, device);

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	if (view_number(d, device) == view)
		return 0;
	d->device_view[device] = (uint16_t)(view + 1);
	return 1;
}

int ntime_decoder_identify(struct ntime_decoder *d, uint32_t device, uint32_t vendor_device,
			   uint8_t region, uint64_t offset, uint64_t value)
{
	uint32_t vendor = vendor_device >> 16;
	const struct nti_view *now = nti_decoder_view(d, device);
	uint16_t view;
	int ret;

	if (device < d->device_count && d->device_view[device] & PINNED)
		return 0;
	if (vendor && vendor != NTHW_NV_VENDOR)
		return 0;
	/*
	 * What BOOT_0 of NVIDIA's chips looks like: a revision of a1 or more, and bits that were 0
	 * in all that are known.
	 */
	if (region == 0 && offset == 0 && value && value <= 0x7fffffff && !(value & 0x7f00) &&
	    (value & 0xff) >= 0xa0) {
		ret = nti_view_of_id(d, (uint32_t)value >> 20 & 0x1ff, &view);
		if (ret != -ENOENT)
			return ret ? ret : learn(d, device, view);
	}
	if (!vendor || now->chip[0])
		return 0;
	if (nthw_nv_chip_by_device(vendor_device & 0xffff)) {
		ret = nti_view_of_name(d, nthw_nv_chip_by_device(vendor_device & 0xffff)->name,
				       &view);
		return ret ? ret : learn(d, device, view);
	}
	ret = nti_view_of_vendor(d, true, &view);
	return ret ? ret : learn(d, device, view);
}

const char *ntime_decoder_chip(const struct ntime_decoder *d, uint32_t device)
{
	return nti_decoder_view(d, device)->chip;
}

static const struct nti_domain *find_domain(const struct nti_layer *layer, const char *name)
{
	const struct nti_domain *domain;

	for (domain = layer->domains; domain; domain = domain->next)
		if (strcmp(domain->name, name) == 0)
			return domain;
	return NULL;
}

/* Nobody chose: what is called like the chip, what envytools calls BAR 0, or what has most. */
static const struct nti_domain *guess_domain(const struct nti_layer *layer,
					     const struct nti_view *view)
{
	const struct nti_domain *domain, *most = NULL;

	for (domain = layer->domains; domain; domain = domain->next)
		if (nti_text_compare(domain->name, view->chip) == 0)
			return domain;
	domain = find_domain(layer, "NV_MMIO");
	if (domain)
		return domain;
	for (domain = layer->domains; domain; domain = domain->next)
		if (!most || domain->registers > most->registers)
			most = domain;
	return most;
}

const struct nti_domain *nti_decoder_domain(const struct ntime_decoder *d,
					    const struct nti_layer *layer,
					    const struct nti_view *view, uint8_t region)
{
	if (region >= NTI_REGIONS || (layer->is_own && !view->is_nvidia))
		return NULL;
	if (d->domain[region])
		return find_domain(layer, d->domain[region]);
	return region == 0 ? guess_domain(layer, view) : NULL;
}

int ntime_decoder_set_domain(struct ntime_decoder *d, uint8_t region, const char *domain)
{
	struct nti_error *e = &d->db->ctx->error;
	const struct nti_layer *layer;
	const struct nti_domain *found = NULL;
	char names[600] = "";

	if (region >= NTI_REGIONS)
		return nti_error(e, -ERANGE, "region %u has no registers: there are 0 to %u",
				 region, NTI_REGIONS - 1);
	for (layer = d->db->layers; domain && layer && !found; layer = layer->next)
		found = find_domain(layer, domain);
	if (domain && !found) {
		for (layer = d->db->layers; layer; layer = layer->next)
			for (found = layer->domains; found; found = found->next)
				if (nti_text_append(names, sizeof(names), found->name) &&
				    !nti_text_append(names, sizeof(names), " "))
					break;
		return nti_error(e, -ENOENT, "no database has a domain '%s'; there are: %s", domain,
				 names);
	}
	d->domain[region] = found ? found->name : NULL;
	memset(d->pages, 0, NTI_PAGES * sizeof(*d->pages));
	forget(d);
	return 0;
}

bool nti_decoder_look(const struct ntime_decoder *d, const struct nti_view *view, uint8_t region,
		      uint64_t offset, struct nti_found *out)
{
	const struct nti_layer *layer;
	struct nti_found found;

	out->depth = 0;
	for (layer = d->db->layers; layer; layer = layer->next) {
		const struct nti_domain *domain = nti_decoder_domain(d, layer, view, region);

		if (!domain || !nti_domain_find(domain, view, offset, &found))
			continue;
		if (!nti_found_is_register(&found) && out->depth)
			continue;
		*out = found;
		if (nti_found_is_register(out))
			break;
	}
	return out->depth > 0;
}

static struct ntime_regdb_array *make_arrays(struct ntime_decoder *d, const struct nti_found *f,
					     uint8_t *count)
{
	struct ntime_regdb_array *arrays;
	uint32_t i;

	arrays = nti_arena_array(&d->store, f->depth + 1, sizeof(*arrays));
	if (!arrays)
		return NULL;
	for (i = 0; i < f->depth; i++) {
		const struct nti_element *e = f->steps[i].element;

		if (e->length == 1)
			continue;
		arrays[*count].index = f->steps[i].copy;
		arrays[*count].length = e->length;
		arrays[(*count)++].stride = e->offsets ? 0 : e->stride * f->unit;
	}
	return arrays;
}

/* Look @h up, whose address stands there. */
static int fill(struct ntime_decoder *d, struct nti_hit *h, uint8_t region)
{
	char name[NTI_REGDB_NAME_BYTES];
	struct nti_found f;
	size_t bytes;

	h->name = "";
	h->source = "";
	if (!nti_decoder_look(d, h->view, region, h->offset, &f))
		return 0;
	h->is_guess = f.is_guess || f.steps[f.depth - 1].element->is_guess;
	/* room for the mark */
	bytes = nti_found_name(&f, name, sizeof(name) - 1);
	if (h->is_guess)
		name[bytes++] = '?';
	h->name = nti_arena_text(&d->store, name, bytes);
	h->arrays = make_arrays(d, &f, &h->array_count);
	h->element = f.steps[f.depth - 1].element;
	bytes = nti_element_source(h->element, name, sizeof(name));
	h->source = nti_arena_text(&d->store, name, bytes);
	if (!h->name || !h->arrays || !h->source)
		return -ENOMEM;
	h->is_found = true;
	h->bits = nti_found_is_register(&f) ? h->element->bits : 0;
	h->skew = f.skew > UINT32_MAX ? UINT32_MAX : (uint32_t)f.skew;
	return 0;
}

static size_t slot_of(uint64_t offset, uint32_t key)
{
	return (size_t)nti_hash_number(offset, (uint64_t)key << 40) & (TABLE_SLOTS - 1);
}

static struct nti_hit *find_hit(struct ntime_decoder *d, uint64_t offset, uint32_t key)
{
	size_t slot = slot_of(offset, key);

	for (; d->table[slot].hit; slot = (slot + 1) & (TABLE_SLOTS - 1))
		if (d->table[slot].offset == offset && d->table[slot].hit->key == key)
			return d->table[slot].hit;
	return NULL;
}

static struct nti_hit *add_hit(struct ntime_decoder *d, const struct nti_view *view, uint8_t region,
			       uint64_t offset, uint32_t key)
{
	size_t slot = slot_of(offset, key);
	struct nti_hit *h = nti_arena_new(&d->store, sizeof(*h));

	if (!h)
		return NULL;
	h->offset = offset;
	h->key = key;
	h->view = view;
	if (fill(d, h, region))
		return NULL;
	while (d->table[slot].hit)
		slot = (slot + 1) & (TABLE_SLOTS - 1);
	d->table[slot] = (struct nti_slot){ offset, h };
	d->hits++;
	return h;
}

static void make_page(const struct ntime_decoder *d, const struct nti_view *view, uint8_t region,
		      struct nti_page *page)
{
	const struct nti_layer *layer;

	for (layer = d->db->layers; layer; layer = layer->next) {
		const struct nti_domain *domain = nti_decoder_domain(d, layer, view, region);

		if (domain)
			nti_domain_mark(domain, page->number * NTI_REGDB_PAGE_BYTES, page->bits);
	}
}

/* It is not worth a place among what is remembered. */
static bool is_nothing(struct ntime_decoder *d, const struct nti_view *view, uint8_t region,
		       uint64_t offset, uint32_t key)
{
	uint64_t number = offset / NTI_REGDB_PAGE_BYTES;
	struct nti_page *page = &d->pages[(number ^ (uint64_t)key * 37) & (NTI_PAGES - 1)];
	unsigned int word = offset % NTI_REGDB_PAGE_BYTES / 4;

	if (!page->is_known || page->number != number || page->key != key) {
		*page = (struct nti_page){ .number = number, .key = key, .is_known = true };
		make_page(d, view, region, page);
	}
	return !(page->bits[word / 64] >> word % 64 & 1);
}

/* The hit of an address, made if it is new. NULL without memory. */
static struct nti_hit *hit_at(struct ntime_decoder *d, uint16_t view, uint8_t region,
			      uint64_t offset, uint32_t key)
{
	struct nti_hit *h;

	if (is_nothing(d, d->views[view], region, offset, key)) {
		d->nothing.view = d->views[view];
		return &d->nothing;
	}
	h = find_hit(d, offset, key);
	if (!h) {
		if (d->hits >= NTI_HITS)
			forget(d);
		h = add_hit(d, d->views[view], region, offset, key);
	}
	if (!h) {
		/* the store is full: begin again with an empty one */
		forget(d);
		h = add_hit(d, d->views[view], region, offset, key);
	}
	if (h)
		d->last = h;
	return h;
}

struct nti_hit *nti_decoder_hit(struct ntime_decoder *d, uint32_t device, uint8_t region,
				uint64_t offset)
{
	uint16_t view = view_number(d, device);
	uint32_t key = (uint32_t)view << 8 | region;
	struct nti_hit *h = d->last;

	if (h && h->offset == offset && h->key == key)
		return h;
	return hit_at(d, view, region, offset, key);
}

int ntime_decoder_find(struct ntime_decoder *d, uint32_t device, uint8_t region, uint64_t offset,
		       uint32_t width, struct ntime_regdb_hit *out)
{
	struct nti_hit *h;

	(void)width; /* what is at the first byte counts; ntime_decoder_value() cuts */
	if (out->size < sizeof(*out))
		return -EINVAL;
	h = nti_decoder_hit(d, device, region, offset);
	if (!h)
		return -ENOMEM;
	out->skew = h->skew;
	out->bits = h->bits;
	out->is_guess = h->is_guess;
	out->name = h->name;
	out->source = h->source;
	out->about = h->element && h->element->about ? h->element->about : "";
	out->inner = h;
	out->arrays = h->arrays;
	out->array_count = h->array_count;
	return h->is_found;
}

static size_t format_hit(const struct nti_hit *h, uint32_t width, uint64_t value, char *buf,
			 size_t bytes)
{
	static const struct nti_type plain;
	uint64_t seen = width >= 8 || !width ? UINT64_MAX : ((uint64_t)1 << width * 8) - 1;
	const struct nti_type *type = h->bits ? &h->element->type : &plain;

	value &= seen;
	if (h->skew >= 8 || !h->bits)
		return nti_value_format(&plain, h->view, value, 64, UINT64_MAX, buf, bytes);
	/* a part of a register is a part of its fields, but of nothing else */
	if (type->kind != NTI_TYPE_FIELDS && (h->skew || (width && width * 8 != h->bits)))
		type = h->skew || width * 8 < h->bits || value >> (h->bits - 1) >> 1 ? &plain
										     : type;
	if (h->skew && type->kind == NTI_TYPE_FIELDS) {
		value <<= h->skew * 8;
		seen <<= h->skew * 8;
	}
	return nti_value_format(type, h->view, value, h->bits, seen, buf, bytes);
}

/* Room in @h for words; false when there is none and will be none. */
static bool make_room(struct ntime_decoder *d, struct nti_hit *h, size_t bytes)
{
	size_t room = bytes < 64 ? 64 : NTI_WORDS;

	if (bytes < h->words_room)
		return true;
	if (bytes >= NTI_WORDS)
		return false;
	h->words = nti_arena_new(&d->store, room);
	h->words_room = h->words ? (uint16_t)room : 0;
	return h->words != NULL;
}

size_t nti_decoder_value(struct ntime_decoder *d, struct nti_hit *h, uint32_t width, uint64_t value,
			 char *buf, size_t bytes)
{
	size_t n;

	if (!bytes)
		return 0;
	if (h->words_bytes && h->value == value && h->width == width && h->words_bytes < bytes) {
		memcpy(buf, h->words, h->words_bytes + 1u);
		return h->words_bytes;
	}
	n = format_hit(h, width, value, buf, bytes);
	h->words_bytes = 0;
	/*
	 * what comes a second time is worth being kept: most of what changes all the time never
	 * comes again
	 */
	if (h->value != value || h->width != width) {
		h->value = value;
		h->width = width <= 8 ? (uint8_t)width : 0;
		return n;
	}
	if (n + 1 < bytes && width <= 8 && make_room(d, h, n)) {
		memcpy(h->words, buf, n + 1);
		h->words_bytes = (uint16_t)n;
		h->value = value;
		h->width = (uint8_t)width;
	}
	return n;
}

size_t ntime_decoder_value(struct ntime_decoder *d, const struct ntime_regdb_hit *hit,
			   uint32_t width, uint64_t value, char *buf, size_t bytes)
{
	return nti_decoder_value(d, (struct nti_hit *)(uintptr_t)hit->inner, width, value, buf,
				 bytes);
}
