// SPDX-License-Identifier: MIT
/* Lists of register operations, each once. */
#include <errno.h>
#include <string.h>

#include "trace/lib/read/lists.h"

/* Give what did not come back, and forget the rest. */
static int release(struct nti_lists *l, struct nti_trace_batch *to)
{
	size_t i = l->back ? l->back + 1 : 0;
	int ret = 0;

	if (i < l->held.n) {
		to->unreturned++;
		l->held.rec[0].value = NTI_LIST_NEVER_BACK;
		ret = nti_trace_batch_copy(to, &l->held.rec[0], l->held.text);
		for (i = i ? i : 1; i < l->held.n && !ret; i++)
			ret = nti_trace_batch_copy(to, &l->held.rec[i], l->held.text);
	}
	nti_trace_batch_clear(&l->held);
	l->back = 0;
	l->is_request = l->is_return = false;
	return ret;
}

static int begin_list(struct nti_lists *l, const struct nti_trace_batch *b,
		      const struct ntime_record *r)
{
	int ret;

	if (r->value == NTI_LIST_BACK && l->is_request) {
		l->is_request = false;
		l->is_return = true;
		return nti_trace_batch_copy(&l->out, r, b->text);
	}
	ret = release(l, &l->out);
	l->is_request = r->value == NTI_LIST_IN;
	return ret ? ret : nti_trace_batch_copy(l->is_request ? &l->held : &l->out, r, b->text);
}

/* Is there nothing to do for @b? */
static bool is_idle(const struct nti_lists *l, const struct nti_trace_batch *b)
{
	size_t i;

	for (i = 0; i < b->n && b->rec[i].kind != NTIME_RECORD_LIST; i++)
		;
	return i == b->n && !l->is_request && !l->is_return;
}

/* The records of @l->out become those of @b; what @b counted stays. */
static void swap(struct nti_lists *l, struct nti_trace_batch *b)
{
	struct nti_trace_batch old = *b;

	b->base = l->out.base;
	b->rec = l->out.rec;
	b->n = l->out.n;
	b->room = l->out.room;
	b->text = l->out.text;
	b->text_bytes = l->out.text_bytes;
	b->text_room = l->out.text_room;
	b->unreturned += l->out.unreturned;
	l->out = old;
}

static int init(struct nti_lists *l)
{
	int ret = 0;

	if (!l->held.base)
		ret = nti_trace_batch_init(&l->held, 64);
	if (!l->out.base && !ret)
		ret = nti_trace_batch_init(&l->out, 64);
	nti_trace_batch_clear(&l->out);
	return ret;
}

int nti_lists_settle(struct nti_lists *l, struct nti_trace_batch *b)
{
	size_t i;
	int ret;

	if (is_idle(l, b))
		return 0;
	ret = init(l);
	for (i = 0; i < b->n && !ret; i++) {
		const struct ntime_record *r = &b->rec[i];

		if (r->kind == NTIME_RECORD_LIST) {
			ret = begin_list(l, b, r);
			continue;
		}
		if (nti_record_is_access(r))
			l->back += l->is_return;
		ret = nti_trace_batch_copy(
			nti_record_is_access(r) && l->is_request ? &l->held : &l->out, r, b->text);
	}
	swap(l, b);
	return ret;
}

int nti_lists_end(struct nti_lists *l, struct nti_trace_batch *b)
{
	return l->held.base ? release(l, b) : 0;
}

void nti_lists_fini(struct nti_lists *l)
{
	nti_trace_batch_fini(&l->held);
	nti_trace_batch_fini(&l->out);
}
