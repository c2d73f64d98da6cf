/* SPDX-License-Identifier: MIT */
/*
 * Back ends: one form each that records are written in.
 *
 * Writing has two steps, as reading has. advance() goes over the batches in their order and keeps
 * the state that lines depend on (mappings, the time that is 0, which device was identified);
 * format() turns one batch into bytes with the state as it was before that batch, and may run in
 * several threads on several batches, each with its own copy of the state.
 */
#ifndef NTI_TRACE_WRITER_H
#define NTI_TRACE_WRITER_H

#include <ntime/trace/writer.h>

#include "trace/base/batch.h"

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

/**
 * struct nti_trace_back - one form
 * @form:	enum ntime_trace_form
 * @make:	its state, from the options; 0, -EINVAL with a sentence, -ENOMEM
 * @copy:	a copy of @from into @to, which @make made or an earlier copy; 0 or -ENOMEM
 * @free:	of a state
 * @look:	records of the first part of the trace, before anything is written: addresses and
 *		identifications that come later but are needed at once
 * @begin:	what stands in front of the first record
 * @advance:	change the state as the batch does; NULL: no state
 * @format:	append the batch, changing the state as advance() does
 * @end:	what stands behind the last record; NULL: nothing
 * @warn:	as ntime_trace_writer_warnings(); NULL: nothing is made up
 */
struct nti_trace_back {
	uint32_t form;
	int (*make)(struct ntime_trace_ctx *ctx, const struct ntime_trace_writer_options *options,
		    struct nti_trace_devices *devices, void **state);
	int (*copy)(void *to, const void *from);
	void (*free)(void *state);
	int (*look)(void *state, const struct nti_trace_batch *b);
	int (*begin)(void *state, struct nti_trace_bytes *out);
	void (*advance)(void *state, const struct nti_trace_batch *b);
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

/*
 * A writer. While it looks ahead it keeps what it is given, and only ntime_trace_writer_put() may
 * be called. Behind that whoever formats in several threads takes .back and copies of .state, and
 * hands the bytes to nti_trace_writer_bytes() in their order.
 */
struct ntime_trace_writer {
	struct ntime_trace_ctx *ctx;
	const struct nti_trace_back *back;
	void *state;
	int (*write)(void *arg, const void *bytes, size_t n);
	void *write_arg;
	bool is_looking;
	struct nti_trace_batch kept;
	struct nti_trace_bytes out;
	struct ntime_trace_writer_options
		options; /* what another state is made of; .hints is the writer's own */
	struct nti_trace_devices *devices;
	char *hints;
	int error; /* the first one, for all later calls */
};

/*
 * Records that are formatted at a time: their lines stay in the cache, and a part is a block of the
 * binary form.
 */
#define NTI_PART_RECORDS 2048

/*
 * Another state of the writer's back end, for one thread; what it holds is void until .copy(). Free
 * with .back->free(). 0 or -errno.
 */
int nti_trace_writer_state(struct ntime_trace_writer *w, void **out);

/* ntime_trace_writer_new() for whoever has the devices. */
int nti_trace_writer_make(struct ntime_trace_ctx *ctx, struct nti_trace_devices *devices,
			  const struct ntime_trace_writer_options *options,
			  struct ntime_trace_writer **out);

/* Hand @n bytes to the user. 0 or the first error. */
int nti_trace_writer_bytes(struct ntime_trace_writer *w, const void *bytes, size_t n);

#endif
