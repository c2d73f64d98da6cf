// SPDX-License-Identifier: MIT
/* Events of QEMU's VFIO, written from records. Forms: hw/vfio/trace-events of QEMU 2.6 to 10.2. */
#include <string.h>

#include "base/common/compiler.h"
#include "trace/lib/base/device.h"
#include "trace/lib/base/digits.h"
#include "trace/lib/read/event.h"
#include "trace/lib/read/vfio_event.h"

static const uint64_t widths[9] = {
	[0] = UINT64_MAX, [1] = 0xff,	    [2] = 0xffff,     [3] = 0xffffff,  [4] = UINT32_MAX,
	[5] = UINT64_MAX, [6] = UINT64_MAX, [7] = UINT64_MAX, [8] = UINT64_MAX
};

static uint64_t value_of(const struct ntime_record *r)
{
	return r->value & widths[r->width <= 8 ? r->width : 0];
}

bool nti_event_is(const char *text)
{
	static const char *const names[] = { "vfio_", "pci_update_mappings_",
					     "memory_region_ops_" };
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(names); i++)
		if (!strncmp(text, names[i], strlen(names[i])))
			return true;
	return false;
}

size_t nti_event_room(const struct ntime_record *r NTI_UNUSED, const char *text, const char *device)
{
	return NTI_EVENT_BYTES + strlen(text) + strlen(device);
}

#define PUT(p, literal) (memcpy((p), (literal), sizeof(literal) - 1), (p) + sizeof(literal) - 1)

/* "74, 0x1f000, 4)" of a write, "74, 4) = 0x1f000" of a read. */
static char *put_rest(char *p, const struct ntime_record *r)
{
	bool is_write = r->kind == NTIME_RECORD_WRITE;

	p = nti_put_hex(p, r->offset);
	if (is_write) {
		p = PUT(p, ", 0x");
		p = nti_put_hex(p, value_of(r));
	}
	p = PUT(p, ", ");
	p = nti_put_dec(p, r->width);
	*p++ = ')';
	if (is_write)
		return p;
	p = PUT(p, " = 0x");
	return nti_put_hex(p, value_of(r));
}

char *nti_event_put_access(char *p, const struct ntime_record *r, const char *device, size_t bytes)
{
	bool is_write = r->kind == NTIME_RECORD_WRITE;

	p = is_write ? PUT(p, "vfio_region_write  (") : PUT(p, "vfio_region_read  (");
	memcpy(p, device, bytes);
	p = PUT(p + bytes, ":region");
	p = nti_put_dec(p, r->region);
	p = PUT(p, "+0x");
	return put_rest(p, r);
}

/*
 * Of no known device's region: as QEMU's memory core tells accesses at guest-physical addresses
 * (system/trace-events).
 */
static char *put_physical(char *p, const struct ntime_record *r)
{
	p = r->kind == NTIME_RECORD_WRITE ? PUT(p, "memory_region_ops_write")
					  : PUT(p, "memory_region_ops_read");
	p = PUT(p, " cpu -1 mr 0x0 addr 0x");
	p = nti_put_hex(p, r->offset);
	p = PUT(p, " value 0x");
	p = nti_put_hex(p, value_of(r));
	p = PUT(p, " size ");
	p = nti_put_dec(p, r->width ? r->width : 4);
	return PUT(p, " name 'physical'");
}

static char *put_config(char *p, const struct ntime_record *r, const char *device)
{
	bool is_write = r->kind == NTIME_RECORD_CONFIG_WRITE;

	p = is_write ? PUT(p, "vfio_pci_write_config  (") : PUT(p, "vfio_pci_read_config  (");
	p = nti_put_text(p, device);
	p = PUT(p, ", @0x");
	p = nti_put_hex(p, r->offset);
	if (is_write) {
		p = PUT(p, ", 0x");
		p = nti_put_hex(p, value_of(r));
	}
	p = PUT(p, ", len=0x");
	p = nti_put_hex(p, r->width);
	if (is_write) {
		*p++ = ')';
		return p;
	}
	p = PUT(p, ") 0x");
	return nti_put_hex(p, value_of(r));
}

static char *put_region(char *p, const struct ntime_record *r, const char *text, const char *device)
{
	p = PUT(p, "vfio_region_setup Device ");
	p = nti_put_text(p, device);
	p = PUT(p, ", region ");
	p = nti_put_dec(p, r->region);
	p = PUT(p, " \"");
	p = nti_put_text(p, text);
	p = PUT(p, "\", flags: 0x");
	p = nti_put_hex(p, r->offset);
	/*
	 * vfio-pci's descriptor has a region each 2^40 bytes (Linux,
	 * include/linux/vfio_pci_core.h).
	 */
	p = PUT(p, ", offset: 0x");
	p = nti_put_hex(p, (uint64_t)r->region << 40);
	p = PUT(p, ", size: 0x");
	return nti_put_hex(p, r->value);
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
		/* The legacy ranges of VGA are traced without their device. */
		if (r->region == NTIME_REGION_VGA && r->device == NTIME_DEVICE_NONE) {
			p = r->kind == NTIME_RECORD_WRITE ? PUT(p, "vfio_vga_write  (0x")
							  : PUT(p, "vfio_vga_read  (0x");
			return put_rest(p, r);
		}
		if (r->region == NTIME_REGION_PHYSICAL)
			return put_physical(p, r);
		return nti_event_put_access(p, r, device, strlen(device));
	case NTIME_RECORD_CONFIG_READ:
	case NTIME_RECORD_CONFIG_WRITE:
		return put_config(p, r, device);
	case NTIME_RECORD_REGION:
		return put_region(p, r, text, device);
	default:
		return NULL;
	}
}

static void add(struct nti_trace_batch *b, const struct ntime_record *r,
		const struct ntime_record *with, const char *text, size_t n)
{
	struct ntime_record *out = &b->rec[b->n++];

	*out = *r;
	out->time_ns = with->time_ns;
	out->thread = with->thread;
	out->flags |= with->flags & (NTIME_RECORD_TIMED | NTIME_RECORD_THREADED);
	out->text = n ? nti_trace_batch_text(b, text, n) : 0;
}

bool nti_event_add(struct nti_trace_batch *b, struct nti_trace_devices *devices, const char *text,
		   size_t n, const struct ntime_record *with, uint32_t *name)
{
	struct ntime_record whole = { .kind = NTIME_RECORD_EVENT, .device = NTIME_DEVICE_NONE };
	struct nti_vfio_event e;

	if (nti_vfio_event_parse(text, n, false, &e) != NTI_VFIO_DONE)
		return false;
	if (e.whole) {
		add(b, &whole, with, text, n);
		e.r.flags |= NTIME_RECORD_SYNTHETIC;
	}
	if (!devices)
		*name = e.name_bytes ? nti_trace_batch_text(b, e.name, e.name_bytes) : 0;
	else if (e.name_bytes)
		e.r.device = nti_trace_device_number(devices, e.name, e.name_bytes);
	add(b, &e.r, with, e.text, e.text ? e.text_bytes : 0);
	return true;
}
