// SPDX-License-Identifier: MIT
/*
 * The devices of a trace: a table by name, and what configuration accesses and regions tell of
 * each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/page.h"
#include "trace/lib/base/batch.h"
#include "trace/lib/base/device.h"
#include "trace/lib/base/pcidev.h"
#include "trace/lib/base/scan.h"
#include "trace/lib/base/siphash.h"

#define CHUNK 256
#define FIRST_SLOTS 1024u
#define MAX_DEVICES NTIME_DEVICE_NONE
#define MAX_NAME_BYTES 4096
/* Of all names: what a trace of nothing but names can take. */
#define MAX_NAMES_BYTES (8u << 20)

#define BAR_IO 0x1u
#define BAR_TYPE 0x6u
#define BAR_TYPE_64 0x4u
#define BAR_MEMORY_FLAGS 0xfu
#define BAR_IO_FLAGS 0x3u
#define ROM_MASK 0xfffff800u

struct entry {
	struct ntime_trace_device pub;
	struct entry *next; /* of the same slot */
	uint64_t hash;
	uint32_t low[7];    /* what the guest wrote last that is an address */
	uint32_t size[7];   /* what came back for all ones, 0: not asked */
	uint8_t is_sizing;  /* bit n: all ones were written to register n last */
	uint8_t is_written; /* bit n: low[n] is there */
	uint8_t is_told;    /* bit n: the size is from a line that tells it */
	uint16_t number;
	size_t name_bytes;
	char name[];
};

struct nti_trace_devices {
	size_t n;
	uint64_t key[2];
	size_t names_bytes;
	uint64_t compared;
	uint64_t refused;
	bool is_short; /* of memory, once */
	struct entry **slot;
	size_t slots; /* a power of two */
	struct entry **chunk[(MAX_DEVICES + CHUNK - 1) / CHUNK];
};

int nti_trace_devices_new(struct nti_trace_devices **out)
{
	struct nti_trace_devices *d = calloc(1, sizeof(*d));

	*out = NULL;
	if (d)
		d->slot = calloc(FIRST_SLOTS, sizeof(*d->slot));
	if (!d || !d->slot) {
		free(d);
		return -ENOMEM;
	}
	/* Where the system has no random bytes yet, where the table lies must do. */
	if (nti_page_random(d->key, sizeof(d->key)) < 0)
		d->key[0] = (uintptr_t)d;
	d->slots = FIRST_SLOTS;
	*out = d;
	return 0;
}

void nti_trace_devices_free(struct nti_trace_devices *d)
{
	size_t i;

	if (!d)
		return;
	for (i = 0; i < d->n; i++)
		free(d->chunk[i / CHUNK][i % CHUNK]);
	for (i = 0; i < sizeof(d->chunk) / sizeof(d->chunk[0]); i++)
		free(d->chunk[i]);
	free(d->slot);
	free(d);
}

size_t nti_trace_devices_count(const struct nti_trace_devices *d)
{
	return d->n;
}

uint64_t nti_trace_devices_refused(const struct nti_trace_devices *d)
{
	return d->refused;
}

uint64_t nti_trace_devices_compared(const struct nti_trace_devices *d)
{
	return d->compared;
}

static struct entry *entry_at(struct nti_trace_devices *d, size_t index)
{
	return index < d->n ? d->chunk[index / CHUNK][index % CHUNK] : NULL;
}

bool nti_trace_device_place(struct ntime_trace_device *pub, const char *name)
{
	static const char long_form[] = "xxxx:xx:xx.o", short_form[] = "xx:xx.o";
	const char *form = strlen(name) == sizeof(short_form) - 1 ? short_form : long_form;
	uint32_t number[4] = { 0 }, digit;
	size_t i, field = form == short_form ? 1 : 0;

	if (strlen(name) != strlen(form))
		return false;
	for (i = 0; form[i]; i++) {
		if (form[i] != 'x' && form[i] != 'o') {
			if (name[i] != form[i])
				return false;
			field++;
			continue;
		}
		digit = nti_scan_hex_digit(name[i]);
		if (digit > (form[i] == 'o' ? 7 : 15))
			return false;
		number[field] = number[field] << 4 | digit;
	}
	if (number[2] > 0x1f)
		return false;
	pub->is_pci = 1;
	pub->domain = number[0];
	pub->bus_devfn = number[1] << 8 | number[2] << 3 | number[3];
	return true;
}

static struct entry *find(struct nti_trace_devices *d, uint64_t hash, const char *name,
			  size_t bytes)
{
	struct entry *e;

	for (e = d->slot[hash & (d->slots - 1)]; e; e = e->next) {
		d->compared++;
		if (e->hash == hash && e->name_bytes == bytes && memcmp(e->name, name, bytes) == 0)
			return e;
	}
	return NULL;
}

/*
 * As many slots as devices, so that few share one. Without memory the table stays as it is: slower,
 * not wrong.
 */
static void grow(struct nti_trace_devices *d)
{
	size_t slots = 2 * d->slots, i;
	struct entry **slot = d->n < d->slots ? NULL : calloc(slots, sizeof(*slot)), **at, *e,
		     *next;

	if (!slot)
		return;
	for (i = 0; i < d->slots; i++)
		for (e = d->slot[i]; e; e = next) {
			next = e->next;
			at = &slot[e->hash & (slots - 1)];
			e->next = *at;
			*at = e;
		}
	free(d->slot);
	d->slot = slot;
	d->slots = slots;
}

static uint16_t add(struct nti_trace_devices *d, uint64_t hash, const char *name, size_t bytes)
{
	size_t n = d->n;
	struct entry ***chunk = &d->chunk[n / CHUNK], **slot;
	struct entry *e;

	if (n >= MAX_DEVICES || bytes > MAX_NAME_BYTES ||
	    bytes > MAX_NAMES_BYTES - d->names_bytes) {
		d->refused++;
		return NTIME_DEVICE_NONE;
	}
	grow(d);
	if (!*chunk)
		*chunk = calloc(CHUNK, sizeof(**chunk));
	e = *chunk ? calloc(1, sizeof(*e) + bytes + 1) : NULL;
	if (!e) {
		d->is_short = true;
		return NTIME_DEVICE_NONE;
	}
	memcpy(e->name, name, bytes);
	e->name_bytes = bytes;
	e->number = (uint16_t)n;
	e->pub.size = sizeof(e->pub);
	e->pub.name = e->name;
	(void)nti_trace_device_place(&e->pub, e->name);
	e->hash = hash;
	slot = &d->slot[hash & (d->slots - 1)];
	e->next = *slot;
	*slot = e;
	d->names_bytes += bytes;
	(*chunk)[n % CHUNK] = e;
	d->n = n + 1;
	return (uint16_t)n;
}

bool nti_trace_devices_is_short(const struct nti_trace_devices *d)
{
	return d->is_short;
}

uint16_t nti_trace_device_number(struct nti_trace_devices *d, const char *name, size_t bytes)
{
	uint64_t hash = nti_siphash(d->key, name, bytes);
	struct entry *e = find(d, hash, name, bytes);

	return e ? e->number : add(d, hash, name, bytes);
}

struct ntime_trace_device *nti_trace_device_at(struct nti_trace_devices *d, size_t index)
{
	struct entry *e = entry_at(d, index);

	return e ? &e->pub : NULL;
}

static bool is_64(const struct entry *e, int bar)
{
	return bar < 5 && !(e->pub.bar[bar] & BAR_IO) &&
	       (e->pub.bar[bar] & BAR_TYPE) == BAR_TYPE_64;
}

/* Is register @bar the upper half of the one before? */
static bool is_upper(const struct entry *e, int bar)
{
	return bar > 0 && bar < NTI_PCIDEV_ROM && is_64(e, bar - 1) && !is_upper(e, bar - 1);
}

static uint32_t flags_mask(uint32_t value, int bar)
{
	if (bar == NTI_PCIDEV_ROM)
		return ~ROM_MASK;
	return value & BAR_IO ? BAR_IO_FLAGS : BAR_MEMORY_FLAGS;
}

/* The address from the words the guest wrote. */
static void place_bar(struct entry *e, int bar)
{
	uint64_t flags = e->pub.bar[bar] & flags_mask((uint32_t)e->pub.bar[bar], bar);
	uint64_t start, told;

	if (is_upper(e, bar)) {
		e->pub.bar[bar] = 0;
		e->pub.bars &= ~(1u << bar);
		bar--;
		flags = e->pub.bar[bar] & BAR_MEMORY_FLAGS;
	}
	if (!(e->is_written >> bar & 1))
		return;
	/* Who has not read it yet knows what it is, and writes that. */
	told = flags ? flags : e->low[bar];
	start = e->low[bar] & ~flags_mask((uint32_t)told, bar);
	if (is_64(e, bar) && (e->is_written >> (bar + 1) & 1))
		start |= (uint64_t)e->low[bar + 1] << 32;
	if (!start)
		return;
	e->pub.bar[bar] = start | flags;
	e->pub.bars |= 1u << bar;
}

/* What came back for all ones tells the size: PCI 3.0, 6.2.5.1. */
static void size_bar(struct entry *e, int bar)
{
	int low = is_upper(e, bar) ? bar - 1 : bar;
	/* Of 4 GiB and more the upper half alone has bits. */
	uint64_t high = is_64(e, low) ? e->size[low + 1] : 0;
	uint32_t flags = flags_mask(e->size[low], low);
	uint64_t mask = e->size[low] & ~flags;

	if (e->is_told >> low & 1 || !e->size[low] || (!mask && !high))
		return;
	mask |= high ? high << 32 : 0xffffffff00000000u;
	if (flags == BAR_IO_FLAGS)
		mask |= 0xffff0000u;
	e->pub.bar_bytes[low] = ~mask + 1;
}

/* The word that is an address. */
static void set_bar(struct entry *e, int bar, uint32_t value)
{
	e->low[bar] = value;
	e->is_written |= (uint8_t)(1u << bar);
	place_bar(e, bar);
}

static void learn_read(struct entry *e, const struct ntime_record *r)
{
	uint32_t value = (uint32_t)r->value;
	int bar = r->width == 4 ? nti_pcidev_register(r->offset) : -1;

	e->pub.vendor_device = nti_pcidev_id(e->pub.vendor_device, r);
	if (bar < 0)
		return;
	/* What reads as 0 is no BAR, or has not been given an address. */
	if (value && bar != NTI_PCIDEV_ROM && !is_upper(e, bar)) {
		uint32_t mask = flags_mask(value, bar);

		e->pub.bar[bar] = (e->pub.bar[bar] & ~(uint64_t)mask) | (value & mask);
	}
	if (e->is_sizing >> bar & 1) {
		e->size[bar] = value;
		size_bar(e, bar);
	} else if (value) {
		set_bar(e, bar, value);
	}
}

static void learn_write(struct entry *e, const struct ntime_record *r)
{
	uint32_t value = (uint32_t)r->value;
	int bar = r->width == 4 ? nti_pcidev_register(r->offset) : -1;

	if (bar < 0)
		return;
	if (nti_pcidev_is_sizing((unsigned int)bar, value)) {
		e->is_sizing |= (uint8_t)(1u << bar);
		return;
	}
	e->is_sizing &= (uint8_t) ~(1u << bar);
	/* Zero is written between sizing and the address; it is half of a 64-bit one, too. */
	set_bar(e, bar, value);
}

void nti_trace_device_learn(struct nti_trace_devices *d, const struct ntime_record *r)
{
	struct entry *e;

	if (nti_record_is_access(r))
		return;
	e = entry_at(d, r->device);
	if (!e)
		return;
	if (r->kind == NTIME_RECORD_CONFIG_READ && r->flags & NTIME_RECORD_VALUED) {
		learn_read(e, r);
	} else if (r->kind == NTIME_RECORD_CONFIG_WRITE) {
		learn_write(e, r);
	} else if (r->kind == NTIME_RECORD_REGION && r->region <= NTI_PCIDEV_ROM) {
		e->pub.bar_bytes[r->region] = r->value;
		e->is_told |= (uint8_t)(1u << r->region);
	}
}
