// SPDX-License-Identifier: MIT
/* Reading a ring of frames. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/error.h"
#include "count/lib/context/context.h"
#include "count/lib/count/session.h"
#include "count/lib/frame/ring.h"

/* Of an item: what is copied is bounded, whatever a stranger's file says. */
#define MOST_STRING_BYTES (64u << 10)

static int no_ring(struct ntime_ctx *ctx)
{
	return nti_error(&ctx->error, -EBADMSG, "it is no ring of frames");
}

static int is_cut(struct ntime_ctx *ctx, uint64_t has, uint64_t needs)
{
	return nti_error(&ctx->error, -EBADMSG,
			 "the ring of frames was cut short: it has %llu bytes of %llu",
			 (unsigned long long)has, (unsigned long long)needs);
}

/* Do @n pieces of @bytes from @at on lie within @end? */
static bool fits(uint64_t at, uint64_t n, uint64_t bytes, uint64_t end)
{
	return at <= end && at % sizeof(uint64_t) == 0 && n <= (end - at) / bytes;
}

/* All places within the file, so that whatever it says can be followed. */
static bool is_sound(const struct ntime_frame_file *h)
{
	return h->depth >= 2 && !(h->depth & (h->depth - 1)) && h->items && h->strings_bytes &&
	       h->slot_bytes % 8 == 0 &&
	       h->slot_bytes >= NTIME_FRAME_SLOT_BYTES +
					(uint64_t)h->items * NTIME_FRAME_WORDS * sizeof(uint64_t) &&
	       fits(h->items_at, h->items, sizeof(struct ntime_frame_file_item), h->bytes) &&
	       fits(h->strings_at, h->strings_bytes, 1, h->bytes) &&
	       fits(h->slots_at, h->depth, h->slot_bytes, h->bytes);
}

static int check_head(struct ntime_ctx *ctx, struct ntime_frame_ring *r)
{
	struct ntime_frame_file *h = &r->head;
	unsigned int word_bits = sizeof(struct nti_shared_counter) == sizeof(uint64_t) ? 64 : 32;
	size_t first = r->map.bytes < sizeof(*h) ? (size_t)r->map.bytes : sizeof(*h);

	memcpy(h, r->map.memory, first);
	if (first < sizeof(h->magic) + sizeof(h->version) ||
	    memcmp(h->magic, NTIME_FRAME_MAGIC, sizeof(h->magic)) != 0)
		return no_ring(ctx);
	if (h->version != NTIME_FRAME_VERSION)
		return nti_error(&ctx->error, -EPROTO,
				 "the ring of frames has version %u, and this ntime reads %u: use "
				 "the ntime that wrote it",
				 h->version, NTIME_FRAME_VERSION);
	if (first < sizeof(*h))
		return is_cut(ctx, first, sizeof(*h));
	if (h->word_bits != word_bits)
		return nti_error(&ctx->error, -EPROTO,
				 "the ring of frames is of a processor that shares words of %u "
				 "bits, and this one shares %u",
				 h->word_bits, word_bits);
	if (h->bytes > r->map.bytes)
		return is_cut(ctx, r->map.bytes, h->bytes);
	if (h->items && (h->items > NTI_SESSION_MAX_ITEMS ||
			 h->strings_bytes > (uint64_t)h->items * MOST_STRING_BYTES))
		return nti_error(&ctx->error, -EBADMSG,
				 "the ring of frames is damaged: it says that it has %u items and "
				 "%llu bytes of strings, and at most %u, with %u bytes each, are "
				 "read",
				 h->items, (unsigned long long)h->strings_bytes,
				 NTI_SESSION_MAX_ITEMS, MOST_STRING_BYTES);
	return is_sound(h) ? 0
			   : nti_error(&ctx->error, -EBADMSG,
				       "the ring of frames is damaged: its parts do not lie in it");
}

/* A place in the strings; "" for one beyond them. */
static const char *string_at(const struct ntime_frame_ring *r, uint32_t at)
{
	return at < r->head.strings_bytes ? r->strings + at : "";
}

static int copy_items(struct ntime_frame_ring *r)
{
	const char *base = r->map.memory;
	size_t i, bytes = (size_t)r->head.strings_bytes;

	r->item = calloc(r->head.items, sizeof(*r->item));
	r->strings = malloc(bytes);
	if (!r->item || !r->strings)
		return -ENOMEM;
	memcpy(r->item, base + r->head.items_at, r->head.items * sizeof(*r->item));
	memcpy(r->strings, base + r->head.strings_at, bytes);
	r->strings[bytes - 1] = '\0';
	/* They are shown on terminals. */
	for (i = 0; i < bytes; i++)
		if (r->strings[i] && ((unsigned char)r->strings[i] < ' ' || r->strings[i] == 0x7f))
			r->strings[i] = '?';
	return 0;
}

static int open_failed(struct ntime_ctx *ctx, int error)
{
	return error == -ENODATA
		       ? no_ring(ctx)
		       : nti_error(&ctx->error, error, "cannot read the ring of frames: %s",
				   strerror(-error));
}

int ntime_frame_ring_open(struct ntime_ctx *ctx, int fd, struct ntime_frame_ring **out)
{
	struct ntime_frame_ring *r = calloc(1, sizeof(*r));
	int ret;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	ret = nti_map_open(&r->map, fd);
	r->is_mapped = true;
	if (ret < 0)
		ret = open_failed(ctx, ret);
	else
		ret = check_head(ctx, r);
	if (ret == 0)
		ret = copy_items(r);
	if (ret < 0) {
		ntime_frame_ring_close(r);
		return ret;
	}
	r->file = r->map.memory;
	r->slots = (char *)r->file + r->head.slots_at;
	*out = r;
	return 0;
}

void ntime_frame_ring_close(struct ntime_frame_ring *r)
{
	if (!r)
		return;
	nti_frame_ring_fini(r);
	free(r);
}

/* Who reads beyond the end of a file is killed. */
static int check_file(const struct ntime_frame_ring *r)
{
	return r->is_mapped ? nti_map_check(&r->map) : 0;
}

static uint32_t state_of(const struct ntime_frame_ring *r)
{
	/* In this order: its writer ends the ring before it gives the lock away. */
	bool is_written = r->is_ours || nti_map_is_written(&r->map) != 0;

	if (nti_shared_counter_get((struct nti_shared_counter *)(void *)r->file->ended))
		return NTIME_FRAMES_ENDED;
	return is_written ? NTIME_FRAMES_RUNNING : NTIME_FRAMES_LOST;
}

int ntime_frame_ring_get_info(const struct ntime_frame_ring *r, struct ntime_frame_ring_info *out)
{
	uint64_t next, newest_ns, offset = r->head.made_wall_ns - r->head.made_ns;
	/* The slot of next is being written, or will be at any moment; or was, when it died. */
	unsigned int is_written;
	uint32_t state;
	int ret = check_file(r);

	if (ret < 0)
		return ret;
	if (out->size != sizeof(*out))
		return -EINVAL;
	state = state_of(r);
	is_written = state != NTIME_FRAMES_ENDED;
	next = nti_shared_counter_get(nti_frame_next(r));
	/* The newest frame may be overwritten meanwhile: then there is a newer one. */
	newest_ns =
		next ? nti_shared_word_get(&nti_frame_slot(r, next - 1)->end_ns) : r->head.made_ns;
	*out = (struct ntime_frame_ring_info){
		.size = sizeof(*out),
		.state = state,
		.pid = r->head.pid,
		.depth = r->head.depth,
		.items = r->head.items,
		.passes = r->head.passes,
		.next = next,
		.oldest = next < r->head.depth ? 0 : next - r->head.depth + is_written,
		.wall_ns = newest_ns + offset,
		.wall_offset_ns = offset,
	};
	return 0;
}

int ntime_frame_ring_item(const struct ntime_frame_ring *r, size_t i, struct ntime_item *out)
{
	const struct ntime_frame_file_item *item;

	if (out->size != sizeof(*out) || i >= r->head.items)
		return -EINVAL;
	item = &r->item[i];
	*out = (struct ntime_item){
		.size = sizeof(*out),
		.pass = item->pass,
		.is_metric = item->is_metric,
		.is_hidden = item->is_hidden,
		.scale = item->scale,
		.name = string_at(r, item->name),
		.unit = string_at(r, item->unit),
		.unit_text = string_at(r, item->unit_text),
		.method = string_at(r, item->method),
		.reason = string_at(r, item->reason),
		.remedy = string_at(r, item->remedy),
		.beside = string_at(r, item->beside),
		.scope = item->scope,
		.together = item->together,
		.is_state = item->is_state,
		.reason_code = item->reason_code,
		.remedy_kind = item->remedy_kind,
		.in_every_pass = item->in_every_pass,
		.about = string_at(r, item->about),
		.cause = string_at(r, item->cause),
		.max_rate = item->max_rate,
		.turns = item->turns,
	};
	return 0;
}

static double as_double(uint64_t bits)
{
	double out;

	memcpy(&out, &bits, sizeof(out));
	return out;
}

static void get_value(const struct nti_shared_word *word, uint64_t number, double scale,
		      struct ntime_frame_value *out)
{
	uint64_t flags = nti_shared_word_get(&word[NTI_FRAME_FLAGS]);
	uint64_t span;
	struct ntime_value *v = &out->value;

	*v = (struct ntime_value){
		.count = nti_shared_word_get(&word[NTI_FRAME_COUNT]),
		.scale = scale,
		.wanted_ns = nti_shared_word_get(&word[NTI_FRAME_WANTED_NS]),
		.flags = (uint32_t)flags & ~NTIME_FRAME_WHOLE,
		.hotplugs = (uint32_t)(flags >> 32),
	};
	if (!(flags & NTIME_FRAME_WHOLE)) {
		v->value = (double)v->count * scale;
		v->counted_ns = v->wanted_ns;
		out->first = out->last = number;
		return;
	}
	v->counted_ns = nti_shared_word_get(&word[NTI_FRAME_COUNTED_NS]);
	span = nti_shared_word_get(&word[NTI_FRAME_SPAN]);
	out->last = number - (uint32_t)span;
	out->first = out->last - (uint32_t)(span >> 32);
	v->value = as_double(nti_shared_word_get(&word[NTI_FRAME_VALUE]));
	v->below = as_double(nti_shared_word_get(&word[NTI_FRAME_BELOW]));
	v->above = as_double(nti_shared_word_get(&word[NTI_FRAME_ABOVE]));
	v->error = fmax(v->below, v->above);
}

int ntime_frame_read(const struct ntime_frame_ring *r, uint64_t number, struct ntime_frame *frame,
		     struct ntime_frame_value *values, size_t n)
{
	struct nti_frame_slot *slot;
	uint64_t version, begin_ns, end_ns, pass;
	size_t i;
	int ret = check_file(r);

	if (ret < 0)
		return ret;
	if (n != r->head.items || (frame && frame->size != sizeof(*frame)))
		return -EINVAL;
	/* A number that was never given out must not wrap around to one that was. */
	if (number >= UINT64_MAX / 2)
		return -EAGAIN;
	slot = nti_frame_slot(r, number);
	version = nti_shared_counter_get(&slot->version);
	if (version != 2 * number + 2)
		return version < 2 * number + 2 ? -EAGAIN : -ESTALE;
	/* Acquire loads: the second look at the version cannot come before any of them. */
	begin_ns = nti_shared_word_get(&slot->begin_ns);
	end_ns = nti_shared_word_get(&slot->end_ns);
	pass = nti_shared_word_get(&slot->pass);
	for (i = 0; i < n; i++)
		get_value(&slot->word[i * NTIME_FRAME_WORDS], number, r->item[i].scale, &values[i]);
	if (nti_shared_counter_get(&slot->version) != version)
		return -ESTALE;
	if (frame)
		*frame = (struct ntime_frame){ .size = sizeof(*frame),
					       .pass = (uint32_t)pass,
					       .number = number,
					       .begin_ns = begin_ns,
					       .end_ns = end_ns };
	return 0;
}
