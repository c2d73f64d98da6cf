/* SPDX-License-Identifier: MIT */
/* The devices of a trace: names to numbers, and what is learnt of each. */
#ifndef NTI_TRACE_DEVICE_H
#define NTI_TRACE_DEVICE_H

#include <stdbool.h>

#include <ntime/trace/trace.h>

struct nti_trace_devices;

/* Those of a reader. */
struct nti_trace_devices *nti_trace_devices_of(struct ntime_trace *t);

int nti_trace_devices_new(struct nti_trace_devices **out);
void nti_trace_devices_free(struct nti_trace_devices *d);
size_t nti_trace_devices_count(const struct nti_trace_devices *d);

/*
 * Number of the device of that name, a new one if nobody named it before; NTIME_DEVICE_NONE when
 * there are 65,535, when their names take 8 MiB, or when the name has more than 4096 bytes: such
 * refusals are counted; and without memory. Parsers keep the last few names they saw.
 */
uint16_t nti_trace_device_number(struct nti_trace_devices *d, const char *name, size_t bytes);

/* Whether memory was short for a name: what was read since then lacks its device. */
bool nti_trace_devices_is_short(const struct nti_trace_devices *d);

/* How often a name got no number. */
uint64_t nti_trace_devices_refused(const struct nti_trace_devices *d);

/* How many names of the table all searches met: what tests hold it to. */
uint64_t nti_trace_devices_compared(const struct nti_trace_devices *d);

/*
 * Numbers of "dddd:bb:ss.f" or "bb:ss.f", the whole of @name, into @pub; false where it is no place
 * of PCI.
 */
bool nti_trace_device_place(struct ntime_trace_device *pub, const char *name);

/* ntime_trace_device_fits() by name. */
bool nti_trace_device_fits(const char *name, const char *glob);

/* What is known of one; the pointer stays valid. NULL beyond the count. */
struct ntime_trace_device *nti_trace_device_at(struct nti_trace_devices *d, size_t index);

/*
 * Learn from a record what it tells of its device: identification and BARs from configuration
 * accesses, sizes from regions.
 */
void nti_trace_device_learn(struct nti_trace_devices *d, const struct ntime_record *r);

#endif
