// SPDX-License-Identifier: MIT
/* Lines of "ntime trace show". */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/clean.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "trace/cli/fold.h"
#include "trace/cli/line.h"
#include "trace/cli/mark.h"

/*
 * Powers of two; a cache that fits the processor's second level is better than one that never
 * forgets.
 */
#define NAMES 4096u
#define VALUES 8192u
#define NAME_BYTES 160u
#define SHORT_NAME 64u /* nearly all are not longer */
#define VALUE_BYTES 104u
/* Texts of one register and of one value are cut there; only marks can be longer. */
#define LINE_BYTES 4096u
#define INDENT 8u

/**
 * struct name - device, direction and register as they stand in a line
 * @bytes:	of text; 0: the entry is empty
 * @kind_at:	where R or W stands
 * @has_words:	the register is known: values may be told in words
 * @serial:	what values of this entry are known by
 */
struct name {
	uint64_t offset;
	uint32_t where; /* device << 16 | region << 8 | width */
	uint32_t serial;
	uint8_t bytes, kind_at, columns;
	bool has_words;
	char text[NAME_BYTES];
};

/* In place of the length of words: they are not kept yet. */
#define SEEN_ONCE UINT32_MAX

/*
 * A value of a register, apart from its words: most are asked for in vain, and then no other line
 * of the cache is looked at.
 */
struct value {
	uint64_t value;
	uint32_t serial; /* of the name, 0: empty */
	uint32_t bytes;	 /* of its words */
};

/**
 * struct front - what stands in front of the device: the same for all accesses of a second by one
 * thread, but for six digits
 * @bytes:	0: there is none, or the columns are others
 * @digits_at:	where those are
 * @from_ns:	when the second began
 */
struct front {
	uint64_t from_ns;
	uint32_t thread;
	uint8_t bytes, digits_at;
	char text[64];
};

/* A device's column, made when it was asked for last. */
struct device_text {
	const char *name; /* NULL: empty */
	uint32_t device;
	uint32_t bytes;
	char text[72];
};

/* Devices by the low bits of their number. */
#define DEVICES 16u

struct cli_lines {
	struct cli_line_style style;
	struct ntime_decoder *decoder;
	struct name *names;
	struct value *values;
	char (*words)[VALUE_BYTES]; /* of each of @values */
	uint32_t serial;
	char *buffer;
	size_t n, room;
	uint64_t access;
	struct front front;
	struct device_text device[DEVICES];
	/* The texts of the last second and thread. */
	uint64_t second;
	uint32_t thread;
	uint8_t second_bytes, thread_bytes;
	char second_text[32], thread_text[16];
	char pair[200];
};

struct cli_lines *cli_lines_new(const struct cli_line_style *style, struct ntime_decoder *decoder)
{
	struct cli_lines *l = cli_calloc(1, sizeof(*l));

	l->style = *style;
	l->decoder = style->is_raw ? NULL : decoder;
	l->names = cli_calloc(NAMES, sizeof(*l->names));
	l->values = cli_calloc(VALUES, sizeof(*l->values));
	l->second = UINT64_MAX;
	l->thread_bytes = 0;
	for (unsigned int i = 0; i < 100; i++) {
		l->pair[2 * i] = (char)('0' + i / 10);
		l->pair[2 * i + 1] = (char)('0' + i % 10);
	}
	l->words = cli_calloc(VALUES, sizeof(*l->words));
	return l;
}

void cli_lines_free(struct cli_lines *l)
{
	if (!l)
		return;
	free(l->names);
	free(l->values);
	free(l->words);
	free(l->buffer);
	free(l);
}

const char *cli_lines_text(const struct cli_lines *l, size_t *n)
{
	*n = l->n;
	return l->buffer;
}

void cli_lines_clear(struct cli_lines *l)
{
	l->n = 0;
}

void cli_lines_forget(struct cli_lines *l)
{
	for (uint32_t i = 0; i < NAMES; i++)
		l->names[i].bytes = 0;
}

static void make_room(struct cli_lines *l, size_t bytes)
{
	size_t room = l->room ? l->room : 1 << 16;

	while (room - l->n < bytes)
		room *= 2;
	l->buffer = cli_realloc(l->buffer, room, 1);
	l->room = room;
}

/* ---- numbers ---- */

/* Two digits at a time from the end; returns where they begin. */
static char *decimal_before(const struct cli_lines *l, char *end, uint64_t n)
{
	while (n >= 100) {
		end -= 2;
		memcpy(end, l->pair + 2 * (n % 100), 2);
		n /= 100;
	}
	if (n >= 10) {
		end -= 2;
		memcpy(end, l->pair + 2 * n, 2);
	} else {
		*--end = (char)('0' + n);
	}
	return end;
}

/* Right-aligned in @columns, or longer. */
static char *put_decimal(const struct cli_lines *l, char *p, uint64_t n, unsigned int columns)
{
	char text[24], *end = text + sizeof(text), *from = decimal_before(l, end, n);
	size_t bytes = (size_t)(end - from);

	for (; bytes < columns; columns--)
		*p++ = ' ';
	memcpy(p, from, bytes);
	return p + bytes;
}

/* The four high bytes of @value, eight digits. */
static inline void put_hex8(char *p, uint64_t value)
{
	/*
	 * One digit a byte, the first one lowest: bytes swapped, then spread, then split in halves.
	 */
	uint64_t x = __builtin_bswap32((uint32_t)(value >> 32));

	x = (x & 0xffff0000u) << 16 | (x & 0xffffu);
	x = (x << 8 | x) & 0x00ff00ff00ff00ffu;
	x = (x >> 4 | x << 8) & 0x0f0f0f0f0f0f0f0fu;
	/* 10 and above are 39 further than '0' + 10: from ':' to 'a'. */
	x += 0x3030303030303030u + ((x + 0x0606060606060606u) >> 4 & 0x0101010101010101u) * 39;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	memcpy(p, &x, 8);
}

/* The first @digits of 16 of a value that begins at the highest bit; all 16 are written. */
static inline char *put_digits(char *p, uint64_t value, unsigned int digits)
{
	p[0] = '0';
	p[1] = 'x';
	put_hex8(p + 2, value);
	if (digits > 8)
		put_hex8(p + 10, value << 32);
	return p + 2 + digits;
}

/* @bytes bytes as they are in hexadecimal, all digits. */
static inline char *put_hex(char *p, uint64_t value, unsigned int bytes)
{
	return put_digits(p, value << (64 - 8 * bytes), 2 * bytes);
}

static char *put_text(char *p, const char *text)
{
	return stpcpy(p, text);
}

static char *put_blanks(char *p, size_t n)
{
	memset(p, ' ', n);
	return p + n;
}

/* ---- columns ---- */

static unsigned int time_columns(const struct cli_line_style *s)
{
	/*
	 * Seconds of a clock since 1970 have ten digits, those since the first record rarely more
	 * than five.
	 */
	return (s->base_ns ? 6 : 10) + 1 + s->digits;
}

static void make_second(struct cli_lines *l, uint64_t second)
{
	char *end = put_decimal(l, l->second_text, second, l->style.base_ns ? 6 : 10);

	*end++ = '.';
	l->second = second;
	l->second_bytes = (uint8_t)(end - l->second_text);
}

/* Six digits. */
static inline void put_micro(const struct cli_lines *l, char *p, uint32_t us)
{
	memcpy(p, l->pair + 2 * (us / 10000), 2);
	memcpy(p + 2, l->pair + 2 * (us / 100 % 100), 2);
	memcpy(p + 4, l->pair + 2 * (us % 100), 2);
}

static char *put_time(struct cli_lines *l, char *p, const struct ntime_record *r)
{
	uint64_t ns = r->time_ns - l->style.base_ns;
	uint32_t part;

	if (!(r->flags & NTIME_RECORD_TIMED)) {
		p = put_blanks(p, time_columns(&l->style) - 1);
		*p++ = '-';
		return p;
	}
	/* Clocks that go back do so rarely. */
	if (r->time_ns < l->style.base_ns)
		return p + sprintf(p, "%*.*f", (int)time_columns(&l->style), (int)l->style.digits,
				   -(double)(l->style.base_ns - r->time_ns) / 1e9);
	if (ns / 1000000000 != l->second)
		make_second(l, ns / 1000000000);
	memcpy(p, l->second_text, sizeof(l->second_text));
	p += l->second_bytes;
	part = (uint32_t)(ns % 1000000000);
	if (l->style.digits == 6) {
		part /= 1000;
		put_micro(l, p, part);
		return p + 6;
	}
	return p + sprintf(p, "%09u", part);
}

static char *put_thread(struct cli_lines *l, char *p, const struct ntime_record *r)
{
	if (!(r->flags & NTIME_RECORD_THREADED)) {
		p = put_blanks(p, 6);
		*p++ = '-';
		return p;
	}
	if (!l->thread_bytes || r->thread != l->thread) {
		l->thread_bytes =
			(uint8_t)(put_decimal(l, l->thread_text, r->thread, 7) - l->thread_text);
		l->thread = r->thread;
	}
	memcpy(p, l->thread_text, sizeof(l->thread_text));
	return p + l->thread_bytes;
}

static const char *device_name(const struct cli_lines *l, uint32_t device)
{
	const char *name = device == NTIME_DEVICE_NONE ? "-" : l->style.device_name[device];

	if (!name)
		return "?";
	if (l->style.is_short && strncmp(name, "0000:", 5) == 0)
		return name + 5;
	return name;
}

/* Cut in front where it is too long: what tells devices apart stands behind. */
static char *put_device(const struct cli_lines *l, char *p, uint32_t device)
{
	const char *name = device_name(l, device);
	size_t bytes = strlen(name), columns = l->style.device_columns;

	if (l->style.look.is_terminal && bytes > columns) {
		name += bytes - columns;
		bytes = columns;
	}
	if (bytes > 64)
		bytes = 64;
	bytes = cli_clean_copy(p, name, bytes);
	p += bytes;
	return bytes < columns ? put_blanks(p, columns - bytes) : p;
}

/* The same with blanks behind, from the cache; up to 72 bytes are written. */
static char *put_device_column(struct cli_lines *l, char *p, uint32_t device)
{
	struct device_text *d = &l->device[device % DEVICES];
	const char *name = device_name(l, device);

	if (!d->name || d->name != name || d->device != device) {
		*d = (struct device_text){ .name = name, .device = device };
		d->bytes = (uint32_t)(put_blanks(put_device(l, d->text, device), 2) - d->text);
	}
	memcpy(p, d->text, sizeof(d->text));
	return p + d->bytes;
}

static char *put_place(char *p, uint32_t region, uint64_t offset)
{
	static const char *const names[] = { "rom", "config", "vga" };
	unsigned int digits = 16 - (unsigned int)__builtin_clzll(offset | 1) / 4;

	if (region == NTIME_REGION_PHYSICAL) {
		p = put_text(p, "phys");
	} else if (region < NTIME_REGION_ROM) {
		p = put_text(p, "bar");
		*p++ = (char)('0' + region);
	} else if (region <= NTIME_REGION_VGA) {
		p = put_text(p, names[region - NTIME_REGION_ROM]);
	} else {
		p += sprintf(p, "region%u", region);
	}
	*p++ = '+';
	return put_digits(p, offset << (64 - 4 * digits), digits);
}

/* The registers' names, cut at @room; false when they have none. */
static bool put_name(struct cli_lines *l, char **p, size_t room, const struct ntime_record *r,
		     uint32_t region)
{
	size_t n;

	if (!l->decoder || r->device == NTIME_DEVICE_NONE)
		return false;
	n = ntime_decoder_name(l->decoder, r->device, (uint8_t)region, r->offset, r->width, *p,
			       room);
	*p += cli_clean_copy(*p, *p, n);
	return n;
}

/* ---- what was named before ---- */

static struct name *name_at(struct cli_lines *l, const struct ntime_record *r, uint32_t where)
{
	uint64_t h = (r->offset ^ (uint64_t)where << 32) * 0x9e3779b97f4a7c15u;

	return &l->names[h >> 52 & (NAMES - 1)];
}

/* "0000:05:00.0  R4  PCOUNTER.PRE_SRC[3]", filled with blanks to the column of values. */
static void make_name(struct cli_lines *l, struct name *e, const struct ntime_record *r,
		      uint32_t where)
{
	char *p = e->text, *from;
	ptrdiff_t blanks;

	e->offset = r->offset;
	e->where = where;
	/* Serials come again only after four billion entries; then nothing old may be left. */
	if (!++l->serial) {
		memset(l->values, 0, VALUES * sizeof(*l->values));
		l->serial = 1;
	}
	e->serial = l->serial;
	if (l->style.has_device) {
		p = put_device_column(l, p, r->device);
	}
	e->kind_at = (uint8_t)(p - e->text);
	*p++ = 'R';
	*p++ = r->width ? (char)('0' + r->width) : '?';
	p = put_blanks(p, 2);
	from = p;
	e->has_words = put_name(l, &p, NAME_BYTES - (size_t)(p - e->text) - 2, r, r->region);
	if (!e->has_words)
		p = put_place(p, r->region, r->offset);
	e->columns = (uint8_t)(p - e->text);
	blanks = (ptrdiff_t)l->style.name_columns - (p - from);
	if (blanks > e->text + NAME_BYTES - 2 - p)
		blanks = e->text + NAME_BYTES - 2 - p;
	p = put_blanks(p, (blanks > 0 ? (size_t)blanks : 0) + 2);
	e->bytes = (uint8_t)(p - e->text);
}

static const struct name *name_of(struct cli_lines *l, const struct ntime_record *r)
{
	uint32_t where = (uint32_t)r->device << 16 | (uint32_t)r->region << 8 | r->width;
	struct name *e = name_at(l, r, where);

	if (!e->bytes || e->offset != r->offset || e->where != where)
		make_name(l, e, r, where);
	return e;
}

/* Words of the value, in the cache or in @scratch of LINE_BYTES. */
static const char *words_of(struct cli_lines *l, const struct name *e, const struct ntime_record *r,
			    char *scratch, size_t *bytes)
{
	uint64_t h = (r->value ^ (uint64_t)e->serial << 40) * 0x9e3779b97f4a7c15u;
	size_t i = h >> 51 & (VALUES - 1);
	struct value *v = &l->values[i];
	bool is_again = v->serial == e->serial && v->value == r->value;

	if (is_again && v->bytes != SEEN_ONCE) {
		*bytes = v->bytes;
		return l->words[i];
	}
	/* "" where they would only be the number again. */
	*bytes = ntime_decoder_words(l->decoder, r->device, r->region, r->offset, r->width,
				     r->value, scratch, LINE_BYTES);
	*bytes = cli_clean_copy(scratch, scratch, *bytes);
	if (*bytes > VALUE_BYTES)
		return scratch;
	/* Most values that come once never come again. */
	v->serial = e->serial;
	v->value = r->value;
	v->bytes = is_again ? (uint32_t)*bytes : SEEN_ONCE;
	if (is_again)
		memcpy(l->words[i], scratch, *bytes);
	return scratch;
}

/* ---- lines ---- */

static char *make_front(struct cli_lines *l, char *p, const struct ntime_record *r)
{
	if (l->style.has_number) {
		p = r->kind <= NTIME_RECORD_WRITE ? put_decimal(l, p, l->access, 10)
						  : put_blanks(p, 10);
		p = put_blanks(p, 2);
	}
	if (l->style.has_time) {
		p = put_time(l, p, r);
		p = put_blanks(p, 2);
	}
	if (l->style.has_thread) {
		p = put_thread(l, p, r);
		p = put_blanks(p, 2);
	}
	return p;
}

/* The usual columns: time in microseconds and thread, both known. */
static bool is_usual_front(const struct cli_lines *l, const struct ntime_record *r)
{
	const struct cli_line_style *s = &l->style;
	const uint8_t flags = NTIME_RECORD_TIMED | NTIME_RECORD_THREADED;

	return !s->has_number && s->has_time && s->has_thread && s->digits == 6 &&
	       (r->flags & flags) == flags && r->time_ns >= s->base_ns;
}

/* One that others can be made of. */
static char *keep_front(struct cli_lines *l, char *p, const struct ntime_record *r)
{
	struct front *f = &l->front;
	char *end = make_front(l, p, r);

	f->bytes = 0;
	if (!is_usual_front(l, r) || end - p > (ptrdiff_t)sizeof(f->text))
		return end;
	memcpy(f->text, p, (size_t)(end - p));
	f->bytes = (uint8_t)(end - p);
	f->digits_at = (uint8_t)(l->second_bytes);
	f->thread = r->thread;
	f->from_ns = r->time_ns - (r->time_ns - l->style.base_ns) % 1000000000;
	return end;
}

/* Up to 64 bytes are written. */
static char *put_front(struct cli_lines *l, char *p, const struct ntime_record *r)
{
	const struct front *f = &l->front;
	const uint8_t flags = NTIME_RECORD_TIMED | NTIME_RECORD_THREADED;
	const uint64_t since = r->time_ns - f->from_ns;

	if (!f->bytes || since >= 1000000000 || r->thread != f->thread ||
	    (r->flags & flags) != flags)
		return keep_front(l, p, r);
	memcpy(p, f->text, sizeof(f->text));
	put_micro(l, p + f->digits_at, (uint32_t)since / 1000);
	return p + f->bytes;
}

static char *put_value(char *p, const struct ntime_record *r)
{
	unsigned int bytes = r->width && r->width <= 8 ? r->width : 4;

	if (!(r->flags & NTIME_RECORD_VALUED)) {
		memset(p, ' ', 9);
		p[9] = '-';
		return p + 10;
	}
	/* Aligned for 32 bits, which most registers have. */
	memset(p, ' ', 8);
	p += bytes < 4 ? 8 - 2 * bytes : 0;
	p = put_hex(p, r->value, bytes);
	if (r->flags & NTIME_RECORD_MASKED) {
		*p++ = '/';
		p = put_hex(p, r->mask, 4);
	}
	return p;
}

/* A line of an access for files: no colour, nothing broken. */
static char *put_plain(struct cli_lines *l, char *p, const struct ntime_record *r)
{
	const struct name *e = name_of(l, r);
	const char *words;
	size_t bytes;
	char *at;

	p = put_front(l, p, r);
	at = p;
	memcpy(p, e->text, SHORT_NAME);
	if (e->bytes > SHORT_NAME)
		memcpy(p + SHORT_NAME, e->text + SHORT_NAME, NAME_BYTES - SHORT_NAME);
	p += e->bytes;
	at[e->kind_at] = r->kind == NTIME_RECORD_WRITE ? 'W' : 'R';
	p = put_value(p, r);
	if (e->has_words && r->flags & NTIME_RECORD_VALUED) {
		/* New ones are made where they belong. */
		words = words_of(l, e, r, p + 2, &bytes);
		if (bytes) {
			p = put_blanks(p, 2);
			if (words != p)
				memcpy(p, words, bytes);
			p += bytes;
		}
	}
	*p++ = '\n';
	return p;
}

/* What is written to a terminal: colours do not count as columns. */
struct screen {
	struct cli_lines *l;
	char *p;
	unsigned int column;
};

static void screen_put(struct screen *s, enum cli_colour colour, const char *text, size_t bytes)
{
	const struct cli_look *look = &s->l->style.look;

	if (colour != CLI_PLAIN)
		s->p = put_text(s->p, cli_colour(look, colour));
	memcpy(s->p, text, bytes);
	s->p += bytes;
	s->column += (unsigned int)bytes;
	if (colour != CLI_PLAIN)
		s->p = put_text(s->p, cli_colour(look, CLI_PLAIN));
}

/* @blanks, or a new line where @bytes would not fit behind them. */
static void screen_gap(struct screen *s, size_t blanks, size_t bytes)
{
	const struct cli_look *look = &s->l->style.look;

	if (look->is_terminal && s->column + blanks + bytes > look->width && s->column > INDENT) {
		*s->p++ = '\n';
		s->p = put_blanks(s->p, INDENT);
		s->column = INDENT;
		return;
	}
	s->p = put_blanks(s->p, blanks);
	s->column += (unsigned int)blanks;
}

/* Text that may be broken at its blanks. */
static void screen_words(struct screen *s, enum cli_colour colour, const char *text, size_t bytes)
{
	const struct cli_look *look = &s->l->style.look;
	size_t at = 0, word;

	s->p = put_text(s->p, cli_colour(look, colour));
	for (bool is_first = true; at < bytes; is_first = false) {
		for (word = 0; at + word < bytes && text[at + word] != ' '; word++)
			;
		if (!is_first)
			screen_gap(s, 1, word);
		screen_put(s, CLI_PLAIN, text + at, word);
		at += word + 1;
	}
	s->p = put_text(s->p, cli_colour(look, CLI_PLAIN));
}

static size_t first_word(const char *text, size_t bytes)
{
	const char *blank = memchr(text, ' ', bytes);

	return blank ? (size_t)(blank - text) : bytes;
}

static char *put_screen(struct cli_lines *l, char *p, const struct ntime_record *r)
{
	const struct name *e = name_of(l, r);
	char scratch[LINE_BYTES], *end;
	struct screen s = { .l = l, .p = p };
	size_t bytes, name_at = (size_t)e->kind_at + 4;
	const char *words;
	bool is_write = r->kind == NTIME_RECORD_WRITE;

	end = put_front(l, scratch, r);
	screen_put(&s, CLI_DIM, scratch, (size_t)(end - scratch));
	screen_put(&s, CLI_DIM, e->text, e->kind_at);
	screen_put(&s, is_write ? CLI_BOLD : CLI_PLAIN, is_write ? "W" : "R", 1);
	screen_put(&s, CLI_PLAIN, e->text + e->kind_at + 1, 3);
	screen_gap(&s, 0, e->columns - name_at);
	screen_put(&s, e->has_words ? CLI_BOLD : CLI_PLAIN, e->text + name_at,
		   e->columns - name_at);
	end = put_value(scratch, r);
	bytes = (size_t)(end - scratch);
	/* The blanks up to the column of values, and the value. */
	screen_gap(&s, (size_t)(e->bytes - e->columns), bytes);
	screen_put(&s, is_write ? CLI_WARN : CLI_PLAIN, scratch, bytes);
	if (e->has_words && r->flags & NTIME_RECORD_VALUED) {
		words = words_of(l, e, r, scratch, &bytes);
		if (bytes) {
			screen_gap(&s, 2, first_word(words, bytes));
			screen_words(&s, CLI_GOOD, words, bytes);
		}
	}
	*s.p++ = '\n';
	return s.p;
}

/* "   again x 1233 in 3.2 ms, last 0x00000001" */
static char *put_again(struct cli_lines *l, char *p, const struct ntime_record *r)
{
	struct ntime_record last = *r;
	struct cli_number took;
	char text[LINE_BYTES], *end = text, scratch[LINE_BYTES];
	struct screen s = { .l = l, .p = p };
	const struct name *e;
	const char *words;
	size_t bytes;

	s.p = put_blanks(s.p, INDENT);
	s.column = INDENT;
	if (r->source > 1)
		end += sprintf(end, "the last %u again", r->source);
	else
		end += sprintf(end, "again");
	end += sprintf(end, " x %" PRIu64, cli_fold_count(r) / r->source);
	if (r->flags & NTIME_RECORD_TIMED) {
		took = cli_number_value((double)r->time_ns, "ns", false, &words);
		end += sprintf(end, " in %s %s", took.text, words);
	}
	screen_words(&s, CLI_DIM, text, (size_t)(end - text));
	if (r->source == 1 && r->reserved) {
		/* Polling: the value that ended it. */
		last.kind = NTIME_RECORD_READ;
		end = put_value(text + sprintf(text, ", last "), &last);
		screen_words(&s, CLI_DIM, text, (size_t)(end - text));
		e = name_of(l, &last);
		if (e->has_words && last.flags & NTIME_RECORD_VALUED) {
			words = words_of(l, e, &last, scratch, &bytes);
			if (bytes)
				screen_gap(&s, 2, first_word(words, bytes));
			screen_words(&s, CLI_GOOD, words, bytes);
		}
	}
	*s.p++ = '\n';
	return s.p;
}

static void put_mark(struct cli_lines *l, const struct ntime_record *r, const char *text)
{
	/* Each word may begin a line of its own. */
	size_t most = CLI_MARK_BYTES + strlen(text) + 1;
	struct screen s = { .l = l };
	char *sentence, front[256], *end;
	size_t bytes;

	if (l->room - l->n < most * (INDENT + 2) + 1024)
		make_room(l, most * (INDENT + 2) + 1024);
	sentence = cli_malloc(most);
	s.p = l->buffer + l->n;
	end = put_front(l, front, r);
	if (l->style.has_device) {
		end = put_device(l, end, r->device);
		end = put_blanks(end, 2);
	}
	end = put_text(end, "--  ");
	screen_put(&s, CLI_DIM, front, (size_t)(end - front));
	bytes = cli_mark_text(sentence, r, text);
	screen_words(&s, r->kind == NTIME_RECORD_LOST ? CLI_BAD : CLI_WARN, sentence, bytes);
	free(sentence);
	*s.p++ = '\n';
	l->n = (size_t)(s.p - l->buffer);
}

/* No line of an access is longer, even where each word of its value stands on a line of its own. */
#define ACCESS_BYTES (LINE_BYTES * 16)

/* For programs: marks are records as well. */
static void put_records(struct cli_lines *l, const struct ntime_record *records, size_t n,
			const char *text)
{
	for (const struct ntime_record *r = records; r < records + n; r++) {
		struct ntime_record_texts texts = {
			.size = sizeof(texts),
			.base_ns = l->style.base_ns,
			.device = r->device == NTIME_DEVICE_NONE ? NULL
								 : l->style.device_name[r->device],
			.text = r->text ? text + r->text - 1 : NULL,
		};
		size_t room = cli_record_room(&texts);

		if (l->room - l->n < room)
			make_room(l, room);
		l->n += cli_record_put(l->buffer + l->n, l->room - l->n, l->style.form,
				       l->style.look.is_terminal, r, &texts, l->decoder);
	}
}

void cli_lines_put(struct cli_lines *l, const struct ntime_record *records, size_t n,
		   const char *text, uint64_t access)
{
	bool is_screen = l->style.look.is_terminal || l->style.look.colour;
	char *p;

	if (l->style.form != CLI_RECORD_LINES) {
		put_records(l, records, n, text);
		return;
	}
	l->access = access;
	for (const struct ntime_record *r = records; r < records + n; r++) {
		if (r->kind > NTIME_RECORD_WRITE && r->kind != CLI_RECORD_AGAIN) {
			if (cli_mark_is_shown(r))
				put_mark(l, r, r->text ? text + r->text - 1 : "");
			continue;
		}
		if (l->room - l->n < ACCESS_BYTES)
			make_room(l, ACCESS_BYTES);
		p = l->buffer + l->n;
		if (r->kind == CLI_RECORD_AGAIN) {
			p = put_again(l, p, r);
			l->access += cli_fold_count(r);
		} else {
			p = is_screen ? put_screen(l, p, r) : put_plain(l, p, r);
			l->access++;
		}
		l->n = (size_t)(p - l->buffer);
	}
}
