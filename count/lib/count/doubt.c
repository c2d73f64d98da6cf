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
#include "count/lib/count/rotation.h"
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

/* Without the modifiers: "cycles" of "cycles:u", "power/energy-pkg" of "power/energy-pkg/". */
static size_t base_length(const char *name)
{
	const char *slash = strchr(name, '/');

	if (slash)
		return strcspn(slash + 1, "/") + (size_t)(slash + 1 - name);
	return strcspn(name, ":");
}

/* Generic names have several spellings, and one number. */
static const char *generic_name(const struct perf_event_attr *attr)
{
	static const char *const hardware[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = "cycles",
		[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
		[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
		[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
		[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
		[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
		[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
	};
	/* The upper half says which core PMU of a hybrid is meant. */
	uint64_t config = attr->config & UINT32_MAX;

	if (attr->type != PERF_TYPE_HARDWARE || config >= NTI_ARRAY_SIZE(hardware))
		return NULL;
	return hardware[config];
}

static const struct nti_unit *unit_of(const struct nti_session_item *item)
{
	return item->event.parts ? item->event.part[0].unit : NULL;
}

/* Of "power:Joules": everything of that unit that is told in this. */
static bool is_of_unit(const struct nti_session_item *item, const char *event)
{
	const struct nti_unit *unit = unit_of(item);
	const char *colon = strchr(event, ':');
	size_t n = colon ? (size_t)(colon - event) : 0;

	return n && unit && strncmp(unit->name, event, n) == 0 && !unit->name[n] &&
	       item->event.unit_text && strcmp(item->event.unit_text, colon + 1) == 0;
}

/*
 * Whatever it was called: "power/energy-pkg" is event 2 of unit power. Steps without a unit are not
 * what the limits are about.
 */
static bool is_of_box(const struct nti_session_item *item, const char *event)
{
	const struct nti_unit *unit = unit_of(item);
	const struct nti_box_family *family = unit ? nti_box_family_of(unit) : NULL;
	const struct nti_box_event *row =
		family ? nti_box_event_by_config(family, item->event.part[0].attr.config) : NULL;
	size_t n = family ? strlen(family->unit) : 0;

	return row && strncmp(event, family->unit, n) == 0 && event[n] == '/' &&
	       strcmp(event + n + 1, row->name) == 0 &&
	       strcmp(item->event.unit_text ? item->event.unit_text : "", row->unit) == 0;
}

bool nti_doubt_is_about(const struct nti_session_item *item, const char *event)
{
	const char *generic = item->event.parts ? generic_name(&item->event.part[0].attr) : NULL;
	size_t n = base_length(item->name);

	if (generic)
		return strcmp(generic, event) == 0;
	return (strncmp(item->name, event, n) == 0 && !event[n]) || is_of_unit(item, event) ||
	       is_of_box(item, event);
}

static bool can_check(const struct nti_session_item *item)
{
	return !item->is_metric && !nti_session_item_is_free(item) && item->event.parts &&
	       unit_of(item) && !nti_session_item_is_absent(item);
}

static const struct nti_session_part *part_of(const struct ntime_session *s, size_t item)
{
	size_t i;

	for (i = 0; i < s->plan->parts; i++)
		if (s->plan->part[i].item == item)
			return &s->plan->part[i];
	return NULL;
}

/*
 * Members of one group at each thread and CPU: counted at the same time, in the same modes. Events
 * of several units are not compared.
 */
static bool is_in_one_group(const struct ntime_session *s, size_t a, size_t b)
{
	const struct nti_session_part *p = part_of(s, a), *q = part_of(s, b);

	return p && q && p->pass == q->pass && p->needs_counter == q->needs_counter &&
	       nti_session_is_alike(s, a, b);
}

/* The item that @limit compares item @i with; false: there is none. */
static bool find_other(const struct ntime_session *s, const struct nti_limit *limit, size_t i,
		       size_t *of)
{
	size_t k;

	*of = i;
	if (!limit->of)
		return true;
	for (k = 0; k < s->items; k++) {
		if (k == i || !can_check(&s->item[k]) ||
		    !nti_doubt_is_about(&s->item[k], limit->of) || !is_in_one_group(s, i, k))
			continue;
		*of = k;
		return true;
	}
	return false;
}

static int add_check(struct nti_check **list, size_t *n, const struct nti_check *check)
{
	struct nti_check *more = reallocarray(*list, *n + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	*list = more;
	more[(*n)++] = *check;
	return 0;
}

/*
 * Does time alone move it? Of a core that may be halted, or is in another mode, it does not: only
 * of a task in all modes, whose time passes as it runs.
 */
static bool always_moves(const struct ntime_session *s, size_t item)
{
	const struct nti_part *part = &s->item[item].event.part[0];

	if (part->unit->kind != NTI_UNIT_CORE)
		return true;
	return s->target.kind < NTIME_TARGET_CPUS && !part->attr.exclude_user &&
	       !part->attr.exclude_kernel && !s->item[item].is_limited;
}

static int add_checks_of(struct ntime_session *s, size_t item)
{
	struct nti_check check = { .item = item };
	int ret = 0;
	size_t i;

	for (i = 0; ret == 0 && i < nti_limit_count; i++) {
		check.limit = &nti_limits[i];
		if (check.limit->kind == NTI_LIMIT_MOVES && !always_moves(s, item))
			continue;
		if (nti_doubt_is_about(&s->item[item], check.limit->event) &&
		    find_other(s, check.limit, item, &check.of))
			ret = add_check(&s->doubts->check, &s->doubts->checks, &check);
	}
	return ret;
}

static bool is_same_event(const struct nti_session_item *a, const struct nti_session_item *b)
{
	const struct perf_event_attr *x = &a->event.part[0].attr, *y = &b->event.part[0].attr;

	return a->event.parts == b->event.parts && unit_of(a) == unit_of(b) && x->type == y->type &&
	       x->config == y->config && x->config1 == y->config1 && x->config2 == y->config2 &&
	       nti_session_is_same_modes(x, y) && !a->event.is_state &&
	       unit_of(a)->kind == NTI_UNIT_CORE;
}

/* Each of several equal ones is compared with the first of them. */
static int add_twin(struct ntime_session *s, size_t item)
{
	struct nti_check twin = { .item = item };

	for (twin.of = 0; twin.of < item; twin.of++)
		if (can_check(&s->item[twin.of]) &&
		    is_same_event(&s->item[item], &s->item[twin.of]))
			return add_check(&s->doubts->twin, &s->doubts->twins, &twin);
	return 0;
}

static bool is_user_only(const struct ntime_session *s, size_t item)
{
	const struct nti_session_part *p = part_of(s, item);

	return s->item[item].is_limited || (p && p->is_user_only);
}

/* The same event of the same unit, in whatever modes. */
static bool has_twin(const struct ntime_session *s, size_t item)
{
	const struct perf_event_attr *a = &s->item[item].event.part[0].attr;
	size_t i;

	for (i = 0; i < s->items; i++) {
		const struct nti_event *other = &s->item[i].event;

		if (i != item && can_check(&s->item[i]) &&
		    unit_of(&s->item[i]) == unit_of(&s->item[item]) &&
		    other->part[0].attr.type == a->type && other->part[0].attr.config == a->config)
			return true;
	}
	return false;
}

static const char unvouched[] =
	"it counted 0, and nothing shows that it is counted here: this machine lacks other events "
	"that its driver has (ntime doctor)";
/* The same, and then it counted something. */
static const char vouched[] = "";

/* The kernel takes any code: those that the processor lacks count 0 without a word. */
static int add_unlisted(struct ntime_session *s, struct nti_session_item *item)
{
	const struct nti_unit *unit = unit_of(item);
	unsigned int code = 0;
	size_t i;
	int ret = 0;

	if (!item->event.is_raw || !unit)
		return 0;
	for (i = 0; ret == 0 && i < item->event.parts; i++)
		ret = nti_event_is_listed(&s->ctx->names, &item->event.part[i], &code);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	item->doubt_of_0 = "it counted 0, and its code is in no list of events of this processor, "
			   "which may lack it";
	if (item->doubt.reason)
		return 0;
	return nti_absence_set(&item->doubt, NTIME_REASON_UNKNOWN_EVENT, unit->name,
			       "look the code up in the vendor's manual, or take an event of "
			       "\"ntime list\"",
			       "code 0x%x is in no list of events of this processor: 0 may mean "
			       "that it counts nothing",
			       code);
}

/* What else was found out of the PMU says more of a 0 than the event does. */
static int add_doubt_of_0(struct ntime_session *s, struct nti_session_item *item)
{
	int ret;

	item->doubt_of_0 = NULL;
	ret = add_unlisted(s, item);
	if (ret == 0 && !item->doubt_of_0 && !item->event.is_state) {
		ret = nti_context_vouches_for_0(s->ctx, &item->event);
		if (ret == 0)
			item->doubt_of_0 = unvouched;
	}
	s->doubts->has_doubt_of_0 |= item->doubt_of_0 != NULL;
	return ret < 0 ? ret : 0;
}

/* "MP 0, 1 of 3", of a mask and how many there are. */
static void say_mps(const struct nti_pmu_share *share, char *out, size_t bytes)
{
	size_t n = (size_t)snprintf(out, bytes, "MP");
	const char *comma = "";

	for (unsigned int i = 0; i < 32 && n < bytes; i++) {
		if (!(share->seen_mps >> i & 1))
			continue;
		n += (size_t)snprintf(out + n, bytes - n, "%s %u", comma, i);
		comma = ",";
	}
	if (n < bytes)
		(void)snprintf(out + n, bytes - n, " of %d", __builtin_popcount(share->mps));
}

/* Of several units of a card one is counted, or some, and nothing is said of the others. */
static int add_share(struct nti_session_item *item)
{
	struct nti_pmu_share share = { 0 };
	bool lacks_mps;
	char about[64] = "", mps[40], remedy[64] = "none";

	if (item->event.parts && !item->doubt.reason)
		share = nti_pmu_share(&item->event.part[0]);
	lacks_mps = share.seen_mps && share.seen_mps != share.mps;
	if (share.units < 2 && !lacks_mps)
		return 0;
	if (lacks_mps)
		say_mps(&share, mps, sizeof(mps));
	if (share.units > 1)
		(void)snprintf(about, sizeof(about), "%s %u alone, of %u%s%s", share.kind,
			       share.number, share.units, lacks_mps ? ", " : "",
			       lacks_mps ? mps : "");
	else
		(void)snprintf(about, sizeof(about), "%s", mps);
	if (share.units > 1)
		(void)snprintf(remedy, sizeof(remedy), "count each one, with %s=N", share.term);
	return nti_absence_set(&item->doubt, NTIME_REASON_ONE_UNIT, about, remedy,
			       "units of a kind share wires, so not all are counted but %s", about);
}

/* What self-tests found against the counters of an item that is counted. */
static int add_doubt(struct ntime_session *s, size_t i)
{
	struct nti_session_item *item = &s->item[i];

	nti_absence_fini(&item->doubt);
	if (nti_context_selftest_doubt(s->ctx, &item->event, is_user_only(s, i), has_twin(s, i),
				       &item->doubt) < 0)
		return -ENOMEM;
	if (nti_session_doubt_erratum(s, item) < 0)
		return -ENOMEM;
	if (item->event.is_every_mode && !item->doubt.reason &&
	    nti_absence_set(&item->doubt, NTIME_REASON_EVERY_MODE, item->name,
			    "leave out u, k, h: the number is the same",
			    "clocks have no modes: %s counts time in all of them", item->name) < 0)
		return -ENOMEM;
	if (add_share(item) < 0)
		return -ENOMEM;
	return add_doubt_of_0(s, item);
}

/* The kernel's part is tried as soon as somebody counts it. */
static void try_kernel(struct ntime_session *s)
{
	size_t i;

	for (i = 0; i < s->items; i++) {
		const struct nti_unit *unit = can_check(&s->item[i]) ? unit_of(&s->item[i]) : NULL;

		if (unit && unit->kind == NTI_UNIT_CORE && !is_user_only(s, i) &&
		    !s->item[i].event.part[0].attr.exclude_kernel &&
		    !nti_session_is_direct(s, unit))
			nti_context_selftest_kernel(s->ctx, unit);
	}
}

/* The kernel gives the counters to more events than there are, one after the other. */
static int find_rotation(struct ntime_session *s)
{
	struct nti_doubts *d = s->doubts;
	size_t i;
	int ret;

	for (i = 0; s->plan->passes > 1 && !nti_session_is_by_pass(s) && i < s->plan->parts; i++) {
		const struct nti_unit *unit = s->plan->part[i].part->unit;

		if (s->plan->part[i].is_refused || unit->kind != NTI_UNIT_CORE ||
		    nti_session_is_direct(s, unit))
			continue;
		nti_context_selftest_rotation(s->ctx, unit);
		ret = nti_context_rotation_doubt(s->ctx, unit, &d->rotation);
		if (ret == 0 && d->rotation.reason)
			d->rotated = unit;
		return ret;
	}
	return 0;
}

int nti_doubts_init(struct ntime_session *s)
{
	struct nti_doubts *d = s->doubts;
	int ret = 0;
	size_t i;

	nti_doubts_fini(s);
	if (s->ctx->os->is_simulated)
		return 0;
	try_kernel(s);
	for (i = 0; ret == 0 && i < s->items; i++) {
		if (!can_check(&s->item[i]))
			continue;
		ret = add_doubt(s, i);
		if (ret == 0)
			ret = add_checks_of(s, i);
		if (ret == 0)
			ret = add_twin(s, i);
	}
	if (ret == 0)
		ret = find_rotation(s);
	d->text = calloc(s->items + 1, sizeof(*d->text));
	d->seen = calloc(s->items + 1, sizeof(*d->seen));
	d->moved = calloc(d->checks + 1, sizeof(*d->moved));
	return ret == 0 && d->text && d->seen && d->moved ? 0 : -ENOMEM;
}

void nti_doubts_fini(struct ntime_session *s)
{
	struct nti_doubts *d = s->doubts;

	for (size_t i = 0; d->has_doubt_of_0 && i < s->items; i++)
		if (s->item[i].doubt_of_0 == vouched)
			nti_context_counted(s->ctx, &s->item[i].event);
	free(d->check);
	free(d->twin);
	free(d->text);
	free(d->seen);
	free(d->moved);
	nti_absence_fini(&d->rotation);
	*d = (struct nti_doubts){ 0 };
}

const char *nti_doubts_why(const struct ntime_session *s, size_t i)
{
	return s->doubts->text && *s->doubts->text[i].text ? s->doubts->text[i].text : NULL;
}

static bool has_number(const struct ntime_value *v)
{
	return !(v->flags & (NTIME_ABSENT | NTIME_NOT_COUNTED | NTIME_ELSEWHERE));
}

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

static uint64_t is_jump(const struct ntime_value *v, const struct nti_seen *last)
{
	return (v->count - last->count) >> JUMP_BITS;
}

/* What was lost, or came back after its CPU went, is flagged as that. */
static bool is_comparable(const struct ntime_value *v)
{
	return has_number(v) && !(v->flags & (NTIME_OVERFLOWED | NTIME_LOST | NTIME_HOTPLUG));
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

static void check_twins(struct ntime_session *s, struct nti_seen *seen,
			const struct ntime_value *values)
{
	const struct nti_check *c = s->doubts->twin, *end = c + s->doubts->twins;

	for (; c < end; c++) {
		if (values[c->item].value != values[c->of].value)
			compare_twins(s, c, seen, &values[c->item], &values[c->of]);
	}
}

/* A count of 0 is doubted as long as it is 0: a rare event may happen yet. */
static void check_0(struct ntime_session *s, size_t i, struct nti_seen *seen, struct ntime_value *v)
{
	struct nti_session_item *item = &s->item[i];
	char *text = s->doubts->text[i].text;

	if (!item->doubt_of_0 || item->doubt_of_0 == vouched || !has_number(v) ||
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
	if (v->count && item->doubt_of_0 == unvouched)
		item->doubt_of_0 = vouched;
}

void nti_doubts_vouch(struct ntime_session *s)
{
	for (size_t i = 0; i < s->items; i++) {
		char *text = s->doubts->text[i].text;

		if (s->item[i].doubt_of_0 != unvouched || !s->groups.sum[i].count)
			continue;
		s->item[i].doubt_of_0 = vouched;
		if (strcmp(text, unvouched) == 0)
			*text = '\0';
	}
}

static void check_zeros(struct ntime_session *s, struct nti_seen *seen, struct ntime_value *values)
{
	size_t i;

	for (i = 0; i < s->items; i++)
		check_0(s, i, seen, &values[i]);
}

static void mark_rotated(struct ntime_session *s, struct nti_seen *seen,
			 const struct ntime_value *values)
{
	size_t i;

	for (i = 0; i < s->items; i++)
		if (values[i].flags & NTIME_SCALED && can_check(&s->item[i]) &&
		    unit_of(&s->item[i]) == s->doubts->rotated)
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
	double ns = (double)(v->counted_ns - last->counted_ns);

	if (v->count + 1 < END_STEP || v->count > 2 * END_STEP || s->item[i].event.is_state ||
	    !can_check(&s->item[i]) || unit_of(&s->item[i])->kind != NTI_UNIT_CORE)
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
	if (is_jump(v, &seen[i]) && is_comparable(v))
		check_jump(s, i, seen, v);
	if (is_at_limit(v->count) && is_comparable(v))
		check_end(s, i, seen, v);
	if (!has_number(v)) {
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
		uint64_t is_odd = is_jump(v, last) | v->flags | (last->state ^ NTI_WAS_READ);

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

	if (!d->seen)
		return;
	if (d->rotated)
		mark_rotated(s, seen, values);
	for (i = 0; i < d->checks; i++)
		check_one(s, &d->check[i], seen, &moved[i], values);
	check_twins(s, seen, values);
	if (d->has_doubt_of_0)
		check_zeros(s, seen, values);
	look_at(s, seen, values);
}
