// SPDX-License-Identifier: MIT
/*
 * Back end: text of QEMU's VFIO events. What stands in front of the events is as the trace had it
 * (NTIME_RECORD_STYLE), as the user wants it ("style=NAME"), or what QEMU 4.0 to 10.0 write with
 * times. Forms: hw/vfio/trace-events, util/log.c and trace/ of QEMU, trace/lib/read/front.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lib/base/context.h"
#include "trace/lib/base/device.h"
#include "trace/lib/base/digits.h"
#include "trace/lib/read/event.h"
#include "trace/lib/read/vfio_prefix.h"
#include "trace/lib/write/hints.h"
#include "trace/lib/write/left_out.h"
#include "trace/lib/write/writer.h"

/* Longest prefix as it is written, longest style; what a line needs beside its texts. */
#define PREFIX_BYTES 1400
#define STYLE_BYTES 480
#define LINE_BYTES (PREFIX_BYTES + NTI_EVENT_BYTES + 64)
/* What the lines of one region have in common: kept of so many, found by their low bits. */
#define HEADS 64
#define HEAD_BYTES 96

/* What stands behind a '%', which itself is text. */
enum part {
	PART_TEXT = '%',
	PART_THREAD = 't',
	PART_SECONDS = 's',
	PART_MICRO = 'u',
	PART_FRACTION = 'f',
	PART_NANO = 'n',
	PART_ISO = 'i',
};

/* A style taken apart. */
struct style {
	uint8_t n;
	bool is_classic; /* "%t@%s.%u:", which is most */
	bool is_plain;
	bool is_old;  /* "vfio: ", of QEMU before 2.3 */
	bool ends_cr; /* a carriage return stands in front of the newline */
	uint8_t part[32];
	uint16_t from[32], bytes[32]; /* of PART_TEXT: where in .text */
	char text[STYLE_BYTES + 1];
};

struct head {
	uint32_t key; /* 1 + device, region and kind; 0: free */
	uint16_t bytes;
	char text[HEAD_BYTES];
};

struct vfio {
	struct nti_trace_devices *devices;
	bool is_rebased, has_time,
		has_style; /* a style that stays: the user's, or a line of the trace's */
	bool is_wanted;	   /* the user's */
	bool is_chosen;	   /* ours: what has no time gets none */
	bool in_request;
	bool drops_others;
	struct nti_left_out left_out;
	uint64_t base_ns;
	struct nti_seconds seconds;
	uint64_t day_from_ns; /* of the day in .day */
	char day[16];
	struct style style;
	struct head heads[HEADS];
};

static bool add_part(struct style *s, enum part part, size_t from, size_t bytes)
{
	if (s->n == NTI_ARRAY_SIZE(s->part))
		return false;
	s->part[s->n] = (uint8_t)part;
	s->from[s->n] = (uint16_t)from;
	s->bytes[s->n++] = (uint16_t)bytes;
	return true;
}

/* Is @style all of @s, but for how its lines end? */
static bool is_all(const struct style *s, size_t n, const char *style)
{
	size_t bytes = strlen(style);

	return n == bytes + (s->ends_cr ? sizeof(NTI_STYLE_CR) - 1 : 0) &&
	       !memcmp(s->text, style, bytes);
}

/* False: too long, or a letter behind '%' that is none. */
static bool parse_style(struct style *s, const char *text)
{
	size_t n, i, from = 0;

	if (nti_style_is_lttng(text))
		text = "%t@%s.%u:";
	n = strlen(text);
	memset(s, 0, sizeof(*s));
	if (n > STYLE_BYTES)
		return false;
	memcpy(s->text, text, n);
	for (i = 0; i < n; i++) {
		if (text[i] != '%')
			continue;
		if (i > from && !add_part(s, PART_TEXT, from, i - from))
			return false;
		from = i + 2;
		s->ends_cr = !strcmp(text + i, NTI_STYLE_CR);
		if (s->ends_cr)
			break;
		if (!text[++i] || !strchr("%tsufni", text[i]) ||
		    !add_part(s, (enum part)text[i], i, 1))
			return false;
	}
	s->is_plain = is_all(s, n, "");
	s->is_classic = is_all(s, n, "%t@%s.%u:");
	s->is_old = is_all(s, n, "vfio: ");
	return n == from || add_part(s, PART_TEXT, from, n - from);
}

static int vfio_make(struct ntime_trace_ctx *ctx, const struct ntime_trace_writer_options *options,
		     struct nti_trace_devices *devices, void **state)
{
	struct vfio *s = calloc(1, sizeof(*s));
	const struct nti_hint *hint;
	struct nti_hints hints;
	int ret;

	if (!s)
		return -ENOMEM;
	ret = nti_hints_parse(&ctx->error, options->hints, &hints);
	if (ret < 0) {
		free(s);
		return ret;
	}
	s->devices = devices;
	s->is_rebased = options->flags & NTIME_WRITER_REBASE;
	s->drops_others = options->flags & NTI_WRITER_DROP_OTHERS;
	s->style.is_plain = true;
	hint = nti_hints_find(&hints, NTI_HINT_STYLE, "");
	s->is_wanted = s->has_style = hint != NULL;
	if (hint && !parse_style(&s->style, nti_hint_style(hint->name)))
		ret = nti_hint_style_error(&ctx->error, hint->name);
	nti_hints_fini(&hints);
	if (ret < 0)
		free(s);
	else
		*state = s;
	return ret;
}

/* "2025-07-21T18:43:28": days to a date as in Howard Hinnant's days_from_civil, from March on. */
static void set_day(struct vfio *s, uint64_t ns)
{
	const uint64_t day_ns = 86400ull * 1000000000;
	uint64_t days = ns / day_ns + 719468, era = days / 146097, of_era = days % 146097;
	uint64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	uint64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	uint64_t month = (5 * of_year + 2) / 153, day = of_year - (153 * month + 2) / 5 + 1;
	char *p = s->day;

	month = month < 10 ? month + 3 : month - 9;
	year += era * 400 + (month <= 2);
	p = nti_put_pair(p, (uint32_t)(year / 100 % 100));
	p = nti_put_pair(p, (uint32_t)(year % 100));
	*p++ = '-';
	p = nti_put_pair(p, (uint32_t)month);
	*p++ = '-';
	p = nti_put_pair(p, (uint32_t)day);
	*p++ = 'T';
	s->day_from_ns = ns / day_ns * day_ns;
}

/* ISO 8601 as GLib writes it: no fraction where it is 0. */
static char *put_iso(char *p, struct vfio *s, uint64_t ns)
{
	uint64_t since = ns - s->day_from_ns;
	uint32_t seconds, micro;

	if (since >= 86400ull * 1000000000 || !*s->day) {
		set_day(s, ns);
		since = ns - s->day_from_ns;
	}
	seconds = (uint32_t)(since / 1000000000);
	micro = (uint32_t)(since % 1000000000) / 1000;
	memcpy(p, s->day, 11);
	p = nti_put_pair(p + 11, seconds / 3600);
	*p++ = ':';
	p = nti_put_pair(p, seconds / 60 % 60);
	*p++ = ':';
	p = nti_put_pair(p, seconds % 60);
	if (micro) {
		*p++ = '.';
		p = nti_put_dec6(p, micro);
	}
	*p++ = 'Z';
	return p;
}

static char *put_part(char *p, struct vfio *s, unsigned int i, const struct ntime_record *r,
		      uint64_t ns)
{
	switch (s->style.part[i]) {
	case PART_THREAD:
		return nti_put_dec(p, r->thread);
	case PART_SECONDS:
		return nti_put_dec(p, ns / 1000000000);
	case PART_MICRO:
		return nti_put_dec6(p, (uint32_t)(ns % 1000000000) / 1000);
	case PART_FRACTION:
		p = nti_put_dec6(p, (uint32_t)(ns % 1000000000) / 1000);
		memcpy(p, nti_digit_triples[ns % 1000], 4);
		return p + 3;
	case PART_NANO:
		return nti_put_dec(p, ns);
	case PART_ISO:
		return put_iso(p, s, ns);
	default:
		memcpy(p, s->style.text + s->style.from[i], s->style.bytes[i]);
		return p + s->style.bytes[i];
	}
}

static char *put_prefix(char *p, struct vfio *s, const struct ntime_record *r)
{
	uint64_t ns;
	unsigned int i;

	if (s->style.is_plain || (s->is_chosen && !(r->flags & NTIME_RECORD_TIMED)))
		return p;
	ns = r->time_ns;
	if (s->is_rebased)
		ns = ns < s->base_ns ? 0 : ns - s->base_ns;
	if (s->style.is_classic) {
		p = nti_put_dec(p, r->thread);
		*p++ = '@';
		p = nti_put_seconds(p, &s->seconds, ns);
		*p++ = ':';
		return p;
	}
	for (i = 0; i < s->style.n; i++)
		p = put_part(p, s, i, r, ns);
	return p;
}

/* A trace of another form has no style: with times it gets QEMU's of 4.0 to 10.0. */
static void choose_style(struct vfio *s, const struct ntime_record *r)
{
	/* What comes before the first time is written without one. */
	if (!(r->flags & NTIME_RECORD_TIMED) || r->kind == NTIME_RECORD_OTHER ||
	    r->kind == NTIME_RECORD_STYLE || r->kind == NTIME_RECORD_LIST ||
	    r->kind == NTIME_RECORD_PCIDEV)
		return;
	s->has_style = s->is_chosen = true;
	(void)parse_style(&s->style, "%t@%s.%u:");
}

/* "vfio_region_write  (0000:05:00.0:region0+0x" */
static const struct head *head_of(struct vfio *s, const struct ntime_record *r)
{
	struct head *h = &s->heads[(r->device * 8u + r->region * 2u + r->kind) % HEADS];
	const uint32_t key = 1 + ((uint32_t)r->device << 16 | (uint32_t)r->region << 8 | r->kind);
	const struct ntime_trace_device *d;
	size_t n;
	char *p;

	if (h->key == key)
		return h;
	d = nti_trace_device_at(s->devices, r->device);
	n = d ? strlen(d->name) : 0;
	if (n > HEAD_BYTES - 48)
		return NULL;
	p = nti_put_text(h->text, r->kind == NTIME_RECORD_WRITE ? "vfio_region_write  ("
								: "vfio_region_read  (");
	p = nti_put_text(p, d ? d->name : "");
	p = nti_put_text(p, ":region");
	p = nti_put_dec(p, r->region);
	p = nti_put_text(p, "+0x");
	h->key = key;
	h->bytes = (uint16_t)(p - h->text);
	return h;
}

/* The usual access, behind its prefix. */
static char *put_access(char *p, const struct head *h, const struct ntime_record *r)
{
	const uint64_t value = r->value & nti_width_mask(r->width);

	memcpy(p, h->text, HEAD_BYTES);
	p = nti_put_hex(p + h->bytes, r->offset);
	if (r->kind == NTIME_RECORD_WRITE) {
		memcpy(p, ", 0x", 4);
		p = nti_put_hex(p + 4, value);
		memcpy(p, ", ", 2);
		p = nti_put_dec(p + 2, r->width);
		memcpy(p, ")\n", 2);
		return p + 2;
	}
	memcpy(p, ", ", 2);
	p = nti_put_dec(p + 2, r->width);
	memcpy(p, ") = 0x", 6);
	p = nti_put_hex(p + 6, value);
	*p++ = '\n';
	return p;
}

/* A line of nobody's. One that was cut off stays so: whole, it could be an event. */
static int put_line(struct nti_trace_bytes *out, const struct ntime_record *r, const char *text)
{
	size_t n = strlen(text);
	char *p = nti_trace_bytes_room(out, n + 1);

	if (!p)
		return -ENOMEM;
	memcpy(p, text, n);
	p[n] = '\n';
	out->n += n + (r->value != NTI_OTHER_CUT);
	return 0;
}

/* Is there a line for it? */
static bool has_form(const struct vfio *s, const struct ntime_record *r, const char *text)
{
	if (r->kind == NTIME_RECORD_OTHER)
		return !s->drops_others;
	if (nti_record_is_access(r))
		return nti_event_is(text) || r->flags & NTIME_RECORD_VALUED;
	return nti_event_has(r, text);
}

/* Count what is not, or not wholly, written. */
static void note_left_out(struct vfio *s, const struct ntime_record *r, const char *text)
{
	if (r->kind == NTIME_RECORD_STYLE || (s->in_request && nti_record_is_access(r)))
		return;
	if (!has_form(s, r, text)) {
		nti_left_out_add(&s->left_out, r);
		return;
	}
	if (!nti_record_is_access(r) || nti_event_is(text) || r->flags & NTIME_RECORD_SYNTHETIC)
		return;
	s->left_out.count[NTI_LEFT_OUT_MASK] +=
		r->flags & NTIME_RECORD_MASKED && r->mask != UINT32_MAX;
	s->left_out.count[NTI_LEFT_OUT_TEXT] += *text != '\0';
}

/* Every other record. */
static int put_slow(struct vfio *s, const struct ntime_record *r, const char *text,
		    struct nti_trace_bytes *out)
{
	const struct ntime_trace_device *d = nti_trace_device_at(s->devices, r->device);
	const char *device = d ? d->name : "";
	char *p, *event;

	if (r->flags & NTIME_RECORD_SYNTHETIC || !has_form(s, r, text))
		return 0;
	if (r->kind == NTIME_RECORD_OTHER)
		return put_line(out, r, text);
	p = nti_trace_bytes_room(out, LINE_BYTES + nti_event_room(text, device));
	if (!p)
		return -ENOMEM;
	event = put_prefix(p, s, r);
	if (s->style.is_old && nti_record_is_access(r) && !nti_event_is(text) &&
	    r->region != NTIME_REGION_PHYSICAL)
		event = nti_event_put_access(event, r, device, true);
	else
		event = nti_event_put(event, r, text, device);
	if (s->style.ends_cr)
		*event++ = '\r';
	*event++ = '\n';
	out->n = (size_t)(event - out->p);
	return 0;
}

/* Marks that change how lines look; false: it is for somebody else. */
static bool take(struct vfio *s, const struct ntime_record *r, const char *text)
{
	if (r->kind == NTIME_RECORD_LIST) {
		s->in_request = r->value == 0;
		return true;
	}
	if (r->kind != NTIME_RECORD_STYLE)
		return false;
	if (!s->is_wanted) {
		s->has_style = true;
		s->is_chosen = false;
		if (!parse_style(&s->style, text))
			(void)parse_style(&s->style, "");
	}
	return true;
}

/* An access that is one of QEMU's lines as it stands. */
static bool is_usual(const struct vfio *s, const struct ntime_record *r)
{
	return nti_record_is_access(r) && !r->text && !s->style.is_old && !s->in_request &&
	       r->flags & NTIME_RECORD_VALUED && !(r->flags & NTIME_RECORD_SYNTHETIC) &&
	       !(r->region == NTIME_REGION_VGA && r->device == NTIME_DEVICE_NONE) &&
	       r->region != NTIME_REGION_PHYSICAL;
}

static int put_record(struct vfio *s, const struct nti_trace_batch *b, const struct ntime_record *r,
		      struct nti_trace_bytes *out)
{
	const struct head *h = is_usual(s, r) ? head_of(s, r) : NULL;
	const char *text = nti_trace_text(b->text, r);
	char *p;

	if (!h || r->flags & NTIME_RECORD_MASKED)
		note_left_out(s, r, text);
	if (!h) {
		if (take(s, r, text) || (s->in_request && nti_record_is_access(r)))
			return 0;
		return put_slow(s, r, text, out);
	}
	p = nti_trace_bytes_room(out, LINE_BYTES + HEAD_BYTES);
	if (!p)
		return -ENOMEM;
	p = put_access(put_prefix(p, s, r), h, r);
	if (s->style.ends_cr) {
		p[-1] = '\r';
		*p++ = '\n';
	}
	out->n = (size_t)(p - out->p);
	return 0;
}

static int vfio_format(void *state, const struct nti_trace_batch *b, struct nti_trace_bytes *out)
{
	struct vfio *s = state;
	size_t i;
	int ret = 0;

	nti_trace_note_time(b, &s->has_time, &s->base_ns);
	for (i = 0; i < b->n && !ret; i++) {
		if (!s->has_style)
			choose_style(s, &b->rec[i]);
		ret = put_record(s, b, &b->rec[i], out);
	}
	return ret;
}

static int vfio_warn(const void *state,
		     int (*fn)(void *arg, const char *sentence, const char *remedy, uint64_t count),
		     void *arg)
{
	const struct vfio *s = state;

	return nti_left_out_warn(&s->left_out, fn, arg);
}

const struct nti_trace_back nti_trace_to_vfio = {
	.form = NTIME_TRACE_VFIO,
	.make = vfio_make,
	.free = free,
	.format = vfio_format,
	.warn = vfio_warn,
};
