// SPDX-License-Identifier: MIT
/*
 * Front end: ntime's own binary form (trace/lib/base/blocks.h). Nothing in a file is believed:
 * lengths, numbers and columns are checked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "base/common/grow.h"
#include "trace/lib/base/blocks.h"
#include "trace/lib/base/device.h"
#include "trace/lib/read/front.h"

#define TEXT_MAX (16u << 20)

struct state {
	bool has_header, has_end;
	uint8_t *raw; /* NTI_BLOCK_RAW_MAX, of compressed blocks */
	struct nti_pack *pack;
	/* numbers of the file's devices: ours */
	uint16_t *device;
	uint32_t devices;
	/* beginning of the next text */
	char *begun;
	size_t begun_bytes, begun_room;
	struct nti_shape shape[NTI_BLOCK_SHAPES_MAX];
	uint64_t offset[NTI_BLOCK_SHAPES_MAX];
};

/* A column, from front to back. */
struct column {
	const uint8_t *p, *end;
	bool is_bad;
};

static uint64_t get_varint(struct column *c)
{
	uint64_t value = 0;
	unsigned int shift;

	if (c->p < c->end && *c->p < 0x80)
		return *c->p++;
	for (shift = 0; shift < 70 && c->p < c->end; shift += 7) {
		value |= (uint64_t)(*c->p & 0x7f) << (shift < 64 ? shift : 63);
		if (*c->p++ < 0x80)
			return value;
	}
	c->is_bad = true;
	return 0;
}

static uint8_t get_byte(struct column *c)
{
	if (c->p < c->end)
		return *c->p++;
	c->is_bad = true;
	return 0;
}

static uint32_t get_number(struct column *c, uint32_t max)
{
	uint64_t value = get_varint(c);

	c->is_bad |= value > max;
	return (uint32_t)value;
}

/* The table of shapes; how many, negative: damaged. */
static int get_shapes(struct state *s, struct column *c)
{
	uint32_t n = 0, device;

	for (; c->p < c->end && !c->is_bad; n++) {
		struct nti_shape *shape = &s->shape[n];

		if (n == NTI_BLOCK_SHAPES_MAX)
			return -EBADMSG;
		shape->kind = get_byte(c);
		shape->flags = get_byte(c);
		shape->region = get_byte(c);
		shape->width = get_byte(c);
		device = get_number(c, NTIME_DEVICE_NONE);
		shape->thread = get_number(c, UINT32_MAX);
		shape->mask = get_number(c, UINT32_MAX);
		shape->source = get_number(c, UINT32_MAX);
		if (shape->kind >= NTIME_RECORD_KINDS ||
		    (shape->kind > NTIME_RECORD_WRITE && shape->kind < NTIME_RECORD_MARK) ||
		    (device != NTIME_DEVICE_NONE && device >= s->devices))
			return -EBADMSG;
		shape->device = device == NTIME_DEVICE_NONE ? NTIME_DEVICE_NONE : s->device[device];
		s->offset[n] = 0;
	}
	return c->is_bad ? -EBADMSG : (int)n;
}

/* More of a text behind what came of it. 0 or -ENOMEM. */
static int add_begun(struct state *s, const void *text, size_t bytes)
{
	size_t all = s->begun_bytes + bytes;
	char *more = all > s->begun_room ? realloc(s->begun, all) : s->begun;

	if (!more)
		return -ENOMEM;
	if (bytes)
		memcpy(more + s->begun_bytes, text, bytes);
	s->begun = more;
	s->begun_bytes = all;
	s->begun_room = all > s->begun_room ? all : s->begun_room;
	return 0;
}

/* A text, behind what came in blocks of its own. */
static uint32_t get_text(struct state *s, struct column *c, struct nti_trace_batch *b)
{
	size_t bytes = get_number(c, NTI_BLOCK_RAW_MAX);
	const char *text = (const char *)c->p;
	uint32_t at;

	if (c->is_bad || bytes > (size_t)(c->end - c->p) || memchr(text, '\0', bytes)) {
		c->is_bad = true;
		return 0;
	}
	c->p += bytes;
	if (!s->begun_bytes)
		return nti_trace_batch_text(b, text, bytes);
	if (add_begun(s, text, bytes) < 0) {
		b->error = -ENOMEM;
		return 0;
	}
	at = nti_trace_batch_text(b, s->begun, s->begun_bytes);
	s->begun_bytes = 0;
	return at;
}

/* One record of the columns. */
static void get_record(struct state *s, struct column c[NTI_BLOCK_COLUMNS], uint32_t shapes,
		       uint64_t unit, uint64_t *time, struct nti_trace_batch *b)
{
	struct ntime_record *r = &b->rec[b->n++];
	uint32_t number = get_number(&c[NTI_COLUMN_SHAPE], shapes - 1);
	const struct nti_shape *shape;

	/* What is bad is noticed by the caller; until then nothing must be read where it is not. */
	shape = &s->shape[number < shapes ? number : 0];
	*r = (struct ntime_record){ .kind = shape->kind,
				    .flags = shape->flags & (uint8_t)~NTI_SHAPE_TEXT,
				    .region = shape->region,
				    .width = shape->width,
				    .device = shape->device,
				    .thread = shape->thread,
				    .mask = shape->mask,
				    .source = shape->source };
	if (r->flags & NTIME_RECORD_TIMED) {
		*time += nti_unzigzag(get_varint(&c[NTI_COLUMN_TIME]));
		r->time_ns = *time * unit;
	}
	number = (uint32_t)(shape - s->shape);
	s->offset[number] += nti_unzigzag(get_varint(&c[NTI_COLUMN_OFFSET]));
	r->offset = s->offset[number];
	r->value = get_varint(&c[NTI_COLUMN_VALUE]);
	if (shape->flags & NTI_SHAPE_TEXT)
		r->text = get_text(s, &c[NTI_COLUMN_TEXT], b);
	b->accesses += nti_record_is_access(r);
}

/* Cut the payload in columns. */
static int get_columns(struct column *in, struct column out[NTI_BLOCK_COLUMNS])
{
	uint32_t bytes[NTI_BLOCK_COLUMNS];
	unsigned int i;

	for (i = 0; i < NTI_BLOCK_COLUMNS; i++)
		bytes[i] = get_number(in, NTI_BLOCK_RAW_MAX);
	if (in->is_bad)
		return -EBADMSG;
	for (i = 0; i < NTI_BLOCK_COLUMNS; i++) {
		if (bytes[i] > (size_t)(in->end - in->p))
			return -EBADMSG;
		out[i] = (struct column){ in->p, in->p + bytes[i], false };
		in->p += bytes[i];
	}
	return in->p == in->end ? 0 : -EBADMSG;
}

static int get_records(struct state *s, const struct nti_block_head *h, const uint8_t *raw,
		       struct nti_trace_batch *b)
{
	struct column in = { raw, raw + h->raw, false }, c[NTI_BLOCK_COLUMNS];
	size_t before = b->n, text_bytes = b->text_bytes, accesses = b->accesses;
	uint64_t time = 0, unit = get_varint(&in);
	uint32_t i;
	int ret = get_columns(&in, c), shapes;
	bool is_bad = false;

	if (ret < 0 || !h->count || h->count > NTI_BLOCK_RECORDS_MAX)
		return -EBADMSG;
	shapes = get_shapes(s, &c[NTI_COLUMN_SHAPES]);
	if (shapes <= 0 || (unit != 1 && unit != 1000))
		return -EBADMSG;
	if (nti_trace_batch_reserve(b, h->count) < 0)
		return -ENOMEM;
	for (i = 0; i < h->count && !b->error; i++)
		get_record(s, c, (uint32_t)shapes, unit, &time, b);
	for (i = NTI_COLUMN_SHAPE; i < NTI_BLOCK_COLUMNS; i++)
		is_bad |= c[i].is_bad || c[i].p != c[i].end;
	if (b->error)
		return b->error;
	if (!is_bad)
		return 0;
	/* All of a block or nothing. */
	b->n = before;
	b->text_bytes = text_bytes;
	b->accesses = accesses;
	return -EBADMSG;
}

static int get_device(struct state *s, const struct nti_block_head *h, const uint8_t *raw,
		      struct nti_trace_devices *devices)
{
	/* They come in their order. */
	if (h->count != s->devices || s->devices >= NTIME_DEVICE_NONE || memchr(raw, '\0', h->raw))
		return -EBADMSG;
	if (!nti_grow(&s->device, s->devices))
		return -ENOMEM;
	s->device[s->devices++] = nti_trace_device_number(devices, (const char *)raw, h->raw);
	return 0;
}

static int get_text_part(struct state *s, const struct nti_block_head *h, const uint8_t *raw)
{
	if (h->raw > NTI_BLOCK_TEXT_MAX || !h->raw || s->begun_bytes + h->raw > TEXT_MAX ||
	    memchr(raw, '\0', h->raw))
		return -EBADMSG;
	return add_begun(s, raw, h->raw);
}

/* The payload as it was before it was compressed. */
static int get_raw(struct state *s, const struct nti_block_head *h, const uint8_t **payload)
{
	int ret;

	if (h->codec == NTI_CODEC_NONE)
		return h->stored == h->raw ? 0 : -EBADMSG;
	if (h->codec != NTI_CODEC_ZSTD)
		return -EBADMSG;
	if (!s->raw)
		s->raw = malloc(NTI_BLOCK_RAW_MAX);
	if (!s->raw)
		return -ENOMEM;
	ret = nti_pack_undo(&s->pack, s->raw, h->raw, *payload, h->stored);
	*payload = s->raw;
	return ret;
}

static int get_block(struct state *s, const struct nti_block_head *h, const uint8_t *payload,
		     struct nti_trace_devices *devices, struct nti_trace_batch *b)
{
	int ret = get_raw(s, h, &payload);

	if (ret < 0)
		return ret;
	switch (h->type) {
	case NTI_BLOCK_DEVICE:
		return get_device(s, h, payload, devices);
	case NTI_BLOCK_RECORDS:
		return get_records(s, h, payload, b);
	case NTI_BLOCK_TEXT:
		return get_text_part(s, h, payload);
	case NTI_BLOCK_END:
		s->has_end = true;
		return h->raw || s->begun_bytes ? -EBADMSG : 0;
	default:
		/* Of a later ntime, and not needed to understand the rest. */
		return h->type & 0x80 ? 0 : -EBADMSG;
	}
}

/* Bytes of the block at @p, 0: not all of it is there; -EBADMSG. */
static ssize_t measure(const uint8_t *p, size_t n, struct nti_block_head *h)
{
	if (n < NTI_BLOCK_HEAD_BYTES)
		return 0;
	h->type = p[0];
	h->codec = p[1];
	h->stored = (uint32_t)nti_get_le(p + 4, 4);
	h->raw = (uint32_t)nti_get_le(p + 8, 4);
	h->count = (uint32_t)nti_get_le(p + 12, 4);
	if (h->stored > NTI_BLOCK_STORED_MAX || h->raw > NTI_BLOCK_RAW_MAX || p[2] || p[3])
		return -EBADMSG;
	if (n - NTI_BLOCK_HEAD_BYTES < h->stored)
		return 0;
	if (nti_crc32(nti_crc32(0, p, 16), p + NTI_BLOCK_HEAD_BYTES, h->stored) !=
	    nti_get_le(p + 16, 4))
		return -EBADMSG;
	return (ssize_t)NTI_BLOCK_HEAD_BYTES + h->stored;
}

/*
 * All blocks that are whole. At the end of the file we are called even when nothing is left, and
 * notice one without END. Used bytes, or the error of the first block that has one when it is the
 * first here.
 */
static ssize_t parse(void *state, const struct nti_trace_piece *piece,
		     struct nti_trace_devices *devices, struct nti_trace_batch *b)
{
	struct state *s = state;
	const uint8_t *p = (const uint8_t *)piece->bytes, *end = p + piece->n;
	struct nti_block_head h;
	ssize_t n;
	int ret = 0;

	if (!s->has_header) {
		if (piece->n < NTI_BLOCKS_HEADER_BYTES)
			return piece->is_last ? -EBADMSG : 0;
		if (memcmp(p, NTI_BLOCKS_MAGIC, 8) || nti_get_le(p + 8, 4) != NTI_BLOCKS_VERSION ||
		    nti_get_le(p + 12, 4) != nti_crc32(0, p, 12))
			return -EBADMSG;
		s->has_header = true;
		p += NTI_BLOCKS_HEADER_BYTES;
	}
	while (!ret && p < end && !s->has_end) {
		b->bad_at = (size_t)(p - (const uint8_t *)piece->bytes);
		n = measure(p, (size_t)(end - p), &h);
		if (n <= 0) {
			ret = n < 0 || piece->is_last ? -EBADMSG : 0;
			break;
		}
		ret = get_block(s, &h, p + NTI_BLOCK_HEAD_BYTES, devices, b);
		p += n;
	}
	if (!ret && (s->has_end ? p < end : piece->is_last)) {
		b->bad_at = (size_t)(p - (const uint8_t *)piece->bytes);
		ret = -EBADMSG;
	}
	return ret ? ret : p - (const uint8_t *)piece->bytes;
}

static void end(void *state)
{
	struct state *s = state;

	free(s->raw);
	free(s->device);
	free(s->begun);
	nti_pack_free(s->pack);
}

static int match(const char *head, size_t n)
{
	return n >= 8 && !memcmp(head, NTI_BLOCKS_MAGIC, 8) ? 100 : 0;
}

static const char *refuse(const char *head, size_t n)
{
	const uint8_t *p = (const uint8_t *)head;

	if (n < NTI_BLOCKS_HEADER_BYTES || nti_get_le(p + 12, 4) != nti_crc32(0, p, 12))
		return "its header is damaged";
	return nti_get_le(p + 8, 4) == NTI_BLOCKS_VERSION
		       ? NULL
		       : "it has a version that this ntime does not know";
}

const struct nti_trace_front nti_trace_binary = {
	.form = NTIME_TRACE_BINARY,
	.name = "ntime's binary form",
	.clock = NTIME_CLOCK_OTHER,
	.state_bytes = sizeof(struct state),
	.match = match,
	.refuse = refuse,
	.has_lists = true,
	.parse = parse,
	.end = end,
};
