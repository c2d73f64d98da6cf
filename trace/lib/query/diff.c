// SPDX-License-Identifier: MIT
/*
 * What two traces do differently: hunks of an alignment, and what remains of one without the other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/error.h"
#include "trace/lib/base/context.h"
#include "trace/lib/query/diff.h"

#define DEFAULT_BYTES ((uint64_t)1 << 30)
#define FLAGS (NTIME_DIFF_STRICT | NTIME_DIFF_IGNORE_VALUES | NTIME_DIFF_IGNORE_READ_VALUES)

int ntime_trace_diff_new(struct ntime_trace_ctx *ctx,
			 const struct ntime_trace_diff_options *options,
			 struct ntime_trace_diff **out)
{
	struct ntime_trace_diff_options o = { .size = sizeof(o) };
	struct ntime_trace_diff *d;

	*out = NULL;
	if (options)
		o = *options;
	if (o.size != sizeof(o) || o.flags & ~FLAGS || o.reserved0 || o.reserved[0] ||
	    o.reserved[1] || o.reserved[2] || o.reserved[3])
		return nti_error(&ctx->error, -EINVAL,
				 "options of a comparison of traces are of another version");
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->ctx = ctx;
	d->o = o;
	if (!d->o.memory_bytes)
		d->o.memory_bytes = DEFAULT_BYTES;
	*out = d;
	return 0;
}

void ntime_trace_diff_free(struct ntime_trace_diff *d)
{
	if (!d)
		return;
	for (int i = 0; i < 2; i++) {
		nti_diff_log_fini(&d->side[i].log);
		for (size_t k = 0; k < d->side[i].devices; k++)
			free(d->side[i].device[k].name);
		free(d->side[i].device);
	}
	free(d->in_b);
	free(d);
}

static int say_too_much(struct ntime_trace_diff *d)
{
	return nti_error(&d->ctx->error, -E2BIG,
			 "the traces have more than the %zu steps that fit in %llu MiB; compare a "
			 "part of them (a time, a range, only writes) or allow more memory",
			 d->side[0].log.n + d->side[1].log.n,
			 (unsigned long long)(d->o.memory_bytes >> 20));
}

int ntime_trace_diff_put(struct ntime_trace_diff *d, uint32_t side,
			 const struct ntime_trace_batch *batch)
{
	bool folds = !(d->o.flags & NTIME_DIFF_STRICT);
	bool has_values = !(d->o.flags & NTIME_DIFF_IGNORE_VALUES);

	if (side > 1 || d->is_joined)
		return -EINVAL;
	for (size_t i = 0; i < batch->n; i++) {
		const struct ntime_record *r = &batch->records[i];

		if (r->kind > NTIME_RECORD_WRITE || r->flags & NTIME_RECORD_SYNTHETIC)
			continue;
		if (nti_diff_log_bytes(&d->side[0].log) + nti_diff_log_bytes(&d->side[1].log) >=
		    d->o.memory_bytes)
			return say_too_much(d);
		if (nti_diff_log_add(&d->side[side].log, r, folds, has_values) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int more_devices(struct nti_diff_side *side, size_t n)
{
	struct nti_diff_device *bigger;

	if (n <= side->devices)
		return 0;
	bigger = realloc(side->device, n * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	memset(bigger + side->devices, 0, (n - side->devices) * sizeof(*bigger));
	side->device = bigger;
	side->devices = n;
	return 0;
}

int ntime_trace_diff_device(struct ntime_trace_diff *d, uint32_t side, size_t index,
			    const struct ntime_trace_device *device)
{
	struct nti_diff_device *to;
	char *name;

	if (side > 1 || index >= NTIME_DEVICE_NONE || d->is_joined || !device->name)
		return -EINVAL;
	name = strdup(device->name);
	if (!name || more_devices(&d->side[side], index + 1) < 0) {
		free(name);
		return -ENOMEM;
	}
	to = &d->side[side].device[index];
	free(to->name);
	to->name = name;
	to->is_pci = device->is_pci;
	to->domain = device->domain;
	to->bus_devfn = device->bus_devfn;
	return 0;
}

/* ---- from steps to lines ---- */

/* A step of each trace; accesses in front of them. */
struct place {
	size_t step[2];
	uint64_t before[2];
};

/**
 * struct walk - over both logs
 * @at:		what comes next
 * @start:	where the context of the next hunk may begin
 * @quiet:	steps in both since @start
 * @is_in:	in a hunk, whose context behind the last change is @trailing long so far
 */
struct walk {
	struct ntime_trace_diff *d;
	int (*fn)(void *arg, const struct ntime_trace_change *change);
	void *arg;
	struct ntime_trace_diff_summary sum;
	struct place at;
	struct place start;
	uint64_t quiet;
	bool is_in;
};

/* A step as a record again. */
static void fill(const struct ntime_trace_diff *d, int side, size_t step, struct ntime_record *out)
{
	const struct nti_diff_log *log = &d->side[side].log;
	const struct nti_access *access = &d->side[0].log.all.access[log->id[step]];

	/* The second trace's own number of the device. */
	if (side)
		access = &log->all.access[d->in_b[log->id[step]] - 1];
	*out = (struct ntime_record){
		.time_ns = log->step[step].time_ns,
		.offset = access->offset,
		.value = log->step[step].value,
		.mask = access->mask,
		.device = access->device,
		.region = access->region,
		.width = access->width,
		.kind = access->kind,
		.flags = log->flags[step] | (access->is_masked ? NTIME_RECORD_MASKED : 0),
	};
}

/* One line. @sides: bit 0 for the first trace, bit 1 for the second. */
static int give(const struct walk *w, uint32_t kind, unsigned int sides, const struct place *at)
{
	struct ntime_record record[2];
	struct ntime_trace_change change = {
		.size = sizeof(change),
		.kind = kind,
		.before_a = at->before[0],
		.before_b = at->before[1],
	};

	if (!w->fn)
		return 0;
	if (sides & 1) {
		fill(w->d, 0, at->step[0], &record[0]);
		change.a = &record[0];
		change.count_a = w->d->side[0].log.count[at->step[0]];
	}
	if (sides & 2) {
		fill(w->d, 1, at->step[1], &record[1]);
		change.b = &record[1];
		change.count_b = w->d->side[1].log.count[at->step[1]];
	}
	return w->fn(w->arg, &change);
}

static void pass(const struct ntime_trace_diff *d, struct place *at, unsigned int sides)
{
	for (int i = 0; i < 2; i++)
		if (sides & 1u << i)
			at->before[i] += d->side[i].log.count[at->step[i]++];
}

/* Is what is read here and there different? */
static bool differs(const struct ntime_trace_diff *d, size_t a, size_t b)
{
	const struct nti_diff_log *first = &d->side[0].log, *second = &d->side[1].log;

	if (d->o.flags & (NTIME_DIFF_IGNORE_VALUES | NTIME_DIFF_IGNORE_READ_VALUES) ||
	    first->all.access[first->id[a]].kind == NTIME_RECORD_WRITE)
		return false;
	return first->flags[a] & second->flags[b] & NTIME_RECORD_VALUED &&
	       first->step[a].value != second->step[b].value;
}

/* What comes next, and of which traces. */
static uint32_t look(const struct walk *w, unsigned int *sides)
{
	const struct nti_diff_log *a = &w->d->side[0].log, *b = &w->d->side[1].log;
	size_t i = w->at.step[0], k = w->at.step[1];

	*sides = 1;
	if (i < a->n && a->changed[i] == NTI_STEP_ONLY)
		return NTIME_CHANGE_ONLY_A;
	*sides = 2;
	if (k < b->n && b->changed[k] == NTI_STEP_ONLY)
		return NTIME_CHANGE_ONLY_B;
	*sides = 3;
	if (a->changed[i] == NTI_STEP_VALUE && a->id[i] != b->id[k])
		return NTIME_CHANGE_VALUE;
	return differs(w->d, i, k) ? NTIME_CHANGE_VALUE : NTIME_CHANGE_SAME;
}

/* At most @n steps of context from @w->start on, up to here. */
static int give_context(struct walk *w, uint64_t n)
{
	int ret = 0;

	for (; n && w->start.step[0] < w->at.step[0] && !ret; n--, w->quiet--) {
		ret = give(w, NTIME_CHANGE_SAME, 3, &w->start);
		pass(w->d, &w->start, 3);
	}
	return ret;
}

/*
 * A step in both: context behind the last change if that is near, else perhaps in front of the next
 * one.
 */
static int see_same(struct walk *w)
{
	uint64_t context = w->d->o.context, most = w->is_in ? 2 * context : context;
	int ret;

	w->sum.same++;
	pass(w->d, &w->at, 3);
	w->quiet++;
	if (w->quiet <= most)
		return 0;
	/* The hunk ends: so much of what follows belongs to it. */
	ret = w->is_in ? give_context(w, context) : 0;
	w->is_in = false;
	if (ret)
		return ret;
	while (w->quiet > context) {
		pass(w->d, &w->start, 3);
		w->quiet--;
	}
	return 0;
}

static int see_change(struct walk *w, uint32_t kind, unsigned int sides)
{
	int ret = 0;

	if (!w->is_in) {
		w->sum.hunks++;
		w->is_in = true;
		ret = give(w, NTIME_CHANGE_HUNK, 0, &w->start);
	}
	if (!ret)
		ret = give_context(w, UINT64_MAX);
	if (!ret)
		ret = give(w, kind, sides, &w->at);
	w->sum.only_a += kind == NTIME_CHANGE_ONLY_A;
	w->sum.only_b += kind == NTIME_CHANGE_ONLY_B;
	w->sum.values += kind == NTIME_CHANGE_VALUE;
	pass(w->d, &w->at, sides);
	w->start = w->at;
	w->quiet = 0;
	return ret;
}

static size_t beginning(const struct ntime_trace_diff *d)
{
	const struct nti_diff_log *a = &d->side[0].log, *b = &d->side[1].log;
	size_t n = 0;

	while (n < a->n && n < b->n && a->id[n] == b->id[n])
		n++;
	return n;
}

static void begin_summary(const struct ntime_trace_diff *d, struct ntime_trace_diff_summary *sum)
{
	*sum = (struct ntime_trace_diff_summary){
		.size = sizeof(*sum),
		.accesses_a = d->side[0].log.accesses,
		.accesses_b = d->side[1].log.accesses,
		.steps_a = d->side[0].log.n,
		.steps_b = d->side[1].log.n,
		.beginning = beginning(d),
	};
}

int ntime_trace_diff_run(struct ntime_trace_diff *d,
			 int (*fn)(void *arg, const struct ntime_trace_change *change), void *arg,
			 struct ntime_trace_diff_summary *out)
{
	struct walk w = { .d = d, .fn = fn, .arg = arg };
	int ret;

	if (out && out->size != sizeof(*out))
		return -EINVAL;
	ret = nti_diff_align(d);
	if (ret)
		return ret;
	begin_summary(d, &w.sum);
	while (!ret && (w.at.step[0] < d->side[0].log.n || w.at.step[1] < d->side[1].log.n)) {
		unsigned int sides;
		uint32_t kind = look(&w, &sides);

		ret = kind == NTIME_CHANGE_SAME ? see_same(&w) : see_change(&w, kind, sides);
	}
	/* What is left behind the last change of a hunk that the end has cut. */
	if (!ret && w.is_in)
		ret = give_context(&w, d->o.context);
	if (ret)
		return ret;
	if (out)
		*out = w.sum;
	return w.sum.only_a || w.sum.only_b || w.sum.values;
}

int ntime_trace_diff_minus(struct ntime_trace_diff *d,
			   int (*fn)(void *arg, const struct ntime_trace_change *change), void *arg,
			   struct ntime_trace_diff_summary *out)
{
	struct walk w = { .d = d, .fn = fn, .arg = arg };
	const struct nti_diff_log *a = &d->side[0].log;
	int ret;

	if (out && out->size != sizeof(*out))
		return -EINVAL;
	ret = nti_diff_join(d);
	if (ret)
		return ret;
	begin_summary(d, &w.sum);
	while (w.at.step[0] < a->n && !ret) {
		size_t i = w.at.step[0];
		bool is_also = d->in_b[a->id[i]];

		if (!is_also) {
			w.sum.only_a++;
			ret = give(&w, NTIME_CHANGE_ONLY_A, 1, &w.at);
		} else if (i >= w.sum.beginning) {
			w.sum.also++;
		}
		pass(d, &w.at, 1);
	}
	if (ret)
		return ret;
	if (out)
		*out = w.sum;
	return w.sum.only_a > 0;
}
