// SPDX-License-Identifier: MIT
/*
 * Front end: text of Linux' mmiotrace. Grammar: Documentation/trace/mmiotrace.rst and
 * kernel/trace/trace_mmiotrace.c of Linux 6.1.
 *
 * parse() leaves physical addresses; settle() knows where BARs are from the lines PCIDEV before,
 * and turns addresses into offsets. Marks that ntime's own back end wrote ("ntime: ...") give back
 * what the form has no place for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "trace/lib/base/device.h"
#include "trace/lib/read/event.h"
#include "trace/lib/read/fields.h"
#include "trace/lib/read/front.h"
#include "trace/lib/read/lines.h"
#include "trace/lib/base/pcidev.h"

/*
 * Bounds: what is behind them stays physical. A machine has some dozens of functions with up to
 * seven BARs each.
 */
#define NAME_BYTES 256
#define RANGES_MAX 4096
#define PLACES 0x10000 /* bus, slot and function */
#define ODD_MAX 4096

/* A range of physical addresses, or of ports, that is a region of a device. */
struct range {
	uint64_t start, end; /* end: the last address */
	uint16_t device;
	uint8_t region;
};

struct ranges {
	struct range list[RANGES_MAX]; /* ascending by .start */
	size_t n, last;
};

/*
 * A mapping whose addresses are no memory's: of ports, or of a region that is no BAR. They may be
 * those of others, so its number tells it.
 */
struct odd_map {
	uint64_t start, bytes; /* 0 bytes: its line was not read yet, or there is none */
	uint32_t map;
	uint16_t device;
	uint8_t region;
	bool is_used;
	bool is_found; /* no mark told it, it begins and ends where a BAR of ports does */
};

struct order {
	struct ranges memory, ports;
	uint16_t device[PLACES]; /* 1 + number of the device that a mark or a line PCIDEV told */
	uint64_t unplaced;	 /* what there was no room for */
	struct odd_map odd[ODD_MAX]; /* at its number % ODD_MAX: ntime numbers mappings from 1 on */
	bool has_odds;
	bool is_made_up; /* the next access */
	bool is_masked;
	uint32_t mask;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * Where an instruction was and which process: at the end of most lines, zeros as a rule. Text of
 * the record.
 */
static uint32_t parse_tail(struct nti_fields *f, struct ntime_record *r, struct nti_trace_batch *b,
			   const char *first, size_t first_bytes)
{
	char text[96];
	struct nti_fields begin;
	uint64_t pc = 0, pid = 0;
	size_t n = first_bytes;

	begin = *f;
	if (!nti_fields_is_end(f))
		pc = nti_fields_hex(f);
	if (!f->is_bad && !nti_fields_is_end(f))
		pid = nti_fields_dec(f);
	if (f->is_bad || !nti_fields_is_end(f)) {
		f->is_bad = true;
		return 0;
	}
	if (pid && pid <= UINT32_MAX) {
		r->thread = (uint32_t)pid;
		r->flags |= NTIME_RECORD_THREADED;
	}
	if (!pc && !n)
		return 0;
	memcpy(text, first, n);
	if (pc) {
		nti_fields_skip(&begin);
		begin.p += begin.end - begin.p > 2 && begin.p[1] == 'x' ? 2 : 0;
		if (n)
			text[n++] = ' ';
		memcpy(text + n, "pc=0x", 5);
		n += 5;
		while (begin.p < begin.end && *begin.p != ' ' && n < sizeof(text))
			text[n++] = *begin.p++;
	}
	return nti_trace_batch_text(b, text, n);
}

/*
 * "R 4 1424299207.289770 1 0xfa00a404 0xdeadbeef 0x0 0"; what stands behind the value may be
 * missing where the line is whole.
 */
static bool parse_access(const char *p, const char *end, bool is_whole, struct nti_trace_batch *b)
{
	struct ntime_record *r = &b->rec[b->n];
	struct nti_fields f = nti_fields(p + 1, end);
	uint64_t width, map;

	*r = (struct ntime_record){ .kind = *p == 'W' ? NTIME_RECORD_WRITE : NTIME_RECORD_READ,
				    .flags = NTIME_RECORD_TIMED | NTIME_RECORD_VALUED,
				    .device = NTIME_DEVICE_NONE,
				    .region = NTIME_REGION_PHYSICAL };
	width = nti_fields_dec(&f);
	r->time_ns = nti_fields_seconds(&f);
	map = nti_fields_dec(&f);
	r->offset = nti_fields_hex(&f);
	r->value = nti_fields_hex(&f);
	if (f.is_bad || !width || width > 8 || map > UINT32_MAX)
		return false;
	r->width = (uint8_t)width;
	r->source = (uint32_t)map;
	/* The usual end. */
	if (f.end - f.p == 6 && !memcmp(f.p, " 0x0 0", 6)) {
		b->n++;
		return true;
	}
	if (!is_whole)
		return false;
	r->text = parse_tail(&f, r, b, "", 0);
	b->n += !f.is_bad;
	return !f.is_bad;
}

static uint32_t parse_map_id(struct nti_fields *f)
{
	uint64_t map;

	nti_fields_skip(f);
	/* The kernel has -1 for a mapping that it does not know. */
	if (nti_fields_take(f, "-1")) {
		nti_fields_close(f);
		return UINT32_MAX;
	}
	map = nti_fields_dec(f);
	f->is_bad |= map > UINT32_MAX;
	return (uint32_t)map;
}

static bool parse_map(struct nti_fields *f, struct ntime_record *r, struct nti_trace_batch *b)
{
	char text[32] = "virt=0x";
	size_t n;

	r->source = parse_map_id(f);
	r->offset = nti_fields_hex(f);
	nti_fields_skip(f);
	if (f->end - f->p > 2 && f->p[0] == '0' && f->p[1] == 'x')
		f->p += 2;
	for (n = 7; f->p < f->end && *f->p != ' ' && *f->p != '\t' && n < 7 + 16; f->p++)
		text[n++] = *f->p;
	r->value = nti_fields_hex(f);
	if (!f->is_bad)
		r->text = parse_tail(f, r, b, text, n);
	return !f->is_bad;
}

static bool parse_unknown(struct nti_fields *f, struct ntime_record *r, struct nti_trace_batch *b)
{
	const char *bytes;

	r->source = parse_map_id(f);
	r->offset = nti_fields_hex(f);
	nti_fields_skip(f);
	bytes = f->p;
	while (f->p < f->end && *f->p != ' ' && *f->p != '\t')
		f->p++;
	if (f->p == bytes || f->p - bytes > 32)
		return false;
	if (!f->is_bad)
		r->text = parse_tail(f, r, b, bytes, (size_t)(f->p - bytes));
	return !f->is_bad;
}

/* "Lost 12 events." */
static bool parse_lost(const struct nti_fields *text, struct ntime_record *r)
{
	struct nti_fields f = *text;
	uint64_t n = 0;

	if (!nti_fields_take(&f, "Lost "))
		return false;
	if (f.p < f.end && (unsigned char)(*f.p - '0') < 10) {
		n = nti_fields_digits(&f, 19);
		nti_fields_literal(&f, " ");
	}
	if (f.is_bad || !nti_fields_take(&f, "events"))
		return false;
	r->kind = NTIME_RECORD_LOST;
	r->value = n;
	/* The kernel writes no time there. */
	if (!r->time_ns)
		r->flags &= (uint8_t)~NTIME_RECORD_TIMED;
	return true;
}

/*
 * A text; or an event of QEMU, which it writes there where the host is traced too, as ntime's own
 * back end does. Devices of lines before this one may not have their numbers yet: until settle()
 * the name of its device is where other records have the number of a mapping.
 */
static bool parse_mark(struct nti_fields *f, struct ntime_record *r, struct nti_trace_batch *b)
{
	struct ntime_record with = *r;
	uint32_t name = 0;

	if (f->p < f->end && *f->p == ' ')
		f->p++;
	if (f->end - f->p > 5 && !memcmp(f->p, "vfio_", 5) &&
	    nti_event_add(b, NULL, f->p, (size_t)(f->end - f->p), &with, &name)) {
		/* The caller counts the last one. */
		b->rec[--b->n].source = name;
		return true;
	}
	if (!parse_lost(f, r))
		r->text = nti_trace_batch_text(b, f->p, (size_t)(f->end - f->p));
	return true;
}

static bool parse_unmap(struct nti_fields *f, struct ntime_record *r, struct nti_trace_batch *b)
{
	r->source = parse_map_id(f);
	if (!f->is_bad)
		r->text = parse_tail(f, r, b, "", 0);
	return !f->is_bad;
}

/* @parse: what stands behind the time, NULL: there is none. */
static const struct key {
	const char *word;
	uint8_t bytes;
	uint8_t kind;
	bool (*parse)(struct nti_fields *f, struct ntime_record *r, struct nti_trace_batch *b);
} keys[] = {
	{ "MARK", 4, NTIME_RECORD_MARK, parse_mark },
	{ "MAP", 3, NTIME_RECORD_MAP, parse_map },
	{ "UNMAP", 5, NTIME_RECORD_UNMAP, parse_unmap },
	{ "UNKNOWN", 7, NTIME_RECORD_UNKNOWN, parse_unknown },
	{ "PCIDEV", 6, NTIME_RECORD_PCIDEV, NULL },
	{ "LSPCI", 5, NTIME_RECORD_EVENT, NULL },
	{ "VERSION", 7, NTIME_RECORD_STYLE, NULL },
};

static const struct key *find_key(const char *p, size_t n)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(keys); i++)
		if (n > keys[i].bytes && is_blank(p[keys[i].bytes]) &&
		    !memcmp(p, keys[i].word, keys[i].bytes))
			return &keys[i];
	return NULL;
}

/* A line that is no access. */
static bool parse_other_key(const struct key *key, const char *p, const char *end,
			    struct nti_trace_batch *b)
{
	struct ntime_record *r = &b->rec[b->n];
	struct nti_fields f = nti_fields(p + key->bytes + 1, end);
	bool is_good;

	*r = (struct ntime_record){ .kind = key->kind,
				    .device = NTIME_DEVICE_NONE,
				    .region = NTIME_REGION_PHYSICAL };
	if (key->kind == NTIME_RECORD_STYLE)
		return true;
	if (!key->parse) {
		struct nti_pcidev d;

		p = key->kind == NTIME_RECORD_EVENT ? p : f.p;
		if (p == f.p && !nti_pcidev_parse(p, (size_t)(f.end - p), &d))
			return false;
		r->text = nti_trace_batch_text(b, p, (size_t)(f.end - p));
		b->n++;
		return true;
	}
	r->flags = NTIME_RECORD_TIMED;
	r->time_ns = nti_fields_seconds(&f);
	if (f.is_bad)
		return false;
	is_good = key->parse(&f, r, b) && !f.is_bad;
	b->n += is_good;
	return is_good;
}

/* A line that is no access. "R 4" and something else was one; a letter alone is nobody's name. */
static enum nti_line __attribute__((noinline))
parse_else(const char *p, const char *end, bool is_whole, struct nti_trace_batch *b)
{
	const struct key *key = find_key(p, (size_t)(end - p));
	struct nti_fields f = nti_fields(p + 1, end);

	if (key)
		return (is_whole || key->kind == NTIME_RECORD_STYLE) &&
				       parse_other_key(key, p, end, b)
			       ? NTI_LINE_DONE
			       : NTI_LINE_TORN;
	if (end - p < 3 || (*p != 'R' && *p != 'W') || !is_blank(p[1]))
		return NTI_LINE_OTHER;
	(void)nti_fields_dec(&f);
	return f.is_bad ? NTI_LINE_OTHER : NTI_LINE_TORN;
}

static enum nti_line parse_line(void *state NTI_UNUSED, const char *p, const char *end,
				bool is_whole, struct nti_trace_devices *devices NTI_UNUSED,
				struct nti_trace_batch *b)
{
	if (end - p > 2 && (*p == 'R' || *p == 'W') && is_blank(p[1]) &&
	    parse_access(p, end, is_whole, b))
		return NTI_LINE_DONE;
	return parse_else(p, end, is_whole, b);
}

static ssize_t parse(void *state, const struct nti_trace_piece *piece,
		     struct nti_trace_devices *devices, struct nti_trace_batch *b)
{
	return nti_trace_lines(state, piece, devices, b, parse_line);
}

/* The first range that begins behind @address. */
static size_t upper_bound(const struct ranges *r, uint64_t address)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (r->list[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct range *find_range(struct ranges *r, uint64_t address)
{
	size_t i;

	if (r->last < r->n && address >= r->list[r->last].start && address <= r->list[r->last].end)
		return &r->list[r->last];
	i = upper_bound(r, address);
	if (!i || address > r->list[i - 1].end)
		return NULL;
	r->last = i - 1;
	return &r->list[r->last];
}

/* A device that moved has no old ranges. */
static void forget_ranges(struct ranges *r, uint16_t device)
{
	size_t i, n = 0;

	for (i = 0; i < r->n; i++)
		if (r->list[i].device != device)
			r->list[n++] = r->list[i];
	r->n = n;
}

/* False: there is no room for it. */
static bool add_range(struct ranges *r, uint64_t start, uint64_t bytes, uint16_t device,
		      uint8_t region)
{
	size_t at;

	if (!bytes || start + bytes - 1 < start)
		return true;
	if (r->n == RANGES_MAX)
		return false;
	at = upper_bound(r, start);
	memmove(r->list + at + 1, r->list + at, (r->n - at) * sizeof(*r->list));
	r->list[at] = (struct range){ start, start + bytes - 1, device, region };
	r->n++;
	return true;
}

/* The device of a number, with the name that a mark gave, else the place. */
static uint16_t know(struct order *o, struct nti_trace_devices *devices, uint32_t bus_devfn,
		     const char *name, size_t bytes)
{
	uint16_t *known = &o->device[bus_devfn % PLACES], device;
	char place[] = "0000:bb:ss.f";

	if (*known && !name)
		return (uint16_t)(*known - 1);
	if (!name) {
		(void)snprintf(place, sizeof(place), "0000:%02x:%02x.%x", bus_devfn >> 8 & 0xff,
			       bus_devfn >> 3 & 0x1f, bus_devfn & 7);
		name = place;
		bytes = sizeof(place) - 1;
	}
	device = nti_trace_device_number(devices, name, bytes);
	o->unplaced += device == NTIME_DEVICE_NONE;
	/* What has no number is asked for again. */
	*known = (uint16_t)(device + 1);
	return device;
}

static void settle_pcidev(struct order *o, struct nti_trace_devices *devices,
			  struct ntime_record *r, const char *text)
{
	struct nti_pcidev d;
	struct ntime_trace_device *info;
	unsigned int i;

	if (!nti_pcidev_parse(text, strlen(text), &d))
		return;
	r->device = know(o, devices, d.bus_devfn, NULL, 0);
	info = nti_trace_device_at(devices, r->device);
	if (!info)
		return;
	info->vendor_device = d.vendor_device;
	forget_ranges(&o->memory, r->device);
	forget_ranges(&o->ports, r->device);
	for (i = 0; i < NTI_PCIDEV_BARS; i++) {
		uint64_t start = nti_pcidev_start(i, d.bar[i]);

		info->bar[i] = d.bar[i];
		info->bar_bytes[i] = d.bytes[i];
		info->bars |= d.bar[i] ? 1u << i : 0;
		/* Ports are another space. */
		if (start && !add_range(nti_pcidev_flags(i, d.bar[i]) & 1 ? &o->ports : &o->memory,
					start, d.bytes[i], r->device, (uint8_t)i))
			o->unplaced++;
	}
}

/* Marks of ntime's own: "device ff00 is NAME". */
static void settle_device_name(struct order *o, struct nti_trace_devices *devices,
			       struct nti_fields *f)
{
	uint64_t number = nti_fields_hex(f);

	nti_fields_literal(f, " is ");
	if (!f->is_bad && number <= 0xffff && f->p < f->end && f->end - f->p < NAME_BYTES)
		(void)know(o, devices, (uint32_t)number, f->p, (size_t)(f->end - f->p));
}

static void set_odd(struct order *o, const struct odd_map *what)
{
	struct odd_map *odd = &o->odd[what->map % ODD_MAX];

	/* Where a region got another mapping nothing is lost. */
	o->unplaced += odd->is_used && (odd->device != what->device || odd->region != what->region);
	*odd = *what;
	o->has_odds = true;
}

/* "map 3 is region 8 of device 0500" */
static void settle_odd_map(struct order *o, struct nti_trace_devices *devices, struct nti_fields *f)
{
	uint64_t map = nti_fields_dec(f), region, number = 0;
	uint16_t device = NTIME_DEVICE_NONE;
	bool has_device;

	nti_fields_literal(f, " is region ");
	region = nti_fields_dec(f);
	has_device = !nti_fields_take(f, " of no device");
	if (has_device) {
		nti_fields_literal(f, " of device ");
		number = nti_fields_hex(f);
	}
	if (f->is_bad || map > UINT32_MAX || region > 0xff || number > 0xffff)
		return;
	if (has_device)
		device = know(o, devices, (uint32_t)number, NULL, 0);
	set_odd(o, &(struct odd_map){ .map = (uint32_t)map,
				      .device = device,
				      .region = (uint8_t)region,
				      .is_used = true });
}

static void settle_mark(struct order *o, struct nti_trace_devices *devices, const char *text)
{
	struct nti_fields f = nti_fields(text, text + strlen(text));

	if (!nti_fields_take(&f, "ntime: "))
		return;
	if (nti_fields_take(&f, "device ")) {
		settle_device_name(o, devices, &f);
	} else if (nti_fields_take(&f, "map ")) {
		settle_odd_map(o, devices, &f);
	} else if (nti_fields_take(&f, "the next access changes the bits ")) {
		o->mask = (uint32_t)nti_fields_hex(&f);
		o->is_masked = !f.is_bad;
	} else if (nti_fields_take(&f, "the next access is made up")) {
		o->is_made_up = true;
	}
}

/* The odd mapping of that number, NULL: it is none. */
static struct odd_map *find_odd(struct order *o, uint32_t map)
{
	struct odd_map *odd = &o->odd[map % ODD_MAX];

	return o->has_odds && odd->is_used && odd->map == map ? odd : NULL;
}

/*
 * Without marks nothing says that a mapping is one of ports, but the kernel maps memory alone:
 * where no memory of a device is, one that begins and ends as a BAR of ports is what ntime wrote of
 * that.
 */
static void find_ports(struct order *o, const struct ntime_record *r)
{
	struct odd_map *odd = &o->odd[r->source % ODD_MAX];
	const struct range *range = find_range(&o->ports, r->offset);

	if (odd->is_used && !odd->is_found)
		return;
	if (range && range->start == r->offset && range->end - range->start == r->value - 1 &&
	    !find_range(&o->memory, r->offset))
		set_odd(o, &(struct odd_map){ .map = r->source,
					      .device = range->device,
					      .region = range->region,
					      .is_used = true,
					      .is_found = true });
	else if (odd->map == r->source)
		odd->is_used = false;
}

static void settle_map(struct order *o, struct ntime_record *r)
{
	const struct range *range;
	struct odd_map *odd;

	if (o->ports.n)
		find_ports(o, r);
	odd = find_odd(o, r->source);
	if (odd) {
		r->device = odd->device;
		r->region = odd->region;
		odd->start = r->offset;
		odd->bytes = r->offset + r->value < r->offset ? 0 : r->value;
		return;
	}
	range = find_range(&o->memory, r->offset);
	if (range) {
		r->device = range->device;
		r->region = range->region;
	}
}

/* Records of other lines have physical addresses, or are of a kind that mmiotrace has itself. */
static bool is_event(const struct ntime_record *r)
{
	if (nti_record_is_access(r))
		return r->region != NTIME_REGION_PHYSICAL;
	return r->kind != NTIME_RECORD_MAP && r->kind != NTIME_RECORD_UNMAP &&
	       r->kind != NTIME_RECORD_UNKNOWN;
}

static inline void settle_address(struct order *o, struct ntime_record *r)
{
	const struct range *range;
	const struct odd_map *odd;

	/* An event of QEMU has its device and offset. */
	if (r->region != NTIME_REGION_PHYSICAL)
		return;
	odd = find_odd(o, r->source);
	if (odd && r->offset - odd->start < odd->bytes) {
		r->offset -= odd->start;
		r->device = odd->device;
		r->region = odd->region;
		return;
	}
	range = find_range(&o->memory, r->offset);
	if (!range)
		return;
	r->offset -= range->start;
	r->device = range->device;
	r->region = range->region;
}

static void settle_access(struct order *o, struct ntime_record *r)
{
	settle_address(o, r);
	if (o->is_made_up)
		r->flags |= NTIME_RECORD_SYNTHETIC;
	if (o->is_masked) {
		r->flags |= NTIME_RECORD_MASKED;
		r->mask = o->mask;
	}
	o->is_made_up = o->is_masked = false;
}

static int settle(void *order, struct nti_trace_devices *devices, struct nti_trace_batch *b)
{
	struct order *o = order;
	size_t i;

	for (i = 0; i < b->n; i++) {
		struct ntime_record *r = &b->rec[i];

		/* The device of an event in a mark, by the name that parse_mark() left. */
		if (r->source && is_event(r)) {
			const char *name = b->text + r->source - 1;

			r->device = nti_trace_device_number(devices, name, strlen(name));
			r->source = 0;
		}
		if (nti_record_is_access(r))
			settle_access(o, r);
		else if (r->kind == NTIME_RECORD_UNKNOWN)
			settle_address(o, r);
		else if (r->kind == NTIME_RECORD_PCIDEV)
			settle_pcidev(o, devices, r, nti_trace_text(b->text, r));
		else if (r->kind == NTIME_RECORD_MARK)
			settle_mark(o, devices, nti_trace_text(b->text, r));
		else if (r->kind == NTIME_RECORD_MAP)
			settle_map(o, r);
	}
	b->unplaced = o->unplaced;
	o->unplaced = 0;
	return 0;
}

/* How sure it is that a line is mmiotrace's. */
static int match_line(const char *p, size_t n)
{
	static const char version[] = "VERSION 20070824";
	struct ntime_record room_for_one;
	struct nti_trace_batch b = { .rec = &room_for_one, .room = 1 };
	int found;

	if (!n || *p < 'L' || *p > 'W')
		return 0;
	if (n >= sizeof(version) - 1 && !memcmp(p, version, sizeof(version) - 1))
		return 100;
	if (n > 2 && (*p == 'R' || *p == 'W') && is_blank(p[1]))
		found = parse_access(p, p + n, true, &b);
	else
		found = find_key(p, n) != NULL;
	free(b.text);
	return found ? 80 : 0;
}

static int match(const char *head, size_t n)
{
	return nti_trace_lines_match(head, n, match_line);
}

const struct nti_trace_front nti_trace_mmiotrace = {
	.form = NTIME_TRACE_MMIOTRACE,
	.name = "mmiotrace",
	.clock = NTIME_CLOCK_BOOT,
	.is_text = true,
	.order_bytes = sizeof(struct order),
	.match = match,
	.parse = parse,
	.settle = settle,
};
