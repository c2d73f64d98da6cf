// SPDX-License-Identifier: MIT
/*
 * A reader:
 *
 *     input --> pieces --> [parse] --> settle, learn, count --> [filter] --> batch
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "trace/lib/base/context.h"
#include "trace/lib/base/device.h"
#include "trace/lib/filter/filter.h"
#include "trace/lib/read/front.h"
#include "trace/lib/read/input.h"
#include "trace/lib/read/learn.h"
#include "trace/lib/read/trace.h"
#include "trace/lib/read/vfio_prefix.h"

/* How far we look for something that tells the form. */
#define LOOK_BYTES ((size_t)1 << 20)
/* A score from which on nothing further is looked at. */
#define SURE 80
#define FIRST_RECORDS 3072
/* What binary forms need to be told and, where we cannot read them, refused. */
#define HEAD_BYTES 32

static const struct nti_trace_front *const fronts[] = {
	&nti_trace_vfio,  &nti_trace_simple, &nti_trace_mmiotrace,
	&nti_trace_demmt, &nti_trace_binary,
};

/* Front end of a form; NULL: that form is not read. */
static const struct nti_trace_front *front_of(uint32_t form)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(fronts); i++) {
		if (fronts[i]->form == form)
			return fronts[i];
	}
	return NULL;
}

/* The front end that is surest that @head is its own; *@score says how sure. NULL: none. */
static const struct nti_trace_front *front_match(const char *head, size_t n, int *score)
{
	const struct nti_trace_front *best = NULL;
	size_t i;
	int s;

	*score = 0;
	for (i = 0; i < NTI_ARRAY_SIZE(fronts); i++) {
		s = fronts[i]->match(head, n);
		if (s > *score) {
			*score = s;
			best = fronts[i];
		}
	}
	return best;
}

static void lane_fini(struct nti_lane *l, const struct nti_trace_front *front)
{
	if (front && front->end && l->state)
		front->end(l->state);
	free(l->block);
	free(l->state);
	nti_trace_batch_fini(&l->b);
	memset(l, 0, sizeof(*l));
}

static int lane_init(struct nti_lane *l, const struct nti_trace_front *front)
{
	memset(l, 0, sizeof(*l));
	l->block = malloc(NTI_BLOCK_BYTES + NTI_BLOCK_PAD);
	l->state = calloc(1, front->state_bytes ? front->state_bytes : 1);
	if (!l->block || !l->state || nti_trace_batch_init(&l->b, FIRST_RECORDS) < 0) {
		lane_fini(l, NULL);
		return -ENOMEM;
	}
	return 0;
}

static const char *name_of(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* How the input begins, for a sentence. */
static void quote(const char *head, size_t n, char *buf, size_t room)
{
	size_t i, used = 0;

	for (i = 0; i < n && head[i] != '\n' && used + 4 < room; i++)
		buf[used++] = head[i] >= ' ' && head[i] < 0x7f ? head[i] : '?';
	if (i < n && head[i] != '\n')
		used += (size_t)(stpcpy(buf + used, "...") - (buf + used));
	buf[used] = '\0';
}

static int no_form(struct ntime_trace_ctx *ctx, const char *path, const char *head, size_t n)
{
	char begins[64];

	if (!n)
		return nti_error(
			&ctx->error, -EBADMSG,
			"%s is empty, so its format cannot be detected; name it with --from",
			name_of(path));
	quote(head, n, begins, sizeof(begins));
	return nti_error(&ctx->error, -EBADMSG,
			 "%s begins with '%s', so it is no trace in a known format; if other text "
			 "precedes the trace, name its format with --from",
			 name_of(path), begins);
}

static int wrong_form(struct ntime_trace_ctx *ctx, const char *path,
		      const struct nti_trace_front *wanted, const struct nti_trace_front *found,
		      const char *head, size_t n)
{
	char begins[64];

	quote(head, n, begins, sizeof(begins));
	if (found)
		return nti_error(&ctx->error, -EBADMSG, "%s begins with '%s': that is %s, not %s",
				 name_of(path), begins, found->name, wanted->name);
	return nti_error(&ctx->error, -EBADMSG, "%s begins with '%s': that is not %s",
			 name_of(path), begins, wanted->name);
}

/* Of a binary form all of its head has to be there. */
static bool has_head(const struct nti_trace_front *front, size_t have)
{
	return !front || front->is_text || have >= HEAD_BYTES;
}

/*
 * Each look costs as much as there is: look when there is twice as much, at the end, and when
 * somebody writes slowly. What that somebody wrote is worth a look when it ended a line.
 */
static bool is_worth_a_look(struct ntime_trace *t, const char *more, size_t n, size_t have,
			    size_t next)
{
	return have >= next || (memchr(more, '\n', n) && nti_input_would_wait(t->in));
}

/*
 * Who says the form is believed, but for what is plainly another one. Text of others may stand in
 * front, so a block is looked at, or what there is of it.
 */
static bool is_enough(struct ntime_trace *t, const struct nti_trace_front *wanted, size_t have)
{
	if (!have || !has_head(wanted, have))
		return false;
	return !wanted->is_text || have >= NTI_BLOCK_BYTES || nti_input_would_wait(t->in);
}

/* Read until the form is known, or for long enough. 0; -errno with a sentence. */
static int look(struct ntime_trace *t, const char *path, uint32_t form)
{
	const struct nti_trace_front *wanted = form ? front_of(form) : NULL;
	size_t have = 0, room = 0, next = 0;
	char *head = NULL, *more;
	int ret = 0, score = 0;
	ssize_t got = 1;

	if (form && !wanted)
		return nti_error(&t->ctx->error, -EINVAL, "form %u of traces is not read", form);
	while (got > 0 && have < LOOK_BYTES && (score < SURE || !has_head(t->front, have))) {
		if (have == room) {
			room = room ? room * 2 : NTI_BLOCK_BYTES;
			more = realloc(head, room);
			if (!more) {
				ret = -ENOMEM;
				break;
			}
			head = more;
		}
		got = nti_input_read(t->in, &t->ctx->error, head + have, room - have);
		if (got == -ESTALE) {
			have = next = 0;
			got = 1;
			continue;
		}
		if (got > 0)
			have += (size_t)got;
		if (got > 0 && !is_worth_a_look(t, head + have - got, (size_t)got, have, next))
			continue;
		next = have * 2;
		t->front = front_match(head, have, &score);
		if (wanted && is_enough(t, wanted, have))
			break;
	}
	/* Where nothing tells the form, the reason is that there is no more. */
	if (got < 0 && (!have || (!wanted && !t->front)))
		ret = (int)got;
	if (!ret && wanted &&
	    ((!wanted->is_text && have && wanted->match(head, have) == 0) ||
	     (t->front && t->front != wanted && score >= SURE)))
		ret = wrong_form(t->ctx, path, wanted, t->front, head, have);
	if (wanted)
		t->front = wanted;
	if (!ret && t->front && t->front->refuse && t->front->refuse(head, have))
		ret = nti_error(&t->ctx->error, -EBADMSG, "%s is %s: %s", name_of(path),
				t->front->name, t->front->refuse(head, have));
	if (!ret && !t->front)
		ret = no_form(t->ctx, path, head, have);
	if (!ret)
		ret = nti_pieces_return(&t->pieces, head, have);
	if (!ret && got < 0)
		t->pieces.error = (int)got;
	free(head);
	return ret;
}

/* The beginning was read: what is left to be made. */
static int prepare(struct ntime_trace *t, const struct ntime_trace_options *o)
{
	t->pieces.is_text = t->front->is_text;
	t->clock = t->front->clock;
	t->style = "";
	t->order = calloc(1, t->front->order_bytes ? t->front->order_bytes : 1);
	if (!t->order || lane_init(&t->lane, t->front) < 0)
		return -ENOMEM;
	if (o->filter) {
		t->filter = nti_filter_view_new(o->filter, t->devices,
						(o->flags & NTIME_TRACE_ALL_MARKS) != 0);
		if (!t->filter)
			return -ENOMEM;
	}
	return 0;
}

static int check_options(struct ntime_trace_ctx *ctx, const struct ntime_trace_options *o)
{
	size_t i;

	if (o->size != sizeof(*o))
		return nti_error(&ctx->error, -EINVAL, "options of a trace have the wrong size");
	if (o->flags & ~(NTIME_TRACE_FOLLOW | NTIME_TRACE_OTHERS | NTIME_TRACE_ALL_MARKS |
			 NTIME_TRACE_REQUESTS))
		return nti_error(&ctx->error, -EINVAL, "options of a trace have unknown flags");
	for (i = 0; i < NTI_ARRAY_SIZE(o->reserved); i++) {
		if (o->reserved[i] || o->reserved0)
			return nti_error(&ctx->error, -EINVAL,
					 "options of a trace have reserved fields that are not 0");
	}
	return 0;
}

int ntime_trace_open(struct ntime_trace_ctx *ctx, const char *path,
		     const struct ntime_trace_options *options, struct ntime_trace **out)
{
	struct ntime_trace_options o = { .size = sizeof(o) };
	struct ntime_trace *t;
	int ret;

	*out = NULL;
	if (options)
		o = *options;
	ret = check_options(ctx, &o);
	if (ret < 0)
		return ret;
	t = calloc(1, sizeof(*t));
	if (!t)
		return nti_error(&ctx->error, -ENOMEM, "no memory to read %s", name_of(path));
	t->ctx = ctx;
	t->flags = o.flags;
	ret = nti_input_open(&ctx->error, path, (o.flags & NTIME_TRACE_FOLLOW) != 0, &t->in);
	if (!ret)
		ret = nti_pieces_init(&t->pieces, t->in);
	if (!ret)
		ret = nti_trace_devices_new(&t->devices);
	if (!ret)
		ret = look(t, path, o.form);
	if (!ret)
		ret = prepare(t, &o);
	if (ret < 0) {
		if (ret == -ENOMEM)
			(void)nti_error(&ctx->error, ret, "no memory to read %s", name_of(path));
		ntime_trace_close(t);
		return ret;
	}
	*out = t;
	return 0;
}

void ntime_trace_close(struct ntime_trace *t)
{
	if (!t)
		return;
	lane_fini(&t->lane, t->front);
	nti_filter_view_free(t->filter);
	nti_pieces_fini(&t->pieces);
	nti_input_close(t->in);
	nti_trace_devices_free(t->devices);
	nti_lists_fini(&t->lists);
	free(t->order);
	free(t);
}

/* The beginning of a line that no tracer writes. */
static int make_long(struct ntime_trace *t, struct nti_lane *l)
{
	l->b.lines++;
	l->b.others++;
	l->b.longs++;
	if (t->flags & NTIME_TRACE_OTHERS)
		(void)nti_trace_batch_add(&l->b, NTIME_RECORD_OTHER, l->cut.piece.bytes,
					  l->cut.piece.n);
	return l->b.error;
}

static int make_records(struct ntime_trace *t, struct nti_lane *l)
{
	ssize_t used;

	nti_trace_batch_clear(&l->b);
	l->b.position = l->cut.position;
	if (l->cut.is_long)
		return make_long(t, l);
	if (!l->cut.piece.n && (t->front->is_text || !l->cut.piece.is_last))
		return 0;
	l->cut.piece.gives_others = (t->flags & NTIME_TRACE_OTHERS) != 0;
	used = t->front->parse(l->state, &l->cut.piece, t->devices, &l->b);
	if (used < 0 || l->b.error)
		return used < 0 ? (int)used : l->b.error;
	if (t->front->is_text || (size_t)used == l->cut.piece.n)
		return 0;
	/* A binary form: what is not complete comes again with more behind it. */
	if (l->cut.piece.is_last || (!used && l->cut.piece.n >= NTI_BLOCK_BYTES)) {
		l->b.bad_at = (size_t)used;
		return -EBADMSG;
	}
	return nti_pieces_return(&t->pieces, l->cut.piece.bytes + used,
				 l->cut.piece.n - (size_t)used);
}

static bool takes_lists(const struct ntime_trace *t)
{
	return t->front->has_lists && !(t->flags & NTIME_TRACE_REQUESTS);
}

/* What records tell is learnt, what is not wanted taken out. */
static int settle(struct ntime_trace *t, struct nti_lane *l)
{
	int ret = 0;

	if (t->front->settle)
		ret = t->front->settle(t->order, t->devices, &l->b);
	if (!ret && takes_lists(t))
		ret = nti_lists_settle(&t->lists, &l->b);
	if (!ret && l->is_end)
		ret = nti_lists_end(&t->lists, &l->b);
	nti_trace_learn(t, &l->b);
	if (l->cut.is_restart && !ret)
		ret = nti_trace_learn_restart(t, &l->b);
	if (t->filter)
		nti_filter_apply(t->filter, &l->b, t->is_timed ? t->first_ns : UINT64_MAX);
	t->kept += l->b.n;
	return nti_trace_devices_is_short(t->devices) ? -ENOMEM : ret;
}

/*
 * A binary form that is damaged or ends too early. Where it is compressed nobody can say at which
 * byte of the file that is.
 */
static void damaged(struct ntime_trace *t, const struct nti_lane *l)
{
	bool is_packed = *nti_input_compression(t->in) != '\0';
	uint64_t at = is_packed ? l->cut.position : l->cut.position - l->cut.piece.n + l->b.bad_at;

	t->pieces.error =
		nti_error(&t->error, -EBADMSG,
			  "the trace is damaged or cut off %s byte %llu: from there on "
			  "it is not %s",
			  is_packed ? "before" : "at", (unsigned long long)at, t->front->name);
}

/* Of ntime's own form, in a build that lacks what it needs. */
static void unsupported(struct ntime_trace *t)
{
	t->pieces.error =
		nti_error(&t->error, -EOPNOTSUPP,
			  "blocks of the trace are compressed with zstd, which this build cannot "
			  "undo, or libzstd is missing; install libzstd1, or convert the trace to "
			  "VFIO text with an ntime that is built with zstd");
}

static int fail(struct ntime_trace *t, int code)
{
	if (code < 0 && t->error.code == code)
		return nti_error(&t->ctx->error, code, "%s", t->error.text);
	if (code == -ENOMEM)
		return nti_error(&t->ctx->error, code, "no memory for the records of a trace");
	return code;
}

/* One piece into the lane. 1 there may be more, 0 the end, -errno. */
static int step(struct ntime_trace *t, struct nti_lane *l)
{
	int ret = nti_pieces_next(&t->pieces, &t->error, l->block, &l->cut), made, settled;

	if (ret <= 0) {
		nti_trace_batch_clear(&l->b);
		if (ret == -EINTR || t->has_ended_lists || !takes_lists(t))
			return ret;
		/* What is kept of lists comes in front of the end, or of the error, which stays. */
		t->has_ended_lists = l->is_end = true;
		settled = settle(t, l);
		l->is_end = false;
		return settled < 0 ? settled : 1;
	}
	made = make_records(t, l);
	if (made == -EBADMSG)
		damaged(t, l);
	else if (made == -EOPNOTSUPP)
		unsupported(t);
	else if (made < 0)
		return made;
	/* Records before the damage are valid; the error comes with the next call. */
	settled = settle(t, l);
	return settled < 0 ? settled : 1;
}

int ntime_trace_next(struct ntime_trace *t, struct ntime_trace_batch *out)
{
	const struct nti_trace_batch *b = &t->lane.b;
	int ret;

	if (out->size != sizeof(*out))
		return -EINVAL;
	do
		ret = step(t, &t->lane);
	while (ret > 0 && !b->n);
	if (ret < 0)
		return fail(t, ret);
	t->is_ended = !ret;
	out->n = ret ? b->n : 0;
	out->records = ret ? b->rec : NULL;
	out->text = ret ? b->text : NULL;
	out->position = ret ? b->position : nti_input_position(t->in);
	return 0;
}

void ntime_trace_stop(struct ntime_trace *t)
{
	nti_input_stop(t->in);
}

int ntime_trace_get_info(const struct ntime_trace *t, struct ntime_trace_info *out)
{
	if (out->size != sizeof(*out))
		return -EINVAL;
	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	out->form = t->front->form;
	out->clock = t->is_timed ? t->clock : NTIME_CLOCK_NONE;
	out->style = t->style;
	out->compression = nti_input_compression(t->in);
	out->bytes = nti_input_bytes(t->in);
	out->is_ended = t->is_ended;
	out->lines = t->front->is_text ? t->lines : 0;
	out->records = t->records;
	out->accesses = t->accesses;
	out->kept = t->kept;
	out->kept_accesses = t->filter ? nti_filter_accesses(t->filter) : t->accesses;
	out->others = t->others;
	out->damaged = t->front->is_text ? t->losses.torn - t->losses.cut : 0;
	out->first_ns = t->is_timed ? t->first_ns : 0;
	out->last_ns = t->is_timed ? t->last_ns : 0;
	return 0;
}

size_t ntime_trace_devices(const struct ntime_trace *t)
{
	return nti_trace_devices_count(t->devices);
}

int ntime_trace_get_device(const struct ntime_trace *t, size_t index,
			   struct ntime_trace_device *out)
{
	const struct ntime_trace_device *d = nti_trace_device_at(t->devices, index);

	if (out->size != sizeof(*out))
		return -EINVAL;
	if (!d)
		return -ERANGE;
	*out = *d;
	return 0;
}

struct nti_trace_devices *nti_trace_devices_of(struct ntime_trace *t)
{
	return t->devices;
}
