// SPDX-License-Identifier: MIT
/*
 * What is known before it is counted against the counts of an item: what its event can be held
 * against, self-tests, errata, and the highest rates of hardware.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "base/common/text.h"
#include "count/lib/context/context.h"
#include "count/lib/count/doubt.h"
#include "count/lib/count/estimates.h"
#include "count/lib/count/plan.h"
#include "count/lib/count/rotate.h"
#include "count/lib/count/session.h"
#include "count/lib/count/ways.h"
#include "count/lib/event/box_events.h"
#include "count/lib/event/resolve.h"
#include "count/lib/pmu/pmu.h"

/* Without the modifiers: "cycles" of "cycles:u", "power/energy-pkg" of "power/energy-pkg/". */
static size_t base_length(const char *name)
{
	const char *slash = strchr(name, '/');

	if (slash)
		return strcspn(slash + 1, "/") + (size_t)(slash + 1 - name);
	return strcspn(name, ":");
}

/* Of "power:Joules": everything of that unit that is told in this. */
static bool is_of_unit(const struct nti_session_item *item, const char *event)
{
	const struct nti_unit *unit = nti_session_unit_of(item);
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
	const struct nti_unit *unit = nti_session_unit_of(item);
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
	const char *generic =
		item->event.parts ? nti_generic_name(&item->event.part[0].attr) : NULL;
	size_t n = base_length(item->name);

	if (generic)
		return strcmp(generic, event) == 0;
	return (strncmp(item->name, event, n) == 0 && !event[n]) || is_of_unit(item, event) ||
	       is_of_box(item, event);
}

bool nti_doubt_can_check(const struct nti_session_item *item)
{
	return !item->is_metric && !nti_session_item_is_free(item) && item->event.parts &&
	       nti_session_unit_of(item) && !nti_session_item_is_absent(item);
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
		if (k == i || !nti_doubt_can_check(&s->item[k]) ||
		    !nti_doubt_is_about(&s->item[k], limit->of) || !is_in_one_group(s, i, k))
			continue;
		*of = k;
		return true;
	}
	return false;
}

static int add_check(struct nti_check **list, size_t *n, const struct nti_check *check)
{
	if (!nti_grow(list, *n))
		return -ENOMEM;
	(*list)[(*n)++] = *check;
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

	return a->event.parts == b->event.parts &&
	       nti_session_unit_of(a) == nti_session_unit_of(b) && x->type == y->type &&
	       x->config == y->config && x->config1 == y->config1 && x->config2 == y->config2 &&
	       nti_session_is_same_modes(x, y) && !a->event.is_state &&
	       nti_session_unit_of(a)->kind == NTI_UNIT_CORE;
}

/* Each of several equal ones is compared with the first of them. */
static int add_twin(struct ntime_session *s, size_t item)
{
	struct nti_check twin = { .item = item };

	for (twin.of = 0; twin.of < item; twin.of++)
		if (nti_doubt_can_check(&s->item[twin.of]) &&
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

		if (i != item && nti_doubt_can_check(&s->item[i]) &&
		    nti_session_unit_of(&s->item[i]) == nti_session_unit_of(&s->item[item]) &&
		    other->part[0].attr.type == a->type && other->part[0].attr.config == a->config)
			return true;
	}
	return false;
}

const char nti_doubt_unvouched[] =
	"it counted 0, and nothing shows that it is counted here: this machine lacks other events "
	"that its driver has (ntime doctor)";
const char nti_doubt_vouched[] = "";

/* The kernel takes any code: those that the processor lacks count 0 without a word. */
static int add_unlisted(struct ntime_session *s, struct nti_session_item *item)
{
	const struct nti_unit *unit = nti_session_unit_of(item);
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
			item->doubt_of_0 = nti_doubt_unvouched;
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
		const struct nti_unit *unit =
			nti_doubt_can_check(&s->item[i]) ? nti_session_unit_of(&s->item[i]) : NULL;

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

	for (i = 0; s->plan->passes > 1 && !s->rotation->is_by_pass && i < s->plan->parts; i++) {
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
		if (!nti_doubt_can_check(&s->item[i]))
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
		if (s->item[i].doubt_of_0 == nti_doubt_vouched)
			nti_context_counted(s->ctx, &s->item[i].event);
	free(d->check);
	free(d->twin);
	free(d->text);
	free(d->seen);
	free(d->moved);
	nti_absence_fini(&d->rotation);
	*d = (struct nti_doubts){ 0 };
}

/*
 * What a count can be at all: at least what was counted, at most that and the highest rate of the
 * hardware for the rest of the time.
 *
 * The rates are of all processors, not of this one. A core's highest clock cannot be asked for:
 * cpuinfo_max_freq leaves out the boost with some drivers (Linux, drivers/cpufreq/acpi-cpufreq.c),
 * virtual machines have none, and the time stamp counter is slower than a core's boost by any
 * factor. What was counted beside it all the time knows more: cycles, and events of which
 * count/data/limits has that this one is no more than them.
 */

/* No core reached 10 GHz until 2026, liquid helium and overclocking included (9.2 GHz). */
#define CYCLES_PER_NS 10.

/*
 * The widest cores retire 8 to 12 operations a cycle; some of these are two instructions (Intel's
 * and AMD's optimization manuals, "macro-fusion"; Apple's "CPU Optimization Guide").
 */
#define INSTRUCTIONS_PER_CYCLE 16.

/*
 * Most steps of any event in a cycle. AMD counts floating point operations, up to 64 of them (PPR
 * of family 17h, "Large Increment per Cycle Events"); Intel's counters add up to the width of the
 * core (SDM vol. 3B, 20.2.1.1, "counter mask").
 */
#define STEPS_PER_CYCLE 64.

/* Steps a cycle of what perf calls by generic names. */
static double generic_steps(uint64_t config)
{
	switch (config & UINT32_MAX) {
	case PERF_COUNT_HW_CPU_CYCLES:
	case PERF_COUNT_HW_REF_CPU_CYCLES:
	case PERF_COUNT_HW_BUS_CYCLES:
	case PERF_COUNT_HW_STALLED_CYCLES_FRONTEND:
	case PERF_COUNT_HW_STALLED_CYCLES_BACKEND:
		return 1;
	default:
		return INSTRUCTIONS_PER_CYCLE;
	}
}

double nti_session_hard_rate(const struct nti_session_item *item)
{
	const struct nti_part *part = item->event.parts ? &item->event.part[0] : NULL;

	if (!part || !part->unit || part->unit->kind != NTI_UNIT_CORE)
		return INFINITY;
	switch (part->attr.type) {
	case PERF_TYPE_HARDWARE:
		return CYCLES_PER_NS * generic_steps(part->attr.config);
	case PERF_TYPE_HW_CACHE:
		/* Accesses and misses: of instructions, or prefetched, of which there are fewer. */
		return CYCLES_PER_NS * INSTRUCTIONS_PER_CYCLE;
	default:
		return CYCLES_PER_NS * STEPS_PER_CYCLE;
	}
}

static void add_cap(struct nti_session_item *item, size_t of, double most, double slack)
{
	if (item->caps < NTI_CAPS && isfinite(most))
		item->cap[item->caps++] = (struct nti_cap){ of, most, slack };
}

/*
 * Bounds of count/data/limits from @event, which item @i is or is at most @most times, to item @of:
 * branch-misses of branches, and these of instructions.
 */
static void add_limits(struct ntime_session *s, size_t i, size_t of, const char *event, double most,
		       double slack, int depth)
{
	for (size_t k = 0; k < nti_limit_count; k++) {
		const struct nti_limit *l = &nti_limits[k];

		if (l->kind != NTI_LIMIT_OF || !l->of ||
		    (event ? strcmp(l->event, event) != 0
			   : !nti_doubt_is_about(&s->item[i], l->event)))
			continue;
		if (nti_doubt_is_about(&s->item[of], l->of))
			add_cap(&s->item[i], of, most * l->most, slack + most * l->slack);
		else if (depth)
			add_limits(s, i, of, l->of, most * l->most, slack + most * l->slack,
				   depth - 1);
	}
}

void nti_session_find_caps(struct ntime_session *s, size_t i)
{
	struct nti_session_item *item = &s->item[i];

	for (size_t of = 0; of < s->items; of++) {
		const struct nti_session_item *other = &s->item[of];

		if (!other->is_constant || nti_session_item_is_absent(other) ||
		    !nti_session_is_alike(s, i, of))
			continue;
		/*
		 * Not for clocks of their own: a core that is slower than its reference has fewer
		 * cycles than these.
		 */
		if (nti_doubt_is_about(other, "cycles") &&
		    !nti_doubt_is_about(item, "ref-cycles") &&
		    !nti_doubt_is_about(item, "bus-cycles"))
			add_cap(item, of, nti_session_hard_rate(item) / CYCLES_PER_NS,
				NTI_CAP_SLACK);
		add_limits(s, i, of, NULL, 1, 0, 1);
	}
}

double nti_session_cap(const struct ntime_session *s, const struct nti_session_item *item)
{
	double most = INFINITY;

	for (size_t i = 0; i < item->caps; i++) {
		const struct nti_cap *cap = &item->cap[i];
		const struct nti_session_item *of = &s->item[cap->of];
		const struct nti_item_sum *sum = &s->groups.sum[cap->of];
		/* Somebody else may have had its counter for a while. */
		bool is_whole = of->only ? of->reading->running_ns >= of->reading->enabled_ns
					 : sum->counted_ns >= sum->wanted_ns;
		double count = (double)(of->only ? *of->count : sum->count);

		if (is_whole)
			most = fmin(most, cap->most * count + cap->slack);
	}
	return most;
}

int ntime_value_bounds(const struct ntime_value *value, const struct ntime_item *item,
		       double *least, double *most)
{
	double unseen_s = ((double)value->wanted_ns - (double)value->counted_ns) / 1e9;

	*least = *most = NAN;
	if (item->size != sizeof(*item) || item->is_metric)
		return -EINVAL;
	if (isnan(value->value) || value->flags & (NTIME_ABSENT | NTIME_NOT_COUNTED))
		return -ENODATA;
	*least = *most = value->value;
	if (!(value->flags & (NTIME_SCALED | NTIME_OVERFLOWED | NTIME_PARTIAL | NTIME_LOST)) &&
	    !(value->flags & NTIME_HOTPLUG && unseen_s > 0))
		return 0;
	*least = (double)value->count * value->scale;
	*most = INFINITY;
	if (!(value->flags & (NTIME_OVERFLOWED | NTIME_PARTIAL | NTIME_LOST)) && item->max_rate > 0)
		*most = *least + item->max_rate * fmax(unseen_s, 0);
	return 0;
}

int ntime_value_compare(const struct ntime_value *a, const struct ntime_value *b)
{
	if (a->value > b->value)
		return -ntime_value_compare(b, a);
	/* Not a number is not larger than its interval either. */
	if ((a->flags | b->flags) & NTIME_BOUNDED)
		return b->value - a->value > a->above + b->below ? -1 : 0;
	return b->value - a->value > hypot(a->above, b->below) ? -1 : 0;
}

/* What is known of this machine's processors against the counts of an item. */

/* Event select and unit mask of x86, event number of Arm. */
#define CODE_MASK 0xffffull
/* AMD's event selects have four more bits there; those of others say something else. */
#define CODE_MASK_AMD (CODE_MASK | 0xfull << 32)
/* Of an event select alone, which two digits are, the unit mask may be any. */
#define UNIT_MASK 0xff00ull
#define SELECT_DIGITS 2

/* Is "rHEX" the code of @item's only event, which a core PMU counts? */
static bool is_code(const struct nti_session_item *item, const char *event, uint64_t mask)
{
	const struct nti_part *part = &item->event.part[0];
	char *end;
	uint64_t code;

	if (*event != 'r' || part->unit->kind != NTI_UNIT_CORE ||
	    part->attr.type == PERF_TYPE_HARDWARE || part->attr.type == PERF_TYPE_HW_CACHE)
		return false;
	code = strtoull(event + 1, &end, 16);
	if (end == event + 1 + SELECT_DIGITS)
		mask &= ~UNIT_MASK;
	return end != event + 1 && !*end && (part->attr.config & mask) == code;
}

static bool is_about(const struct ntime_session *s, const struct nti_session_item *item,
		     const struct nti_erratum *e)
{
	bool is_amd = s->ctx->units.cpu.vendor == NTHW_VENDOR_AMD;
	size_t i;

	for (i = 0; i < e->events; i++)
		if (is_code(item, e->event[i], is_amd ? CODE_MASK_AMD : CODE_MASK) ||
		    nti_doubt_is_about(item, e->event[i]))
			return true;
	return false;
}

/* The worst erratum that @item has; NULL: none. */
static const struct nti_erratum *worst_of(struct ntime_session *s,
					  const struct nti_session_item *item)
{
	const struct nti_unit *unit = nti_session_unit_of(item);
	const struct nti_erratum *e, *worst = NULL;
	size_t next = 0;

	/* What the kernel counts by itself has no silicon to be wrong. */
	if (!unit || unit->kind == NTI_UNIT_SOFTWARE)
		return NULL;
	while ((e = nti_context_erratum(s->ctx, &next)))
		if (is_about(s, item, e) && (!worst || e->action > worst->action))
			worst = e;
	return worst;
}

static int explain(const struct nti_erratum *e, enum ntime_reason code, struct nti_absence *out)
{
	return nti_absence_set(out, code, e->name, e->remedy, "erratum %s: %s", e->name, e->about);
}

int nti_session_refuse_erratum(struct ntime_session *s, struct nti_session_item *item)
{
	const struct nti_erratum *e = worst_of(s, item);

	return e && e->action == NTI_ERRATUM_REFUSE && !item->absent.reason
		       ? explain(e, NTIME_REASON_ERRATUM, &item->absent)
		       : 0;
}

int nti_session_doubt_erratum(struct ntime_session *s, struct nti_session_item *item)
{
	const struct nti_erratum *e = worst_of(s, item);

	if (!e && item->event.corrected && !item->doubt.reason)
		return nti_absence_set(&item->doubt, NTIME_REASON_ERRATUM, "libpfm4", "none", "%s",
				       item->event.corrected);
	if (!e || item->doubt.reason)
		return 0;
	return explain(
		e, e->action == NTI_ERRATUM_NOTE ? NTIME_REASON_ERRATUM : NTIME_REASON_IMPLAUSIBLE,
		&item->doubt);
}
