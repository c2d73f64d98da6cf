// SPDX-License-Identifier: MIT
/* Writers: records kept until the back end has looked ahead, then formatted a part at a time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lib/base/context.h"
#include "trace/lib/base/device.h"
#include "trace/lib/write/hints.h"
#include "trace/lib/write/writer.h"

/* Records that are looked at before anything is written. */
#define AHEAD_BYTES (8u << 20)

static const struct nti_trace_back *const backs[] = {
	&nti_trace_to_vfio,
	&nti_trace_to_mmiotrace,
	&nti_trace_to_binary,
	&nti_trace_to_json,
};

char *nti_trace_bytes_room(struct nti_trace_bytes *b, size_t n)
{
	size_t room = b->room ? b->room : 65536;
	char *p;

	if (b->room - b->n >= n)
		return b->p + b->n;
	if (n > SIZE_MAX / 4 || b->n > SIZE_MAX / 4)
		return NULL;
	while (room - b->n < n)
		room *= 2;
	p = realloc(b->p, room);
	if (!p)
		return NULL;
	b->p = p;
	b->room = room;
	return p + b->n;
}

void nti_trace_note_time(const struct nti_trace_batch *b, bool *has_time, uint64_t *base_ns)
{
	size_t i;

	for (i = 0; i < b->n && !*has_time; i++)
		if (b->rec[i].flags & NTIME_RECORD_TIMED) {
			*has_time = true;
			*base_ns = b->rec[i].time_ns;
		}
}

static const struct nti_trace_back *find_back(uint32_t form)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(backs); i++)
		if (backs[i]->form == form)
			return backs[i];
	return NULL;
}

/* What is wrong is told also where the form has no use for it. */
static int check_hints(struct ntime_trace_ctx *ctx, const char *text)
{
	struct nti_hints hints;
	int ret = nti_hints_parse(&ctx->error, text, &hints);

	if (!ret)
		nti_hints_fini(&hints);
	return ret;
}

int nti_trace_writer_make(struct ntime_trace_ctx *ctx, struct nti_trace_devices *devices,
			  const struct ntime_trace_writer_options *options,
			  struct ntime_trace_writer **out)
{
	const struct nti_trace_back *back = find_back(options->form);
	struct ntime_trace_writer *w;
	int ret;

	*out = NULL;
	if (!back)
		return nti_error(&ctx->error, -EINVAL,
				 "a trace cannot be written in form %u: VFIO text, mmiotrace, "
				 "ntime's binary form and JSON lines are written",
				 options->form);
	ret = check_hints(ctx, options->hints);
	if (ret < 0)
		return ret;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->ctx = ctx;
	w->back = back;
	w->write = options->write;
	w->write_arg = options->write_arg;
	w->is_looking = true;
	ret = back->make(ctx, options, devices, &w->state);
	if (ret < 0) {
		free(w);
		return ret;
	}
	if (!(options->flags & NTIME_WRITER_LIVE) && back->look)
		ret = nti_trace_batch_init(&w->kept, NTI_PART_RECORDS);
	if (ret < 0) {
		ntime_trace_writer_free(w);
		return ret;
	}
	*out = w;
	return 0;
}

int ntime_trace_writer_new(struct ntime_trace_ctx *ctx, struct ntime_trace *t,
			   const struct ntime_trace_writer_options *options,
			   struct ntime_trace_writer **out)
{
	struct ntime_trace_info info = { .size = sizeof(info) };
	struct ntime_trace_writer_options own;
	size_t i;

	*out = NULL;
	if (options->size != sizeof(*options) || !options->write || options->reserved0)
		return nti_error(&ctx->error, -EINVAL,
				 "options of a writer have the wrong size, no way to write, or "
				 "reserved fields that are not 0");
	for (i = 0; i < NTI_ARRAY_SIZE(options->reserved); i++)
		if (options->reserved[i])
			return nti_error(&ctx->error, -EINVAL,
					 "options of a writer have reserved fields that are not 0");
	if (options->flags & ~(NTIME_WRITER_REBASE | NTIME_WRITER_KEEP_THREAD |
			       NTIME_WRITER_NO_MARKS | NTIME_WRITER_IO_MARKS | NTIME_WRITER_LIVE))
		return nti_error(&ctx->error, -EINVAL, "options of a writer have unknown flags");
	own = *options;
	/*
	 * Beside events stands what QEMU wrote; what stands beside another form's lines does not.
	 */
	if (ntime_trace_get_info(t, &info) == 0 && info.form != NTIME_TRACE_VFIO &&
	    info.form != NTIME_TRACE_BINARY)
		own.flags |= NTI_WRITER_DROP_OTHERS;
	return nti_trace_writer_make(ctx, nti_trace_devices_of(t), &own, out);
}

void ntime_trace_writer_free(struct ntime_trace_writer *w)
{
	if (!w)
		return;
	w->back->free(w->state);
	nti_trace_batch_fini(&w->kept);
	free(w->out.p);
	free(w);
}

static int fail(struct ntime_trace_writer *w, int ret)
{
	if (ret < 0 && !w->error)
		w->error = ret;
	return w->error;
}

/* Hand what was formatted to the user. 0 or the first error. */
static int flush(struct ntime_trace_writer *w)
{
	if (!w->error && w->out.n)
		w->error = w->write(w->write_arg, w->out.p, w->out.n);
	w->out.n = 0;
	return w->error;
}

static int format(struct ntime_trace_writer *w, const struct nti_trace_batch *b)
{
	struct nti_trace_batch part = *b;
	size_t i;
	int ret;

	for (i = 0; i < b->n; i += part.n) {
		part.rec = b->rec + i;
		part.n = b->n - i < NTI_PART_RECORDS ? b->n - i : NTI_PART_RECORDS;
		ret = w->back->format(w->state, &part, &w->out);
		/* What is whole is written even where memory ended. */
		flush(w);
		if (fail(w, ret) < 0)
			return w->error;
	}
	return 0;
}

/* The first part of the trace is complete: write its beginning and what was kept. */
static int end_look(struct ntime_trace_writer *w)
{
	int ret;

	w->is_looking = false;
	ret = w->back->begin ? fail(w, w->back->begin(w->state, &w->out)) : 0;
	if (!ret)
		ret = flush(w);
	if (!ret)
		ret = format(w, &w->kept);
	nti_trace_batch_fini(&w->kept);
	memset(&w->kept, 0, sizeof(w->kept));
	return ret;
}

/* Keep a copy of @b, which is the reader's. */
static int keep(struct ntime_trace_writer *w, const struct nti_trace_batch *b)
{
	size_t i;
	int ret = nti_trace_batch_reserve(&w->kept, b->n);

	for (i = 0; i < b->n && !ret; i++) {
		if (b->rec[i].text)
			ret = nti_trace_batch_copy(&w->kept, &b->rec[i], b->text);
		else
			w->kept.rec[w->kept.n++] = b->rec[i];
	}
	return ret;
}

static int put(struct ntime_trace_writer *w, const struct nti_trace_batch *b)
{
	int ret;

	if (!w->is_looking)
		return format(w, b);
	if (!w->kept.rec) {
		ret = end_look(w);
		return ret < 0 ? ret : format(w, b);
	}
	ret = fail(w, w->back->look(w->state, b));
	if (!ret)
		ret = fail(w, keep(w, b));
	if (!ret && w->kept.n * sizeof(struct ntime_record) + w->kept.text_bytes >= AHEAD_BYTES)
		ret = end_look(w);
	return ret;
}

int ntime_trace_writer_put(struct ntime_trace_writer *w, const struct ntime_trace_batch *batch)
{
	/* Back ends read a batch as front ends make it; nobody writes into it. */
	struct nti_trace_batch b = { .rec = (struct ntime_record *)(uintptr_t)batch->records,
				     .n = batch->n,
				     .text = (char *)(uintptr_t)batch->text };

	if (w->error)
		return w->error;
	return batch->n ? put(w, &b) : 0;
}

int ntime_trace_writer_end(struct ntime_trace_writer *w)
{
	int ret = w->error;

	if (!ret && w->is_looking)
		ret = end_look(w);
	if (!ret && w->back->end)
		ret = fail(w, w->back->end(w->state, &w->out));
	return ret ? ret : flush(w);
}

int ntime_trace_writer_warnings(const struct ntime_trace_writer *w,
				int (*fn)(void *arg, const char *sentence, const char *remedy,
					  uint64_t count),
				void *arg)
{
	return w->back->warn ? w->back->warn(w->state, fn, arg) : 0;
}

int ntime_trace_copy(struct ntime_trace *t, struct ntime_trace_writer *w,
		     int (*progress)(void *arg, uint64_t position), void *arg)
{
	struct ntime_trace_batch batch = { .size = sizeof(batch) };
	int ret;

	do {
		ret = ntime_trace_next(t, &batch);
		if (!ret && batch.n)
			ret = ntime_trace_writer_put(w, &batch);
		if (!ret && progress)
			ret = progress(arg, batch.position);
	} while (!ret && batch.n);
	return ret;
}
