// SPDX-License-Identifier: MIT
/*
 * Front end: files of QEMU's trace backend "simple", version 4. Form: trace/simple.c and
 * scripts/simpletrace.py of QEMU 7.2.
 *
 *     header   ~0:64 0xf2b177cb0aa429b4:64 version:64       all in the byte order of the machine
 *                                                           that wrote it, without padding
 *     mapping  0:64 event:64 length:32 name                 numbers of events change from run to
 *                                                           run
 *     event    1:64 event:64 time_ns:64 length:32 pid:32 arguments      length counts from event on
 *
 * Arguments are 64 bits each, texts a length of 32 bits and bytes. Which an event has stands in
 * another file, so those that we need are in the table below; their lengths are checked, others are
 * passed over.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "trace/lib/base/device.h"
#include "trace/lib/base/digits.h"
#include "trace/lib/read/event.h"
#include "trace/lib/read/front.h"

#define HEADER_EVENT UINT64_MAX
#define HEADER_MAGIC 0xf2b177cb0aa429b4ull
#define VERSION 4
#define TYPE_MAPPING 0
#define TYPE_EVENT 1
#define DROPPED 0xfffffffffffffffeull
#define HEADER_BYTES 24
#define MAPPING_BYTES 20
#define EVENT_BYTES 32
/* What length counts of an event without arguments. */
#define EVENT_LENGTH 24
/* QEMU cuts texts at 512 bytes; its longest event has a dozen arguments. */
#define TEXT_MAX 512
#define LENGTH_MAX 65536
#define NAME_MAX_BYTES 256
/*
 * QEMU numbers its events from 0 without gaps, and has some thousands (trace/control.c,
 * trace_event_register_group()).
 */
#define NUMBERS_MAX 65536
#define ARGUMENTS_MAX 8
/* Bytes that an access may have: bit n is n of them. */
#define WIDTHS (1u << 1 | 1u << 2 | 1u << 4 | 1u << 8)

/*
 * Events: hw/vfio/trace-events of QEMU 7.2 (the same arguments from 2.6 to 10.2). In a form "%s" is
 * a text, "%x", "%d" and "%c" are numbers. The first two have no form: they are most of a file, and
 * are made into records without text.
 */
static const struct event {
	const char *name, *form;
} events[] = {
	{ "vfio_region_write", NULL },
	{ "vfio_region_read", NULL },
	{ "vfio_pci_read_config", "  (%s, @0x%x, len=0x%x) 0x%x" },
	{ "vfio_pci_write_config", "  (%s, @0x%x, 0x%x, len=0x%x)" },
	{ "vfio_region_setup",
	  " Device %s, region %d \"%s\", flags: 0x%x, offset: 0x%x, size: 0x%x" },
	{ "vfio_region_mmap", " Region %s [0x%x - 0x%x]" },
	{ "vfio_region_mmaps_set_enabled", " Region %s mmaps enabled: %d" },
	{ "vfio_intx_interrupt", "  (%s) Pin %c" },
	{ "vfio_intx_eoi", "  (%s) EOI" },
	{ "vfio_intx_enable", "  (%s)" },
	{ "vfio_intx_disable", "  (%s)" },
	{ "vfio_msi_interrupt", "  (%s) vector %d 0x%x/0x%x" },
	{ "vfio_msi_enable", "  (%s) Enabled %d MSI vectors" },
	{ "vfio_msi_disable", "  (%s)" },
	{ "vfio_msix_enable", "  (%s)" },
	{ "vfio_msix_disable", "  (%s)" },
	{ "vfio_vga_write", "  (0x%x, 0x%x, %d)" },
	{ "vfio_vga_read", "  (0x%x, %d) = 0x%x" },
	{ "vfio_rom_read", "  (%s, 0x%x, 0x%x) = 0x%x" },
	{ "vfio_quirk_generic_mirror_read", " %s %s 0x%x: 0x%x" },
	{ "vfio_quirk_generic_mirror_write", " %s %s 0x%x: 0x%x" },
	{ "vfio_ioeventfd_init", " %s+0x%x[%d]:0x%x vfio:%d" },
	{ "vfio_ioeventfd_handler", " %s+0x%x[%d] -> 0x%x" },
};
#define REGION_WRITE 0u
#define REGION_READ 1u

struct state {
	bool has_header;
	uint8_t which[NUMBERS_MAX]; /* by number: 1 + the index in events[], 0 none of ours */
	/* the device before, whose name is compared first */
	uint16_t device;
	uint32_t name_bytes;
	char name[NAME_MAX_BYTES];
};

/* Arguments, from front to back. */
struct args {
	const char *p, *end;
	bool is_bad;
};

static uint64_t load64(const char *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static uint32_t load32(const char *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static uint64_t get_number(struct args *a)
{
	const char *p = a->p;

	if (a->end - p < 8) {
		a->is_bad = true;
		return 0;
	}
	a->p += 8;
	return load64(p);
}

static const char *get_text(struct args *a, size_t *bytes)
{
	const char *p;

	*bytes = 0;
	if (a->end - a->p < 4 || load32(a->p) > TEXT_MAX ||
	    load32(a->p) > (size_t)(a->end - a->p) - 4) {
		a->is_bad = true;
		return "";
	}
	*bytes = load32(a->p);
	p = a->p + 4;
	a->p = p + *bytes;
	/* What a line could not hold either. */
	a->is_bad |= memchr(p, '\0', *bytes) || memchr(p, '\n', *bytes);
	return p;
}

static uint16_t device_of(struct state *s, struct nti_trace_devices *devices, const char *name,
			  size_t bytes)
{
	if (s->name_bytes && s->name_bytes == bytes && !memcmp(s->name, name, bytes))
		return s->device;
	s->device = nti_trace_device_number(devices, name, bytes);
	s->name_bytes = 0;
	if (bytes <= NAME_MAX_BYTES) {
		memcpy(s->name, name, bytes);
		s->name_bytes = (uint32_t)bytes;
	}
	return s->device;
}

/*
 * vfio_region_write(name, index, addr, data, size), vfio_region_read(name, index, addr, size, data)
 */
static bool add_access(struct state *s, struct args *a, uint32_t which,
		       const struct ntime_record *with, struct nti_trace_devices *devices,
		       struct nti_trace_batch *b)
{
	struct ntime_record *r = &b->rec[b->n];
	const char *name;
	size_t bytes;
	uint64_t region, first, second, width;

	*r = *with;
	name = get_text(a, &bytes);
	region = get_number(a);
	r->offset = get_number(a);
	first = get_number(a);
	second = get_number(a);
	r->value = which == REGION_READ ? second : first;
	width = which == REGION_READ ? first : second;
	if (a->is_bad || a->p != a->end || region > 0xfe || width > 8 || !(1u << width & WIDTHS))
		return false;
	r->region = (uint8_t)region;
	r->width = (uint8_t)width;
	r->kind = which == REGION_WRITE ? NTIME_RECORD_WRITE : NTIME_RECORD_READ;
	r->flags |= NTIME_RECORD_VALUED;
	r->device = device_of(s, devices, name, bytes);
	b->n++;
	b->accesses++;
	return true;
}

static char *put_argument(char *p, struct args *a, char form)
{
	const char *text;
	uint64_t number;
	size_t bytes;

	if (form == 's') {
		text = get_text(a, &bytes);
		if (!a->is_bad)
			memcpy(p, text, bytes);
		return a->is_bad ? p : p + bytes;
	}
	number = get_number(a);
	if (form == 'x')
		return nti_put_hex(p, number);
	if (form == 'd')
		return nti_put_dec(p, number);
	/* A pin is passed as its letter; events about something else are not in the table. */
	*p = number >= 'A' && number <= 'D' ? (char)number : '?';
	return p + 1;
}

/* As the line that another backend would have written, and that as a record. */
static bool add_event(struct args *a, const struct event *e, const struct ntime_record *with,
		      struct nti_trace_devices *devices, struct nti_trace_batch *b)
{
	char line[ARGUMENTS_MAX * (TEXT_MAX + 16) + 256], *p = line;
	const char *form;
	size_t before = b->n;
	bool is_done;

	p = nti_put_text(p, e->name);
	for (form = e->form; *form && !a->is_bad; form++) {
		if (*form == '%')
			p = put_argument(p, a, *++form);
		else
			*p++ = *form;
	}
	if (a->is_bad || a->p != a->end)
		return false;
	is_done = nti_event_add(b, devices, line, (size_t)(p - line), with, NULL);
	if (is_done && b->n > before && nti_record_is_access(&b->rec[b->n - 1]))
		b->accesses++;
	return is_done;
}

/* Others are not kept; a number that was ours may become another's. */
static void learn_mapping(struct state *s, uint64_t event, const char *name, size_t bytes)
{
	size_t which;

	if (event >= NUMBERS_MAX)
		return;
	s->which[event] = 0;
	for (which = 0; which < NTI_ARRAY_SIZE(events); which++)
		if (strlen(events[which].name) == bytes && !memcmp(events[which].name, name, bytes))
			s->which[event] = (uint8_t)(which + 1);
}

/* An event that is whole; @args its arguments. */
static int take_event(struct state *s, const char *p, size_t length,
		      struct nti_trace_devices *devices, struct nti_trace_batch *b)
{
	uint64_t event = load64(p + 8);
	struct args a = { p + EVENT_BYTES, p + 8 + length, false };
	struct ntime_record with = { .time_ns = load64(p + 16),
				     .thread = load32(p + 28),
				     .device = NTIME_DEVICE_NONE,
				     .flags = NTIME_RECORD_TIMED | NTIME_RECORD_THREADED };
	uint32_t which;

	if (nti_trace_batch_reserve(b, 2) < 0)
		return -ENOMEM;
	if (event == DROPPED) {
		with.kind = NTIME_RECORD_LOST;
		with.value = get_number(&a);
		b->rec[b->n++] = with;
		return 0;
	}
	if (event >= NUMBERS_MAX || !s->which[event]) {
		b->others++;
		return 0;
	}
	which = s->which[event] - 1u;
	if (events[which].form ? !add_event(&a, &events[which], &with, devices, b)
			       : !add_access(s, &a, which, &with, devices, b))
		b->torn++;
	return 0;
}

/* Bytes of the record at @p; 0: not all of it is there; -EBADMSG. */
static ssize_t measure(const char *p, size_t n)
{
	uint64_t length;

	if (n < 8)
		return 0;
	if (load64(p) == TYPE_MAPPING) {
		if (n < MAPPING_BYTES)
			return 0;
		length = load32(p + 16);
		if (length > TEXT_MAX)
			return -EBADMSG;
		return n - MAPPING_BYTES < length ? 0 : (ssize_t)(MAPPING_BYTES + length);
	}
	if (load64(p) != TYPE_EVENT)
		return -EBADMSG;
	if (n < EVENT_BYTES)
		return 0;
	length = load32(p + 24);
	if (length < EVENT_LENGTH || length > LENGTH_MAX)
		return -EBADMSG;
	return n - 8 < length ? 0 : (ssize_t)(8 + length);
}

static ssize_t parse(void *state, const struct nti_trace_piece *piece,
		     struct nti_trace_devices *devices, struct nti_trace_batch *b)
{
	struct state *s = state;
	const char *p = piece->bytes, *end = p + piece->n;
	ssize_t n = 1;
	int ret = 0;

	if (!s->has_header) {
		if (piece->n < HEADER_BYTES)
			return piece->is_last ? -EBADMSG : 0;
		if (load64(p) != HEADER_EVENT || load64(p + 8) != HEADER_MAGIC ||
		    load64(p + 16) != VERSION)
			return -EBADMSG;
		s->has_header = true;
		p += HEADER_BYTES;
	}
	while (!ret && p < end) {
		n = measure(p, (size_t)(end - p));
		if (n <= 0)
			break;
		if (load64(p) == TYPE_MAPPING)
			learn_mapping(s, load64(p + 8), p + MAPPING_BYTES, load32(p + 16));
		else
			ret = take_event(s, p, (size_t)n - 8, devices, b);
		p += n;
	}
	if (n < 0)
		ret = (int)n;
	b->bad_at = (size_t)(p - piece->bytes);
	/* QEMU was ended while it wrote: as a line that breaks off. */
	if (!ret && p < end && piece->is_last) {
		b->torn++;
		b->cut++;
		p = end;
	}
	return ret ? ret : p - piece->bytes;
}

static int match(const char *head, size_t n)
{
	uint64_t magic;

	if (n < HEADER_BYTES || load64(head) != HEADER_EVENT)
		return 0;
	magic = load64(head + 8);
	return magic == HEADER_MAGIC || __builtin_bswap64(magic) == HEADER_MAGIC ? 100 : 0;
}

static const char *refuse(const char *head, size_t n)
{
	if (n < HEADER_BYTES)
		return NULL;
	if (load64(head + 8) != HEADER_MAGIC)
		return "it was written by a machine of the other byte order; convert it there";
	if (load64(head + 16) < VERSION)
		return "it has a version before 4, in which numbers of events mean something else "
		       "in each build of QEMU; "
		       "have scripts/simpletrace.py of that build print it, or record with the "
		       "backend 'log'";
	if (load64(head + 16) > VERSION)
		return "it has a version above 4, which this ntime does not know";
	return NULL;
}

const struct nti_trace_front nti_trace_simple = {
	.form = NTIME_TRACE_SIMPLE,
	.name = "a file of QEMU's trace backend 'simple'",
	.clock = NTIME_CLOCK_BOOT,
	.state_bytes = sizeof(struct state),
	.match = match,
	.refuse = refuse,
	.parse = parse,
};
