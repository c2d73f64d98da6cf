// SPDX-License-Identifier: MIT
/*
 * Front end: register operations of NVIDIA's driver, as envytools' demmt prints the control call
 * that asks for them: lines "LOG:", and before that "REQUEST:" and "RETURND:". Grammar: counted
 * over the public collection re-pcounter-tools (674,252 and 19,192 lines, none outside of it).
 *
 * Operations come in lists, each twice: as handed in and as handed back. A list begins with a mark;
 * what is read has a value in the second one only. Which of both a list is, only the order tells:
 * settle() compares first operations.
 */
#include <string.h>

#include "base/common/compiler.h"
#include "trace/lib/base/device.h"
#include "trace/lib/read/fields.h"
#include "trace/lib/read/front.h"
#include "trace/lib/read/lines.h"

/* The lines do not say whose registers they are: the one card's that the program used. */
#define DEVICE "gpu"

/*
 * First word of an operation: envytools, demmt/nvrm_decode; the driver's own header for its status.
 */
#define DIR_OPERATION 0xffu
#define DIR_STATUS 0xff0000u
#define OPERATION_WRITE 1u
#define OPERATION_8BIT 4u

/* .reserved of a record between parse() and settle(): who says that a list begins here. */
enum hint {
	HINT_NONE = 0,
	HINT_LOG,     /* the index is 0: it does */
	HINT_REQUEST, /* a line REQUEST: it does unless the line before was one */
	HINT_RETURND, /* the same for RETURND */
};

struct state {
	uint32_t last; /* enum hint of the line before, of the older form */
	uint16_t device;
	bool has_device;
};

struct order {
	uint32_t lists;
	bool is_return; /* the list we are in was handed back */
	bool is_open;	/* there was a beginning */
	uint32_t last;	/* enum hint of the last list */
	/* first operation of the last list handed in */
	uint32_t first_dir, first_mask;
	uint64_t first_offset;
};

static bool is_write(uint32_t dir)
{
	return dir & OPERATION_WRITE;
}

/* What the operation's words say. */
static void fill(struct ntime_record *r, uint16_t device, uint32_t dir, uint32_t mask)
{
	uint32_t operation = dir & DIR_OPERATION;

	r->kind = is_write(dir) ? NTIME_RECORD_WRITE : NTIME_RECORD_READ;
	r->device = device;
	r->source = dir;
	/* Of 64-bit operations only the lower word is printed. */
	r->width = operation == OPERATION_8BIT || operation == (OPERATION_8BIT | OPERATION_WRITE)
			   ? 1
			   : 4;
	r->flags = dir & DIR_STATUS ? 0 : NTIME_RECORD_VALUED;
	if (!is_write(dir) || mask == UINT32_MAX)
		return;
	r->flags |= NTIME_RECORD_MASKED;
	r->mask = mask;
}

static uint16_t device_of(struct state *s, struct nti_trace_devices *devices)
{
	if (!s->has_device) {
		s->device = nti_trace_device_number(devices, DEVICE, sizeof(DEVICE) - 1);
		s->has_device = true;
	}
	return s->device;
}

/* The mark in front of a list; settle() removes it where none begins. */
static void add_list(struct nti_trace_batch *b, enum hint hint)
{
	b->rec[b->n++] = (struct ntime_record){ .kind = NTIME_RECORD_LIST,
						.device = NTIME_DEVICE_NONE,
						.reserved = (uint16_t)hint };
}

static uint32_t hex32(struct nti_fields *f, const char *name)
{
	uint64_t value;

	nti_fields_loose(f, name);
	nti_fields_skip(f);
	value = nti_fields_hex_digits(f);
	f->is_bad |= value > UINT32_MAX;
	return (uint32_t)value;
}

/* "LOG:         0: dir: 0x00000101, mmio: 0x0040833c, value: 0x00000014, mask: 0xffffffff" */
static bool parse_log(struct state *s, struct nti_fields f, struct nti_trace_devices *devices,
		      struct nti_trace_batch *b)
{
	struct ntime_record r = { 0 };
	uint64_t index;
	uint32_t dir, mask;

	nti_fields_literal(&f, "LOG:");
	nti_fields_skip(&f);
	index = nti_fields_digits(&f, 9);
	dir = hex32(&f, ": dir: ");
	r.offset = hex32(&f, ", mmio: ");
	r.value = hex32(&f, ", value: ");
	mask = hex32(&f, ", mask: ");
	if (f.is_bad || !nti_fields_is_end(&f))
		return false;
	fill(&r, device_of(s, devices), dir, mask);
	if (!index)
		add_list(b, HINT_LOG);
	s->last = HINT_NONE;
	b->rec[b->n++] = r;
	return true;
}

/*
 * "REQUEST: DIR=1 MMIO=a7cc VALUE=00000001 MASK=ffffffff UNK=00000000,00000000,00000000,00000000"
 */
static bool parse_old(struct state *s, struct nti_fields f, enum hint hint,
		      struct nti_trace_devices *devices, struct nti_trace_batch *b)
{
	struct ntime_record r = { 0 };
	const char *unknown;
	uint32_t dir, mask;

	f.p += sizeof("REQUEST:") - 1;
	dir = hex32(&f, " DIR=");
	r.offset = hex32(&f, " MMIO=");
	r.value = hex32(&f, " VALUE=");
	mask = hex32(&f, " MASK=");
	if (f.is_bad)
		return false;
	nti_fields_skip(&f);
	unknown = f.p;
	if (!nti_fields_is_end(&f)) {
		nti_fields_literal(&f, "UNK=");
		while (f.p < f.end && !f.is_bad) {
			(void)nti_fields_hex_digits(&f);
			if (f.p < f.end)
				nti_fields_literal(&f, ",");
		}
		if (f.is_bad)
			return false;
	}
	fill(&r, device_of(s, devices), dir, mask);
	if (s->last != hint)
		add_list(b, hint);
	s->last = hint;
	/* Always zeros in all that was seen; else nobody knows what they are, and they are kept. */
	if ((size_t)(f.end - unknown) > 4 &&
	    strspn(unknown + 4, "0,") < (size_t)(f.end - unknown) - 4)
		r.text = nti_trace_batch_text(b, unknown, (size_t)(f.end - unknown));
	b->rec[b->n++] = r;
	return true;
}

static enum nti_line parse_line(void *state, const char *p, const char *end, bool is_whole,
				struct nti_trace_devices *devices, struct nti_trace_batch *b)
{
	struct nti_fields f = nti_fields(p, end);
	bool is_done;

	/* Where the line ends nobody can tell whether a digit is missing. */
	if (f.end - f.p < 10 || !is_whole)
		return NTI_LINE_OTHER;
	if (!memcmp(p, "LOG:", 4))
		is_done = parse_log(state, f, devices, b);
	else if (!memcmp(p, "REQUEST:", 8))
		is_done = parse_old(state, f, HINT_REQUEST, devices, b);
	else if (!memcmp(p, "RETURND:", 8))
		is_done = parse_old(state, f, HINT_RETURND, devices, b);
	else
		return NTI_LINE_OTHER;
	return is_done ? NTI_LINE_DONE : NTI_LINE_TORN;
}

static ssize_t parse(void *state, const struct nti_trace_piece *piece,
		     struct nti_trace_devices *devices, struct nti_trace_batch *b)
{
	/* What was in front of the piece is unknown. */
	((struct state *)state)->last = HINT_NONE;
	return nti_trace_lines(state, piece, devices, b, parse_line);
}

/*
 * Does the list that begins with @r hand back the last one that was handed in? The driver changes
 * the status only.
 */
static bool is_handed_back(const struct order *o, const struct ntime_record *r)
{
	return o->is_open && !o->is_return && !((o->first_dir ^ r->source) & ~DIR_STATUS) &&
	       o->first_offset == r->offset && o->first_mask == r->mask;
}

/* A list may begin with the operation at @first; false: it goes on. */
static bool begin_list(struct order *o, struct ntime_record *list, const struct ntime_record *first)
{
	uint32_t hint = list->reserved;

	if (hint != HINT_LOG && o->last == hint)
		return false;
	o->is_return = hint == HINT_LOG ? is_handed_back(o, first) : hint == HINT_RETURND;
	o->is_open = true;
	o->last = hint;
	if (!o->is_return) {
		o->first_dir = first->source;
		o->first_offset = first->offset;
		o->first_mask = first->mask;
	}
	list->value = o->is_return;
	list->source = o->lists++;
	list->reserved = 0;
	return true;
}

static int settle(void *order, struct nti_trace_devices *devices NTI_UNUSED,
		  struct nti_trace_batch *b)
{
	struct order *o = order;
	size_t i, n = 0;

	for (i = 0; i < b->n; i++) {
		struct ntime_record *r = &b->rec[i];

		/* A list and its first operation are one line and so in one batch. */
		if (r->kind == NTIME_RECORD_LIST && i + 1 < b->n && !begin_list(o, r, r + 1))
			continue;
		/* What is to be read has no value before it is handed back. */
		if (r->kind == NTIME_RECORD_READ && !o->is_return)
			r->flags &= (uint8_t)~NTIME_RECORD_VALUED;
		b->rec[n++] = *r;
	}
	b->n = n;
	return 0;
}

/* How sure it is that a line is demmt's. */
static int match_line(const char *p, size_t n)
{
	struct nti_fields old = { p + sizeof("REQUEST:") - 1, p + n, false };

	if (n <= 20)
		return 0;
	if (!memcmp(p, "LOG:", 4))
		return (p[4] == ' ' || p[4] == '\t') && memchr(p, 'd', 20) ? 95 : 0;
	if (memcmp(p, "REQUEST:", 8) != 0 && memcmp(p, "RETURND:", 8) != 0)
		return 0;
	nti_fields_loose(&old, " DIR=");
	return old.is_bad ? 0 : 95;
}

static int match(const char *head, size_t n)
{
	return nti_trace_lines_match(head, n, match_line);
}

const struct nti_trace_front nti_trace_demmt = {
	.form = NTIME_TRACE_DEMMT,
	.name = "register operations of demmt",
	.clock = NTIME_CLOCK_NONE,
	.is_text = true,
	.has_lists = true,
	.state_bytes = sizeof(struct state),
	.order_bytes = sizeof(struct order),
	.match = match,
	.parse = parse,
	.settle = settle,
};
