// SPDX-License-Identifier: MIT
/* Numbers that cannot be right. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/count/doubt.h"
#include "base/common/text.h"
#include "count/lib/count/estimates.h"
#include "count/lib/count/plan.h"
#include "count/lib/count/rotate.h"
#include "count/lib/count/session.h"
#include "count/lib/count/ways.h"
#include "count/lib/event/box_events.h"
#include "count/lib/pmu/pmu.h"

/*
 * A count that went back, or on by so much that the upper half of a counter of 48 bits was reached:
 * what a missing sign, a missed wrap and a bit that is stuck look like. Counts of many threads or
 * CPUs may go on by as much in a long time: then it is a matter of the rate.
 */
#define JUMP_BITS 47
/*
 * Above every rate: FLOPS of 512-bit vectors are 64 a cycle, energy is counted in steps of 2^-32 J,
 * and a package draws less than 1 kW, which is 4,295 steps a nanosecond.
 */
#define JUMP_PER_NS 20000
#define NS_PER_S 1e9
/* Counters that end do so at this, or at twice as much; how far a count must have come to there. */
#define END_STEP (1ull << 31)
#define END_DISTANCE 1000000

const char *nti_doubts_why(const struct ntime_session *s, size_t i)
{
	return s->doubts->text && *s->doubts->text[i].text ? s->doubts->text[i].text : NULL;
}

#define NO_NUMBER (NTIME_ABSENT | NTIME_NOT_COUNTED | NTIME_ELSEWHERE)

/* One counter; of a sum the words speak of all. */
static void __attribute__((format(printf, 4, 5)))
doubt(struct ntime_session *s, size_t i, struct nti_seen *seen, const char *format, ...)
{
	char *text = s->doubts->text[i].text;
	va_list args;

	if (!s->item[i].event.is_state) {
		if (seen[i].state & NTI_DOUBTED)
			return;
		seen[i].state |= NTI_DOUBTED;
	}
	va_start(args, format);
	(void)nti_text_vprint(text, NTI_DOUBT_TEXT_BYTES, format, args);
	va_end(args);
	nti_context_log(s->ctx, "doubt: %s: %s", s->item[i].name, text);
}

void nti_doubt_share(const struct ntime_session *s, const struct nti_session_item *item)
{
	if (s->doubts->text)
		(void)snprintf(s->doubts->text[item - s->item].text, NTI_DOUBT_TEXT_BYTES,
			       "a share of more than 101 %%: its events did not count at the same "
			       "time, or count other things than they are said to");
}

/* What differs from the last reading by 2^47 and more. */
static void check_jump(struct ntime_session *s, size_t i, struct nti_seen *seen,
		       const struct ntime_value *v)
{
	const struct nti_seen *last = &seen[i];
	uint64_t ns = v->counted_ns - last->counted_ns;

	if (s->item[i].event.is_state || !(last->state & NTI_WAS_READ))
		return;
	if (v->count < last->count)
		doubt(s, i, seen, NTI_DOUBT_BACK, (unsigned long long)last->count,
		      (unsigned long long)v->count);
	else if ((double)(v->count - last->count) > JUMP_PER_NS * ((double)ns + 1000))
		doubt(s, i, seen, "its count went on by %llu in %llu ns, which nothing does",
		      (unsigned long long)(v->count - last->count), (unsigned long long)ns);
}

/* What was lost, or came back after its CPU went, is flagged as that. */
static bool is_comparable(const struct ntime_value *v)
{
	return !(v->flags & (NO_NUMBER | NTIME_OVERFLOWED | NTIME_LOST | NTIME_HOTPLUG));
}

static void check_of(struct ntime_session *s, const struct nti_check *c, struct nti_seen *seen,
		     const struct ntime_value *v, const struct ntime_value *of)
{
	const struct nti_limit *l = c->limit;
	uint64_t step = v->count - seen[c->item].count, step_of = of->count - seen[c->of].count;
	const char *name = s->item[c->item].name, *of_name = s->item[c->of].name;

	if ((double)v->count > l->most * (double)of->count + l->slack)
		doubt(s, c->item, seen, "%llu %s beside %llu %s: %s", (unsigned long long)v->count,
		      name, (unsigned long long)of->count, of_name, l->about);
	else if (seen[c->item].state & NTI_WAS_READ &&
		 (double)step > l->most * (double)step_of + l->slack)
		doubt(s, c->item, seen, "%llu more %s beside %llu more %s: %s",
		      (unsigned long long)step, name, (unsigned long long)step_of, of_name,
		      l->about);
}

static void check_second(struct ntime_session *s, const struct nti_check *c, struct nti_seen *seen,
			 const struct ntime_value *v)
{
	const struct nti_limit *l = c->limit;
	uint64_t step = v->count - seen[c->item].count;
	uint64_t step_ns = v->counted_ns - seen[c->item].counted_ns;
	double whole = (double)v->count * v->scale, part = (double)step * v->scale;

	if (whole > l->most * (double)v->counted_ns / NS_PER_S + l->slack)
		doubt(s, c->item, seen, "%.6g %s%s%s in %.6g s: %s", whole, s->item[c->item].name,
		      *s->item[c->item].event.unit_text ? " in " : "",
		      s->item[c->item].event.unit_text, (double)v->counted_ns / NS_PER_S, l->about);
	else if (seen[c->item].state & NTI_WAS_READ &&
		 part > l->most * (double)step_ns / NS_PER_S + l->slack)
		doubt(s, c->item, seen, "%.6g more %s%s%s in %.6g s: %s", part,
		      s->item[c->item].name, *s->item[c->item].event.unit_text ? " in " : "",
		      s->item[c->item].event.unit_text, (double)step_ns / NS_PER_S, l->about);
}

static void check_moves(struct ntime_session *s, const struct nti_check *c, struct nti_seen *seen,
			struct nti_moved *moved, const struct ntime_value *v,
			const struct ntime_value *of)
{
	const struct nti_limit *l = c->limit;
	bool is_time = l->kind == NTI_LIMIT_MOVES;
	uint64_t other = is_time ? of->counted_ns : of->count;

	if (v->count != moved->count || other < moved->other) {
		*moved = (struct nti_moved){ .count = v->count, .other = other };
		return;
	}
	if ((double)(other - moved->other) <= l->most * (is_time ? NS_PER_S : 1))
		return;
	if (is_time)
		doubt(s, c->item, seen, "it stood still at %llu for %.3g s: %s",
		      (unsigned long long)v->count, (double)(other - moved->other) / NS_PER_S,
		      l->about);
	else
		doubt(s, c->item, seen, "it stood still at %llu while %s counted %llu: %s",
		      (unsigned long long)v->count, s->item[c->of].name,
		      (unsigned long long)(other - moved->other), l->about);
}

static void check_range(struct ntime_session *s, const struct nti_check *c, struct nti_seen *seen,
			struct ntime_value *v)
{
	if (v->value >= c->limit->least && v->value <= c->limit->most)
		return;
	doubt(s, c->item, seen, "%g %s: %s", v->value, s->item[c->item].event.unit_text,
	      c->limit->about);
	v->flags |= NTIME_IMPLAUSIBLE;
}

/* States have no past: what they are now is compared, and marked as long as it is so. */
static void check_states(struct ntime_session *s, const struct nti_check *c, struct nti_seen *seen,
			 struct ntime_value *v, const struct ntime_value *of)
{
	if (v->value <= c->limit->most * of->value + c->limit->slack)
		return;
	doubt(s, c->item, seen, "%g %s beside %g %s: %s", v->value, s->item[c->item].name,
	      of->value, s->item[c->of].name, c->limit->about);
	v->flags |= NTIME_IMPLAUSIBLE;
}

static void check_one(struct ntime_session *s, const struct nti_check *c, struct nti_seen *seen,
		      struct nti_moved *moved, struct ntime_value *values)
{
	struct ntime_value *v = &values[c->item], *of = &values[c->of];

	if (!is_comparable(v))
		return;
	if (c->limit->kind == NTI_LIMIT_SECOND)
		check_second(s, c, seen, v);
	else if (c->limit->kind == NTI_LIMIT_RANGE)
		check_range(s, c, seen, v);
	else if (!is_comparable(of))
		return;
	else if (c->limit->kind == NTI_LIMIT_OF && s->item[c->item].event.is_state)
		check_states(s, c, seen, v, of);
	else if (c->limit->kind == NTI_LIMIT_OF)
		check_of(s, c, seen, v, of);
	else
		check_moves(s, c, seen, moved, v, of);
}

/*
 * The same event twice, of the same time: nearly the same, for one is started before the other, and
 * so much may be counted meanwhile for each event from one to the other. Estimates of different
 * times may differ as much as the program does.
 */
#define TWIN_SLACK 10000
#define TWIN_SHARE 0.001

static __attribute__((noinline)) void
compare_twins(struct ntime_session *s, const struct nti_check *c, struct nti_seen *seen,
	      const struct ntime_value *a, const struct ntime_value *b)
{
	double apart = fabs((double)c->item - (double)c->of);

	if (!is_comparable(a) || !is_comparable(b) || (a->flags | b->flags) & NTIME_SCALED ||
	    fabs(a->value - b->value) <= TWIN_SLACK * apart + TWIN_SHARE * fmax(a->value, b->value))
		return;
	doubt(s, c->item, seen, "the same event was counted twice, as %.0f and as %.0f", a->value,
	      b->value);
	doubt(s, c->of, seen, "the same event was counted twice, as %.0f and as %.0f", a->value,
	      b->value);
}

/* A count of 0 is doubted as long as it is 0: a rare event may happen yet. */
static void check_0(struct ntime_session *s, size_t i, struct nti_seen *seen, struct ntime_value *v)
{
	struct nti_session_item *item = &s->item[i];
	char *text = s->doubts->text[i].text;

	if (!item->doubt_of_0 || item->doubt_of_0 == nti_doubt_vouched || v->flags & NO_NUMBER ||
	    seen[i].state & NTI_DOUBTED)
		return;
	if (!v->count && v->counted_ns) {
		(void)snprintf(text, NTI_DOUBT_TEXT_BYTES, "%s", item->doubt_of_0);
		v->flags |= NTIME_IMPLAUSIBLE;
		return;
	}
	if (seen == s->doubts->seen)
		text[0] = '\0';
	/* It is counted here: so a 0 of another CPU or thread is one. */
	if (v->count && item->doubt_of_0 == nti_doubt_unvouched)
		item->doubt_of_0 = nti_doubt_vouched;
}

void nti_doubts_vouch(struct ntime_session *s)
{
	for (size_t i = 0; i < s->items; i++) {
		char *text = s->doubts->text[i].text;

		if (s->item[i].doubt_of_0 != nti_doubt_unvouched || !s->groups.sum[i].count)
			continue;
		s->item[i].doubt_of_0 = nti_doubt_vouched;
		if (strcmp(text, nti_doubt_unvouched) == 0)
			*text = '\0';
	}
}

static void mark_rotated(struct ntime_session *s, struct nti_seen *seen,
			 const struct ntime_value *values)
{
	size_t i;

	for (i = 0; i < s->items; i++)
		if (values[i].flags & NTIME_SCALED && nti_doubt_can_check(&s->item[i]) &&
		    nti_session_unit_of(&s->item[i]) == s->doubts->rotated)
			doubt(s, i, seen, "%s", s->doubts->rotation.reason);
}

/* 2^31 and 2^32, and one less: where counters end that do not wrap; and other multiples of 2^31. */
static bool is_at_limit(uint64_t count)
{
	return count && !((count + 1) & (END_STEP - 2));
}

/*
 * Any count may be there by chance, one in END_DISTANCE that goes on by as much from reading to
 * reading, and stay while nothing happens. So it must have come a long way to get there, or have
 * had the time to go as far since, at the rate of all the time before.
 */
static void check_end(struct ntime_session *s, size_t i, struct nti_seen *seen,
		      const struct ntime_value *v)
{
	const struct nti_seen *last = &seen[i];
	const struct nti_unit *unit = nti_session_unit_of(&s->item[i]);
	double ns = (double)(v->counted_ns - last->counted_ns);

	if (v->count + 1 < END_STEP || v->count > 2 * END_STEP || s->item[i].event.is_state ||
	    !nti_doubt_can_check(&s->item[i]) || !unit || unit->kind != NTI_UNIT_CORE)
		return;
	if (v->count - last->count > END_DISTANCE ||
	    (double)v->count * ns > END_DISTANCE * (double)v->counted_ns)
		doubt(s, i, seen, "it stands at %llu, where a counter of %u bits ends",
		      (unsigned long long)v->count, v->count > END_STEP ? 32 : 31);
}

/* Apart, so that nothing of it is prepared for those that do not need it. */
static __attribute__((noinline)) void look_closer(struct ntime_session *s, size_t i,
						  struct nti_seen *seen, struct ntime_value *v)
{
	if ((v->count - seen[i].count) >> JUMP_BITS && is_comparable(v))
		check_jump(s, i, seen, v);
	if (is_at_limit(v->count) && is_comparable(v))
		check_end(s, i, seen, v);
	if (v->flags & NO_NUMBER) {
		seen[i].state &= ~NTI_WAS_READ;
		return;
	}
	if (seen[i].state & NTI_DOUBTED)
		v->flags |= NTIME_IMPLAUSIBLE;
	seen[i].state |= NTI_WAS_READ;
}

/* The last look at each: what was doubted is marked, and all is remembered for the next time. */
static void look_at(struct ntime_session *s, struct nti_seen *seen, struct ntime_value *values)
{
	struct ntime_value *v, *end = values + s->items;
	struct nti_seen *last = seen;

	for (v = values; v < end; v++, last++) {
		uint64_t is_odd = (v->count - last->count) >> JUMP_BITS | v->flags |
				  (last->state ^ NTI_WAS_READ);

		/*
		 * One question, since most were read before, are plain and small and did not jump.
		 */
		if (is_odd | v->count / (END_STEP / 2)) {
			if (is_odd || is_at_limit(v->count))
				look_closer(s, (size_t)(v - values), seen, v);
			/* At an end, time goes on from when it came there. */
			if (v->count == last->count && is_at_limit(v->count))
				continue;
		}
		last->counted_ns = v->counted_ns;
		last->count = v->count;
	}
}

void nti_doubts_check(struct ntime_session *s, struct nti_seen *seen, struct nti_moved *moved,
		      struct ntime_value *values)
{
	const struct nti_doubts *d = s->doubts;
	size_t i;

	if (d->rotated)
		mark_rotated(s, seen, values);
	for (i = 0; i < d->checks; i++)
		check_one(s, &d->check[i], seen, &moved[i], values);
	for (i = 0; i < d->twins; i++)
		if (values[d->twin[i].item].value != values[d->twin[i].of].value)
			compare_twins(s, &d->twin[i], seen, &values[d->twin[i].item],
				      &values[d->twin[i].of]);
	for (i = 0; d->has_doubt_of_0 && i < s->items; i++)
		check_0(s, i, seen, &values[i]);
	look_at(s, seen, values);
}
