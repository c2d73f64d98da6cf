/* SPDX-License-Identifier: MIT */
/*
 * Records made of any bytes, for what reads batches: FUZZ_RECORD_BYTES each, so that a mutation
 * changes one record and those behind it stay. Times go forward, mostly; devices, offsets and
 * threads are few, so that some meet.
 */
#ifndef FUZZ_TRACE_RECORDS_H
#define FUZZ_TRACE_RECORDS_H

#include <ntime/trace.h>

#include "base/common/compiler.h"
#include "base/tests/fuzz/fuzz.h"
#include "trace/lib/base/device.h"

#define FUZZ_RECORD_BYTES 10
#define FUZZ_RECORDS 128

/* The devices of all such traces; the number behind them is of none. */
static const char *const fuzz_devices[] = { "0000:05:00.0", "10000:e1:00.1", "fff51000.ethernet" };

static inline struct nti_trace_devices *fuzz_make_devices(void)
{
	struct nti_trace_devices *devices = NULL;

	fuzz_expect(nti_trace_devices_new(&devices) == 0);
	for (size_t i = 0; i < NTI_ARRAY_SIZE(fuzz_devices); i++)
		fuzz_expect(nti_trace_device_number(devices, fuzz_devices[i],
						    strlen(fuzz_devices[i])) == i);
	return devices;
}

static inline struct ntime_record fuzz_record(struct fuzz_bytes *in, uint64_t *now)
{
	static const uint8_t widths[] = { 4, 8, 2, 1, 0, 4, 4, 4 };
	uint8_t kind = (uint8_t)fuzz_get(in, 1), where, which;
	struct ntime_record r = { 0 };
	uint64_t number;

	/* Half of them are accesses. */
	r.kind = kind & 0x80 ? NTIME_RECORD_MARK +
				       (kind & 0x7f) % (NTIME_RECORD_KINDS - NTIME_RECORD_MARK)
			     : kind & 1;
	r.flags = (uint8_t)fuzz_get(in, 1) &
		  (NTIME_RECORD_TIMED | NTIME_RECORD_VALUED | NTIME_RECORD_SYNTHETIC |
		   NTIME_RECORD_MASKED | NTIME_RECORD_THREADED);
	where = (uint8_t)fuzz_get(in, 1);
	which = where & 3;
	r.device = which < NTI_ARRAY_SIZE(fuzz_devices) ? which : NTIME_DEVICE_NONE;
	r.width = widths[where >> 2 & 7];
	r.region = (uint8_t)(where >> 5);
	number = fuzz_get(in, 2);
	r.offset = number & 0x8000 ? (number & 0x7fff) << 24 : number;
	number = fuzz_get(in, 4);
	r.value = number & 0x80000000 ? number << 24 | number >> 8 : number;
	r.thread = r.flags & NTIME_RECORD_THREADED ? (uint32_t)(number >> 24) : 0;
	r.mask = r.flags & NTIME_RECORD_MASKED ? (uint32_t)number : 0;
	r.source = which + 1u;
	number = fuzz_get(in, 1);
	*now = number == 255 ? *now - 7 : *now + number * number * 100;
	r.time_ns = r.flags & NTIME_RECORD_TIMED ? *now : 0;
	return r;
}

/* All records of @in, at most @room; how many. */
static inline size_t fuzz_records(struct fuzz_bytes *in, struct ntime_record *rec, size_t room)
{
	uint64_t now = 1000000000;
	size_t n = 0;

	while (n < room && in->at < in->end)
		rec[n++] = fuzz_record(in, &now);
	return n;
}

static inline struct ntime_trace_batch fuzz_batch(const struct ntime_record *rec, size_t n)
{
	return (struct ntime_trace_batch){
		.size = sizeof(struct ntime_trace_batch), .n = n, .records = rec, .text = ""
	};
}

static inline bool fuzz_is_counted(const struct ntime_record *r)
{
	return r->kind < NTIME_RECORD_MARK && !(r->flags & NTIME_RECORD_SYNTHETIC);
}

#endif
