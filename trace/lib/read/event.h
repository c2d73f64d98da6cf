/* SPDX-License-Identifier: MIT */
/*
 * Events of QEMU's VFIO in text, from the event's name on: what stands behind the prefix of a line.
 */
#ifndef NTI_TRACE_EVENT_H
#define NTI_TRACE_EVENT_H

#include <stdbool.h>

#include "trace/lib/base/batch.h"

struct nti_trace_devices;
struct nti_vfio_event;

/* Room for an event without its texts. */
#define NTI_EVENT_BYTES 256

/*
 * Is @text an event from its name on ("vfio_...", "pci_update_mappings_...",
 * "memory_region_ops_...")?
 */
bool nti_event_is(const char *text);

/* Has the record a line of QEMU's? What nti_event_put() must be asked for. */
bool nti_event_has(const struct ntime_record *r, const char *text);

/* Bytes that nti_event_put() needs at most. */
size_t nti_event_room(const char *text, const char *device);

/*
 * The event of a record: its text where it has that, else made of its fields as QEMU 2.6 and later
 * write it; NULL when there is no event that could say it. @device is the name of its device.
 * Returns the end.
 */
char *nti_event_put(char *p, const struct ntime_record *r, const char *text, const char *device);

/*
 * The other way: append the records of the event @text to @b, which has room for two, with the time
 * and thread of @with. False: it is no event that is known to the end, and nothing was appended.
 * Without @devices the last record gets no device; *@name becomes what .text of a record with the
 * device's name is, 0 where the event has none.
 */
bool nti_event_add(struct nti_trace_batch *b, struct nti_trace_devices *devices, const char *text,
		   size_t n, const struct ntime_record *with, uint32_t *name);

/* The records of an event that is understood, whose text is @text. False without memory. */
bool nti_event_append(struct nti_trace_batch *b, struct nti_vfio_event *e,
		      const struct ntime_record *with, const char *text, size_t n);

/* An access of a region, whichever; @is_before_23: as QEMU before 2.3 writes it. */
char *nti_event_put_access(char *p, const struct ntime_record *r, const char *device,
			   bool is_before_23);

#endif
