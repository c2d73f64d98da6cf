/* SPDX-License-Identifier: MIT */
/*
 * Back ends: one form each that records are written in. format() turns batches into bytes and keeps
 * the state that lines depend on (mappings, the time that is 0, which device was identified).
 */
#ifndef NTI_TRACE_WRITER_H
#define NTI_TRACE_WRITER_H

#include <ntime/trace/writer.h>

#include "trace/lib/base/batch.h"

struct nti_trace_devices;

/* Beside NTIME_WRITER_*: lines of other origin do not belong into the form that is written. */
#define NTI_WRITER_DROP_OTHERS 0x80000000u

/* Bytes in the making. Zeroed at first; free(.p). */
struct nti_trace_bytes {
	char *p;
	size_t n, room;
};

/* Room for @n bytes more behind the end; NULL without memory. */
char *nti_trace_bytes_room(struct nti_trace_bytes *b, size_t n);

/* The first time of a trace, from which times are counted where that is wanted. */
void nti_trace_note_time(const struct nti_trace_batch *b, bool *has_time, uint64_t *base_ns);

/**
 * struct nti_trace_back - one form
 * @form:	enum ntime_trace_form
 * @make:	its state, from the options; 0, -EINVAL with a sentence, -ENOMEM
 * @free:	of a state
 * @look:	records of the first part of the trace, before anything is written: addresses and
 *		identifications that come later but are needed at once
 * @begin:	what stands in front of the first record; NULL: nothing
 * @format:	append the batch, and change the state as it does
 * @end:	what stands behind the last record; NULL: nothing
 * @warn:	as ntime_trace_writer_warnings(); NULL: nothing is made up
 */
struct nti_trace_back {
	uint32_t form;
	int (*make)(struct ntime_trace_ctx *ctx, const struct ntime_trace_writer_options *options,
		    struct nti_trace_devices *devices, void **state);
	void (*free)(void *state);
	int (*look)(void *state, const struct nti_trace_batch *b);
	int (*begin)(void *state, struct nti_trace_bytes *out);
	int (*format)(void *state, const struct nti_trace_batch *b, struct nti_trace_bytes *out);
	int (*end)(void *state, struct nti_trace_bytes *out);
	int (*warn)(const void *state,
		    int (*fn)(void *arg, const char *sentence, const char *remedy, uint64_t count),
		    void *arg);
};

extern const struct nti_trace_back nti_trace_to_vfio;
extern const struct nti_trace_back nti_trace_to_mmiotrace;
extern const struct nti_trace_back nti_trace_to_binary;
extern const struct nti_trace_back nti_trace_to_json;

/* A writer. While it looks ahead it keeps what it is given. */
struct ntime_trace_writer {
	struct ntime_trace_ctx *ctx;
	const struct nti_trace_back *back;
	void *state;
	int (*write)(void *arg, const void *bytes, size_t n);
	void *write_arg;
	bool is_looking;
	struct nti_trace_batch kept;
	struct nti_trace_bytes out;
	int error; /* the first one, for all later calls */
};

/*
 * Records that are formatted at a time: their lines stay in the cache, and a part is a block of the
 * binary form.
 */
#define NTI_PART_RECORDS 2048

/* ntime_trace_writer_new() for whoever has the devices. */
int nti_trace_writer_make(struct ntime_trace_ctx *ctx, struct nti_trace_devices *devices,
			  const struct ntime_trace_writer_options *options,
			  struct ntime_trace_writer **out);

#endif
