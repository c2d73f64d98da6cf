// SPDX-License-Identifier: MIT
/*
 * Back end: text of Linux' mmiotrace. Grammar: Documentation/trace/mmiotrace.rst and
 * kernel/trace/trace_mmiotrace.c of Linux 6.1. What envytools' decoder demmio asks for beyond it:
 * each card with its BARs before its accesses, NVIDIA's with BARs 0 and 1, and the identification
 * of the chip as the first access; lines of at most 1022 bytes.
 *
 * Each region has an entry of what its lines have in common; one that is not valid (nothing was
 * mapped yet, the guest moved the BAR, an access behind its end) sends the access the slow way,
 * which writes mappings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lib/base/context.h"
#include "trace/lib/write/mm_access.h"
#include "trace/lib/write/nvidia.h"

/*
 * The longest line of a usual access: 4 + 21 + 24 + 16 + 3 + 16 + 7, and what is written too much.
 */
#define QUICK_BYTES 112

/* What decoders are told of a chip is its number. */
static int check_chips(struct ntime_trace_ctx *ctx, const struct nti_hints *hints)
{
	size_t i;

	for (i = 0; i < hints->n; i++)
		if (hints->list[i].kind == NTI_HINT_CHIP && !nti_nvidia_boot0(hints->list[i].name))
			return nti_error(&ctx->error, -EINVAL,
					 "no chip of NVIDIA's is called '%s', and readers of "
					 "mmiotrace know no others; write one such as GT218, NVA8 "
					 "or 0xa8",
					 hints->list[i].name);
	return 0;
}

static int mm_make(struct ntime_trace_ctx *ctx, const struct ntime_trace_writer_options *options,
		   struct nti_trace_devices *devices, void **state)
{
	struct nti_mm *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	nti_places_init(&s->places);
	s->flags = options->flags;
	s->devices = devices;
	s->maps = 1;
	ret = nti_hints_parse(&ctx->error, options->hints, &s->hints);
	if (!ret)
		ret = check_chips(ctx, &s->hints);
	if (ret < 0) {
		nti_mm_free(s);
		return ret;
	}
	*state = s;
	return 0;
}

static bool is_io(struct nti_mm *s, const struct ntime_record *r)
{
	size_t i = nti_mm_index(r->device);

	if (!(s->flags & NTIME_WRITER_IO_MARKS) || r->region == NTIME_REGION_PHYSICAL)
		return false;
	if (r->region == NTIME_REGION_VGA)
		return r->offset < 0x10000;
	return i < s->places.n && nti_place_is_port(&s->places.list[i].region[r->region]);
}

/*
 * In a trace that has mappings, is there a place for the access that leads back to it? Events of
 * QEMU in its marks may be of devices or regions of which it says nothing else.
 */
static bool has_place(struct nti_mm *s, const struct ntime_record *r)
{
	const struct nti_place *p = nti_mm_place(s, r->device);
	const struct nti_place_region *region = p ? &p->region[r->region] : NULL;

	if (!p)
		return false;
	/* The number of a mapping tells those. */
	if (r->region >= NTI_PCIDEV_BARS || nti_place_is_port(region))
		return r->source != 0;
	return p->is_told && region->start && r->offset < region->bytes;
}

/* Accesses that need more than the entry: new mappings, masks, no value, physical addresses. */
static void slow_access(struct nti_mm *s, const struct nti_mm_sink *k, const struct ntime_record *r,
			const char *text)
{
	struct nti_mm_entry physical = { 0 }, *e = &physical;
	char *p;

	if (s->in_request)
		return;
	/* Regions that are none of a PCI function's have no address. */
	if ((r->region >= NTI_PLACE_REGIONS && r->region != NTIME_REGION_PHYSICAL) ||
	    !(r->flags & NTIME_RECORD_VALUED) || is_io(s, r)) {
		nti_mm_mark_access(s, k, r);
		return;
	}
	if (s->is_native && r->region != NTIME_REGION_PHYSICAL && !has_place(s, r)) {
		nti_mm_write_mark(s, k, r, text);
		return;
	}
	if (r->region == NTIME_REGION_PHYSICAL)
		nti_mm_set_head(e, r->source, 0);
	else if (s->is_native)
		e = nti_mm_open_native(s, k, r);
	else
		e = nti_mm_open_region(s, k, r);
	if (e && r->flags & NTIME_RECORD_MASKED && r->mask != UINT32_MAX)
		nti_mm_mark_format(s, k, "ntime: the next access changes the bits %#x only",
				   r->mask);
	p = e ? nti_mm_room(s, k, 0) : NULL;
	if (!p)
		return;
	if (s->is_native && e != &physical)
		nti_mm_set_head(e, r->source, 0);
	p = nti_mm_put_access(p, s, r, e);
	/* The last bytes of the line again, where they are not the usual ones. */
	nti_mm_done(k, *text || r->flags & NTIME_RECORD_THREADED
			       ? nti_mm_put_tail(p - 7, s, r, text)
			       : p);
}

/* Regions that are no memory are where their mappings begin. */
static void learn_map(struct nti_mm *s, struct nti_place *p, const struct ntime_record *r)
{
	s->is_native = true;
	if (p && r->region < NTI_PLACE_REGIONS &&
	    (r->region >= NTI_PCIDEV_BARS || nti_place_is_port(&p->region[r->region])))
		p->region[r->region].start = r->offset;
}

static void slow_mark(struct nti_mm *s, const struct nti_mm_sink *k, const struct ntime_record *r,
		      const char *text)
{
	struct nti_place *p = NULL;

	if (r->device != NTIME_DEVICE_NONE)
		p = nti_mm_place(s, r->device);
	if (r->kind == NTIME_RECORD_LIST)
		s->in_request = r->value == 0;
	s->has_lists |= r->kind == NTIME_RECORD_LIST;
	if (r->kind == NTIME_RECORD_PCIDEV) {
		nti_mm_learn_pcidev(s, r, text);
		if (p)
			p->is_told = true;
	}
	if (r->kind == NTIME_RECORD_MAP)
		learn_map(s, p, r);
	if (p && nti_mm_is_learnt(r) && !s->is_native)
		nti_mm_learn(s, p, r);
	nti_mm_write_mark(s, k, r, text);
}

/* What is behind the numbers of a record, as one: fields of which some bits are asked for. */
static inline uint64_t kind_word(uint8_t region, uint8_t width, uint8_t kind, uint8_t flags)
{
	const struct ntime_record r = {
		.region = region, .width = width, .kind = kind, .flags = flags
	};
	uint64_t word;

	memcpy(&word, &r.device, sizeof(word));
	return word;
}

/* The entry of a usual access: nothing is to be said that it does not have. NULL: the slow way. */
static inline const struct nti_mm_entry *quick_entry(const struct nti_mm_entry *entries,
						     size_t places, const struct ntime_record *r,
						     uint8_t flags_asked, uint8_t flags_usual)
{
	const uint64_t bits = kind_word((uint8_t) ~(NTI_PLACE_REGIONS - 1), 0xf0,
					(uint8_t)~NTIME_RECORD_WRITE, flags_asked);
	const uint64_t usual = kind_word(0, 0, 0, flags_usual);
	size_t i = (uint16_t)(r->device + 1u);
	const struct nti_mm_entry *e;
	uint64_t word;

	memcpy(&word, &r->device, sizeof(word));
	if ((word & bits) != usual || r->text || i >= places)
		return NULL;
	e = &entries[i * NTI_PLACE_REGIONS + r->region];
	return r->offset + r->width <= e->limit && r->offset <= e->limit ? e : NULL;
}

/* Nothing that concerns all accesses speaks against the quick way. */
static bool is_quick(const struct nti_mm *s)
{
	return !s->is_native && !s->in_request && !(s->flags & NTIME_WRITER_KEEP_THREAD);
}

/* The entry of an access that leaves the state as it is, whatever its time. */
static inline const struct nti_mm_entry *usual_entry(const struct nti_mm *s,
						     const struct ntime_record *r)
{
	return is_quick(s)
		       ? quick_entry(s->entries, s->places.n, r,
				     NTIME_RECORD_VALUED | NTIME_RECORD_MASKED, NTIME_RECORD_VALUED)
		       : NULL;
}

static void slow(struct nti_mm *s, const struct nti_trace_batch *b, const struct ntime_record *r,
		 struct nti_trace_bytes *out)
{
	struct nti_mm_sink k = { .out = out, .r = r };
	const char *text = nti_trace_text(b->text, r);

	if (nti_record_is_access(r))
		slow_access(s, &k, r, text);
	else
		slow_mark(s, &k, r, text);
}

static inline void note_time(struct nti_mm *s, const struct ntime_record *r)
{
	s->sequence++;
	if (!(r->flags & NTIME_RECORD_TIMED))
		return;
	s->last_ns = r->time_ns;
	if (!s->has_time) {
		s->has_time = true;
		s->base_ns = r->time_ns;
	}
}

/* What usual accesses are of one run. */
#define ASKED (NTIME_RECORD_VALUED | NTIME_RECORD_MASKED | NTIME_RECORD_TIMED)

/*
 * Usual accesses from @i on: those with times, or those without, which have the time of the last
 * that had one, or count the records. Returns the first record that is not such. Made for each of
 * the two.
 */
static inline size_t __attribute__((always_inline))
format_run(struct nti_mm *s, const struct nti_trace_batch *b, size_t i, char **out, bool is_timed)
{
	const uint64_t shift = s->flags & NTIME_WRITER_REBASE ? s->base_ns : 0;
	const uint64_t step = s->has_time ? 0 : NTI_MM_COUNTED_NS;
	const uint8_t usual = NTIME_RECORD_VALUED | (is_timed ? NTIME_RECORD_TIMED : 0);
	const struct nti_mm_entry *const entries = s->entries;
	const size_t places = s->places.n;
	struct nti_seconds seconds = s->seconds;
	uint64_t ns = is_timed ? 0 : step ? s->sequence * step : nti_mm_time(s, NULL);
	const struct nti_mm_entry *e;
	char *p = *out;

	for (; i < b->n; i++) {
		const struct ntime_record *r = &b->rec[i];

		e = quick_entry(entries, places, r, ASKED, usual);
		if (!e || (is_timed && r->time_ns < shift))
			break;
		ns = is_timed ? r->time_ns - shift : ns + step;
		p = nti_mm_put_head(p, r);
		p = nti_put_seconds(p, &seconds, ns);
		p = nti_mm_put_rest(p, r, e, e->digits);
	}
	*out = p;
	s->seconds = seconds;
	return i;
}

/*
 * Usual accesses from @i on, as many as follow each other and have times or have none. Returns the
 * first that is not.
 */
static size_t format_quick(struct nti_mm *s, const struct nti_trace_batch *b, size_t i,
			   struct nti_trace_bytes *out)
{
	const bool is_timed = b->rec[i].flags & NTIME_RECORD_TIMED;
	const size_t begin = i;
	char *p, *first;

	first = p = nti_trace_bytes_room(out, (b->n - i) * QUICK_BYTES + NTI_MM_LINE_BYTES);
	if (!p) {
		s->error = -ENOMEM;
		return b->n;
	}
	i = is_timed ? format_run(s, b, i, &p, true) : format_run(s, b, i, &p, false);
	out->n += (size_t)(p - first);
	/* A run leaves nothing behind but its number and its last time. */
	s->sequence += i - begin;
	if (i > begin && is_timed)
		s->last_ns = b->rec[i - 1].time_ns;
	return i;
}

static void format_one(struct nti_mm *s, const struct nti_trace_batch *b,
		       const struct ntime_record *r, struct nti_trace_bytes *out)
{
	struct nti_mm_sink k = { .out = out, .r = r };
	const struct nti_mm_entry *e;
	char *p;

	note_time(s, r);
	e = usual_entry(s, r);
	if (!e) {
		slow(s, b, r, out);
		return;
	}
	p = nti_mm_room(s, &k, 0);
	if (p)
		nti_mm_done(&k, nti_mm_put_access(p, s, r, e));
}

static int mm_format(void *state, const struct nti_trace_batch *b, struct nti_trace_bytes *out)
{
	struct nti_mm *s = state;
	size_t i = 0, begin;

	while (i < b->n && !s->error) {
		begin = i;
		/* The first time of all is the zero of those that follow. */
		if (is_quick(s) && (s->has_time || !(b->rec[i].flags & NTIME_RECORD_TIMED)))
			i = format_quick(s, b, i, out);
		/* What follows may be a run of the other kind. */
		if (i == begin)
			format_one(s, b, &b->rec[i++], out);
	}
	return s->error;
}

/* Is it a device with lines R or W? */
static bool is_written(const struct nti_mm *s, const struct nti_place *p)
{
	const struct nti_mm_entry *e =
		s->entries + (size_t)(p - s->places.list) * NTI_PLACE_REGIONS;
	unsigned int i;

	for (i = 0; i < NTI_PLACE_REGIONS; i++)
		if (e[i].map)
			return true;
	return false;
}

static int mm_warn(const void *state,
		   int (*fn)(void *arg, const char *sentence, const char *remedy, uint64_t count),
		   void *arg)
{
	const struct nti_mm *s = state;
	uint64_t vendors = 0, chips = 0;
	size_t i;
	int n = nti_left_out_warn(&s->left_out, fn, arg);
	int ret = 0;

	/* Without looking ahead nobody knows what was read later. */
	if (!s->places.list || !s->entries || s->is_native || s->flags & NTIME_WRITER_LIVE)
		return n;
	for (i = 0; i < s->places.n && i < s->room; i++) {
		const struct nti_place *p = &s->places.list[i];

		if (!p->is_seen || !is_written(s, p))
			continue;
		vendors += p->name && *p->name && !(p->vendor_device >> 16) &&
			   !nti_place_is_nvidia(p, &s->hints);
		/* The chip was read, told, or follows from the identification. */
		chips += nti_place_is_nvidia(p, &s->hints) && !s->ahead[p - s->places.list].boot0 &&
			 !p->boot0 && !nti_nvidia_boot0_of_device(p->vendor_device & 0xffff);
	}
	if (vendors) {
		ret = fn(arg,
			 "a device has no vendor and device id in the trace: decoders such as "
			 "demmio pass over it",
			 "give the id with --id BDF=VVVV:DDDD, or the chip of an NVIDIA card with "
			 "--chip",
			 vendors);
		n++;
	}
	if (chips && !ret) {
		ret = fn(arg,
			 "the trace does not show the chip of an NVIDIA card: decoders such as "
			 "demmio take the names of another",
			 "name it with --chip", chips);
		n++;
	}
	return ret ? ret : n;
}

const struct nti_trace_back nti_trace_to_mmiotrace = {
	.form = NTIME_TRACE_MMIOTRACE,
	.make = mm_make,
	.free = nti_mm_free,
	.look = nti_mm_look,
	.begin = nti_mm_begin,
	.format = mm_format,
	.warn = mm_warn,
};
