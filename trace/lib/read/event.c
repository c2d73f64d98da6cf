// SPDX-License-Identifier: MIT
/* Events of QEMU's VFIO, written from records. Forms: hw/vfio/trace-events of QEMU 2.6 to 10.2. */
#include <errno.h>
#include <string.h>

#include "base/common/compiler.h"
#include "trace/lib/base/device.h"
#include "trace/lib/base/digits.h"
#include "trace/lib/read/event.h"
#include "trace/lib/read/vfio_event.h"

bool nti_event_is(const char *text)
{
	return nti_vfio_event_begins(text, strlen(text));
}

size_t nti_event_room(const char *text, const char *device)
{
	return NTI_EVENT_BYTES + strlen(text) + strlen(device);
}

/* "0x%v": what a letter behind '%' in a form stands for. */
static char *put_field(char *p, char letter, const struct ntime_record *r, const char *text,
		       const char *device)
{
	switch (letter) {
	case 'd':
		return nti_put_text(p, device);
	case 't':
		return nti_put_text(p, text);
	case 'r':
		return nti_put_dec(p, r->region);
	case 'w':
		return nti_put_dec(p, r->width);
	case 'W': /* what a word has, where nobody told */
		return nti_put_dec(p, r->width ? r->width : 4);
	case 'l':
		return nti_put_hex(p, r->width);
	case 'o':
		return nti_put_hex(p, r->offset);
	case 'v':
		return nti_put_hex(p, r->value & nti_width_mask(r->width));
	case 's':
		return nti_put_hex(p, r->value);
	default:
		/*
		 * vfio-pci's descriptor has a region each 2^40 bytes (Linux,
		 * include/linux/vfio_pci_core.h).
		 */
		return nti_put_hex(p, (uint64_t)r->region << 40);
	}
}

static char *put_form(char *p, const char *form, const struct ntime_record *r, const char *text,
		      const char *device)
{
	for (; *form; form++) {
		if (*form == '%')
			p = put_field(p, *++form, r, text, device);
		else
			*p++ = *form;
	}
	return p;
}

/* How an access is written: by what it goes to, then reads and writes. */
enum access_form { FORM_REGION, FORM_BEFORE_23, FORM_VGA, FORM_PHYSICAL };

static char *put_access(char *p, enum access_form form, const struct ntime_record *r,
			const char *device)
{
	static const char *const forms[][2] = {
		{ "vfio_region_read  (%d:region%r+0x%o, %w) = 0x%v",
		  "vfio_region_write  (%d:region%r+0x%o, 0x%v, %w)" },
		{ "vfio_bar_read(%d:BAR%r+0x%o, %w) = 0x%v",
		  "vfio_bar_write(%d:BAR%r+0x%o, 0x%v, %w)" },
		/* The legacy ranges of VGA are traced without their device. */
		{ "vfio_vga_read  (0x%o, %w) = 0x%v", "vfio_vga_write  (0x%o, 0x%v, %w)" },
		/*
		 * Of no known device's region: as QEMU's memory core tells accesses at
		 * guest-physical addresses (system/trace-events).
		 */
		{ "memory_region_ops_read cpu -1 mr 0x0 addr 0x%o value 0x%v size %W name "
		  "'physical'",
		  "memory_region_ops_write cpu -1 mr 0x0 addr 0x%o value 0x%v size %W name "
		  "'physical'" },
	};

	return put_form(p, forms[form][r->kind == NTIME_RECORD_WRITE], r, "", device);
}

char *nti_event_put_access(char *p, const struct ntime_record *r, const char *device,
			   bool is_before_23)
{
	return put_access(p, is_before_23 ? FORM_BEFORE_23 : FORM_REGION, r, device);
}

static enum access_form form_of(const struct ntime_record *r)
{
	if (r->region == NTIME_REGION_PHYSICAL)
		return FORM_PHYSICAL;
	return r->region == NTIME_REGION_VGA && r->device == NTIME_DEVICE_NONE ? FORM_VGA
									       : FORM_REGION;
}

/* An event's text is all of it, whoever's it is; mmiotrace's "LSPCI ..." is no event. */
static bool is_text_all(const struct ntime_record *r, const char *text)
{
	return nti_event_is(text) ||
	       (r->kind == NTIME_RECORD_EVENT && *text >= 'a' && *text <= 'z');
}

bool nti_event_has(const struct ntime_record *r, const char *text)
{
	return is_text_all(r, text) || nti_record_is_access(r) ||
	       r->kind == NTIME_RECORD_CONFIG_READ || r->kind == NTIME_RECORD_CONFIG_WRITE ||
	       r->kind == NTIME_RECORD_REGION;
}

char *nti_event_put(char *p, const struct ntime_record *r, const char *text, const char *device)
{
	if (is_text_all(r, text))
		return nti_put_text(p, text);
	switch (r->kind) {
	case NTIME_RECORD_READ:
	case NTIME_RECORD_WRITE:
		return put_access(p, form_of(r), r, device);
	case NTIME_RECORD_CONFIG_READ:
		return put_form(p, "vfio_pci_read_config  (%d, @0x%o, len=0x%l) 0x%v", r, text,
				device);
	case NTIME_RECORD_CONFIG_WRITE:
		return put_form(p, "vfio_pci_write_config  (%d, @0x%o, 0x%v, len=0x%l)", r, text,
				device);
	case NTIME_RECORD_REGION:
		return put_form(p,
				"vfio_region_setup Device %d, region %r \"%t\", flags: 0x%o, "
				"offset: 0x%R, size: 0x%s",
				r, text, device);
	default:
		return NULL;
	}
}

static bool add(struct nti_trace_batch *b, const struct ntime_record *r,
		const struct ntime_record *with, const char *text, size_t n)
{
	struct ntime_record *out;

	if (nti_trace_batch_reserve(b, 1) < 0) {
		b->error = -ENOMEM;
		return false;
	}
	out = &b->rec[b->n++];
	*out = *r;
	out->time_ns = with->time_ns;
	out->thread = with->thread;
	out->flags |= with->flags & (NTIME_RECORD_TIMED | NTIME_RECORD_THREADED);
	out->text = text ? nti_trace_batch_text(b, text, n) : 0;
	return true;
}

bool nti_event_append(struct nti_trace_batch *b, struct nti_vfio_event *e,
		      const struct ntime_record *with, const char *text, size_t n)
{
	struct ntime_record whole = { .kind = NTIME_RECORD_EVENT, .device = NTIME_DEVICE_NONE };

	if (e->whole && !add(b, &whole, with, text, n))
		return false;
	e->r.flags |= e->whole ? NTIME_RECORD_SYNTHETIC : 0;
	return add(b, &e->r, with, e->text, e->text_bytes);
}

bool nti_event_add(struct nti_trace_batch *b, struct nti_trace_devices *devices, const char *text,
		   size_t n, const struct ntime_record *with, uint32_t *name)
{
	struct nti_vfio_event e;

	if (nti_vfio_event_parse(text, n, false, &e) != NTI_VFIO_DONE)
		return false;
	if (!devices)
		*name = e.name_bytes ? nti_trace_batch_text(b, e.name, e.name_bytes) : 0;
	else if (e.name_bytes)
		e.r.device = nti_trace_device_number(devices, e.name, e.name_bytes);
	if (!e.text_bytes)
		e.text = NULL;
	return nti_event_append(b, &e, with, text, n);
}
