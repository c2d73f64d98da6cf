// SPDX-License-Identifier: MIT
/* Making a ring of frames: its head, what is said of its items, its memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/error.h"
#include "count/lib/count/session.h"
#include "count/lib/frame/ring.h"
#include "base/os/clock.h"
#include "base/os/process.h"

#define MOST_DEPTH ((size_t)1 << 20)

/* Strings one behind the other; the first one is "". */
struct strings {
	char *text;
	size_t used, room;
	bool is_short; /* of memory */
};

static uint32_t put(struct strings *s, const char *text)
{
	size_t n = text ? strlen(text) + 1 : 1, at = s->used;
	char *more;

	if (n == 1 && s->used)
		return 0;
	if (!s->text || s->used + n > s->room) {
		more = realloc(s->text, 2 * (s->room + n));
		if (!more) {
			s->is_short = true;
			return 0;
		}
		s->text = more;
		s->room = 2 * (s->room + n);
	}
	memcpy(s->text + at, text, n);
	s->used += n;
	return (uint32_t)at;
}

static void describe(struct ntime_frame_file_item *to, const struct ntime_item *from,
		     struct strings *s)
{
	*to = (struct ntime_frame_file_item){
		.scale = from->scale,
		.max_rate = from->max_rate,
		.pass = from->pass,
		.turns = from->turns,
		.scope = from->scope,
		.together = from->together,
		.reason_code = from->reason_code,
		.remedy_kind = from->remedy_kind,
		.is_metric = from->is_metric != 0,
		.is_hidden = from->is_hidden != 0,
		.is_state = from->is_state != 0,
		.in_every_pass = from->in_every_pass != 0,
		.name = put(s, from->name),
		.unit = put(s, from->unit),
		.unit_text = put(s, from->unit_text),
		.method = put(s, from->method),
		.reason = put(s, from->reason),
		.remedy = put(s, from->remedy),
		.beside = put(s, from->beside),
		.about = put(s, from->about),
		.cause = put(s, from->cause),
	};
}

static int describe_all(struct ntime_frame_ring *r, const struct ntime_session *session,
			const struct ntime_item *own, size_t n_own)
{
	size_t i, n = ntime_session_count(session);
	struct strings s = { 0 };
	int ret = 0;

	r->item = calloc(n + n_own, sizeof(*r->item));
	if (!r->item)
		return -ENOMEM;
	(void)put(&s, "");
	for (i = 0; i < n && ret == 0; i++) {
		struct ntime_item item = { .size = sizeof(item) };

		ret = ntime_session_item(session, i, &item);
		if (ret == 0)
			describe(&r->item[i], &item, &s);
	}
	for (i = 0; i < n_own; i++)
		describe(&r->item[n + i], &own[i], &s);
	r->strings = s.text;
	r->head.strings_bytes = s.used;
	return s.is_short ? -ENOMEM : ret;
}

static uint64_t in_words(uint64_t bytes)
{
	return (bytes + 7) & ~(uint64_t)7;
}

static void lay_out(struct ntime_frame_file *h, size_t items, size_t depth, unsigned int passes)
{
	memcpy(h->magic, NTIME_FRAME_MAGIC, sizeof(h->magic));
	h->version = NTIME_FRAME_VERSION;
	h->word_bits = sizeof(struct nti_shared_counter) == sizeof(uint64_t) ? 64 : 32;
	h->pid = (uint32_t)nti_process_self();
	h->depth = (uint32_t)depth;
	h->items = (uint32_t)items;
	h->passes = passes;
	h->items_at = sizeof(*h);
	h->strings_at = in_words(h->items_at + items * sizeof(struct ntime_frame_file_item));
	h->slots_at = in_words(h->strings_at + h->strings_bytes);
	h->slot_bytes =
		sizeof(struct nti_frame_slot) + items * NTIME_FRAME_WORDS * sizeof(uint64_t);
	h->bytes = h->slots_at + depth * h->slot_bytes;
	h->made_ns = nti_clock_ns();
	h->made_wall_ns = nti_clock_wall_ns();
}

static int file_failed(struct ntime_session *s, const struct ntime_frame_ring *r, int error)
{
	struct nti_error *e = &s->ctx->error;

	switch (error) {
	case -EEXIST:
		return nti_error(e, -EINVAL, "the file of a ring of frames must be empty");
	case -ENODATA:
		return nti_error(e, -EINVAL,
				 "a ring of frames needs a regular file, or a memfd, whose size it "
				 "can set");
	case -EBADF:
		return nti_error(e, -EBADF,
				 "the file of a ring of frames must be open for reading and "
				 "writing");
	case -EBUSY:
		return nti_error(e, -EBUSY, "another process stores its frames in that file");
	case -ENOSPC:
		return nti_error(e, -ENOSPC,
				 "there is no room for the %llu bytes that %u frames need: keep "
				 "fewer, or free some",
				 (unsigned long long)r->head.bytes, r->head.depth);
	default:
		return nti_error(e, error, "cannot put a ring of frames into the file: %s",
				 strerror(-error));
	}
}

static int get_memory(struct ntime_frame_ring *r, struct ntime_session *s, int fd)
{
	int ret;

	if (r->head.bytes > SIZE_MAX / 2)
		return nti_error(&s->ctx->error, -ENOMEM,
				 "%u frames of %u values exceed the memory: keep fewer",
				 r->head.depth, r->head.items);
	if (fd < 0) {
		r->file = calloc(1, (size_t)r->head.bytes);
		return r->file ? 0 : -ENOMEM;
	}
	ret = nti_map_new(&r->map, fd, r->head.bytes);
	if (ret < 0)
		return file_failed(s, r, ret);
	r->is_mapped = true;
	r->file = r->map.memory;
	return 0;
}

int nti_frame_ring_new(struct ntime_frame_ring *r, struct ntime_session *s,
		       const struct ntime_item *own, size_t n, size_t depth, unsigned int passes,
		       int fd)
{
	size_t items = ntime_session_count(s) + n;
	char *base;
	int ret;

	if (depth < 2 || depth > MOST_DEPTH || depth & (depth - 1))
		return nti_error(&s->ctx->error, -EINVAL,
				 "%zu frames cannot be kept: say a power of two from 2 to %zu",
				 depth, MOST_DEPTH);
	ret = describe_all(r, s, own, n);
	if (ret < 0)
		return ret;
	lay_out(&r->head, items, depth, passes);
	ret = get_memory(r, s, fd);
	if (ret < 0)
		return ret;
	base = (char *)r->file;
	memcpy(base + r->head.items_at, r->item, items * sizeof(*r->item));
	memcpy(base + r->head.strings_at, r->strings, (size_t)r->head.strings_bytes);
	r->slots = base + r->head.slots_at;
	r->is_ours = true;
	/* The magic last: who opens the file before that finds no ring. */
	memcpy((char *)r->file + sizeof(r->head.magic),
	       (const char *)&r->head + sizeof(r->head.magic),
	       sizeof(r->head) - sizeof(r->head.magic));
	atomic_thread_fence(memory_order_release);
	memcpy(r->file->magic, r->head.magic, sizeof(r->head.magic));
	return 0;
}

void nti_frame_ring_end(struct ntime_frame_ring *r)
{
	nti_shared_counter_set((struct nti_shared_counter *)(void *)r->file->ended, 1);
}

void nti_frame_ring_fini(struct ntime_frame_ring *r)
{
	if (r->is_mapped)
		nti_map_close(&r->map);
	else
		free(r->file);
	free(r->item);
	free(r->strings);
	*r = (struct ntime_frame_ring){ 0 };
}
