// SPDX-License-Identifier: MIT
/*
 * Two traces in one numbering: devices are paired, accesses get the same numbers, steps are
 * aligned.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lib/query/diff.h"
#include "trace/lib/query/diff_align.h"

/**
 * struct pairing - which devices are the same
 * @only:	of each side the only device that has accesses, -1 if there are none or several
 * @beyond:	device numbers from here on are none of the first side's
 */
struct pairing {
	const struct ntime_trace_diff *d;
	int only[2];
	size_t beyond;
};

/* Number of the only device of a side that has accesses, -1 if there are none or several. */
static int only_device(const struct nti_diff_side *side)
{
	int only = -1;

	for (size_t i = 0; i < side->log.all.n; i++) {
		int device = side->log.all.access[i].device;

		if (device == NTIME_DEVICE_NONE || device == only)
			continue;
		if (only >= 0)
			return -1;
		only = device;
	}
	return only;
}

static const struct nti_diff_device *told(const struct nti_diff_side *side, size_t device)
{
	const struct nti_diff_device *d = device < side->devices ? &side->device[device] : NULL;

	return d && d->name ? d : NULL;
}

static bool has_name(const struct nti_diff_device *a, const struct nti_diff_device *b)
{
	return strcmp(a->name, b->name) == 0;
}

static bool has_place(const struct nti_diff_device *a, const struct nti_diff_device *b)
{
	return a->is_pci && b->is_pci && a->domain == b->domain && a->bus_devfn == b->bus_devfn;
}

/* The first device of @a that @is_same as device @b; -1: there is none. */
static int find(const struct nti_diff_side *a, const struct nti_diff_device *b,
		bool (*is_same)(const struct nti_diff_device *a, const struct nti_diff_device *b))
{
	for (size_t i = 0; i < a->devices; i++)
		if (told(a, i) && is_same(&a->device[i], b))
			return (int)i;
	return -1;
}

/* What device @device of the second trace is in the numbering of the first one. */
static uint16_t pair(const struct pairing *p, uint16_t device)
{
	const struct nti_diff_device *b = told(&p->d->side[1], device);
	int a;

	if (device == NTIME_DEVICE_NONE)
		return device;
	if (p->only[0] >= 0 && p->only[1] >= 0)
		return (uint16_t)p->only[0];
	if (!b)
		return device;
	a = find(&p->d->side[0], b, has_name);
	if (a < 0)
		a = find(&p->d->side[0], b, has_place);
	if (a < 0)
		a = (int)(p->beyond + device);
	return a < NTIME_DEVICE_NONE ? (uint16_t)a : NTIME_DEVICE_NONE - 1;
}

static struct pairing pairing_of(const struct ntime_trace_diff *d)
{
	struct pairing p = {
		.d = d,
		.only = { only_device(&d->side[0]), only_device(&d->side[1]) },
		.beyond = d->side[0].devices,
	};

	for (size_t i = 0; i < d->side[0].log.all.n; i++) {
		uint16_t device = d->side[0].log.all.access[i].device;

		if (device != NTIME_DEVICE_NONE && device >= p.beyond)
			p.beyond = (size_t)device + 1;
	}
	return p;
}

/* Numbers of the second trace in the numbering of the first one, which grows by what it has not. */
static int number(struct ntime_trace_diff *d, uint32_t *to)
{
	const struct nti_accesses *b = &d->side[1].log.all;
	struct pairing p = pairing_of(d);
	/* 1 + what each device is, 0: nobody asked. Names are compared once a device. */
	uint32_t *known = calloc(NTIME_DEVICE_NONE + 1u, sizeof(*known));
	int ret = known ? 0 : -ENOMEM;

	for (size_t i = 0; i < b->n && !ret; i++) {
		struct nti_access access = b->access[i];

		if (!known[access.device])
			known[access.device] = pair(&p, access.device) + 1u;
		access.device = (uint16_t)(known[access.device] - 1);
		ret = nti_accesses_number(&d->side[0].log.all, &access, &to[i]);
		if (!ret)
			d->in_b[to[i]] = (uint32_t)i + 1;
	}
	free(known);
	return ret;
}

int nti_diff_join(struct ntime_trace_diff *d)
{
	struct nti_diff_log *b = &d->side[1].log;
	uint32_t *to;
	int ret;

	if (d->is_joined)
		return 0;
	free(d->in_b);
	to = calloc(b->all.n + 1, sizeof(*to));
	d->in_b = calloc(d->side[0].log.all.n + b->all.n + 1, sizeof(*d->in_b));
	ret = to && d->in_b ? number(d, to) : -ENOMEM;
	for (size_t i = 0; i < b->n && !ret; i++)
		b->id[i] = to[b->id[i]];
	d->is_joined = !ret;
	free(to);
	return ret;
}

/*
 * Of each access the number of the first one that is the same but for the value. NULL without
 * memory.
 */
static uint32_t *places(const struct nti_accesses *all)
{
	struct nti_accesses without = { 0 };
	uint32_t *place = calloc(all->n + 1, sizeof(*place));
	int ret = place ? 0 : -ENOMEM;

	for (size_t i = 0; i < all->n && !ret; i++) {
		struct nti_access access = all->access[i];

		access.value = 0;
		ret = nti_accesses_number(&without, &access, &place[i]);
	}
	nti_accesses_fini(&without);
	if (!ret)
		return place;
	free(place);
	return NULL;
}

/* A piece of both logs that has nothing in common. */
struct piece {
	size_t a, a_end, b, b_end;
};

/*
 * What of a piece goes to the same place belongs together, with another value. @buf: room for the
 * places and marks of the piece. 0 or -ENOMEM.
 */
static int pair_values(struct ntime_trace_diff *d, const struct piece *x, const uint32_t *place,
		       uint32_t *buf)
{
	struct nti_diff_log *a = &d->side[0].log, *b = &d->side[1].log;
	size_t n = x->a_end - x->a, m = x->b_end - x->b;
	struct nti_sequence first = { buf, a->changed + x->a, n };
	struct nti_sequence second = { buf + n, b->changed + x->b, m };
	int ret;

	for (size_t i = 0; i < n; i++)
		buf[i] = place[a->id[x->a + i]];
	for (size_t i = 0; i < m; i++)
		buf[n + i] = place[b->id[x->b + i]];
	ret = nti_align(&first, &second);
	if (ret)
		return ret;
	for (size_t i = 0; i < n; i++)
		first.changed[i] = first.changed[i] ? NTI_STEP_ONLY : NTI_STEP_VALUE;
	for (size_t i = 0; i < m; i++)
		second.changed[i] = second.changed[i] ? NTI_STEP_ONLY : NTI_STEP_VALUE;
	return 0;
}

/* The next piece behind @x that has nothing in common; false at the end. */
static bool next_piece(const struct ntime_trace_diff *d, struct piece *x)
{
	const struct nti_diff_log *a = &d->side[0].log, *b = &d->side[1].log;

	x->a = x->a_end;
	x->b = x->b_end;
	while (x->a < a->n && x->b < b->n && !a->changed[x->a] && !b->changed[x->b]) {
		x->a++;
		x->b++;
	}
	x->a_end = x->a;
	x->b_end = x->b;
	while (x->a_end < a->n && a->changed[x->a_end])
		x->a_end++;
	while (x->b_end < b->n && b->changed[x->b_end])
		x->b_end++;
	return x->a_end > x->a || x->b_end > x->b;
}

static int pair_all_values(struct ntime_trace_diff *d)
{
	uint32_t *place = places(&d->side[0].log.all), *buf = NULL;
	struct piece x = { 0 };
	size_t room = 0;
	int ret = place ? 0 : -ENOMEM;

	while (!ret && next_piece(d, &x)) {
		size_t wanted = x.a_end - x.a + x.b_end - x.b;

		if (x.a_end == x.a || x.b_end == x.b)
			continue;
		if (wanted > room) {
			free(buf);
			room = 2 * wanted;
			buf = calloc(room, sizeof(*buf));
		}
		ret = buf ? pair_values(d, &x, place, buf) : -ENOMEM;
	}
	free(buf);
	free(place);
	return ret;
}

int nti_diff_align(struct ntime_trace_diff *d)
{
	struct nti_diff_log *a = &d->side[0].log, *b = &d->side[1].log;
	struct nti_sequence first = { a->id, a->changed, a->n };
	struct nti_sequence second = { b->id, b->changed, b->n };
	int ret = nti_diff_join(d);

	if (ret || d->is_aligned)
		return ret;
	ret = nti_align(&first, &second);
	if (!ret && !(d->o.flags & NTIME_DIFF_IGNORE_VALUES))
		ret = pair_all_values(d);
	d->is_aligned = !ret;
	return ret;
}
