// SPDX-License-Identifier: MIT
/* Records in the making: memory for them and their texts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lib/base/batch.h"

#define FIRST_TEXT_BYTES 4096
/* Texts of one batch: .text of a record has 32 bits. */
#define MAX_TEXT_BYTES ((size_t)1 << 30)
#define MAX_RECORDS ((size_t)1 << 24)

int nti_trace_batch_init(struct nti_trace_batch *b, size_t room)
{
	memset(b, 0, sizeof(*b));
	return nti_trace_batch_reserve(b, room);
}

void nti_trace_batch_fini(struct nti_trace_batch *b)
{
	free(b->base);
	free(b->text);
	memset(b, 0, sizeof(*b));
}

void nti_trace_batch_clear(struct nti_trace_batch *b)
{
	*b = (struct nti_trace_batch){ .base = b->base,
				       .rec = b->base,
				       .room = b->room + (size_t)(b->rec - b->base),
				       .text = b->text,
				       .text_room = b->text_room,
				       .position = b->position };
}

int nti_trace_batch_reserve(struct nti_trace_batch *b, size_t n)
{
	struct ntime_record *rec;
	size_t room, dropped;

	if (b->room - b->n >= n)
		return 0;
	if (n > MAX_RECORDS || b->n > MAX_RECORDS)
		return -ENOMEM;
	room = b->n + n;
	if (room < b->room + b->room / 2)
		room = b->room + b->room / 2;
	dropped = (size_t)(b->rec - b->base);
	rec = realloc(b->base, (dropped + room) * sizeof(*rec));
	if (!rec)
		return -ENOMEM;
	b->base = rec;
	b->rec = rec + dropped;
	b->room = room;
	return 0;
}

/* Room for @bytes of text more. */
static int reserve_text(struct nti_trace_batch *b, size_t bytes)
{
	size_t room = b->text_room ? b->text_room : FIRST_TEXT_BYTES;
	char *text;

	if (b->text_room - b->text_bytes >= bytes)
		return 0;
	if (bytes > MAX_TEXT_BYTES || b->text_bytes > MAX_TEXT_BYTES)
		return -ENOMEM;
	while (room - b->text_bytes < bytes)
		room *= 2;
	text = realloc(b->text, room);
	if (!text)
		return -ENOMEM;
	b->text = text;
	b->text_room = room;
	return 0;
}

uint32_t nti_trace_batch_text(struct nti_trace_batch *b, const char *text, size_t bytes)
{
	uint32_t at;

	if (bytes > MAX_TEXT_BYTES || reserve_text(b, bytes + 1) < 0) {
		b->error = -ENOMEM;
		return 0;
	}
	at = (uint32_t)b->text_bytes;
	b->zeros += memchr(text, '\0', bytes) != NULL;
	memcpy(b->text + at, text, bytes);
	b->text[at + bytes] = '\0';
	b->text_bytes += bytes + 1;
	return at + 1;
}

struct ntime_record *nti_trace_batch_add(struct nti_trace_batch *b, uint8_t kind, const char *text,
					 size_t bytes)
{
	struct ntime_record *r;

	if (nti_trace_batch_reserve(b, 1) < 0) {
		b->error = -ENOMEM;
		return NULL;
	}
	r = &b->rec[b->n++];
	*r = (struct ntime_record){ .kind = kind, .device = NTIME_DEVICE_NONE };
	if (text)
		r->text = nti_trace_batch_text(b, text, bytes);
	return r;
}

int nti_trace_batch_copy(struct nti_trace_batch *b, const struct ntime_record *r, const char *text)
{
	struct ntime_record *new;

	if (nti_trace_batch_reserve(b, 1) < 0)
		return -ENOMEM;
	new = &b->rec[b->n++];
	*new = *r;
	text = nti_trace_text(text, r);
	if (r->text)
		new->text = nti_trace_batch_text(b, text, strlen(text));
	return b->error;
}
