/* SPDX-License-Identifier: MIT */
/*
 * What writing mmiotrace knows: devices and their regions, mappings, the time. Parts: mm_state,
 * mm_learn, mm_lines, mm_map; to_mmiotrace joins them.
 */
#ifndef NTI_TRACE_MM_H
#define NTI_TRACE_MM_H

#include <ntime/trace/trace.h>

#include "trace/lib/base/digits.h"
#include "trace/lib/write/left_out.h"
#include "trace/lib/write/place.h"
#include "trace/lib/write/writer.h"

/* Longest line without a text. */
#define NTI_MM_LINE_BYTES 256
/* Where the kernel's mappings are on x86-64: must only be unique. */
#define NTI_MM_VIRTUAL 0xffffc90000000000ull
/* Between records of a trace without times. */
#define NTI_MM_COUNTED_NS 1000ull

/**
 * struct nti_mm_entry - of a region of a device, one line of the cache
 * @base:	physical address of its offset 0
 * @limit:	offsets below are mapped; 0: the slow way
 * @bytes, @map: the mapping that was written at @base, map 0: none
 * @told_start, @told_bytes: what the last line PCIDEV says
 * @digits:	of all addresses of the mapping; 0: they have different numbers of digits
 * @head:	" MAP 0x"
 */
struct nti_mm_entry {
	uint64_t base, limit;
	uint64_t bytes;
	uint64_t told_start, told_bytes;
	uint32_t map;
	uint8_t head_bytes, digits;
	char head[16];
};

_Static_assert(sizeof(struct nti_mm_entry) == 64, "one line of the cache");

/* What is to be known of the accesses of a device before anything is written. */
struct nti_mm_ahead {
	uint32_t accessed; /* bit n: region n was */
	uint32_t boot0;	   /* read at the start of BAR 0, 0 never */
};

struct nti_mm {
	uint32_t flags;
	bool is_native; /* the trace has mappings of its own: its numbers are kept */
	bool has_time;
	bool in_request; /* in a list of operations that will be handed back */
	bool has_lists;	 /* there are such: NVIDIA's driver alone asks for them */
	uint32_t maps;
	uint64_t base_ns, last_ns, sequence;
	struct nti_trace_devices *devices;
	struct nti_hints hints;
	struct nti_places places;
	struct nti_mm_entry *entries; /* NTI_PLACE_REGIONS of each place */
	struct nti_mm_ahead *ahead;
	size_t room; /* of both, in places */
	struct nti_seconds seconds;
	struct nti_left_out left_out;
	int error;
};

/* Where lines go. */
struct nti_mm_sink {
	struct nti_trace_bytes *out;
	const struct ntime_record *r; /* whose time new lines have; NULL: the start's */
};

static inline size_t nti_mm_index(uint16_t device)
{
	return device == NTIME_DEVICE_NONE ? 0 : (size_t)device + 1;
}

static inline struct nti_mm_entry *nti_mm_entries(struct nti_mm *s, const struct nti_place *p)
{
	return s->entries + (size_t)(p - s->places.list) * NTI_PLACE_REGIONS;
}

/* mm_state: what is known of all devices. */

void nti_mm_free(void *state);

/* The place of a record's device; NULL without memory, and s->error tells. */
struct nti_place *nti_mm_place(struct nti_mm *s, uint16_t device);

/* Regions that changed take the slow way. */
void nti_mm_forget(struct nti_mm *s, const struct nti_place *p, uint32_t regions);

/* mm_learn: what records tell of a device, before and while lines are written. */

int nti_mm_look(void *state, const struct nti_trace_batch *b);

/* Is it a record for nti_mm_learn()? */
bool nti_mm_is_learnt(const struct ntime_record *r);
void nti_mm_learn(struct nti_mm *s, struct nti_place *p, const struct ntime_record *r);

/* A line PCIDEV of the trace. */
void nti_mm_learn_pcidev(struct nti_mm *s, const struct ntime_record *r, const char *text);

/* What an access tells of the vendor. */
void nti_mm_learn_vendor(const struct nti_mm *s, struct nti_place *p, const struct ntime_record *r);

/* mm_lines: lines of records. */

/* The time that is shown: one that goes back behind the first one has no digits. */
uint64_t nti_mm_time(struct nti_mm *s, const struct ntime_record *r);
char *nti_mm_put_time(char *p, struct nti_mm *s, const struct ntime_record *r);

/* Room for a line with @bytes of text, NULL without memory; then where the line ends. */
char *nti_mm_room(struct nti_mm *s, const struct nti_mm_sink *k, size_t bytes);
void nti_mm_done(const struct nti_mm_sink *k, const char *p);

/* A line MARK. */
void NTI_PRINTF(3, 4)
	nti_mm_mark_format(struct nti_mm *s, const struct nti_mm_sink *k, const char *format, ...);

/* One line R or W; its end again where that holds more than zeros. */
char *nti_mm_put_access(char *p, struct nti_mm *s, const struct ntime_record *r,
			const struct nti_mm_entry *e);
char *nti_mm_put_tail(char *p, struct nti_mm *s, const struct ntime_record *r, const char *text);

/* A mapping, whose number is in .source, and its end. */
void nti_mm_put_map(struct nti_mm *s, const struct nti_mm_sink *k, const struct ntime_record *r,
		    const char *text);
void nti_mm_put_unmap(struct nti_mm *s, const struct nti_mm_sink *k, const struct ntime_record *r,
		      const char *text);

/* An access that cannot be a line R or W. */
void nti_mm_mark_access(struct nti_mm *s, const struct nti_mm_sink *k,
			const struct ntime_record *r);

/* A record that is no access. */
void nti_mm_write_mark(struct nti_mm *s, const struct nti_mm_sink *k, const struct ntime_record *r,
		       const char *text);

/*
 * mm_map: lines that accesses need in front of them: PCIDEV, MAP, UNMAP, the chip's identification.
 */

/* The beginning: all devices that are known. */
int nti_mm_begin(void *state, struct nti_trace_bytes *out);

/* What stands in each line of a mapping of @bytes. */
void nti_mm_set_head(struct nti_mm_entry *e, uint32_t map, uint64_t bytes);

/*
 * The entry of an access that has no valid one; NULL when there is no place to write it at. native:
 * of a trace that has mappings.
 */
struct nti_mm_entry *nti_mm_open_region(struct nti_mm *s, const struct nti_mm_sink *k,
					const struct ntime_record *r);
struct nti_mm_entry *nti_mm_open_native(struct nti_mm *s, const struct nti_mm_sink *k,
					const struct ntime_record *r);

#endif
