// SPDX-License-Identifier: MIT
/* Trials of a core PMU with known work. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "count/lib/perf/trial.h"
#include "count/lib/perf/work.h"

/*
 * Turns of the loop from one reading to the next: of many lengths, so that low bits of a counter
 * change in many ways, and one that is long beside what the readings themselves take.
 */
static const unsigned long step_turns[] = {
	1, 301, 2, 160, 997, 5, 707, 13, 1300, 80, 37, 601, 4000
};
enum { STEPS = NTI_ARRAY_SIZE(step_turns) };

/* Somebody may interrupt: it is bad only if it is bad each time. */
#define TRIES 3

/* Interrupts add a few to a step, whose own number is the same each time. */
#define STEP_SLACK 16
#define STEP_SHARE 500
/* A kernel that is counted along with it differs by some each time. */
#define BLIND_SLACK 20000

/*
 * A turn takes no less: two products that wait for each other take 6 cycles on hardware, and an
 * emulator that counts instructions as cycles has 4.
 */
#define LEAST_CYCLES_PER_TURN 1
/* As in count/data/limits; what the system calls take is in it. */
#define MOST_CYCLES_PER_NS 10
/*
 * User mode alone: each interrupt may add an instruction or two of the 16,000 in the longest step,
 * or a branch of the 4,000. Else the kernel is in it.
 */
#define RATIO_EXACT 0.006
#define RATIO_LOW 0.9
#define RATIO_HIGH 1.1
/* What a branch is, is not the same everywhere: calls, exceptions, both of a pair. */
#define BRANCH_RATIO_HIGH 1.6

/* Twice, of different lengths: what is the same for each call is the calls'. */
static const unsigned long call_counts[] = { 24, 60 };
#define CALL_STEPS NTI_ARRAY_SIZE(call_counts)
/* No kernel does a system call in less; user mode has none of it. */
#define KERNEL_PER_CALL 30
#define CALL_SHARE 0.5

/* What a counter may have before the first step: the ends of two system calls. */
#define MOST_BEFORE 1000

#define TWIN_TURNS 1000
#define TWINS_MAX 8

struct run {
	struct nti_os *os;
	const struct nti_unit *unit;
	const struct nti_work *work;
	struct nti_perf_group group;
	enum nti_trial_event of[NTI_TRIAL_EVENTS]; /* of the members of .group */
	struct nti_perf_reading at[STEPS + 1];
	struct nti_perf_reading calls[CALL_STEPS + 1];
	struct nti_perf_reading off[2];
};

uint64_t nti_trial_config(enum nti_trial_event event)
{
	static const uint64_t configs[] = {
		[NTI_TRIAL_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
		[NTI_TRIAL_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
		[NTI_TRIAL_BRANCHES] = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	};

	return configs[event];
}

static struct perf_event_attr attr_of(const struct nti_unit *unit, uint64_t config)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.config = config,
		/* What every user may count; not every driver can leave it out. */
		.exclude_kernel = !unit->is_mode_blind,
		.exclude_hv = !unit->is_mode_blind,
	};
}

static const struct nti_perf_where self = { .pid = 0, .cpu = -1 };

static void open_events(struct run *r, struct nti_trial *out)
{
	enum nti_trial_event event;
	int ret;

	nti_perf_group_init(&r->group, self);
	for (event = 0; event < NTI_TRIAL_EVENTS; event++) {
		const struct perf_event_attr attr = attr_of(r->unit, nti_trial_config(event));

		ret = nti_perf_group_add(r->os, &r->group, &attr);
		if (ret == 0)
			r->of[r->group.count - 1] = event;
		else if (ret == -ENOENT || ret == -EOPNOTSUPP)
			out->event[event] = NTI_TRIAL_REFUSED;
	}
}

static bool take(struct run *r, struct nti_perf_reading *out)
{
	return nti_perf_group_read(r->os, &r->group, out) == 0;
}

static bool count_steps(struct run *r)
{
	size_t i;

	/* Once for nothing: the first call of anything takes longer. */
	if (!take(r, &r->at[0]) || !take(r, &r->at[0]))
		return false;
	for (i = 0; i < STEPS; i++) {
		r->work->loop(r->os, step_turns[i]);
		if (!take(r, &r->at[i + 1]))
			return false;
	}
	r->calls[0] = r->at[STEPS];
	for (i = 0; i < CALL_STEPS; i++) {
		r->work->calls(r->os, call_counts[i]);
		if (!take(r, &r->calls[i + 1]))
			return false;
	}
	return true;
}

static bool count_all(struct run *r)
{
	bool is_whole;

	if (!r->group.count || nti_perf_group_enable(r->os, &r->group) < 0)
		return false;
	is_whole = count_steps(r);
	if (nti_perf_group_disable(r->os, &r->group) < 0 || !take(r, &r->off[0]))
		return false;
	r->work->loop(r->os, TWIN_TURNS);
	is_whole = is_whole && take(r, &r->off[1]);
	/* Others had the counters for a part of the time: nothing can be said. */
	return is_whole && r->off[0].running_ns && r->off[0].running_ns >= r->off[0].enabled_ns;
}

/* Counted in step @i, by member @k; counters may go back. */
static double step_of(const struct run *r, size_t k, size_t i)
{
	return (double)(int64_t)(r->at[i + 1].count[k] - r->at[i].count[k]);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* What a step has beside its turns is the same each time, or nearly. */
static bool is_rough(const struct run *r, size_t k, double per_turn)
{
	double rest[STEPS], sorted[STEPS];
	size_t i, far = 0;

	if (!r->unit->is_mode_blind && r->at[0].count[k] > MOST_BEFORE)
		return true;
	for (i = 0; i < STEPS; i++)
		sorted[i] = rest[i] = step_of(r, k, i) - per_turn * (double)step_turns[i];
	qsort(sorted, STEPS, sizeof(*sorted), compare);
	for (i = 0; i < STEPS; i++)
		far += fabs(rest[i] - sorted[STEPS / 2]) >
		       (r->unit->is_mode_blind ? BLIND_SLACK : STEP_SLACK) +
			       per_turn * (double)step_turns[i] / STEP_SHARE;
	return far > 1;
}

static bool is_rate(const struct run *r, enum nti_trial_event event, double ratio,
		    bool is_user_only)
{
	const struct nti_perf_reading *last = &r->at[STEPS], *before = &r->at[STEPS - 1];
	double high = event == NTI_TRIAL_BRANCHES ? BRANCH_RATIO_HIGH : RATIO_HIGH;

	if (event == NTI_TRIAL_CYCLES)
		return ratio < LEAST_CYCLES_PER_TURN ||
		       ratio * (double)step_turns[STEPS - 1] >
			       MOST_CYCLES_PER_NS *
				       ((double)(last->running_ns - before->running_ns) + 100);
	if (is_user_only)
		return fabs(ratio - 1) > RATIO_EXACT;
	return ratio < RATIO_LOW || ratio > high;
}

static void judge_event(const struct run *r, size_t k, struct nti_trial *out)
{
	enum nti_trial_event event = r->of[k];
	double rate, per_turn = event == NTI_TRIAL_INSTRUCTIONS ? r->work->turn_instructions : 1;
	bool is_user_only = !r->unit->is_mode_blind && !(out->faults & NTI_TRIAL_UNFILTERED);
	uint32_t *seen = &out->event[event];

	*seen = NTI_TRIAL_TRIED;
	if (r->off[0].count[k] == 0) {
		*seen |= NTI_TRIAL_DEAD;
		return;
	}
	if (!r->work->turn_instructions)
		return;
	/* What a turn makes it count: the longest step against the shortest. */
	rate = (step_of(r, k, STEPS - 1) - step_of(r, k, 0)) /
	       (double)(step_turns[STEPS - 1] - step_turns[0]);
	out->ratio[event] = rate / per_turn;
	if (is_rate(r, event, out->ratio[event], is_user_only))
		*seen |= NTI_TRIAL_RATE;
	/* Cycles follow caches and clocks; and the kernel, which differs, may be in the count. */
	else if (event != NTI_TRIAL_CYCLES && !(out->faults & NTI_TRIAL_UNFILTERED) &&
		 is_rough(r, k, per_turn))
		*seen |= NTI_TRIAL_ROUGH;
}

/* Only what counts instructions can tell the kernel's from others. */
static void judge_filter(const struct run *r, struct nti_trial *out)
{
	double sorted[STEPS], per_call[CALL_STEPS];
	size_t i, k;

	for (k = 0; k < r->group.count && r->of[k] != NTI_TRIAL_INSTRUCTIONS; k++)
		;
	if (k == r->group.count || r->unit->is_mode_blind || !r->work->turn_instructions)
		return;
	for (i = 0; i < STEPS; i++)
		sorted[i] = step_of(r, k, i) - (double)(r->work->turn_instructions * step_turns[i]);
	qsort(sorted, STEPS, sizeof(*sorted), compare);
	for (i = 0; i < CALL_STEPS; i++)
		per_call[i] = ((double)(int64_t)(r->calls[i + 1].count[k] - r->calls[i].count[k]) -
			       sorted[STEPS / 2]) /
				      (double)call_counts[i] -
			      r->work->call_instructions;
	out->per_call = per_call[CALL_STEPS - 1];
	if (per_call[0] > KERNEL_PER_CALL && per_call[1] > KERNEL_PER_CALL &&
	    fabs(per_call[0] - per_call[1]) < CALL_SHARE * per_call[1])
		out->faults |= NTI_TRIAL_UNFILTERED;
}

static void judge_stop(const struct run *r, struct nti_trial *out)
{
	size_t k;

	for (k = 0; k < r->group.count; k++)
		if (r->off[1].count[k] != r->off[0].count[k])
			out->faults |= NTI_TRIAL_RUNS_ON;
}

static bool try_events(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out)
{
	struct run *r = calloc(1, sizeof(*r));
	bool is_known = false;
	size_t k;

	*out = (struct nti_trial){ 0 };
	if (!r)
		return false;
	r->os = os;
	r->unit = unit;
	r->work = nti_work_of(os);
	open_events(r, out);
	is_known = count_all(r);
	if (is_known) {
		judge_stop(r, out);
		judge_filter(r, out);
	}
	for (k = 0; is_known && k < r->group.count; k++)
		judge_event(r, k, out);
	nti_perf_group_fini(os, &r->group);
	free(r);
	return is_known;
}

/* What the members of @g count of a loop; false: they did not all run all the time. */
static bool count_twins_once(struct nti_os *os, const struct nti_perf_group *g,
			     struct nti_perf_reading *out)
{
	struct nti_perf_reading before;
	size_t i;

	if (nti_perf_group_read(os, g, &before) < 0 || nti_perf_group_enable(os, g) < 0)
		return false;
	nti_work_of(os)->loop(os, TWIN_TURNS);
	if (nti_perf_group_disable(os, g) < 0 || nti_perf_group_read(os, g, out) < 0)
		return false;
	for (i = 0; i < g->count; i++)
		out->count[i] -= before.count[i];
	/* Time in which a larger group waited in vain is in both. */
	return out->running_ns > before.running_ns &&
	       out->running_ns - before.running_ns >= out->enabled_ns - before.enabled_ns;
}

/* As many of the same as there are counters; fewer, until they run. */
static bool count_twins(struct nti_os *os, const struct nti_unit *unit, struct nti_perf_group *g,
			struct nti_perf_reading *out)
{
	const struct perf_event_attr attr = attr_of(unit, PERF_COUNT_HW_INSTRUCTIONS);
	size_t most = unit->counters && unit->counters < TWINS_MAX ? unit->counters : TWINS_MAX;
	bool is_whole = false;

	nti_perf_group_init(g, self);
	while (g->count < most && nti_perf_group_add(os, g, &attr) == 0)
		;
	while (!is_whole && g->count > 1) {
		is_whole = count_twins_once(os, g, out);
		if (!is_whole)
			nti_perf_group_drop(os, g);
	}
	is_whole = is_whole && g->count > 1;
	nti_perf_group_fini(os, g);
	return is_whole;
}

static void try_twins(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out)
{
	struct nti_perf_reading seen;
	struct nti_perf_group g;
	size_t members, i;

	if (!count_twins(os, unit, &g, &seen))
		return;
	members = (size_t)seen.members;
	out->twin[0] = out->twin[1] = seen.count[0];
	for (i = 1; i < members; i++) {
		if (seen.count[i] < out->twin[0])
			out->twin[0] = seen.count[i];
		if (seen.count[i] > out->twin[1])
			out->twin[1] = seen.count[i];
	}
	/* They are switched on one after the other. */
	if (out->twin[1] - out->twin[0] >
	    (unit->is_mode_blind ? BLIND_SLACK : STEP_SLACK) + out->twin[1] / STEP_SHARE)
		out->faults |= NTI_TRIAL_TWINS;
}

/* Several turns of each event: the kernel's are 1 to 10 ms long. */
#define ROTATION_NS 120000000u
#define ROTATION_TURNS 20000
#define ROTATION_LOW 0.75
#define ROTATION_HIGH 1.25
#define ROTATED_MAX (2 * TWINS_MAX)

/* Instructions of the work that was done. */
static double work_on(struct nti_os *os)
{
	const struct nti_work *work = nti_work_of(os);
	uint64_t end_ns = os->ops->now_ns(os) + ROTATION_NS;
	double turns = 0;

	while (os->ops->now_ns(os) < end_ns) {
		work->loop(os, ROTATION_TURNS);
		turns += ROTATION_TURNS;
	}
	return turns * work->turn_instructions;
}

static void judge_rotated(struct nti_os *os, const struct nti_perf_group *g, double truth,
			  struct nti_trial *out)
{
	struct nti_perf_reading r;
	double ratio;

	if (nti_perf_group_read(os, g, &r) < 0 || !r.running_ns)
		return;
	ratio = (double)r.count[0] * ((double)r.enabled_ns / (double)r.running_ns) / truth;
	if (fabs(ratio - 1) > fabs(out->rotation - 1))
		out->rotation = ratio;
}

static void try_rotation(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out)
{
	const struct perf_event_attr attr = attr_of(unit, PERF_COUNT_HW_INSTRUCTIONS);
	unsigned int counters = unit->counters ? unit->counters : TWINS_MAX / 2;
	size_t most = 2 * counters < ROTATED_MAX ? 2 * counters : ROTATED_MAX, n, i;
	struct nti_perf_group *g = calloc(ROTATED_MAX, sizeof(*g));
	double truth;

	if (!g || unit->is_mode_blind || !nti_work_of(os)->turn_instructions) {
		free(g);
		return;
	}
	out->rotation = 1;
	for (n = 0; n < most; n++) {
		nti_perf_group_init(&g[n], self);
		if (nti_perf_group_add(os, &g[n], &attr) < 0)
			break;
	}
	for (i = 0; i < n; i++)
		(void)nti_perf_group_enable(os, &g[i]);
	truth = work_on(os);
	for (i = 0; i < n; i++)
		(void)nti_perf_group_disable(os, &g[i]);
	for (i = 0; i < n; i++) {
		judge_rotated(os, &g[i], truth, out);
		nti_perf_group_fini(os, &g[i]);
	}
	free(g);
	if (!n)
		return;
	out->faults |= NTI_TRIAL_ROTATED;
	if (out->rotation < ROTATION_LOW || out->rotation > ROTATION_HIGH)
		out->faults |= NTI_TRIAL_ROTATION;
}

/* A host that takes the CPU away in step with the turns does so now, and hardly each time. */
void nti_trial_rotate(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out)
{
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		out->faults &= ~(NTI_TRIAL_ROTATED | NTI_TRIAL_ROTATION);
		try_rotation(os, unit, out);
		if (!(out->faults & NTI_TRIAL_ROTATION))
			break;
	}
}

/* Is there anything in @t that speaks against @unit's counters? */
static bool is_clean(const struct nti_trial *t)
{
	uint32_t bad = t->faults & ~(NTI_TRIAL_ROTATED | NTI_TRIAL_KERNEL_TRIED);
	size_t i;

	for (i = 0; i < NTI_TRIAL_EVENTS; i++)
		bad |= t->event[i] & ~NTI_TRIAL_TRIED;
	return !bad;
}

bool nti_trial_run(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out)
{
	struct nti_trial now;
	unsigned int i, bad = 0;
	bool is_good = false;

	for (i = 0; i < TRIES && !is_good; i++) {
		if (!try_events(os, unit, &now))
			continue;
		*out = now;
		is_good = is_clean(&now);
		bad += !is_good;
	}
	if (!is_good && bad < TRIES) {
		*out = (struct nti_trial){ 0 };
		return false;
	}
	for (i = 0; i < TRIES; i++) {
		out->faults &= ~NTI_TRIAL_TWINS;
		try_twins(os, unit, out);
		if (!(out->faults & NTI_TRIAL_TWINS))
			break;
	}
	return true;
}
