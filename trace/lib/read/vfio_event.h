/* SPDX-License-Identifier: MIT */
/* One trace event of QEMU, from its name on, as text. */
#ifndef NTI_TRACE_VFIO_EVENT_H
#define NTI_TRACE_VFIO_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include <ntime/trace/trace.h>

struct nti_trace_batch;
struct nti_trace_devices;

/* What became of a line. */
enum nti_vfio_result {
	NTI_VFIO_NONE,	    /* no event */
	NTI_VFIO_DONE,	    /* record @r is complete */
	NTI_VFIO_TWO_LINES, /* it needs the line behind */
	NTI_VFIO_BROKEN,    /* it begins as one that we know and goes on otherwise */
};

/**
 * struct nti_vfio_event - an event understood
 * @r:		the record, without time and thread
 * @text, @text_bytes: its text, in the line; 0 bytes: none
 * @whole:	an EVENT with the whole line comes before @r, which is synthetic
 * @name, @name_bytes: of the device, in the line; 0 bytes: none
 * @is_before_23: it is in the form of QEMU before 2.3
 */
struct nti_vfio_event {
	struct ntime_record r;
	const char *text;
	size_t text_bytes;
	bool whole;
	const char *name;
	size_t name_bytes;
	bool is_before_23;
};

/*
 * Does an event begin there, from its name on ("vfio_...", "pci_update_mappings_...",
 * "memory_region_ops_...")?
 */
bool nti_vfio_event_begins(const char *p, size_t n);

/* Where in the first bytes of a line an event begins: offset, -1 nowhere. Search from @from on. */
int nti_vfio_event_find(const char *p, size_t n, size_t from);

/*
 * Understand the event that @p begins with; @n to the end of the line (or of the second one)
 * without its newline.
 */
enum nti_vfio_result nti_vfio_event_parse(const char *p, size_t n, bool is_last,
					  struct nti_vfio_event *out);

/*
 * Does a line of @n bytes have the name of an event that we know, other than as an option of QEMU's
 * or in its message that an access failed?
 */
bool nti_vfio_event_is_named(const char *p, size_t n);

/*
 * The event @p with the white space that QEMU writes, as far as that stands around marks; bytes in
 * @out, which has room for twice @n and four more.
 */
size_t nti_vfio_event_respace(const char *p, size_t n, char *out);

#endif
