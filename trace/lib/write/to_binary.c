// SPDX-License-Identifier: MIT
/* Back end: ntime's own binary form (trace/lib/base/blocks.h). One block or more a batch. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "trace/lib/base/blocks.h"
#include "trace/lib/base/device.h"
#include "trace/lib/write/writer.h"

/* Table of the shapes of a block, open addressing. */
#define SLOTS 4096u
/* More than a record takes in all columns without its text. */
#define RECORD_BYTES_MAX 64u
#define COLUMN_ROOM (NTI_BLOCK_RAW_MAX + 1024)

/* A shape in the words that tell it from others. */
struct key {
	uint64_t a, b, c;
};

/* The columns in the making: scratch of one state, nothing of it lives longer than a block. */
struct columns {
	uint8_t *at[NTI_BLOCK_COLUMNS];
	uint8_t column[NTI_BLOCK_COLUMNS][COLUMN_ROOM];
	uint8_t raw[COLUMN_ROOM + 64], packed[COLUMN_ROOM + 64];
	struct key key[NTI_BLOCK_SHAPES_MAX];
	uint64_t offset[NTI_BLOCK_SHAPES_MAX]; /* the last one */
	uint16_t slot[SLOTS];		       /* 1 + index of the shape, 0 free */
	uint32_t shapes, records;
	size_t bytes; /* of all columns, or more */
	uint64_t time, unit;
};

struct binary {
	struct nti_trace_devices *devices;
	struct columns *c;
	struct nti_pack *pack;
	bool is_rebased, has_time;
	uint64_t base_ns;
	uint32_t devices_done;
};

static void binary_free(void *state)
{
	struct binary *s = state;

	if (!s)
		return;
	nti_pack_free(s->pack);
	free(s->c);
	free(s);
}

static int binary_make(struct ntime_trace_ctx *ctx NTI_UNUSED,
		       const struct ntime_trace_writer_options *options,
		       struct nti_trace_devices *devices, void **state)
{
	struct binary *s = calloc(1, sizeof(*s));

	if (s)
		s->c = calloc(1, sizeof(*s->c));
	if (!s || !s->c) {
		binary_free(s);
		return -ENOMEM;
	}
	s->devices = devices;
	s->is_rebased = options->flags & NTIME_WRITER_REBASE;
	*state = s;
	return 0;
}

/* One block; @raw is compressed where that helps. */
static int put_block(struct binary *s, struct nti_trace_bytes *out, enum nti_block_type type,
		     uint32_t count, const uint8_t *raw, size_t n)
{
	uint8_t *p = (uint8_t *)nti_trace_bytes_room(out, NTI_BLOCK_HEAD_BYTES + n);
	size_t stored = 0;

	if (!p)
		return -ENOMEM;
	/* Not worth a codec's own header. */
	if (n > 64)
		stored = nti_pack(&s->pack, s->c->packed, n, raw, n);
	memset(p, 0, NTI_BLOCK_HEAD_BYTES);
	p[0] = (uint8_t)type;
	p[1] = stored ? NTI_CODEC_ZSTD : NTI_CODEC_NONE;
	raw = stored ? s->c->packed : raw;
	stored = stored ? stored : n;
	nti_put_le(p + 4, stored, 4);
	nti_put_le(p + 8, n, 4);
	nti_put_le(p + 12, count, 4);
	if (stored)
		memcpy(p + NTI_BLOCK_HEAD_BYTES, raw, stored);
	nti_put_le(p + 16, nti_crc32(nti_crc32(0, p, 16), p + NTI_BLOCK_HEAD_BYTES, stored), 4);
	out->n += NTI_BLOCK_HEAD_BYTES + stored;
	return 0;
}

static int binary_begin(void *state, struct nti_trace_bytes *out)
{
	uint8_t *p = (uint8_t *)nti_trace_bytes_room(out, NTI_BLOCKS_HEADER_BYTES);

	(void)state;
	if (!p)
		return -ENOMEM;
	memcpy(p, NTI_BLOCKS_MAGIC, 8);
	nti_put_le(p + 8, NTI_BLOCKS_VERSION, 4);
	nti_put_le(p + 12, nti_crc32(0, p, 12), 4);
	out->n += NTI_BLOCKS_HEADER_BYTES;
	return 0;
}

static void begin_block(struct columns *c)
{
	unsigned int i;

	for (i = 0; i < NTI_BLOCK_COLUMNS; i++)
		c->at[i] = c->column[i];
	if (c->shapes)
		memset(c->slot, 0, sizeof(c->slot));
	c->shapes = c->records = 0;
	c->bytes = 0;
	c->time = 0;
}

static size_t column_bytes(const struct columns *c, unsigned int i)
{
	return (size_t)(c->at[i] - c->column[i]);
}

static size_t block_bytes(const struct columns *c)
{
	size_t n = 0;
	unsigned int i;

	for (i = 0; i < NTI_BLOCK_COLUMNS; i++)
		n += column_bytes(c, i);
	return n;
}

/* Lengths, then the columns one behind another. */
static int end_block(struct binary *s, struct nti_trace_bytes *out)
{
	struct columns *c = s->c;
	uint8_t *p = c->raw;
	unsigned int i;

	if (!c->records)
		return 0;
	p = nti_put_varint(p, c->unit);
	for (i = 0; i < NTI_BLOCK_COLUMNS; i++)
		p = nti_put_varint(p, column_bytes(c, i));
	for (i = 0; i < NTI_BLOCK_COLUMNS; i++) {
		memcpy(p, c->column[i], column_bytes(c, i));
		p += column_bytes(c, i);
	}
	return put_block(s, out, NTI_BLOCK_RECORDS, c->records, c->raw, (size_t)(p - c->raw));
}

static inline struct key key_of(const struct ntime_record *r)
{
	uint32_t place;
	uint16_t kind;

	/* Neighbours at once, and nothing built in memory that is then read in larger pieces. */
	_Static_assert(offsetof(struct ntime_record, width) ==
			       offsetof(struct ntime_record, device) + 3,
		       "device, region, width");
	_Static_assert(offsetof(struct ntime_record, flags) ==
			       offsetof(struct ntime_record, kind) + 1,
		       "kind, flags");
	memcpy(&place, &r->device, 4);
	memcpy(&kind, &r->kind, 2);
	return (struct key){ .a = (uint64_t)r->mask << 32 | r->thread,
			     .b = (uint64_t)(r->text != 0) << 32 | r->source,
			     .c = (uint64_t)kind << 32 | place };
}

static inline uint32_t hash(const struct key *k)
{
	uint64_t h = (k->c * 0x9e3779b97f4a7c15ull + k->a) ^ k->b;

	return (uint32_t)(h * 0xbf58476d1ce4e5b9ull >> 40);
}

static void add_shape(struct columns *c, const struct key *key, const struct ntime_record *r)
{
	uint8_t *p = c->at[NTI_COLUMN_SHAPES];

	*p++ = r->kind;
	*p++ = r->flags | (r->text ? NTI_SHAPE_TEXT : 0);
	*p++ = r->region;
	*p++ = r->width;
	p = nti_put_varint(p, r->device);
	p = nti_put_varint(p, r->thread);
	p = nti_put_varint(p, r->mask);
	p = nti_put_varint(p, r->source);
	c->at[NTI_COLUMN_SHAPES] = p;
	c->key[c->shapes] = *key;
	c->offset[c->shapes] = 0;
	c->shapes++;
}

/* Number of the shape; room for one more must be there. */
static uint32_t number_of(struct columns *c, const struct ntime_record *r)
{
	const struct key key = key_of(r);
	uint32_t i;

	for (i = hash(&key) % SLOTS; c->slot[i]; i = (i + 1) % SLOTS) {
		const struct key *k = &c->key[c->slot[i] - 1];

		if (!((k->a ^ key.a) | (k->b ^ key.b) | (k->c ^ key.c)))
			return c->slot[i] - 1u;
	}
	c->slot[i] = (uint16_t)(c->shapes + 1);
	add_shape(c, &key, r);
	return c->shapes - 1;
}

static uint64_t time_of(const struct binary *s, const struct ntime_record *r)
{
	if (!s->is_rebased)
		return r->time_ns;
	return r->time_ns < s->base_ns ? 0 : r->time_ns - s->base_ns;
}

static inline void put(struct columns *c, enum nti_block_column column, uint64_t number)
{
	c->at[column] = nti_put_varint(c->at[column], number);
}

static void put_record(struct binary *s, const struct ntime_record *r, const char *text,
		       size_t bytes)
{
	struct columns *c = s->c;
	uint32_t number = number_of(c, r);
	uint64_t time;

	put(c, NTI_COLUMN_SHAPE, number);
	if (r->flags & NTIME_RECORD_TIMED) {
		time = time_of(s, r);
		/* There are two units; to divide by one that is known is a multiplication. */
		time = c->unit == 1000 ? time / 1000 : time;
		put(c, NTI_COLUMN_TIME, nti_zigzag(time - c->time));
		c->time = time;
	}
	put(c, NTI_COLUMN_OFFSET, nti_zigzag(r->offset - c->offset[number]));
	c->offset[number] = r->offset;
	put(c, NTI_COLUMN_VALUE, r->value);
	if (r->text) {
		put(c, NTI_COLUMN_TEXT, bytes);
		memcpy(c->at[NTI_COLUMN_TEXT], text, bytes);
		c->at[NTI_COLUMN_TEXT] += bytes;
	}
	c->records++;
	c->bytes += RECORD_BYTES_MAX + bytes;
}

/* Names of devices in front of the first block that needs them. */
static int put_devices(struct binary *s, uint32_t below, struct nti_trace_bytes *out)
{
	const struct ntime_trace_device *d;
	int ret = 0;

	for (; s->devices_done < below && !ret; s->devices_done++) {
		d = nti_trace_device_at(s->devices, s->devices_done);
		ret = put_block(s, out, NTI_BLOCK_DEVICE, s->devices_done,
				(const uint8_t *)(d ? d->name : ""), d ? strlen(d->name) : 0);
	}
	return ret;
}

/* Microseconds are what most traces have: the unit that loses nothing of the batch. */
static uint64_t unit_of(const struct binary *s, const struct nti_trace_batch *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		if (b->rec[i].flags & NTIME_RECORD_TIMED && time_of(s, &b->rec[i]) % 1000)
			return 1;
	return 1000;
}

static uint32_t devices_of(const struct nti_trace_batch *b)
{
	uint32_t below = 0;
	size_t i;

	for (i = 0; i < b->n; i++)
		if (b->rec[i].device != NTIME_DEVICE_NONE && b->rec[i].device >= below)
			below = b->rec[i].device + 1u;
	return below;
}

/* A text that is longer than a block takes: all but its last part in blocks of their own. */
static int put_long_text(struct binary *s, const char **text, size_t *bytes,
			 struct nti_trace_bytes *out)
{
	int ret = end_block(s, out);

	begin_block(s->c);
	for (; *bytes > NTI_BLOCK_TEXT_MAX && !ret; *bytes -= NTI_BLOCK_TEXT_MAX) {
		ret = put_block(s, out, NTI_BLOCK_TEXT, 0, (const uint8_t *)*text,
				NTI_BLOCK_TEXT_MAX);
		*text += NTI_BLOCK_TEXT_MAX;
	}
	return ret;
}

/* The next record, with a text of @bytes, might not fit. */
static bool is_full(struct columns *c, size_t bytes)
{
	size_t most = NTI_BLOCK_RAW_MAX - 2 * RECORD_BYTES_MAX - bytes;

	if (c->records == NTI_BLOCK_RECORDS_MAX || c->shapes == NTI_BLOCK_SHAPES_MAX)
		return true;
	if (c->bytes > most)
		c->bytes = block_bytes(c);
	return c->bytes > most;
}

static int binary_format(void *state, const struct nti_trace_batch *b, struct nti_trace_bytes *out)
{
	struct binary *s = state;
	struct columns *c = s->c;
	size_t i, bytes;
	int ret;

	nti_trace_note_time(b, &s->has_time, &s->base_ns);
	ret = put_devices(s, devices_of(b), out);
	c->unit = unit_of(s, b);
	begin_block(c);
	for (i = 0; i < b->n && !ret; i++) {
		const char *text = nti_trace_text(b->text, &b->rec[i]);

		bytes = strlen(text);
		if (bytes > NTI_BLOCK_TEXT_MAX)
			ret = put_long_text(s, &text, &bytes, out);
		if (is_full(c, bytes)) {
			ret = ret ? ret : end_block(s, out);
			begin_block(c);
		}
		put_record(s, &b->rec[i], text, bytes);
	}
	return ret ? ret : end_block(s, out);
}

static int binary_end(void *state, struct nti_trace_bytes *out)
{
	struct binary *s = state;

	return put_block(s, out, NTI_BLOCK_END, 0, NULL, 0);
}

const struct nti_trace_back nti_trace_to_binary = {
	.form = NTIME_TRACE_BINARY,
	.make = binary_make,
	.free = binary_free,
	.begin = binary_begin,
	.format = binary_format,
	.end = binary_end,
};
