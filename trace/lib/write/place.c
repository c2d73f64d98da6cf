// SPDX-License-Identifier: MIT
/* Addresses of regions: learnt, told or made up. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/regs/nv50_chip.h"
#include "trace/lib/base/device.h"
#include "trace/lib/write/nvidia.h"
#include "trace/lib/base/pcidev.h"
#include "trace/lib/write/place.h"

#define MIB (1ull << 20)
#define PAGE 4096ull
#define FIRST_ADDRESS 0x80000000ull
#define FOUR_GIB (1ull << 32)
/* What is made up below 4 GiB is aligned to, and what is marked as taken there. */
#define PIECE (16 * MIB)
/*
 * Physical addresses of x86 end here: Intel SDM vol. 3A, 4.1.4. What is told to be above is no
 * place to go on behind.
 */
#define LAST_HIGH (1ull << 52)
#define FIRST_PORT 0x1000u
#define FIRST_NUMBER 0xff00u
/* Replayers of NVIDIA's traces take the low 24 bits of an address as the register. */
#define SMALLEST_BAR0 (16 * MIB)
/* Usual sizes of NVIDIA's windows to its memory: they save moving one that proves larger. */
#define NVIDIA_BAR1 (256 * MIB)
#define NVIDIA_BAR3 (32 * MIB)
#define VGA_END 0xc0000ull

/* PCI Local Bus Specification 3.0, section 6.2.5. */
#define BAR_IO 1u
#define BAR_TYPE 6u
#define BAR_64 4u

void nti_places_init(struct nti_places *p)
{
	memset(p, 0, sizeof(*p));
	p->next_low = FIRST_ADDRESS;
	p->next_high = FOUR_GIB;
	p->next_port = FIRST_PORT;
	p->next_number = FIRST_NUMBER;
}

void nti_places_fini(struct nti_places *p)
{
	free(p->list);
	p->list = NULL;
}

/* Room for @n places in all. 0 or -ENOMEM. */
static int reserve(struct nti_places *p, size_t n)
{
	size_t room = n + n / 2 + 8;
	struct nti_place *list;

	if (p->room >= n)
		return 0;
	list = realloc(p->list, room * sizeof(*list));
	if (!list)
		return -ENOMEM;
	p->list = list;
	p->room = room;
	return 0;
}

/*
 * Nothing that is made up from now on goes where that region is, even if it moves: what was written
 * of it stays written.
 */
static void take(struct nti_places *all, const struct nti_place_region *r)
{
	uint64_t end = r->start + r->bytes, at;

	if (!r->start || !r->bytes || end < r->start || r->flags & BAR_IO)
		return;
	if (end > all->next_high && end <= LAST_HIGH)
		all->next_high = end;
	at = r->start < FIRST_ADDRESS ? FIRST_ADDRESS : r->start & ~(PIECE - 1);
	for (; at < end && at < FOUR_GIB; at += PIECE) {
		size_t i = (at - FIRST_ADDRESS) / PIECE;

		all->low[i / 64] |= 1ull << i % 64;
	}
}

/* The number of @p is its own from here on. False when another device has it. */
static bool take_number(struct nti_places *all, const struct nti_place *p)
{
	uint64_t *word = &all->numbers[(p->bus_devfn & 0xffff) / 64],
		 bit = 1ull << p->bus_devfn % 64;
	bool is_free = !(*word & bit);

	*word |= bit;
	return is_free;
}

static void take_hints(struct nti_places *all, struct nti_place *p, const struct nti_hints *hints)
{
	const struct nti_hint *id = nti_hints_find(hints, NTI_HINT_ID, p->name);
	const struct nti_hint *chip = nti_hints_find(hints, NTI_HINT_CHIP, p->name);
	size_t i;

	if (id)
		p->vendor_device = id->id;
	if (chip)
		p->boot0 = nti_nvidia_boot0(chip->name);
	for (i = 0; i < hints->n; i++) {
		const struct nti_hint *h = &hints->list[i];
		struct nti_place_region *r = &p->region[h->bar];

		if (h->kind != NTI_HINT_BAR || !nti_hint_fits(h, p->name))
			continue;
		r->start = h->start;
		r->is_known = r->is_fixed = true;
		if (h->bytes) {
			r->bytes = h->bytes;
			r->has_bytes = true;
		}
		take(all, r);
	}
}

/* It is met for the first time: what its name and the user tell. */
static void meet(struct nti_places *all, struct nti_place *p, const struct ntime_trace_device *d,
		 const struct nti_hints *hints)
{
	p->name = d ? d->name : "";
	p->is_pci = d && d->is_pci;
	p->domain = d ? d->domain : 0;
	p->bus_devfn = d ? d->bus_devfn : 0;
	if (!p->is_pci || !take_number(all, p)) {
		p->bus_devfn = all->next_number++ & 0xffff;
		(void)take_number(all, p);
	}
	p->is_seen = true;
	/* The legacy ranges of VGA are where they are. */
	p->region[NTIME_REGION_VGA] = (struct nti_place_region){
		.bytes = VGA_END, .is_known = true, .is_fixed = true, .has_bytes = true
	};
	take_hints(all, p, hints);
}

struct nti_place *nti_places_at(struct nti_places *p, struct nti_trace_devices *devices,
				const struct nti_hints *hints, uint16_t device)
{
	size_t i = device == NTIME_DEVICE_NONE ? 0 : (size_t)device + 1;

	if (reserve(p, i + 1) < 0)
		return NULL;
	if (i >= p->n) {
		memset(p->list + p->n, 0, (i + 1 - p->n) * sizeof(*p->list));
		p->n = i + 1;
	}
	if (!p->list[i].is_seen)
		meet(p, &p->list[i], i ? nti_trace_device_at(devices, i - 1) : NULL, hints);
	return &p->list[i];
}

static bool is_upper(const struct nti_place *p, unsigned int bar)
{
	const struct nti_place_region *below;

	if (!bar || bar > 5 || is_upper(p, bar - 1))
		return false;
	below = &p->region[bar - 1];
	if (p->flag_bits & 1u << (bar - 1))
		return !(below->flags & BAR_IO) && (below->flags & BAR_TYPE) == BAR_64;
	/* VFIO says of the upper half that there is no such region. */
	return p->region[bar].has_bytes && !p->region[bar].bytes && below->bytes;
}

/* The address in a word of a BAR: it may have been written without its flags. */
static uint64_t address_in(const struct nti_place *p, unsigned int bar, uint32_t word)
{
	if (p->flag_bits & 1u << bar)
		word = (word & ~BAR_IO) | (p->region[bar].flags & BAR_IO);
	return nti_pcidev_start(bar, word);
}

/* What the raw words of a BAR say now. True when the region is elsewhere or of another size. */
static bool settle_bar(struct nti_place *p, unsigned int bar)
{
	struct nti_place_region *r = &p->region[bar], old = *r;
	bool is_wide = bar < 5 && is_upper(p, bar + 1);
	uint64_t start, size;

	start = address_in(p, bar, p->raw[bar]);
	if (is_wide)
		start |= (uint64_t)p->raw[bar + 1] << 32;
	if (start && !r->is_fixed && p->raw_bits & 1u << bar) {
		r->start = start;
		r->is_known = true;
	}
	if (!(p->size_bits & 1u << bar) || r->has_bytes)
		return r->start != old.start;
	size = address_in(p, bar, p->size_raw[bar]);
	size |= is_wide && p->size_bits & 2u << bar ? (uint64_t)p->size_raw[bar + 1] << 32
						    : 0xffffffffull << 32;
	/* Ports have 16 bits. */
	if (r->flags & BAR_IO)
		size |= 0xffff0000u;
	/* Nothing to size reads as 0. */
	if (size & 0xffffffffu || (is_wide && p->size_bits & 2u << bar))
		r->bytes = ~size + 1;
	return r->start != old.start || r->bytes != old.bytes;
}

/* A word of configuration space that is a BAR was written. */
static void write_bar(struct nti_place *p, unsigned int bar, uint32_t value)
{
	p->sizing &= (uint8_t) ~(1u << bar);
	if (nti_pcidev_is_sizing(bar, value)) {
		p->sizing |= (uint8_t)(1u << bar);
		return;
	}
	p->raw[bar] = value;
	p->raw_bits |= (uint8_t)(1u << bar);
}

static void read_bar(struct nti_place *p, unsigned int bar, uint32_t value)
{
	if (bar != NTI_PCIDEV_ROM && !is_upper(p, bar) && value) {
		p->region[bar].flags = value & BAR_IO ? BAR_IO : value & 0xf;
		p->flag_bits |= (uint8_t)(1u << bar);
	}
	if (p->sizing & 1u << bar) {
		p->size_raw[bar] = value;
		p->size_bits |= (uint8_t)(1u << bar);
	} else if (value) {
		p->raw[bar] = value;
		p->raw_bits |= (uint8_t)(1u << bar);
	}
}

static uint32_t learn_config(struct nti_place *p, const struct ntime_record *r)
{
	int index = r->width == 4 ? nti_pcidev_register(r->offset) : -1;
	unsigned int bar = (unsigned int)index;

	if (r->kind == NTIME_RECORD_CONFIG_READ && !(r->flags & NTIME_RECORD_VALUED))
		return 0;
	if (r->kind == NTIME_RECORD_CONFIG_READ)
		p->vendor_device = nti_pcidev_id(p->vendor_device, r);
	if (index < 0)
		return 0;
	if (r->kind == NTIME_RECORD_CONFIG_WRITE)
		write_bar(p, bar, (uint32_t)r->value);
	else
		read_bar(p, bar, (uint32_t)r->value);
	if (bar && bar != NTI_PCIDEV_ROM && is_upper(p, bar))
		bar--;
	return settle_bar(p, bar) ? 1u << bar : 0;
}

static uint32_t learn(struct nti_place *p, const struct ntime_record *r)
{
	struct nti_place_region *region;

	if (r->kind == NTIME_RECORD_CONFIG_READ || r->kind == NTIME_RECORD_CONFIG_WRITE)
		return learn_config(p, r);
	if (r->region >= NTI_PLACE_REGIONS)
		return 0;
	region = &p->region[r->region];
	if (r->kind == NTIME_RECORD_MMAP && region->used <= r->value)
		region->used = r->value + 1 ? r->value + 1 : r->value;
	if (r->kind != NTIME_RECORD_REGION || region->is_fixed)
		return 0;
	region->bytes = r->value;
	region->has_bytes = true;
	return 1u << r->region;
}

uint32_t nti_place_learn(struct nti_places *all, struct nti_place *p, const struct ntime_record *r)
{
	uint32_t changed = learn(p, r);
	unsigned int i;

	for (i = 0; i < NTI_PLACE_REGIONS; i++)
		if (changed >> i & 1)
			take(all, &p->region[i]);
	return changed;
}

void nti_place_pcidev(struct nti_places *all, struct nti_place *p, const struct nti_pcidev *d)
{
	unsigned int i;

	p->vendor_device = d->vendor_device;
	p->bus_devfn = d->bus_devfn;
	p->irq = d->irq;
	(void)take_number(all, p);
	for (i = 0; i < NTI_PCIDEV_BARS; i++) {
		struct nti_place_region *r = &p->region[i];

		r->start = nti_pcidev_start(i, d->bar[i]);
		r->bytes = d->bytes[i];
		r->flags = nti_pcidev_flags(i, d->bar[i]);
		r->is_known = r->has_bytes = true;
		take(all, r);
	}
}

bool nti_place_is_nvidia(const struct nti_place *p, const struct nti_hints *hints)
{
	const struct nti_place_region *bar0 = &p->region[0];
	const struct nti_hint *chip = nti_hints_find(hints, NTI_HINT_CHIP, p->name);

	/*
	 * Its other functions (sound, USB) have short BARs; decoders take each with BARs 0 and 1
	 * for a card.
	 */
	if ((p->is_pci && p->bus_devfn & 7) || (bar0->has_bytes && bar0->bytes < SMALLEST_BAR0))
		return false;
	if (p->vendor_device >> 16)
		return p->vendor_device >> 16 == NTHW_NV_VENDOR;
	return p->is_nvidia || (chip && p->boot0);
}

static uint64_t power_of_two(uint64_t at_least)
{
	uint64_t bytes = PAGE;

	while (bytes < at_least && bytes < 1ull << 63)
		bytes *= 2;
	return bytes;
}

/*
 * The first free address below 4 GiB, behind what was made up there, that a region of that size may
 * have; 0: there is none.
 */
static uint64_t find_low(struct nti_places *all, uint64_t bytes)
{
	uint64_t align = bytes > PIECE ? power_of_two(bytes) : PIECE, at,
		 start = (all->next_low + align - 1) & ~(align - 1);

	if (bytes > FOUR_GIB - FIRST_ADDRESS)
		return 0;
	for (at = start; at < start + bytes; at += PIECE) {
		size_t i = (at - FIRST_ADDRESS) / PIECE;

		if (start + bytes > FOUR_GIB)
			return 0;
		all->looked++;
		if (all->low[i / 64] >> i % 64 & 1)
			/* The loop goes on at the start. */
			at = (start = (at / align + 1) * align) - PIECE;
	}
	all->next_low = start + bytes;
	return start;
}

static void make_up(struct nti_places *all, struct nti_place_region *r)
{
	r->is_known = false;
	r->start = 0;
	if (r->flags & BAR_IO) {
		r->start = all->next_port;
		all->next_port += r->bytes > 256 ? power_of_two(r->bytes) : 256;
		return;
	}
	r->start = find_low(all, r->bytes);
	if (!r->start) {
		uint64_t align = r->bytes > PIECE ? power_of_two(r->bytes) : PIECE;

		/* Behind everything that is above 4 GiB. */
		r->start = (all->next_high + align - 1) & ~(align - 1);
	}
	take(all, r);
}

static uint64_t usual_bytes(unsigned int region, bool is_nvidia)
{
	if (region == 0)
		return SMALLEST_BAR0;
	if (!is_nvidia)
		return PAGE;
	return region == 1 ? NVIDIA_BAR1 : region == 3 || region == 2 ? NVIDIA_BAR3 : PAGE;
}

void nti_places_assign(struct nti_places *all, struct nti_place *p, unsigned int region,
		       uint64_t need, bool is_nvidia)
{
	struct nti_place_region *r = &p->region[region];
	uint64_t usual = usual_bytes(region, is_nvidia);

	if (need < r->used)
		need = r->used;
	if (r->bytes < need || !r->bytes) {
		/*
		 * The first time there is no address to give up; a size that is known and wrong is
		 * like one that is not.
		 */
		if (!r->is_known)
			r->start = 0;
		r->bytes = power_of_two(need < usual ? usual : need);
	}
	if (region == 0 && is_nvidia)
		r->flags = 0;
	if (r->start)
		take(all, r);
	else if (region != NTIME_REGION_VGA)
		make_up(all, r);
}
