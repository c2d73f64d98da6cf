// SPDX-License-Identifier: MIT
/*
 * The deriver: records of any front end become accesses of 32 bits of each device.
 *
 * Lists of register operations come twice, as handed in and as handed back, and only the second
 * tells what was read. Whether they do is found out from the lists themselves: two that follow each
 * other are a pair when they have the same operations, the same written values, and reads without a
 * value in the first. A list without such a partner is taken as it is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/regs/nv50_chip.h"
#include "base/common/grow.h"
#include "trace/lib/base/context.h"
#include "trace/lib/base/device.h"
#include "trace/lib/derive/state.h"

static int add_told(struct ntime_derive *d, const char *text, size_t bytes)
{
	const char *equals = memchr(text, '=', bytes);
	size_t device_bytes = equals ? (size_t)(equals - text) : 0;
	const char *name = equals ? equals + 1 : text;
	size_t name_bytes = bytes - (size_t)(name - text);
	struct nti_derive_told *told;
	char chip[32];

	if (name_bytes >= sizeof(chip) || device_bytes >= sizeof(told->device))
		return nti_error(&d->ctx->error, -ENOENT, "'%.*s' is not a chip", (int)name_bytes,
				 name);
	memcpy(chip, name, name_bytes);
	chip[name_bytes] = '\0';
	if (!nti_derive_chip_named(chip))
		return nti_error(&d->ctx->error, -ENOENT,
				 nthw_nv_chip_number(chip)
					 ? "the counters of %s are not known; those of G80 to "
					   "GT218, MCP77 to MCP89 and GF100 to GM20B are"
					 : "no chip of NVIDIA's is called '%s'; write one such as "
					   "GT218, NVA8 or 0xa8",
				 chip);
	if (!nti_grow(&d->told, d->tolds))
		return -ENOMEM;
	told = &d->told[d->tolds++];
	memcpy(told->device, text, device_bytes);
	told->device[device_bytes] = '\0';
	told->chips = nti_derive_chip_named(chip);
	return 0;
}

static int add_chips(struct ntime_derive *d, const char *chips)
{
	while (chips && *chips) {
		size_t bytes = strcspn(chips, ",");
		int ret = add_told(d, chips, bytes);

		if (ret)
			return ret;
		chips += bytes;
		chips += *chips == ',';
	}
	return 0;
}

int ntime_derive_new(struct ntime_trace_ctx *ctx, const char *chip, struct ntime_derive **out)
{
	struct ntime_derive *d = calloc(1, sizeof(*d));
	int ret;

	*out = NULL;
	if (!d)
		return -ENOMEM;
	d->ctx = ctx;
	ret = add_chips(d, chip);
	if (ret) {
		ntime_derive_free(d);
		return ret;
	}
	*out = d;
	return 0;
}

static void device_fini(struct nti_derive_device *dev)
{
	for (size_t i = 0; i < dev->mps.n; i++)
		for (unsigned int j = 0; j < NTI_MP_WORDS; j++)
			free(dev->mp[i].read[j]);
	free(dev->mp);
	nti_derive_units_fini(&dev->mps);
	for (size_t i = 0; i < dev->domains.n; i++)
		free(dev->domain[i].reads);
	free(dev->domain);
	nti_derive_units_fini(&dev->domains);
	nti_derive_regs_fini(&dev->regs);
}

void ntime_derive_free(struct ntime_derive *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->devices; i++)
		device_fini(&d->device[i]);
	for (size_t i = 0; i < d->rows; i++)
		nti_derive_row_fini(&d->row[i]);
	nti_derive_names_fini(&d->names);
	free(d->device);
	nti_derive_index_fini(&d->device_index);
	free(d->row);
	free(d->row_chain);
	free(d->told);
	free(d->list.rec);
	free(d->before.rec);
	free(d);
}

static struct nti_derive_device *device_of(struct ntime_derive *d, uint32_t number)
{
	uint32_t place = nti_derive_index_find(&d->device_index, number);
	struct nti_derive_device *dev;

	if (place)
		return &d->device[place - 1];
	if (!nti_grow(&d->device, d->devices) ||
	    !nti_derive_index_add(&d->device_index, number, (uint32_t)d->devices + 1)) {
		d->failed = true;
		return NULL;
	}
	dev = &d->device[d->devices++];
	memset(dev, 0, sizeof(*dev));
	dev->number = number;
	nti_derive_set_chips(dev, nti_derive_chips_all());
	dev->epoch = 1;
	return dev;
}

static void look_up(struct ntime_derive *d, struct nti_derive_device *dev,
		    const struct ntime_trace *trace)
{
	struct ntime_trace_device info = { .size = sizeof(info) };
	bool has_name = trace && ntime_trace_get_device(trace, dev->number, &info) == 0;

	dev->is_looked_up = true;
	for (size_t i = 0; i < d->tolds; i++) {
		if (d->told[i].device[0] &&
		    !(has_name && info.name && nti_trace_device_fits(info.name, d->told[i].device)))
			continue;
		nti_derive_set_chips(dev, d->told[i].chips);
		dev->is_told = true;
	}
}

/* Narrow accesses change or tell a part of their register, wide ones are two. */
static void access32(struct ntime_derive *d, struct nti_derive_device *dev,
		     const struct ntime_record *r, uint32_t address, uint32_t value, uint32_t mask)
{
	if (r->kind == NTIME_RECORD_WRITE)
		nti_derive_write(d, dev, address, value, mask);
	else if (mask == 0xffffffff && r->flags & NTIME_RECORD_VALUED)
		nti_derive_read(d, dev, address, value);
}

static void access_any(struct ntime_derive *d, struct nti_derive_device *dev,
		       const struct ntime_record *r)
{
	uint32_t address = (uint32_t)r->offset & ~3u, shift = 8 * ((uint32_t)r->offset & 3u);
	uint32_t mask = r->flags & NTIME_RECORD_MASKED ? r->mask : 0xffffffff;

	switch (r->width) {
	case 8:
		if (shift)
			return;
		access32(d, dev, r, address, (uint32_t)r->value, mask);
		access32(d, dev, r, address + 4, (uint32_t)(r->value >> 32), 0xffffffff);
		break;
	case 1:
	case 2:
		mask &= r->width == 1 ? 0xffu : 0xffffu;
		access32(d, dev, r, address, (uint32_t)r->value << shift, mask << shift);
		break;
	default:
		if (!shift)
			access32(d, dev, r, address, (uint32_t)r->value, mask);
	}
}

static void access_of(struct ntime_derive *d, const struct ntime_record *r,
		      const struct ntime_trace *trace)
{
	struct nti_derive_device *dev;

	/* Counters are in BAR 0; its first 32 MiB hold all registers of these chips. */
	if (r->region != 0 || r->offset >= 0x2000000 || r->flags & NTIME_RECORD_SYNTHETIC)
		if (!(r->region == 0 && r->offset == 0 && r->flags & NTIME_RECORD_SYNTHETIC))
			return;
	dev = device_of(d, r->device);
	if (!dev)
		return;
	if (!dev->is_looked_up)
		look_up(d, dev, trace);
	access_any(d, dev, r);
}

/*
 * @is_alone: it has no partner, so what was read stands in it, unless that is 0, as in a list that
 *	was only handed in.
 */
static void list_apply(struct ntime_derive *d, struct nti_derive_list *list, bool is_alone,
		       const struct ntime_trace *trace)
{
	uint64_t access = d->access;

	d->list_number = list->number;
	/* Its records were counted when they came. */
	for (size_t i = 0; i < list->n; i++) {
		d->access = list->rec[i].time_ns;
		if (is_alone && list->rec[i].value)
			list->rec[i].flags |= NTIME_RECORD_VALUED;
		access_of(d, &list->rec[i], trace);
	}
	d->access = access;
	d->list_number = 0;
}

/* May @a be what was handed in where @b is what was handed back? */
static bool is_pair(const struct nti_derive_list *a, const struct nti_derive_list *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct ntime_record *x = &a->rec[i], *y = &b->rec[i];

		if (x->kind != y->kind || x->offset != y->offset || x->mask != y->mask ||
		    (x->source & 0xff00ffff) != (y->source & 0xff00ffff))
			return false;
		if (x->kind == NTIME_RECORD_WRITE ? x->value != y->value : x->value != 0)
			return false;
	}
	return true;
}

static void swap_lists(struct ntime_derive *d)
{
	struct nti_derive_list spare = d->before;

	d->before = d->list;
	d->list = spare;
	d->list.n = 0;
}

static void list_end(struct ntime_derive *d, const struct ntime_trace *trace)
{
	if (!d->has_list || !d->list.n)
		return;
	d->counts.lists++;
	if (d->has_before && is_pair(&d->before, &d->list)) {
		d->counts.pairs++;
		list_apply(d, &d->list, false, trace);
		d->has_before = false;
		d->list.n = 0;
		return;
	}
	if (d->has_before) {
		d->counts.unpaired++;
		list_apply(d, &d->before, true, trace);
	}
	swap_lists(d);
	d->has_before = true;
}

static void lists_end(struct ntime_derive *d, const struct ntime_trace *trace)
{
	list_end(d, trace);
	if (d->has_before) {
		d->counts.unpaired++;
		list_apply(d, &d->before, true, trace);
	}
	d->has_before = d->has_list = false;
}

static void list_add(struct ntime_derive *d, const struct ntime_record *r)
{
	struct nti_derive_list *list = &d->list;

	if (!nti_grow(&list->rec, list->n)) {
		d->failed = true;
		return;
	}
	list->rec[list->n] = *r;
	/* Lists have no times, but it has to be told where a write came from. */
	list->rec[list->n++].time_ns = d->access;
}

/* Longer than any list a driver hands in: the rest of the file is no list. */
#define LIST_ACCESSES 65536

static void feed_one(struct ntime_derive *d, const struct ntime_record *r,
		     const struct ntime_trace *trace)
{
	if (r->kind == NTIME_RECORD_LIST) {
		list_end(d, trace);
		d->has_list = true;
		d->list.n = 0;
		d->list.number = d->counts.lists + 1;
		return;
	}
	if (r->kind > NTIME_RECORD_WRITE)
		return;
	d->access++;
	d->counts.accesses++;
	if (!d->has_list) {
		access_of(d, r, trace);
		return;
	}
	if (d->list.n == LIST_ACCESSES)
		lists_end(d, trace);
	if (d->has_list)
		list_add(d, r);
	else
		access_of(d, r, trace);
}

int ntime_derive_feed(struct ntime_derive *d, const struct ntime_trace_batch *batch,
		      const struct ntime_trace *trace)
{
	for (size_t i = 0; i < batch->n; i++)
		feed_one(d, &batch->records[i], trace);
	return d->failed ? -ENOMEM : 0;
}

static void publish(struct nti_derive_row *r)
{
	struct ntime_derived *d = &r->d;

#define TEXT(of, otherwise) ((of).n ? (of).p : (otherwise))
	d->chip = TEXT(r->chip, "");
	d->event = TEXT(r->event, "");
	d->part = r->part[0] ? r->part : "-";
	d->instance = TEXT(r->instance, "");
	d->mode = r->mode;
	d->counter = TEXT(r->counter, "");
	d->start_src = TEXT(r->start_src, "-");
	d->start_op = TEXT(r->start_op, "-");
	d->event_src = TEXT(r->event_src, "-");
	d->event_op = TEXT(r->event_op, "-");
	d->group_sel = TEXT(r->group_sel, "-");
	d->extra = TEXT(r->extra, "-");
	d->mux = TEXT(r->mux, "-");
	d->relative = TEXT(r->relative, "-");
	d->changed = TEXT(r->changed, "-");
	d->logic = TEXT(r->logic, "-");
	d->key = TEXT(r->key, "");
	d->notes = TEXT(r->notes, "-");
	d->origin = TEXT(r->origin, "");
	d->windows_text = TEXT(r->windows, "");
#undef TEXT
	d->reads = r->tally.n;
	d->min = r->tally.min;
	d->max = r->tally.max;
	d->sum = r->tally.sum;
	d->last = r->tally.last;
	d->n_values = r->tally.kept;
	d->values = r->tally.value;
	d->clocks = r->tally.clocks;
	d->is_cycles_read = r->tally.n && r->tally.last_clocks != NTIME_DERIVED_NO_CLOCKS;
	d->cycles = d->is_cycles_read ? r->tally.last_clocks : 0;
}

int ntime_derive_end(struct ntime_derive *d)
{
	lists_end(d, NULL);
	for (size_t i = 0; i < d->devices; i++) {
		nti_derive_window_end(d, &d->device[i]);
		d->device[i].is_reading = false;
		d->failed |= d->device[i].regs.failed;
		d->counts.left_out += d->device[i].regs.left_out;
		d->device[i].regs.left_out = 0;
	}
	for (size_t i = 0; i < d->rows; i++)
		if (d->row[i].d.role == NTIME_DERIVED_EVENT && !d->row[i].event.n)
			nti_derive_row_name(&d->names, &d->row[i]);
	d->failed |= d->names.failed;
	return d->failed ? -ENOMEM : 0;
}

size_t ntime_derive_count(const struct ntime_derive *d)
{
	return d->rows;
}

int ntime_derive_get(const struct ntime_derive *d, size_t index, struct ntime_derived *out)
{
	size_t size = out->size;

	if (size < sizeof(out->size) || size > sizeof(*out))
		return -EINVAL;
	if (index >= d->rows)
		return -ERANGE;
	publish(&d->row[index]);
	memcpy(out, &d->row[index].d, size);
	out->size = (uint32_t)size;
	return 0;
}

int ntime_derived_is_equal(const struct ntime_derived *a, const struct ntime_derived *b)
{
	if (a->role == NTIME_DERIVED_UNKNOWN || b->role == NTIME_DERIVED_UNKNOWN)
		return 0;
	return nti_derive_key_agrees(a->key, b->key, true,
				     &(struct nti_derive_changes){ a->changed, b->changed }) &&
	       nti_derive_key_agrees(b->key, a->key, true,
				     &(struct nti_derive_changes){ b->changed, a->changed });
}

int ntime_derive_get_counts(const struct ntime_derive *d, struct ntime_derive_counts *out)
{
	size_t size = out->size;

	if (size < sizeof(out->size) || size > sizeof(*out))
		return -EINVAL;
	memcpy(out, &d->counts, size);
	out->size = (uint32_t)size;
	return 0;
}
