// SPDX-License-Identifier: MIT
/* Back end: JSON lines, an object a record. Keys are in trace/man/ntime-trace.5. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "trace/lib/base/device.h"
#include "trace/lib/base/digits.h"
#include "trace/lib/write/writer.h"

struct json {
	struct nti_trace_devices *devices;
	bool is_rebased, has_time;
	uint64_t base_ns;
};

#define KIND(text)                                                                                 \
	{                                                                                          \
		sizeof(text) - 1, text                                                             \
	}

/* Of one size, to be copied without asking how long they are. */
static const struct kind {
	uint8_t bytes;
	char text[15];
} kinds[NTIME_RECORD_KINDS] = {
	[NTIME_RECORD_READ] = KIND("read"),
	[NTIME_RECORD_WRITE] = KIND("write"),
	[NTIME_RECORD_MARK] = KIND("mark"),
	[NTIME_RECORD_CONFIG_READ] = KIND("config-read"),
	[NTIME_RECORD_CONFIG_WRITE] = KIND("config-write"),
	[NTIME_RECORD_INTERRUPT] = KIND("interrupt"),
	[NTIME_RECORD_REGION] = KIND("region"),
	[NTIME_RECORD_MMAP] = KIND("mmap"),
	[NTIME_RECORD_MMAP_SWITCH] = KIND("mmap-switch"),
	[NTIME_RECORD_IOEVENTFD] = KIND("ioeventfd"),
	[NTIME_RECORD_QUIRK_READ] = KIND("quirk-read"),
	[NTIME_RECORD_QUIRK_WRITE] = KIND("quirk-write"),
	[NTIME_RECORD_LOST] = KIND("lost"),
	[NTIME_RECORD_PCIDEV] = KIND("pcidev"),
	[NTIME_RECORD_MAP] = KIND("map"),
	[NTIME_RECORD_UNMAP] = KIND("unmap"),
	[NTIME_RECORD_UNKNOWN] = KIND("unknown"),
	[NTIME_RECORD_LIST] = KIND("list"),
	[NTIME_RECORD_STYLE] = KIND("style"),
	[NTIME_RECORD_EVENT] = KIND("event"),
	[NTIME_RECORD_OTHER] = KIND("other"),
};

static int json_make(struct ntime_trace_ctx *ctx NTI_UNUSED,
		     const struct ntime_trace_writer_options *options,
		     struct nti_trace_devices *devices, void **state)
{
	struct json *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->devices = devices;
	s->is_rebased = options->flags & NTIME_WRITER_REBASE;
	*state = s;
	return 0;
}

/* Bytes of the UTF-8 character at @p, 0 when it is none. Forms: RFC 3629, section 4. */
static size_t utf8_bytes(const unsigned char *p)
{
	size_t n = p[0] >= 0xf0 && p[0] <= 0xf4	 ? 4
		   : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
		   : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
						 : 0;
	size_t i;

	for (i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

/*
 * The character at @t of @n bytes, if a terminal would obey it: controls, C1 among them, and
 * bidirectional embeddings, overrides and isolates (Unicode Standard Annex 9); else 0. Such text is
 * as exact as an escape.
 */
static uint32_t control_of(const unsigned char *t, size_t n)
{
	if (n < 2)
		return t[0] < 0x20 || t[0] == 0x7f ? t[0] : 0;
	if (t[0] == 0xc2 && t[1] < 0xa0)
		return t[1];
	if (n == 3 && t[0] == 0xe2 &&
	    ((t[1] == 0x80 && t[2] >= 0xaa && t[2] <= 0xae) ||
	     (t[1] == 0x81 && t[2] >= 0xa6 && t[2] <= 0xa9)))
		return 0x2000u | (t[1] & 0x3fu) << 6 | (t[2] & 0x3fu);
	return 0;
}

/* Do these eight bytes stand in a string as they are: printable ASCII but '"' and '\\'? */
static bool is_plain8(uint64_t x)
{
	const uint64_t ones = 0x0101010101010101ull, tops = 0x80 * ones;
	uint64_t quote = x ^ '"' * ones, backslash = x ^ '\\' * ones;

	/* With the top bit set no byte borrows from the next; the bit is gone where it is less. */
	return !((x | (x + ones) | (((x | tops) - 0x20 * ones) ^ tops) |
		  (((quote | tops) - ones) ^ tops) | (((backslash | tops) - ones) ^ tops)) &
		 tops);
}

/* A character that does not stand in a string as it is; @t moves behind it. */
static char *put_odd(char *p, const unsigned char **t)
{
	size_t n = utf8_bytes(*t);
	uint32_t control = control_of(*t, n);

	if (control) {
		p = nti_put_text(p, "\\u");
		nti_put_hex8(p, control << 16);
		p += 4;
	} else if (n) {
		memcpy(p, *t, n);
		p += n;
	} else if (**t < 0x80) {
		*p++ = '\\';
		*p++ = (char)**t;
	} else {
		p = nti_put_text(p, "\xef\xbf\xbd");
	}
	*t += n ? n : 1;
	return p;
}

/* A string; bytes that are no UTF-8 become the replacement character. */
static char *put_string(char *p, const char *text)
{
	const unsigned char *t = (const unsigned char *)text, *end = t + strlen(text);
	uint64_t eight;

	*p++ = '"';
	while (t < end) {
		if (end - t >= 8) {
			memcpy(&eight, t, 8);
			if (is_plain8(eight)) {
				memcpy(p, &eight, 8);
				p += 8;
				t += 8;
				continue;
			}
		}
		if (*t >= 0x20 && *t < 0x7f && *t != '"' && *t != '\\')
			*p++ = (char)*t++;
		else
			p = put_odd(p, &t);
	}
	*p++ = '"';
	return p;
}

#define PUT(p, literal) (memcpy((p), (literal), sizeof(literal) - 1), (p) + sizeof(literal) - 1)

static inline char *put_number(char *p, const char *key, uint64_t value)
{
	p = nti_put_text(p, key);
	if (value < 10) {
		*p = (char)('0' + value);
		return p + 1;
	}
	return nti_put_dec(p, value);
}

/* 64 bits do not fit into the numbers of all readers: addresses and values are strings. */
static inline char *put_hex(char *p, const char *key, uint64_t value)
{
	p = nti_put_text(p, key);
	p = PUT(p, "\"0x");
	p = nti_put_hex(p, value);
	*p++ = '"';
	return p;
}

/* Keys that mean something beside the text. */
static bool has_place(const struct ntime_record *r)
{
	return r->kind != NTIME_RECORD_LOST && r->kind != NTIME_RECORD_PCIDEV &&
	       r->kind != NTIME_RECORD_UNMAP && r->kind != NTIME_RECORD_LIST &&
	       r->kind != NTIME_RECORD_MARK && r->kind != NTIME_RECORD_OTHER &&
	       r->kind != NTIME_RECORD_STYLE && r->kind != NTIME_RECORD_EVENT;
}

static size_t bytes_of(const char *text)
{
	return text ? strlen(text) : 0;
}

static inline char *put_member(char *p, const char *key, const char *text)
{
	return text && *text ? put_string(nti_put_text(p, key), text) : p;
}

static char *put_record(char *p, const struct ntime_record *r, const struct ntime_record_texts *t)
{
	static const struct kind unknown = KIND("unknown");
	const struct kind *kind = r->kind < NTIME_RECORD_KINDS ? &kinds[r->kind] : &unknown;
	bool has_device = t->device && *t->device;

	p = PUT(p, "{\"kind\":\"");
	memcpy(p, kind->text, sizeof(kind->text));
	p += kind->bytes;
	*p++ = '"';
	if (r->flags & NTIME_RECORD_TIMED)
		p = put_number(
			p, ",\"time_ns\":", r->time_ns < t->base_ns ? 0 : r->time_ns - t->base_ns);
	if (r->flags & NTIME_RECORD_THREADED)
		p = put_number(p, ",\"thread\":", r->thread);
	p = put_member(p, ",\"device\":", t->device);
	if (!has_place(r))
		;
	else if (r->region == NTIME_REGION_PHYSICAL)
		p = PUT(p, ",\"region\":\"physical\"");
	else if (nti_record_is_access(r) || has_device)
		p = put_number(p, ",\"region\":", r->region);
	if (r->kind == NTIME_RECORD_LOST && r->value)
		p = put_number(p, ",\"count\":", r->value);
	if (r->kind == NTIME_RECORD_LIST)
		p = put_hex(p, ",\"value\":", r->value);
	if ((r->kind == NTIME_RECORD_LIST || r->kind == NTIME_RECORD_UNMAP) && r->source)
		p = put_number(p, ",\"source\":", r->source);
	if (has_place(r)) {
		p = put_hex(p, ",\"offset\":", r->offset);
		if (r->width)
			p = put_number(p, ",\"width\":", r->width);
		if (r->flags & NTIME_RECORD_VALUED || !nti_record_is_access(r))
			p = put_hex(p, ",\"value\":", r->value & nti_width_mask(r->width));
		if (r->flags & NTIME_RECORD_MASKED)
			p = put_hex(p, ",\"mask\":", r->mask);
		if (r->source)
			p = put_number(p, ",\"source\":", r->source);
	}
	p = put_member(p, ",\"register\":", t->register_name);
	p = put_member(p, ",\"words\":", t->words);
	if (r->flags & NTIME_RECORD_SYNTHETIC)
		p = PUT(p, ",\"synthetic\":true");
	p = put_member(p, ",\"text\":", t->text);
	return PUT(p, "}\n");
}

static size_t room_for(const struct ntime_record_texts *t)
{
	return NTIME_RECORD_JSON_BYTES +
	       NTIME_RECORD_JSON_ESCAPED * (bytes_of(t->device) + bytes_of(t->text) +
					    bytes_of(t->register_name) + bytes_of(t->words));
}

size_t ntime_record_json(const struct ntime_record *r, const struct ntime_record_texts *texts,
			 char *buf, size_t bytes)
{
	if (texts->size != sizeof(*texts) || bytes < room_for(texts))
		return 0;
	return (size_t)(put_record(buf, r, texts) - buf);
}

const char *ntime_record_kind_name(uint32_t kind)
{
	return kind < NTIME_RECORD_KINDS ? kinds[kind].text : NULL;
}

static int json_format(void *state, const struct nti_trace_batch *b, struct nti_trace_bytes *out)
{
	struct json *s = state;
	size_t i;
	char *p;

	nti_trace_note_time(b, &s->has_time, &s->base_ns);
	for (i = 0; i < b->n; i++) {
		const struct ntime_record *r = &b->rec[i];
		const struct ntime_trace_device *d = nti_trace_device_at(s->devices, r->device);
		const struct ntime_record_texts texts = { .size = sizeof(texts),
							  .base_ns = s->is_rebased ? s->base_ns : 0,
							  .device = d ? d->name : NULL,
							  .text = nti_trace_text(b->text, r) };

		p = nti_trace_bytes_room(out, room_for(&texts));
		if (!p)
			return -ENOMEM;
		out->n = (size_t)(put_record(p, r, &texts) - out->p);
	}
	return 0;
}

const struct nti_trace_back nti_trace_to_json = {
	.form = NTIME_TRACE_JSON,
	.make = json_make,
	.free = free,
	.format = json_format,
};
