// SPDX-License-Identifier: MIT
/*
 * A frame clock over a session: counts at the end of a frame less those at the end of the frame
 * before, and where passes take turns less those of when the same pass ended last.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/error.h"
#include "count/lib/count/plan.h"
#include "count/lib/count/rotate.h"
#include "count/lib/count/session.h"
#include "count/lib/frame/ring.h"
#include "count/lib/metric/metric.h"
#include "base/os/page.h"

/*
 * In which passes an item has parts, or a metric events: it has a new number whenever the last one
 * of these ends. They come in order, so that the first one was .last - .first frames ago.
 */
struct turn {
	unsigned int first, last;
	bool is_every; /* counts in all passes */
	/* what it has counted since its last number is not one period of each of these passes */
	bool is_stale;
};

/* What the caller has put; .is_put false: nothing. */
struct own {
	bool is_put;
	double scale;
	uint64_t count, number;
};

struct ntime_frames {
	struct ntime_session *session; /* NULL in a forked child */
	size_t room;		       /* of this struct; 0: from calloc() */
	struct ntime_frame_ring ring;
	uint64_t number;		  /* of the frame that runs */
	uint64_t begin_ns, begin_real_ns; /* of it: by the clock, and of the session's time */
	size_t items;			  /* of the session */
	size_t n_own;			  /* the caller's behind them */
	struct own *own;		  /* that the next frame stores */
	unsigned int passes;		  /* 1: nothing takes turns */
	bool can_be_plain;		  /* nor is any item a metric */
	bool is_plain;			  /* it is: no item is stale, and frame 0 has ended */
	bool has_moved;			  /* to another pass, once */
	struct turn *turn;
	/*
	 * counts as they are now, and at the last number of each item; that number, and its frame
	 */
	struct ntime_value *now, *then, *shown;
	uint64_t *shown_at;
	uint64_t *length_ns; /* of the last frame of each pass, of the session's time */
};

/* @turn has passes @first to @last as well. */
static void widen(struct turn *turn, unsigned int first, unsigned int last)
{
	if (turn->is_every || first < turn->first)
		turn->first = first;
	if (turn->is_every || last > turn->last)
		turn->last = last;
	turn->is_every = false;
}

static void find_event_turn(const struct ntime_frames *f, size_t i)
{
	const struct nti_session_plan *plan = f->session->plan;
	struct turn *turn = &f->turn[i];
	size_t k;

	turn->is_every = true;
	for (k = 0; k < plan->parts && f->passes > 1; k++) {
		const struct nti_session_part *p = &plan->part[k];

		if (p->item == i && !p->is_refused && !f->session->item[i].is_in_every_pass)
			widen(turn, p->pass, p->pass);
	}
}

static void find_metric_turn(const struct ntime_frames *f, size_t i)
{
	const struct nti_session_item *item = &f->session->item[i];
	struct turn *turn = &f->turn[i];
	size_t k;

	turn->is_every = true;
	for (k = 0; k < item->inputs; k++) {
		const struct turn *input = &f->turn[item->input[k]];

		if (!input->is_every)
			widen(turn, input->first, input->last);
	}
}

static void find_turns(struct ntime_frames *f)
{
	unsigned int pass = f->session->rotation->pass;
	size_t i;

	for (i = 0; i < f->items; i++)
		if (!f->session->item[i].is_metric)
			find_event_turn(f, i);
	for (i = 0; i < f->items; i++) {
		struct turn *turn = &f->turn[i];

		if (f->session->item[i].is_metric)
			find_metric_turn(f, i);
		/* The clock begins in the middle of its passes. */
		turn->is_stale = !turn->is_every && turn->first < pass && pass <= turn->last;
	}
}

static int alloc_values(struct ntime_frames *f)
{
	f->turn = calloc(f->items, sizeof(*f->turn));
	f->now = calloc(f->items, sizeof(*f->now));
	f->then = calloc(f->items, sizeof(*f->then));
	f->shown = calloc(f->items, sizeof(*f->shown));
	f->shown_at = calloc(f->items, sizeof(*f->shown_at));
	f->length_ns = calloc(f->passes, sizeof(*f->length_ns));
	return f->turn && f->now && f->then && f->shown && f->shown_at && f->length_ns ? 0
										       : -ENOMEM;
}

/* What an item shows before its first number: what it never has, or that it was not counted yet. */
static void show_nothing(struct ntime_frames *f, size_t i)
{
	struct ntime_value *v = &f->shown[i];

	*v = f->then[i];
	v->count = 0;
	v->wanted_ns = v->counted_ns = 0;
	v->value = NAN;
	v->error = v->below = v->above = 0;
	v->hotplugs = 0;
	v->flags &= ~(NTIME_SCALED | NTIME_HOTPLUG);
	if (!(v->flags & NTIME_ABSENT))
		v->flags |= NTIME_NOT_COUNTED;
}

/* Whose events need several passes, which are ours to move. */
static int count_passes(struct ntime_session *s, unsigned int *passes)
{
	unsigned int needed = ntime_session_passes(s);

	*passes = 1;
	if (needed < 2 || s->target.flags & NTIME_PASS_ALONE)
		return 0;
	*passes = needed;
	if (s->target.flags & NTIME_BY_PASS)
		return 0;
	return nti_error(&s->ctx->error, -EINVAL,
			 "these events need %u passes, and a frame has one of them: make the "
			 "session with NTIME_BY_PASS, or count fewer events",
			 needed);
}

/* A child's frames would come between those of its parent: in a child it reads 0. */
static struct ntime_frames *alloc_frames(void)
{
	struct ntime_frames *f;
	void *memory;
	size_t room;

	if (nti_page_wiped_new(sizeof(*f), &memory, &room) < 0)
		return calloc(1, sizeof(*f));
	f = memory;
	f->room = room;
	return f;
}

static int take_own(struct ntime_frames *f, const struct ntime_item *own, size_t n)
{
	f->n_own = n;
	f->own = n ? calloc(n, sizeof(*f->own)) : NULL;
	if (n && !f->own)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (own[i].size != sizeof(own[i]))
			return -EINVAL;
		f->own[i].scale = own[i].scale;
	}
	return 0;
}

int ntime_frames_new(struct ntime_session *s, size_t depth, int fd, struct ntime_frames **out)
{
	return ntime_frames_new_own(s, NULL, 0, depth, fd, out);
}

int ntime_frames_new_own(struct ntime_session *s, const struct ntime_item *own, size_t n,
			 size_t depth, int fd, struct ntime_frames **out)
{
	struct ntime_frames *f;
	size_t i;
	int ret = ntime_session_open(s);

	*out = NULL;
	if (ret < 0)
		return ret;
	f = alloc_frames();
	if (!f)
		return -ENOMEM;
	f->session = s;
	f->items = s->items;
	ret = count_passes(s, &f->passes);
	if (ret == 0)
		ret = take_own(f, own, n);
	if (ret == 0)
		ret = alloc_values(f);
	if (ret == 0)
		ret = ntime_session_read(s, f->then, f->items);
	if (ret >= 0)
		ret = nti_frame_ring_new(&f->ring, s, own, n, depth, f->passes, fd);
	if (ret < 0) {
		ntime_frames_free(f);
		return ret;
	}
	find_turns(f);
	for (i = 0; i < f->items; i++)
		show_nothing(f, i);
	f->can_be_plain = f->passes == 1 && !s->metrics && !s->rotation->pass;
	f->begin_ns = nti_session_now_ns(s);
	f->begin_real_ns = nti_session_real_ns(s);
	*out = f;
	return 0;
}

void ntime_frames_free(struct ntime_frames *f)
{
	if (!f || !f->session)
		return;
	if (f->ring.file)
		nti_frame_ring_end(&f->ring);
	nti_frame_ring_fini(&f->ring);
	free(f->own);
	free(f->turn);
	free(f->now);
	free(f->then);
	free(f->shown);
	free(f->shown_at);
	free(f->length_ns);
	if (f->room)
		nti_page_wiped_free(f, f->room);
	else
		free(f);
}

const struct ntime_frame_ring *ntime_frames_ring(const struct ntime_frames *f)
{
	return &f->ring;
}

static uint64_t bits_of(double value)
{
	uint64_t out;

	memcpy(&out, &value, sizeof(out));
	return out;
}

static void put(struct nti_shared_word *word, enum nti_frame_word which, uint64_t value)
{
	nti_shared_word_set(&word[which], value);
}

static void put_value(struct nti_shared_word *word, const struct ntime_value *v, uint64_t span)
{
	put(word, NTI_FRAME_COUNT, v->count);
	put(word, NTI_FRAME_WANTED_NS, v->wanted_ns);
	put(word, NTI_FRAME_COUNTED_NS, v->counted_ns);
	put(word, NTI_FRAME_FLAGS, (uint64_t)v->hotplugs << 32 | v->flags | NTIME_FRAME_WHOLE);
	put(word, NTI_FRAME_SPAN, span);
	put(word, NTI_FRAME_VALUE, bits_of(v->value));
	put(word, NTI_FRAME_BELOW, bits_of(v->below));
	put(word, NTI_FRAME_ABOVE, bits_of(v->above));
}

/* Flags with which a difference is more than that of counts and times. */
#define NOT_PLAIN                                                                                  \
	(NTIME_ABSENT | NTIME_NOT_COUNTED | NTIME_SCALED | NTIME_ELSEWHERE | NTIME_STATE |         \
	 NTIME_GONE | NTIME_HOTPLUG)

static __attribute__((noinline)) void store_other(const struct ntime_value *now,
						  const struct ntime_value *then,
						  struct nti_shared_word *word)
{
	struct ntime_value d;

	ntime_value_delta(then, now, &d);
	put_value(word, &d, 0);
}

static bool is_due(const struct turn *turn, unsigned int pass)
{
	return turn->is_every || turn->last == pass;
}

static void show_counts(struct ntime_frames *f, unsigned int pass)
{
	size_t i;

	for (i = 0; i < f->items; i++) {
		struct turn *turn = &f->turn[i];
		bool was_stale = turn->is_stale;

		if (f->session->item[i].is_metric || !is_due(turn, pass))
			continue;
		ntime_value_delta(&f->then[i], &f->now[i], &f->shown[i]);
		f->then[i] = f->now[i];
		f->shown_at[i] = f->number;
		turn->is_stale = false;
		if (was_stale)
			show_nothing(f, i);
	}
}

/* Of the frames of all passes of @turn: how long one was. */
static uint64_t length_of(const struct ntime_frames *f, const struct turn *turn, unsigned int pass)
{
	uint64_t sum = 0;
	unsigned int i;

	if (turn->is_every)
		return f->length_ns[pass];
	for (i = turn->first; i <= turn->last; i++)
		sum += f->length_ns[i];
	return sum / (turn->last - turn->first + 1);
}

/* Those whose events are complete, from what these show. */
static void show_metrics(struct ntime_frames *f, unsigned int pass)
{
	size_t i;

	for (i = 0; i < f->items; i++) {
		if (f->session->item[i].is_metric) {
			f->now[i].wanted_ns = length_of(f, &f->turn[i], pass);
			f->now[i].count = 0;
		} else {
			f->now[i] = f->shown[i];
		}
	}
	(void)ntime_session_metrics(f->session, f->now, f->items);
	for (i = 0; i < f->items; i++) {
		if (!f->session->item[i].is_metric || !is_due(&f->turn[i], pass))
			continue;
		f->shown[i] = f->now[i];
		f->shown_at[i] = f->number;
	}
}

/* Nothing is known of this frame, and of what is counted since the frame before. */
static void show_failure(struct ntime_frames *f)
{
	size_t i;

	for (i = 0; i < f->items; i++) {
		f->turn[i].is_stale = true;
		show_nothing(f, i);
		f->shown_at[i] = f->number;
	}
}

static void store_shown(const struct ntime_frames *f, struct nti_shared_word *word)
{
	size_t i;

	for (i = 0; i < f->items; i++, word += NTIME_FRAME_WORDS) {
		const struct turn *turn = &f->turn[i];
		uint64_t age = f->number - f->shown_at[i];
		uint64_t span = turn->is_every ? 0 : turn->last - turn->first;

		/* What was not counted is of no other frame. */
		if (f->shown[i].flags & NTIME_NOT_COUNTED)
			age = span = 0;
		put_value(word, &f->shown[i], span << 32 | (uint32_t)age);
	}
}

static int change_pass(struct ntime_frames *f)
{
	struct ntime_session *s = f->session;
	unsigned int next = (s->rotation->pass + 1) % f->passes;
	int ret = 0;

	/* One that stands still begins with it when it goes on. */
	if (!s->clock.is_running) {
		nti_session_choose_pass(s, next);
		return 0;
	}
	if (!f->has_moved)
		ret = nti_session_check_by_pass(s);
	if (ret < 0)
		return ret;
	f->has_moved = true;
	ret = nti_session_go_to_pass(s, next);
	return ret < 0 ? ret : 0;
}

static uint64_t end_of_frame(const struct ntime_session *s, int ret)
{
	return ret >= 0 && s->clock.moment.at_ns ? s->clock.moment.at_ns : nti_session_now_ns(s);
}

static struct nti_frame_slot *begin_slot(struct ntime_frames *f, uint64_t end_ns)
{
	struct nti_frame_slot *slot = nti_frame_begin(&f->ring, f->number);

	nti_shared_word_set(&slot->begin_ns, f->begin_ns);
	nti_shared_word_set(&slot->end_ns, end_ns);
	f->begin_ns = end_ns;
	return slot;
}

static void swap(struct ntime_frames *f)
{
	struct ntime_value *now = f->now;

	f->now = f->then;
	f->then = now;
}

static __attribute__((noinline)) void store_own(struct ntime_frames *f,
						struct nti_shared_word *word)
{
	for (struct own *own = f->own; own < f->own + f->n_own; own++, word += NTIME_FRAME_WORDS) {
		struct ntime_value v = { .count = own->count,
					 .value = (double)own->count * own->scale };

		if (!own->is_put)
			v = (struct ntime_value){ .value = NAN, .flags = NTIME_NOT_COUNTED };
		put_value(word, &v, own->is_put ? (uint32_t)(f->number - own->number) : 0);
		own->is_put = false;
	}
}

int ntime_frame_put(struct ntime_frames *f, size_t i, uint64_t number, uint64_t count)
{
	if (!f->session || i >= f->n_own || number > f->number)
		return -EINVAL;
	f->own[i] = (struct own){
		.is_put = true, .scale = f->own[i].scale, .count = count, .number = number
	};
	return 0;
}

static void complete_slot(struct ntime_frames *f, struct nti_frame_slot *slot, uint64_t *number)
{
	if (f->n_own)
		store_own(f, slot->word + f->items * NTIME_FRAME_WORDS);
	if (number)
		*number = f->number;
	nti_frame_complete(&f->ring, slot, f->number);
	f->number++;
}

/* The session was read, and @ret says how. */
static __attribute__((noinline)) int end_turn(struct ntime_frames *f, uint64_t *number, int ret)
{
	struct ntime_session *s = f->session;
	unsigned int pass = s->rotation->pass;
	uint64_t end_ns = end_of_frame(s, ret);
	struct nti_frame_slot *slot;
	uint64_t real_ns = nti_session_real_ns_at(s, end_ns);
	int changed = 0;
	size_t i;

	if (f->passes > 1)
		changed = change_pass(f);
	if (!f->number && s->clock.started_ns > f->begin_ns)
		f->begin_ns = s->clock.started_ns;
	f->length_ns[f->passes > 1 ? pass : 0] = real_ns - f->begin_real_ns;
	slot = begin_slot(f, end_ns);
	nti_shared_word_set(&slot->pass, pass);
	if (ret < 0)
		show_failure(f);
	else
		show_counts(f, pass);
	if (ret >= 0 && s->metrics)
		show_metrics(f, f->passes > 1 ? pass : 0);
	store_shown(f, slot->word);
	complete_slot(f, slot, number);
	/* Whatever counts now, it is not the pass of the frame that begins. */
	for (i = 0; changed < 0 && i < f->items; i++)
		f->turn[i].is_stale = true;
	if (f->passes > 1) {
		f->begin_ns = nti_session_now_ns(s);
		real_ns = nti_session_real_ns_at(s, f->begin_ns);
	}
	f->begin_real_ns = real_ns;
	f->is_plain = f->can_be_plain && ret >= 0;
	return ret < 0 ? ret : changed;
}

/*
 * What almost all sessions are: all items count in all frames, and none is computed. What was
 * counted all the time until now was so until the frame before. docs/performance.md has the
 * instructions.
 */
int ntime_frame_end(struct ntime_frames *f, uint64_t *number)
{
	const struct ntime_value *now, *then, *end;
	struct nti_frame_slot *slot;
	struct nti_shared_word *word;
	int ret;

	if (__builtin_expect(!f->session, 0))
		return -EINVAL;
	ret = ntime_session_read(f->session, f->now, f->items);
	now = f->now;
	then = f->then;
	if (__builtin_expect(ret < 0 || !f->is_plain, 0))
		return end_turn(f, number, ret);
	slot = begin_slot(f, end_of_frame(f->session, ret));
	word = slot->word;
	for (end = now + f->items; now < end; now++, then++, word += NTIME_FRAME_WORDS) {
		if (__builtin_expect(now->flags & NOT_PLAIN || now->wanted_ns != now->counted_ns,
				     0)) {
			store_other(now, then, word);
			continue;
		}
		put(word, NTI_FRAME_FLAGS, now->flags);
		put(word, NTI_FRAME_COUNT, now->count - then->count);
		put(word, NTI_FRAME_WANTED_NS, now->wanted_ns - then->wanted_ns);
	}
	complete_slot(f, slot, number);
	swap(f);
	return 0;
}
