/* SPDX-License-Identifier: MIT */
/* Records under a fuzzer: read from a piece of input, written in every form. */
#ifndef FUZZ_TRACE_WRITE_H
#define FUZZ_TRACE_WRITE_H

#include <ntime/trace.h>

#include "base/tests/fuzz/fuzz.h"
#include "trace/lib/base/device.h"
#include "trace/lib/read/front.h"
#include "trace/lib/write/writer.h"

#define FUZZ_PAD 64

static inline struct ntime_trace_ctx *fuzz_context(void)
{
	static struct ntime_trace_ctx *ctx;

	if (!ctx)
		fuzz_expect(ntime_trace_ctx_new(&ctx, NULL) == 0);
	return ctx;
}

/*
 * One piece in memory of its own, so that reading behind it is seen. Bytes used, negative: refused.
 */
static inline ssize_t fuzz_piece(const struct nti_trace_front *front, void *state, void *order,
				 struct nti_trace_devices *devices, struct nti_trace_batch *b,
				 const char *bytes, size_t n, bool is_last)
{
	static struct nti_trace_batch part;
	char *copy = malloc(n + FUZZ_PAD);
	struct nti_trace_piece piece = { copy, n, is_last, true };
	size_t before = b->n, i;
	ssize_t used;

	fuzz_expect(copy);
	memcpy(copy, bytes, n);
	memset(copy + n, 0, FUZZ_PAD);
	nti_trace_batch_clear(&part);
	used = front->parse(state, &piece, devices, &part);
	fuzz_expect(used <= (ssize_t)n && (used < 0 || !front->is_text || used == (ssize_t)n));
	fuzz_expect(!front->settle || front->settle(order, devices, &part) == 0);
	fuzz_expect(nti_trace_batch_reserve(b, part.n) == 0);
	for (i = 0; i < part.n; i++) {
		struct ntime_record *r = &b->rec[b->n++];
		const char *text = nti_trace_text(part.text, &part.rec[i]);

		*r = part.rec[i];
		fuzz_expect(r->kind < NTIME_RECORD_KINDS);
		fuzz_expect(r->device == NTIME_DEVICE_NONE ||
			    r->device < nti_trace_devices_count(devices));
		if (r->text)
			r->text = nti_trace_batch_text(b, text, strlen(text));
	}
	fuzz_expect(b->n == before + part.n);
	free(copy);
	return used;
}

static inline int fuzz_take(void *arg, const void *bytes, size_t n)
{
	struct nti_trace_bytes *b = arg;
	char *p = nti_trace_bytes_room(b, n);

	fuzz_expect(p);
	memcpy(p, bytes, n);
	b->n += n;
	return 0;
}

static inline void fuzz_write(uint32_t form, uint32_t flags, struct nti_trace_devices *devices,
			      const struct nti_trace_batch *b, struct nti_trace_bytes *out)
{
	struct ntime_trace_writer_options o = { .size = sizeof(o),
						.form = form,
						.flags = flags,
						.write = fuzz_take,
						.write_arg = out,
						.hints = "chip==GT218" };
	struct ntime_trace_batch pub = {
		.size = sizeof(pub), .n = b->n, .records = b->rec, .text = b->text
	};
	struct ntime_trace_writer *w;

	fuzz_expect(nti_trace_writer_make(fuzz_context(), devices, &o, &w) == 0);
	fuzz_expect(ntime_trace_writer_put(w, &pub) == 0);
	fuzz_expect(ntime_trace_writer_end(w) == 0);
	ntime_trace_writer_free(w);
}

/* What was written in ntime's own form has all records. */
static inline void fuzz_read_binary(const struct nti_trace_bytes *in, size_t records)
{
	void *state = calloc(1, nti_trace_binary.state_bytes);
	struct nti_trace_devices *devices = NULL;
	struct nti_trace_batch b;

	fuzz_expect(state && nti_trace_devices_new(&devices) == 0 &&
		    nti_trace_batch_init(&b, 16) == 0);
	fuzz_expect(fuzz_piece(&nti_trace_binary, state, NULL, devices, &b, in->p, in->n, true) ==
		    (ssize_t)in->n);
	fuzz_expect(b.n == records);
	nti_trace_binary.end(state);
	free(state);
	nti_trace_batch_fini(&b);
	nti_trace_devices_free(devices);
}

static inline void fuzz_write_all(struct nti_trace_devices *devices,
				  const struct nti_trace_batch *b)
{
	static const uint32_t forms[] = { NTIME_TRACE_VFIO, NTIME_TRACE_MMIOTRACE,
					  NTIME_TRACE_MMIOTRACE, NTIME_TRACE_JSON,
					  NTIME_TRACE_BINARY };
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct nti_trace_bytes out = { 0 };

		fuzz_write(forms[i],
			   i == 1   ? NTIME_WRITER_LIVE
			   : i == 2 ? NTIME_WRITER_IO_MARKS
				    : 0,
			   devices, b, &out);
		if (forms[i] == NTIME_TRACE_BINARY)
			fuzz_read_binary(&out, b->n);
		free(out.p);
	}
}

#endif
