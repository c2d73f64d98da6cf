// SPDX-License-Identifier: MIT
/* What is learnt from records: devices, times, what is missing. */
#include <errno.h>
#include <string.h>

#include "trace/lib/base/device.h"
#include "trace/lib/read/learn.h"
#include "trace/lib/read/lists.h"
#include "trace/lib/read/vfio_prefix.h"

/*
 * NVIDIA's cards show configuration space in BAR 0 here; QEMU, hw/vfio/pci-quirks.c, answers in its
 * place.
 */
#define MIRROR_START 0x88000u
#define MIRROR_BYTES 0x1000u
#define VENDOR_NVIDIA 0x10deu

static void learn_style(struct ntime_trace *t, const char *style)
{
	/* The first event tells; a change in the middle is rarer than it is of interest. */
	if (t->has_style)
		return;
	t->has_style = true;
	t->style = nti_style_name(style);
	t->clock = nti_style_clock(style);
}

/*
 * What is read has no value in the list that is handed in. Where such lists are given
 * (NTIME_TRACE_REQUESTS) a value is missing if the list does not come back; else the lists that did
 * not are counted.
 */
static void learn_list(struct nti_trace_losses *l, uint64_t what)
{
	if (what == NTI_LIST_BACK)
		l->unvalued -= l->asked;
	l->asked = 0;
	l->is_asking = what == NTI_LIST_IN;
	l->is_unanswered = what == NTI_LIST_NEVER_BACK;
}

/*
 * A part that is mapped counts; that mapping is switched on, time and again, tells of no further
 * one.
 */
static void learn_mmap(struct nti_trace_losses *l, const struct ntime_record *r, bool is_part)
{
	unsigned int bit = (r->device * 16u + (r->region & 15u)) % NTI_MAPPED_BITS;
	uint8_t *byte = &l->mapped[bit / 8], mask = (uint8_t)(1u << (bit % 8));

	l->mmaps += is_part || !(*byte & mask);
	*byte |= mask;
}

static void learn_mark(struct ntime_trace *t, const struct nti_trace_batch *b,
		       const struct ntime_record *r)
{
	struct nti_trace_losses *l = &t->losses;

	nti_trace_device_learn(t->devices, r);
	if (r->kind == NTIME_RECORD_STYLE)
		learn_style(t, nti_trace_text(b->text, r));
	else if (r->kind == NTIME_RECORD_MMAP)
		learn_mmap(l, r, true);
	else if (r->kind == NTIME_RECORD_MMAP_SWITCH && r->value)
		learn_mmap(l, r, false);
	else if (r->kind == NTIME_RECORD_IOEVENTFD)
		l->ioeventfds++;
	else if (r->kind == NTIME_RECORD_UNKNOWN)
		l->unknown++;
	else if (r->kind == NTIME_RECORD_LIST)
		learn_list(l, r->value);
	if (r->kind == NTIME_RECORD_LOST) {
		l->lost_marks++;
		l->lost_records += r->value;
	}
}

/* Events that begin without a prefix need no record to say so. */
static void learn_first_style(struct ntime_trace *t, const struct nti_trace_batch *b)
{
	size_t i;

	for (i = 0; i < b->n && b->rec[i].kind == NTIME_RECORD_OTHER; i++)
		;
	if (i < b->n && b->rec[i].kind != NTIME_RECORD_STYLE)
		learn_style(t, "");
}

/*
 * Accesses whose device got no number: those to physical addresses and to VGA never had a device.
 */
static uint64_t count_nameless(const struct nti_trace_batch *b)
{
	const struct ntime_record *r, *end = b->rec + b->n;
	uint64_t n = 0;

	for (r = b->rec; r < end; r++)
		n += r->device == NTIME_DEVICE_NONE && r->region != NTIME_REGION_PHYSICAL &&
		     r->region != NTIME_REGION_VGA &&
		     (nti_record_is_access(r) || r->kind == NTIME_RECORD_CONFIG_READ ||
		      r->kind == NTIME_RECORD_CONFIG_WRITE);
	return n;
}

/* Does the emulator answer in place of the card there? */
static inline bool is_mirror(const struct ntime_record *r)
{
	return (r->offset - MIRROR_START < MIRROR_BYTES) & (r->region == 0);
}

/* What is counted of each record, in few variables. */
struct count {
	uint64_t newest, backwards, others;
	bool is_timed;
};

static void count_time(struct ntime_trace *t, struct count *c, uint64_t time_ns)
{
	if (!c->is_timed)
		t->first_ns = c->newest = time_ns;
	c->is_timed = true;
	c->backwards += time_ns < c->newest;
	c->newest = time_ns;
}

/* Flags that no access has. */
#define NO_FLAGS 0x100u

/*
 * Accesses with these flags, of which only the times are of interest; returns the first record that
 * is not such.
 */
static const struct ntime_record *count_run(struct count *c, const struct ntime_record *r,
					    const struct ntime_record *end, uint32_t flags)
{
	uint64_t newest = c->newest, backwards = 0;

	for (; r < end; r++) {
		if (!nti_record_is_access(r) | (r->flags != flags) || is_mirror(r))
			break;
		backwards += r->time_ns < newest;
		newest = r->time_ns;
	}
	if (flags & NTIME_RECORD_TIMED) {
		c->newest = newest;
		c->backwards += backwards;
	}
	return r;
}

/* One record. Returns flags that count_run() may pass over. */
static uint32_t learn_one(struct ntime_trace *t, const struct nti_trace_batch *b,
			  const struct ntime_record *r, bool has_mirror, struct count *c)
{
	if (r->flags & NTIME_RECORD_TIMED)
		count_time(t, c, r->time_ns);
	if (!nti_record_is_access(r)) {
		learn_mark(t, b, r);
		c->others++;
		return NO_FLAGS;
	}
	if (!(r->flags & NTIME_RECORD_VALUED)) {
		t->losses.unvalued += !t->losses.is_unanswered;
		t->losses.asked += t->losses.is_asking;
	}
	c->others += (r->flags & NTIME_RECORD_SYNTHETIC) != 0;
	if (has_mirror && is_mirror(r)) {
		const struct ntime_trace_device *d = nti_trace_device_at(t->devices, r->device);

		/* Who has not told may be one of NVIDIA. */
		t->losses.mirror +=
			d && (!d->vendor_device || d->vendor_device >> 16 == VENDOR_NVIDIA);
	}
	if (!(r->flags & NTIME_RECORD_VALUED) || r->flags & NTIME_RECORD_SYNTHETIC)
		return NO_FLAGS;
	return r->flags;
}

static void learn_records(struct ntime_trace *t, const struct nti_trace_batch *b, bool has_mirror)
{
	struct count c = { .newest = t->newest_ns, .is_timed = t->is_timed };
	const struct ntime_record *r = b->rec, *end = b->rec + b->n;
	uint32_t flags = NO_FLAGS, found;

	while (r < end) {
		found = learn_one(t, b, r, has_mirror, &c);
		flags = found != NO_FLAGS ? found : flags;
		r = count_run(&c, r + 1, end, flags);
	}
	t->is_timed = c.is_timed;
	if (c.is_timed)
		t->newest_ns = t->last_ns = c.newest;
	t->losses.backwards += c.backwards;
	t->accesses += b->n - c.others;
}

/* Where the first lines are that cannot be read. */
static void learn_torn(struct ntime_trace *t, const struct nti_trace_batch *b)
{
	struct nti_trace_losses *l = &t->losses;
	uint64_t known = l->torn - l->cut, i;

	for (i = 0; i < b->torn - b->cut && known + i < NTI_TORN_LINES; i++)
		l->torn_at[known + i] = t->lines + b->torn_at[i];
	l->torn += b->torn;
	l->cut += b->cut;
}

void nti_trace_learn(struct ntime_trace *t, const struct nti_trace_batch *b)
{
	bool has_mirror =
		t->front->form == NTIME_TRACE_VFIO || t->front->form == NTIME_TRACE_SIMPLE;

	if (t->front->form == NTIME_TRACE_VFIO && !t->has_style)
		learn_first_style(t, b);
	learn_records(t, b, has_mirror);
	if (b->torn)
		learn_torn(t, b);
	t->lines += b->lines;
	t->records += b->n;
	t->others += b->others;
	t->losses.unplaced += b->unplaced;
	t->losses.zeros += b->zeros;
	t->losses.longs += b->longs;
	t->losses.reworded += b->reworded;
	if (nti_trace_devices_refused(t->devices))
		t->losses.nameless += count_nameless(b);
	t->losses.unreturned += b->unreturned;
}

int nti_trace_learn_restart(struct ntime_trace *t, struct nti_trace_batch *b)
{
	static const char text[] = "the file was cut or replaced";

	if (!nti_trace_batch_add(b, NTIME_RECORD_LOST, text, sizeof(text) - 1))
		return -ENOMEM;
	t->records++;
	t->losses.restarts++;
	return b->error;
}
