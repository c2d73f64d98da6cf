// SPDX-License-Identifier: MIT
/* Lines of mmiotrace, each of one record. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lib/read/event.h"
#include "base/common/text.h"
#include "trace/lib/write/mm_access.h"

/* Longest text of a MARK. */
#define MARK_BYTES 960

static uint64_t time_of(struct nti_mm *s, const struct ntime_record *r)
{
	uint64_t ns = s->last_ns;

	if (r && r->flags & NTIME_RECORD_TIMED)
		ns = r->time_ns;
	else if (!s->has_time)
		return s->sequence * NTI_MM_COUNTED_NS;
	return s->flags & NTIME_WRITER_REBASE ? ns - s->base_ns : ns;
}

/* Time that goes back behind the first one has no digits. */
uint64_t nti_mm_time(struct nti_mm *s, const struct ntime_record *r)
{
	uint64_t ns = time_of(s, r);

	return (int64_t)ns < 0 ? 0 : ns;
}

char *nti_mm_put_time(char *p, struct nti_mm *s, const struct ntime_record *r)
{
	return nti_put_seconds(p, &s->seconds, nti_mm_time(s, r));
}

char *nti_mm_room(struct nti_mm *s, const struct nti_mm_sink *k, size_t bytes)
{
	char *p = nti_trace_bytes_room(k->out, bytes + NTI_MM_LINE_BYTES);

	if (!p)
		s->error = -ENOMEM;
	return p;
}

void nti_mm_done(const struct nti_mm_sink *k, const char *p)
{
	k->out->n = (size_t)(p - k->out->p);
}

/* The beginning of a line, with the time and room for @bytes of text; NULL without memory. */
static char *begin_line(struct nti_mm *s, const struct nti_mm_sink *k, const char *key,
			size_t bytes)
{
	char *p = nti_mm_room(s, k, bytes);

	if (!p)
		return NULL;
	p = nti_mm_put_time(nti_put_text(p, key), s, k->r);
	*p++ = ' ';
	return p;
}

/* MARK: what stands on one line of a decoder's. */
static void put_mark(struct nti_mm *s, const struct nti_mm_sink *k, const char *text, size_t bytes)
{
	char *p, *q;

	if (s->flags & NTIME_WRITER_NO_MARKS)
		return;
	s->left_out.count[NTI_LEFT_OUT_END] += bytes > MARK_BYTES;
	bytes = bytes > MARK_BYTES ? MARK_BYTES : bytes;
	p = begin_line(s, k, "MARK ", bytes);
	if (!p)
		return;
	memcpy(p, text, bytes);
	for (q = p; q < p + bytes; q++)
		if (*q == '\n' || *q == '\r' || *q == '\0')
			*q = ' ';
	p += bytes;
	*p++ = '\n';
	nti_mm_done(k, p);
}

void NTI_PRINTF(3, 4)
	nti_mm_mark_format(struct nti_mm *s, const struct nti_mm_sink *k, const char *format, ...)
{
	char text[MARK_BYTES];
	va_list args;
	int n;

	if (!k->out || s->flags & NTIME_WRITER_NO_MARKS)
		return;
	va_start(args, format);
	n = nti_text_vprint(text, sizeof(text), format, args);
	va_end(args);
	put_mark(s, k, text, n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* One line R or W. */
char *nti_mm_put_access(char *p, struct nti_mm *s, const struct ntime_record *r,
			const struct nti_mm_entry *e)
{
	return nti_mm_put_rest(nti_mm_put_time(nti_mm_put_head(p, r), s, r), r, e, 0);
}

static char *put_0x(char *p, uint64_t value)
{
	return nti_put_hex(nti_put_text(p, " 0x"), value);
}

/* The digits that stand behind @key in @text, else those of @value. */
static char *put_kept(char *p, const char *text, const char *key, uint64_t value)
{
	const char *digits = strstr(text, key);
	size_t n = 0;

	if (digits) {
		digits += strlen(key);
		n = strspn(digits, "0123456789abcdef");
	}
	if (!n || n > 16)
		return put_0x(p, value);
	p = nti_put_text(p, " 0x");
	memcpy(p, digits, n);
	return p + n;
}

/* Of a record that stands in another form: the end of its line holds more than zeros. */
char *nti_mm_put_tail(char *p, struct nti_mm *s, const struct ntime_record *r, const char *text)
{
	p = put_kept(p, text, "pc=0x", 0);
	*p++ = ' ';
	p = nti_put_dec(p, r->flags & NTIME_RECORD_THREADED &&
					   (s->flags & NTIME_WRITER_KEEP_THREAD || s->is_native)
				   ? r->thread
				   : 0);
	*p++ = '\n';
	return p;
}

/* An access that cannot be a line R or W. */
void nti_mm_mark_access(struct nti_mm *s, const struct nti_mm_sink *k, const struct ntime_record *r)
{
	const struct nti_place *p = nti_mm_place(s, r->device);
	char text[MARK_BYTES];
	bool is_told = p && !(s->flags & NTIME_WRITER_NO_MARKS) &&
		       strlen(p->name) + NTI_EVENT_BYTES <= sizeof(text);

	if (!is_told) {
		nti_left_out_add(&s->left_out, r);
		return;
	}
	/* As events of QEMU they would be read back as accesses that were made. */
	if (!(r->flags & NTIME_RECORD_VALUED) && r->kind == NTIME_RECORD_WRITE)
		nti_mm_mark_format(s, k,
				   "ntime: a write of 0x%llx to region %u of %s at 0x%llx, which "
				   "is not known to be done",
				   (unsigned long long)r->value, r->region, p->name,
				   (unsigned long long)r->offset);
	else if (!(r->flags & NTIME_RECORD_VALUED))
		nti_mm_mark_format(s, k,
				   "ntime: a read of region %u of %s at 0x%llx, whose value is not "
				   "in the trace",
				   r->region, p->name, (unsigned long long)r->offset);
	else
		put_mark(s, k, text,
			 (size_t)(nti_event_put_access(text, r, p->name, false) - text));
}

void nti_mm_put_map(struct nti_mm *s, const struct nti_mm_sink *k, const struct ntime_record *r,
		    const char *text)
{
	char *p = begin_line(s, k, "MAP ", 0);

	if (!p)
		return;
	p = put_0x(nti_put_dec(p, r->source), r->offset);
	p = put_kept(p, text, "virt=0x", NTI_MM_VIRTUAL + r->offset);
	nti_mm_done(k, nti_mm_put_tail(put_0x(p, r->value), s, r, text));
}

void nti_mm_put_unmap(struct nti_mm *s, const struct nti_mm_sink *k, const struct ntime_record *r,
		      const char *text)
{
	char *p = begin_line(s, k, "UNMAP ", 0);

	if (!p)
		return;
	/* The kernel has -1 for a mapping that it does not know. */
	p = r->source == UINT32_MAX ? nti_put_text(p, "-1") : nti_put_dec(p, r->source);
	nti_mm_done(k, nti_mm_put_tail(p, s, r, text));
}

static void put_unknown(struct nti_mm *s, const struct nti_mm_sink *k, const struct ntime_record *r,
			const char *text)
{
	size_t n = strcspn(text, " "), i = nti_mm_index(r->device);
	uint64_t base = r->region < NTI_PLACE_REGIONS && i < s->places.n
				? s->places.list[i].region[r->region].start
				: 0;
	char *p = begin_line(s, k, "UNKNOWN ", n);

	if (!p)
		return;
	p = put_0x(nti_put_dec(p, r->source), base + r->offset);
	*p++ = ' ';
	memcpy(p, text, n);
	nti_mm_done(k, nti_mm_put_tail(p + n, s, r, text));
}

/* Text of the trace, whole lines of its own form. */
static void put_line(struct nti_mm *s, const struct nti_mm_sink *k, const char *key,
		     const char *text)
{
	size_t n = strcspn(text, "\n");
	char *p = nti_mm_room(s, k, n);

	if (!p)
		return;
	p = nti_put_text(p, key);
	memcpy(p, text, n);
	p += n;
	*p++ = '\n';
	nti_mm_done(k, p);
}

static void put_lost(struct nti_mm *s, const struct nti_mm_sink *k, const struct ntime_record *r)
{
	char *p = nti_mm_room(s, k, 0);

	if (!p)
		return;
	/* As the kernel has it: losses have no time. Even where no marks are wanted. */
	p = nti_put_text(p, "MARK 0.000000 Lost ");
	if (r->value) {
		p = nti_put_dec(p, r->value);
		*p++ = ' ';
	}
	nti_mm_done(k, nti_put_text(p, "events.\n"));
}

/* An event of VFIO, told as such. */
static void mark_event(struct nti_mm *s, const struct nti_mm_sink *k, const struct ntime_record *r,
		       const char *text)
{
	size_t i = nti_mm_index(r->device);
	const char *name =
		i < s->places.n && s->places.list[i].is_seen ? s->places.list[i].name : "";
	size_t bytes = nti_event_room(text, name);
	char stack[2048], *event = bytes > sizeof(stack) ? malloc(bytes) : stack;

	if (!event) {
		s->error = -ENOMEM;
		return;
	}
	if (nti_event_has(r, text))
		put_mark(s, k, event, (size_t)(nti_event_put(event, r, text, name) - event));
	else
		put_mark(s, k, text, strlen(text));
	if (event != stack)
		free(event);
}

void nti_mm_write_mark(struct nti_mm *s, const struct nti_mm_sink *k, const struct ntime_record *r,
		       const char *text)
{
	switch (r->kind) {
	case NTIME_RECORD_PCIDEV:
		put_line(s, k, "PCIDEV ", text);
		break;
	case NTIME_RECORD_MAP:
		nti_mm_put_map(s, k, r, text);
		break;
	case NTIME_RECORD_UNMAP:
		nti_mm_put_unmap(s, k, r, text);
		break;
	case NTIME_RECORD_UNKNOWN:
		put_unknown(s, k, r, text);
		break;
	case NTIME_RECORD_LOST:
		put_lost(s, k, r);
		break;
	case NTIME_RECORD_LIST:
		nti_left_out_add(&s->left_out, r);
		break;
	case NTIME_RECORD_STYLE:
		break;
	case NTIME_RECORD_EVENT:
		if (!strncmp(text, "LSPCI ", 6)) {
			put_line(s, k, "", text);
			break;
		}
		/* fall through */
	default:
		/* Marks that nobody wants are not missed. */
		if (!*text && !nti_event_has(r, text))
			nti_left_out_add(&s->left_out, r);
		else if (!(s->flags & NTIME_WRITER_NO_MARKS) &&
			 !(r->flags & NTIME_RECORD_SYNTHETIC))
			mark_event(s, k, r, text);
	}
}
